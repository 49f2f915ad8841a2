#!/usr/bin/env -S python3 -S
"""
Sweeps: which points there are, what they are called, and that all of them come to an end whatever happens.

    sweep.py NUMACHINE GUEST points|run|kills
"""
import contextlib
import csv
import io
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import simulator

CARDS = 4  # of its one station
HEAD = "machine: station-4\nprogram: {path: guest, args: ['100']}\nmonitor: {events: [nacks]}\n"

RESULTS = ["sweep.csv"]  # of all points together

# A sweep, and how many points it has or, of each in order, what it sets.
EXPANSIONS = [
    ("{bus.fifo: [8, 9]}", ["bus.fifo=8", "bus.fifo=9"]),
    ("{bus.fifo: {from: 8, to: 10}}", ["bus.fifo=8", "bus.fifo=9", "bus.fifo=10"]),
    ("{bus.fifo: {from: 8, to: 13, step: 2}}", ["bus.fifo=8", "bus.fifo=10", "bus.fifo=12"]),
    ("{bus.fifo: {from: 8, to: 40, times: 2}}", ["bus.fifo=8", "bus.fifo=16", "bus.fifo=32"]),
    ("{bus.fifo: {from: 8, to: 8}}", ["bus.fifo=8"]),
    ("{l2.size: {from: 64KB, to: 512KB, times: 4}}", ["l2.size=64KB", "l2.size=256KB"]),
    ("{l2.size: [0.125MB]}", ["l2.size=128KB"]),
    ("{program.processors: [1, 2], run.seed: [3, 4]}",
     ["program.processors=1 run.seed=3", "program.processors=1 run.seed=4",
      "program.processors=2 run.seed=3", "program.processors=2 run.seed=4"]),
    ("{zip: [{program.processors: [1, 2], run.seed: [3, 4]}]}",
     ["program.processors=1 run.seed=3", "program.processors=2 run.seed=4"]),
    ("{bus.fifo: [8, 9], zip: [{program.processors: [1, 2], run.seed: [3, 4]}, {protocol: [flat, numachine]}]}", 8),
    ("{machine: [station-4, ring-16, {base: station-4, bus: {fifo: 9}}]}",
     ["machine=station-4", "machine=ring-16", "machine={base: station-4, bus: {fifo: 9}}"]),
    ("{program.args: [[1], [a b, 'c,d'], []]}",
     ["program.args=[1]", "program.args=[a b, 'c,d']", "program.args=[]"]),
    ('{program.args: [["a\\x85b", "it\'s", x], ["\\x01"], ["a\\nb"], [!!binary "//8="], [é]]}',
     ["program.args=[\"a\\x85b\", 'it''s', x]", r'program.args=["\x01"]', r'program.args=["a\x0ab"]', 'program.args=[!!binary "//8="]', "program.args=[é]"]),
    ("{program.path: [guest, ./guest]}", ["program.path=guest", "program.path=./guest"]),
    ("{protocol: [flat, numachine], where: [protocol != flat]}", ["protocol=numachine"]),
    ("{l2.size: [64KB, 128KB], where: [l2.size > 65536B]}", ["l2.size=128KB"]),
    ("{machine: [station-4, ring-16], where: ['machine == ring-16']}", ["machine=ring-16"]),
    ("{program.processors: [1, 2, 4], bus.fifo: [8, 9], where: [program.processors * 4 <= bus.fifo]}",
     ["program.processors=1 bus.fifo=8", "program.processors=1 bus.fifo=9",
      "program.processors=2 bus.fifo=8", "program.processors=2 bus.fifo=9"]),
    ("{program.processors: [1, 2, 3, 4], where: [program.processors >= 2, program.processors < 4]}", 2),
]

