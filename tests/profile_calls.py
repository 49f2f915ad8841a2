#!/usr/bin/env -S python3 -S
"""
The paths of a profile are the calls that a program makes: each function is entered as often, from where, as
tests/profile_calls_guest.c says.

    profile_calls.py NUMACHINE GUEST...
"""
import collections
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

import simulator

# How often a path's last function is entered; its first is main, a thread's function, or a signal's handler.
CALLS = {
    "main;leaf": 4,  # three of them out of tail(), which has gone
    "main;tail": 3,
    "main;recurses": 4,
    "main;recurses;leaf": 4,
    "main;even": 4,
    "main;even;odd": 3,
    "main;even;odd;leaf": 3,
    "main;catches": 1,
    "main;catches;throws": 6,
    "main;catches;leaf": 1,  # after longjmp
    "main;signals": 1,
    "handler": 1,
    "handler;leaf": 1,
    "main;signals;leaf": 1,  # after the handler
    "main;points": 1,
    "main;points;leaf": 2,
    "main;points;twice": 1,
    "main;points;twice;leaf": 2,
    "worker": 2,
    "worker;twice": 20,
    "worker;twice;leaf": 40,
}
IN_REGION = {"main;recurses": 4, "main;recurses;leaf": 4, "main;even": 4, "main;even;odd": 3, "main;even;odd;leaf": 3}
ROOTS = "main", "worker", "handler"
NM = {"o32": "mips-linux-gnu-nm", "n64": "mips-linux-gnu-nm", "armel": "arm-linux-gnueabi-nm"}


def entries(guest):
    """Where the program's own functions begin."""
    names = {path.split(";")[-1] for path in CALLS}
    text = subprocess.run([NM[simulator.abi_of(guest)], guest], capture_output=True, text=True, check=True).stdout
    return {int(line.split()[0], 16) & 0xffffffff: line.split()[2] for line in text.splitlines()
            if line.split()[-1] in names}


def shortened(path):
    """From the last of the roots on; None: it has none."""
    functions = path.split(";")
    roots = [i for i, function in enumerate(functions) if function in ROOTS]
    return ";".join(functions[roots[-1]:]) if roots else None


def calls(rows, begins, region):
    found = collections.Counter()
    for row in rows:
        if region in row["regions"].split(";") and row["pc"] and int(row["pc"], 0) & 0xffffffff in begins:
            found[shortened(row["path"])] += int(row["instructions"])
    return {path: n for path, n in found.items() if n}


def check(numachine, guest, machine, scratch):
    run = pathlib.Path(scratch, f"{pathlib.Path(guest).name}-{machine}")
    subprocess.run([numachine, "stat", "-q", "--profile", "-m", machine,
                    *simulator.MACHINES.get(simulator.abi_of(guest), []), "-o", run, "--", guest], check=True,
                   capture_output=True, timeout=600)
    rows, paths = (list(csv.DictReader(io.StringIO(subprocess.run(
        [numachine, "profile", run, "--format=csv", *words], check=True, capture_output=True, text=True, timeout=600).stdout)))
                   for words in ([], ["--by=path"]))
    named = {row["number"]: row["path"] for row in paths}
    rows = [{**row, "path": named[row["path"]]} for row in rows]
    begins = entries(guest)
    for region, expected in ("whole", CALLS), ("recursion", IN_REGION):
        found = calls(rows, begins, region)
        assert found == expected, f"{guest}, {region}: {sorted(found.items() ^ expected.items())}"


def main():
    numachine, guests = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        for guest in guests:
            for machine in "station-4", "numachine-64":
                check(numachine, guest, machine, scratch)
    print(f"ok: {len(guests)} programs, {len(CALLS)} paths")


main()
