#!/usr/bin/env -S python3 -S
"""
numachine report: the page of a run has the run's numbers, needs nothing from elsewhere, is the same each time, and a
directory that is not whole is refused with one line.

    page.py NUMACHINE GUEST WORK [browser]

GUEST is tests/profile_guest.c, built with -g for o32 in the current directory; WORK experiments/bench/locks-64.yaml.
`browser`: in headless Chromium, too, where every number that is shown is held against stats.json; skipped (77) where
there is none (Debian: chromium).
"""
import collections
import csv
import html.parser
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import simulator
import skip

NARROW = "500,2000"  # Chromium has no narrower window
HAS_CHARTS = os.path.exists("/usr/share/javascript/dygraphs/dygraph.min.js")
BYTES = 2_000_000  # that the page of a profiled run of 64 processors may have
HOSTILE = "</script><script>document.title='taken'</script><!--"
VOID = {"meta", "link", "br", "hr", "img", "input"}
EXPERIMENT = """
about: "One.\\n\\nSaid: \\"two\\" # and no comment."
machine: {{base: numachine-64, rings: {{stations: 2, locals: 2}}}}
program: {{path: {guest}, args: [{hostile}]}}
monitor:
  events: [default]
  groups: [NACK]
  histogram: {{source: service-time}}
  interval: 10us
record: {{waves: true, signals: [status], cards: [0], from: 0us, to: 20us}}
run: {{truth: true}}
"""


class Bench:
    def __init__(self, numachine, guest, directory):
        self.numachine = pathlib.Path(numachine).resolve()
        self.guest, self.directory = pathlib.Path(guest).resolve(), pathlib.Path(directory)

    def command(self, *words):
        return subprocess.run([self.numachine, *words], capture_output=True, text=True, cwd=self.directory,
                              stdin=subprocess.DEVNULL, timeout=600, check=False)

    def run(self, name, *words):
        done = self.command("run", "-q", "-o", name, *words)
        assert done.returncode in (0, 1), done.stderr
        return self.directory / name

    def page(self, run, *words):
        done = self.command("report", run, *words)
        assert done.returncode == 0, done.stderr
        return pathlib.Path(self.directory / done.stdout.strip()).read_bytes()

    def refused(self, run, sentence, status=2, options=()):
        done = self.command("report", run, *options)
        assert done.returncode == status, f"{run}: {done.returncode}, {done.stderr}"
        assert sentence in done.stderr and not done.stdout, f"{run}: {done.stderr}"
        if "Try" not in done.stderr:
            assert done.stderr.count("error: ") == 1, done.stderr

    def copy(self, name, of="run"):
        shutil.copytree(self.directory / of, self.directory / name)
        (self.directory / name / "report.html").unlink(missing_ok=True)
        return self.directory / name

    def rows(self, run, file):
        with open(self.directory / run / "monitor" / file, newline="", encoding="utf-8") as table:
            return list(csv.DictReader(table))

    def document(self, run, file):
        return json.loads((self.directory / run / file).read_text())


class Page(html.parser.HTMLParser):
    """Holds that elements are closed in their order, and notes what the page refers to."""

    def __init__(self):
        super().__init__()
        self.open, self.refers, self.tags, self.data = [], [], collections.Counter(), ""

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.refers += [(tag, name, value) for name, value in attrs if name in ("src", "href", "action", "srcset", "data")]
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_startendtag(self, tag, attrs):
        self.tags[tag] += 1

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1][1].get("id") == "data":
            self.data += data


def parsed(page):
    reader = Page()
    reader.feed(page.decode())
    reader.close()
    assert not reader.open, reader.open
    return reader


