#!/usr/bin/env -S python3 -S
"""
Compares a guest program on the simulator with qemu-user: the same bytes on standard output and the
same end. Then checks that neither the place, the host's environment, what new memory holds, what is
counted and how often, nor the checking mode changes the simulation's result or any total, that this mode finds nothing, and that
functional mode gives the same.

    guests.py NUMACHINE PROGRAM.ABI

Where qemu-user is not what Linux is, guests/NAME.expect, or NAME.ABI.expect, holds the output (and the exit status
is 0).
"""
import os
import pathlib
import shutil
import sys
import tempfile

import simulator

HERE = pathlib.Path(__file__).resolve().parent

# Arguments of the runs of a guest, where not one run without any. {dir} is an empty directory.
ARGUMENTS = {
    "echo": [[], ["one", "", "two words", "*?"]],
    "execonly": [["{dir}"]],
    "filecalls": [["{dir}"]],
    "filerest": [["{dir}"]],
    "files": [["{dir}"]],
    "mappings": [["{dir}"]],
    # Its data in another place of a line: on the hostile machine a quarter of it shut a home's answers out (EVERY_PLACE).
    "sum": [[], ["x" * 32]],
    "team": [["1"], ["7"]],
    "threads": [["1"], ["3"], ["64"]],
}
# Of these a binary interface has one row on a machine, except on the hostile one; machines.py has all in the long suite.
TURNS = ["sum"]
# Arguments on every machine of machines.py.
EVERY_PLACE = {**ARGUMENTS, "sum": [["x" * n] if n else [] for n in (0, 16, 32, 48)]}
STDIN = {"echo": b"first line\nsecond\nunfinished"}

# Runs of processors end where the monitoring unit looks, and must be the same wherever they end.
OTHER_EVENTS = ["-e", "time", "--set", "monitor.interval=997cy"]
LARGER_ENVIRONMENT = {"PADDING": "x" * 3000, "MALLOC_PERTURB_": "165"}  # what malloc returns is filled, too


class Guest:
    def __init__(self, numachine, program, arguments, machine=()):
        """machine: options of every simulated run."""
        self.numachine, self.program, self.machine = numachine, program, list(machine)
        self.name = pathlib.Path(program).stem
        self.arguments = arguments
        self.stdin = STDIN.get(self.name, b"")
        # The same path in every run: it is on the guest's stack.
        self.scratch = tempfile.TemporaryDirectory(prefix="guest-")
        self.dir = pathlib.Path(self.scratch.name, "directory")

    def run(self, how, **keywords):
        """One run, with an empty directory of its own if it wants one."""
        args = [a.format(dir=self.dir) for a in self.arguments]
        self.dir.mkdir()
        try:
            return how(program=self.program, args=args, stdin=self.stdin, **keywords)
        finally:
            shutil.rmtree(self.dir)

    def expected(self):
        for name in (pathlib.Path(self.program).name, self.name):
            expect = HERE / "guests" / f"{name}.expect"
            if expect.exists():
                return simulator.End(expect.read_bytes(), "exited 0")
        return self.run(simulator.reference)

    def simulate(self, options=(), **keywords):
        allowed = ["--allow", self.dir] if "{dir}" in self.arguments else []
        return self.run(simulator.simulated, numachine=self.numachine,
                        options=[*self.machine, *allowed, *options], **keywords)


def first_difference(expected, got):
    """The first line that differs, for people."""
    pairs = zip(expected.split(b"\n") + [b"(end)"], got.split(b"\n") + [b"(end)"])
    for number, (left, right) in enumerate(pairs, 1):
        if left != right:
            return f"line {number}\n  expected {left!r}\n  got      {right!r}"
    return "the lengths"


def compare(what, expected, got):
    complaints = []
    if got.how != expected.how:
        complaints.append(f"{what}: {got.how}, expected {expected.how}\n{got.stderr}")
    if got.stdout != expected.stdout:
        complaints.append(f"{what}: output differs in "
                          f"{first_difference(expected.stdout, got.stdout)}")
    return complaints


def check(guest):
    """What is wrong, a text for each. A run without results is one of them: others follow it."""
    try:
        return differences(guest)
    except AssertionError as no_results:
        return [str(no_results)]


def differences(guest):
    expected = guest.expected()
    first = guest.simulate()
    complaints = compare("simulated", expected, first)
    if complaints:
        return complaints
    again = guest.simulate(options=[*OTHER_EVENTS, "--set", "run.check=true"], cwd="/",
                           env={**os.environ, **LARGER_ENVIRONMENT})
    complaints += compare("checked, elsewhere", expected, again)
    if again.hashes != first.hashes:
        complaints.append("the result depends on the checking mode, directory, environment, memory's old content or events "
                          f"counted: {first.hashes} {again.hashes}")
    functional = guest.simulate(options=["--functional"])
    return complaints + compare("functional mode", expected, functional)


def rows_of(program):
    """Arguments of this program's runs."""
    rows = ARGUMENTS.get(program.stem, [[]])
    if program.stem not in TURNS or os.environ.get("TEST_MACHINE") == "hostile":
        return rows
    return rows[list(simulator.QEMU).index(program.suffix[1:]) % len(rows):][:1]


def main():
    numachine, program = map(os.path.abspath, sys.argv[1:])
    failed = False
    for arguments in rows_of(pathlib.Path(program)):
        for complaint in check(Guest(numachine, program, arguments)):
            print(f"{pathlib.Path(program).name} {arguments}: {complaint}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
