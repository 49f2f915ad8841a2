#!/usr/bin/env -S python3 -S
"""
numachine diff and compare: every difference of two runs with what their files say, worked out here; what is the same;
and directories that are damaged, each with one line and status 2.

    diff.py NUMACHINE GUEST
"""
import csv
import io
import json
import os
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import simulator

PARTS = ("statistics", "functions", "objects")


def command(*words, status=0):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, check=False,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == status, (words, done.returncode, done.stdout[:400], done.stderr)
    return done


def snapshots(directory):
    return {s["name"]: s["stats"] for s in json.loads((directory / "stats.json").read_text())["snapshots"]}


def value(stats, component, stat):
    """What docs/results.md says of a statistic that is left out."""
    part = stats.get(component, {})
    if stat in part:
        return part[stat]
    counted = not stat.startswith("monitor.") or stat in stats["machine"]
    if component == "machine" or stat.startswith(("metric.", "group.")) or not counted:
        return None
    return 0


def changes(a, b):
    """{(region, path): (a, b)} of all that differs."""
    found = {}
    for region in a.keys() & b.keys():
        for component in a[region].keys() | b[region].keys():
            for stat in a[region].get(component, {}).keys() | b[region].get(component, {}).keys():
                pair = value(a[region], component, stat), value(b[region], component, stat)
                if pair[0] != pair[1]:
                    found[region, f"{component}.{stat}"] = pair
    return found


def relative(a, b):
    if a is None or b is None:
        return 1
    return abs(b - a) / max(abs(a), abs(b))


def weight(a, b):
    most = max(abs(a or 0), abs(b or 0))
    real = isinstance(a, float) or isinstance(b, float)
    return relative(a, b) * (1 if real else most / (most + 100))


class Bench:
    def __init__(self, numachine, guest, directory):
        self.numachine, self.guest, self.directory = numachine, guest, directory

    def stat(self, name, *options, args=("60", "00")):
        out = self.directory / name
        command(self.numachine, "stat", "-q", "-m", "station-4", "-o", out, *options, "--", self.guest, *args)
        return out

    def diff(self, a, b, *options, status=1):
        return command(self.numachine, "diff", a, b, *options, status=status).stdout

    def json(self, a, b, *options, status=1):
        return json.loads(self.diff(a, b, "--format=json", *options, status=status))


def numbers(bench, a, b):
    """Every row of statistics is one of the files' differences, and the other way round."""
    expected = changes(snapshots(a), snapshots(b))
    everything = bench.json(a, b, "--all")
    rows = {(row["region"], row["name"]): (row["a"], row["b"]) for row in everything["statistics"]}
    assert rows.keys() == expected.keys(), rows.keys() ^ expected.keys()
    for key, (x, y) in expected.items():
        assert rows[key] == (x, y), (key, rows[key], x, y)
    weights = [weight(row["a"], row["b"]) for row in everything["statistics"]]
    assert all(x >= y - 1e-9 for x, y in zip(weights, weights[1:])), "not sorted by weight"
    for row in everything["statistics"]:
        if row["a"]:
            percent = 100 * (row["b"] - row["a"]) / abs(row["a"]) if row["b"] is not None else None
            assert percent is None or math.isclose(row["percent"], percent, rel_tol=1e-9), row
        assert row["unit"], row
    for threshold in (0, 1, 25, 99.5):
        some = bench.json(a, b, f"--threshold={threshold}")["statistics"]
        wanted = {key for key, pair in expected.items() if is_machine(snapshots(a), key[1])
                  and 100 * relative(*pair) >= threshold}
        assert {(row["region"], row["name"]) for row in some} == wanted, threshold
    return everything


def is_machine(stats, path):
    return any(path == f"machine.{stat}" for region in stats.values() for stat in region["machine"])


def formats(bench, a, b):
    everything = bench.json(a, b, "--all")
    rows = list(csv.DictReader(io.StringIO(bench.diff(a, b, "--all", "--format=csv"))))
    assert [row["name"] for row in rows if row["part"] == "configuration"] == [
        row["key"] for row in everything["configuration"]]
    for part in PARTS:
        mine = [row for row in rows if row["part"] == part]
        assert len(mine) == len(everything[part]), part
        for row, other in zip(mine, everything[part]):
            assert (row["region"], row["name"], row["unit"]) == (other["region"], other["name"], other["unit"])
            for k in "ab":
                got = float(row[k]) if row[k] else None
                assert got is None and other[k] is None or math.isclose(got, other[k], rel_tol=1e-11), (row, other)
    text = bench.diff(a, b)
    assert text.startswith(f"# A: {a}, complete\n# B: {b}, complete\n# configuration:\n"), text
    rows = bench.json(a, b)["statistics"]
    asked = [row for row in rows if row["region"] == "whole" and row["name"].startswith("machine.monitor.")]
    said = set(re.findall(r"  (machine\.monitor\.\w+)", text))
    assert asked and said == {row["name"] for row in asked}, ("events counted are always there", said)
    first = sum(row in asked for row in rows[:20])
    assert f"# {len(rows) - 20 - len(asked) + first} more (--all)" in text, text


