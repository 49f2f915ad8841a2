#!/usr/bin/env python3
"""
How far a replay is from a run: programs are recorded on one machine, replayed on others, and run there. Prints the
tables of docs/traces.md.

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
    "slow DRAM": [*RECORDED, "--set", "memory.dram_time=30cy"],
    "processors of 300 MHz": [*RECORDED, "--set", "processor.clock=300MHz"],
    "secondary caches of 128 KB": [*RECORDED, "--set", "l2.size=128KB"],
    "pages where they are touched first": [*RECORDED, "--set", "memory.placement=first_touch"],
    "station-4": ["--machine", "station-4"],
    "numachine-64": ["--machine", "numachine-64"],
}


SHOWN = {"PCycles": "elapsed", "secondary misses": "truth.l2_misses"}


def measure(numachine, scratch, out, program, options):
    """{statistic: value} of the machine, of a whole run."""
    subprocess.run([numachine, "stat", "-q", "--force", "-o", out, *options, "--", program], cwd=scratch, check=True,
                   stdout=subprocess.DEVNULL)
    with open(f"{scratch}/{out}/stats.csv", encoding="utf-8") as file:
        rows = (line.split(",") for line in file if line.startswith("whole,machine,"))
        return {row[2]: float(row[3]) for row in rows if row[2] in SHOWN.values()}


def errors_of(numachine, scratch, program, name):
    """[%] of each statistic."""
    measure(numachine, scratch, "recorded", program, [*RECORDED, "--references"])
    run = measure(numachine, scratch, "run", program, OTHERS[name])
    again = measure(numachine, scratch, "again", "recorded/references.ntr", OTHERS[name])
    return {stat: 100 * (again[stat] - run[stat]) / run[stat] for stat in run}


def main():
    numachine, programs = os.path.abspath(sys.argv[1]), [os.path.abspath(program) for program in sys.argv[2:]]
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        errors = {name: [errors_of(numachine, scratch, program, name) for program in programs] for name in OTHERS}
    for title, stat in SHOWN.items():
        print(f"\n| {title}, replayed on |", " | ".join(os.path.basename(p).split(".")[0] for p in programs), "| median |")
        print("|---|" + "---|" * (len(programs) + 1))
        for name, of_all in errors.items():
            print(f"| {name} |", " | ".join(f"{error[stat]:+.1f} %" for error in of_all),
                  f"| {statistics.median(abs(error[stat]) for error in of_all):.1f} % |")


main()
