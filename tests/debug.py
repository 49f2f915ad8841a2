#!/usr/bin/env -S python3 -S
"""
numachine gdb: where a program stops under it, what it shows there, and that nothing simulated changes. By commands of our
own (--batch), and by gdb-multiarch, if it is there.

    debug.py NUMACHINE GUEST...
"""
import errno
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

import past
import simulator
import skip

R10000 = ["--set", "processor.core=r10000", "--set", "l2.split=false"]
CORES = {"o32": ([], R10000, ["--functional"]), "n64": ([], R10000), "armel": (simulator.MACHINES["armel"],)}
COUNTED = "720 4 3 1"
PATIENCE = 600  # seconds; of ask, those of a processor


def ask(*command, status=0, stdin=""):
    done = simulator.bounded([str(c) for c in command], PATIENCE, capture_output=True, text=True, input=stdin)
    assert done.returncode == status, f"{command}: status {done.returncode}: {done.stdout} {done.stderr}"
    return done.stdout


class Guest:
    def __init__(self, numachine, program, core, scratch):
        self.numachine, self.program, self.core, self.scratch = numachine, program, core, scratch
        self.thumb = "thumb" in pathlib.Path(program).name
        self.name = f"{pathlib.Path(program).name} {' '.join(core)}"
        self.machine = ["-m", "station-4", *core]

    def batch(self, *commands, words=(), status=3, options=()):
        return ask(self.numachine, "gdb", "--batch", "-", *self.machine, *options, "--", self.program, *words,
                   status=status, stdin="".join(c + "\n" for c in commands)).splitlines()

    def hashes(self, directory):
        text = (directory / "manifest.json").read_text()
        return re.findall(r"\"(?:result|totals|stdout)_hash\": \"[^\"]*\"", text)

    def gdb(self, *commands, words=(), options=(), how="source"):
        """What gdb says, its packets' log, and its own status."""
        script, log = self.scratch / "commands", self.scratch / "packets"
        script.write_text("".join(c + "\n" for c in ("set pagination off", "set confirm off", *commands)))
        said = subprocess.run([self.numachine, "gdb", "--packets", log, "--execute", f"{how} {script}", "--execute", "kill",
                               "--execute", "quit", *self.machine, *options, "--", self.program, *words],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)
        assert said.returncode == 0, f"{self.name}: {said}"
        return said.stdout + said.stderr, log.read_text(errors="replace")


def at(lines):
    """(cycle, thread, pc) of each stop at an instruction."""
    found = [re.fullmatch(r"cycle (\d+), thread (\d+),? (?:is at|at) pc 0x([0-9a-f]+).*", line) for line in lines]
    return [(int(m[1]), int(m[2]), int(m[3], 16)) for m in found if m]


def check_hash(guest):
    """Neither breakpoints nor watched bytes nor steps change what comes of a run."""
    plain, debugged = guest.scratch / "plain", guest.scratch / "debugged"
    ask(guest.numachine, "stat", "-q", "-o", plain, *guest.machine, "--", guest.program, status=3)
    guest.batch("break factorial", "break bump", "watch counter", "continue", "step", "step", "registers", "continue", "who",
                *["continue"] * 9, "step", "line counter", "until invalidate counter", "continue", "counters", "pipeline",
                "delete", "until miss counter", "continue", "continue", options=["-o", debugged])
    assert guest.hashes(plain) and guest.hashes(plain) == guest.hashes(debugged), f"{guest.name}: other results under the debugger"


