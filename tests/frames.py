#!/usr/bin/env python3
"""
The Python module numachine: its tables have what the files of runs and sweeps have. And the notebook: its cells run in
their order, and no output is stored in it.

    frames.py NUMACHINE GUEST HOME [notebook]

GUEST is tests/sweep_guest.c. `notebook`: the cells, through nbconvert where it is there, and else by themselves. Skipped
(77) where there is no pandas (Debian: python3-pandas) or python3-matplotlib. Tables are tested without pandas, too.
"""
import csv
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import skip

RUN = """
machine: station-4
program: {{path: {guest}, args: ['300', '2']}}
monitor: {{events: [default], interval: 5us, histogram: {{source: service-time}}}}
run: {{profile: true, truth: true}}
"""
SWEEP = """
machine: station-4
program: {{path: {guest}}}
sweep:
  program.processors: [1, 2, 4]
  program.args: [["30", "2"], ["60", "2"], ["9", "1", stuck]]
"""


def interpreter(*modules):
    """A Python that has some modules: this one, or Debian's, whose packages they are."""
    for python in (sys.executable, "/usr/bin/python3"):
        words = [python, "-c", f"import {', '.join(modules)}"]
        if os.path.exists(python) and not subprocess.run(words, capture_output=True, check=False).returncode:
            return python
    return None


def rows(path):
    with open(path, newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table))