# A sweep, what is said of it, and the text at whose place that is said.
ERRORS = [
    ("3", "'sweep' is a single value", "3"),
    ("{}", "nothing in it", "{"),
    ("{bus.fifa: [8]}", "did you mean 'bus.fifo'?", "bus.fifa"),
    ("{program: {processors: [1]}}", "unknown key 'program'", "program:"),
    ("{sweep: [1]}", "'sweep' cannot be swept", "sweep: ["),
    ("{base: [station-4]}", "'base' cannot be swept", "base"),
    ("{bus.fifo: 8}", "expected a list of values", "8}"),
    ("{bus.fifo: []}", "has no values", "[]"),
    ("{bus.fifo: [8, x]}", "expected a whole number", "x]"),
    ("{bus.fifo: [8, 0]}", "out of range", "0]"),
    ("{bus.fifo: [8, '9']}", "in quotes", "'9'"),
    ("{bus.fifo: [8, 8]}", "has the value 8 twice", "8]"),
    ("{l2.size: [128KB, 0.125MB]}", "twice", "0.125MB"),
    ("{run.limit: [1ms, 7cy, 1000us]}", "has the value 1ms twice", "1000us"),
    ("{bus.fifo: [8], bus.fifo: [9]}", "there twice", "bus.fifo: [9"),
    ("{bus.fifo: [8], zip: [{bus.fifo: [9]}]}", "there twice", "bus.fifo: [9"),
    ("{bus.fifo: {from: 8}}", "needs from: and to:", "{from"),
    ("{bus.fifo: {from: 9, to: 8}}", "from: is above to:", "{from"),
    ("{bus.fifo: {from: 8, from: 9, to: 16}}", "'from' is given twice", "from: 9"),
    ("{bus.fifo: {from: 8, to: 9, to: 16}}", "'to' is given twice", "to: 16"),
    ("{bus.fifo: [8, 16], where: [bus.fifo < 9], where: [bus.fifo > 9]}", "'where' is given twice", "where: [bus.fifo > 9]"),
    ("{bus.fifo: {from: 1, to: 8, step: 2, times: 2}}", "not both", "{from"),
    ("{bus.fifo: {from: 1, to: 8, step: 0}}", "at least 1", "step"),
    ("{bus.fifo: {from: 1, to: 8, times: 1}}", "at least 2", "times"),
    ("{bus.fifo: {from: 1, to: 8, by: 1}}", "unknown in a range", "by"),
    ("{l2.size: {from: 64KB, to: 1MB, times: 2}}", "same unit", "to:"),
    ("{bus.fifo: {from: 0, to: 2}}", "out of range", "{from"),
    ("{run.seed: {from: 0, to: 99999}}", "more than 4096 values", "{from"),
    ("{run.seed: {from: 1, to: 4000}, bus.fifo: {from: 1, to: 50}}", "more than 10000 points", "{run"),
    ("{zip: 3}", "expected a list of mappings", "3}"),
    ("{zip: [3]}", "expected mappings", "3]"),
    ("{zip: [{bus.fifo: [8, 9], run.seed: [1]}]}", "goes along with", "run.seed"),
    ("{bus.fifo: [8], where: 3}", "expected a list of comparisons", "3}"),
    ("{bus.fifo: [8], where: [bus.fifo]}", "expected a comparison", "bus.fifo]"),
    ("{bus.fifo: [8], where: [bus.fifo < two]}", "'two' is not swept here", "two"),
    ("{bus.fifo: [8], where: ['bus.fifo < ']}", "the formula ends", "']"),
    ("{bus.fifo: [8], where: [bus.fifo / 0 == 1]}", "divides by zero", "bus.fifo / 0"),
    ("{bus.fifo: [8], where: [bus.fifo > 9]}", "refuses all of 1 point", "{bus"),
    ("{protocol: [flat], where: [protocol < flat]}", "no numbers", "protocol <"),
    ("{protocol: [flat], where: [protocol == mesi]}", "mesi", "protocol =="),
    ("{program.processors: [4, 5]}", "the machine has 4 cards", "5]"),
    ("{machine: [no-such]}", "no-such", "no-such"),
    ("{program.path: [gone]}", "cannot read", "gone"),
    ("{bus.fifo: {from: 1.5, to: 8}}", "but this is 1.5", "1.5"),
    ("{bus.fifo: {from: 1, to: 8, step: -1}}", "but this is -1", "-1"),
    ("{bus.fifo: {from: [1], to: 8}}", "but this is a list", "[1]"),
    ("{run.seed: [9007199254740993], where: [run.seed == 9007199254740992]}", "refuses all of 1 point", "{run"),
    ("{l2.size: [64KB, 65KB]}", "l2.size", "65KB"),
]


class Bench:
    def __init__(self, numachine, guest, directory):
        self.numachine, self.guest = numachine, guest
        self.directory = pathlib.Path(directory)
        self.failures = 0

    def expect(self, good, what):
        if not good:
            print("FAILED:", what)
            self.failures += 1

    def command(self, *words, **keywords):
        return simulator.bounded([self.numachine, *map(str, words)], capture_output=True, text=True,
                                 cwd=self.directory, **keywords)

    def write(self, sweep, name="s.yaml", head=HEAD):
        (self.directory / name).write_text(f"{head}sweep: {sweep}\n")
        return name

    def points(self, sweep, *words, **keywords):
        """{id: values} in order."""
        done = self.command("points", "--json", self.write(sweep, **keywords), *words)
        assert done.returncode == 0, done.stderr
        return {p["id"]: p["values"] for p in json.loads(done.stdout)}


def test_expansion(bench):
    for sweep, expected in EXPANSIONS:
        lines = bench.command("points", bench.write(sweep)).stdout.splitlines()
        rows = [line.partition(" ")[2] for line in lines]
        bench.expect(rows == expected or len(rows) == expected, f"{sweep}: {rows}")
        ids = [line.partition(" ")[0] for line in lines]
        bench.expect(len(set(ids)) == len(ids), f"{sweep}: {ids}")
        bench.expect(all(re.fullmatch(r"[a-z][\w.-]{12,62}", i) for i in ids), f"{sweep}: {ids}")


def test_errors(bench):
    for sweep, says, at in ERRORS:
        done = bench.command("points", bench.write(sweep))
        column = f"sweep: {sweep}".rindex(at) + 1
        bench.expect(done.returncode == 2 and says in done.stderr, f"{sweep} says {done.stderr}")
        bench.expect(f"s.yaml:4:{column}: error:" in done.stderr, f"{sweep} at {column}: {done.stderr}")
        bench.expect(done.stderr.count("error:") == 1, f"{sweep} says more than once: {done.stderr}")
        check = bench.command("check", "s.yaml")
        bench.expect(check.returncode == 2, f"check takes {sweep}")
    name = bench.write("{bus.fifo: [8]}")
    for words, says in [([name, "--set", "bus.fifo=9"], "the sweep sets 'bus.fifo'"),
                        ([name, "--set", "sweep={bus.fifo: [9]}"], "a sweep stands in a file"),
                        (["-"], "not standard input"), (["first-light"], "no sweep: in this file")]:
        done = bench.command("points", *words, input=HEAD + "sweep: {bus.fifo: [8]}\n")
        bench.expect(done.returncode == 2 and says in done.stderr, f"{words} says {done.stderr}")


def test_ids(bench):
    """The same point has the same id wherever and beside whatever it stands."""
    one = bench.points("{l2.size: [128KB], run.seed: [2]}")
    (point,) = one
    for sweep in ("{run.seed: [1, 2], l2.size: [64KB, 0.125MB]}", "{zip: [{l2.size: [128KB], run.seed: [2]}]}",
                  "{run.seed: {from: 1, to: 9}, l2.size: {from: 32KB, to: 128KB, times: 2}}"):
        found = bench.points(sweep)
        bench.expect(found.get(point) == {"l2.size": "128KB", "run.seed": "2"}, f"{sweep}: {sorted(found)}")
    bench.expect(point not in bench.points("{l2.size: [128KB], run.seed: [3]}"), "another point of the same id")
    bench.expect(len(bench.points("{run.limit: ['1ms', 7cy], where: [run.limit == 1000us]}")) == 1, "where: of a time")
    for same in (["1ms", "1000us", "1000000ns", "0.001s", "1.0ms"], ["1500us", "1.5ms"], ["7cy"], ["none"]):
        ids = {i for text in same for i in bench.points(f"{{run.limit: [{text}]}}")}
        bench.expect(len(ids) == 1, f"run.limit: {same} have the ids {ids}")
    bench.expect(point == "size128KB-seed2-" + point[-12:], point)
    bench.expect(point in bench.points("{l2.size: [128KB], run.seed: [2]}", "--set", "bus.fifo=9"), "--set moves ids")