def check_file(bench, page):
    """Valid, without what would be loaded, and the same each time and wherever it is written."""
    reader = parsed(page)
    assert all(value.startswith("#") for _, _, value in reader.refers), reader.refers
    own = page.decode().split('id="data"')[0]
    assert not re.search(r"@import|url\(", own)
    assert "default-src 'none'" in own
    assert reader.tags["script"] == 3 and reader.tags["html"] == 1, reader.tags
    assert HOSTILE not in page.decode() and "<" not in reader.data
    assert bench.page("run", "-o", "again.html") == page
    assert bench.page("run") == page


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def check_colours(page):
    """Lines can be told from the card they are drawn on, in the dark, too."""
    text = page.decode()
    card = re.search(r'data-theme="dark"\].*?--card: (#\w{6})', text, re.S)[1]
    lines = re.findall(r"#\w{6}", re.search(r"ON_DARK = \[(.*?)\]", text)[1])
    contrast = {line: (luminance(line) + 0.05) / (luminance(card) + 0.05) for line in lines}
    assert len(lines) == 16 and min(contrast.values()) >= 4.5, contrast


def check_sections(bench):
    """The reader's question decides the order; what was measured is there, and nothing else."""
    script = pathlib.Path(__file__).resolve().parent.parent / "page/report.js"
    calls = re.findall(r"^(?:if .*?\) )?(\w+)\(\);$", script.read_text().partition("what was not measured is not there")[2], re.M)
    assert calls == ["overview", "sharing", "locks", "placement", "profile", "time", "samples", "pins", "counters", "histogram", "machine", "traffic",
                     "coherence", "configuration", "finish"], calls
    style = (script.parent / "report.css").read_text()
    assert not re.search(r"^\.(warn|good|bad) \{", style, re.M), "a rule for all that warns changes badges"


def check_samples(bench, data):
    sums = collections.Counter()
    for row in bench.rows("run", "samples.csv"):
        sums[row["stat"]] += int(row["value"])
    samples = data["samples"]
    for which, total in (("machine", sum), ("stations", lambda line: sum(map(sum, line)))):
        found = {name: total(line) for name, line in zip(samples["names"], samples[which]["sums"])}
        assert found == sums, (which, found, sums)
    assert samples["samples"] == len({row["begin_tick"] for row in bench.rows("run", "samples.csv")})


def check_table(rows, found, column):
    """Rows that differ in nothing but `column` and the count are one."""
    sums = collections.Counter()
    for row in rows:
        sums[tuple(v for k, v in row.items() if k not in (column, "count"))] += int(row["count"])
    shown = {tuple(str(v) for v in row[:-1]): row[-1] for row in found["rows"]}
    assert shown == sums and not found["left"]["rows"], (shown, sums)


def check_traffic(truth, classes, traffic):
    """Rows are those who ask, columns are homes."""
    names = [name for name, _, _ in truth["columns"]]
    found = [[0] * len(traffic) for _ in traffic]
    for copy, _, _, _, _, _, _, _, _, *values in truth["rows"]:
        line, _, card = truth["copies"][copy][:3]
        found[card // truth["processors"]][line // truth["memory"]] += sum(
            v for c, v in zip(values[::2], values[1::2]) if names[c] + "_time" in classes)
    assert found == traffic, (found, traffic)