def configuration(bench, a, b):
    """What was asked for otherwise, with where it was asked for."""
    got = {row["key"]: row for row in bench.json(a, b)["configuration"]}
    assert got.keys() == {"machine.bus.clock", "program.args", "run.seed"}, got
    clock = got["machine.bus.clock"]
    assert (clock["a"], clock["b"], clock["b_origin"]) == ("50MHz", "25MHz", "--set"), clock
    assert clock["a_origin"].startswith("configs/station-4.yaml:"), clock
    assert (got["run.seed"]["a"], got["run.seed"]["b"], got["run.seed"]["a_origin"]) == ("1", "7", "default"), got
    assert got["program.args"]["b"] == "[60, 09]", got
    text = bench.diff(a, b)
    assert "#   machine.bus.clock\n#     A: 50MHz  (configs/station-4.yaml:" in text, text
    assert "#     B: 25MHz  (--set)\n" in text, text


def functions(bench, a, b, everything):
    """PCycles of each function with those that `profile` has, and none where they are equal."""
    shown = []
    for run in (a, b):
        table = command(bench.numachine, "profile", run, "--by=function", "-f", "csv").stdout
        rows = csv.DictReader(io.StringIO(table))
        shown.append({row["function"]: row for row in rows})
    column = next(name for name in next(iter(shown[0].values())) if name.lower() in ("total", "pcycles"))
    cost = [{name: int(row[column]) for name, row in side.items()} for side in shown]
    expected = {name: (cost[0].get(name, 0), cost[1].get(name, 0)) for name in cost[0].keys() | cost[1].keys()}
    expected = {name: pair for name, pair in expected.items() if pair[0] != pair[1]}
    got = {row["name"]: (row["a"], row["b"]) for row in everything["functions"]}
    assert got == expected, (set(got.items()) ^ set(expected.items()))
    sizes = [abs(row["b"] - row["a"]) for row in everything["functions"]]
    assert sizes == sorted(sizes, reverse=True), sizes
    assert "turn_off" in got and got["turn_off"][0] == 0 and got["turn_off"][1] > 0, got.get("turn_off")


def objects(bench, a, b, everything):
    """PCycles that sharing an object cost with those that `c2c` has."""
    lost = [{}, {}]
    for side, run in zip(lost, (a, b)):
        for row in json.loads(command(bench.numachine, "c2c", run, "-f", "json").stdout)["objects"]:
            side[row["object"]] = side.get(row["object"], 0) + row["falsely"] + row["truly"]
    expected = {name: (lost[0].get(name, 0), lost[1].get(name, 0)) for name in lost[0].keys() | lost[1].keys()}
    got = {row["name"]: (row["a"], row["b"]) for row in everything["objects"]}
    assert got == {name: pair for name, pair in expected.items() if pair[0] != pair[1]}, (got, expected)
    assert got["lock"][1] > got["lock"][0] > 0, got


def same(bench, a):
    """The same run once more, and with other things listened to."""
    again = bench.stat("again", "--truth")
    text = bench.diff(a, again, status=0)
    assert "# configuration: the same\nsame results: xxh64:" in text, text
    assert bench.json(a, again, status=0)["statistics"] == []
    silent = bench.stat("silent")
    shown = bench.json(a, silent, status=0)
    assert shown["same"] is True and [row["key"] for row in shown["configuration"]] == ["run.truth"], shown


def elapsed(bench, a, b, said):
    before, after = (value(snapshots(run)["whole"], "machine", "elapsed") for run in (a, b))
    change = f"{abs(100 - 100 * after / before):.1f} % {'fewer' if after < before else 'more'}"
    text = bench.diff(a, b)
    assert f"# elapsed: A {before}, B {after} PCycles: {said or change}\n" in text, text


def regions(bench, a, b):
    """A region that only one of them has; a run that was stopped at its limit, whose time is no gain."""
    other = bench.directory / "short"
    command(bench.numachine, "stat", "-q", "-m", "station-4", "-o", other, "--limit", "20000cy", "--", bench.guest, "60",
            "00", status=6)
    shown = bench.json(a, other)
    assert shown["regions_only_in_a"] == ["work", "rest"] and not shown["regions_only_in_b"], shown
    assert "# only A has the region work\n" in bench.diff(a, other)
    elapsed(bench, a, b, "")
    elapsed(bench, b, a, "")
    for pair in (a, other), (other, a):
        elapsed(bench, *pair, "no comparison, because not both are of the whole program")
        stopped = f"{other}{{}} not complete: stopped at the limit of 20000 PCycles"
        assert stopped.format(",") in bench.diff(*pair) and stopped.format(":") in command(bench.numachine, "compare", *pair).stdout
    assert "# only B has the region rest\n" in bench.diff(other, a)