def test_forms(bench):
    sweep = "{program.args: [[1], ['a,b', c]], bus.fifo: [8]}"
    points = bench.points(sweep)
    rows = list(csv.DictReader(io.StringIO(bench.command("points", "--csv", "s.yaml").stdout, newline="")))
    bench.expect([{k: v for k, v in row.items() if k != "point"} for row in rows] == list(points.values())
                 and [row["point"] for row in rows] == list(points), f"csv {rows}, json {points}")
    said = bench.command("check", "s.yaml").stdout
    bench.expect("2 points" in said and "program.args bus.fifo" in said, said)
    bench.expect("\nsweep" not in bench.command("check", "--all", "s.yaml").stdout, "check --all has the sweep")


def test_point_by_hand(bench):
    """What --set would do, a point does."""
    ids = bench.points("{program.processors: [2], l2.size: [64KB], program.args: [['7', '2']]}")
    (point,) = ids
    done = bench.command("run", "s.yaml", "--point", point, "-o", "point", "-q")
    bench.expect(done.returncode == 0, done.stderr)
    sets = [word for key, value in ids[point].items() for word in ("--set", f"{key}={value}")]
    bench.write("{bus.fifo: [8]}", "plain.yaml")
    plain = bench.directory / "plain.yaml"
    plain.write_text(plain.read_text().partition("sweep:")[0])
    done = bench.command("run", "plain.yaml", *sets, "-o", "hand", "-q")
    bench.expect(done.returncode == 0, done.stderr)
    for name in ("stats.csv", "guest.stdout"):
        bench.expect((bench.directory / "point" / name).read_bytes() == (bench.directory / "hand" / name).read_bytes(),
                     f"{name} of a point is another than by hand")
    resolved = (bench.directory / "point/config.resolved.yaml").read_text()
    bench.expect(len(re.findall(r"# sweep$", resolved, re.M)) == 3, resolved)
    manifest = json.loads((bench.directory / "point/manifest.json").read_text())["experiment"]
    bench.expect(manifest["point"] == point and manifest["origin"] == "sweep" and
                 manifest["assigned"] == [f"{k}={v}" for k, v in ids[point].items()], manifest)
    hand = json.loads((bench.directory / "hand/manifest.json").read_text())["experiment"]
    bench.expect(hand["point"] is None, hand)
    done = bench.command("run", "s.yaml", "--point", "nobody")
    bench.expect(done.returncode == 2 and "no point 'nobody'" in done.stderr, done.stderr)


# Arguments as YAML has them: what needs quotes, escapes, or is no text.
TEXTS = r"""['1', '1', '0', "a\x85b", "\u2028", "\ufeff", "\x01\t\x7f", "a\nb\r", ' it''s "\ ', '# no: comment', "", "\U0001f600", !!binary "//8="]"""


def test_texts(bench):
    """A value that is swept is the one that stands there."""
    (bench.directory / "texts.yaml").write_text(f"machine: station-4\nprogram: {{path: guest, args: {TEXTS}}}\n")
    (point,) = bench.points(f"{{program.args: [{TEXTS}]}}")
    seen = []
    for words in ["texts.yaml"], ["s.yaml", "--point", point]:
        done = bench.command("run", *words, "-o", "texts", "-q", "--force")
        bench.expect(done.returncode == 0, done.stderr)
        seen.append(re.search(r"^  args: (.*?) +# ", (bench.directory / "texts/config.resolved.yaml").read_text(), re.M)[1])
    bench.expect(seen[0] == seen[1], f"swept, {seen[0]} becomes {seen[1]}")


# Twelve points, some of them longer than others.
TWELVE = "{program.args: [['100'], ['3000', '2'], ['20000', '3']], run.seed: {from: 1, to: 4}}"
LONG = "{program.args: [['100'], ['1000', '2']], run.seed: {from: 1, to: 100}}"
ENDLESS = "{program.args: [['2000000000']], run.seed: [1, 2]}"


def files(directory):
    """What a sweep has that must not depend on how it was run."""
    found = {}
    for path in sorted((directory / "points").glob("*/*")):
        if path.name in ("stats.csv", "stats.json", "guest.stdout"):
            found[path.parent.name + "/" + path.name] = path.read_bytes()
    for name in RESULTS:
        if (directory / name).exists():
            found[name] = (directory / name).read_bytes()
    return found


def sweep(bench, out, *words, status=0, name="s.yaml", **keywords):
    done = bench.command("run", name, "-o", out, "-q", *words, **keywords)
    bench.expect(done.returncode == status, f"{out} {words}: status {done.returncode}, not {status}: {done.stderr}")
    return done


def states(bench, out):
    return [p["state"] for p in json.loads((bench.directory / out / "sweep.json").read_text())["points"]]


def is_clean(bench, out):
    left = [str(p) for pattern in ("points/*.part", "*.new", "logs") for p in (bench.directory / out).glob(pattern)]
    bench.expect(not left, f"{out}: left {left}")