def check_stops(guest):
    """Each entry of a function is a stop, each write of a word another, and the steps between lead from one to the next."""
    lines = guest.batch("break factorial", *["continue"] * 6, "delete", "continue", "continue")
    calls = at(lines)
    assert len(calls) == 6 and len({pc for _, _, pc in calls}) == 1 and calls == sorted(calls), (guest.name, lines)
    assert COUNTED in lines, (guest.name, lines)

    # All threads' stores to the counter, 60 of them, one of each call, and those that lost an update.
    lines = guest.batch("watch counter 4", *["continue"] * 61, "delete", "continue")
    stores = at(lines)
    assert len(stores) == 60 and stores == sorted(stores), (guest.name, len(stores), lines[-5:])
    assert {thread for _, thread, _ in stores} == {1001, 1002, 1003}, (guest.name, stores)
    lines = guest.batch("break bump", *["continue"] * 61, "delete", "continue")
    assert len(at(lines)) == 60, (guest.name, lines)

    # From one call to the next, instruction by instruction.
    steps, words = 40, ["print $pc"]
    lines = guest.batch("break factorial", "continue", "delete", *["step", *words] * steps, "continue", "continue")
    walked = [int(line.split()[1], 16) for line in lines if line.startswith("pc ")]
    assert len(walked) == steps and calls[1][2] in walked, (guest.name, calls, [hex(pc) for pc in walked])
    assert all(a != b for a, b in zip(walked, walked[1:])), (guest.name, [hex(pc) for pc in walked])
    return walked


def check_watch(guest):
    """A watched word has its old value at the stop, and its new one behind a step."""
    lines = guest.batch("watch counter 4", "continue", "print counter 4", "step", "print counter 4", "delete", "continue",
                        "continue")
    values = [int(line.split()[1], 16) for line in lines if line.startswith("0x")]
    assert values == [0, 1], (guest.name, lines)
    lines = guest.batch("watch together+16 4", "continue", "print together+16 4", "step", "print together+16 4", "delete",
                        "continue", "continue")
    values = [int(line.split()[1], 16) for line in lines if line.startswith("0x")]
    assert values == [7, 4], (guest.name, lines)

    # Of the instruction at which one stands for a breakpoint, or behind a step, the write is still to come.
    stops = at(guest.batch("watch counter 4", "continue", "delete", "continue", "continue"))
    store, before = stops[0][2], guest.batch("break bump", "continue", "delete", *["step", "print $pc"] * 40, "continue", "continue")
    lines = guest.batch(f"break {store}", "continue", "watch counter 4", "continue", "delete", "continue", "continue")
    assert [pc for _, _, pc in at(lines)] == [store, store] and any("is about to write" in line for line in lines), (guest.name, lines)
    steps = [int(line.split()[1], 16) for line in before if line.startswith("pc ")].index(store) + 1
    lines = guest.batch("break bump", "continue", "delete", *["step"] * steps, "watch counter 4", "continue", "print counter 4", "delete",
                        "continue", "continue")
    assert any("is about to write" in line for line in lines) and "0x00000000" in lines_of(lines, "0x")[0], (guest.name, lines)


RANGES = {"counter": 4, "counter+1": 2, "heard": 4, "together": 1, "together+4": 3, "together+8": 4, "together+12": 8, "both": 1, "main": 4096}


def check_ranges(guest):
    """Ranges of any length, more than hardware has: all stores of the threads to a counter, those behind an array, a handler's."""
    lines = guest.batch(*(f"watch {va} {size}" for va, size in RANGES.items()), *["continue"] * 67, "delete", "continue")
    assert len(at(lines)) == 60 + 5 + 1, (guest.name, len(at(lines)), lines[-5:])


def lines_of(lines, beginning):
    return [line for line in lines if line.startswith(beginning)]


# What else a register is called.
CALLED = {"o32": {"r31": ("ra", "31"), "r4": ("a0",), "r8": ("t0",), "r12": ("t4",), "r30": ("fp", "s8"), "f2": ("f2",)},
          "n64": {"r31": ("ra", "31"), "r8": ("a4", "8"), "r12": ("t0",), "r29": ("sp",)}, "armel": {"sp": ("sp",), "lr": ("lr",)}}
NOT_CALLED = {"o32": ("a4", "32", "ra1"), "n64": ("t4",), "armel": ("ra", "14")}


def check_registers(guest):
    abi = simulator.abi_of(guest.program)
    asked = [(name, other) for name, others in CALLED[abi].items() for other in others]
    lines = guest.batch("break factorial", "continue", "delete", *(f"print ${other}" for _, other in asked), "continue", "continue")
    assert [line.split()[0] for line in lines if re.match(r"\S+ +0x[0-9a-f]+$", line)] == [name for name, _ in asked], (guest.name, lines)
    for name in NOT_CALLED[abi]:
        lines = guest.batch(f"print ${name}", "continue")
        assert any("no such register; `registers`" in line for line in lines), (guest.name, name, lines)


