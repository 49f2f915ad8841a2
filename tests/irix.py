#!/usr/bin/env python3
"""
IRIX's event counters from programs: every part of irix_guest.c, each as often as it makes sense.

    irix.py IRIX_RUN IRIX_GUEST.ABI
"""
import subprocess
import sys

import simulator

# part of the guest: runs, each with options of irix_run
PARTS = {
    "nothing": ["-n", "-n -r"],
    "names": ["", "-r", "-n"],
    "arguments": ["", "-r"],
    "exact": ["", "-p 1", "-t 0"],
    "signals": [""],
    "profiling": [""],
    "threads": ["", "-p 2 -q 20000", "-p 1 -q 5000 -t 20000"],
    "ends": ["", "-p 1"],
    "deferred": ["", "-p 1"],
    "force": ["-r", "-r -p 2"],
    "turns": ["-t 50000", "-t 200000 -p 1"],
}


def main():
    irix_run, guest = sys.argv[1:]
    failures = 0
    for part, runs in PARTS.items():
        for options in runs:
            done = simulator.bounded([irix_run, *options.split(), guest, part], stdin=subprocess.DEVNULL,
                                     capture_output=True, text=True, seconds=120)
            if done.returncode:
                failures += 1
                print(f"{part} {options}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return failures != 0


sys.exit(main())