def start(bench, out, *words, name="s.yaml"):
    return subprocess.Popen([bench.numachine, "run", name, "-o", out, "-q", *words], cwd=bench.directory,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def killed_and_resumed(bench, text, kills, seed):
    """As many kills, at random moments of a sweep, give the same as none."""
    bench.write(text)
    begin = time.monotonic()
    sweep(bench, f"whole-{seed}")
    took = time.monotonic() - begin
    moments = random.Random(seed)
    for _ in range(kills):
        process = start(bench, f"killed-{seed}", "--resume", f"-j{moments.randint(1, 3)}")
        try:
            process.wait(timeout=moments.uniform(0, took * 1.2 / kills + 0.1))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        points = bench.directory / f"killed-{seed}" / "points"
        for point in points.glob("*") if points.exists() else []:
            if point.suffix != ".part":
                manifest = json.loads((point / "manifest.json").read_text())
                bench.expect(manifest["status"] == "complete", f"{point} is {manifest['status']}")
    sweep(bench, f"killed-{seed}", "--resume")
    whole, killed = (files(bench.directory / f"{which}-{seed}") for which in ("whole", "killed"))
    bench.expect(whole and whole == killed, f"killed {kills} times: {sorted(set(whole) ^ set(killed))} of one only, or "
                 f"other bytes in {[n for n in whole if n in killed and whole[n] != killed[n]]}")
    bench.expect(set(states(bench, f"killed-{seed}")) == {"done"}, "not all is done")
    is_clean(bench, f"killed-{seed}")


def test_kills(bench):
    killed_and_resumed(bench, TWELVE, 6, 1)


def test_many_kills(bench):
    killed_and_resumed(bench, LONG, 20, 2)


def test_jobs_and_shards(bench):
    """Nothing of how it was run shows in the results."""
    bench.write(TWELVE)
    sweep(bench, "j1", "-j1")
    whole = files(bench.directory / "j1")
    for shards in (7,):
        parts = {}
        for shard in range(1, shards + 1):
            out = f"shard-{shard}-{shards}"
            sweep(bench, out, f"--shard={shard}/{shards}", "-j3")
            part = {n: b for n, b in files(bench.directory / out).items() if n not in RESULTS}
            bench.expect(not set(part) & set(parts), f"{shards} shards have points in common")
            parts.update(part)
        bench.expect(parts == {n: b for n, b in whole.items() if n not in RESULTS}, f"{shards} shards give others")
        directories = [f"shard-{shard}-{shards}" for shard in range(1, shards + 1)]
        done = bench.command("collect", *directories, "-q", "-o", f"all-{shards}")
        bench.expect(done.returncode == 0 and not done.stderr, done.stderr)
        for name in RESULTS:
            bench.expect((bench.directory / f"all-{shards}" / name).read_bytes() == whole[name],
                         f"{name} of {shards} shards is another")
    one = [sweep(bench, "shards", f"--shard={shard}/2", "--resume") for shard in (1, 2)]
    bench.expect(one and files(bench.directory / "shards") == whole, "two shards in one directory give others")


def test_results(bench):
    """The table has every statistic of every point, with its parameters; the database has the same."""
    bench.write("{l2.size: [64KB, 1MB], protocol: [flat, numachine]}")
    sweep(bench, "results")
    points = json.loads((bench.directory / "results/sweep.json").read_text())["points"]
    rows = list(csv.DictReader(open(bench.directory / "results/sweep.csv", newline="", encoding="utf-8")))
    bench.expect(list(rows[0]) == ["point", "l2.size", "protocol", "region", "component", "stat", "value", "unit"], rows[0])
    bench.expect({(r["l2.size"], r["protocol"]) for r in rows} ==
                 {(size, protocol) for size in ("65536", "1048576") for protocol in ("flat", "numachine")}, "parameters")
    at = 0
    for point in points:
        path = bench.directory / "results/points" / point["id"] / "stats.csv"
        for row in csv.DictReader(open(path, newline="", encoding="utf-8")):
            mine = rows[at]
            at += 1
            bench.expect((mine["point"], mine["region"], *[mine[n] for n in ("component", "stat", "value", "unit")]) ==
                         (point["id"], row["snapshot"], *[row[n] for n in ("component", "stat", "value", "unit")]), mine)
    bench.expect(at == len(rows), f"{len(rows)} rows of {at}")
    with contextlib.closing(sqlite3.connect(bench.directory / "results/sweep.sqlite")) as base:
        stored = base.execute("SELECT point, region, component, stat, value FROM statistics").fetchall()
        bench.expect([(r["point"], r["region"], r["component"], r["stat"], float(r["value"] or "nan")) for r in rows
                      if r["value"]] == [(*row[:4], float(row[4])) for row in stored if row[4] is not None], "statistics")
        bench.expect(len(stored) == len(rows), "as many statistics")
        values = base.execute("SELECT value, text, typeof(value) FROM parameters WHERE key = 'l2.size'").fetchall()
        bench.expect(set(values) == {(65536, "64KB", "integer"), (1048576, "1MB", "integer")}, values)
        runs = base.execute("SELECT point, reason, exit_code, ticks > 0 FROM runs ORDER BY rowid").fetchall()
        bench.expect(runs == [(p["id"], "exited", 0, 1) for p in points], runs)
        counted = base.execute("SELECT sum(count) FROM histograms WHERE source = 'coherence'").fetchone()[0]
        parts = [row for p in points for row in csv.DictReader(
            open(bench.directory / "results/points" / p["id"] / "monitor/coherence_histogram.csv", newline="",
                 encoding="utf-8"))]
        bench.expect(counted == sum(int(row["count"]) for row in parts), "histograms")


def shown(bench, head, out, *words):
    """The table of a sweep that has ended: [[cell]]."""
    bench.write("{program.processors: [1, 2], protocol: [flat, numachine]}", head=head)
    done = bench.command("run", "s.yaml", "-o", out, *words)
    table = done.stderr[done.stderr.index("  processors"):] if "  processors" in done.stderr else ""
    again = bench.command("collect", out, "-o", f"{out}-collected").stderr
    bench.expect(not words or not table, done.stderr)
    bench.expect(words or again.startswith(table.partition("\n4 done")[0]), (again, table))
    return [re.split(r" {2,}", line.strip()) for line in table.splitlines() if line.startswith("  ")]


def test_shown(bench):
    """A sweep that has ended prints its results: those of show:, else of expect:, else the usual ones."""
    expect = HEAD + "expect: {stats: [{stat: machine.truth.loads, at_least: 1000000000}]}\n"
    show = expect + "show: [machine.truth.stores, whole/machine.elapsed]\n"
    for number, (head, stats) in enumerate([(HEAD, ["elapsed", "metric.ipc", "metric.mean_read_latency"]), (expect, ["truth.loads"]),
                                            (show, ["truth.stores", "elapsed"])]):
        heading, units, *rows = shown(bench, head, f"shown{number}")
        bench.expect(heading[:2] == ["processors", "protocol"], heading)
        bench.expect([name.rpartition("/")[2] for name in heading[2:2 + len(stats)]] == [s.removeprefix("metric.") for s in stats], heading)
        bench.expect(units[-1] == {"metric.mean_read_latency": "cycles", "elapsed": "PCycles"}.get(stats[-1], "instructions"), units)
        bench.expect(heading[2 + len(stats):] == ["ended"] * (number > 0), heading)
        table = list(csv.DictReader(open(bench.directory / f"shown{number}/sweep.csv", newline="", encoding="utf-8")))
        for row in rows:
            its = {r["stat"]: r["value"] for r in table if (r["program.processors"], r["protocol"], r["component"], r["region"]) ==
                   (row[0], row[1], "machine", "whole")}
            bench.expect([f"{float(v):.6g}" for v in row[2:2 + len(stats)]] == [f"{float(its[s]):.6g}" for s in stats], (row, stats))
            bench.expect(row[2 + len(stats):] == ["status 1"] * (number > 0), row)
        bench.expect(len(rows) == 4, rows)
    bench.expect(shown(bench, HEAD, "unshown", "-q") == [], "--quiet shows a table")
    for head, words, sentence in [(HEAD + "show: [machine.truth.lods]\n", [], "did you mean machine.truth.loads?"),
                                  (HEAD + "show: [loads]\n", [], "paths begin with 'machine.'")]:
        bench.write("{program.processors: [1]}", head=head)
        done = bench.command("run", "s.yaml", "-o", "refused", *words)
        bench.expect(done.returncode == 2 and sentence in done.stderr, done.stderr)
    (bench.directory / "alone.yaml").write_text(HEAD + "show: [machine.elapsed]\n")
    done = bench.command("check", "alone.yaml")
    bench.expect(done.returncode == 2 and "'show' is of a sweep" in done.stderr, done.stderr)


def test_bins(bench):
    """The words of the cards' memories are in the database."""
    bench.write("{run.seed: [1]}")
    sweep(bench, "bins", "--set", "monitor.histogram.source=service-time-linear")
    (path,) = (bench.directory / "bins").glob("points/*/monitor/histogram.csv")
    with open(path, newline="", encoding="utf-8") as file:
        rows = [(f"machine.station[{int(r['card']) // CARDS}].card[{int(r['card']) % CARDS}]", r["bin"], int(r["lo"]), int(r["hi"]) if r["hi"] else None, int(r["count"]), r["unit"])
                for r in csv.DictReader(file)]
    with contextlib.closing(sqlite3.connect(bench.directory / "bins/sweep.sqlite")) as base:
        stored = base.execute("SELECT component, bin, lo, hi, count, unit FROM histograms WHERE source = 'card'").fetchall()
        strange = base.execute("SELECT DISTINCT source, component FROM histograms WHERE NOT EXISTS (SELECT 1 FROM"
                               " statistics s WHERE s.point = histograms.point AND"
                               " s.component = histograms.component)").fetchall()
    bench.expect(not strange, f"nothing in the statistics goes with {strange[:3]}")
    bench.expect(rows and rows == stored, f"{rows[:3]} ... in the file, {stored[:3]} ... in the database")
    bench.write(TWELVE)


def test_collect(bench):
    whole = files(bench.directory / "j1")
    done = bench.command("collect", "shard-1-7", "shard-3-7", "-o", "few")
    bench.expect(done.returncode == 1 and "of 12 points are not there" in done.stderr, done.stderr)
    (bench.directory / "j1/sweep.csv").unlink()
    bench.expect(bench.command("collect", "j1").returncode == 0 and files(bench.directory / "j1") == whole, "collect again")
    done = bench.command("collect", "j1", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
    bench.expect(done.returncode == 5 and "cannot write" in done.stderr, done.stderr)
    bench.expect(files(bench.directory / "j1") == whole and not list((bench.directory / "j1").glob("*.new")),
                 "a full disk has taken results away")
    bench.write("{run.seed: [1]}")
    sweep(bench, "other")
    before = files(bench.directory / "other")
    done = bench.command("collect", "j1", "-o", "other")
    bench.expect(done.returncode == 2 and "'other' holds another sweep" in done.stderr, done.stderr)
    bench.expect(files(bench.directory / "other") == before, "another sweep's results are gone")
    point = sorted((bench.directory / "j1/points").iterdir())[0]
    (bench.directory / "file").write_text("mine")
    for name, says in [(f"j1/points/{point.name}", "holds the results of a run; give another --output"),
                       ("file", "'file' is not a directory")]:
        before = sorted(point.iterdir())
        done = bench.command("collect", "j1", "-o", name)
        bench.expect(done.returncode == 2 and says in done.stderr, f"{name}: {done.stderr}")
        bench.expect(sorted(point.iterdir()) == before and (bench.directory / "file").read_text() == "mine", name)
    (bench.directory / "notes").mkdir()
    for name in ("sweep.csv", "sweep.gp", "sweep.sqlite"):
        (bench.directory / "notes" / name).write_text("mine")
        done = bench.command("collect", "j1", "-o", "notes")
        bench.expect(done.returncode == 2 and f"'notes' holds {name}, which is not of a sweep" in done.stderr, done.stderr)
        bench.expect((bench.directory / "notes" / name).read_text() == "mine", name)
        (bench.directory / "notes" / name).unlink()
    (bench.directory / "notes/mine.txt").write_text("mine")
    for _ in range(2):
        done = bench.command("collect", "j1", "-o", "notes")
        bench.expect(done.returncode == 0, f"collect beside others' files, and again: {done.stderr}")
    (bench.directory / "none").mkdir()
    shutil.copy(bench.directory / "j1/sweep.json", bench.directory / "none")
    done = bench.command("collect", "none", "-o", "never")
    bench.expect(done.returncode == 2 and "none of the sweep's 12 points is there: nothing is written" in done.stderr,
                 done.stderr)
    bench.expect(not (bench.directory / "never").exists() and os.listdir(bench.directory / "none") == ["sweep.json"], "none")
    for name in ("file:uri?mode=memory", "file:a%20b"):
        done = bench.command("collect", "j1", "-o", name)
        bench.expect(done.returncode == 0 and (bench.directory / name / "sweep.csv").exists()
                     and sqlite3.connect(bench.directory / name / "sweep.sqlite").execute("SELECT count(*) FROM runs")
                     .fetchone() == (12,), f"{name}: {done.stderr}")
    (bench.directory / "broken").mkdir()
    (bench.directory / "broken/sweep.json").write_text("{")
    for id_of in "", ".", "../other", None:
        index = {"parameters": [], "points": [{"id": id_of, "digest": ""}]}
        (bench.directory / "broken/sweep.json").write_text(json.dumps(index))
        done = bench.command("collect", "broken")
        bench.expect(done.returncode == 2 and "has a point whose id is no name" in done.stderr, f"{id_of}: {done.stderr}")
    (bench.directory / "broken/sweep.json").write_text("{")
    for words, says in [(["j1", "other", "-o", "x"], "different sweeps"), (["nothing"], "holds no sweep"),
                        (["broken"], "cannot read 'broken/sweep.json'"), ([], "which DIR?"), (["j1", "few"], "where to?")]:
        done = bench.command("collect", *words)
        bench.expect(done.returncode == 2 and says in done.stderr, f"{words}: {done.stderr}")
    bench.write(TWELVE)


def damage(path, how):
    """What may have happened to a point's file since it was written."""
    if how == "cut":
        os.truncate(path, path.stat().st_size // 2)
    elif how == "longer":
        path.write_bytes(path.read_bytes() + b"\n")
    else:
        path.unlink()
        if how == "fifo":
            os.mkfifo(path)


def test_damage(bench):
    """A point that is not as it was written is neither kept nor collected; nor are two of one name with other results."""
    point = sorted((bench.directory / "j1/points").iterdir())[3].name
    for name, how in [("stats.csv", "cut"), ("stats.csv", "longer"), ("stats.csv", "fifo"), ("stats.json", "gone"),
                      ("manifest.json", "cut"), ("manifest.json", "gone"), ("manifest.json", "fifo")]:
        out = bench.directory / f"damaged-{name}-{how}"
        shutil.copytree(bench.directory / "j1", out)
        damage(out / "points" / point / name, how)
        done = bench.command("collect", out.name, "-o", "x")
        bench.expect(done.returncode == 2 and f"{point}' cannot be taken: it " in done.stderr, f"{name} {how}: {done.stderr}")
        bench.expect(not (bench.directory / "x").exists(), f"{name} {how}: collected all the same")
        done = sweep(bench, out.name, "--resume", status=2)
        bench.expect(f"{point}' cannot be kept: it" in done.stderr, f"{name} {how}: {done.stderr}")
    shutil.rmtree(out / "points" / point)
    sweep(bench, out.name, "--resume")
    bench.expect(files(out) == files(bench.directory / "j1"), f"{name} {how}: other results after it was run again")
    for how in "cut", "gone":
        damage(out / "sweep.json", how)
        done = sweep(bench, out.name, "--resume")
        bench.expect("it is written anew" in done.stderr, f"sweep.json {how}: {done.stderr}")
        bench.expect(files(out) == files(bench.directory / "j1"), f"sweep.json {how}: other results")
    (out / "sweep.json").unlink()
    (out / "points/another").mkdir()
    done = sweep(bench, out.name, "--resume", status=2)
    bench.expect("points that are not this sweep's" in done.stderr, done.stderr)
    bench.expect(sweep(bench, out.name, status=2).stderr, "it began anew there")
    sweep(bench, "slow-bus", "--set", "bus.clock=25MHz")
    done = bench.command("collect", "j1", "slow-bus", "-o", "x")
    bench.expect(done.returncode == 2 and "points with other inputs" in done.stderr, done.stderr)
    mixed = bench.directory / "mixed"
    shutil.copytree(bench.directory / "j1", mixed)
    shutil.rmtree(mixed / "points" / point)
    shutil.copytree(bench.directory / "slow-bus/points" / point, mixed / "points" / point)
    done = bench.command("collect", "mixed", "-o", "x")
    bench.expect(done.returncode == 2 and "its inputs were others than the sweep's" in done.stderr, done.stderr)


def test_failures(bench):
    """A failed point is said, its log is kept, the others are run; again, it alone is tried again."""
    bench.write("{program.args: [['100'], ['10', '1', stuck], ['10', '1', '3'], ['200']]}")
    done = sweep(bench, "failing", status=3)
    bench.expect(states(bench, "failing") == ["done", "failed", "done", "done"], states(bench, "failing"))
    bench.expect("failed: status 3; see failing/logs/args10-1-stuck-" in done.stderr and
                 "ended with status 1" in done.stderr, done.stderr)
    logs = [p.read_text() for p in (bench.directory / "failing/logs").iterdir()]
    bench.expect(len(logs) == 1 and "waits for itself" in logs[0] or "deadlock" in logs[0], logs)
    bench.expect(len(list((bench.directory / "failing/failed").glob("*/manifest.json"))) == 1, "nothing is left")
    before = files(bench.directory / "failing")
    again = bench.command("run", "s.yaml", "-o", "failing", "--resume")
    bench.expect(re.search(r"point args10-1-3-\w+ had ended with status 1", again.stderr), again.stderr)
    bench.expect(again.returncode == 3 and "3 done (3 kept from before), 1 failed" in again.stderr, again.stderr)
    bench.expect(files(bench.directory / "failing") == before, "what was kept is another")
    for path, expected in (("'1', '3'", 1), ("'1', '0'", 0)):
        bench.write("{program.args: [['10', " + path + "]]}")
        sweep(bench, f"ends-{expected}", status=expected)
    bench.write("{program.args: [['1000000']], run.seed: [1]}", head=HEAD + "run: {limit: 1ms}\n")
    sweep(bench, "limit", status=6)
    bench.expect(states(bench, "limit") == ["done"], "a limit is an end")


def test_two_at_once(bench):
    bench.write(ENDLESS)
    first = start(bench, "both", "-j1")
    try:
        while not list((bench.directory / "both").glob("points/*.part/config.resolved.yaml")):
            assert first.poll() is None, "the sweep has ended"
            time.sleep(0.01)
        bench.expect("holds a sweep" in sweep(bench, "both", status=2).stderr, "a second sweep began")
        bench.expect("a sweep is running in 'both'" in sweep(bench, "both", "--resume", status=2).stderr,
                     "a second sweep went on")
        done = bench.command("collect", "both")
        bench.expect(done.returncode == 2 and "a sweep is running in 'both'" in done.stderr, f"collected: {done.stderr}")
        part = next((bench.directory / "both").glob("points/*.part"))
        bench.expect("config.resolved.yaml" in [p.name for p in part.iterdir()], "the first one has lost something")
    finally:
        first.send_signal(signal.SIGINT)
        bench.expect(first.wait(timeout=600) == 130, f"interrupted: {first.returncode}")
    is_clean(bench, "both")
    bench.expect(states(bench, "both") == ["waiting", "waiting"], states(bench, "both"))


def test_log_of_finished(bench):
    """A kill between a point's name and the end of its log leaves the log; it goes with the next sweep."""
    point = sorted((bench.directory / "j1/points").iterdir())[0].name
    (bench.directory / "j1/logs").mkdir()
    (bench.directory / "j1/logs" / f"{point}.txt").write_text("")
    bench.write(TWELVE)
    sweep(bench, "j1", "--resume")
    is_clean(bench, "j1")


def test_refusals(bench):
    """A clear message, and nothing lost."""
    bench.write(TWELVE)
    sweep(bench, "full", status=5, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
    bench.expect(set(states(bench, "full")) == {"failed"}, states(bench, "full"))
    sweep(bench, "full", "--resume")
    bench.expect(files(bench.directory / "full") == files(bench.directory / "j1"), "other results after a full disk")
    done = sweep(bench, "/proc/sweep", status=5)
    bench.expect("cannot make directory '/proc/sweep'" in done.stderr, done.stderr)
    if os.geteuid():
        (bench.directory / "readonly").mkdir(mode=0o555)
        done = sweep(bench, "readonly", status=5)
        bench.expect("cannot" in done.stderr, done.stderr)
    (bench.directory / "others").mkdir()
    (bench.directory / "others/mine.txt").write_text("")
    for out in ("others", "j1"):
        before = sorted((bench.directory / out).rglob("*"))
        sweep(bench, out, status=2)
        bench.expect(sorted((bench.directory / out).rglob("*")) == before, f"{out} is another now")
    bench.expect("--force: a sweep replaces nothing" in sweep(bench, "j1", "--force", status=2).stderr, "--force")
    before = files(bench.directory / "j1")
    done = sweep(bench, "j1", "--resume", "--set", "bus.fifo=9", status=2)
    bench.expect("cannot be kept: its parameters are others" in done.stderr, done.stderr)
    bench.expect(files(bench.directory / "j1") == before, "a refused sweep has changed something")
    for words, says in [(["--resume"], "which directory?"), (["--point", "a", "-j1"], "exclude each other")]:
        done = bench.command("run", "s.yaml", *words)
        bench.expect(done.returncode == 2 and says in done.stderr, f"{words}: {done.stderr}")
    (bench.directory / "plain.yaml").write_text(HEAD)
    done = bench.command("run", "plain.yaml", "-j1")
    bench.expect(done.returncode == 2 and "has no sweep" in done.stderr, done.stderr)


def test_unfinished(bench):
    """A directory in which nothing is finished yet is another sweep's by its name; a mistake may be mended there."""
    bench.write("{run.seed: [1]}", "first.yaml", HEAD.replace("['100']", "['100', 'mistaken']"))
    sweep(bench, "unfinished", name="first.yaml")
    shutil.rmtree(bench.directory / "unfinished/points")
    bench.write("{run.seed: [1]}", "second.yaml")
    for dry in [], ["--dry-run"]:
        done = sweep(bench, "unfinished", "--resume", *dry, status=2, name="second.yaml")
        bench.expect("holds another sweep: its experiment has another name" in done.stderr, done.stderr)
    bench.write("{run.seed: [1]}", "first.yaml")
    sweep(bench, "unfinished", "--resume", name="first.yaml")


CHANGED = HEAD + "# with the program changed\n"

# What may be another between two sweeps into one directory, and what is said of it.
OTHERS = [
    (HEAD.replace("machine:", "about: words for people\nmachine:"), "{run.seed: [1, 2]}", ""),
    (HEAD, "{run.seed: [2, 1, 3]}", ""),
    (HEAD.replace("['100']", "['101']"), "{run.seed: [1, 2]}", "cannot be kept: its parameters are others"),
    (CHANGED, "{run.seed: [1, 2]}", "cannot be kept: its program is another one"),
    (HEAD + "expect: {stats: [{stat: machine.elapsed, points: [run.seed=1, run.seed=2], at_least: 0.1}]}\n",
     "{run.seed: [1, 2]}", ""),
    (HEAD + "expect: {status: 1}\n", "{run.seed: [1, 2]}", "cannot be kept: what is expected of it is something else"),
    (HEAD.replace("[nacks]", "[invalidates_done]"), "{run.seed: [1, 2]}", "its parameters"),
    (HEAD.replace("args: ['100']", "args: ['100'], stdin: input"), "{run.seed: [1, 2]}", "its standard input is another"),
    (HEAD.replace("['100']", "['101']"), "{run.seed: [7]}", "holds points of another sweep: its parameters are others"),
    (HEAD, "{bus.fifo: [8, 9]}", "holds points of another sweep: it has other parameters"),
    (HEAD, "{run.seed: [7]}", ""),
]


def test_others(bench):
    """What was kept is known by what it depends on, not by what files are called; a foreign sweep is left alone."""
    guest = bench.directory / "guest"
    (bench.directory / "input").write_text("words\n")
    bench.write("{run.seed: [1, 2]}")
    sweep(bench, "known")
    for head, text, says in OTHERS:
        out = bench.directory / "kept"
        shutil.copytree(bench.directory / "known", out)
        bench.write(text, "renamed.yaml", head)
        before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
        if head is CHANGED:
            guest.unlink()
            guest.write_bytes(pathlib.Path(bench.guest).read_bytes() + b"\0")
        done = sweep(bench, "kept", "--resume", status=2 if says else 0, name="renamed.yaml")
        guest.unlink()
        guest.symlink_to(bench.guest)
        bench.expect(says in done.stderr, f"{text} {head}: {done.stderr}")
        if says:
            bench.expect(before == {path: path.stat().st_mtime_ns for path in out.rglob("*")}, f"{head}: changed")
        shutil.rmtree(out)


def test_gone(bench):
    """A point that somebody removes while the others run is not done."""
    (point, _) = bench.points("{program.args: [['10'], ['2000000000']], run.seed: [1]}")  # writes the file
    process = start(bench, "gone", "-j2")
    while not (bench.directory / "gone/points" / point).exists():
        assert process.poll() is None, "the sweep has ended"
        time.sleep(0.01)
    shutil.rmtree(bench.directory / "gone/points" / point)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=600)
    bench.expect(states(bench, "gone") == ["failed", "waiting"], states(bench, "gone"))


def test_compiler(bench):
    """A compiler that has no room is the host's fault, one that finds mistakes the program's."""
    (bench.directory / "bin").mkdir()
    compiler = bench.directory / "bin/mips-linux-gnu-gcc"
    (bench.directory / "source.c").write_text("int main(void) { return 0; }\n")
    bench.write("{run.seed: [1]}", "built.yaml", "machine: station-4\nprogram: {source: source.c}\n")
    for says, status in [("No space left on device", 5), ("Disk quota exceeded", 5), ("expected ';'", 2)]:
        compiler.write_text(f"#!/bin/sh\necho \"source.c: {says}\" >&2\nexit 1\n")
        compiler.chmod(0o755)
        environment = {**os.environ, "PATH": f"{bench.directory}/bin:{os.environ['PATH']}"}
        sweep(bench, f"built-{status}-{len(says)}", status=status, name="built.yaml", env=environment)


def test_dry_run(bench):
    bench.write(TWELVE)
    done = bench.command("run", "s.yaml", "--dry-run", "-o", "j1")
    bench.expect(done.returncode == 2 and "'j1' holds a sweep" in done.stderr, done.stderr)
    lines = bench.command("run", "s.yaml", "--dry-run", "-o", "dry").stdout.splitlines()
    bench.expect(len(lines) == 12 and all("its time is not known" in line for line in lines), lines)
    bench.expect(not (bench.directory / "dry").exists(), "a dry run has made something")
    (bench.directory / "strange").mkdir()
    (bench.directory / "strange/mine.txt").write_text("")
    point = sorted((bench.directory / "j1/points").iterdir())[0].name
    for out in ("strange", "s.yaml", f"j1/points/{point}"):  # what a sweep would refuse, a dry run refuses
        for resume in ([], ["--resume"]):
            said = [bench.command("run", "s.yaml", "-q", "-o", out, *resume, *dry) for dry in ([], ["--dry-run"])]
            bench.expect([s.returncode for s in said] == [2, 2] and said[0].stderr == said[1].stderr, f"{out}: {said}")
    bench.write(TWELVE.replace("4}", "5}"))
    lines = bench.command("run", "s.yaml", "--dry-run", "-o", "j1", "--resume").stdout.splitlines()
    kinds = [line.split()[0] for line in lines]
    bench.expect(kinds == ["keep"] * 12 + ["run"] * 3 and "about" in lines[-1], lines)
    costs = [float(line.partition("about ")[2].split()[0]) for line in lines[12:]]
    bench.expect(costs == sorted(costs, reverse=True), f"not the longest first: {costs}")


PARTS = {
    "run": [test_jobs_and_shards, test_results, test_shown, test_bins, test_collect, test_damage, test_kills, test_failures,
            test_two_at_once, test_refusals, test_log_of_finished, test_others, test_unfinished, test_gone, test_compiler, test_dry_run],
    "kills": [test_many_kills],
    "points": [test_expansion, test_errors, test_ids, test_forms, test_point_by_hand, test_texts],
}


def main():
    numachine, guest = (str(pathlib.Path(a).absolute()) for a in sys.argv[1:3])
    part = sys.argv[3]
    with tempfile.TemporaryDirectory(prefix="numachine-") as directory:
        bench = Bench(numachine, guest, directory)
        (bench.directory / "guest").symlink_to(guest)
        for test in PARTS[part]:
            test(bench)
    print(f"{bench.failures} failures")
    return bench.failures != 0


sys.exit(main())
