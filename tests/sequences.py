#!/usr/bin/env -S python3 -S
"""
Runs random instruction sequences on the simulator and under qemu-user and compares what each leaves in
registers and memory. Of the first sequence that differs everything is shown.

    sequences.py NUMACHINE PROGRAM.ABI SEED COUNT
"""
import difflib
import os
import sys

import simulator

BLOCK = 5000  # sequences per run
ALONE = ["--set", "os.tick=0"]  # a tick between LL and SC breaks the link, as it may, but not qemu's


def show(numachine, program, seed, number):
    """One sequence in full: the code, and how the states after it differ."""
    args = [str(seed), str(number), "1", "verbose"]
    ends = [simulator.reference(program, args), simulator.simulated(numachine, program, args, options=ALONE)]
    texts = [end.stdout.decode(errors="replace").splitlines() for end in ends]
    print(*(line for line in texts[0] if ".word" in line), sep="\n")
    print(*difflib.unified_diff(*texts, "qemu", "numachine", lineterm="", n=0), sep="\n")
    print(ends[1].how, ends[1].stderr)


def block(numachine, program, seed, first, count):
    """True if `count` sequences from `first` on agree."""
    args = [str(seed), str(first), str(count)]
    expected = simulator.reference(program, args).stdout.splitlines()
    got = simulator.simulated(numachine, program, args, options=ALONE).stdout.splitlines()
    assert len(expected) == count, "qemu-user did not finish"
    differing = [i for i in range(count) if i >= len(got) or got[i] != expected[i]]
    if not differing:
        return True
    print(f"{len(differing)} of {count} sequences differ; number {first + differing[0]}, seed {seed}:")
    show(numachine, program, seed, first + differing[0])
    return False


def main():
    numachine, program = map(os.path.abspath, sys.argv[1:3])
    seed, count = map(int, sys.argv[3:])
    for first in range(0, count, BLOCK):
        if not block(numachine, program, seed, first, min(BLOCK, count - first)):
            return 1
    print(f"{count} sequences agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