def make(numachine, guest, directory):
    for name, text, status in (("run", RUN, 0), ("swept", SWEEP, 3)):
        (directory / f"{name}.yaml").write_text(text.format(guest=guest))
        done = subprocess.run([numachine, "run", "-q", "-o", name, f"{name}.yaml"], cwd=directory, timeout=600,
                              capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr


REGIONS = ["whole", "1", "1e3", "007", "1_0", "nan", "inf", "2.50", "True"]
# Without pandas and numpy: the same numbers, in dictionaries and lists.
PLAIN = """
import csv, math, pathlib, sys
sys.modules["pandas"] = sys.modules["numpy"] = None
import numachine
out = pathlib.Path(sys.argv[1])
run = numachine.load(out / "run")
with open(out / "run/stats.csv", newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
assert len(run.stats["value"]) == len(rows)
for row in rows:
    value = run.value(row["stat"], row["snapshot"], row["component"])
    assert math.isnan(value) if row["value"] == "" else value == float(row["value"]), row
assert run.value("truth.loads", component="machine.station[0].card[3]") == 0 == run.cards("truth.loads")["machine.station[0].card[3]"]
with open(out / "run/monitor/samples.csv", newline="", encoding="utf-8") as file:
    samples = [int(row["value"]) for row in csv.DictReader(file) if row["stat"] == "monitor.run"]
numbered = numachine.load(out / "numbered")
assert numbered.regions() == sys.argv[2:], numbered.regions()
assert [numbered.value("loads", region) for region in sys.argv[2:]] == list(range(len(sys.argv) - 2))
line = run.timeline("monitor.run")
assert sum(line.values()) == sum(samples) > 0 and next(iter(line)) == 0
assert sum(run.rows("profile", "rows")["instructions"]) == run.value("truth.instructions") == sum(run.cards("truth.instructions").values())
assert sum(run.spread().values()) == sum(run.histogram["count"]) > 0
sweep = numachine.load(out / "swept")
for point, value in sweep.values("elapsed").items():
    there = sweep.points[point]["state"] == "done"
    assert value == sweep.run(point).value("elapsed") if there else math.isnan(value) or value > 0, point
for what in sweep.curve, sweep.speed_up:
    try:
        what("elapsed", "program.processors") if what == sweep.curve else what()
    except ImportError as why:
        assert "python3-pandas" in str(why)
        continue
    raise AssertionError(what)
"""


def make_numbered(out):
    """A run whose regions have names that look like numbers."""
    out.mkdir()
    (out / "manifest.json").write_text("{}")
    with open(out / "stats.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["snapshot", "component", "stat", "value", "unit"])
        table.writerows([region, "machine", "loads", i, ""] for i, region in enumerate(REGIONS))


def check_numbered(module, out):
    run = module.load(out)
    assert run.regions() == REGIONS, run.regions()
    assert [run.value("loads", region) for region in REGIONS] == list(range(len(REGIONS)))


def check_plain(home, out):
    done = subprocess.run([sys.executable, "-c", PLAIN, str(out), *REGIONS], capture_output=True, text=True, timeout=600, check=False,
                          env={**os.environ, "PYTHONPATH": str(home / "python")})
    assert done.returncode == 0, done.stderr


def check_run(module, out):
    run = module.load(out)
    stats = rows(out / "stats.csv")
    assert len(run.stats) == len(stats)
    for row in stats:
        value = run.value(row["stat"], row["snapshot"], row["component"])
        assert (math.isnan(value) if row["value"] == "" else value == float(row["value"])), row
    assert run.value("truth.loads", component="machine.station[0].card[3]") == 0
    assert math.isnan(run.value("metric.ipc", component="machine.station[0].card[3]"))
    cards = [row for row in stats if row["snapshot"] == "whole" and row["stat"] == "truth.loads" and ".card[" in row["component"]]
    assert run.cards("truth.loads").sum() == sum(int(row["value"]) for row in cards) > 0
    assert run.rows("profile", "rows").instructions.sum() == run.value("truth.instructions") > 0
    assert run.rows("truth", "rows")["copy"].max() < len(run.rows("truth", "copies")) and len(run.rows("locks", "threads"))
    for wrong in (("no.such",), ("elapsed", "nowhere")):
        try:
            run.value(*wrong)
        except KeyError:
            continue
        raise AssertionError(wrong)
    samples = [row for row in rows(out / "monitor/samples.csv") if row["stat"] == "monitor.run"]
    line = run.timeline("monitor.run")
    assert line.sum() == sum(int(row["value"]) for row in samples) > 0 and line.index[0] == 0
    words = [int(row["count"]) for row in rows(out / "monitor/histogram.csv")]
    assert run.spread().sum() == run.words.sum() == sum(words) > 0
    assert run.words.shape == (4, 65536)


def check_sweep(module, out):
    sweep, table, index = module.load(out), rows(out / "sweep.csv"), json.loads((out / "sweep.json").read_text())
    assert list(sweep.points.index) == [p["id"] for p in index["points"]] and len(sweep.stats()) == len(table)
    assert list(sweep.points.state) == [p["state"] for p in index["points"]]
    elapsed = {(int(row["program.processors"]), row["program.args"]): float(row["value"]) for row in table
               if (row["region"], row["component"], row["stat"]) == ("whole", "machine", "elapsed")}
    curve, gain = sweep.curve("elapsed", over="program.processors"), sweep.speed_up()
    assert curve.shape == (3, 3) and list(curve.index) == [1, 2, 4]
    for processors in (1, 2, 4):
        for args in curve.columns:
            true = elapsed.get((processors, args), math.nan)
            assert curve[args][processors] == true or math.isnan(true) and math.isnan(curve[args][processors])
            assert math.isnan(true) or gain[args][processors] == elapsed[1, args] / true
    texts = sweep.curve("elapsed", over="program.processors", texts=True)
    assert list(texts.index) == ["1", "2", "4"] and list(texts.columns) == list(curve.columns) and texts.notna().any().any()
    assert (texts.fillna(0).to_numpy() == curve.fillna(0).to_numpy()).all()
    for wrong in (("elapse",), ("elapsed", "nowhere"), ("no.such", "whole", "machine.station[0]")):
        try:
            sweep.values(*wrong)
        except KeyError:
            continue
        raise AssertionError(wrong)
    # A card that nobody was on has counted nothing; of a point that is not there nothing is known.
    loads = sweep.values("truth.loads", component="machine.station[0].card[3]")
    for point in sweep.points.index[sweep.points.state == "done"]:
        assert loads[point] == sweep.run(point).value("truth.loads", component="machine.station[0].card[3]"), point
    assert (loads[sweep.points["program.processors"] == 1].dropna() == 0).all() and loads.isna().any()
    odd = shutil.copytree(out, out.with_name("a?b#%41"))
    assert module.load(odd).values("elapsed").equals(sweep.values("elapsed"))
    point = next(iter(sweep.points.index))
    assert sweep.run(point).value("elapsed") == sweep.values("elapsed")[point]
    try:
        module.load(out.parent)
    except FileNotFoundError:
        return
    raise AssertionError("what is no directory of results is loaded")


def check_tables(numachine, guest, home):
    python = interpreter("pandas")
    if python and python != sys.executable:
        os.execv(python, [python, *sys.argv])
    sys.path.insert(0, str(home / "python"))
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        make(numachine, guest, directory)
        make_numbered(directory / "numbered")
        check_plain(home, directory)
        if not python:
            skip.left_out("tables of pandas", "python3-pandas")
            return
        module = __import__("numachine")
        check_run(module, directory / "run")
        check_numbered(module, directory / "numbered")
        check_sweep(module, directory / "swept")


def check_notebook(numachine, home):
    document = json.loads((home / "experiments/notebook.ipynb").read_text())
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    assert code and not any(cell["outputs"] or cell["execution_count"] for cell in code), "outputs are stored"
    python = interpreter("pandas", "matplotlib")
    if not python:
        skip.skip("no pandas or no matplotlib", "python3-pandas", "python3-matplotlib")
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(home / "experiments", f"{scratch}/experiments")
        shutil.copytree(home / "python", f"{scratch}/python")
        where = pathlib.Path(scratch) / "experiments"
        environment = dict(os.environ, NUMACHINE=str(numachine), HOME=scratch)
        by_itself = [python, "-c", "import matplotlib\nmatplotlib.use('agg')\n" + "\n".join("".join(cell["source"]) for cell in code)]
        through = interpreter("nbconvert", "ipykernel", "pandas", "matplotlib")
        words = [through, "-m", "nbconvert", "--execute", "--to", "notebook", "--output", "done", "notebook.ipynb"]
        done = subprocess.run(words if through else by_itself, cwd=where, env=environment, capture_output=True, text=True,
                              timeout=600, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        if through:
            outputs = [o for cell in json.loads((where / "done.ipynb").read_text())["cells"] for o in cell.get("outputs", [])]
            assert sum("image/png" in o.get("data", {}) for o in outputs) == 2, "two pictures are drawn"


def main():
    numachine, guest, home = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    if sys.argv[4:] == ["notebook"]:
        check_notebook(numachine, home)
    else:
        check_tables(numachine, guest, home)


if __name__ == "__main__":
    main()
