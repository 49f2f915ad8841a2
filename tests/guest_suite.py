#!/usr/bin/env -S python3 -S
"""
A guest of experiments/guests: it is built, ends well, and prints what it prints under qemu-user. Built anew, taken from
a cache, or without a cache, it is the same program with the same result. (What the cache does with a program does not
depend on its instruction set: only o32 asks, and with `all` the others.)

    guest_suite.py NUMACHINE HOME NAME ABI [all]

Skipped (77) where its compiler is not installed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import simulator
import skip
import suite

THREADS = "4"  # of those whose library decides


class Built:
    """One run of a guest: what it printed, its result, its program."""

    def __init__(self, numachine, experiment, out, cache):
        command = [numachine, "run", "-q", "-o", out, experiment]
        self.done = subprocess.run(command, capture_output=True, text=True, check=False,
                                   env={**os.environ, "NUMACHINE_CACHE": str(cache)})
        self.missing = suite.missing(self.done)
        if self.missing:
            return
        assert self.done.returncode == 0, self.done.stderr
        self.program = out / "guest.elf"
        self.stdout = (out / "guest.stdout").read_bytes()
        self.end = json.loads((out / "manifest.json").read_text())["end"]

    def same(self, other, what):
        assert self.program.read_bytes() == other.program.read_bytes(), f"{what}: another program"
        assert simulator.hashes_of(self.end) == simulator.hashes_of(other.end), f"{what}: another result"
        assert self.done.stderr.replace(str(self.program.parent), "") == \
            other.done.stderr.replace(str(other.program.parent), ""), f"{what}: other words"


def experiment_of(guest, home, abi, path):
    """A short run of the guest."""
    machine = os.environ.get("TEST_MACHINE", "ring-16")
    path.write_text(json.dumps({
        "machine": machine,
        "run": {"limit": "1s"},  # of simulated time: a lock that is broken may hang
        "program": {"source": f"{home}/experiments/guests/{guest.source}", "abi": abi, "name": guest.name,
                    "cflags": ["-O2", "-Wall", "-Wl,--no-warnings", *guest.flags], "args": list(guest.arguments),
                    "env": {"OMP_NUM_THREADS": THREADS}}}))
    return path


def compare_with_qemu(guest, abi, run):
    qemu = simulator.QEMU[abi]
    if not skip.have("qemu-user", qemu[0]):
        return
    run.program.chmod(0o700)
    done = simulator.run([*qemu, "-E", f"OMP_NUM_THREADS={THREADS}", run.program, *guest.arguments])
    assert done.returncode == 0, f"qemu-user: {done}"
    assert done.stdout == run.stdout, f"qemu-user prints\n{done.stdout.decode()}not\n{run.stdout.decode()}"


def cached(numachine, experiment, here, plain):
    """What is built for a cache, and what comes from it, is what was built without one."""
    plain.same(Built(numachine, experiment, here / "first", here / "cache"), "built for the cache")
    entries = list((here / "cache/guests").iterdir())
    assert len(entries) == 1, entries
    used = entries[0].stat().st_mtime_ns
    plain.same(Built(numachine, experiment, here / "second", here / "cache"), "from the cache")
    assert entries[0].stat().st_mtime_ns > used, "the cache was not used"


def main():
    numachine, home, name, abi, *every = sys.argv[1:]
    guest = next(row for row in suite.guests(home) if row.name == name)
    with tempfile.TemporaryDirectory() as scratch:
        here = pathlib.Path(scratch)
        experiment = experiment_of(guest, os.path.abspath(home), abi, here / "guest.yaml")
        plain = Built(numachine, experiment, here / "plain", "off")
        if plain.missing:
            skip.skip(plain.done.stderr.strip())
        assert not plain.done.stderr.count("warning:"), plain.done.stderr
        assert b"WRONG" not in plain.stdout and b"FORBIDDEN" not in plain.stdout, plain.stdout
        if abi == "o32" or every:
            cached(numachine, experiment, here, plain)
        if guest.same:
            compare_with_qemu(guest, abi, plain)
    return 0


if __name__ == "__main__":
    sys.exit(main())
