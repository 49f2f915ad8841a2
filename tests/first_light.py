#!/usr/bin/env python3
"""
The first experiment shows what it is there to show: the same work, but several times the cycles and the
invalidates when the counters share a line. In functional mode the table says that this means nothing, and
prints no times. And the README shows what the experiment gives.

    first_light.py NUMACHINE EXPERIMENT
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

TIMES = 5  # "several"


def regions(stats):
    """Machine-wide values: {region: {stat: value}}."""
    found = {}
    with open(stats, newline="") as file:
        for row in csv.DictReader(file):
            if row["component"] == "machine":
                found.setdefault(row["snapshot"], {})[row["stat"]] = float(row["value"])
    return found


def check_readme(readme, found):
    """Every event in the README's table has the values of the run."""
    rows = [line.split() for line in readme.read_text().splitlines() if line.startswith(6 * " ")]
    rows = [row for row in rows if row[0] in found["adjacent"] or f"monitor.{row[0]}" in found["adjacent"]]
    assert len(rows) >= 8, rows
    for event, *values in rows:
        stat = event if event in found["adjacent"] else f"monitor.{event}"
        for region, text in zip(("adjacent", "padded"), values):
            value = found[region][stat]
            assert text == f"{value:,.0f}", f"README: {event}, {region}: {text}, but it is {value:,.0f}"


def main():
    numachine, experiment = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        done = subprocess.run([numachine, "run", "-q", "-o", out, experiment], check=True,
                              capture_output=True)
        assert done.stdout.startswith(b"adjacent 40000, padded 40000\n"), done.stdout
        found = regions(out / "stats.csv")
    adjacent, padded = found["adjacent"], found["padded"]
    for stat in "elapsed", "monitor.invalidates_done", "monitor.invalidate_hits", "monitor.nacks":
        assert adjacent[stat] > TIMES * padded[stat], f"{stat}: {adjacent[stat]}, {padded[stat]}"
    work = adjacent["monitor.run"] / padded["monitor.run"]
    assert 0.9 < work < 1.1, f"not the same work: {work}"
    check_readme(pathlib.Path(experiment).resolve().parent.parent / "README.md", found)
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run([numachine, "run", "--functional", "-o", pathlib.Path(directory, "out"),
                               experiment], check=True, capture_output=True)
    assert b"functional mode: only counts of instructions" in done.stdout, done.stdout
    for word in b" us ", b"IPC", b"ipc ", b"mips ", b"simulated time":
        assert word not in done.stdout, f"functional mode prints {word}: {done.stdout}"


if __name__ == "__main__":
    main()