def check_line(guest):
    if "--functional" in guest.core:
        return
    lines = guest.batch("until miss counter", "continue", "line counter", "pipeline 0", "continue", "continue")
    assert any(re.search(r"card \d+ asks for the line of", line) for line in lines), (guest.name, lines)
    assert any("asks for it with" in line for line in lines), (guest.name, lines)
    assert guest.core != R10000 or any("in the active list" in line for line in lines), (guest.name, lines)


def check_ends(guest):
    """A deadlock and a death are stops, where one can look."""
    lines = guest.batch("continue", "continue", "who", "registers", words=["deadlock"])
    assert any("deadlock" in line for line in lines), (guest.name, lines)
    assert any("lock first" in line or "the lock" in line for line in lines), (guest.name, lines)
    lines = guest.batch("continue", "continue", "print $pc", "continue", words=["death"], status=128 + 11)
    assert any("signal 11" in line for line in lines) and any("the end: killed by SIGSEGV" in line for line in lines), \
        (guest.name, lines)


GDB = ["break factorial if n == 5", "break factorial if n == 4", "continue", "print n", "continue", "print n", "delete",
       "break factorial if n == 3", "continue", "print n", "finish", "watch counter", "continue", "continue", "info threads",
       "delete", "break fill", "continue", "watch together.neighbour", "continue", "backtrace 2", "delete", "catch syscall write",
       "handle SIGUSR1 nostop noprint pass", "continue", "delete", "continue", "continue"]
WANTED = [r"\$1 = 5", r"\$2 = 4", r"\$3 = 3", r"Value returned is \$4 = 6", r"Old value = 0\s+New value = 1", r"Old value = 1\s+New value = 2",
          r"Thread 1001 .*card \d+: runs at pc", r"Old value = 7\s+New value = 4", r"#0 .*fill", r"call to syscall write",
          r"exited with code 03"]


def check_gdb(guest):
    said, log = guest.gdb(*GDB)
    for wanted in WANTED:
        assert re.search(wanted, said), f"{guest.name}: gdb did not say {wanted}: {said}"
    answered(guest, log)
    check_commands(guest)
    said, _ = guest.gdb("handle SIGUSR1 nostop noprint pass", "continue", "info threads", "continue", words=["deadlock"])
    assert "deadlock: every thread waits" in said and "for the lock" in said, f"{guest.name}: {said}"


def check_accesses(guest):
    """gdb meets every read and write of a word by every thread, though it steps over each of them alone."""
    said, _ = guest.gdb("set $met = 0", "handle SIGUSR1 nostop noprint pass", "awatch counter", "commands", "silent",
                        "set $met = $met + 1", "continue", "end", "continue", 'printf "met %d\\n", $met')
    assert "met 120" in said, f"{guest.name}: {said}"
    said, _ = guest.gdb("break bump if $numachine_cycle() > 0", "continue", "print $numachine_cycle() > 1000", "delete",
                        "numachine until miss &counter", "print $numachine_line(&counter)", "numachine who", "set $there = $numachine_cycle() + 1000",
                        "numachine goto $there", "print $numachine_cycle() == $there", "monitor help", options=["--limit", "100ms"])
    for wanted in (r"\$1 = (1|true)", r"asks for the line of", r"directory at home", r"thread 1000", r"\$3 = (1|true)", "the same, why"):
        assert re.search(wanted, said), f"{guest.name}: gdb did not say {wanted}: {said}"


