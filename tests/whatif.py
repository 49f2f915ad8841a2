#!/usr/bin/env -S python3 -S
"""whatif.py NUMACHINE ROOT: traffic between stations, and what is told from it.

  - traffic.csv has every slot that the stations have sent, but for what is on its way at a region's marks,
  - a run on its own machine takes as long as it took, and one on a slower machine as long as that takes, about,
  - what cannot be told, and damaged files, are refused in one line.
How far off predictions are is for experiments/bench/whatif.py, which runs for minutes.
"""
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import simulator
import skip

OTHERS = {"processor.clock": "300MHz", "bus.clock": "25MHz", "rings.clock": "25MHz"}  # clocks must be multiples of each other
NEAR = 15  # [%] a prediction of the program here, which asks its memories at random, is off


def command(*words, status=0):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    assert done.returncode == status, f"status {done.returncode}: {done.stderr}: {words}"
    return done


class Bench:
    def __init__(self, numachine, root, directory):
        self.numachine, self.directory = numachine, pathlib.Path(directory)
        self.work = root / "experiments/bench/work.c"

    def run(self, name, machine, threads, *sets, words=65536, status=0):
        """Makes a run; threads access one array at random."""
        out, file = self.directory / name, self.directory / (name + ".yaml")
        file.write_text(f"machine: {machine}\nprogram:\n  source: {self.work}\n  abi: o32\n"
                        f'  args: ["{threads}", "300", "{words}", "30", shared]\n', encoding="ascii")
        command(self.numachine, "run", file, "-o", out, *(f"--set={s}" for s in sets), status=status)
        return out

    def ask(self, out, *options, status=0):
        return command(self.numachine, "whatif", out, *options, status=status)

    def times(self, out, *options):
        return json.loads(self.ask(out, "--region=work", "--json", *options).stdout)["times"]

    def refused(self, out, *options, says):
        done = self.ask(out, *options, status=2)
        assert says in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, done.stderr


def regions(out):
    stats = json.loads((out / "stats.json").read_text())
    return {s["name"]: s["stats"] for s in stats["snapshots"]}


def pace(out):
    machine = regions(out)["work"]["machine"]
    return machine["seconds"] / machine["truth.instructions"]


