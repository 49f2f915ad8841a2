#!/usr/bin/env -S python3 -S
"""
numachine watch: the scenarios take the PCycles of docs/latency.md, and the messages of its worked examples have their
moments; what is told of them is consistent; a run that is watched is the run that it was.

    watch.py NUMACHINE HOME GUEST
    watch.py NUMACHINE HOME --write      writes watch.txt anew: the text of a few scenarios

GUEST is tests/profile_guest.c, built with -g for o32 in the current directory.
"""
import collections
import csv
import difflib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FIGURE = re.compile(r"^\| ([^|`]+?) +\| `[^`]+` \|((?: *\d+ *\|)+)$", re.M)
MOMENT = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \| .+? \| `(\S+)` \| (\d+) \|$", re.M)
DISTANCES = [("numachine-64", "same-ring"), ("numachine-64", "other-ring"), ("numachine-1024", "other-group")]
FLAT = ["--set=protocol=flat"]
GOLDEN = ["read", "upgrade, home here, shared away", "false remote read, owner asked first", "two cards read what nobody has",
          "a write-back overtakes an intervention"]


class Bench:
    def __init__(self, numachine):
        self.numachine = numachine

    def ask(self, *words, status=0):
        done = subprocess.run([self.numachine, "watch", *words], capture_output=True, text=True, check=False)
        assert done.returncode == status, (words, done.returncode, done.stderr)
        return done

    def table(self, *words):
        raw = subprocess.run([self.numachine, "watch", "--format=csv", *words], capture_output=True, check=True).stdout
        assert raw.count(b"\r\n") == raw.count(b"\n") > 0
        return list(csv.DictReader(raw.decode().splitlines()))

    def list(self, what):
        return json.loads(subprocess.run([self.numachine, "list", "--format=json", what], capture_output=True, check=True).stdout)


def documented(home):
    text = pathlib.Path(home, "docs/latency.md").read_text()
    return {name: [int(n) for n in numbers.split("|") if n.strip()] for name, numbers in FIGURE.findall(text)}


def check_figures(bench, home):
    """Every access of the document takes what the document says, also while somebody looks on."""
    rows = documented(home)
    for name, wanted in rows.items():
        flat = FLAT if name.startswith("flat: ") else []
        for (machine, distance), pcycles in zip(DISTANCES, wanted):
            text = bench.ask("--scenario", name, "--machine", machine, "--distance", distance, *flat).stdout
            over = int(re.search(r"^ *(\d+) +the access is over", text, re.M)[1])
            assert over == pcycles, (name, distance, over, pcycles)
    assert set(rows) <= {row["name"] for row in bench.list("scenarios")}


def check_moments(bench, home):
    """What the worked examples say of buses, rings, directories and cards is what is seen."""
    text = pathlib.Path(home, "docs/latency.md").read_text()
    parts = re.split(r"^## One access in full|^## Upgrade and intervention|^And a load of ", text, flags=re.M)
    assert len(parts) == 4
    for part, name in zip(parts[1:], ("read", "upgrade", "read, dirty at a third station")):
        seen = bench.table("--scenario", name)
        ends = {int(row["until"]) for row in seen} | {int(row["at"]) for row in seen}
        moments = MOMENT.findall(part.split("\n## ")[0])
        assert moments
        for begin, who, what, step, end in moments:
            if step in ("cmd", "line") and "arbitration" not in what.split(":")[0].split(",")[0]:
                assert any(row["kind"] == "bus" and int(row["until"]) == int(end) for row in seen), (name, who, end)
            if step in ("nc", "nc+", "mem", "mem+"):
                row = next(row for row in seen if row["kind"] == "row" and int(row["at"]) == int(begin))
                states = re.search(r"`(\w+)`, (\w+) -> `(\w+)`", what)
                assert not states or states.groups() == (row["before"], row["event"], row["after"]), (name, what, row)
            if "=" in step or "-" in step or "*" in step:
                continue
            assert int(end) in ends or step in ("miss", "cmd", "agent", "fill"), (name, who, end)
        rings = [row for row in seen if row["kind"] == "ring"]
        lasts = [int(end) for _, who, what, step, end in moments if re.search(r"\w[-=*]\w", step)]
        assert rings and {int(row["until"]) for row in rings} & set(lasts), (name, lasts)


