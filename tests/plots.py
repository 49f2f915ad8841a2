#!/usr/bin/env -S python3 -S
"""
The scripts for gnuplot beside a run's tables and a sweep's: they run as they stand, write their picture, and draw what
the tables have.

    plots.py NUMACHINE GUEST MARKED

GUEST is tests/sweep_guest.c, MARKED tests/compare_guest.c, which marks the region `work`. Skipped (77) where there is no gnuplot (Debian: gnuplot-nox).
"""
import collections
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import skip

MOST = 6  # lines of a panel

RUN = """
machine: station-4
program: {{path: {guest}, args: ['300', '2']}}
monitor: {{events: [status, default], interval: 5us, histogram: {{source: service-time}}}}
"""
SWEEP = """
machine: station-4
program: {{path: {guest}}}
sweep:
  program.processors: [1, 2, 4]
  program.args: [["30", "1"], ["30", "4"], ["it's", "2"], ["30", "2"], ["30", "3"], ["60", "1"], ["60", "2"]]
"""
MARKED = """
machine: station-4
program: {{path: {marked}}}
sweep: {{program.args: [["20"]], l1d.size: [8KB, 16KB]}}
"""


def rows(path):
    with open(path, newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table))


def lines(picture):
    """How many lines each curve of a picture has: from one point to the next, or from the axis up to one; and its key's."""
    groups = re.split(r'<g id="gnuplot_plot_\d+\w*"', picture)[1:]
    return [sum(path.count("L") for path in re.findall(r"<path stroke='rgb[^>]*\bd='([^']*)'", group)) for group in groups]


def draws(script):
    """Runs a script; the points of its curves, [{x: y}]."""
    picture, table = script.with_suffix(".svg"), script.with_suffix(".tab")
    done = subprocess.run(["gnuplot", script.name], cwd=script.parent, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0 and not done.stderr, (script, done.stderr)
    text = script.read_text()
    assert f"set output '{picture.name}'" in text
    table.with_suffix(".tabled").write_text(text.replace(f"set output '{picture.name}'", f"set format '%.12g'; set table '{table.name}'"))
    done = subprocess.run(["gnuplot", table.with_suffix(".tabled").name], cwd=script.parent, capture_output=True, text=True,
                          timeout=600, check=False)
    assert done.returncode == 0, (script, done.stderr)
    wrote = table.read_text()
    curves = []
    for block in re.split(r"# Curve \d", wrote)[1:]:
        fields = [line.split() for line in block.splitlines()[1:] if line and not line.startswith("#")]
        curves.append({float(f[0]): float(f[1]) for f in fields if f[2] != "u"})
    drawn, wanted = lines(picture.read_text()), [len(c) for c in curves]
    assert drawn == wanted, f"{picture.name}: the curves have {wanted} points, and {drawn} lines"
    return curves


def panels(script):
    """How many lines each panel has; they are few, and differ in colour, dashes and points."""
    text = script.read_text()
    types = re.findall(r"^set linetype \d+ linecolor rgb '(#\w+)' dashtype (\d+) .* pointtype (\d+)$", text, re.M)
    assert len(types) == MOST and all(len(set(column)) == MOST for column in zip(*types)), types
    plots = re.split(r"^plot ", text, flags=re.M)
    assert (len(plots) > 2) == (f"set multiplot layout {len(plots) - 1},1" in text) == ("unset multiplot" in text), text
    return plots


def check_units(out):
    """A panel has events of one unit, and no more than can be told apart."""
    unit = {row["stat"]: row["unit"] for row in rows(out / "monitor/samples.csv")}
    drawn = []
    for plot in panels(out / "monitor/samples.gp")[:-1]:
        events = re.search(r"^events = '(.*)'$", plot, re.M)[1].split()
        said = re.search(r"^set ylabel '(.*) an interval'$", plot, re.M)[1]
        assert 0 < len(events) <= MOST and {unit.get(event, said) for event in events} == {said}, (events, said)
        drawn += events
    assert set(unit) <= set(drawn) and len(drawn) == len(set(drawn)), (drawn, unit)


def check_run(out):
    events = collections.defaultdict(collections.Counter)
    samples = rows(out / "monitor/samples.csv")
    for row in samples:
        events[row["stat"]][int(row["begin_tick"])] += int(row["value"])
    times = sorted({int(row["begin_tick"]) for row in samples})
    curves = draws(out / "monitor/samples.gp")
    assert len(curves) >= len(events) > 3, (len(curves), list(events))
    found = [sorted(curve.values()) for curve in curves]
    for stat, counts in events.items():
        assert sorted(float(counts[t]) for t in times) in found, stat
    bars = collections.Counter()
    for row in rows(out / "monitor/histogram.csv"):
        bars[float(row["lo"])] += int(row["count"])
    curve, = draws(out / "monitor/histogram.gp")
    assert bars and curve == bars, (curve, bars)


def check_curves(out, region, axis, count):
    """The time that a region took, over a key."""
    table = collections.defaultdict(dict)
    for row in rows(out / "sweep.csv"):
        if (row["region"], row["component"], row["stat"]) == (region, "machine", "elapsed"):
            table[row["program.args"]][float(row[axis])] = float(row["value"])
    curves = draws(out / "sweep.gp")
    assert curves == list(table.values()) and len(curves) == count, (curves, table)


def check_sweep(out):
    check_curves(out, "whole", "program.processors", 7)
    text = (out / "sweep.gp").read_text()
    assert [plot.count("linetype ") for plot in panels(out / "sweep.gp")[1:]] == [MOST, 1] and "set yrange [0:1.05 * all_max]" in text, text
    assert "name2 = 'program.args ['.\"'\".'30'" in (out / "sweep.gp").read_text()


def main():
    skip.need("gnuplot-nox", "gnuplot")
    numachine, guest, marked = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        for name, text in (("run", RUN), ("swept", SWEEP), ("marked", MARKED)):
            (directory / f"{name}.yaml").write_text(text.format(guest=guest, marked=marked))
            done = subprocess.run([numachine, "run", "-q", "-o", name, f"{name}.yaml"], cwd=directory, timeout=600,
                                  capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        check_run(directory / "run")
        check_units(directory / "run")
        check_sweep(directory / "swept")
        check_curves(directory / "marked", "work", "l1d.size", 1)


if __name__ == "__main__":
    main()