# What the commands of numachine-gdb.py say where it stands in main: of typedefs, too. What is no number is refused in a sentence.
COMMANDS = {"line cells": r"line of 0x{cells}:", "line named": r"line of 0x{named}:", "line &cells[1]": r"line of 0x{cells+4}:", "line cells + 1": r"line of 0x{cells+4}:",
            "line main": r"line of 0x{main}:", "line $sp": "line of 0x", "line half": "neither an address nor a whole number: 0", "line together": "neither an address",
            "line nowhere": r'No symbol "nowhere"', "until": r"numachine until miss\|", "until miss": r"numachine until miss\|", "until miss half": "neither an address",
            "goto": "numachine goto CYCLE, which", "goto 1.9": "numachine goto CYCLE, which", "goto half": "numachine goto CYCLE, which", "cycle 1": "one word too many: '0x1'"}


def check_commands(guest):
    symbols = {line.split()[2]: int(line.split()[0], 16) & ~1 for line in ask("nm", guest.program).splitlines() if len(line.split()) == 3}
    script = "".join(f"try:\n  print({at}, gdb.execute({'numachine ' + command!r}, to_string=True))\nexcept gdb.error as wrong:\n  print({at}, wrong)\n"
                     for at, command in enumerate(COMMANDS))
    said, _ = guest.gdb("break factorial", "continue", "up", "python", script + "end", "print $numachine_line(cells)")
    for at, wanted in enumerate(COMMANDS.values()):
        wanted = re.sub(r"{(\w+)(\+\d+)?}", lambda m: f"{symbols[m[1]] + int(m[2] or 0):x}", wanted)
        assert re.search(f"^{at} {wanted}", said, re.M), f"{guest.name}: {at} is not {wanted}: {said}"
    assert re.search(r"\$1 = .line of", said) and "Exception" not in said, f"{guest.name}: {said}"


def answered(guest, log):
    """Every packet has its answer, or is refused by an empty one: lines alternate."""
    waits = None
    for line in log.splitlines():
        if line.startswith("> "):
            assert waits is None or waits.startswith(("> vCont", "> k")), f"{guest.name}: no answer to {waits}"
            waits = line
        elif line.startswith("< ") and not re.match(r"< O[0-9a-f]+$", line) or line == "< OK":
            waits = None


def connect(path, process):
    def connected():
        peer = socket.socket(socket.AF_UNIX)
        try:
            peer.connect(str(path))
            return peer
        except OSError:
            peer.close()
            return None
    return simulator.await_that("a socket that listens", connected, process)


def packet(text):
    return b"$" + text + b"#%02x" % (sum(text) % 256)


