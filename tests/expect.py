#!/usr/bin/env -S python3 -S
"""
expect.stats: what each row comes to, the line that says so, the manifest and the exit status; and rows that are refused
before anything runs.

    expect.py NUMACHINE GUEST [all]      without `all` every third row is run once more, as it was understood
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

TIMES = 50
AGAIN = 1 if "all" in sys.argv[3:] else 3  # rows from one that runs twice to the next
FILE = "held.yaml"
AT = f"{FILE}:6:7: error: expected "


def run(numachine, directory, *words):
    return subprocess.run([numachine, *words], capture_output=True, text=True, timeout=600, check=False, cwd=directory,
                          stdin=subprocess.DEVNULL)


def experiment(guest, row, status=0):
    return (f"machine: station-4\nprogram: {{path: {guest}, args: ['{TIMES}']}}\n"
            f"expect:\n  status: {status}\n  stats:\n    - {row}\n")


def rows_of(stats):
    """(row, whether it is kept, what the line says behind "expected "): from the statistics of a run."""
    whole = stats["whole"]["machine"]
    work = stats["work"]["machine"]
    misses, loads, seconds = work["truth.l2_misses"], whole["truth.loads"], whole["seconds"]
    ratio = f"{work['elapsed'] / whole['elapsed']:.12g}"
    path = "machine.truth.l2_misses"
    return [
        (f"{{stat: {path}, region: work, is: {misses}}}", True, ""),
        (f"{{stat: {path}, region: work, at_most: {misses}}}", True, ""),
        (f"{{stat: {path}, region: work, at_least: {misses}}}", True, ""),
        (f"{{stat: {path}, region: work, at_least: 1, at_most: 1e9}}", True, ""),
        (f"{{stat: {path}, region: work, at_most: {misses - 1}}}", False,
         f"{path} of region work to be at most {misses - 1}; it is {misses}"),
        (f"{{stat: {path}, region: work, is: {misses + 1}}}", False,
         f"{path} of region work to be exactly {misses + 1}; it is {misses}"),
        (f"{{stat: machine.truth.loads, at_least: {loads + 1}}}", False,
         f"machine.truth.loads to be at least {loads + 1}; it is {loads}"),
        (f"{{stat: machine.truth.loads, at_least: {loads + 1}, at_most: {loads + 2}}}", False,
         f"machine.truth.loads to be at least {loads + 1} and at most {loads + 2}; it is {loads}"),
        (f"{{stat: machine.seconds, is: {seconds}}}", True, ""),
        (f"{{stat: machine.seconds, at_most: {seconds / 2}}}", False,
         f"machine.seconds to be at most {seconds / 2}; it is {seconds:.12g}"),
        (f"{{ratio: [work/machine.elapsed, machine.elapsed], is: {ratio}}}", True, ""),
        ("{ratio: [work/machine.elapsed, whole/machine.elapsed], at_least: 2}", False,
         f"machine.elapsed of region work / machine.elapsed of region whole to be at least 2; it is {ratio}"),
        ("{ratio: [machine.truth.loads, machine.elapsed], region: rest, at_most: 1}", True, ""),
        ("{ratio: [machine.elapsed, rest/machine.truth.virtual_coherency], at_most: 1}", False,
         "machine.elapsed / machine.truth.virtual_coherency of region rest to be at most 1; "
         "machine.truth.virtual_coherency is 0"),
        # What the files leave out is 0; what has no value is not known.
        ("{stat: 'machine.station[0].card[3].truth.loads', is: 0}", True, ""),
        ("{stat: 'machine.station[0].card[3].metric.nacks_per_read', is: 0}", False,
         "machine.station[0].card[3].metric.nacks_per_read to be exactly 0; "
         "machine.station[0].card[3].metric.nacks_per_read has no value: its formula would divide by zero"),
        # What is not there.
        ("{stat: machine.elapsed, region: wrok, at_most: 1}", False,
         "machine.elapsed of region wrok to be at most 1; the program entered no region wrok; did you mean work?"),
        ("{stat: machine.elapsed, region: something else, at_most: 1}", False,
         "machine.elapsed of region something else to be at most 1; the program entered no region something else"),
    ]


REFUSED = [
    ("{stat: truth.loads, is: 1}", "6:14: error: 'truth.loads' is no statistic: their paths begin with 'machine.'"),
    ("{stat: machine.elapsed}", "6:7: error: nothing is expected of it; say at_most, at_least or is"),
    ("{is: 3}", "6:7: error: an expectation is about a stat, or about a ratio of two"),
    ("{stat: machine.elapsed, ratio: [machine.elapsed, machine.elapsed], is: 1}",
     "6:7: error: an expectation is about a stat, or about a ratio of two"),
    ("{ratio: [machine.elapsed], is: 1}", "6:15: error: 'ratio': expected a list of two statistics"),
    ("{ratio: [machine.elapsed, machine.elapsed, machine.elapsed], is: 1}", "'ratio': expected a list of two"),
    ("{ratio: machine.elapsed, is: 1}", "'ratio' is a single value; expected a list of two statistics"),
    ("{stat: machine.elapsed, is: 1, at_most: 2}", "6:7: error: 'is' says it all"),
    ("{stat: machine.elapsed, at_least: 3, at_most: 2}", "6:7: error: no value is at least and at most that"),
    ("{stat: machine.elapsed, at_most: 10us}", "6:40: error: 'at_most': '10us' is no number"),
    ("{stat: machine.elapsed, at_most: 0x10}", "'at_most': '0x10' is no number"),
    ("{stat: machine.elapsed, at_most: 1e9999}", "'at_most': '1e9999' is no number"),
    ("{stat: machine.elapsed, at_most: .inf}", "'at_most': '.inf' is no number"),
    ("{stat: machine.elapsed, at_mots: 1}", "unknown key 'at_mots'; did you mean 'at_most'?"),
    ("machine.elapsed", "error: expected keys with values"),
    ("{ratio: [machine.elapsed, /machine.elapsed], is: 1}",
     "6:15: error: '/machine.elapsed': no region is named in front of its '/'"),
    ("{stat: /machine.elapsed, is: 1}", "6:14: error: '/machine.elapsed': no region is named in front of its '/'"),
    ("{stat: machine.elapsed, region: '', is: 1}", "6:39: error: 'region' is empty"),
    ("{ratio: [a/machine.elapsed, b/machine.elapsed], region: c, is: 1}",
     "6:7: error: 'region' is for statistics that name none, and here all name their own"),
    ("{stat: a/machine.elapsed, region: c, is: 1}", "6:7: error: 'region' is for statistics that name none"),
    ("{stat: machine.elapsed, points: [program.processors=1, program.processors=4], is: 1}",
     "6:39: error: 'points' are of a sweep, and this file has no sweep:"),
]


# Refused before the run: what no run of this machine and these events has.
IMPOSSIBLE = [
    ("{stat: machine.truth.l2_mises, is: 0}",
     "the run has no statistic machine.truth.l2_mises; did you mean machine.truth.l2_misses?"),
    ("{stat: 'machine.station[7].card[3].truth.loads', is: 0}",
     "the run has no statistic machine.station[7].card[3].truth.loads; did you mean "
     "machine.station[0].card[3].truth.loads?"),
    ("{ratio: [machine.elapsed, machine.monitor.ring_busy], is: 0}", "the run has no statistic machine.monitor.ring_busy"),
    ("{ratio: [machine.elapst, machine.elapst], is: 0}", "the run has no statistic machine.elapst; did you mean machine.elapsed?"),
]

# Of a sweep over 1, 2 and 4 processors and two arguments: (row, lines said, status). E: elapsed.
POINTS = [
    ("{stat: machine.elapsed, points: [program.processors=1, program.processors=4], at_least: 0.001}", 0, 0),
    ("{stat: machine.elapsed, points: [program.processors=1, program.processors=4], at_most: 0.001}", 2, 1),
    ("{stat: machine.elapsed, region: work, points: [\"program.processors=4; program.args=['10']\", "
     "\"program.processors=4; program.args=['40']\"], at_least: 1}", 1, 1),
    ("{ratio: [work/machine.elapsed, machine.elapsed], points: [program.processors=2, program.processors=2], at_least: 1}",
     2, 1),
    ("{stat: machine.elapsed, region: wrok, points: [program.processors=1, program.processors=4], at_least: 0}", 2, 1),
    ("{stat: machine.truth.virtual_coherency, points: [program.processors=1, program.processors=4], at_least: 0}", 2, 1),
]
NO_POINTS = [
    ("{stat: machine.elapsed, points: [program.processors=3, program.processors=4], is: 1}",
     "the sweep has no pair of points program.processors=3 and program.processors=4 that are otherwise the same"),
    ("{stat: machine.elapsed, points: [program.processors=1, processors=4], is: 1}", "points: 'processors' is not swept here"),
    ("{stat: machine.elapsed, points: [program.processors=1, 4], is: 1}", "points: '4' is not swept here"),
    ("{stat: machine.elapsed, points: [program.processors=1], is: 1}", "'points': expected a list of two points"),
    ("{stat: machine.elapsed, points: program.processors=1, is: 1}", "'points' is a single value; expected a list of two points"),
]


class Bench:
    def __init__(self, numachine, guest, directory):
        self.numachine, self.guest, self.directory = numachine, guest, directory

    def hold(self, row, status=0, name="out"):
        (self.directory / FILE).write_text(experiment(self.guest, row, status))
        done = run(self.numachine, self.directory, "run", "-q", "--force", "-o", name, FILE)
        path = self.directory / name / "manifest.json"
        return done, json.loads(path.read_text()) if path.exists() else None

    def statistics(self):
        self.hold("{stat: machine.elapsed, at_least: 0}", name="first")
        shots = json.loads((self.directory / "first/stats.json").read_text())["snapshots"]
        return {shot["name"]: shot["stats"] for shot in shots}


def judge(bench):
    for turn, (row, kept, said) in enumerate(rows_of(bench.statistics())):
        done, manifest = bench.hold(row)
        assert done.returncode == (0 if kept else 1), (row, done.returncode, done.stderr)
        assert done.stderr == ("" if kept else AT + said + "\n"), (row, done.stderr, said)
        judged, = manifest["expect"]
        assert judged["kept"] is kept and judged["where"] == f"{FILE}:6:7", (row, judged)
        assert (judged["value"] is None) == (judged["why"] is not None), (row, judged)
        assert manifest["end"]["exit_code"] == done.returncode and manifest["status"] == "complete", (row, manifest)
        shown = run(bench.numachine, bench.directory, "check", FILE)
        assert shown.returncode == 0 and (kept or said.split(" to be ")[0] + ": " in shown.stdout), (row, shown)
        if turn % AGAIN:
            continue
        # As it was understood, it comes to the same.
        again = run(bench.numachine, bench.directory, "run", "-q", "--force", "-o", "again", "out/config.resolved.yaml")
        assert again.returncode == done.returncode, (row, again.stderr)
        repeated = json.loads((bench.directory / "again/manifest.json").read_text())
        assert [dict(e, where="") for e in repeated["expect"]] == [dict(judged, where="")], (row, repeated["expect"])
        assert repeated["end"]["result_hash"] == manifest["end"]["result_hash"], row


def ends(bench):
    """With other ends: the program's status says what it said, and who did not end is not judged."""
    broken = "{stat: machine.elapsed, at_most: 1}"
    done, manifest = bench.hold(broken, status=7)
    assert done.returncode == 1 and done.stderr.count("\n") == 2, done.stderr
    assert "exited with status 0; expected was 7" in done.stderr and AT in done.stderr, done.stderr
    done, manifest = bench.hold("{stat: machine.elapsed, at_least: 1}", status=7)
    assert done.returncode == 1 and manifest["expect"][0]["kept"] is True and done.stderr.count("\n") == 1, done.stderr
    two = broken + "\n    - {stat: machine.elapsed, is: 2}\n    - {stat: machine.elapsed, at_least: 3}"
    done, manifest = bench.hold(two)
    assert done.returncode == 1 and [e["kept"] for e in manifest["expect"]] == [False, False, True], manifest["expect"]
    assert done.stderr.count("error: expected machine.elapsed to be ") == 2, done.stderr
    done = run(bench.numachine, bench.directory, "run", "-q", "--force", "-o", "out", "--set", "run.limit=1000cy", FILE)
    assert done.returncode == 6 and AT in done.stderr, (done.returncode, done.stderr)
    done = run(bench.numachine, bench.directory, "run", "-q", "--force", "-o", "out", "--set", "expect.stats=[]", FILE)
    assert done.returncode == 0 and not done.stderr, done.stderr
    done = run(bench.numachine, bench.directory, "stat", "--set", "expect.stats=[" + broken + "]", "--", bench.guest)
    assert done.returncode == 2 and "expectations are an experiment's" in done.stderr, done.stderr