def compare(bench, runs):
    """Every value with the files; patterns; regions."""
    stats = [snapshots(run) for run in runs]
    for region, patterns, least in (("whole", (), 8), ("work", ("machine.truth.*",), 20),
                                    ("whole", ("machine.station[0].card[?].truth.loads", "machine.elapsed"), 3)):
        options = [word for pattern in patterns for word in ("--stat", pattern)] + ["--region", region]
        shown = json.loads(command(bench.numachine, "compare", *runs, *options, "-f", "json").stdout)
        assert len(shown["statistics"]) >= least, shown
        for row in shown["statistics"]:
            component, stat = next((row["name"][:i], row["name"][i + 1:]) for i in range(len(row["name"]))
                                   if row["name"][i] == "." and any(row["name"][:i] in s[region] and
                                                                    row["name"][i + 1:] in s[region][row["name"][:i]]
                                                                    for s in stats))
            assert row["values"] == [value(s[region], component, stat) for s in stats], row
        table = list(csv.reader(io.StringIO(command(bench.numachine, "compare", *runs, *options, "-f", "csv").stdout)))
        assert table[0] == ["statistic", "unit", *map(str, runs)]
        assert [row[0] for row in table[1:]] == [row["name"] for row in shown["statistics"]]
        text = command(bench.numachine, "compare", *runs, *options).stdout
        assert text.count("\n") == len(runs) + 3 + len(shown["statistics"]), text
    for options, said in ((("--stat", "machine.truth.l2_mises"), "did you mean 'machine.truth.l2_misses'?"),
                          (("--region", "wrok"), "no run has a region 'wrok'")):
        refuse(bench, said, "compare", *runs, *options)


def refuse(bench, said, *words):
    done = command(bench.numachine, *words, status=2)
    assert done.stderr.count("\n") == 1 and said in done.stderr and not done.stdout, (words, done.stderr)


DAMAGED = [  # (file, what it becomes; None: it is gone), what is said
    ("manifest.json", None, "manifest.json: No such file or directory; the run has kept no results"),
    ("manifest.json", "", "manifest.json: line 1: "),
    ("manifest.json", "[]", "manifest.json: not an object"),
    ("manifest.json", '{"schema": 99}', "manifest.json: schema 99: only 1 can be read"),
    ("manifest.json", '{"schema": 1}', "manifest.json: status: missing"),
    ("manifest.json", '{"schema": 1, "status": "running"}', "the run is 'running': there are no results to compare"),
    ("manifest.json", '{"schema": 1, "status": "complete", "end": null}', "manifest.json: end: it has no hashes"),
    ("stats.json", None, "stats.json: No such file or directory"),
    ("stats.json", '{"schema": 2', "stats.json: line 1: "),
    ("stats.json", '{"schema": 2, "snapshots": {}}', "stats.json: snapshots: not an array"),
    ("stats.json", '{"schema": 2, "snapshots": []}', "stats.json: snapshots: empty"),
    ("stats.json", '{"schema": 2, "snapshots": [{"name": "whole", "stats": {"machine": 1}}]}',
     "stats.json: snapshots[0]: "),
    ("stats.json", '{"schema": 2, "snapshots": [{"name": 3, "stats": {}}]}', "stats.json: snapshots[0]: "),
    ("stats.json", '{"schema": 2, "snapshots": [{"name": "whole", "stats": {"machine": {"elapsed": "1"}}}]}',
     "stats.json: snapshots[0]: machine.elapsed: not a number"),
    ("stats.json", '{"schema": 2, "snapshots": [{"name": "whole", "absent": {"machine.seconds": "none"}, '
     '"stats": {"machine": {"seconds": null, "elapsed": null}}}]}',
     "stats.json: snapshots[0]: machine.elapsed: not a number"),
    ("config.resolved.yaml", None, "config.resolved.yaml: No such file or directory"),
    ("config.resolved.yaml", "a: [", "config.resolved.yaml:"),
    ("config.resolved.yaml", "- 1\n", "config.resolved.yaml: it has no keys"),
    ("config.resolved.yaml", "[a]: 1\n", "config.resolved.yaml: a key is no word"),
    ("config.resolved.yaml", "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
        f"{y}: &{y} [" + ", ".join([f"*{x}"] * 8) + "]\n" for x, y in zip("abcdefgh", "bcdefghi")),
     "config.resolved.yaml: it has too much in it"),
    ("config.resolved.yaml", "a: &a {b: *a}\n", "config.resolved.yaml:"),
    ("profile.json", "{}", "profile.json: "),
    ("truth.json", None, "truth.json: "),
    ("guest.elf", "x", "guest.elf"),
]