def check_kept(bench, data):
    profile = list(csv.DictReader(bench.command("profile", "run", "--format=csv", "--by=function").stdout.splitlines()))
    assert data["profile"]["total"] == sum(int(row["pcycles"]) for row in profile)
    spent = {row["function"]: int(row["pcycles"]) for row in profile}
    assert {row[0]: row[1] for row in data["profile"]["functions"]["rows"]} == spent
    for name, self, _, parts in data["profile"]["functions"]["rows"]:
        assert self == sum(parts[:data["profile"]["states"]]), name
    tops = [parts for _, parent, _, parts in data["profile"]["stacks"] if parent is None]
    assert sum(sum(parts[:data["profile"]["states"]]) for parts in tops) >= 0.99 * data["profile"]["total"]
    sharing = json.loads(bench.command("c2c", "run", "--format=json").stdout)
    assert data["sharing"]["columns"] == sharing["columns"] and data["sharing"]["falsely"] == sharing["falsely"]
    assert [o["object"] for o in data["sharing"]["objects"]] == [o["object"] for o in sharing["objects"]][:60]
    counts = sum(v for k, v in sharing["columns"].items() if k + "_time" in sharing["columns"])
    assert sum(map(sum, data["traffic"])) == counts > 0
    check_traffic(bench.document("run", "truth.json"), sharing["columns"], data["traffic"])
    locks = json.loads(bench.command("locks", "run", "--format=json").stdout)
    assert data["locks"]["locks"] == locks["locks"][:120] and data["locks"]["path"] == locks["path"][:300]
    waits = [site["waited"] for site in data["locks"]["sites"]]
    assert waits == sorted(waits, reverse=True) and sum(waits) == sum(s["waited"] for s in locks["sites"])
    check_placement(bench, data["placement"])


def check_placement(bench, shown):
    """The table of objects, and pages that move in the order of numachine placement's text."""
    found = json.loads(bench.command("placement", "run", "--format=json").stdout)
    assert all(shown[name] == found[name] for name in ("requests", "local", "placed", "pcycles")), shown
    assert shown["objects"] == found["objects"][:60] and shown["of"]["objects"] == len(found["objects"]), shown["of"]
    text = bench.command("placement", "run").stdout
    pages = re.findall(r"^  0x(\w+) +(\d+) +(\d+) +(\d+) ", text, re.M)
    assert [[f"{row[0]:010x}", *map(str, row[1:4])] for row in shown["pages"][:20]] == [list(page) for page in pages], (shown["pages"], pages)
    assert shown["of"]["pages"] == sum(page["fate"] == "moves" for page in found["pages"]), shown["of"]
    assert (shown["stays"] is None) == bool(found["placement"]) and (shown["stays"] or "ranges below") in text, shown["stays"]


def check_data(bench, page):
    data = json.loads(parsed(page).data)
    assert data["stats"] == bench.document("run", "stats.json")
    assert data["manifest"] == bench.document("run", "manifest.json")
    assert data["config"] == (bench.directory / "run/config.resolved.yaml").read_text()
    assert data["machine"]["stations"] == 4 and data["machine"]["fan"] == [2, 2]
    assert HOSTILE in data["manifest"]["experiment"]["argv"]
    check_samples(bench, data)
    check_table(bench.rows("run", "histogram.csv"), data["histogram"], "card")
    check_table(bench.rows("run", "coherence_histogram.csv"), data["coherence"], "station")
    assert len(data["status"]["rows"]) == len(bench.rows("run", "status.csv")) > 0
    machine = [row for row in bench.rows("run", "groups.csv") if row["component"] == "machine"]
    assert len(data["groups"]["rows"]) == len(machine) > 0
    check_kept(bench, data)


def check_regions(bench):
    """A region's name is a text, though it looks like a number."""
    run, tables = bench.copy("numbered"), ("groups", "coherence")
    for name in ("groups.csv", "coherence_histogram.csv"):
        file = run / "monitor" / name
        file.write_bytes(file.read_bytes().replace(b"\nwhole,", b"\n1e3,"))
        simulator.listed_again(run, f"monitor/{name}")
    data = json.loads(parsed(bench.page(run.name)).data)
    for name in tables:
        at = data[name]["columns"].index("snapshot")
        assert "1e3" in {row[at] for row in data[name]["rows"]}, (name, data[name]["rows"][:2])


def check_names(bench, home):
    """The statistics that the page asks for are those that runs have; `measured` has a run of which parts are timed."""
    script = (home / "page/report.js").read_text()
    asked = set(re.search(r"const STATISTICS = new Set\(`(.*?)`", script, re.S)[1].split())
    known = {s for snapshot in bench.document("run", "stats.json")["snapshots"] for part in snapshot["stats"].values() for s in part}
    rows = (home / "documents/statistics/statistics.def").read_text()
    assert 'STATISTIC(measured,  "measured")' in rows and asked - known == {"measured"}, asked - known
    named = re.findall(r"'((?:truth|status|metric|histogram)\.[a-z0-9_]+)'", script)
    assert len(named) > 20 and set(named) - {"metric.busiest_"} <= asked, set(named) - asked