def refuse(bench):
    for turn, (row, said) in enumerate(REFUSED):
        (bench.directory / FILE).write_text(experiment(bench.guest, row))
        for command in ("check", "run") if turn % 4 == 0 else ("check",):  # they have one reader
            done = run(bench.numachine, bench.directory, command, FILE)
            assert done.returncode == 2 and said in done.stderr, (command, row, done.returncode, done.stderr)


def impossible(bench):
    """What cannot be is said before the run, and there are no results."""
    for row, said in IMPOSSIBLE:
        done, manifest = bench.hold(row, name="never")
        assert done.returncode == 2 and done.stderr.startswith(f"{FILE}:6:7: error: {said}"), (row, done.stderr)
        assert done.stderr.count("\n") == 1 and manifest is None, (row, done.stderr, manifest)
        shown = run(bench.numachine, bench.directory, "check", FILE)
        assert shown.returncode == 2 and shown.stderr == done.stderr, (row, shown.stderr)
    # In a sweep of any of its points: the first and the last.
    for row, machines in [("{stat: machine.nope, is: 1}", "station-4, ring-16"),
                          ("{stat: machine.truth.rnigs, is: 1}", "station-4, ring-16"),
                          ("{stat: 'machine.station[2].bus.busy', at_least: 0}", "ring-16, station-4")]:
        (bench.directory / FILE).write_text(
            f"program: {{path: {bench.guest}}}\nsweep: {{machine: [{machines}]}}\nexpect:\n  stats:\n    - {row}\n")
        for words in (["check", FILE], ["points", FILE], ["run", "--dry-run", FILE], ["run", "-q", "-o", "never", FILE],
                      ["run", "--slurm", "--dry-run", "-o", "never", FILE]):
            done = run(bench.numachine, bench.directory, *words)
            assert done.returncode == 2 and done.stderr.count("\n") == 1, (row, words, done)
            assert done.stderr.startswith(f"{FILE}:5:7: error: the run has no statistic machine."), (row, words, done.stderr)
            assert not (bench.directory / "never").exists() and (words[0] == "check" or not done.stdout), (row, words, done)


