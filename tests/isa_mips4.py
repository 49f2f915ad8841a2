#!/usr/bin/env -S python3 -S
"""
A program that is compiled with -march=mips4: it runs with processor.isa=mips4 as on any processor that
has more, and ends at its first instruction of MIPS IV on one that has only MIPS III, with a line that says where.
One with an instruction of MIPS32 ends there when the set is MIPS IV.

    isa_mips4.py NUMACHINE COMPILER SOURCE QEMU...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import simulator
import skip

FLAGS = ["-march=mips4", "-O2", "-static", "-nostdlib", "-ffreestanding", "-fno-pic", "-mno-abicalls",
         "-fno-stack-protector"]
ILLEGAL = 4


def built(compiler, source, guest, *more):
    subprocess.run([compiler, *FLAGS, *more, source, "-o", guest], check=True)
    return guest


def run(numachine, guest, isa):
    """Status, output, and the lines that say how it ended."""
    done = simulator.bounded([numachine, "stat", "--set", f"processor.isa={isa}", "--", guest],
                             capture_output=True, text=True, seconds=100)
    return done.returncode, done.stdout, done.stderr


def cycles(said):
    return re.search(r"whole: .*, ([\d,]+) PCycles", said)[1]


def killed(what, end, where):
    status, _, said = end
    line = re.search(r"killed by SIGILL at pc .*", said)
    if status != 128 + ILLEGAL or not line or not re.search(where + r".*: reserved instruction", line[0]):
        sys.exit(f"{what}: status {status}: {said}")


def main():
    numachine, compiler, source, *qemu = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="numachine-mips4-") as name:
        scratch = pathlib.Path(name)
        guest = built(compiler, source, scratch / "guest")
        later = built(compiler, source, scratch / "later", "-DLATER")
        own, most = (run(numachine, guest, isa) for isa in ("mips4", "mips64r2"))
        if own[0] or own[:2] != most[:2] or cycles(own[2]) != cycles(most[2]) or own[1].count("\n") != 9:
            sys.exit(f"mips4 {own}, mips64r2 {most}")
        if skip.have("qemu-user", qemu[0]):
            reference = subprocess.run([*qemu, guest], capture_output=True, text=True, check=True).stdout
            if reference != own[1]:
                sys.exit(f"here {own[1]}, {qemu[0]} {reference}")
        killed("mips3", run(numachine, guest, "mips3"), r"\(\w+")
        killed("later", run(numachine, later, "mips4"), r"\(later")
        if run(numachine, later, "mips64r2")[0]:
            sys.exit("an instruction of MIPS32 does not run with mips64r2")


main()
