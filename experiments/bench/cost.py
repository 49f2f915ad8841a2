#!/usr/bin/env python3
"""
What simulation costs, in instructions of the host, which unlike seconds are the same on a busy host.

    cost.py NUMACHINE

Each work of `numachine bench` runs under valgrind's callgrind in two small sizes. What start-up costs
is in both, so the difference, divided by the difference of what was simulated, is the cost of one
more instruction, reference or miss. A miss is a request to the bus: a secondary miss or an upgrade.
Needs the Debian package valgrind. What callgrind wrote stays in the current directory for
callgrind_annotate.
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# work: its file, the rest of its arguments, and the references per thread of the two sizes
WORKS = {
    "functional-1": ("hits", "[1, {}, 2048, 30, private]", (1000, 200000)),
    "functional-64": ("private-64", "[64, {}, 2048, 30, private]", (10000, 60000)),
    "hits": ("hits", "[1, {}, 2048, 30, private]", (1000, 200000)),
    "private-4": ("private", "[4, {}, 2048, 30, private]", (10000, 100000)),
    "private-64": ("private-64", "[64, {}, 2048, 30, private]", (10000, 30000)),
    "sharing-4": ("sharing", "[4, {}, 262144, 30, shared]", (1000, 10000)),
    "sharing-64": ("sharing-64", "[64, {}, 262144, 30, shared]", (200, 600)),
    "far-64": ("far-64", "[64, {}, 16777216, 10, shared]", (200, 600)),
    "exchange-64": ("exchange-64", "[64, {}, 262144, 0, exchange]", (8192, 16384)),
    "locks-64": ("locks-64", "[64, {}, 64, 0, locks]", (20, 60)),
}
HEADINGS = {"instructions": "per instruction", "references": "per reference", "misses": "per miss"}
TRUTH = {
    "instructions": ["instructions"],
    "references": ["loads", "stores"],
    "misses": ["l2_misses", "upgrades"],
}


def simulated(directory):
    """Totals of a run, by the keys of TRUTH."""
    with open(directory / "stats.csv", newline="", encoding="ascii") as file:
        truth = {row["stat"]: int(row["value"]) for row in csv.DictReader(file)
                 if row["snapshot"] == "whole" and row["component"] == "machine"
                 and row["stat"].startswith("truth.")}
    return {what: sum(truth["truth." + name] for name in names) for what, names in TRUTH.items()}


def measure(numachine, work, references):
    """Host instructions of a run, and what it simulated."""
    file, arguments, _ = WORKS[work]
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out")
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file=callgrind.{work}.{references}",
             numachine, "run", "--quiet", "-o", out, "--set",
             f"program.args={arguments.format(references)}",
             "--set", f"run.mode={'functional' if 'functional' in work else 'timed'}",
             HERE / f"{file}.yaml"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
        cost = int(re.search(r"Collected : (\d+)", done.stderr).group(1))
        return cost, simulated(out)


def row(work, columns):
    print(f"{work:13}" + "".join(f"{column:>17}" for column in columns), flush=True)


def main():
    only = sys.argv[2:]
    row("work", ["start-up", *(HEADINGS[what] for what in TRUTH), "misses/1000"])
    for work, (_, _, sizes) in WORKS.items():
        if only and work not in only:
            continue
        (small, less), (large, more) = (measure(sys.argv[1], work, n) for n in sizes)
        delta = {what: more[what] - less[what] for what in TRUTH}
        rate = 1000 * delta["misses"] / delta["instructions"]
        per = {what: (large - small) / delta[what] if delta[what] else 0 for what in TRUTH}
        costs = [f"{per[what]:.0f}" for what in ("instructions", "references")]
        # Where misses are rare, the rest is what costs.
        costs.append(f"{per['misses']:.0f}" if rate > 1 else "-")
        row(work, [f"{small - per['instructions'] * less['instructions']:.3g}", *costs,
                   f"{rate:.2f}"])


main()
