#!/usr/bin/env python3
"""
How far off 'numachine whatif' is: predictions are held against cycle-level runs of the other machine.

    whatif.py NUMACHINE                     print the table
    whatif.py --write ERRORS NUMACHINE      and write look/flow/errors.def, which the command prints from
    whatif.py --check ERRORS NUMACHINE      fail if such a file has another median or worst error
    --runs DIR    keep the runs there, and use those that are there

A pair is a machine that a program was run on, and another one. Both are simulated cycle by cycle; from the first run
alone the second one's time is predicted, of the whole run and of the region 'work', which begins when all threads are
ready. The error is predicted / simulated - 1.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

REGIONS = ["whole", "work"]
ALIKE = 2  # works that differ by more in their instructions are not compared
HERE = pathlib.Path(__file__).resolve().parent
WORK = HERE / "work.c"

# class of program: the arguments after the number of threads
PROGRAMS = {
    "private": ["20000", "2048", "30", "private"],
    "stream": ["2000", "65536", "30", "stream"],
    "sharing": ["200", "262144", "30", "shared"],
    "far": ["200", "16777216", "10", "shared"],
    "exchange": ["8192", "262144", "0", "exchange"],
    "locks": ["200", "64", "0", "locks"],
}
BIG = {"private": ["8000", "2048", "30", "private"], "far": ["60", "16777216", "10", "shared"],
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
    "1024 on two levels": ("numachine-1024", ["rings.stations=16", "rings.locals=16", "rings.groups=1",
                                              "run.watchdog=1000000000000cy"]),
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


class Runs:
    """Cycle-level runs, each made once."""

    def __init__(self, numachine, directory):
        self.numachine, self.directory = numachine, pathlib.Path(directory)

    def get(self, threads, machine, program):
        name = f"{threads}-{machine}-{program}".replace(" ", "_").replace("/", "by").replace(",", "")
        path = self.directory / name
        if not (path / "stats.json").exists():
            base, sets = MACHINES[machine]
            args = (BIG if threads > 128 else PROGRAMS)[program]
            experiment = self.directory / (name + ".yaml")
            words = ", ".join(f'"{word}"' for word in [str(threads), *args])
            experiment.write_text(f"machine: {base}\nprogram:\n  source: {WORK}\n  abi: o32\n  args: [{words}]\n",
                                  encoding="ascii")
            subprocess.run([self.numachine, "run", experiment, "-o", path, "--force", *(f"--set={item}" for item in sets)],
                           check=True, capture_output=True)
        return path


def region_of(path, name):
    """Seconds and instructions of a region."""
    stats = json.loads((path / "stats.json").read_text(encoding="utf-8"))
    region = next(region for region in stats["snapshots"] if region["name"] == name)
    return region["elapsed_ticks"] / stats["ticks_per_second"], region["stats"]["machine"]["truth.instructions"]


def compared(run, other, region):
    """How many times as long the other run took. Of the whole run all of the work is the same. 'work' ends when
    thread 0 is done, with more or less of the others' work in it, so an instruction's time is taken; None if it is
    another work altogether."""
    (seconds, instructions), (others, their) = region_of(run, region), region_of(other, region)
    if region == "whole":
        return others / seconds
    alike = max(instructions, their) < ALIKE * min(instructions, their)
    return others / their / (seconds / instructions) if alike else None


def predicted(numachine, path, machine, region):
    """What the command says of the other machine."""
    base, sets = MACHINES[machine]
    done = subprocess.run([numachine, "whatif", path, "--machine", base, f"--region={region}", "--format=json",
                           *(f"--set={item}" for item in sets)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def measure(numachine, runs, pairs):
    """A row for each pair, program and region."""
    rows = []
    for threads, here, there, programs in pairs:
        for program in programs:
            run, other = (runs.get(threads, machine, program) for machine in (here, there))
            for region in REGIONS:
                said, simulated = predicted(numachine, run, there, region), compared(run, other, region)
                rows.append({"pair": (threads, here, there), "program": program, "region": region,
                             "kind": said["error"]["kind"], "simulated": simulated,
                             "error": 100 * (said["times"] / simulated - 1) if simulated else None})
    return rows


SENTENCES = {"speed": "other clocks, widths or times", "shape": "other rings between as many stations",
             "size": "another number of stations",
             "refused": "of runs that spend a tenth of their stalls or more on refusals"}
HEAD = """/*
 * How far off predictions from traffic were, held against runs of the other machine.
 * Written by experiments/bench/whatif.py --write; docs/whatif.md has every pair.
 *
 * FLOW_ERROR(kind, which predictions, median [%], worst [%], runs)
 */
"""


def off(rows, what, name):
    """Absolute errors of the rows of a kind, [%]."""
    return [abs(row["error"]) for row in rows if row[what] == name and row["simulated"]]


def errors(rows):
    """The text of flow_errors.def."""
    text = HEAD
    for kind, sentence in SENTENCES.items():
        all_off = off(rows, "kind", kind)
        text += (f'FLOW_ERROR("{kind}", "{sentence}", {statistics.median(all_off):.1f}, {max(all_off):.1f}, '
                 f'{len(all_off)})\n')
    return text


def cells(rows, pair, program):
    """What came of a pair, region by region."""
    found = [row for row in rows if row["pair"] == pair and row["program"] == program]
    return ", ".join(f"{row['simulated']:.2f}: {row['error']:+.1f}" if row["simulated"] else "other work"
                     for row in found) or "-"


def table(rows):
    """The tables of docs/whatif.md: every pair, and sums."""
    lines = ["| threads | run on | foretold on | " + " | ".join(PROGRAMS) + " |", "|---" * (3 + len(PROGRAMS)) + "|"]
    for pair in dict.fromkeys(row["pair"] for row in rows):
        lines.append("| " + " | ".join([*map(str, pair), *(cells(rows, pair, p) for p in PROGRAMS)]) + " |")
    lines += ["", "| | predictions | median, % | worst, % |", "|---|---|---|---|"]
    for what in ("region", "kind", "program"):
        for name in dict.fromkeys(row[what] for row in rows):
            all_off = off(rows, what, name)
            lines.append(f"| {name} | {len(all_off)} | {statistics.median(all_off):.1f} | {max(all_off):.1f} |")
    return "\n".join(lines)


def near(text, other):
    """Whether two such texts say the same, but for what another compiler's floating point may do."""
    figures, others = ([float(n) for n in re.findall(r"\d+\.?\d*", t)] for t in (text, other))
    return len(figures) == len(others) and all(abs(a - b) < 0.25 for a, b in zip(figures, others))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numachine", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path, metavar="ERRORS")
    parser.add_argument("--check", type=pathlib.Path, metavar="ERRORS")
    parser.add_argument("--runs", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        directory = args.runs or pathlib.Path(scratch)
        directory.mkdir(parents=True, exist_ok=True)
        rows = measure(args.numachine.resolve(), Runs(args.numachine.resolve(), directory.resolve()), PAIRS)
    print(table(rows))
    text = errors(rows)
    if args.write:
        args.write.write_text(text, encoding="ascii")
    if args.check and not near(args.check.read_text(encoding="ascii"), text):
        sys.exit(f"{args.check} says otherwise; what came out now is\n{text}")


if __name__ == "__main__":
    main()
