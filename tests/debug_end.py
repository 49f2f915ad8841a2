"""
numachine gdb --at-end, for debug_past.py: a run that has ended, in whatever way, is opened at its end and walked back from;
nothing is written meanwhile; what is not as it was is refused, or said, in one line that has the mend.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess

import debug
import simulator

INPUT = b"one\ntwo\nthree\n"


def opened(numachine, directory, *commands, options=(), stdin=b"", cwd=None):
    """What `--batch` says of a run's end, behind these commands."""
    script = pathlib.Path(str(directory) + ".commands")
    script.write_text("".join(c + "\n" for c in commands))
    return subprocess.run([numachine, "gdb", "--at-end", directory, "--batch", script, *options], input=stdin, capture_output=True,
                          check=False, timeout=debug.PATIENCE, cwd=cwd)


def state(*directories):
    """All that there is in directories, with its times."""
    paths = [p for d in directories for p in [pathlib.Path(d), *pathlib.Path(d).rglob("*")]]
    return sorted((str(p), p.stat().st_mtime_ns, p.read_bytes() if p.is_file() else b"") for p in paths)


def ran(numachine, directory, *words, cwd=None, **keywords):
    """The directory of a run that worked in an empty one, or elsewhere."""
    work = pathlib.Path(str(directory) + ".work")
    work.mkdir(exist_ok=True)
    subprocess.run([numachine, "stat", "-q", "-o", directory, *words], capture_output=True, check=False, timeout=debug.PATIENCE,
                   cwd=cwd or work, **keywords)
    return directory


def at_end(lines, numachine, directory):
    """Whether it stands where the manifest says."""
    _, ticks = simulator.end_of(directory)
    assert lines[0].startswith(f"cycle {ticks}, the end: "), (numachine, directory, ticks, lines[:2])


def check_walk(guest):
    """From a deadlock to the last writer, on each kind of processor; another thread wrote before."""
    directory = ran(guest.numachine, guest.scratch / "ended", "--truth", *guest.machine, "--", os.path.abspath(guest.program),
                    "deadlock")
    before = state(directory)
    done = opened(guest.numachine, directory, "who", "watch both 4", "reverse-continue", "print both 4", "reverse-continue", "print both 4")
    lines = done.stdout.decode().splitlines()
    at_end(lines, guest.name, directory)
    stops = debug.at(lines)
    assert "deadlock: every thread waits" in lines[0] and any("for the lock" in line for line in lines), (guest.name, lines)
    assert [thread for _, thread, _ in stops] in ([1004, 1000], [1000, 1004]) and stops[0][0] > stops[1][0], (guest.name, lines)
    assert [line.split()[1] for line in lines if line.startswith("0x")] == ["0x00000002", "0x00000001"], (guest.name, lines)
    assert done.returncode == 0 and not done.stderr and state(directory) == before, (guest.name, done)
    shutil.rmtree(directory)


def check_nothing_written(numachine, files, scratch):
    """Neither into the run's directory, nor to what its program wrote, nor where it worked; nor is anything printed."""
    given, work = scratch / "given", scratch / "work"
    for directory in given, work:
        directory.mkdir()
        (directory / "mine").write_text("mine")
    for where, cwd, words in (("given", scratch, ["--allow", "given:rw", "--", files, given]), ("work", work, ["--", files, "."])):
        directory = ran(numachine, scratch / f"wrote-{where}", "-m", "station-4", *words, cwd=cwd)
        before = state(directory, given, work)
        done = opened(numachine, directory, cwd="/")
        at_end(done.stdout.decode().splitlines(), where, directory)
        assert "status 0" in done.stdout.decode() and done.returncode == 0 and not done.stderr, (where, done)
        assert state(directory, given, work) == before, where


def check_large(numachine, files, scratch):
    """Where a program worked in a directory too large to be copied, it may write nothing there, which is said."""
    work = scratch / "large"
    work.mkdir()
    directory = ran(numachine, scratch / "wrote-large", "-m", "station-4", "--", files, ".", cwd=work)
    with (work / "large").open("wb") as large:
        large.truncate(129 << 20)
    done = opened(numachine, directory)
    assert done.returncode == 1 and b"is too large to be copied: the program can change nothing there now" in done.stderr, done
    assert b"warning: this is another run" in done.stderr, done


def check_input(numachine, echo, scratch):
    """Standard input from a file is read again; what came by a pipe nobody has kept, which is said where it matters."""
    words = scratch / "words"
    words.write_bytes(INPUT)
    kept = ran(numachine, scratch / "kept", "--set", f"program.stdin={words}", "-m", "station-4", "--", echo)
    piped = ran(numachine, scratch / "piped", "-m", "station-4", "--", echo, input=INPUT)
    for directory, options, stdin in ((kept, [], b""), (piped, [], INPUT), (piped, ["--set", f"program.stdin={words}"], b"")):
        done = opened(numachine, directory, options=options, stdin=stdin)
        at_end(done.stdout.decode().splitlines(), options, directory)
        assert done.returncode == 0 and not done.stderr, done
    done = opened(numachine, piped)
    assert done.returncode == 1 and re.search(rb"warning: this is another run: .*\(--set program.stdin=FILE gives it\)\n$", done.stderr), done
    words.write_bytes(b"others\n")
    refused(opened(numachine, kept), "standard input is another one now; bring it back")


