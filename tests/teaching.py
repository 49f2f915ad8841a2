"""
The teaching experiments: the numbers of each, as experiments/golden.json keeps them, and the charts of their README.

A row of EXPERIMENTS is the name, whether it is a sweep, and what the chart shows: of each bar the region (the point of a
sweep), and how to get the number.
"""
import csv
import json
import pathlib
import re
import subprocess
import tempfile

WIDTH = 50  # [characters] of the longest bar
BLOCK = re.compile(r"(<!-- teaching: (\S+) -->\n)(.*?)(<!-- end -->)", re.S)


def numbers(directory):
    """{region: {statistic: value}} of the machine, of a run directory."""
    found = {}
    with open(directory / "stats.csv", newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            if row["component"] == "machine" and row["value"]:
                found.setdefault(row["snapshot"], {})[row["stat"]] = float(row["value"])
    return found


def of_run(stat, scale, digits):
    """Of one run: a bar for each region."""
    return lambda runs: {name: round(stats[stat] / scale, digits) for name, stats in runs[0].items()
                         if name not in ("whole", "rest")}


def of_points(stat, region, digits):
    """Of a sweep over processors: a bar for each point."""
    return lambda runs: {str(processors): round(stats[region][stat], digits) for processors, stats in sorted(runs.items())}


def of_point(stat, processors, scale):
    return lambda runs: {name: round(stats[stat] / scale) for name, stats in runs[processors].items()
                         if name not in ("whole", "rest")}


CHARTS = {
    "hit-and-miss": of_run("elapsed", 16384, 1),
    "bus-contention": of_points("group.bus.utilisation", "walk", 1),
    "ring-hops": of_run("group.latency.stall_per_request", 1, 1),
    "false-sharing": of_run("elapsed", 1000, 0),
    "locks": of_point("elapsed", 16, 1000),
}


def chart(bars):
    """As text: a name, a bar, a number on each line."""
    most, name = max(bars.values()), max(map(len, bars))
    lines = [f"    {key:>{name}}  {'#' * round(WIDTH * value / most):<{WIDTH}} {value:>6}\n" for key, value in bars.items()]
    return "\n" + "".join(lines) + "\n"


def measure(numachine, home, name):
    """The golden numbers of an experiment. Its expect: holds, or the command fails."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out")
        done = subprocess.run([numachine, "run", "-q", "-o", out, f"{home}/experiments/teaching/{name}.yaml"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        points = sorted(out.glob("points/*")) or [out]
        manifests = [json.loads((point / "manifest.json").read_text()) for point in points]
        for manifest in manifests:
            assert manifest["expect"] and all(row["kept"] for row in manifest["expect"]), manifest["expect"]
        runs = {int((m["experiment"].get("assigned") or ["=0"])[0].partition("=")[2]): numbers(point)
                for m, point in zip(manifests, points)}
    return {"result_hashes": [manifest["end"]["result_hash"] for manifest in manifests], "chart": CHARTS[name](runs)}


def readme(home, golden, write=False):
    """Whether the charts of the README are those of the golden numbers."""
    path = pathlib.Path(home, "experiments/teaching/README.md")
    text = path.read_text()
    names = [block[1] for block in BLOCK.findall(text)]
    assert names == list(CHARTS), names
    now = BLOCK.sub(lambda m: m[1] + chart(golden[m[2]]["chart"]) + m[4], text)
    if write:
        path.write_text(now)
    assert write or now == text, "experiments/teaching/README.md has other charts; tests/experiments.py ... --write"
