#!/usr/bin/env python3
"""
Guest programs on machines drawn by lot (lot.h): any legal machine ends every program, without a
complaint of the checking mode, and with the same result when windows are cut by sampling.

    drawn.py NUMACHINE LOT_PRINT FROM COUNT CARDS GUEST...

Machines FROM, FROM + 1, ... of at most CARDS processors; the number of a machine chooses its guest
too. A failure is printed with the command that repeats it.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import simulator

MEMORY = 256 << 20  # bytes; guests need some
# What a guest is told. With more threads than processors, and fewer.
ARGUMENTS = {"team": ["7"], "threads": ["5"]}
# A guest that takes so many times as long as the watchdog waits for one access does not end.
WATCHDOGS = 1000
SAMPLES = 2000
TIMEOUT = 600  # seconds of host time; a hang of the simulator itself


def machines(lot_print, first, count, cards):
    """(number, settings) of the machines drawn."""
    lines = subprocess.run([lot_print, str(first), str(count), str(cards), str(MEMORY)], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for line in lines:
        number, *settings = line.split()
        yield int(number), settings


def limit_of(settings):
    """PCycles within which a guest ends. The watchdog allows for the slowest access."""
    values = dict(s.split("=") for s in settings)
    return WATCHDOGS * int(values.get("run.watchdog", "15000000cy").removesuffix("cy"))


def run(command, out):
    """(complaint or None, result hash, cycles)"""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, preexec_fn=simulator.no_core, timeout=TIMEOUT,
                          check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        return f"status {done.returncode}: {said[0] if said else ''}", None, None
    return None, *simulator.end_of(out)


def check(numachine, guest, number, settings):
    """What is wrong with a machine, or None."""
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        out = os.path.join(scratch, "out")
        sets = [word for s in settings for word in ("--set", s)]
        arguments = ARGUMENTS.get(pathlib.Path(guest).stem, [])
        plain = [numachine, "stat", "--quiet", f"--limit={limit_of(settings)}cy", *sets]
        program = ["--", guest, *arguments]
        complaint, result, ticks = run([*plain, "-o", out, *program], out)
        command = [*plain, *program]
        if not complaint:
            period = max(77 + 2 * (number % 50), ticks // SAMPLES) | 1
            command = [*plain, "-e", "time", "--set", f"monitor.interval={period}cy", *program]
            complaint, cut, _ = run([*command[:2], "--force", "-o", out, *command[2:]], out)
            if not complaint and cut != result:
                complaint = f"{result}, but {cut} when sampled every {period} cycles"
    return complaint and f"machine {number}: {complaint}\n  {' '.join(map(str, command))}"


def main():
    numachine, lot_print = map(os.path.abspath, sys.argv[1:3])
    first, count, cards = map(int, sys.argv[3:6])
    guests = [os.path.abspath(g) for g in sys.argv[6:]]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        checks = [pool.submit(check, numachine, guests[number % len(guests)], number, settings)
                  for number, settings in machines(lot_print, first, count, cards)]
        for complaint in (c.result() for c in checks):
            failed += complaint is not None
            if complaint:
                print(complaint, flush=True)
    print(f"{count} machines, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
