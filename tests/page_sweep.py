#!/usr/bin/env -S python3 -S
"""
numachine report of a sweep: the page has the sweep's points and the machine's statistics as sweep.csv has them, names
what failed and what is not there, is bounded, and refuses what is no sweep's result.

    page_sweep.py NUMACHINE GUEST [browser]

GUEST is tests/sweep_guest.c. `browser`: in headless Chromium, too, as page.py.
"""
import collections
import csv
import html.parser
import json
import os
import shutil
import sys
import tempfile

import page
import skip

EXPERIMENT = """
machine: station-4
program: {{path: {guest}, args: ['30']}}
sweep:
  program.processors: [1, 2, 4]
  program.args: [["300", "2"], ["600", "2"], ["9", "1", stuck], ["7,</script>", "1"]]
  where: [program.processors != 3]
"""
HELD = """
about: |
  What it is about.

  And more.
machine: station-4
program: {{path: {guest}, args: ['300', '2']}}
expect:
  stats:
    - {{stat: machine.elapsed, at_most: 5}}
    - {{stat: machine.elapsed, points: [program.processors=1, program.processors=2], at_least: 1000}}
    - {{stat: machine.elapsed, points: [program.processors=1, program.processors=2], at_least: 0}}
sweep:
  program.processors: [1, 2]
"""
MOST = 10_000         # points of a sweep
BYTES = 12_000_000    # that the page of so many may have


def data_of(bench, directory, *words):
    return json.loads(page.parsed(bench.page(directory, *words)).data)


def rows_of(bench, directory):
    """{(point, region, statistic): value} of the machine."""
    with open(bench.directory / directory / "sweep.csv", newline="", encoding="utf-8") as table:
        return {(row["point"], row["region"], row["stat"]): (float(row["value"]) if row["value"] else None, row["unit"])
                for row in csv.DictReader(table) if row["component"] == "machine"}


def values_of(data):
    """The same of a page."""
    found = {}
    for region, stat, unit, values in data["columns"]:
        for point, value in zip(data["points"], values):
            if point[4]:
                found[point[0], data["regions"][region], stat] = (value, unit)
    return found


def check_data(bench, directory, data):
    truth, found = rows_of(bench, directory), values_of(data)
    assert {key: value for key, value in found.items() if key in truth} == truth, "numbers are not those of sweep.csv"
    assert all(found[key][0] is None for key in found.keys() - truth.keys())
    index = json.loads((bench.directory / directory / "sweep.json").read_text())
    assert [p[0] for p in data["points"]] == [p["id"] for p in index["points"]]
    for point, claimed in zip(data["points"], index["points"]):
        texts = [parameter["texts"][at] for parameter, at in zip(data["parameters"], point[1])]
        assert texts == list(claimed["values"].values()), (texts, claimed)
        assert point[2:4] == [claimed["state"], claimed["exit_code"]], (point, claimed)
    processors, args = data["parameters"]
    assert processors["numbers"] == [1, 2, 4] and args["numbers"] is None and len(args["texts"]) == 4, data["parameters"]
    return truth


def check_holes(bench, data):
    """What failed and what is not there is known, in the sweep's directory and in one of what was collected."""
    states = collections.Counter(p[2] for p in data["points"])
    assert states == {"done": 9, "failed": 3}, states
    assert all(p[3] == 3 and not p[4] for p in data["points"] if p[2] == "failed"), data["points"]
    shutil.copytree(bench.directory / "swept", bench.directory / "holes")
    gone = data["points"][0][0]
    shutil.rmtree(bench.directory / "holes/points" / gone)
    for words in ([], ["-o", "collected"]):
        done = bench.command("collect", "holes", *words)
        assert done.returncode == 1 and "of 12 points are not there" in done.stderr, done.stderr
    for directory in ("holes", "collected"):
        data = data_of(bench, directory)
        assert [p[0] for p in data["points"] if not p[4] and p[2] != "failed"] == [gone], directory
        assert sum(p[2] == "failed" for p in data["points"]) == 3, directory
    assert data["points"][0][2] == "waiting" and data["points"][0][3] is None, data["points"][0]
    assert values_of(data) == values_of(data_of(bench, "holes"))


