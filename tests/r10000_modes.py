#!/usr/bin/env -S python3 -S
"""
A program's own event counters in every mode of a run: timed, functional, fast-forwarded to a region or into the midst of
a loop with caches warmed or not, sampled. The four instructions do what they do, and an overflow that comes due while
nothing is timed disturbs nobody. A loop that waits for a count in functional mode is named. Events are counted where
processors run as in a timed machine, and nowhere else (docs/irix.md).

    r10000_modes.py NUMACHINE GUEST WAITS_GUEST
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

MODES = [[], ["run.mode=functional"], ["run.step=true"],
         *([f"run.warm={warm}", f"run.from={point}"] for warm in ("none", "caches")
           for point in ("region work", "instructions 9000", "instructions 20000")),
         ["run.from=region work", "run.to=instructions 2000"],
         ["run.sample.every=5000cy", "run.sample.length=1000cy"]]
LEFT = [0, 1, 500, 5000, 12000, 100000]
RIGHT = "control 1, first 1, grows 1 1 1, in time 1\n"


SILENT = ["run.mode=functional", "run.warm=none"]


def run(numachine, guest, mode, *words, argument=0):
    options = [word for row in ["r10000.user_counters=true", *mode] for word in ("--set", row)]
    done = subprocess.run([numachine, "stat", "-q", "-m", "r10000", "--limit=100000000cy", *options, *words, "--", guest,
                           *([str(argument)] if argument else [])], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, RIGHT), (mode, argument, done.returncode, done.stdout, done.stderr[:500])


def waits(numachine, guest, mode):
    """(exit status, what is said) of a program that waits for a cycle of user mode to be counted, and is ended if it gets
    nowhere."""
    settings = ["r10000.user_counters=true", f"run.mode={mode}", "run.livelock=end", "run.standstill=4000000cy"]
    done = subprocess.run([numachine, "stat", "-q", "-m", "r10000", *(f"--set={one}" for one in settings), "--", guest],
                          capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


def counted(numachine, guest, mode):
    """(graduated by the counters, completed)"""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        run(numachine, guest, mode, "-o", out, "-e", "cpu_graduated")
        with open(out / "stats.csv", newline="", encoding="ascii") as file:
            value = {row["stat"]: int(row["value"]) for row in csv.DictReader(file)
                     if (row["snapshot"], row["component"]) == ("whole", "machine") and row["value"].isdigit()}
    return value["monitor.cpu_graduated"], value["truth.instructions"]


def main():
    numachine, guest, waiting = sys.argv[1:]
    for mode in MODES:
        for left in LEFT:
            run(numachine, guest, mode, argument=left)
        graduated, completed = counted(numachine, guest, mode)
        part = "run.mode=functional" not in mode
        if any(row in SILENT or row.startswith("run.to") for row in mode):
            assert bool(graduated) == part and graduated < 0.9 * completed, (mode, graduated, completed)
        else: # a product counts twice
            assert 0 <= graduated - completed < 0.01 * completed, (mode, graduated, completed)
    assert waits(numachine, waiting, "timed")[0] == 0
    status, said = waits(numachine, waiting, "functional")
    assert status and "mode functional: time stands still" in said, (status, said[:500])


if __name__ == "__main__":
    main()
