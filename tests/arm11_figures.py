#!/usr/bin/env -S python3 -S
"""
What experiments/arm11-board.c prints is what docs/arm11.md ("Boards") says of it.

    arm11_figures.py NUMACHINE HOME COMPILER
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import figures

NUMACHINE, HOME, COMPILER = sys.argv[1:]
FLAGS = ["-O2", "-static", "-march=armv6", "-marm", "-DMOST=300"]
# A line's beginning: its numbers, and how far off they may be. Loops in C are those of the document's compiler.
LINES = {
    "5 NOPs, pass 1": ([32, 8, 0], 0),
    "5 NOPs, pass 2": ([32, 8, 0], 0),
    "a load of the primary cache": ([4.33], 0.2),
    "of the secondary cache": ([10.97], 1),
    "of memory": ([86.68], 4),
}


def main():
    with tempfile.TemporaryDirectory() as directory:
        program = pathlib.Path(directory, "board")
        subprocess.run([COMPILER, *FLAGS, f"{HOME}/experiments/arm11-board.c", "-o", program], check=True)
        printed = subprocess.run([NUMACHINE, "stat", "-q", "-m", "arm1176-l220", "--", program], capture_output=True, text=True,
                                 check=True).stdout
    found = dict(line.split(":", 1) for line in printed.splitlines())
    golden = json.loads(pathlib.Path(HOME, "experiments/golden.json").read_text(encoding="utf-8"))
    ours = figures.comparable(golden["arm11-note"]["compiler"], figures.compiler(COMPILER))
    for name, (wanted, off) in LINES.items():
        if off and not ours:
            continue
        numbers = [float(number) for number in re.findall(r"[0-9.]+", found[name])]
        assert len(numbers) == len(wanted) and all(abs(n - w) <= off for n, w in zip(numbers, wanted)), (name, numbers, wanted)


main()
