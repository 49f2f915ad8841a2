"""
What c2c prints adds up: the rows and the rest are the total, in its text, in its JSON and in the data of the page. And the
sentence in front has its numbers from these rows, or there is none.
"""
import collections
import json
import pathlib
import re
import subprocess

CLASS = re.compile(r"^#   (\S.*?) +(?:(\d+) +)?(-?\d+) +(-?[\d.]+) %$", re.M)
OBJECT = re.compile(r"^  (none|false|true|mixed|rest|all) +(-?\d+) +-?[\d.]+ % +(-?\d+) +-?[\d.]+ % ", re.M)
LOST = r"(-?\d+) PCycles falsely \(-?[\d.]+ % of time\), (-?\d+) truly"
DATA = re.compile(r'id="data">(.*?)</script>', re.S)


def asked(numachine, *words):
    done = subprocess.run([str(w) for w in (numachine, *words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def pair(found):
    return int(found["falsely"]), int(found["truly"])


def summed(pairs):
    pairs = [tuple(map(int, p)) for p in pairs]
    return sum(p[0] for p in pairs), sum(p[1] for p in pairs)


def wrong_of_document(found, what):
    """Of c2c's JSON, or of what a page has of it."""
    requests, rest = found["requests"], found["rest"]
    if sum(r["pcycles"] for r in requests) + rest["pcycles"] != found["pcycles"]:
        yield f"{what}: the requests' PCycles and the rest are not all"
    columns = {c for c in found["columns"] if c + "_time" in found["columns"] or c.endswith("given_up")}
    if {r["class"] for r in requests} != columns:
        yield f"{what}: classes {columns} are not those that are listed"
    for name in ("objects", "lines"):
        if summed([*map(pair, found[name]), pair(rest[name])]) != pair(found):
            yield f"{what}: {name} and the rest are not all"
    for line in found["lines"] if what == "JSON" else []:
        for name in ("holds", "askers", "windows"):
            if summed(map(pair, line[name])) != pair(line):
                yield f"{what}: {name} of line {line['va']:#x} are not all of it"


def wrong_of_line(block):
    """Of a line that is shown in full."""
    whole = re.search(LOST, block).groups()
    windows = re.findall(r"^ +\d+ to +\d+ +(-?\d+) +(-?\d+)  (?:none|false|true|mixed)$", block, re.M)
    holds = re.findall(r"^ {4,}(?:\d+-\d+|rest) +(-?\d+) +(-?\d+)  ", block, re.M)
    askers = re.findall(r"^ +(-?\d+) +(-?\d+) +-?\d+ +-?\d+  ", block, re.M)
    for name, rows in (("holds", holds), ("asked by", askers), ("windows", windows or [whole])):
        if summed(rows) != summed([whole]):
            yield f"text: {name} {rows} are not {whole}"


def wrong_of_text(text, found):
    head, *blocks = text.split("\n  line at ")
    rows = {name: (int(count or 0), int(time), float(share)) for name, count, time, share in CLASS.findall(head)}
    every = rows.pop("all")
    if (sum(r[0] for r in rows.values()), sum(r[1] for r in rows.values())) != every[:2] or every[1] != found["pcycles"]:
        yield f"text: the classes {rows} are not {every}"
    if every[1] and abs(sum(r[2] for r in rows.values()) - 100) > 0.005 * len(rows):
        yield f"text: the shares of {rows} are not 100 %"
    objects = OBJECT.findall(head)
    if objects and (summed(o[1:] for o in objects[:-1]) != summed([objects[-1][1:]]) or summed([objects[-1][1:]]) != pair(found)):
        yield f"text: the objects {objects} do not add up to {pair(found)}"
    for block in blocks:
        yield from wrong_of_line(block)
    whole = re.search(r"^# all lines: " + LOST, text, re.M)
    lines = [re.search(LOST, block).groups() for block in blocks]
    lines += re.findall(r"^# (?:\d+ more line|lines whose bytes)[^:]*: " + LOST, text, re.M)
    if found["lines"] and (summed(lines) != summed([whole.groups()]) or summed(lines) != pair(found)):
        yield f"text: the lines {summed(lines)} are not {pair(found)}"


def percent(part, whole):
    share = 100 * part / whole
    return f"{share:.1f} %" if share < 10 else f"{share:.0f} %"


SILENT = {"join", "sleep", "once", "condition", "semaphore"}  # waiting for these is how programs are written
MOST = 3  # objects of a kind that are named, and sentences


def is_dear(lock, locks):
    """Whether a row of the locks is worth a word: a twentieth of the threads' time, and of the run's."""
    known = lock["bound"] is not None and lock["kind"] not in SILENT and lock["waited"]
    return known and lock["waited"] >= locks["threads_time"] // 20 and lock["bound"] >= locks["elapsed"] // 20


def said_of_sharing(kind, found, locks):
    """[(cost, its shares, its name)]. What a lock is, or has, need not be said again as true sharing."""
    dear = [o for o in found["objects"] if o[kind] > 0 and o[kind] >= found["pcycles"] // 20]
    waited = max((lock["waited"] for lock in locks["locks"] if is_dear(lock, locks)), default=-1)
    truly = found["sentence"].partition("true sharing of")[2].partition(". ")[0]
    said = [o for o in dear if kind == "falsely" or o["object"] in truly or waited < o[kind]]
    return [(o[kind], [percent(o[kind], found["pcycles"])], o["object"]) for o in sorted(said, key=lambda o: -o[kind])[:MOST]]


def said_of_locks(locks):
    dear = sorted((lock for lock in locks["locks"] if is_dear(lock, locks)), key=lambda lock: -lock["waited"])[:MOST]
    said = [(lock["waited"], [percent(lock["waited"], locks["threads_time"])], lock["lock"]) for lock in dear]
    if said:
        said[-1][1].append(percent(max(lock["bound"] for lock in dear), locks["elapsed"]))
    return said


def said_of_pages(found, pages):
    """
    Requests for pages of which an object has most, that went to other stations and need not have. Of requests that went side
    by side a part counts, the same of each.
    """
    counted = sum(r["pcycles"] for r in found["requests"])
    lessened = min(1, counted / pages["pcycles"]) if pages["pcycles"] > 0 else 1
    said, shared = [], {o["object"] for o in found["objects"] if o["falsely"] + o["truly"] >= found["pcycles"] // 20}
    for name in {p["object"] for p in pages["pages"]} - shared:
        of = [p for p in pages["pages"] if p["object"] == name]
        best = 0
        for p in of:
            stations = collections.Counter()
            for part in p["stations"]:
                stations[part["station"]] += part["requests"]
            best += max(stations.values())
        requests, local, time = (sum(p[key] for p in of) for key in ("requests", "local", "pcycles"))
        time = int(time * lessened)
        cost = int(time * (best - local) / requests) if requests else 0
        if cost > 0 and cost >= found["pcycles"] // 20:
            said.append((cost, [percent(time, found["pcycles"]), percent(local, requests), percent(best, requests)], name))
    return sorted(said, key=lambda s: -s[0])[:MOST]


def wrong_of_sentence(found, locks, pages):
    """It names what took a twentieth of the time, and all of its shares are the rows', the dearest kind first."""
    kinds = [said_of_sharing("falsely", found, locks), said_of_sharing("truly", found, locks), said_of_locks(locks), said_of_pages(found, pages)]
    kinds = sorted((k for k in kinds if k), key=lambda k: -sum(cost for cost, _, _ in k))[:MOST]
    shares = [share for kind in kinds for _, shares, _ in kind for share in shares]
    for name in [name for kind in kinds for _, _, name in kind]:
        if name not in found["sentence"]:
            yield f"sentence: {name} is not named in {found['sentence']}"
    said = re.findall(r"[\d.]+ %(?! less)", found["sentence"])
    if said != shares:
        yield f"sentence: it says {said}, and the rows {shares}: {found['sentence']}"
    if not shares and found["sentence"]:
        yield f"sentence: nothing is wrong, and it says {found['sentence']}"


def wrong_of_refusals(directory):
    """The rows have each NACK that the cards have counted, whatever became of the request."""
    truth = json.loads((pathlib.Path(directory) / "truth.json").read_text())
    column = [name for name, *_ in truth["columns"]].index("nacks")
    told = sum(value for row in truth["rows"] for at, value in zip(row[9::2], row[10::2]) if at == column)
    counted = json.loads((pathlib.Path(directory) / "stats.json").read_text())["snapshots"][0]["stats"]["machine"].get("monitor.nacks")
    if counted is not None and told != counted:  # boards of one processor have no such event
        yield f"truth.json: {told} NACKs, and the cards {counted}"


def wrong(numachine, directory, page=None):
    """All that does not add up. @param page  a file for the page; None: it is not looked at"""
    found, locks, pages = (json.loads(asked(numachine, what, "--format=json", directory)) for what in ("c2c", "locks", "placement"))
    bad = [*wrong_of_document(found, "JSON"), *wrong_of_sentence(found, locks, pages), *wrong_of_refusals(directory)]
    for options in ([], ["--lines=1"], ["--lines=0"]):
        text = asked(numachine, "c2c", *options, directory)
        bad += wrong_of_text(text, found)
        if not text.startswith(found["sentence"] or "# "):
            bad.append(f"text: it begins with {text[:200]}, and not with the sentence")
    if page:
        asked(numachine, "report", "-o", page, directory)
        data = json.loads(DATA.search(pathlib.Path(page).read_text())[1])
        bad += wrong_of_document(data["sharing"], "page")
        if data["sentence"] != found["sentence"]:
            bad.append(f"page: its sentence is {data['sentence']}")
    return bad
