#!/usr/bin/env python3
"""
Sweeps: which points there are, and what they are called.

    sweep.py NUMACHINE GUEST points
"""
import csv
import io
import json
import pathlib
import re
import sys
import tempfile

import simulator

HEAD = "machine: station-4\nprogram: {path: guest, args: ['100']}\nmonitor: {events: [nacks]}\n"

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
    ("{bus.fifo: [8], bus.fifo: [9]}", "there twice", "bus.fifo: [9"),
    ("{bus.fifo: [8], zip: [{bus.fifo: [9]}]}", "there twice", "bus.fifo: [9"),
    ("{bus.fifo: {from: 8}}", "needs from: and to:", "{from"),
    ("{bus.fifo: {from: 9, to: 8}}", "from: is above to:", "{from"),
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
    ("{bus.fifo: [8], where: [bus.fifo > 9]}", "refuses all 1 points", "{bus"),
    ("{protocol: [flat], where: [protocol < flat]}", "no numbers", "protocol <"),
    ("{protocol: [flat], where: [protocol == mesi]}", "mesi", "protocol =="),
    ("{program.processors: [4, 5]}", "the machine has 4 cards", "5]"),
    ("{machine: [no-such]}", "no-such", "no-such"),
    ("{program.path: [gone]}", "cannot read", "gone"),
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


PARTS = {
    "points": [test_expansion, test_errors, test_ids, test_forms, test_point_by_hand],
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
