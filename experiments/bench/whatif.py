#!/usr/bin/env python3
"""
How far off 'numachine whatif' is: predictions are held against cycle-level runs of the other machine.

    whatif.py NUMACHINE                     print the table
    whatif.py --write ERRORS NUMACHINE      and write report/flow_errors.def, which the command prints from
    whatif.py --check ERRORS NUMACHINE      fail if such a file has another median or worst error
    --runs DIR    keep the runs there, and use those that are there
    --quick       a few small pairs: what the quick suite has time for

A pair is a machine that a program was run on, and another one. Both are simulated cycle by cycle; from the first run
alone the second one's time is predicted. The error is of the time of the region 'work', which begins when all threads
are ready: predicted / simulated - 1.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WORK = HERE / "work.c"

# class of program: the arguments after the number of threads
PROGRAMS = {
    "private": ["2000", "2048", "30", "private"],
    "stream": ["2000", "65536", "30", "stream"],
    "sharing": ["200", "262144", "30", "shared"],
    "far": ["200", "16777216", "10", "shared"],
    "exchange": ["8192", "262144", "0", "exchange"],
    "locks": ["200", "64", "0", "locks"],
}
BIG = {"private": ["500", "2048", "30", "private"], "far": ["60", "16777216", "10", "shared"],
       "exchange": ["2048", "2097152", "0", "exchange"]}

# name: machine and settings
MACHINES = {
    "16": ("ring-16", []),
    "48": ("numachine-48", []),
    "64": ("numachine-64", []),
    "128": ("numachine-128", []),
    "1024": ("numachine-1024", []),
    "ring clock x1.5": ("numachine-64", ["rings.clock=75MHz"]),
    "ring clock /2": ("numachine-64", ["rings.clock=25MHz"]),
    "slots of 16 bytes": ("numachine-64", ["rings.width=16B"]),
    "slots of 4 bytes": ("numachine-64", ["rings.width=4B"]),
    "bus of 16 bytes": ("numachine-64", ["bus.width=16B"]),
    "bus clock /2": ("numachine-64", ["bus.clock=25MHz"]),
    "memory slower": ("numachine-64", ["memory.dram_time=24cy", "memory.bank_recovery=12cy"]),
    "memory of 1 bank": ("numachine-64", ["memory.banks=1"]),
    "cpu clock x2": ("numachine-64", ["processor.clock=300MHz"]),
    "one ring": ("numachine-64", ["rings.stations=16", "rings.locals=1"]),
    "three levels": ("numachine-64", ["rings.stations=4", "rings.locals=2", "rings.groups=2"]),
    "1024, ring clock x1.5": ("numachine-1024", ["rings.clock=75MHz"]),
    "1024 on two levels": ("numachine-1024", ["rings.stations=16", "rings.locals=16", "rings.groups=1"]),
}
# threads, from, to, programs
ALL, LARGE = tuple(PROGRAMS), tuple(BIG)
PAIRS = [(64, "64", name, ALL) for name, (base, sets) in MACHINES.items() if base == "numachine-64" and sets] + [
    (64, "ring clock /2", "64", ALL),
    (64, "memory slower", "64", ALL),
    (16, "16", "64", ALL),
    (48, "48", "64", ALL),
    (64, "64", "128", ALL),
    (64, "128", "64", ALL),
    (64, "64", "1024", ("sharing", "exchange")),
    (1024, "1024", "1024, ring clock x1.5", LARGE),
    (1024, "1024", "1024 on two levels", LARGE),
]
QUICK = [(16, "16", "64", ("sharing", "exchange")), (64, "64", "ring clock /2", ("sharing",))]


class Runs:
    """Cycle-level runs, each made once."""

    def __init__(self, numachine, directory):
        self.numachine, self.directory = numachine, pathlib.Path(directory)

    def get(self, threads, machine, program):
        name = f"{threads}-{machine}-{program}".replace(" ", "_").replace("/", "by").replace(",", "")
        path = self.directory / name
        if not (path / "manifest.json").exists():
            base, sets = MACHINES[machine]
            args = (BIG if threads > 128 else PROGRAMS)[program]
            experiment = self.directory / (name + ".yaml")
            words = ", ".join(f'"{word}"' for word in [str(threads), *args])
            experiment.write_text(f"machine: {base}\nprogram:\n  source: {WORK}\n  abi: o32\n  args: [{words}]\n",
                                  encoding="ascii")
            subprocess.run([self.numachine, "run", experiment, "-o", path, *(f"--set={item}" for item in sets)],
                           check=True, capture_output=True)
        return path


def elapsed(path):
    """[s] of the region 'work'."""
    stats = json.loads((path / "stats.json").read_text(encoding="utf-8"))
    work = next(region for region in stats["snapshots"] if region["name"] == "work")
    return work["elapsed_ticks"] / stats["ticks_per_second"]


def predicted(numachine, path, machine):
    """What the command says of the other machine."""
    base, sets = MACHINES[machine]
    done = subprocess.run([numachine, "whatif", path, "--machine", base, "--region=work", "--json",
                           *(f"--set={item}" for item in sets)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)
