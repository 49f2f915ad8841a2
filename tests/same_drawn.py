#!/usr/bin/env python3
"""
Whether two builds of the simulator give the same bytes on machines drawn by lot (drawn.py), for a change that may disturb
the order of events. What is compared is what experiments/bench/same.py compares, and how the run ended.

    same_drawn.py OLD NEW LOT_PRINT FROM COUNT GUEST...

Machines FROM, FROM + 1, ... with at most 64 processors, some with several kinds of cores; every third is listened to and
sampled, every fifth has a profile with the truth of its misses. Guests are executables as in tests/guests of a build.
Exit status 1 if something differs.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "experiments/bench"))
import drawn
import same
import simulator

CARDS = 64


def watched(number):
    """Options of a machine's run that say who listens."""
    listening = [word for setting in same.LISTENING for word in ("--set", setting)] if number % 3 == 0 else []
    return [*listening, *(["--profile", "--truth"] if number % 5 == 0 else [])]


def run(numachine, machine, out):
    """Its exit status."""
    options = [word for setting in machine.settings for word in ("--set", setting)]
    return simulator.bounded([numachine, "stat", "--quiet", "-o", out, f"--limit={drawn.limit_of(machine.settings)}cy", *options,
                              *watched(int(machine.name)), "--", machine.guest, *machine.argument.split()],
                             drawn.TIMEOUT, stdin=subprocess.DEVNULL, capture_output=True, cwd=out.parent).returncode


def compare(old, new, machine):
    """(whether there are results, what differs between two builds: in words, empty for nothing)"""
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        outs = [pathlib.Path(scratch, which, "out") for which in ("old", "new")]  # guests write where they are
        for out in outs:
            out.parent.mkdir()
        ends = [run(numachine, machine, out) for numachine, out in zip((old, new), outs)]
        left = [(out / "stats.csv").exists() for out in outs]
        if ends[0] != ends[1] or left[0] != left[1]:
            return left[0], f"exit statuses {ends[0]} and {ends[1]}"
        return left[0], ", ".join(same.differences(*outs)) if left[0] else ""


def main():
    if len(sys.argv) < 7:
        sys.exit(__doc__)
    old, new, lot_print, first, count, *guests = sys.argv[1:]
    simulator.no_core()
    machines = list(drawn.drawn(lot_print, int(first), int(count), CARDS, [os.path.abspath(g) for g in guests], False))
    found = {machine.name: compare(os.path.abspath(old), os.path.abspath(new), machine) for machine in machines}
    wrong = {name: differs for name, (_, differs) in found.items() if differs}
    for name, differs in wrong.items():
        print(f"machine {name}: {differs}")
    print(f"{len(found)} machines, {sum(left for left, _ in found.values())} left results, {len(wrong)} differ")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