def check_slots(out, width, stations):
    """What stations have sent is in their counters, slot for slot, except headers of messages to many."""
    with open(out / "traffic.csv", newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    for region, stats in regions(out).items():
        for station in range(stations):
            sent = [r for r in rows if r["snapshot"] == region and r["from"] == str(station)]
            ring = stats[f"machine.station[{station}].ring"]
            data = sum(int(r["bytes"]) for r in sent)
            waiting = abs(data / width - ring["sent_data"])  # at a mark, for a free slot
            assert waiting <= (0 if region == "whole" else 100), (region, station, data, ring["sent_data"])
            single = sum(int(r["packets"]) for r in sent if r["home"] != "between")
            assert 0 < single <= ring["sent_header"], (region, station, single, ring["sent_header"])
    assert {r["home"] for r in rows} == {"to", "from", "between"}


def check_answers(bench, out):
    slow = bench.run("slow", "ring-16", 16, "rings.clock=25MHz")
    same = bench.times(out, "--machine=ring-16")
    assert abs(same - 1) < 0.02, same
    said = bench.times(out, "--machine=ring-16", "--set=rings.clock=25MHz")
    simulated = pace(slow) / pace(out)
    assert simulated > 1.2 and abs(said / simulated - 1) < NEAR / 100, (said, simulated)
    back = bench.times(slow, "--machine=ring-16")
    assert abs(back * simulated - 1) < NEAR / 100, (back, simulated)
    assert bench.times(out, "--machine=numachine-64") > 1, "longer ways are no faster"
    text = bench.ask(out, "--machine=numachine-64").stdout
    assert "station bus" in text and "docs/whatif.md" in text, text
    assert text == bench.ask(out, "--machine=numachine-64").stdout, "not the same twice"


def check_latency(bench):
    """Two threads wait for nobody: what is slower is latency."""
    far = "rings.generator=32cy", "rings.handler=32cy"
    here, there = bench.run("two", "ring-16", 2), bench.run("two-far", "ring-16", 2, *far)
    said = bench.times(here, "--machine=ring-16", *(f"--set={s}" for s in far))
    simulated = pace(there) / pace(here)
    assert simulated > 1.5 and abs(said / simulated - 1) < NEAR / 100, (said, simulated)


def check_busy(bench, out):
    """On its own machine links are as busy as they were."""
    said = json.loads(bench.ask(out, "--machine=ring-16", "--json").stdout)
    stats = regions(out)["whole"]
    links = [v["busy"] for k, v in stats.items() if ".link[" in k]
    simulated = sum(links) / len(links) / (stats["machine"]["seconds"] * 50e6)
    mean = said["busy"]["ring links, level 0"]["there"]["mean"]
    assert abs(mean / simulated - 1) < 0.05, (mean, simulated)


def check_parts(bench):
    """Of a run that has not come to the program's end it is told so."""
    limited = bench.run("limited", "ring-16", 4, "run.limit=30000cy", status=6)
    assert "the run was stopped at run.limit" in bench.ask(limited, "--machine=ring-16").stdout
    assert "run.limit" in json.loads(bench.ask(limited, "--machine=ring-16", "--json").stdout)["part"]
    manifest = limited / "manifest.json"
    manifest.write_text(simulator.forged(manifest.read_text(), lambda m: m.update(status="partial")))  # as a signal leaves it
    assert "the run was interrupted" in bench.ask(limited, "--machine=ring-16").stdout


def check_followed(bench, out, root):
    """Whatever a machine may differ in alone is told, though other defaults follow from it (os.tick from the clock)."""
    rows = {row["key"]: row for row in json.loads(command(bench.numachine, "list", "params", "--json").stdout)}
    followed = re.findall(r'^FLOW_KEY\("(.*)"\)', (root / "look/flow/keys.def").read_text(), re.M)
    shapes = {"rings.stations", "rings.locals", "rings.groups"}  # threads need their cards
    for key in sorted(set(followed) - shapes):
        other = OTHERS.get(key) or rows[key]["max"]
        done = subprocess.run([bench.numachine, "whatif", out, "--machine=ring-16", f"--set={key}={other}", "--json"],
                              capture_output=True, text=True)
        assert done.returncode == 0, f"{key}={other}: {done.stderr}"


def check_refusals(bench, out):
    bench.refused(out, "--machine=station-4", says="threads")
    bench.refused(out, "--machine=ring-16", "--set=l2.size=512KB", says="'l2.size'")
    bench.refused(out, "--region=nowhere", "--machine=ring-16", says="nowhere")
    functional = bench.run("functional", "ring-16", 4, "run.mode=functional")
    bench.refused(functional, "--machine=ring-16", says="functional")
    for number, (old, new, says) in enumerate([("whole,0,1,", "whole,0,7,", "no such station"),
                                               ("1,to,", "1,ta,", "none of to, from, between"),
                                               ("packets", "packetz", "columns"),
                                               (",0\r\n", ",x\r\n", "whole numbers")]):
        bad = bench.directory / f"bad-{number}"
        shutil.copytree(out, bad)
        text = (bad / "traffic.csv").read_bytes().decode()
        assert old in text, old
        (bad / "traffic.csv").write_bytes(text.replace(old, new, 1).encode())
        simulator.listed_again(bad, "traffic.csv")
        bench.refused(bad, "--machine=ring-16", says=says)
    (bad / "traffic.csv").unlink()
    bench.refused(bad, "--machine=ring-16", says="traffic.csv")


def check_one_station(bench):
    out = bench.run("station", "station-4", 4, words=1048576)
    assert not (out / "traffic.csv").exists()
    said = bench.times(out, "--machine=station-4", "--set=memory.dram_time=60cy")
    assert said > 1.2, said


def main():
    skip.need("gcc-mips-linux-gnu", "mips-linux-gnu-gcc")
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), directory)
        out = bench.run("base", "ring-16", 16)
        check_slots(out, 8, 4)
        check_answers(bench, out)
        check_latency(bench)
        check_busy(bench, out)
        check_followed(bench, out, pathlib.Path(sys.argv[2]))
        check_refusals(bench, out)
        check_parts(bench)
        check_one_station(bench)
    print("ok")


if __name__ == "__main__":
    main()