def check_plain(bench):
    """A run that kept nothing but its counts has a page, too."""
    done = bench.command("stat", "-q", "-m", "station-4", "-o", "plain", "--", bench.guest)
    assert not done.returncode or (bench.directory / "plain/stats.json").exists(), done.stderr
    data = json.loads(parsed(bench.page("plain")).data)
    assert data["title"] == bench.guest.stem and json.loads(parsed(bench.page("run")).data)["title"] == "run", data["title"]
    assert "profile" not in data and "samples" not in data and data["machine"]["fan"] == []
    done = bench.command("stat", "-q", "--force", "-m", "station-4", "-o", "plain", "--", bench.guest)
    assert "error" not in done.stderr, done.stderr
    assert not (bench.directory / "plain/report.html").exists(), "the page of the earlier run is still there"


def kind_of(path):
    """What a name stands for, and its contents."""
    seen = os.lstat(path)
    return seen.st_mode, seen.st_rdev, os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None


def check_outputs(bench):
    """A page replaces a page and nothing else, neither by its own name nor by that which it has while it is written."""
    def make_device(path):
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        except PermissionError:
            os.mkfifo(path)

    hello = "hello.html"
    for what, make, said in [
            ("device", make_device, "is there and not a regular file"),
            ("fifo", os.mkfifo, "is there and not a regular file"),
            ("folder", os.mkdir, "is there and not a regular file"),
            ("lost", lambda path: path.symlink_to("nowhere"), "is there and not a regular file"),
            ("link", lambda path: path.symlink_to(hello), "is there and not a regular file"),
            (hello, lambda path: path.write_text("<!DOCTYPE html>\n<title>mine</title>\n"), "no page that report has written"),
            ("nothing", lambda path: path.write_text(""), "no page that report has written")]:
        path = bench.directory / what
        make(path)
        before = kind_of(path)
        bench.refused("run", said, 2, ["-o", what])
        assert kind_of(path) == before and not (bench.directory / (what + ".new")).exists(), what
    mine = bench.directory / "page.html.new"
    mine.write_text("mine")
    bench.refused("run", "page.html.new is there and no page", 2, ["-o", "page.html"])
    assert mine.read_text() == "mine"
    made = bench.page("run", "-o", "other.html")
    for half in (made[:3000], b""):
        mine.write_bytes(half)
        assert bench.page("run", "-o", "page.html") == made == bench.page("run", "-o", "page.html") and not mine.exists()
    bench.refused("run", "a page is a file, not standard output", 2, ["-o", "-"])
    assert not (bench.directory / "-").exists()


def check_refusals(bench):
    bench.refused("", "RUN_DIR: its argument is empty")
    (bench.directory / "loop").mkdir()
    (bench.directory / "loop/manifest.json").symlink_to("manifest.json")
    bench.refused("loop", "loop/manifest.json: Too many levels of symbolic links\n")
    bench.refused("nowhere", "nowhere: No such file or directory")
    (bench.directory / "file").write_text("")
    bench.refused("file", "not a run's directory")
    (bench.directory / "empty").mkdir()
    bench.refused("empty", "not a run's directory")
    bench.refused("run", "No such file or directory", 5, ["-o", "no/such/place.html"])
    for own in ("stats.json", "manifest.json", "monitor/samples.csv"):
        before = (bench.directory / "run" / own).read_bytes()
        bench.refused("run", f"{own} is what the page is made of", 2, ["-o", f"run/{own}"])
        assert (bench.directory / "run" / own).read_bytes() == before
    for number, (name, damage, sentence) in enumerate(DAMAGES):
        run = bench.copy(f"damaged-{number}")
        file = run / name
        if damage is None:
            file.unlink()
        elif "not a regular file" in sentence:
            file.unlink()
            damage(file)
        else:
            file.write_text(damage(file.read_text()))
            if name != "manifest.json":
                bench.refused(run.name, f"{name}: it is not as the run has left it: {file.stat().st_size} bytes, not ")
                simulator.listed_again(run, name)
        bench.refused(run.name, sentence)
        assert not (run / "report.html").exists(), f"{name}: there is a page"


