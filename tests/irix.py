#!/usr/bin/env python3
"""
IRIX's event counters from programs: every part of irix_guest.c, each as often as it makes sense.

    irix.py NUMACHINE IRIX_GUEST.ABI
"""
import pathlib
import subprocess
import sys
import tempfile

import simulator

R10000 = ("base: station-4, processor: {core: r10000}, l1i: {size: 32KB, line: 64B}, l1d: {size: 32KB, line: 32B}, "
          "l2: {size: 1MB, line: 128B, split: false}")
MACHINES = {"r10000": R10000, "r12000": R10000 + ", r10000: {revision: r12000}", "r4400": "base: station-4"}

# part of the guest: [(machine, program, other parameters)]
PARTS = {
    "nothing": [("r4400", "", ""), ("r4400", "root: true", "")],
    "names": [("r10000", "", ""), ("r10000", "root: true", ""), ("r4400", "", "")],
    "arguments": [("r10000", "", ""), ("r10000", "root: true", "")],
    "exact": [("r10000", "", ""), ("r12000", "", ""), ("r10000", "processors: 1", ""),
              ("r10000", "", "os: {tick: 0}")],
    "signals": [("r10000", "", "")],
    "profiling": [("r10000", "", "")],
    "threads": [("r10000", "", ""), ("r10000", "processors: 2", "os: {quantum: 20000cy}"),
                ("r10000", "processors: 1", "os: {quantum: 5000cy, tick: 20000cy}")],
    "ends": [("r10000", "", ""), ("r10000", "processors: 1", "")],
    "deferred": [("r10000", "", ""), ("r10000", "processors: 1", "")],
    "force": [("r10000", "root: true", ""), ("r12000", "root: true, processors: 2", "")],
    "turns": [("r10000", "", "os: {tick: 50000cy}"), ("r10000", "processors: 1", "os: {tick: 200000cy}")],
}


def main():
    numachine, guest = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        for part, runs in PARTS.items():
            for i, (machine, program, more) in enumerate(runs):
                name = pathlib.Path(scratch, f"{part}-{i}")
                name.with_suffix(".yaml").write_text(
                    f"machine: {{{', '.join(filter(None, [MACHINES[machine], more]))}}}\n"
                    f"program: {{{', '.join(filter(None, [f'path: {guest}, args: [{part}]', program]))}}}\n"
                    "monitor: {events: []}\nrun: {limit: 30s}\n")
                done = simulator.bounded([numachine, "run", name.with_suffix(".yaml"), "-o", name],
                                         stdin=subprocess.DEVNULL, capture_output=True, text=True, seconds=120)
                if done.returncode:
                    failures += 1
                    print(f"{part} {machine} {program} {more}: {done.returncode}\n{done.stdout}{done.stderr}")
    return failures != 0


sys.exit(main())
