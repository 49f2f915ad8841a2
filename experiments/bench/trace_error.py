#!/usr/bin/env python3
"""
How far a replay is from a run: programs are recorded on one machine, replayed on others, and run there. Prints the
table of docs/traces.md.

    trace_error.py NUMACHINE PROGRAM...
"""
import os
import statistics
import subprocess
import sys
import tempfile

RECORDED = ["--machine", "ring-16"]
OTHERS = {
    "the same": RECORDED,
    "the same, without timer interrupts": [*RECORDED, "--set", "os.tick=0cy"],
    "slow DRAM": [*RECORDED, "--set", "memory.dram_time=30cy"],
    "processors of 300 MHz": [*RECORDED, "--set", "processor.clock=300MHz"],
    "secondary caches of 128 KB": [*RECORDED, "--set", "l2.size=128KB"],
    "pages where they are touched first": [*RECORDED, "--set", "memory.placement=first_touch"],
    "station-4": ["--machine", "station-4"],
    "numachine-64": ["--machine", "numachine-64"],
}


def elapsed(numachine, scratch, out, program, options):
    subprocess.run([numachine, "stat", "-q", "--force", "-o", out, *options, "--", program], cwd=scratch, check=True,
                   stdout=subprocess.DEVNULL)
    with open(f"{scratch}/{out}/stats.csv", encoding="utf-8") as file:
        return int(next(line.split(",")[3] for line in file if line.startswith("whole,machine,elapsed,")))


def main():
    numachine, programs = os.path.abspath(sys.argv[1]), [os.path.abspath(program) for program in sys.argv[2:]]
    errors = {name: [] for name in OTHERS}
    print("| replayed on |", " | ".join(os.path.basename(program).split(".")[0] for program in programs), "| median |")
    print("|---|" + "---|" * (len(programs) + 1))
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        for name, options in OTHERS.items():
            for program in programs:
                like = options if "timer" in name else RECORDED
                elapsed(numachine, scratch, "recorded", program, [*like, "--references"])
                run = elapsed(numachine, scratch, "run", program, options)
                again = elapsed(numachine, scratch, "again", "recorded/references.ntr", options)
                errors[name].append(100 * (again - run) / run)
            print(f"| {name} |", " | ".join(f"{error:+.1f} %" for error in errors[name]),
                  f"| {statistics.median(abs(error) for error in errors[name]):.1f} % |", flush=True)


main()
