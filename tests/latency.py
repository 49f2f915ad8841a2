#!/usr/bin/env -S python3 -S
"""
numachine latency prints the numbers of docs/latency.md, in every format, and follows the parameters.

    latency.py NUMACHINE HOME
"""
import csv
import json
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r"^\| ([^|`]+?) +\| `[^`]+` \|((?: *\d+ *\|)+)$", re.M)
COLUMNS = [("numachine-64", "same ring"), ("numachine-64", "other ring"), ("numachine-1024", "other group")]


def ask(program, *words):
    return subprocess.run([program, "latency", *words], check=True, capture_output=True, text=True).stdout


def measured(program, *words):
    """{(access, distance): PCycles}"""
    lines = [json.loads(line) for line in ask(program, *words, "--json").splitlines()]
    return {(line["access"], line["distance"]): line["pcycles"] for line in lines}


def documented(home):
    """{access: PCycles at the station, or at the three distances}"""
    text = pathlib.Path(home, "docs/latency.md").read_text()
    return {name: [int(n) for n in numbers.split("|") if n.strip()] for name, numbers in ROW.findall(text)}


def main():
    program, home = sys.argv[1:]
    rows = documented(home)
    found = {}
    for machine in {machine for machine, _ in COLUMNS}:
        for protocol in "numachine", "flat":
            found[machine, protocol] = measured(program, machine, f"--set=protocol={protocol}")
    seen = set()
    for (machine, protocol), figures in found.items():
        for (access, distance), pcycles in figures.items():
            wanted = rows[access]
            seen.add(access)
            if len(wanted) == 1:
                assert pcycles == wanted[0], (machine, protocol, access, distance, pcycles)
            elif (machine, distance) in COLUMNS:
                assert pcycles == wanted[COLUMNS.index((machine, distance))], (machine, access, distance, pcycles)
    assert seen == set(rows), set(rows) ^ seen

    default = measured(program)
    table = list(csv.DictReader(ask(program, "--csv").splitlines()))
    assert {(r["access"], r["distance"]): int(r["pcycles"]) for r in table} == default
    raw = subprocess.run([program, "latency", "--format=csv"], check=True, capture_output=True).stdout
    assert raw.count(b"\r\n") == raw.count(b"\n") == len(table) + 1, raw
    assert all(float(r["ns"]) == round(int(r["pcycles"]) / 0.15, 2) for r in table)
    text = ask(program)
    for access, distance in default:
        assert re.search(rf"^{re.escape(access)} .*\b{default[access, distance]}\b", text, re.M), access

    slow = measured(program, "--set=memory.dram_time=16cy")
    assert slow["read, home here", "same station"] == default["read, home here", "same station"] + 10 * 3
    assert slow["read in the network cache", "same ring"] == default["read in the network cache", "same ring"]
    # Where there is nobody to be asked, there is no figure.
    alone = measured(program, "station-4", "--set=station.processors=1")
    assert ("read, home here", "same station") in alone and {d for _, d in alone} == {"same station"}
    assert ("read, home here, dirty in another card", "same station") not in alone


main()