def check_held(bench, guest):
    """What became of expectations is in the index, and on the page, wherever the results were collected."""
    (bench.directory / "held.yaml").write_text(HELD.format(guest=guest))
    done = bench.command("run", "-q", "-o", "held", "held.yaml")
    assert done.returncode == 1 and done.stderr.count("it is ") == 1, done.stderr
    collected = bench.command("collect", "held", "-o", "held-elsewhere")
    assert collected.returncode == 1, collected.stderr
    for directory, name in (("held", "sweep.json"), ("held-elsewhere", "collected.json")):
        index, data = bench.document(directory, name), data_of(bench, directory)
        ids = [p["id"] for p in index["points"]]
        assert [p["exit_code"] for p in index["points"]] == [1, 1], index
        assert [(e["kept"], e["points"]) for e in index["expect"]] == [(False, ids), (True, ids), (False, ids[:1]), (False, ids[1:])]
        assert f"it is {index['expect'][0]['value']} " in done.stderr and index["expect"][0]["bounds"] == {"at_least": "1000"}
        assert [index[part] for part in ("expect", "experiment", "numachine")] == [data[part] for part in ("expect", "experiment", "numachine")]
        assert data["experiment"]["machine"] == "station-4" and data["experiment"]["about"].startswith("What it is about.\n")
        assert data["experiment"]["argv"][1:] == ["300", "2"] and data["numachine"]["version"], data["experiment"]
    # Where a point is missing, nothing is judged.
    shutil.rmtree(bench.directory / "held/points" / ids[0])
    assert bench.command("collect", "held").returncode == 1
    assert [e["kept"] for e in bench.document("held", "sweep.json")["expect"]] == [None, None, False]


def check_held_shown(bench):
    shown = page.dom_of(bench, bench.page("held-elsewhere"), Shown())
    text = "".join(shown.texts)
    assert shown.badges == ["not as expected"], shown.badges
    first = bench.document("held-elsewhere", "collected.json")["expect"][0]
    one, other = first["points"]
    assert f"Expected machine.elapsed at {one} / machine.elapsed at {other} to be at least 1000; it is {first['value']}" in text
    assert "to be at most 5; it is " in text and f", point {other})" in text, text
    assert "What it is about." in text and "300 2" in text and "station-4" in text, text
    assert "2 expectations are not judged: points are not there." in "".join(page.dom_of(bench, bench.page("held"), Shown()).texts)


def check_links(bench, data):
    """Points that have a page are referred to, where that is possible."""
    assert not any(p[5] for p in data["points"])
    done = bench.command("report", f"swept/points/{data['points'][1][0]}")
    assert done.returncode == 0, done.stderr
    assert [p[5] for p in data_of(bench, "swept")["points"]] == [False, True] + [False] * 10
    assert not any(p[5] for p in data_of(bench, "swept", "-o", "elsewhere.html")["points"])


def check_names(bench):
    """Whatever a program calls its regions."""
    for name in "-5", "7", "1e3", "=1+1", "'", "null", "<b>":
        named = bench.directory / "named"
        shutil.rmtree(named, ignore_errors=True)
        named.mkdir()
        root = json.loads((bench.directory / "swept/sweep.json").read_text())
        (named / "sweep.json").write_text(json.dumps({key: root[key] for key in root if key not in ("files", "hashes", "hash")}))
        text = (bench.directory / "swept/sweep.csv").read_bytes().decode()
        written = "'" + name if name[0] in "='" else name
        (named / "sweep.csv").write_bytes(text.replace(",whole,", f",{written},").encode())
        assert name in data_of(bench, "named")["regions"], name