def stopped(numachine, echo, directory, how):
    """A run that waits for its standard input is stopped. While it is under way it cannot be opened."""
    with subprocess.Popen([numachine, "stat", "-q", "-o", directory, "-m", "station-4", "--", echo], stdin=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=directory.parent) as process:
        simulator.await_that("a run under way", lambda: (directory / "guest.elf").exists() and
                             "digest_of\": {" in (directory / "manifest.json").read_text(), process)
        refused(opened(numachine, directory), "under way; wait for its end, or stop it")
        process.send_signal(how)
        process.wait(timeout=debug.PATIENCE)


def check_stopped(numachine, echo, scratch):
    stopped(numachine, echo, scratch / "interrupted", signal.SIGTERM)
    done = opened(numachine, scratch / "interrupted")
    at_end(done.stdout.decode().splitlines(), "interrupted", scratch / "interrupted")
    assert b"the end: interrupted, as the run was" in done.stdout and done.returncode == 0, done
    stopped(numachine, echo, scratch / "killed", signal.SIGKILL)
    done = opened(numachine, scratch / "killed")
    assert b"was killed, and keeps no cycle of where" in done.stderr and b"the end: the program exits" in done.stdout, done


def refused(done, why):
    assert done.returncode == 2 and why in done.stderr.decode() and done.stderr.count(b"\n") == 1, (why, done)


def forge(directory, change):
    path = directory / "manifest.json"
    path.write_text(simulator.forged(path.read_text(), change))


def check_refused(numachine, echo, scratch):
    """What cannot be the same run, or is none."""
    work = scratch / "elsewhere"
    work.mkdir()
    run = ran(numachine, scratch / "whole", "-m", "station-4", "--", echo, cwd=work)
    for n, (spoil, why) in enumerate((
            (shutil.rmtree, "No such file or directory"),
            (lambda d: (d / "manifest.json").unlink(), "no run has left it"),
            (lambda d: (d / "guest.elf").write_bytes(b"\x7fELF"), "guest.elf: it is not as the run has left it"),
            (lambda d: (d / "config.resolved.yaml").unlink(), "; bring the file back, or make the run again"),
            (lambda d: forge(d, lambda m: m["digest_of"].update(simulator="xxh64:0")), "numachine is another version now; open it with"),
            (lambda d: forge(d, lambda m: m.update(digest_of=None)), "did not even begin"),
            (lambda d: work.rmdir(), "which is not to be had: No such file or directory; make that directory"))):
        directory = scratch / f"spoilt-{n}"
        shutil.copytree(run, directory)
        spoil(directory)
        refused(opened(numachine, directory), why)
    for options, why in ((["--set", "bus.clock=25MHz"], "that makes another run of it; only program.stdin can be given"),
                         (["-m", "station-4"], "takes it from the run: not with --machine"), (["--", echo], "has its program already")):
        done = opened(numachine, run, options=options)
        assert done.returncode == 2 and why in done.stderr.decode(), (why, done)


GDB = ["watch both", "reverse-continue", "backtrace 2", "monitor who", "delete", "reverse-stepi", "continue"]
WANTED = [r"the end: deadlock: every thread waits", r"Old value = 2\s+New value = 1", r"#1 .*crosses|#1 .*deadlock",
          r"thread 1004, card 1: runs at", r"(?s)the end: deadlock.*the end: deadlock"]


def check_gdb(guest):
    directory = ran(guest.numachine, guest.scratch / "for-gdb", *guest.machine, "--", os.path.abspath(guest.program), "deadlock")
    script = guest.scratch / "for-gdb.commands"
    script.write_text("".join(c + "\n" for c in ("set pagination off", "set confirm off", *GDB, "kill", "quit")))
    before = state(directory)
    done = subprocess.run([guest.numachine, "gdb", "--at-end", directory, "--execute", f"source {script}"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, timeout=debug.PATIENCE)
    for wanted in WANTED:
        assert re.search(wanted, done.stdout + done.stderr), (wanted, done)
    assert done.returncode == 0 and state(directory) == before, done


def check(numachine, files, scratch):
    echo = os.path.join(os.path.dirname(files), "echo.o32")
    check_nothing_written(numachine, files, scratch)
    check_large(numachine, files, scratch)
    check_input(numachine, echo, scratch)
    check_stopped(numachine, echo, scratch)
    check_refused(numachine, echo, scratch)
