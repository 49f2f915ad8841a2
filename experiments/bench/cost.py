#!/usr/bin/env python3
"""
What simulation costs, in instructions of the host, which unlike seconds are the same on a busy host.

    cost.py NUMACHINE [WORK ...]            print the table
    cost.py --write COSTS --build BUILD NUMACHINE [WORK ...]
                                            and write the figures to a file; those of other works stay
    cost.py --check COSTS --build BUILD NUMACHINE
                                            compare with such a file: exit status 1 if dearer, 77 if
                                            the two cannot be compared

Each work of `numachine bench` runs under valgrind's callgrind in two sizes. What start-up costs is in
both, so the difference, divided by the difference of what was simulated, is the cost of one more
instruction, reference or miss. A miss is a request to the bus: a secondary miss or an upgrade. For a
NACK, `refused-64` has as many misses and more NACKs, since refused requests come back sooner. Of a
storm the whole run counts as well, start-up included. Each run builds its program: of two, the second
would find the first one's in the cache of executables, and start-up would not be the same. Needs the
Debian package valgrind. With --keep, what callgrind wrote stays in the current directory for
callgrind_annotate.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77

# work: its file, what is set in it, and of that the part in which its two sizes differ
WORKS = {
    "functional-1": ("hits", "program.args=[1, {}, 2048, 30, private]", (1000, 200000)),
    "functional-64": ("private-64", "program.args=[64, {}, 2048, 30, private]", (10000, 60000)),
    "hits": ("hits", "program.args=[1, {}, 2048, 30, private]", (1000, 200000)),
    "private-4": ("private", "program.args=[4, {}, 2048, 30, private]", (10000, 100000)),
    "private-64": ("private-64", "program.args=[64, {}, 2048, 30, private]", (10000, 30000)),
    "sharing-4": ("sharing", "program.args=[4, {}, 262144, 30, shared]", (1000, 10000)),
    "mixed-16": ("mixed-16", "program.args=[16, {}, 16384, 30, mixed]", (1000, 6000)),
    "sharing-64": ("sharing-64", "program.args=[64, {}, 262144, 30, shared]", (200, 600)),
    "far-64": ("far-64", "program.args=[64, {}, 16777216, 10, shared]", (200, 600)),
    "near-1": ("near-1", "program.args=[1, {}, 1048576, 0, stream]", (10000, 40000)),
    "far-1": ("far-1", "program.args=[1, {}, 1048576, 0, stream]", (10000, 40000)),
    "exchange-64": ("exchange-64", "program.args=[64, {}, 262144, 0, exchange]", (8192, 16384)),
    "locks-64": ("locks-64", "program.args=[64, {}, 64, 0, locks]", (20, 60)),
    "second-1": ("hits", "program.args=[1, {}, 32768, 30, private]", (10000, 50000)),
    "barriers-64": ("barriers-64", "program.args=[64, 100, {}, barrier]", (4, 20)),
    "product-64": ("product-64", "program.args=[64, 64, {}, product]", (1, 2)),
    "stencil-64": ("stencil-64", "program.args=[64, 128, {}, stencil]", (2, 10)),
    "fft-64": ("fft-64", "program.args=[64, 64, {}, fft]", (1, 2)),
    "refused-64": ("sharing-64", "program.args=[64, 187, 64, 50, shared] agent.retry={}cy", (32, 4)),
    "r10000-1": ("r10000-1", "program.args=[1, {}, 2048, 30, private]", (1000, 8000)),
    "r10000-16": ("r10000-16", "program.args=[16, {}, 16384, 30, shared]", (100, 500)),
    "arm11-hits": ("arm11-hits", "program.args=[1, {}, 2048, 30, private]", (1000, 200000)),
}
STORMS = ("barriers-64", "product-64", "stencil-64", "fft-64")  # the whole run of the large size is held, too
SECOND = "second-1"  # its misses of the primary cache hit the secondary one
HEADINGS = {"instructions": "per instruction", "references": "per reference", "misses": "per miss",
            "refusals": "per NACK", "primaries": "per L1 miss", "whole": "whole run"}
TRUTH = {
    "instructions": ["instructions"],
    "references": ["loads", "stores"],
    "misses": ["l2_misses", "upgrades"],
    "refusals": ["nacks_locked", "nacks_no_room", "nacks_no_turn"],
    "primaries": ["l1d_misses"],
}
BAND = 1.03  # dearer than this is a regression
APART = 50  # what differs by less than one in so many between the two sizes costs nothing that can be told
RARE = 1  # [misses per 1000 instructions] below, the rest is what costs


def simulated(directory):
    """Totals of a run, by the keys of TRUTH."""
    with open(directory / "stats.csv", newline="", encoding="ascii") as file:
        truth = {row["stat"]: int(row["value"]) for row in csv.DictReader(file)
                 if row["snapshot"] == "whole" and row["component"] == "machine"
                 and row["stat"].startswith("truth.")}
    return {what: sum(truth["truth." + name] for name in names) for what, names in TRUTH.items()}


def measure(options, work, size):
    """Host instructions of a run, and what it simulated."""
    file, settings, _ = WORKS[work]
    mode = "functional" if work.startswith("functional") else "timed"
    kept = f"callgrind.{work}.{size}" if options.keep else "/dev/null"
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out")
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={kept}",
             options.numachine, "run", "--quiet", "-o", out, "--set", f"run.mode={mode}",
             *(part for setting in re.split(r" (?=[a-z]+\.)", settings.format(size)) for part in ("--set", setting)),
             *(["--set", "run.profile=true"] if options.profile else []),
             *(["--set", "run.truth=true"] if options.truth else []), HERE / f"{file}.yaml"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True, env={**os.environ, "NUMACHINE_CACHE": "off"})
        cost = sum(map(int, re.findall(r"Collected : (\d+)", done.stderr)))  # a profile's names have a process
        return cost, simulated(out)


def costs(options, work):
    """Host instructions for one more of each, and the rest."""
    (small, less), (large, more) = (measure(options, work, n) for n in WORKS[work][2])
    delta = {what: more[what] - less[what] for what in TRUTH}
    per = {what: round((large - small) / delta[what], 2) for what in TRUTH if APART * delta[what] > more[what]}
    rate = 1000 * delta["misses"] / max(delta["instructions"], 1)
    if rate < RARE:
        per.pop("misses", None)
    if delta["refusals"] <= delta["misses"] or work in STORMS:  # there a NACK comes with much else
        per.pop("refusals", None)
    if work != SECOND:
        per.pop("primaries", None)
    if work in STORMS:
        per["whole"] = large
    return per, rate, small - per.get("instructions", 0) * less["instructions"]


def row(work, columns):
    print(f"{work:13}" + "".join(f"{column:>17}" for column in columns), flush=True)


def figure(cost):
    return "-" if cost is None else f"{cost:.1f}" if cost < 1e6 else f"{cost:.4g}"


def table(options):
    row("work", ["start-up", *HEADINGS.values(), "misses/1000"])
    figures = {}
    for work in options.works or WORKS:
        per, rate, start = costs(options, work)
        row(work, [f"{start:.3g}", *(figure(per.get(what)) for what in HEADINGS),
                   f"{rate:.2f}" if "instructions" in per else "-"])
        figures[work] = per
    return figures


def dearer(before, now):
    for work, per in before.items():
        for what, cost in per.items():
            got = now[work].get(what, 0)
            if got > cost * BAND:
                yield f"{work}: {got} {HEADINGS[what]}, was {cost} ({100 * got / cost - 100:+.1f} %)"


def check(options):
    before = json.loads(pathlib.Path(options.check).read_text(encoding="ascii"))
    if options.build != before["build"]:
        print(f"skipped: built with {options.build}, measured with {before['build']}")
        return SKIPPED
    complaints = list(dearer(before["costs"], table(options)))
    print(*complaints, sep="\n")
    return 1 if complaints else 0


def write(file, options, figures):
    """Of works that were not measured, what the file has, if that was measured with the same build."""
    before = json.loads(file.read_text(encoding="ascii")) if options.works and file.exists() else {}
    if before.get("build") == options.build:
        figures = {work: figures.get(work, before["costs"].get(work)) for work in {**before["costs"], **figures}}
    text = json.dumps({"build": options.build, "costs": figures}, indent=1)
    file.write_text(text + "\n", encoding="ascii")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("numachine")
    parser.add_argument("works", nargs="*", metavar="WORK", help=f"all by default, of {', '.join(WORKS)}")
    parser.add_argument("--check", metavar="COSTS")
    parser.add_argument("--write", metavar="COSTS")
    parser.add_argument("--build", default="", help="compiler and kind of build of NUMACHINE")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--profile", action="store_true", help="of profiled runs")
    parser.add_argument("--truth", action="store_true", help="of runs that find out why misses had to be, too")
    options = parser.parse_args()
    if unknown := sorted(set(options.works) - set(WORKS)):
        parser.error(f"no work {', '.join(unknown)}; works are {', '.join(WORKS)}")
    if (options.check or options.write) and not options.build:
        parser.error("--check and --write need --build, as 'gcc 12.2.0 release x86_64': other builds have other costs")
    if not shutil.which("valgrind"):
        print("skipped: no valgrind here")
        return SKIPPED
    if options.check:
        return check(options)
    figures = table(options)
    if options.write:
        write(pathlib.Path(options.write), options, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