def check_refusals(bench):
    for number, (name, damage, sentence) in enumerate(DAMAGES):
        broken = bench.directory / f"broken-{number}"
        broken.mkdir()
        shutil.copy(bench.directory / "swept/sweep.csv", broken)
        root = json.loads((bench.directory / "swept/sweep.json").read_text())
        (broken / "sweep.json").write_text(json.dumps({key: root[key] for key in root if key not in ("files", "hashes", "hash")}))
        if damage is None:
            (broken / name).unlink()
        elif "not a regular file" in sentence:
            (broken / name).unlink()
            damage(broken / name)
        else:
            text = (broken / name).read_bytes().decode()
            assert damage(text) != text, (name, sentence)
            (broken / name).write_bytes(damage(text).encode())
        bench.refused(broken.name, sentence)
        assert not (broken / "report.html").exists(), sentence
    bench.refused("swept", "No such file or directory", 5, ["-o", "no/such/place.html"])
    bench.refused("swept", "swept/sweep.csv is what the page is made of", 2, ["-o", "swept/sweep.csv"])
    point = sorted((bench.directory / "swept/points").iterdir())[0].name
    for own in (f"points/{point}/stats.json", f"points/{point}/manifest.json", "sweep.gp", f"points/{point}/monitor"):
        path = bench.directory / "swept" / own
        before = path.is_file() and path.read_bytes()
        bench.refused("swept", f"swept/{own} is there and no", 2, ["-o", f"swept/{own}"])
        assert path.is_dir() or path.read_bytes() == before, own


def index(change):
    def damage(text):
        root = json.loads(text)
        change(root)
        return json.dumps(root)
    return damage


DAMAGES = [
    ("sweep.csv", None, "the sweep has no results yet; 'numachine run --resume' goes on with it"),
    ("sweep.csv", lambda text: "", "there is no heading"),
    ("sweep.csv", os.mkfifo, "sweep.csv: not a regular file"),
    ("sweep.csv", os.mkdir, "sweep.csv: not a regular file"),
    ("sweep.csv", lambda path: path.symlink_to("/dev/zero"), "sweep.csv: not a regular file"),
    ("sweep.json", os.mkfifo, "sweep.json: not a regular file"),
    ("sweep.csv", lambda text: text.replace("stat,", "what,", 1), "no column 'stat'"),
    ("sweep.csv", lambda text: text + "x\r\n", "not the columns of the heading"),
    ("sweep.csv", lambda text: text.rstrip() + "\r\n" + text.splitlines()[1].replace("args", "arks", 1) + "\r\n",
     "not a point of this sweep"),
    ("sweep.json", page.half, "sweep.json: line"),
    ("sweep.json", index(lambda root: root.update(schema=2)), "schema 2: only 1 can be read"),
    ("sweep.json", index(lambda root: root.pop("parameters")), "parameters: missing"),
    ("sweep.json", index(lambda root: root.update(parameters=[3])), "parameters: not texts"),
    ("sweep.json", index(lambda root: root.update(points=[])), "points: not 1 to 10000"),
    ("sweep.json", index(lambda root: root["points"][0].update(id="../x")), "points[0]: not {id, values, state}"),
    ("sweep.json", index(lambda root: root["points"][2]["values"].popitem()), "points[2]: not {id, values, state}"),
    ("sweep.json", index(lambda root: root["points"].append(root["points"][0])), "is there twice"),
]