def check_table(bench):
    """Columns are those that are listed; a state is left as it was entered, and locks are ended."""
    columns = [row["name"] for row in bench.list("watched")]
    numbers = [row["name"] for row in bench.list("watched") if row["unit"]]
    assert len(numbers) >= 5
    for scenario in bench.list("scenarios"):
        flat = FLAT if scenario["name"].startswith("flat: ") else []
        rows = bench.table("--scenario", scenario["name"], *flat)
        assert all(list(row) == columns for row in rows), scenario
        now = {}
        for row in rows:
            assert 0 <= int(row["at"]) <= int(row["until"]), row
            assert all(row[name].isdigit() for name in numbers), row
            if row["kind"] == "row":
                agent = row["from"], row["line"]
                assert now.get(agent, row["before"]) == row["before"], (scenario["name"], row, now[agent])
                now[agent] = row["after"]
            if row["given_up"] == "1":
                now.pop((row["from"], row["line"]), None)
        assert [int(row["at"]) for row in rows] == sorted(int(row["at"]) for row in rows)
        left = [state for (agent, _), state in now.items() if "_" in state]
        assert not left, (scenario["name"], now)


def check_scenes(bench):
    """What a scene is named for is to be seen in it."""
    def fired(name):
        return {(row["before"], row["event"], row["after"]) for row in bench.table("--scenario", name) if row["kind"] == "row"}

    assert ("GV_UP", "N_INVAL", "W_UP") in fired("an invalidation overtakes")
    assert ("LI_NRD", "WB", "LV_NRD") in fired("a write-back overtakes")
    assert ("W_RD", "RD", "W_RD") in fired("two cards read")
    storm = [row for row in bench.table("--scenario", "a storm of refusals") if row["kind"] == "over"]
    assert len(storm) == 4 and sum(int(row["nacks"]) for row in storm) >= 3
    duel = [row for row in bench.table("--scenario", "a duel") if row["kind"] == "over"]
    assert {row["from"] for row in duel} == {"1.c0", "3.c0"} and len(duel) >= 5, duel


def texts(bench):
    return "\n".join("\n".join(line.rstrip() for line in bench.ask("--scenario", name).stdout.split("\n")) for name in GOLDEN)


def check_text(bench, home):
    golden = pathlib.Path(home, "tests/watch.txt").read_text()
    changed = [line for line in difflib.unified_diff(golden.splitlines(), texts(bench).splitlines(), lineterm="", n=0)]
    assert not changed, "\n".join(["tests/watch.txt (watch.py --write, if that is meant):", *changed])
    example = re.findall(r"^    (  +\S.*)$", pathlib.Path(home, "docs/watch.md").read_text(), re.M)
    shown = [line.rstrip() for line in bench.ask("--scenario", "read, dirty at a third station").stdout.split("\n")]
    assert len(example) > 5 and set(example) <= set(shown), set(example) - set(shown)
    text = bench.ask("--scenario", "upgrade").stdout
    assert "    102-105        <--------<--------<--------<---INVALIDATE----o        |        |        |        |      invalidation\n" in text, text
    assert "     93-99         |        |        |        |        |      [LI]       |        |        |        |      GV_UP, N_ACK -> LI: " in text
    assert "UPGD       upgrade request. Somebody has a shared copy" in text
    picture = bench.ask("--scenario", "upgrade", "--format=svg").stdout
    assert picture.startswith("<svg") and picture.count("</svg>") == 1 and ">INVALIDATE<" in picture


def check_refusals(bench):
    for words in (["--scenario", "rea"], ["--scenario", "read", "--machine", "station-4"], ["no-such-run", "--line=0"],
                  ["--scenario", "flat: read"], ["--scenario", "read", "--line=0"]):
        assert bench.ask(*words, status=2).stderr.startswith("numachine"), words


