#!/usr/bin/env -S python3 -S
"""
The shipped experiments show what their explanations say, and their results are the golden ones.

    experiments.py NUMACHINE HOME NAME                  what is asked besides of it only if it is one of CHEAP
    experiments.py NUMACHINE HOME whole                 what is asked besides of all that are no sweeps
    experiments.py NUMACHINE HOME --write [NAME...]     measures the golden results anew: all, or those

What an explanation says must hold whatever the exact numbers are. experiments/golden.json has the numbers:
when a change of the simulator moves them, look at what moved, then write them anew. Another compiler makes
another program, so with one the numbers are not compared.
"""
import collections
import csv
import json
import pathlib
import re
import struct
import shutil
import subprocess
import sys
import tempfile

import arm11_steps
import figures
import scaling
import skip
import suite
import teaching


class Run:
    """One run's files, read."""

    def __init__(self, numachine, experiment, *options):
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory, "out")
            done = subprocess.run([numachine, "run", "-o", out, *options, experiment],
                                  capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            self.table = done.stdout
            self.manifest = json.loads((out / "manifest.json").read_text())
            self.hash = self.manifest["end"]["result_hash"]
            self.stats = collections.defaultdict(dict)  # [snapshot][stat] of the machine
            for row in self.rows(out / "stats.csv"):
                if row["component"] == "machine":
                    self.stats[row["snapshot"]][row["stat"]] = float(row["value"])
            self.bins = [r for r in self.rows(out / "monitor/histogram.csv")]
            self.samples = [r for r in self.rows(out / "monitor/samples.csv")]
            self.stdout = (out / "guest.stdout").read_text()
            npy = out / "monitor/histogram.npy"
            self.npy = npy.read_bytes() if npy.exists() else b""

    @staticmethod
    def rows(path):
        return list(csv.DictReader(open(path, newline=""))) if path.exists() else []

    def total(self, stat, region="whole"):
        return self.stats[region][stat]

    def check_npy(self):
        """The raw words are those of the CSV."""
        length = struct.unpack("<H", self.npy[8:10])[0]
        header = eval(self.npy[10:10 + length])
        cards, words = header["shape"]
        assert (header["descr"], words) == ("<u4", 65536), header
        data = self.npy[10 + length:]
        assert len(data) == 4 * cards * words
        for row in self.bins:
            index = int(row["card"]) * words + int(row["bin"])
            assert struct.unpack_from("<I", data, 4 * index)[0] == int(row["count"]), row
        values = sum(word[0] for word in struct.iter_unpack("<I", data))
        assert values == sum(int(row["count"]) for row in self.bins)


def nack_histogram(numachine, experiment):
    run = Run(numachine, experiment)
    run.check_npy()
    time, count = collections.Counter(), collections.Counter()
    for row in run.bins:
        name = row["phase_name"]
        time[name] += int(row["count"]) * int(row["lo"])
        count[name] += int(row["count"])
    mean = [time[name] / count[name] for name in ("by-64", "by-16", "by-4")]
    assert mean[0] > 2 * mean[1] and mean[1] > 2 * mean[2], mean
    assert count["alone"] <= 3 * 64, "each counter comes once to its card and stays"
    reads = run.total("monitor.read_latency") / run.total("metric.mean_read_latency")
    counted = run.total("histogram.counted") + run.total("histogram.lost")
    assert abs(counted - reads) < 0.01, (counted, reads)
    assert run.total("group.nack.share_of_latency") > 75
    assert "by-16" in run.table and "Where NACKs come from" in run.table
    return run, {"mean_by_64": round(mean[0], 3), "mean_by_16": round(mean[1], 3),
                 "mean_by_4": round(mean[2], 3), "nacks": run.total("monitor.nacks"),
                 "counted": run.total("histogram.counted")}


def ring_busy(numachine, experiment):
    run = Run(numachine, experiment)
    near, far = "neighbour", "everybody"
    upper = [run.total("group.ring.upper_ring", region) for region in (near, far)]
    local = [run.total("group.ring.local_ring", region) for region in (near, far)]
    assert upper[1] > 2.5 * upper[0], upper
    assert 0.7 < local[1] / local[0] < 1.4, local
    sums = collections.Counter()
    for row in run.samples:
        sums[row["stat"]] += int(row["value"])
    for stat in "monitor.ring_busy", "monitor.upper_ring_busy", "monitor.packet_headers":
        assert sums[stat] == run.total(stat), stat
    moved = Run(numachine, experiment, "--set", "memory.placement=round_robin")
    assert moved.total("group.ring.upper_ring", near) > 2 * upper[0], "the line to change"
    return run, {"upper_near": round(upper[0], 6), "upper_far": round(upper[1], 6),
                 "local_near": round(local[0], 6), "samples": len(run.samples)}


def hot_blocks(run):
    """Blocks with the same number of cards each, from the fullest: {block: (count, cards)}."""
    count, cards = collections.Counter(), collections.Counter()
    for row in run.bins:
        count[int(row["lo"])] += int(row["count"])
        cards[int(row["lo"])] += 1
    return [(block, cards[block]) for block, n in count.most_common() if n > 500]


def invalidate_histogram(numachine, experiment):
    run = Run(numachine, experiment)
    run.check_npy()
    array = sorted(block for block, cards in hot_blocks(run) if cards == 8)
    assert array == list(range(array[0], array[0] + 512, 64)), hot_blocks(run)
    assert array[0] % 4096 == 0, "the array is at the start of a page"
    # Only data are counted: instructions are never invalidated.
    counted = run.total("histogram.counted") + run.total("histogram.lost")
    assert counted == run.total("monitor.invalidate_hits"), counted
    padded = Run(numachine, experiment, "--set", "program.cflags=[-O2, -DPAD=64]")
    assert not [block for block, cards in hot_blocks(padded) if cards == 8], "the line to change"
    times = [r.total("elapsed", "sum") for r in (run, padded)]
    assert times[0] > 3 * times[1], times
    return run, {"hits": run.total("monitor.invalidate_hits"), "elapsed": times[0],
                 "padded_elapsed": times[1]}


def barriers(run):
    """What the program prints: {threads: {way: PCycles a barrier}}."""
    head, *rows = [line.split() for line in run.stdout.splitlines()]
    return {int(row[0]): dict(zip(head[1:5], map(int, row[1:]))) for row in rows}


def barrier(numachine, experiment):
    run = Run(numachine, experiment)
    table = barriers(run)
    assert sorted(table) == [1, 2, 4, 8, 16, 32, 64], table
    for threads, took in table.items():
        assert threads < 4 or took["library"] > took["memory"] > 2 * took["registers"], took
        # Of sixteen they take about the same.
        assert threads == 16 or (took["stations"] < took["registers"]) == (threads > 16), (threads, took)
    assert table[64]["memory"] > figures.by_compiler(8, 6) * table[64]["registers"], table[64]
    packets = {way: run.total("monitor.packet_headers", way) for way in table[64]}
    assert packets["memory"] > 2 * packets["registers"] > 2.5 * packets["stations"], packets
    slow = barriers(Run(numachine, experiment, "--set", "agent.register=20cy"))
    assert slow[64]["registers"] > figures.by_compiler(2, 1.5) * table[64]["registers"], ("the line to change", slow[64], table[64])
    return run, {f"{way}_64": table[64][way] for way in table[64]}


def protocols(numachine, experiment):
    run = Run(numachine, experiment)
    flat = Run(numachine, experiment, "--set", "protocol=flat")
    ways = ("table", "reread", "station", "far", "own")
    ratio = {way: flat.total("elapsed", way) / run.total("elapsed", way) for way in ways}
    assert ratio["table"] > 2 and ratio["station"] > 2, ratio
    assert ratio["reread"] > 1.2 and 1 < ratio["far"] < 1.5, ratio
    assert ratio["own"] < 0.9, ratio
    return run, {"flat_hash": flat.hash, "flat_elapsed": flat.total("elapsed"),
                 **{way: round(ratio[way], 3) for way in ways}}


def other_protocol(numachine, experiment):
    """The same with reads granted clean exclusive."""
    run = Run(numachine, experiment, "--set", "protocol=numachine-ce")
    return {"exclusive_hash": run.hash, "exclusive_elapsed": run.total("elapsed")}


def speed_up(numachine, experiment):
    """A sweep: the same program with more and more threads, with and without false sharing."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        subprocess.run([numachine, "run", "-q", "-o", out, experiment], capture_output=True, text=True, check=True)
        elapsed = {(row["program.cflags"], int(row["program.processors"])): int(row["value"])
                   for row in Run.rows(out / "sweep.csv")
                   if (row["region"], row["component"], row["stat"]) == ("sum", "machine", "elapsed")}
        hashes = {path.parent.name: json.loads(path.read_text())["end"]["result_hash"]
                  for path in sorted(out.glob("points/*/manifest.json"))}
    apart, together = ([elapsed[f"[-O2, -DLINE={line}]", n] for n in (1, 2, 4, 8, 16)] for line in (64, 4))
    assert apart == sorted(apart, reverse=True) and 8.5 < apart[0] / apart[-1] < 10.5, apart
    assert 2.5 < together[-1] / together[0] < 4 and abs(together[0] / apart[0] - 1) < 0.01, together
    return {"apart": apart, "together": together, "result_hashes": hashes}


def mixed(numachine, experiment):
    """A sweep: two threads on R10000s, on one of each kind, on R4400s."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        subprocess.run([numachine, "run", "-q", "-o", out, experiment], capture_output=True, text=True, check=True)
        elapsed = collections.defaultdict(dict)
        for row in Run.rows(out / "sweep.csv"):
            if (row["component"], row["stat"]) == ("machine", "elapsed"):
                elapsed[row["program.args"]][row["region"]] = int(row["value"])
        said = [[int(n) for n in re.findall(r"card \d: (\d+) ns for a line of its own, (\d+) pieces", path.read_text())
                 for n in n] for path in sorted(out.glob("points/*/guest.stdout"))]
        hashes = {path.parent.name: json.loads(path.read_text())["end"]["result_hash"]
                  for path in sorted(out.glob("points/*/manifest.json"))}
    alike, both, old = said
    assert both[2] > 2 * both[0] and both[1] > 2 * both[3], "the R10000 has several misses under way"
    assert both[1] + both[3] == alike[1] + alike[3] == old[1] + old[3] == 128, said
    assert abs(alike[1] - alike[3]) < 32 and abs(old[1] - old[3]) < 32, said
    handed = [times["handover"] for times in elapsed.values()]
    assert len(handed) == 3 and max(handed) < 1.3 * min(handed), handed
    return {"elapsed": dict(elapsed), "said": said, "result_hashes": hashes}


SWEEPS = {"speed-up": speed_up, "mixed": mixed}
EXPERIMENTS = {"nack-histogram": nack_histogram, "ring-busy": ring_busy,
               "invalidate-histogram": invalidate_histogram, "barrier": barrier,
               "protocols": protocols}
CHEAP = ["nack-histogram", "invalidate-histogram"]  # the others take three times as long
BESIDES = "exclusive_"  # begins the golden numbers of what is asked besides
NOTE = "arm11-note"  # for another compiler than the others
ALL = [*SWEEPS, *teaching.CHARTS, *suite.CELLS, *EXPERIMENTS, *scaling.SWEEPS, NOTE]


def made_by(name, entry, others):
    """The compiler that an entry is of."""
    return (entry if name == NOTE else others)["compiler"]


def measure(numachine, home, name, whole=True):
    """An experiment's golden entry, if not `whole` without what is asked besides; None: it needs a compiler that is not
    installed."""
    if name in SWEEPS:
        return SWEEPS[name](numachine, f"{home}/experiments/{name}.yaml")
    if name == NOTE:
        return arm11_steps.measure(numachine, home) if shutil.which(arm11_steps.COMPILER) else None
    if name in teaching.CHARTS:
        return teaching.measure(numachine, home, name)
    if name in suite.CELLS:
        return suite.measure(numachine, home, name)
    if name in scaling.SWEEPS:
        return scaling.measure(numachine, home, name) if shutil.which("cc") else None
    run, numbers = EXPERIMENTS[name](numachine, f"{home}/experiments/{name}.yaml")
    if not whole:
        return {"result_hash": run.hash, **numbers}
    asked = Run(numachine, f"{home}/experiments/{name}.yaml", "--set", "run.truth=true")
    assert asked.hash == run.hash, "asking where time went, and why misses had to be, has changed the result"
    return {"result_hash": run.hash, **numbers, **other_protocol(numachine, f"{home}/experiments/{name}.yaml")}


def documents(home, golden, write=False):
    """Tables of documents are those of the golden numbers."""
    for room in (teaching, suite, scaling):
        room.readme(home, golden, write=write)


def write(numachine, home, golden_file, names):
    golden = json.loads(golden_file.read_text())
    golden["compiler"] = figures.compiler()
    for name in names or ALL:
        golden[name] = measure(numachine, home, name)
        if golden[name] is None:
            sys.exit(f"{name}: its compiler is not installed")
    golden_file.write_text(json.dumps(golden, indent=2) + "\n")
    documents(home, golden, write=True)


def check(numachine, home, golden, what, whole):
    """Whether an experiment has its golden numbers. @return whether it could be run"""
    found = measure(numachine, home, what, whole)
    if found is None:
        return False
    if not figures.comparable(made_by(what, golden[what], golden), made_by(what, found, {"compiler": figures.compiler()})):
        return True
    if what in teaching.EXERCISES:
        teaching.exercise(numachine, home, what)
    wanted = {key: value for key, value in golden[what].items() if whole or not key.startswith(BESIDES)}
    same = json.dumps(found, sort_keys=True) == json.dumps(wanted, sort_keys=True)  # NaN is not equal to itself
    assert same, f"found {found}\ngolden {wanted}"
    return True


def main():
    numachine, home, what = sys.argv[1:4]
    golden_file = pathlib.Path(home, "experiments/golden.json")
    if what == "--write":
        write(numachine, home, golden_file, sys.argv[4:])
        return
    golden = json.loads(golden_file.read_text())
    assert set(golden) == {"compiler", *ALL}, "experiments without golden results, or results of none"
    documents(home, golden)
    if what == "whole":
        for name in EXPERIMENTS:
            check(numachine, home, golden, name, True)
    elif not check(numachine, home, golden, what, what in CHEAP or what not in EXPERIMENTS):
        skip.skip("its compiler is not installed")


if __name__ == "__main__":
    main()
