"""
The teaching experiments: the golden numbers of each (experiments/golden.json), the charts of their README, which are
drawn from these, and the answers of its exercises, which are run.
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
    return lambda runs: {name: round(stats[stat] / scale, digits or None) for name, stats in runs[0].items()
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


def ratio(stats, one, other):
    return stats[one]["elapsed"] / stats[other]["elapsed"]


def wider_cache(runs):
    assert 0.98 < ratio(runs[0], "32KB", "16KB") < 1.02 and ratio(runs[0], "256KB", "16KB") > 3, runs
    broken = ["expectations"] * (ratio(runs[0], "32KB", "16KB") < 3) + ["512KB"] * (ratio(runs[0], "512KB", "32KB") > 1.3)
    return broken


def ten_additions(runs):
    full = runs[4]["walk"]["group.bus.utilisation"]
    assert 0.18 < runs[1]["walk"]["group.bus.utilisation"] / 100 < 0.22, runs
    took = [f"{runs[n]['walk']['elapsed']:,.0f}" for n in (4, 1)]
    return [f"{full:.0f} %", f"({took[0]} PCycles against {took[1]})"]


def narrower_bus(runs):
    full = runs[3]["walk"]["group.bus.utilisation"]
    took = [f"{runs[n]['walk']['elapsed']:,.0f}" for n in (4, 3)]
    return [f"{full:.0f} %: a line", f"({took[0]} PCycles against {took[1]})"]


def faster_rings(runs):
    waits = {name: runs[0][name]["group.latency.stall_per_request"] for name in ("own", "station1", "ring1")}
    return [f"{waits['station1'] - waits['own']:.0f} and {waits['ring1'] - waits['own']:.0f}"]


def longer_lines(runs):
    assert ratio(runs[0], "64B", "128B") > 5 and ratio(runs[0], "256B", "128B") > 0.95, runs
    return [f"{runs[0]['64B']['elapsed'] / 1000:.0f} thousand"]


def more_work(runs):
    took = {name: round(runs[16][name]["elapsed"] / 1000) for name in ("swap", "look", "ticket", "queue", "mutex")}
    alone = round(runs[1]["swap"]["elapsed"] / 1000)
    mutex = took.pop("mutex")
    return [f"{min(took.values())} to {max(took.values())} thousand", f"takes {alone}", f"({mutex})"]


def lock_words(runs):
    four = [round(runs[4][name]["elapsed"] / 1000) for name in ("swap", "look", "ticket", "queue")]
    nacks = {name: f"{runs[16][name]['monitor.nacks']:,.0f}" for name in ("swap", "queue")}
    return [f"take {min(four)} to {max(four)} thousand", f"refused (`nacks`: {nacks['swap']})", f"them: {nacks['queue']} nacks"]


# What the text says of the runs beside the chart.
SAID = {"locks": lock_words}

# The exercises of each: what is set, and what the answer then has to say.
EXERCISES = {
    "hit-and-miss": [("l1d.size=32KB", wider_cache)],
    "bus-contention": [("program.cflags=[-O2, -DWORK=10]", ten_additions), ("bus.width=4B", narrower_bus)],
    "ring-hops": [("rings.clock=75MHz", faster_rings)],
    "false-sharing": [("l2.line=128B", longer_lines)],
    "locks": [("program.cflags=[-O2, -DWORK=1000]", more_work)],
}


def chart(bars):
    """As text: a name, a bar, a number on each line."""
    most, name = max(bars.values()), max(map(len, bars))
    lines = [f"    {key:>{name}}  {'#' * round(WIDTH * value / most):<{WIDTH}} {value:>6}\n" for key, value in bars.items()]
    return "\n" + "".join(lines) + "\n"


def run(numachine, home, name, out, *options):
    """The manifests of an experiment's runs, and {processors of a sweep's point, or 0: numbers}."""
    done = subprocess.run([numachine, "run", "-q", "-o", out, *options, f"{home}/experiments/teaching/{name}.yaml"],
                          capture_output=True, text=True, check=False)
    # An exercise may break what the experiment expects.
    assert done.returncode in (0, 1) and (options or done.returncode == 0), done.stderr
    points = sorted(out.glob("points/*")) or [out]
    manifests = [json.loads((point / "manifest.json").read_text()) for point in points]
    assigned = [manifest["experiment"]["assigned"] or ["=0"] for manifest in manifests]
    return manifests, {int(key[0].partition("=")[2]): numbers(point) for key, point in zip(assigned, points)}


def measure(numachine, home, name):
    """The golden numbers of an experiment. Its expect: holds, or the command fails."""
    with tempfile.TemporaryDirectory() as scratch:
        manifests, runs = run(numachine, home, name, pathlib.Path(scratch, "out"))
    for manifest in manifests:
        assert manifest["expect"] and all(row["kept"] for row in manifest["expect"]), manifest["expect"]
    said = {"said": SAID[name](runs)} if name in SAID else {}
    return {"result_hashes": [manifest["end"]["result_hash"] for manifest in manifests], "chart": CHARTS[name](runs), **said}


def exercise(numachine, home, name):
    """The answers of an experiment's exercises, and the command that stands above each."""
    text = pathlib.Path(home, "experiments/teaching/README.md").read_text()
    section = next(part for part in text.split("\n## ") if f"<!-- teaching: {name} -->" in part)
    parts = section.partition("**Exercise.**")[2].split("</details>")[:-1]
    assert len(parts) == len(EXERCISES[name]), (name, parts)
    for (change, answer), part in zip(EXERCISES[name], parts):
        command, _, said = part.partition("<details>")
        assert f"--set {change}\n" in command or f"--set '{change}'\n" in command, command
        with tempfile.TemporaryDirectory() as scratch:
            _, runs = run(numachine, home, name, pathlib.Path(scratch, "out"), "--set", change)
        for words in answer(runs):
            assert words in " ".join(said.split()), f"{name}: the answer does not say '{words}'"


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
    said = " ".join(text.split())
    for words in [words for name in SAID for words in golden[name]["said"]]:
        assert words in said, f"experiments/teaching/README.md does not say '{words}'"