def check_peers(guest):
    """Who talks nonsense, or goes, changes nothing: the run goes on to its end. Nobody else gets in."""
    path = guest.scratch / "socket"
    for say in (b"", b"$g#67", b"\xff$$$#", packet(b"Z0,400000,4") + packet(b"vCont;c"), b"$" + b"x" * 300000):
        with subprocess.Popen([guest.numachine, "gdb", "--socket", path, *guest.machine, "--", guest.program],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            peer = connect(path, process)
            other = socket.socket(socket.AF_UNIX)
            try:
                peer.sendall(say)
                assert other.connect_ex(str(path)) != 0 or other.recv(1) == b"", "two debuggers"
            except OSError:
                pass
            other.close()
            peer.close()
            out, err = process.communicate(timeout=PATIENCE)
            assert process.returncode == 3 and COUNTED in out, (say[:20], process.returncode, out, err)
            assert not path.exists()


def check_nobody(guest):
    """Who waits for a debugger can be asked to look, and to stop."""
    with subprocess.Popen([guest.numachine, "gdb", "--port", str(20000 + os.getpid() % 10000), *guest.machine, "--", guest.program],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "waits for a debugger" in process.stderr.readline()
        process.send_signal(signal.SIGUSR1)
        time.sleep(0.5)
        assert process.poll() is None, "it has not gone on waiting"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130 and "no debugger had come" in err, (process.returncode, err)


def check_second(guest):
    """The second who comes is refused at once, in one line of his debugger's, and the first goes on as he was."""
    port = 20000 + os.getpid() % 10000  # none that the host gives to who connects: one could meet himself
    with subprocess.Popen([guest.numachine, "gdb", "--port", str(port), *guest.machine, "--", guest.program],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "waits for a debugger" in process.stderr.readline()
        first = socket.create_connection(("localhost", port))
        first.settimeout(PATIENCE)
        for text, answer in (b"?", b"$T"), (b"qC", b"$QC"), (b"vCont;C1e", b"$E.only the signal"), (b"C1e", b"$E.only the signal"):
            say = packet(text)
            first.sendall(say)
            said = b""
            while b"#" not in said:
                piece = first.recv(4096)
                assert piece, (say, said)
                said += piece
            assert said.lstrip(b"+").startswith(answer), (say, said)
            with socket.socket() as second:
                assert second.connect_ex(("localhost", port)) == errno.ECONNREFUSED, "two debuggers"
        if skip.have("gdb-multiarch", "gdb-multiarch"):
            said = subprocess.run(["gdb-multiarch", "-q", "-nx", "-batch", "-ex", "set tcp auto-retry off", "-ex", f"target remote localhost:{port}"], capture_output=True,
                                  text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)
            refused = said.stderr.count("\n") == 1 and "Connection refused" in said.stderr
        else:
            refused = True
        first.sendall(packet(b"D"))
        out, err = process.communicate(timeout=PATIENCE)
        first.close()
        assert process.returncode == 3 and COUNTED in out and refused, (process.returncode, out, err, said)


def check_streams(guest):
    """On standard streams, as `target remote | ...` has it, the program's output is not in the way."""
    said = packet(b"?") + b"+" + packet(b"D") + b"+"
    done = subprocess.run([guest.numachine, "gdb", "--stdio", *guest.machine, "--", guest.program], input=said,
                          capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 3 and b"T05thread:3e8" in done.stdout and COUNTED.encode() in done.stderr, done


def check_interrupt(guest):
    """gdb is killed, and the run goes on."""
    path = guest.scratch / "killed"
    with subprocess.Popen([guest.numachine, "gdb", "--socket", path, *guest.machine, "--", guest.program],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        simulator.await_that("a socket", path.exists, process)
        with subprocess.Popen(["gdb-multiarch", "-q", "-nx", "-ex", f"target remote {path}", "-ex", "shell sleep 100", guest.program],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) as gdb:
            simulator.await_that("gdb at its script's end", lambda: any(past.name_of(p) == "sleep" for p in past.of_session(gdb.pid)), process, gdb)
            os.killpg(gdb.pid, signal.SIGKILL)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 3 and COUNTED in out, (process.returncode, out, err)


def check_terminated(guest):
    """Who is asked to end while it stands takes its gdb along."""
    with subprocess.Popen([guest.numachine, "gdb", *guest.machine, "--", guest.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, start_new_session=True) as process:
        while "in __start" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE) == 130, process.returncode
        assert "interrupted by SIGTERM" in process.stdout.read()  # to its end: gdb has gone


def main():
    numachine, programs = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    walks, count = {}, 0
    has_gdb = skip.have("gdb-multiarch", "gdb-multiarch")
    for program in programs:
        for core in CORES[simulator.abi_of(program)]:
            with tempfile.TemporaryDirectory() as scratch:
                guest = Guest(numachine, program, core, pathlib.Path(scratch))
                check_hash(guest)
                walks.setdefault(program, []).append(check_stops(guest))
                check_watch(guest)
                check_ranges(guest)
                check_registers(guest)
                check_line(guest)
                if not core or "armel" in program:
                    check_ends(guest)
                if has_gdb:
                    check_gdb(guest)
                if has_gdb and core in ([], R10000):
                    check_accesses(guest)
                count += 1
        # All cores of an instruction set walk the same way.
        assert all(walk == walks[program][0] for walk in walks[program]), (program, walks[program])
    with tempfile.TemporaryDirectory() as scratch:
        guest = Guest(numachine, programs[0], [], pathlib.Path(scratch))
        check_peers(guest)
        check_nobody(guest)
        check_second(guest)
        check_streams(guest)
        if has_gdb:
            check_interrupt(guest)
            check_terminated(guest)
    print(f"{count} kinds of runs stop where they must, and come to the same as without a debugger")


if __name__ == "__main__":
    main()