def unlisted(text):
    return simulator.forged(text, lambda manifest: manifest["files"].pop("stats.json"))


def half(text):
    return text[:len(text) // 2]


DAMAGES = [
    ("manifest.json", half, "manifest.json: line"),
    ("manifest.json", lambda text: "[]", "manifest.json: not an object"),
    ("manifest.json", unlisted, "does not list stats.json"),
    ("stats.json", None, "stats.json: No such file"),
    ("stats.json", half, "stats.json: line"),
    ("stats.json", lambda text: '{"schema": 2, "snapshots": 3}', "it has no statistics of the machine"),
    ("stats.json", lambda text: '{"schema": 9}', "schema 9"),
    ("config.resolved.yaml", None, "config.resolved.yaml"),
    ("monitor/samples.csv", None, "samples.csv: No such file"),
    ("monitor/samples.csv", lambda text: text.replace("machine.station[0]", "machine.station[99]", 1),
     "not a part of this machine"),
    ("monitor/samples.csv", lambda text: text.replace("stat,", "what,", 1), "no column 'stat'"),
    ("monitor/histogram.csv", lambda text: text + "1,2\n", "not the columns of the heading"),
    ("monitor/histogram.csv", lambda text: "", "there is no heading"),
    ("monitor/coherence_histogram.csv", lambda text: text.rstrip() + "x\n", "not a whole number"),
    ("profile.json", half, "profile.json: line"),
    ("stats.json", os.mkfifo, "stats.json: not a regular file"),
    ("monitor/samples.csv", os.mkdir, "samples.csv: not a regular file"),
    ("monitor/histogram.csv", lambda path: path.symlink_to("/dev/zero"), "histogram.csv: not a regular file"),
    ("truth.json", None, "truth.json"),
    ("locks.json", half, "locks.json: line"),
]

# ---- in the browser ------------------------------------------------------------------------------

PROBE = """
<script>
addEventListener('load', () => setTimeout(() => {
  const time = document.querySelector('.time');
  const range = () => Number(time.dataset.to) - Number(time.dataset.from);
  const before = time ? range() : 0;
  if (time) [...document.querySelectorAll('.zoom button')].find(b => b.textContent === 'Zoom in').click();
  document.documentElement.dataset.zoomed = time ? range() / before : 'none';
  document.querySelectorAll('select').forEach(s => { for (const o of [...s.options].slice(0, 6)) { s.value = o.value; s.dispatchEvent(new Event('change')); } s.value = s.options[0].value; s.dispatchEvent(new Event('change')); });
  /* What has room is shown whole and is not blown up; what has none scrolls. */
  document.documentElement.dataset.misfits = [...document.querySelectorAll('.chart > svg')].filter(s => {
    const width = s.getBoundingClientRect().width, natural = s.viewBox.baseVal.width;
    return natural <= 720 ? width > Math.min(natural, s.parentNode.clientWidth) + 1 : width < 719;
  }).map(s => s.getAttribute('aria-label')).join();
  const outside = svg => [...svg.querySelectorAll('text')].filter(t => t.getBoundingClientRect().right > svg.getBoundingClientRect().right + 3);
  document.documentElement.dataset.outside = [...document.querySelectorAll('.chart > svg')].flatMap(s => outside(s).map(t => s.getAttribute('aria-label') + ': ' + t.textContent)).join();
  document.documentElement.dataset.badges = [...document.querySelectorAll('.badge')].filter(b => getComputedStyle(b).backgroundColor !== 'rgba(0, 0, 0, 0)' || b.getBoundingClientRect().height > 40).map(b => b.textContent).join();
  document.documentElement.dataset.ticks = [...document.querySelectorAll('.chart > svg')].filter(s => /^(Stacked|Time lines|Histogram|The critical|Status pins)/.test(s.getAttribute('aria-label'))).flatMap(s => [...s.querySelectorAll('text[text-anchor]')].map(t => t.textContent)).join(';');
  document.documentElement.dataset.legends = JSON.stringify([...document.querySelectorAll('.legend li')].map(l => [l.querySelector('i').style.background, l.textContent]));
  document.documentElement.dataset.sections = [...document.querySelectorAll('section')].map(s => s.id).join(' ');
  document.querySelectorAll('th:nth-child(-n+2) button').forEach(b => b.click());
  [...document.querySelectorAll('.flame rect')].slice(0, 3).forEach(r => r.dispatchEvent(new Event('click')));
  document.getElementById('theme').click();
  document.documentElement.dataset.probed = 'yes';
}, 300));
</script>
"""


class Shown(html.parser.HTMLParser):
    """Numbers in cells, with the statistics that they say they are."""

    def __init__(self):
        super().__init__()
        self.root, self.cells, self.texts, self.attributes, self.text = {}, [], [], None, ""

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "html":
            self.root = attrs
        if tag in ("td", "b"):
            self.attributes, self.text = attrs, ""

    def handle_endtag(self, tag):
        if tag in ("td", "b") and self.attributes is not None:
            if "data-s" in self.attributes:
                self.cells.append((self.attributes["data-c"], self.attributes["data-s"], self.attributes.get("data-v"),
                                   self.text))
            self.attributes = None

    def handle_data(self, data):
        self.text += data
        self.texts.append(data)


def dom_of(bench, page, shown=None, window="1280,2000"):
    file = bench.directory / "probe.html"
    file.write_bytes(page.replace(b"</body>", PROBE.encode() + b"</body>"))
    done = subprocess.run([shutil.which("chromium"), "--headless=new", "--no-sandbox", "--disable-gpu",
                           "--enable-logging=stderr", f"--window-size={window}", "--virtual-time-budget=8000",
                           f"--user-data-dir={bench.directory}/browser", "--dump-dom", file.as_uri()],
                          capture_output=True, text=True, timeout=600, check=False, errors="replace")
    assert ":CONSOLE" not in done.stderr, [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    shown = shown or Shown()
    shown.feed(done.stdout)
    assert shown.root.get("data-ready") == shown.root.get("data-probed") == "yes", shown.root
    assert "data-error" not in shown.root, shown.root
    assert shown.root["data-misfits"] == "" == shown.root["data-outside"] == shown.root["data-badges"], shown.root
    return shown


def check_legends(shown):
    """A state has one colour and one name wherever it is drawn; and the numbers of axes are round."""
    pairs = {(colour, name) for colour, name in json.loads(shown.root["data-legends"]) if colour.startswith("var(")}
    assert len(pairs) == len({c for c, _ in pairs}) == len({n for _, n in pairs}) > 12, sorted(pairs)
    ticks = shown.root["data-ticks"].split(";")
    assert len(ticks) > 10 and any(" k" in tick for tick in ticks), ticks
    for tick in ticks:
        number = re.fullmatch(r"([\d,.]+)( [kMG]?%?)?", tick)
        digits = number and number[1].replace(",", "").replace(".", "").strip("0")
        assert not number or len(digits) <= 2 or float(number[1].replace(",", "")) < 1024, f"an axis has {tick}"


def check_sentence(bench):
    """What somebody says of the run stands in front, where the page's data has it."""
    page = bench.page("plain")
    assert 'class="sentence"' not in page.decode() and "sentence" not in json.loads(parsed(page).data)
    said = page.replace(b'id="data">{', b'id="data">{"sentence": "All of it went well.",', 1)
    texts = dom_of(bench, said).texts
    assert "All of it went well." in texts and texts.index("All of it went well.") < texts.index("PCycles (processor cycles) simulated"), texts


def check_number(component, stat, value, text, stats):
    derived = stat.startswith(("metric.", "group."))
    true = stats.get(component, {}).get(stat, None if derived else 0)
    if true is None:
        assert value is None, (component, stat, value)
        return
    assert float(value) == float(true), (component, stat, value, true)
    number = float(re.match(r"-?[\d,.]+", text)[0].replace(",", ""))
    assert number == true if isinstance(true, int) else abs(number - true) <= 0.005 * abs(true), (stat, text, true)


def without_charts(page):
    """The page as it is where libjs-dygraphs is not installed."""
    parts = page.split(b"<script>\n")
    return b"<script>\n".join([parts[0], b"</script>\n", parts[2]]) if len(parts) == 3 else page


def check_shown(bench, run, change=lambda page: page, window="1280,2000"):
    shown = dom_of(bench, change(bench.page(run)), None, window)
    stats = bench.document(run, "stats.json")["snapshots"][0]["stats"]
    for cell in shown.cells:
        check_number(*cell, stats)
    found = {(c, s) for c, s, _, _ in shown.cells}
    assert {("machine", s) for s in stats["machine"]} <= found
    for component, its in stats.items():
        if ".card[" in component and ".bus." not in component:
            missing = {(component, s) for s in its if not s.startswith(("metric.", "group."))} - found
            assert not missing, missing
    return shown


def in_browser(bench, work):
    skip.need("chromium", "chromium")
    whole = check_shown(bench, "run")
    check_legends(whole)
    assert whole.root["data-sections"] == ("overview sharing locks placement profile time time-lines pins counters histogram machine traffic coherence"
                                           " configuration"), whole.root["data-sections"]
    zoomed = whole.root["data-zoomed"]
    assert not HAS_CHARTS or abs(float(zoomed) - 0.5) < 1e-9, zoomed
    without = check_shown(bench, "run", without_charts)
    check_legends(without)
    assert without.root["data-zoomed"] == "none"
    said = "".join(check_shown(bench, "run", window=NARROW).texts)
    assert 'about: |-' in said and '\n  One.\n\n  Said: "two" # and no comment.\n' in said, "the text of several lines"
    assert "bus cycles" in said and not re.search(r"\d cycles|\[cycles", said), re.findall(r".{20}\d cycles|.{20}\[cycles", said)
    plain = check_shown(bench, "plain", window=NARROW)
    assert plain.root["data-sections"] == "overview time counters machine coherence configuration", plain.root["data-sections"]
    check_sentence(bench)
    bench.run("large", "-s", "run.truth=true", "-s", "monitor.interval=10us",
              "-s", "monitor.histogram.source=service-time", pathlib.Path(work).resolve())
    size = len(bench.page("large"))
    assert size < BYTES, f"the page of 64 processors has {size:,} bytes"
    check_shown(bench, "large")


def main():
    numachine, guest, work = (os.path.abspath(argument) for argument in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(numachine, guest, directory)
        experiment = bench.directory / "run.yaml"
        experiment.write_text(EXPERIMENT.format(guest=guest, hostile=json.dumps(HOSTILE)))
        bench.run("run", experiment)
        page = bench.page("run")
        check_plain(bench)
        if sys.argv[4:] == ["browser"]:
            in_browser(bench, work)
            return
        check_file(bench, page)
        check_colours(page)
        check_sections(bench)
        check_data(bench, page)
        check_regions(bench)
        check_names(bench, pathlib.Path(__file__).resolve().parent.parent)
        check_refusals(bench)
        check_outputs(bench)


if __name__ == "__main__":
    main()