def make_large(bench):
    """As many points as there can be, each with as many statistics and parts as a run of 64 processors has at least. The
    last lines have fewer points than the others."""
    large = bench.directory / "large"
    large.mkdir()
    points = [{"id": f"p{i}", "values": {"program.processors": str(i % 64 + 1), "run.seed": str(i // 64)},
               "numbers": {"program.processors": i % 64 + 1, "run.seed": i // 64}, "state": "done", "exit_code": 0}
              for i in range(MOST)]
    (large / "sweep.json").write_text(json.dumps(
        {"schema": 1, "name": "large", "parameters": ["program.processors", "run.seed"], "points": points}))
    with open(large / "sweep.csv", "w", newline="", encoding="utf-8") as table:
        table.write("point,program.processors,run.seed,region,component,stat,value,unit\r\n")
        for i, point in enumerate(points):
            front = f"{point['id']},{i % 64 + 1},{i // 64}"
            for region in ("whole", "work"):
                table.write("".join(f"{front},{region},machine,{'elapsed' if s == 99 else f's{s}'},{(i + 1) * (s + 1)}.125,x\r\n"
                                    for s in range(100)))


def check_large(bench):
    """The numbers that the page has no room for are said; elapsed is there in each region."""
    made = bench.page("large")
    data = json.loads(page.parsed(made).data)
    assert len(made) < BYTES, f"the page of {MOST:,} points has {len(made):,} bytes"
    assert len(data["points"]) == MOST and len(data["columns"]) + data["left"] == 200 and data["left"] > 100
    assert [c[0] for c in data["columns"] if c[1] == "elapsed"] == [0, 1]
    return made


# ---- in the browser ------------------------------------------------------------------------------


class Shown(html.parser.HTMLParser):
    """Numbers in cells, with the values of sweep.csv that they say they are; and the page's text."""

    def __init__(self):
        super().__init__()
        self.root, self.cells, self.texts, self.links, self.badges, self.tag, self.kind = {}, [], [], [], [], "", ""

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tag, self.kind = tag, attrs.get("class") or ""
        if tag == "html":
            self.root = attrs
        if tag == "td" and "data-p" in attrs:
            self.cells.append((attrs["data-p"], attrs["data-r"], attrs["data-s"], attrs.get("data-v")))
        if tag == "a":
            self.links.append(attrs.get("href"))

    def handle_data(self, data):
        if self.tag not in ("script", "style"):
            self.texts.append(data)
        if self.kind.startswith("badge"):
            self.badges.append(data)
            self.kind = ""


def check_shown(bench, directory, made):
    shown, truth = page.dom_of(bench, made, Shown()), rows_of(bench, directory)
    assert shown.cells, "no number is shown"
    for point, region, stat, value in shown.cells:
        true = truth.get((point, region, stat), (None, ""))[0]
        assert (None if value is None else float(value)) == true, (point, region, stat, value, true)
    return shown


def in_browser(bench, made):
    skip.need("chromium", "chromium")
    for change in (lambda same: same, page.without_charts):
        shown = check_shown(bench, "swept", change(made))
        data = data_of(bench, "swept")
        elapsed = {(p, s) for p, _, s, v in shown.cells if s == "elapsed" and v is not None}
        assert elapsed == {(p[0], "elapsed") for p in data["points"] if p[4]}, elapsed
        text = "".join(shown.texts)
        assert "3 failed: " in text and all(f"{p[0]} (status 3)" in text for p in data["points"] if p[2] == "failed"), text
        zoomed = shown.root["data-zoomed"]
        drawn = page.HAS_CHARTS and change(made) == made
        assert abs(float(zoomed) - 0.5) < 1e-9 if drawn else zoomed == "none", zoomed
        assert "program.args ['300', '2']" in text and shown.badges == ["9 of 12 points"], (shown.badges, text)
        assert "Speed-up" in text and f"points/{data['points'][1][0]}/report.html" in shown.links, shown.links
    assert "1 is not there: " in "".join(check_shown(bench, "collected", bench.page("collected")).texts)
    check_held_shown(bench)
    large = check_large(bench)
    for change in (lambda same: same, page.without_charts):
        check_shown(bench, "large", change(large))


def main():
    numachine, guest = (os.path.abspath(argument) for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as directory:
        bench = page.Bench(numachine, guest, directory)
        (bench.directory / "sweep.yaml").write_text(EXPERIMENT.format(guest=guest))
        done = bench.command("run", "-q", "-o", "swept", "sweep.yaml")
        assert done.returncode == 3, done.stderr
        made = bench.page("swept")
        reader = page.parsed(made)
        assert all(value.startswith("#") for _, _, value in reader.refers), reader.refers
        assert bench.page("swept") == made
        data = json.loads(reader.data)
        check_data(bench, "swept", data)
        check_holes(bench, data)
        check_links(bench, data)
        check_held(bench, guest)
        check_names(bench)
        make_large(bench)
        if sys.argv[3:] == ["browser"]:
            in_browser(bench, bench.page("swept"))
            return
        check_large(bench)
        check_refusals(bench)


if __name__ == "__main__":
    main()
