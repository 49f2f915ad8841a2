#!/usr/bin/env -S python3 -S
"""
numachine gdb, backwards: what it shows at a moment that is gone back to is what it showed when the run was there; the last
writers are those that there were; steps back lead where steps have come from; nothing simulated changes, and the program
reads and writes everything once. A run that has ended is opened there (debug_end.py).

    debug_past.py NUMACHINE POINTS GUEST...

Of the guests those of debug.py are walked through, and one that makes files (files.o32) tells what becomes of them. POINTS
are drawn for each kind of run. With few of them, each core's other walks are made with the first of its binary interfaces.
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile

import debug
import debug_end
import past
import simulator
import skip

FEW = 20  # points
SHOWS = ["cycle", "who", "registers", "counters", "line counter", "line together", "print counter 64", "pipeline"]


def shown(lines):
    """{cycle: what was said there} of SHOWS behind each stop "as asked"."""
    found, at = {}, None
    for line in lines:
        arrived = re.fullmatch(r"cycle (\d+), as asked", line)
        if arrived:
            at = int(arrived[1])
            found.setdefault(at, []).append([])
        elif line.startswith("cycle "):
            at = None
        elif at is not None:
            found[at][-1].append(line)
    return found


def check_points(guest, points, lot):
    """Forwards to each of the points; then to each from the end, in any order, and forwards again from some."""
    signalled = next(int(line.split()[1].rstrip(",")) for line in guest.batch("continue", "continue", "continue") if "signal" in line)
    drawn = sorted(lot.sample(range(500, signalled), points))
    there = [c for p in drawn for c in (f"goto {p}", "continue", *SHOWS)]
    again = lot.sample(drawn, points)
    back = [c for p in again for c in (f"goto {p}", "continue", *SHOWS)]
    lines = guest.batch(*there, "continue", "continue", *back, *["continue"] * 3)
    found = shown(lines)
    assert sorted(found) == drawn, (guest.name, sorted(found), drawn)
    for point, said in found.items():
        assert len(said) == 2 and said[0], (guest.name, point, said)
        assert said[0] == said[1], (guest.name, point, [x for x in zip(*said) if x[0] != x[1]][:5])
    assert lines.count(debug.COUNTED) == 1, (guest.name, lines[-5:])
    return points


def check_writers(guest):
    """The stores to a word from the last to the first, and forwards again."""
    forwards = debug.at(guest.batch("watch counter 4", *["continue"] * 61, "delete", "continue"))
    lines = guest.batch("continue", "continue", "watch counter 4", *["reverse-continue"] * 61, *["continue"] * 60, "delete", "continue",
                        "continue", "continue", "continue")
    both = debug.at(lines)
    assert len(forwards) == 60 and len(both) == 120, (guest.name, len(forwards), len(both), lines[-8:])
    assert [(c - 1, t, pc) for c, t, pc in both[:60]] == both[:59:-1], (guest.name, both)
    assert both[60:] == forwards, (guest.name, forwards, both[60:])
    assert any("beginning" in line for line in lines), (guest.name, lines)

    # What has just been written is there, and the thread is not at the store any more. A step back is before it.
    lines = guest.batch("continue", "continue", "watch counter 4", *["reverse-continue", "print counter 4", "print $pc"] * 9,
                        *["reverse-step", "print $pc", "print counter 4"] * 2, "quit")
    values = [int(line.split()[1], 16) for line in lines if line.startswith("0x")]
    pcs = [int(line.split()[1], 16) for line in lines if line.startswith("pc ")]
    stores = [pc for _, _, pc in both[:9]]
    assert all(v == w + 1 for v, w in zip(values[:8], values[1:9])), (guest.name, values, lines)
    assert all(pc != store for pc, store in zip(pcs, stores)) and pcs[8] != pcs[9] != pcs[10], (guest.name, lines)
    if guest.core != debug.R10000:  # which may have completed others in the store's cycle
        assert values[9] == values[8] - 1 and pcs[9] == stores[8], (guest.name, lines)


def check_late(guest):
    """A store that has waited for leave to write its line is where it was made, behind those that came first: of threads that write
    words of one line (barrier.o32) no value is passed over."""
    lines = guest.batch("goto 1000000000", "continue", "watch phase_of 44", *["reverse-continue", "print phase_of 24"] * 45, "quit", status=0)
    found, written = {}, None
    for line in lines:
        if line.startswith("cycle "):
            written, values = re.search(r"has just written 0x([0-9a-f]+)", line), []
        elif written and line.startswith("0x"):
            values += [int(v, 16) for v in line.split()[1:]]
            first = int(line.split(":")[0], 16) if len(values) <= 16 else first
            at = int(written[1], 16) - first
            if len(values) == 24 and at < 24:
                found.setdefault(at, []).append(values[at + 3])
    assert len(found) == 6 and all(values == [*range(20, 20 - len(values), -1)] for values in found.values()), (found, lines)


def check_steps(guest):
    """Instruction by instruction, there and back."""
    steps = 25
    lines = guest.batch("break factorial", "continue", "continue", "delete", "print $pc", *["step", "print $pc"] * steps,
                        *["reverse-step", "print $pc"] * steps, "continue", "continue", "continue", "continue")
    pcs = [int(line.split()[1], 16) for line in lines if line.startswith("pc ")]
    assert len(pcs) == 2 * steps + 1, (guest.name, lines)
    assert pcs[steps:] == pcs[steps::-1], (guest.name, [hex(pc) for pc in pcs])


def check_steps_first(guest):
    """A step is made where one stands, and a cycle that was asked for is gone to afterwards; who goes back does not go there."""
    calls = debug.at(guest.batch("break bump", *["continue"] * 3, "delete", *["continue"] * 3))
    cycle, thread, pc = calls[0]
    bump = ["break bump", *["continue"] * 3]
    lines = guest.batch(*bump, f"goto {cycle}", "continue", "delete", f"break {pc}", f"step {thread}", "print $pc", "goto 20000", "step", "print $pc",
                        "continue", "delete", *["continue"] * 4)
    pcs = [int(line.split()[1], 16) for line in lines if line.startswith("pc ")]
    assert len({pc, *pcs}) == 3 and lines.count("cycle 20000, as asked") == 1, (guest.name, lines)
    ways = [line for line in lines if line.startswith(("cycle", "pc"))]
    assert ways.index("cycle 20000, as asked") > ways.index(f"cycle {cycle}, as asked") + 4, (guest.name, lines)
    lines = guest.batch(*bump, "goto 20000", "reverse-continue", "continue", "delete", *["continue"] * 3)
    assert debug.at(lines)[:5] == [*calls, calls[1], calls[2]], (guest.name, lines)
    lines = guest.batch("continue", "continue", "goto 20000", "step", "continue", *["continue"] * 4)
    ways = [line.split(", ")[1].split(":")[0] for line in lines if line.startswith("cycle")]
    assert ways[1:4] == ["the end", "the end", "as asked"], (guest.name, lines)


def check_hash(guest):
    plain, travelled = guest.scratch / "plain", guest.scratch / "travelled"
    debug.ask(guest.numachine, "stat", "-q", "-o", plain, *guest.machine, "--", guest.program, status=3)
    guest.batch("break bump", *["continue"] * 20, *["reverse-continue"] * 5, "reverse-step", "goto 30000", "continue", "step", "delete",
                "watch counter 4", *["continue"] * 40, "reverse-continue", "delete", *["continue"] * 4, options=["-o", travelled])
    assert guest.hashes(plain) and guest.hashes(plain) == guest.hashes(travelled), f"{guest.name}: other results after travelling"


def check_input(numachine, echo, scratch):
    """Where commands come from a file the program reads standard input, once, as it does without a debugger."""
    commands = scratch / "input"
    commands.write_text("goto 30000\ncontinue\ngoto 60000\ncontinue\ngoto 20000\ncontinue\ncontinue\ncontinue\n")
    plain, gone_back = (subprocess.run([numachine, *how, "-m", "station-4", "--", echo], input=past.WORDS, capture_output=True,
                                       timeout=debug.PATIENCE, check=False)
                        for how in (["stat", "-q", "--force", "-o", scratch / "echo"], ["gdb", "--batch", commands]))
    said = [line for line in gone_back.stdout.splitlines() if not line.startswith(b"cycle ")]
    assert plain.stdout and plain.stdout.splitlines() == said and plain.returncode == gone_back.returncode, (plain, gone_back)


def check_host(numachine, guest_program, scratch):
    """Standard input is read once, files are written once, also by a run that is gone back over again and again."""
    commands = scratch / "commands"
    results = []
    for lines in (["continue"], ["continue", "goto 20000", "continue", "continue", "goto 3000", "continue", "continue", "continue"]):
        directory = scratch / f"files{len(results)}"
        directory.mkdir()
        commands.write_text("".join(line + "\n" for line in [*lines, "continue"]))
        done = subprocess.run([numachine, "gdb", "--batch", commands, "-m", "station-4", "--allow", f"{directory}:rw", "--", guest_program,
                               directory], capture_output=True, text=True, timeout=debug.PATIENCE, check=False)
        said = [line for line in done.stdout.splitlines() if not line.startswith("cycle ")]
        results.append((said, sorted((f.name, f.read_bytes()) for f in directory.rglob("*") if f.is_file())))
    assert results[0] == results[1], results


GDB = ["break fill", "continue", "watch together.neighbour", "continue", "reverse-continue", "print together.neighbour", "reverse-step",
       "reverse-next", "delete", "break bump", "reverse-continue", "print counter", "reverse-finish", "monitor goto 5000", "continue",
       "monitor when", "delete", "continue", "continue", "continue"]
WANTED = [r"Old value = 7\s+New value = 4", r"Old value = 4\s+New value = 7", r"\$1 = 7", r"hit Breakpoint \d+, bump", r"\$2 = 59",
          r"in worker|worker \(", r"cycle 5000, as asked", r"No more reverse-execution history|Reached end of recorded history", r"received signal SIGUSR1"]


# From a breakpoint, which gdb steps over alone: back, and on; alone meanwhile; to a line.
WAYS = ["break main", "continue", "monitor until miss counter", "continue", "delete", "break factorial", "monitor goto 5000", "continue",
        "continue", "monitor goto 5001", "continue", "monitor when", "continue", "set $there = $numachine_cycle() + 20",
        "numachine goto $there", "print $numachine_cycle() == $there", "continue", "set scheduler-locking on", "monitor goto 5002", "continue",
        "set scheduler-locking off", "print n", "continue", "monitor when"]
LED = [r"asks for the line of", r"cycle 5001, as asked", r"\$1 = (1|true)", r"\$2 = [45]\s", r"cycle 5002, as asked"]


def check_ways(guest):
    said, _ = guest.gdb(*WAYS)
    for wanted in LED:
        assert re.search(wanted, said), f"{guest.name}: gdb did not say {wanted}: {said}"


def check_gdb(guest):
    said, log = guest.gdb(*GDB)
    for wanted in WANTED:
        assert re.search(wanted, said), f"{guest.name}: gdb did not say {wanted}: {said}"
    debug.answered(guest, log)


def check_again(guest):
    """A deadlock that was, opened once more, and walked back from."""
    first, again, script = guest.scratch / "first", guest.scratch / "again", guest.scratch / "commands"
    subprocess.run([guest.numachine, "stat", "-q", "-o", first, *guest.machine, "--", guest.program, "deadlock"], capture_output=True,
                   check=False, timeout=debug.PATIENCE)
    script.write_text("set pagination off\nset confirm off\ncontinue\ncontinue\nwatch both\nreverse-continue\nbacktrace 2\nquit\n")
    with script.open() as commands:
        done = subprocess.run([guest.numachine, "run", first / "config.resolved.yaml", "-q", "-o", again, "--gdb"], stdin=commands,
                              capture_output=True, text=True, check=False, timeout=debug.PATIENCE)
    for wanted in (r"the end: deadlock", r"Old value = 2\s+New value = 1", r"#1 .*crosses|#1 .*deadlock"):
        assert re.search(wanted, done.stdout + done.stderr), (wanted, done)
    assert guest.hashes(first) and guest.hashes(first) == guest.hashes(again), (guest.hashes(first), guest.hashes(again))


def check_killed(guest):
    """Whoever is killed while the run is in its past, no process stays; and no directory, once somebody has run anything."""
    tmp = guest.scratch / "tmp"
    tmp.mkdir()
    here = {**os.environ, "TMPDIR": str(tmp)}
    for whom in ("us", "gdb"):
        script = guest.scratch / "commands"
        script.write_text("break bump\ncontinue\ncontinue\nreverse-continue\nshell sleep 600\n")
        with subprocess.Popen([guest.numachine, "gdb", "--execute", f"source {script}", *guest.machine, "--", guest.program],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env=here) as process:
            def ours(session=process.pid):
                return [p for p in past.of_session(session) if past.name_of(p) in ("numachine", "numachine-test")]
            simulator.await_that("gdb at its script's end", lambda: any(past.name_of(p) == "sleep" for p in past.of_session(process.pid)), process)
            assert len(ours()) >= 3, (whom, past.of_session(process.pid))
            if whom == "us":
                process.kill()
            else:
                for p in past.of_session(process.pid):
                    if past.name_of(p) in ("gdb-multiarch", "sleep"):
                        os.kill(int(p), signal.SIGKILL)
            process.wait(timeout=debug.PATIENCE)
            simulator.await_that("the end of all processes", lambda: not ours())
            for p in past.of_session(process.pid):
                os.kill(int(p), signal.SIGKILL)
        left = [*tmp.iterdir()]
        assert bool(left) == (whom == "us"), (whom, left)
        subprocess.run([guest.numachine, "stat", "-q", *guest.machine, "--", guest.program], capture_output=True, check=False, env=here,
                       timeout=debug.PATIENCE)
        assert not [*tmp.iterdir()], (whom, left, [*tmp.iterdir()])


def walk(guest, has_gdb):
    """What takes few of the points, and a known way between them."""
    check_writers(guest)
    check_hash(guest)
    debug_end.check_walk(guest)
    check_steps(guest)
    check_steps_first(guest)
    if has_gdb:
        check_gdb(guest)
        check_ways(guest)


def main():
    numachine, points, programs = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]), sys.argv[3:]
    lot, count, walked, every = random.Random(points), 0, set(), points > FEW
    has_gdb = skip.have("gdb-multiarch", "gdb-multiarch")
    files = [os.path.abspath(p) for p in programs if pathlib.Path(p).stem == "files"]
    for program in (p for p in programs if pathlib.Path(p).stem in ("debug_guest", "debug_thumb_guest")):
        for core in debug.CORES[simulator.abi_of(program)]:
            if "--functional" in core:  # it only goes forwards
                continue
            with tempfile.TemporaryDirectory() as scratch:
                guest = debug.Guest(numachine, program, core, pathlib.Path(scratch))
                count += check_points(guest, points, lot)
                if every or tuple(core) not in walked:
                    walk(guest, has_gdb)
                walked.add(tuple(core))
    with tempfile.TemporaryDirectory() as scratch:
        check_host(numachine, files[0], pathlib.Path(scratch))
        check_input(numachine, files[0].replace("files.o32", "echo.o32"), pathlib.Path(scratch))
        check_late(debug.Guest(numachine, files[0].replace("files.o32", "barrier.o32"), [], pathlib.Path(scratch)))
        debug_end.check(numachine, files[0], pathlib.Path(scratch))
        if has_gdb:
            guest = debug.Guest(numachine, programs[0], [], pathlib.Path(scratch))
            check_again(guest)
            debug_end.check_gdb(guest)
            check_killed(guest)
    print(f"{count} points are the same, gone back to, as they were")


if __name__ == "__main__":
    main()