def everything(bench):
    """What a run has is possible before it, too: every statistic of the whole run."""
    monitor = "monitor: {events: [default], groups: [NACK], histogram: {source: service-time}}\n"
    text = experiment(bench.guest, "{stat: machine.elapsed, at_least: 0}")
    (bench.directory / FILE).write_text(monitor + text)
    done = run(bench.numachine, bench.directory, "run", "-q", "--force", "-o", "all", FILE)
    assert done.returncode == 0, done.stderr
    stats = json.loads((bench.directory / "all/stats.json").read_text())["snapshots"][0]["stats"]
    names = [f"{component}.{stat}" for component, its in stats.items() for stat, value in its.items() if value is not None]
    assert len(names) > 300, len(names)
    for first in range(0, len(names), 100):
        rows = "\n    - ".join(f"{{stat: '{name}', at_least: -1}}" for name in names[first:first + 100])
        (bench.directory / FILE).write_text(monitor + experiment(bench.guest, rows))
        done = run(bench.numachine, bench.directory, "run", "-q", "--force", "-o", "all", FILE)
        assert done.returncode == 0 and not done.stderr, done.stderr


def elapsed_of(directory, region):
    """{(processors, arguments): elapsed} of a sweep."""
    with open(directory / "sweep.csv", newline="", encoding="utf-8") as table:
        return {(row["program.processors"], row["program.args"]): int(row["value"]) for row in csv.DictReader(table)
                if (row["region"], row["component"], row["stat"]) == (region, "machine", "elapsed")}


