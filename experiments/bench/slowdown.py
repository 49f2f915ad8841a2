#!/usr/bin/env python3
"""
How long a program takes: a row for each program and number of processors.

    slowdown.py NUMACHINE [WORK ...]

Each program runs under qemu-user and under NUMACHINE in turns, three times; `against qemu` is the median of the
ratios of their processor times, so a busy host matters little. Host instructions are counted by callgrind, in a
fourth run. Needs mips-linux-gnu-gcc, qemu-user and valgrind.
"""
import csv
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS = 3
# name: source, arguments, machine, processors
WORKS = {
    "own data, in the caches": ("work", "1 400000 2048 30 private", "station-4", 1),
    "own data, in the second cache": ("work", "1 100000 32768 30 private", "station-4", 1),
    "sorting": ("strangers", "sort 4 2048", "station-4", 4),
    "histogram": ("strangers", "histogram 4 4096", "station-4", 4),
    "sorting, 16": ("strangers", "sort 16 2048", "ring-16", 16),
    "stencil": ("storms", "64 128 10 stencil", "numachine-64", 64),
    "Fourier transform": ("storms", "64 64 2 fft", "numachine-64", 64),
    "product of matrices": ("storms", "64 64 1 product", "numachine-64", 64),
}


def seconds_of(command):
    """Processor time of a process and its threads."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def simulated(out):
    with open(out / "stats.csv", newline="", encoding="ascii") as file:
        return next(int(row["value"]) for row in csv.DictReader(file)
                    if (row["snapshot"], row["component"], row["stat"]) == ("whole", "machine", "truth.instructions"))


def measure(numachine, scratch, name):
    source, arguments, machine, processors = WORKS[name]
    program, out = scratch / source, scratch / "out"
    subprocess.run(["mips-linux-gnu-gcc", "-O2", "-static", "-pthread", f"-I{HERE.parent}/include", HERE / f"{source}.c", "-o",
                    program, "-lm"], check=True)
    guest = [program, *arguments.split()]
    ours = [numachine, "stat", "-q", "--force", "-o", out, "-m", machine, "--", *guest]
    ratios = []
    for _ in range(ROUNDS):
        theirs = seconds_of(["qemu-mips", *guest])
        ratios.append(seconds_of(ours) / theirs)
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *ours], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=True)
    host, instructions = int(re.search(r"Collected : (\d+)", done.stderr)[1]), simulated(out)
    print(f"| {name} | {processors} | {instructions / 1e6:.1f} | {host / instructions:.0f} | {statistics.median(ratios):.0f} | "
          f"{min(ratios):.0f} to {max(ratios):.0f} |", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print("| program | processors | million instructions | host instructions for one | against qemu | least to most |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for name in sys.argv[2:] or WORKS:
            measure(sys.argv[1], pathlib.Path(scratch), name)


if __name__ == "__main__":
    main()