def check_run(bench, guest, directory):
    """A run that is watched is the same one, and every message of a window is in the window of all."""
    run = directory / "run"
    done = subprocess.run([bench.numachine, "stat", "-q", "-o", run, "-s", "rings.stations=2", "-s", "rings.locals=2", "--", guest, "share", "20"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    end = json.loads((run / "manifest.json").read_text())["end"]
    watched = bench.ask(run, "--symbol", "words", "--format=csv")
    assert end["result_hash"] in watched.stderr, (end, watched.stderr)
    rows = list(csv.DictReader(watched.stdout.splitlines()))
    assert len(rows) > 100 and {"bus", "ring", "row", "over"} <= {row["kind"] for row in rows}
    middle = int(rows[len(rows) // 2]["at"])
    some = list(csv.DictReader(bench.ask(run, "--symbol", "words", "--format=csv", "--from", str(middle - 500), "--to", str(middle + 500))
                               .stdout.splitlines()))
    key = lambda row: (row["at"], row["kind"], row["from"], row["to"], row["message"], row["before"], row["event"], row["after"])
    inner = [key(row) for row in some if middle - 400 <= int(row["at"]) <= middle + 400 and row["kind"] != "ring"]
    assert inner and set(inner) <= {key(row) for row in rows}
    assert "nobody has touched it" in bench.ask(run, "--line", "0x70000000").stderr
    assert "no variable" in bench.ask(run, "--symbol", "no_such_symbol", status=2).stderr


def check_pipeline(bench, guest, directory):
    """The log is one that Konata reads: stages in their order, and what graduates in that of the program."""
    run = directory / "r10000"
    done = subprocess.run([bench.numachine, "stat", "-q", "-o", run, "-m", "r10000", "--", guest], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    done = json.loads((run / "stats.json").read_text())["snapshots"][0]["stats"]["machine.station[0].card[0]"]["truth.instructions"]
    whole = bench.ask(run, "--konata")
    assert json.loads((run / "manifest.json").read_text())["end"]["result_hash"] in whole.stderr, whole.stderr
    log = whole.stdout.splitlines()
    assert log[0] == "Kanata\t0004" and log[1].startswith("C=\t"), log[:2]
    stages, labels, retired, cycle = collections.defaultdict(list), {}, [], int(log[1][3:])
    for line in log[2:]:
        kind, *words = line.split("\t")
        if kind == "C":
            assert int(words[0]) > 0
            cycle += int(words[0])
        elif kind == "I":
            assert int(words[0]) == len(labels)
        elif kind == "L":
            labels[words[0]] = words[2]
        elif kind == "S":
            stages[words[0]].append((words[2], cycle))
        else:
            assert kind == "R" and words[0] in stages, line
            if words[2] == "0":
                assert int(words[1]) == len(retired), line
                retired.append(words[0])
    assert len(retired) == done > 1000, (len(retired), done)
    for number, seen in stages.items():
        names = "".join(name for name, _ in seen)
        assert re.fullmatch("F(D(Q?(XW?)?G?|WG|G)?)?", names), (number, names)
        assert [at for _, at in seen] == sorted({at for _, at in seen}), seen
        assert names[:2] != "FD" or "X" not in names or dict(seen)["X"] >= dict(seen)["F"] + 2, seen
    ends = [dict(stages[number])["G"] for number in retired]
    assert ends == sorted(ends) and max(collections.Counter(ends).values()) <= 4
    assert any(label.endswith(": addu") for label in labels.values()) and all(label.startswith("0x") for label in labels.values())
    first = bench.ask(run, "--konata", "--from", "60000", "--to", "80000").stdout.splitlines()[1]
    assert 60000 <= int(first.split("\t")[1]) <= 80000, first
    assert "tell nothing of their pipeline" in bench.ask(directory / "run", "--konata", status=2).stderr


def main():
    numachine, home, guest = sys.argv[1:4]
    bench = Bench(pathlib.Path(numachine).resolve())
    if guest == "--write":
        pathlib.Path(home, "tests/watch.txt").write_text(texts(bench))
        return
    check_figures(bench, home)
    check_moments(bench, home)
    check_table(bench)
    check_scenes(bench)
    check_text(bench, home)
    check_refusals(bench)
    with tempfile.TemporaryDirectory(prefix="numachine-") as directory:
        check_run(bench, guest, pathlib.Path(directory))
        check_pipeline(bench, guest, pathlib.Path(directory))
    print("ok")


main()
