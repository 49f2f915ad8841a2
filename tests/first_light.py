#!/usr/bin/env -S python3 -S
"""
The first experiment shows what it is there to show: the same work, but several times the cycles and the
invalidates when the counters share a line. In functional mode the table says that this means nothing, and
prints no times. And the README shows what the experiment gives, and its files say the same, as the reader in
docs/results.md reads them.

    first_light.py NUMACHINE EXPERIMENT
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import figures

TIMES = 5  # "several"
SIZE = 300_000  # [bytes] of a region's statistics at most, most cards being idle


def reader(home):
    """What docs/results.md gives to readers."""
    text = (home / "docs/results.md").read_text()
    names = {}
    exec(re.search(r"```python\n(.*?)```", text, re.S)[1], names)
    return names


def same(a, b):
    """As close as %.12g is, or both no value."""
    return abs(a - b) <= 1e-9 * abs(a) or (math.isnan(a) and math.isnan(b))


def check_files(out, read):
    """The three files say the same of every part, and what is left out of the parts is nothing."""
    found, part = read["stats"](out / "stats.csv"), read["Part"]
    texts = re.findall(r"Begin Simulation Statistics \((.*?)\) -+\n(.*?)\n-+ End", (out / "stats.txt").read_text(), re.S)
    written = json.loads((out / "stats.json").read_text())
    for snapshot, (name, text) in zip(written["snapshots"], texts):
        by_name = found[name]
        assert snapshot["name"] == name and snapshot["stats"].keys() == by_name.keys()
        lines = dict(re.findall(r"^(\S+) +(\S+) # ", text, re.M))
        for component, values in by_name.items():
            in_json = snapshot["stats"][component]
            assert in_json.keys() >= values.keys()
            for stat, value in in_json.items():
                path = f"{component}.{stat}"
                assert same(values[stat], math.nan if value is None else value), path
                assert lines[path] == "-" if value is None else same(float(lines[path]), value), path
                kind = re.sub(r"\[\d+\]", "", path)
                assert written["names"].get(path, written["names"][kind])["unit"], path
        cards = [by_name.get(f"machine.station[{s}].card[{c}]", part()) for s in range(16) for c in range(4)]
        for stat, total in by_name["machine"].items():
            if stat.startswith(("status.", "truth.")):
                assert sum(card[stat] for card in cards) == total, (name, stat)
    size = sum((out / f"stats.{kind}").stat().st_size for kind in ("csv", "json", "txt"))
    assert size < SIZE * len(found), f"{size} bytes for {len(found)} regions"
    return found


def check_large(numachine, experiment, directory, read):
    """The same on 64 cards, 60 of them idle: little room, and what the screen shows is in the files."""
    text = experiment.read_text().replace("machine: station-4", "machine: numachine-64")
    large = directory / "large.yaml"
    large.write_text(text.replace("source: ", f"source: {experiment.resolve().parent}/"))
    done = subprocess.run([numachine, "run", "-o", directory / "large", large], check=True, text=True,
                          capture_output=True)
    whole = check_files(directory / "large", read)["whole"]["machine"]
    for name in "busiest_bus", "busiest_memory", "busiest_ring", "busiest_central_ring", "netcache_hits", "nack_share":
        assert f"metric.{name}" in whole and name in done.stdout, name
    assert 0 <= whole["metric.busiest_bus.station"] < 16


def check_document(document, least, found):
    """Every event in a document's table, at least so many, has the values of the run."""
    rows = [line.split() for line in document.read_text().splitlines() if line.startswith(6 * " ")]
    rows = [row for row in rows if row and (row[0] in found["adjacent"] or f"monitor.{row[0]}" in found["adjacent"])]
    assert len(rows) >= least, rows
    for event, *values in rows:
        stat = event if event in found["adjacent"] else f"monitor.{event}"
        for region, text in zip(("adjacent", "padded"), values):
            value = found[region][stat]
            assert text == f"{value:,.0f}", f"{document}: {event}, {region}: {text}, but it is {value:,.0f}"


def main():
    numachine, experiment = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        done = subprocess.run([numachine, "run", "-q", "-o", out, experiment], check=True,
                              capture_output=True)
        assert done.stdout.startswith(b"adjacent 40000, padded 40000\n"), done.stdout
        home = pathlib.Path(experiment).resolve().parent.parent
        found = {name: parts["machine"] for name, parts in check_files(out, reader(home)).items()}
        check_large(numachine, pathlib.Path(experiment), pathlib.Path(directory), reader(home))
    adjacent, padded = found["adjacent"], found["padded"]
    for stat in "elapsed", "monitor.invalidates_done", "monitor.invalidate_hits", "monitor.nacks":
        assert adjacent[stat] > TIMES * padded[stat], f"{stat}: {adjacent[stat]}, {padded[stat]}"
    work = adjacent["monitor.run"] / padded["monitor.run"]
    assert 0.9 < work < 1.1, f"not the same work: {work}"
    if figures.of_documents(home):
        check_document(home / "README.md", 4, found)
        check_document(home / "docs/first-light.md", 8, found)
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run([numachine, "run", "--functional", "-o", pathlib.Path(directory, "out"),
                               experiment], check=True, capture_output=True)
    assert b"functional mode: only counts of instructions" in done.stdout, done.stdout
    for word in b" us ", b"IPC", b"ipc ", b"mips ", b"simulated time":
        assert word not in done.stdout, f"functional mode prints {word}: {done.stdout}"


if __name__ == "__main__":
    main()
