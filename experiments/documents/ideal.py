#!/usr/bin/env python3
"""
"An ideal profile run ... should agree with the count of graduated instructions" (appendix on the R10000's events,
"Graduated Instructions"): profile, stat and event 17 of one run side by side, and what is between them.

    ideal.py                            the experiment ideal.yaml
    ideal.py EXPERIMENT.yaml [--set KEY=VALUE]...
    ideal.py -- PROGRAM [ARGUMENT...]   on the machine r10000

The profile counts by software: it knows how often each instruction was completed. Which of them are multiplies and
divides is read from the program here. The status is 1 if profile and counter do not agree to the last instruction.
"""
import csv
import io
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[1] / "numachine"  # in an installation there is none
NUMACHINE = os.environ.get("NUMACHINE") or (TREE if os.access(TREE, os.X_OK) and TREE.is_file() else "numachine")
LOAD = 1
MULTIPLIES = dict(zip(range(0x18, 0x20), ("mult", "multu", "div", "divu", "dmult", "dmultu", "ddiv", "ddivu")))
MORE = {0x00: "madd", 0x01: "maddu", 0x04: "msub", 0x05: "msubu"}  # of MIPS32, which no R10000 has


def words(elf):
    """The instruction at an address of an executable."""
    data = elf.read_bytes()
    wide = data[4] == 2
    at, size, count = (struct.unpack_from(">Q", data, 32)[0], *struct.unpack_from(">HH", data, 54)) if wide else (
        struct.unpack_from(">I", data, 28)[0], *struct.unpack_from(">HH", data, 42))
    pieces = []
    for i in range(count):
        head = struct.unpack_from(">IIQQQQ" if wide else ">IIIIII", data, at + i * size)
        offset, va, filed = (head[2], head[3], head[5]) if wide else (head[1], head[2], head[4])
        if head[0] == LOAD:
            pieces.append((va, offset, filed))

    def word(pc):
        for va, offset, filed in pieces:
            if va <= pc < va + filed:
                return struct.unpack_from(">I", data, offset + pc - va)[0]
        raise ValueError(f"the program has no instruction at {pc:#x}")
    return word


def twice(word):
    """The name of an instruction that counts twice, or None."""
    return {0x00: MULTIPLIES, 0x1c: MORE}.get(word >> 26, {}).get(word & 0x3f)


def profiled(run):
    """Instructions completed, and of those that count twice, by name."""
    text = subprocess.run([NUMACHINE, "profile", "--format=csv", run], capture_output=True, text=True, check=True).stdout
    word, completed, doubled = words(run / "guest.elf"), 0, {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        count = int(row["instructions"])
        completed += count
        name = twice(word(int(row["pc"], 16))) if count and row["pc"] else None
        if name:
            doubled[name] = doubled.get(name, 0) + count
    return completed, doubled


def counted(run):
    """What stat and the counters have of the whole run."""
    snapshots = json.loads((run / "stats.json").read_text())["snapshots"]
    machine = next(snapshot for snapshot in snapshots if snapshot["name"] == "whole")["stats"]["machine"]
    return machine["truth.instructions"], machine["monitor.cpu_graduated"]


def main(words_given):
    with tempfile.TemporaryDirectory() as scratch:
        run = pathlib.Path(scratch, "run")
        if words_given and words_given[0] == "--":
            command = [NUMACHINE, "stat", "-q", "--profile", "-m", "r10000", "-e", "cpu_graduated", "-o", run, *words_given]
        else:
            command = [NUMACHINE, "run", "-q", "-o", run, *(words_given or [HERE / "ideal.yaml"])]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if not (run / "profile.json").exists():
            sys.exit(done.stderr)
        (completed, doubled), (stat, event) = profiled(run), counted(run)
    print(f"{stat:>12,}  instructions, by stat\n{completed:>12,}  the profile: each instruction as often as it was completed")
    for name, count in sorted(doubled.items()):
        print(f"{count:>12,}  of these {name}, which counts twice")
    print(f"{completed + sum(doubled.values()):>12,}  the profile and these once more\n{event:>12,}  event 17, graduated instructions")
    print(f"{event - completed - sum(doubled.values()):>12,}  difference")
    return event != completed + sum(doubled.values()) or stat != completed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