def damaged(bench, a, b):
    refuse(bench, "nowhere: No such file or directory", "diff", bench.directory / "nowhere", b)
    refuse(bench, "not a run's directory", "diff", a, bench.guest)
    refuse(bench, "the run has kept no results", "compare", a, bench.directory)
    sweep = bench.directory / "sweep"
    sweep.mkdir()
    (sweep / "sweep.json").write_text("{}")
    refuse(bench, "sweep: none of its points has been run", "compare", sweep, a)
    for words in (("diff", a, sweep), ("profile", sweep), ("c2c", sweep)):
        refuse(bench, f"sweep: not a run's directory, but a sweep's; the runs of its points are in {sweep}/points", *words)
    for name, text, said in DAMAGED:
        for way in (0, 1):
            broken = bench.directory / "broken"
            shutil.rmtree(broken, ignore_errors=True)
            shutil.copytree(a, broken)
            (broken / name).unlink()
            both = ((broken, b), (b, broken))[way]
            if text is not None:
                (broken / name).write_text(text)
                if name != "manifest.json":
                    refuse(bench, f"{name}: it is not as the run has left it: {len(text)} bytes, not ", "diff", *both)
                    simulator.listed_again(broken, name)
            refuse(bench, said, "diff", *both)


def bytes_of_tables(bench, a):
    """Lines end as all our CSV does; of a name that is no UTF-8 JSON has '?' for each byte that is no ASCII."""
    odd = bench.directory / "od\udcffd"
    shutil.copytree(a, odd)
    for words in ("compare", odd, a), ("diff", "--all", odd, a):
        table = subprocess.run([bench.numachine, *map(os.fsencode, words), "--format=csv"], capture_output=True, check=False).stdout
        assert table.count(b"\r\n") == table.count(b"\n") > 0, words
        document = subprocess.run([bench.numachine, *map(os.fsencode, words), "--format=json"], capture_output=True, check=False).stdout
        assert f"{bench.directory}/od?d" in document.decode(), words


def usage(bench, a, b):
    for words in ((), (a,), (a, b, a), (a, b, "--threshold=x"), (a, b, "--threshold=101"), (a, b, "--format=xml"),
                  (a, b, "--threshold=1", "--threshold=2")):
        done = command(bench.numachine, "diff", *words, status=2)
        assert done.stderr and not done.stdout, words
    assert command(bench.numachine, "compare", status=2).stderr


SWEEP = """
machine: station-4
program: {{path: {guest}, args: ['20', '1']}}
sweep: {{program.processors: {{from: 1, to: 4}}, l2.size: [1MB], run.seed: [10, 9]}}
"""


def sweep(bench, a):
    """A sweep's points are columns, in its order, by the values that differ; beside runs."""
    (bench.directory / "swept.yaml").write_text(SWEEP.format(guest=bench.guest))
    out = bench.directory / "swept"
    command(bench.numachine, "run", "-q", "-o", out, bench.directory / "swept.yaml")
    points = json.loads((out / "sweep.json").read_text())["points"]
    paths = [f"{out}/points/{p['id']}" for p in points]
    several, one = (json.loads(command(bench.numachine, "compare", *runs, "-f", "json").stdout) for runs in ((a, *paths), (a, out)))
    assert one == several and len(one["runs"]) == 1 + len(points), one["runs"]
    header = command(bench.numachine, "compare", a, out).stdout.split("#\n# ")[1].splitlines()[0].split()
    assert header == ["a", *(f"processors={p},seed={s}" for p in range(1, 5) for s in (10, 9)), "statistic"], header
    shutil.rmtree(out / "points")
    refuse(bench, "none of its points has been run", "compare", out)


def main():
    numachine, guest = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(numachine, guest, pathlib.Path(scratch))
        a = bench.stat("a", "--truth")
        b = bench.stat("b", "--truth", "--seed=7", "--set", "bus.clock=25MHz", args=("60", "09"))
        everything = numbers(bench, a, b)
        formats(bench, a, b)
        configuration(bench, a, b)
        functions(bench, a, b, everything)
        objects(bench, a, b, everything)
        same(bench, a)
        regions(bench, a, b)
        compare(bench, [a, b, bench.directory / "silent"])
        sweep(bench, a)
        damaged(bench, a, b)
        usage(bench, a, b)
        bytes_of_tables(bench, a)


if __name__ == "__main__":
    main()