def sweeps(bench):
    """Points of a sweep against each other, when it ends and when it is collected."""
    def sweep(row, name, *words):
        (bench.directory / FILE).write_text(
            f"machine: station-4\nprogram: {{path: {bench.guest}}}\nsweep: {{program.processors: [1, 2, 4], "
            f"program.args: [['10'], ['40']]}}\nexpect:\n  stats:\n    - {row}\n")
        return run(bench.numachine, bench.directory, "run", "-q", "-o", name, *words, FILE)

    for number, (row, lines, status) in enumerate(POINTS):
        done = sweep(row, f"sweep{number}")
        assert done.returncode == status and done.stderr.count("error: expected ") == lines, (row, done.stderr)
        assert done.stderr.count(AT) == lines == done.stderr.count("\n"), (row, done.stderr)
        again = run(bench.numachine, bench.directory, "collect", f"sweep{number}", "-o", f"there{number}")
        assert again.returncode == status and again.stderr.count("error: expected ") == lines, (row, again.stderr)
    elapsed = elapsed_of(bench.directory / "sweep1", "whole")
    said = sweep(POINTS[1][0], "once-more").stderr
    for args in ("[10]", "[40]"):
        its = [value for (processors, its), value in elapsed.items() if its.replace("'", "") == args]
        assert f"; it is {its[0] / its[2]:.12g} (points " in said, (said, its)
    points = sorted((bench.directory / "once-more/points").iterdir())
    assert all(json.loads((p / "manifest.json").read_text())["expect"][0]["kept"] is None for p in points)
    # A part of the points: what is not there is not judged.
    half = sweep(POINTS[1][0], "half", "--shard", "1/2")
    assert half.returncode in (0, 1), half.stderr
    rest = sweep(POINTS[1][0], "rest", "--shard", "2/2")
    both = run(bench.numachine, bench.directory, "collect", "half", "rest", "-o", "both")
    assert both.returncode == 1 and both.stderr.count("error: expected ") == 2, (half.stderr, rest.stderr, both.stderr)
    # As it was understood, a point is what it was; what all have in common is held to nothing of theirs.
    again = run(bench.numachine, bench.directory, "run", "-q", "-o", "as-it-was", points[0] / "config.resolved.yaml")
    assert again.returncode == 0 and "note: about points of a sweep" in again.stderr, again.stderr
    common = run(bench.numachine, bench.directory, "check", "--all", FILE)
    (bench.directory / "common.yaml").write_text(common.stdout)
    common = run(bench.numachine, bench.directory, "check", "common.yaml")
    assert common.returncode == 0 and not common.stderr, common.stderr
    # One point alone says that it is not judged.
    alone = run(bench.numachine, bench.directory, "run", "-q", "-o", "alone", "--point", points[0].name, FILE)
    assert alone.returncode == 0 and alone.stderr == f"{FILE}:6:7: note: about points of a sweep, and judged when that ends\n"
    for row, says in NO_POINTS:
        done = sweep(row, "no")
        assert done.returncode == 2 and says in done.stderr and done.stderr.count("error: ") == 1, (row, done.stderr)
        assert not (bench.directory / "no").exists(), row
        for command in ("check", "points"):
            again = run(bench.numachine, bench.directory, command, FILE)
            assert again.returncode == 2 and again.stderr == done.stderr, (row, command, again.stderr)


def main():
    numachine, guest = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(numachine, guest, pathlib.Path(directory))
        judge(bench)
        ends(bench)
        refuse(bench)
        impossible(bench)
        everything(bench)
        sweeps(bench)


if __name__ == "__main__":
    main()
