#!/usr/bin/env -S python3 -S
"""
Whatever the operating system costs, and however often it interrupts, every program ends: its
parameters at the ends of their ranges, two at a time, with two threads on one card and four on two.

    os_costs.py NUMACHINE dear|all GUEST...

"dear": every other two costs at their most while the clock's period and the time slice are at their
least, with one of the guests on one of the shapes, in turn; all of them at once, with each on
every shape. "all": each of these with every guest on every shape, and every two rows at either end,
the others as they are. The rows come from the
program, so a new one is part of the test. A failure is printed with the command that repeats it.
"""
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys
import tempfile

import simulator

LIMIT = 100_000_000_000  # PCycles; the longest needs a tenth
TIMEOUT = 300  # seconds of processor time
TICK_LEAST, TICK_COST = 10_000, 1_000  # PCycles: of a rule, and the default
PERIODS = ["os.tick", "os.quantum"]
GROUPS = ("os.", "tlb.", "counters.interrupt")
# A single miss takes longer than the clock's period, and another card waits for the line.
SLOW = ["rings.stations=4", "rings.locals=1", "station.processors=1", "processor.clock=4GHz",
        "bus.clock=1GHz", "rings.generator=64cy", "rings.handler=64cy", "rings.up=64cy",
        "rings.down=64cy", "memory.directory_time=256cy", "memory.dram_time=1024cy",
        "netcache.directory_time=256cy", "netcache.dram_time=1024cy", "agent.response=64cy"]
# (processors, further settings): several threads on each, or on one of them
SHAPES = [(1, []), (2, []), (2, SLOW), (4, SLOW)]


def rows_of(numachine):
    """{key: (least, most)} in PCycles; 0 switches a row off, which is no end of its range."""
    found = {}
    for row in json.loads(subprocess.check_output([numachine, "list", "-j", "params"])):
        if row["key"].startswith(GROUPS) and row["type"] == "cycles":
            least, most = (int(row[end].removesuffix("cy")) for end in ("min", "max"))
            found[row["key"]] = (max(least, 1), most)
    assert len(found) > 8 and all(p in found for p in PERIODS), found
    return found


def dear(rows):
    costs = [key for key in rows if key not in PERIODS]
    hurry = {p: rows[p][0] for p in PERIODS}
    yield hurry | {key: rows[key][1] for key in costs}
    for pair in itertools.combinations_with_replacement(costs, 2):
        yield hurry | {key: rows[key][1] for key in pair}


def every(rows):
    for a, b in itertools.combinations(rows, 2):
        for of_a, of_b in itertools.product(rows[a], rows[b]):
            yield {a: of_a, b: of_b}


def cases_of(which, rows, guests):
    """(settings, shape, guest)"""
    if which == "all":
        return list(itertools.product(itertools.chain(dear(rows), every(rows)), SHAPES, guests))
    at_once, *pairs = dear(rows)
    ways = itertools.cycle(itertools.product(SHAPES, guests))
    return [(at_once, *way) for way in itertools.product(SHAPES, guests)] + [(pair, *way) for pair, way in zip(pairs[::2], ways)]


def lawful(settings):
    """The clock must leave time for programs (machine/rules.def)."""
    if "os.tick" not in settings and "os.tick_cost" not in settings:
        return settings
    return settings | {"os.tick": max(settings.get("os.tick", 0), TICK_LEAST,
                                      4 * settings.get("os.tick_cost", TICK_COST))}


def command_of(numachine, settings, shape, guest):
    processors, more = shape
    words = [f"{key}={value}cy" for key, value in lawful(settings).items()] + more
    return [numachine, "stat", "--quiet", "--force", f"--processors={processors}",
            f"--limit={LIMIT}cy", "--set", "run.watchdog=1000000000000cy",
            *(word for w in words for word in ("--set", w)), "--", guest]


def complaint(command):
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        where = command.index("--force")
        try:
            done = simulator.bounded([*command[:where], "-o", os.path.join(scratch, "out"), *command[where:]], TIMEOUT,
                                     stdin=subprocess.DEVNULL, capture_output=True)
        except subprocess.TimeoutExpired:
            return f"no end after {TIMEOUT} s of processor time\n  {' '.join(command)}"
    if done.returncode == 0:
        return None
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return f"status {done.returncode}: {said[-1] if said else ''}\n  {' '.join(command)}"


def main():
    numachine, which, *guests = sys.argv[1:]
    commands = [command_of(os.path.abspath(numachine), settings, shape, os.path.abspath(guest))
                for settings, shape, guest in cases_of(which, rows_of(numachine), guests)]
    failed = 0
    simulator.no_core()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for wrong in pool.map(complaint, commands):
            failed += wrong is not None
            if wrong:
                print(wrong, flush=True)
    print(f"{len(commands)} runs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
