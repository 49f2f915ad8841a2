#!/usr/bin/env -S python3 -S
"""
Runs the litmus guest on the simulator: no outcome that sequential consistency forbids (the guest
finds out itself which these are), and enough different ones that the tests test something.

    litmus.py NUMACHINE GUEST ITERATIONS [MACHINE-OPTION...]
"""
import os
import re
import sys

import simulator

LEAST = 2  # different outcomes of every test


def complaints_about(end):
    if end.how != "exited 0":
        yield f"{end.how}\n{end.stderr}"
    for line in end.stdout.decode().splitlines():
        outcomes = re.findall(r"\[[^]]*\](?: FORBIDDEN)? \d+", line)
        if "FORBIDDEN" in line:
            yield line
        elif len(outcomes) < LEAST:
            yield f"not much happened: {line}"


def main():
    numachine, guest = map(os.path.abspath, sys.argv[1:3])
    iterations, options = sys.argv[3], sys.argv[4:]
    end = simulator.simulated(numachine, guest, [iterations, "1"], options=options)
    print(end.stdout.decode(), end="")
    complaints = list(complaints_about(end))
    print(*complaints, sep="\n", end="")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
