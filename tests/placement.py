#!/usr/bin/env -S python3 -S
"""
numachine placement: of threads that use pages of their own, the ranges that bring each page to its thread, and that
they do so; that it knows when there is nothing to gain; and that what cannot be read is refused with one line and
status 2.

    placement.py NUMACHINE GUEST...
"""
import collections
import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import simulator

STATIONS, PROCESSORS, PAGE = 4, 4, 4096  # of ring-16
FIRST_TOUCH = "memory.placement=first_touch"


def command(*words, status=0, name=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, check=False,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == status, (name, words, done.returncode, done.stderr)
    return done


class Run:
    """A run of the guest, and what numachine placement says of it."""

    def __init__(self, numachine, guest, way, directory, *options, stations=STATIONS):
        self.numachine, self.directory, self.name = numachine, directory, directory.name
        done = command(numachine, "stat", "-q", "--truth", "-m", "ring-16", *options, "-o", directory, "--", guest, way,
                       stations, PROCESSORS)
        self.pages, self.part = (int(number) for number in done.stdout.split()[:2])
        self.read()

    def read(self):
        self.shown = json.loads(self.ask("--format=json"))
        whole = json.loads((self.directory / "stats.json").read_text())["snapshots"][0]["stats"]["machine"]
        self.requests = whole["truth.l2_misses"] + whole["truth.upgrades"]
        self.elapsed = whole["elapsed"]

    def ask(self, *words):
        return command(self.numachine, "placement", self.directory, *words, name=self.name).stdout

    def expect(self, what, got, least, most=None):
        most = least if most is None else most
        assert least <= got <= most, f"{self.name}: {what} is {got}, not in [{least}, {most}]"

    def owner(self, page):
        """The station whose thread alone uses a page; None: it is not one of these."""
        station = (page - self.pages) // self.part
        return station if 0 <= station < STATIONS else None


def ranges_of(yaml):
    assert yaml.startswith("placement:"), yaml
    return [(int(a, 16), int(b, 16), int(s)) for a, b, s in re.findall(r"^  (0x\w+)-(0x\w+): (\d+)$", yaml, re.M)]


def station_in(ranges, page):
    found = [station for begin, end, station in ranges if begin <= page < end]
    assert len(found) <= 1, (hex(page), ranges)
    return found[0] if found else None


# ---- what the program knows ------------------------------------------------------------------------------------------

def check_ranges(run):
    """Every page that one thread alone uses is with it."""
    ranges = ranges_of(run.ask("--format=yaml"))
    assert ranges == [tuple(row) for row in run.shown["placement"]] == sorted(ranges), run.name
    for page in range(run.pages, run.pages + STATIONS * run.part, PAGE):
        assert station_in(ranges, page) == run.owner(page), (run.name, hex(page), ranges)
    assert all(end != begin or station != other for (_, end, station), (begin, _, other) in zip(ranges, ranges[1:])), ranges
    assert run.ask().endswith(run.ask("--format=yaml")), run.name


def check_sums(run):
    """All requests that the cards have counted are in it; what it says of a page, worked out once more."""
    requests, local, placed = collections.Counter(), collections.Counter(), 0
    ranges = run.shown["placement"]
    for page in run.shown["pages"]:
        at = collections.Counter()
        for part in page["stations"]:
            at[part["station"]] += part["requests"]
            requests[page["page"]] += part["requests"]
            local[page["page"]] += part["requests"] * (part["station"] == part["home"])
            station = station_in(ranges, page["page"])
            placed += part["requests"] * (part["station"] == (part["home"] if station is None else station))
        assert (page["requests"], page["local"]) == (requests[page["page"]], local[page["page"]]), page
        assert at[page["best"]] == max(at.values()), page
        assert (page["fate"] == "left") == (station_in(ranges, page["page"]) is None), page
        assert page["fate"] != "moves" or at[page["best"]] > page["local"], page
    run.expect("all requests", sum(requests.values()), run.requests)
    for column, expected in ("requests", run.requests), ("local", sum(local.values())), ("placed", placed):
        run.expect(column, run.shown[column], expected)
        run.expect(column + " of objects", sum(row[column] for row in run.shown["objects"]), expected)
    run.expect("PCycles", run.shown["pcycles"], sum(p["pcycles"] for page in run.shown["pages"] for p in page["stations"]))


def check_csv(run):
    rows = [(int(row["page"], 16), int(row["home"]), int(row["station"]), int(row["requests"]), int(row["pcycles"]))
            for row in csv.DictReader(io.StringIO(run.ask("--format=csv")))]
    assert rows == sorted(rows, key=lambda row: row[:3])
    assert rows == [(page["page"], part["home"], part["station"], part["requests"], part["pcycles"])
                    for page in run.shown["pages"] for part in page["stations"]]


def check_object(run):
    first = run.shown["objects"][0]
    assert first["object"] == "pages", first
    run.expect("requests for the pages", first["requests"], STATIONS * run.part // 64, STATIONS * run.part // 64 + 9)
    run.expect("of these local, when placed", first["placed"], first["requests"])
    run.expect("pages", first["pages"], STATIONS * run.part // PAGE)


def measured(run):
    text = run.ask("--measure")
    (before, was, asked), (after, share, _) = re.findall(r"(\d+) PCycles, +([\d.]+) % of (\d+) requests local", text)
    assert int(before) == run.elapsed and int(asked) == run.requests, text
    run.expect("the share before", float(was), 100 * run.shown["local"] / run.requests - 0.01,
               100 * run.shown["local"] / run.requests + 0.01)
    return int(after), float(share), text


def check_gain(run):
    after, share, text = measured(run)
    run.expect("the share that was promised", share, 100 * run.shown["placed"] / run.requests - 1,
               100 * run.shown["placed"] / run.requests + 1)
    run.expect("local in the end", share, 95, 100)
    run.expect("PCycles", after, 1, 0.8 * run.elapsed)
    assert " fewer PCycles\n" in text and "slower" not in text and "its output" not in text, text
    return after


def check_paste(run, guest, after, scratch):
    """The experiment with the ranges in it takes as long as was measured; then there is hardly anything to gain."""
    file, placed = scratch / "placed.yaml", scratch / f"{run.name}-placed"
    text = "machine: ring-16\nprogram: {path: %s, args: [own, '%d', '%d']}\nrun: {truth: true}\n" % (
        guest, STATIONS, PROCESSORS)
    file.write_text(text + run.ask("--format=yaml"))
    command(run.numachine, "run", "-q", "-o", placed, file)
    whole = json.loads((placed / "stats.json").read_text())["snapshots"][0]["stats"]["machine"]
    run.expect("PCycles of the experiment", whole["elapsed"], after)
    again = json.loads(command(run.numachine, "placement", "--format=json", placed).stdout)
    run.expect("to be gained", again["placed"] - again["local"], 0, 0.03 * again["requests"])


def expect_nothing(numachine, directory):
    assert "nothing is to be gained" in command(numachine, "placement", directory).stdout, directory.name
    assert command(numachine, "placement", "--measure", directory).stdout.startswith("nothing is to be gained")
    assert command(numachine, "placement", "--format=yaml", directory).stdout == "placement: {}\n"


def check_other_rules(numachine, guest, scratch):
    """Where each page goes to who touches it first, there is nothing to gain; unless ranges have it elsewhere."""
    expect_nothing(numachine, Run(numachine, guest, "own", scratch / "first", "-s", FIRST_TOUCH).directory)
    one = scratch / "one-station"
    command(numachine, "stat", "-q", "--truth", "-m", "station-4", "-o", one, "--", guest, "own", 1, 4)
    expect_nothing(numachine, one)
    wrong = scratch / "wrong.yaml"
    first = Run(numachine, guest, "own", scratch / "once", "-s", FIRST_TOUCH)
    wrong.write_text("machine: {base: ring-16, memory: {placement: first_touch}}\n"
                     "program: {path: %s, args: [own, '%d', '%d']}\nrun: {truth: true}\nplacement: {0x%x-0x%x: 3}\n" % (
                         guest, STATIONS, PROCESSORS, first.pages, first.pages + STATIONS * first.part))
    command(numachine, "run", "-q", "-o", scratch / "wrong", wrong)
    first.directory, first.name = scratch / "wrong", "wrong"
    first.read()
    check_ranges(first)
    check_sums(first)
    assert {page["fate"] for page in first.shown["pages"] if first.owner(page["page"]) == 3} == {"stays"}


def check_shared(run):
    """Pages that all ask for nearly equally often stay out of it."""
    pages = [page for page in run.shown["pages"] if run.owner(page["page"]) == 0]
    run.expect("pages", len(pages), run.part // PAGE)
    assert {(page["fate"], page["best"]) for page in pages} == {("left", 1)}, pages
    check_sums(run)


def check_uneven(run):
    """Where some pages move, a page that has more of its requests at home than at another station by chance is kept
    there: two fifths of them are local, less than a quarter above the average. The others have nothing to lose."""
    pages = [page for page in run.shown["pages"] if run.owner(page["page"]) == 0]
    fates = {(page["home"] == 1, page["fate"]) for page in pages}
    assert fates == {(True, "stays"), (False, "left")}, (run.name, fates)
    own = [station_in(run.shown["placement"], page["page"]) for page in run.shown["pages"] if run.owner(page["page"]) == 3]
    run.expect("pages that go to the one that writes them", own.count(3), run.part // PAGE)
    check_sums(run)
    run.expect("the share that was promised", measured(run)[1], 100 * run.shown["placed"] / run.requests - 1, 100)


def check_filled(numachine, guest, scratch):
    """One thread fills what others then use. Of one other it is worth moving; of three each gains twice what the one
    loses of its part, and the one loses all three: it takes longer than before."""
    two = Run(numachine, guest, "filled", scratch / "filled-2", "-s", FIRST_TOUCH, stations=2)
    pages = range(two.pages + two.part, two.pages + 2 * two.part, PAGE)
    moved = [station_in(two.shown["placement"], page) for page in pages].count(1)
    two.expect("pages that go to the other", moved, 0.9 * len(pages), len(pages))
    four = Run(numachine, guest, "filled", scratch / "filled-4", "-s", FIRST_TOUCH)
    lines = two.part // 64
    for run, stations in (two, 1), (four, 3):
        (loser, lost), (winner, gained) = (run.shown["cards"][name] for name in ("loses", "gains"))
        run.expect("the card that loses", loser, 0)
        run.expect("what it loses", -lost, stations * lines * 0.9, stations * lines * 1.1)
        assert winner in range(PROCESSORS, PROCESSORS * (stations + 1), PROCESSORS), winner
        run.expect("what one gains", gained, 2 * lines * 0.9, 2 * lines * 1.1)
    expect_nothing(numachine, four.directory)
    assert "would lose" in four.ask() and "no card gains more than" in four.ask("--measure"), four.ask()
    check_sums(four)


def check_code(run):
    """Functions are one object; where pages went is said."""
    names = [row["object"] for row in run.shown["objects"]]
    assert names.count("code") == 1 and not {"work", "main", "memset", "start_thread"} & set(names), names
    assert "# pages in no range went by memory.placement: round_robin\n" in run.ask()
    assert "--measure says it" in run.ask()


# ---- what is refused -------------------------------------------------------------------------------------------------

def check_slower(run, scratch):
    """A second run that takes longer is called so: the first one is made to have taken less."""
    copy = scratch / "slower"
    shutil.copytree(run.directory, copy)
    manifest = (copy / "manifest.json").read_text()
    changed = re.sub(r'("\w+": )%d\b' % run.elapsed, r"\g<1>%d" % (run.elapsed // 3), manifest)
    assert changed != manifest
    (copy / "manifest.json").write_text(changed)
    (copy / "guest.stdout").write_text("another\n")
    simulator.listed_again(copy, "guest.stdout")
    text = command(run.numachine, "placement", "--measure", copy).stdout
    assert " more PCycles\n" in text, text
    assert "the ranges make the program slower" in text and "its output is another one" in text, text


def refused(numachine, directory, sentence, *words):
    done = command(numachine, "placement", directory, *words, status=2)
    assert not done.stdout and sentence in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 or "Try" in done.stderr, done.stderr


def last_card(whole, card):
    """The truth, whose last part in a line is another card's."""
    truth = json.loads(whole)
    truth["copies"][-1][2] = card
    return json.dumps(truth)


def check_refusals(numachine, run, guest, scratch):
    refused(numachine, scratch / "none", "No such file or directory")
    refused(numachine, run.directory / "manifest.json", "not a run's directory")
    refused(numachine, run.directory, "--format: no 'xml'", "--format=xml")
    refused(numachine, run.directory, "not with --format", "--format=yaml", "--measure")
    plain = scratch / "profile-only"
    command(numachine, "stat", "-q", "--profile", "-m", "ring-16", "-o", plain, "--", guest, "own", 1, 4)
    refused(numachine, plain, "the run has kept no truth of its misses; run it again with: numachine stat --truth -o ")
    whole = (run.directory / "truth.json").read_text()
    executable = (run.directory / "guest.elf").read_bytes()
    for name, file, text, sentence in (
            ("cut", "truth.json", whole[:len(whole) // 2], "truth.json: line "),
            ("newer", "truth.json", whole.replace('"schema":4', '"schema":5'), "schema 5: only 4 can be read"),
            ("wider", "truth.json", whole.replace('"processors":4', '"processors":2'), "is not of the machine in"),
            ("larger", "truth.json", re.sub(r'"memory":\d+', '"memory":4096', whole), "is not of the machine in"),
            ("twice", "truth.json", re.sub(r'"memory":(\d+)', lambda m: '"memory":%d' % (2 * int(m[1])), whole),
             "is not of the machine in"),
            ("cards", "truth.json", last_card(whole, STATIONS * PROCESSORS), "is not of the machine in"),
            ("settings", "config.resolved.yaml", None, "config.resolved.yaml"),
            ("foreign", "guest.elf", executable[:-1] + b"\1", "not the program that ran")):
        copy = scratch / name
        shutil.copytree(run.directory, copy)
        (copy / file).unlink()
        if text is not None:
            (copy / file).write_bytes(text if isinstance(text, bytes) else text.encode())
        simulator.listed_again(copy, file)
        refused(numachine, copy, sentence)


def check_limits(numachine, run, scratch):
    """What was stopped has no time to compare with; a limit that a run kept is not that of the next, which may take longer."""
    stopped, short = scratch / "stopped", scratch / "short"
    command(numachine, "run", "-q", run.directory / "config.resolved.yaml", "-s", f"run.limit={run.elapsed - 100}cy", "-o", stopped, status=6)
    refused(numachine, stopped, "--measure: the program did not come to its end in that run", "--measure")
    text = command(numachine, "placement", stopped).stdout
    assert "--measure" not in text and "--measure" in run.ask() and "# For the experiment's file." in text, text
    shutil.copytree(run.directory, short)
    config = short / "config.resolved.yaml"
    config.write_text(re.sub(r"(?m)^  limit: none\b", "  limit: 1us ", config.read_text()))
    simulator.listed_again(short, config.name)
    assert command(numachine, "placement", short, "--measure").stdout == run.ask("--measure")
    for words in ("c2c", "--what-if=main_arena", short), ("mend", "--runs=1", short):
        assert "PCycles" in command(numachine, *words).stdout, words


def main():
    numachine = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        scratch = pathlib.Path(scratch)
        for guest in (pathlib.Path(name).resolve() for name in sys.argv[2:]):
            run = Run(numachine, guest, "own", scratch / guest.name)
            check_ranges(run)
            check_sums(run)
            check_csv(run)
            check_object(run)
            check_code(run)
            after = check_gain(run)
        check_paste(run, guest, after, scratch)
        check_limits(numachine, run, scratch)
        check_shared(Run(numachine, guest, "same", scratch / "same"))
        check_uneven(Run(numachine, guest, "uneven", scratch / "uneven"))
        check_filled(numachine, guest, scratch)
        check_other_rules(numachine, guest, scratch)
        check_slower(run, scratch)
        check_refusals(numachine, run, guest, scratch)
        print(f"ok: {len(run.shown['pages'])} pages, {len(run.shown['placement'])} ranges")


if __name__ == "__main__":
    main()
