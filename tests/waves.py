#!/usr/bin/env -S python3 -S
"""
Recorded signals against what the run counted: busy buses, slots on the rings, counted events, cycle by cycle;
a window is a piece of the whole; and no cycle is another.

    waves.py NUMACHINE GUEST         what is in waves.vcd
    waves.py NUMACHINE GUEST fst     and what GTKWave's tools make of it: vcd2fst, fst2vcd
"""
import collections
import csv
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import vcd

import skip

HZ, CYCLE = 150_000_000, 3  # PCycles in a cycle of the bus, and of the rings
EVENTS = ["l2_stall", "bus_busy", "packet_headers", "read_latency", "run", "invalidate_hits"]
EVERYTHING = f"waves: true, signals: [bus, rings, status, counters, ring_busy, {', '.join(EVENTS)}]"
UNCOUNTED = {"last_read_latency", "counter_above", "interrupt_time"}  # have no total outside a counter


def ps(tick):
    return tick * 10**12 // HZ


class Bench:
    def __init__(self, numachine, guest, directory):
        self.numachine, self.guest, self.out = numachine, guest, directory / "out"
        self.file = directory / "x.yaml"

    def call(self, record, machine="two", *options):
        bases = {"two": "{base: numachine-64, rings: {stations: 2, locals: 2}}", "one": "station-4"}
        self.file.write_text(f"machine: {bases[machine]}\n"
                             f"program: {{path: {self.guest}, args: [share, 20]}}\n"
                             f"record: {{{record}}}\n")
        return subprocess.run([self.numachine, "run", "-q", "--force", "-o", str(self.out), str(self.file), *options],
                              capture_output=True, text=True, check=False)

    def run(self, record, machine="two", *options):
        """(result hash, ticks, remarks)"""
        done = self.call(record, machine, *options)
        assert done.returncode == 0, done.stderr
        manifest = json.loads((self.out / "manifest.json").read_text())
        return manifest["end"]["result_hash"], manifest["end"]["ticks"], manifest["remarks"]

    def stats(self):
        found = collections.defaultdict(lambda: collections.defaultdict(int))
        with (self.out / "stats.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                if row["value"]:
                    found[row["component"]][row["stat"]] = float(row["value"])
        return found


def cycles(book, name):
    """What a signal's values add up to, each for as many cycles as it lasted."""
    total = 0
    for begin, end, value in book.pieces(name):
        ticks = round((end - begin) * HZ / 10**12)
        total += value * -(-ticks // CYCLE)
    return total


def check_buses(book, stats):
    buses = [part for part in stats if part.startswith("machine.station[") and part.endswith("].bus")]
    assert buses
    for part in buses:
        assert cycles(book, f"{part}.busy") == stats[part]["busy"], part
        held = [(a, b) for a, b, value in book.pieces(f"{part}.busy") if value]
        for signal in "owner", "message":
            pieces = [(a, b) for a, b, value in book.pieces(f"{part}.{signal}") if value is not None]
            assert pieces and held[0][0] == pieces[0][0] and held[-1][1] == pieces[-1][1]
            assert sum(b - a for a, b in pieces) == sum(b - a for a, b in held), (part, signal)
        data = sum(b - a for a, b, value in book.pieces(f"{part}.data") if value)
        assert 0 < data < sum(b - a for a, b in held)
        assert all(book.at(f"{part}.busy", a) for a, _, value in book.pieces(f"{part}.data") if value)


def check_rings(book, stats):
    links = [part for part in stats if ".link[" in part]
    seen = [name for name in book.bits if ".link_" in name]
    assert links and len(seen) >= len(links)
    for name in seen:
        part, _, link = name.rpartition(".link_")
        assert cycles(book, name) == stats[f"{part}.link[{link}]"]["busy"], name


def check_events(book, stats, events):
    """Each where it is: a card's own at the card, a station's at its first."""
    for event in events:
        signals = [name for name in book.bits if name.endswith("." + event)]
        assert signals and any(cycles(book, name) for name in signals), event
        for name in signals:
            assert cycles(book, name) == stats[name.rpartition(".")[0]]["monitor." + event], name


def check_dates(bench):
    """The first read of the next station and its answer, by the steps of docs/latency.md."""
    bench.run("waves: true, to: 100ms", "two", "--set", "placement={0x400000-0x80000000: 1}")
    book = vcd.read(bench.out / "waves.vcd")

    def first(name, wanted):
        return next(round(t * HZ / 10**12) for t, _, value in book.pieces(name) if value == wanted)

    asks = first("machine.station[0].bus.message", "RD")
    assert first("machine.ring[0][0].link_0", 1) == asks + 3 + 6 + 6, "header, tag and state, packet generator"
    answers = first("machine.station[1].bus.owner", "memory")
    for link, hop in ("link_1", 0), ("link_2", 3):
        assert first(f"machine.ring[0][0].{link}", 1) == answers + 27 + 6 + hop, "header and data, packet generator"


def check_halts(book):
    """In a ring that stands still nothing moves."""
    halts = 0
    for name in [name for name in book.bits if name.endswith(".halted")]:
        links = [link for link in book.bits if link.startswith(name.removesuffix("halted") + "link_")]
        for a, b, value in book.pieces(name):
            if value:
                halts += 1
                assert not any(book.at(link, t) for link in links for t in (a, b - 1)), (name, a)
    assert halts


def check_window(bench, whole, begin, end, *options):
    """What is in a window is what was there in the whole, wherever in a cycle it begins and ends."""
    bench.run(f"{EVERYTHING}, from: {begin}cy, to: {end}cy", "two", *options)
    piece = vcd.read(bench.out / "waves.vcd")
    assert (piece.begin, piece.end) == (ps(begin), ps(end)) and piece.bits == whole.bits
    for name in piece.bits:
        for a, _, value in piece.pieces(name):
            assert whole.at(name, a) == value, (name, a, value, whole.at(name, a))
        inside = [(t, v) for t, v in whole.changes[name] if piece.begin < t < piece.end]
        assert [(t, v) for t, v in piece.changes[name] if t > piece.begin] == inside, name


def check_fst(bench, book):
    """The same signals and the same changes come back from the other format."""
    fst, back = bench.out.parent / "x.fst", bench.out.parent / "back.vcd"
    subprocess.run(["vcd2fst", bench.out / "waves.vcd", fst], check=True, capture_output=True)
    with back.open("w") as file:
        subprocess.run(["fst2vcd", fst], check=True, stdout=file)
    text = back.read_text()
    assert "$timescale\n\t1ps\n$end" in text or "$timescale 1ps $end" in text.replace("\n\t", " ").replace("\n", " ")
    again = vcd.read(back)
    assert again.bits == book.bits and (again.begin, again.end) == (book.begin, book.end)
    for name in book.bits:
        assert again.pieces(name) == book.pieces(name), name


def check_each_word(bench):
    """Each word of record.signals alone has the signals that all of them together have of it, and moves."""
    parts = {"bus": r"station\[\d+\]\.bus\.", "rings": r"ring\[", "status": r"card\[\d+\]\.(status|older|newer)$",
             "counters": r"card\[\d+\]\.(l2_stall|invalidate_hits)$", "run": r"card\[\d+\]\.run$"}
    words = sorted(parts)
    counted = ["--event", "l2_stall", "--set", "monitor.counters=[{event: invalidate_hits}]"]
    bench.run(f"waves: true, signals: [{', '.join(words)}], to: 300us", "two", *counted)
    whole = vcd.read(bench.out / "waves.vcd")
    for word in words:
        bench.run(f"waves: true, signals: [{word}], to: 300us", "two", *counted)
        book = vcd.read(bench.out / "waves.vcd")
        assert book.bits.keys() == {name for name in whole.bits if re.search(parts[word], name)}, (word, sorted(book.bits))
        assert all(book.changes[name] == whole.changes[name] for name in book.bits), word
        assert any(len(book.changes[name]) > 2 for name in book.bits), word
    listed = subprocess.run([bench.numachine, "list", "keys", "--json"], check=True, capture_output=True).stdout
    assert set(words) >= {word for key in json.loads(listed) if key["key"] == "record.signals" for word in key["default"]}


def check_said(bench):
    """What is wrong or missing is said in one line."""
    for record, options, complaint in (
            ("to: 5us", [], "'record.to' changes nothing"),
            ("cards: [1]", [], "'record.cards' changes nothing"),
            ("waves: true, cards: [16]", [], "'16' is no card; the machine has cards 0 to 15"),
            ("waves: true, cards: [1, 1]", [], "card 1 is there twice"),
            ("waves: true, signals: [buss]", [], "'record.signals'"),
            ("waves: true, signals: ['bus,']", [], "'bus,' is no one signal"),
            ("waves: true, signals: ['run,store']", [], "'run,store' is no one signal"),
            ("waves: true, from: 5us, to: 5us", [], "'record.to' is not behind 'record.from'"),
            ("waves: true, from: 5us", ["--set", "run.limit=5us"], "'record.from' is not before 'run.limit'"),
            ("waves: true", ["--functional"], "functional mode has no signals"),
            ("", ["--waves=1us:2us", "--trace=3us:4us"], "the window is 1us:2us already"),
            ("", ["--waves=1us:", "--set", "record.from=2us"], "the window is 1us: already"),
            ("", ["--set", "record.to=2us", "--paje=:3us"], "the window is :3us already"),
            ("", ["--waves=5us"], "FROM:TO"), ("", ["--waves=:"], "FROM:TO")):
        done = bench.call(record, "two", *options)
        assert done.returncode == 2 and complaint in done.stderr, (complaint, done.stderr)
    bench.run("", "two", "--waves=1us:2us", "--trace=1us:2us", "--paje", "--set", "record.to=2us")
    for record, remark in (("waves: true, from: 1s", "before record.from"),
                           ("waves: true, to: 1s", "before record.to"), ("waves: true", "1 ms after record.from")):
        said = bench.run(record)[2]
        assert len(said) == 1 and remark in said[0], said


def check_cap(bench):
    """Who asks for too much gets what there is room for, whole up to there, and is told so."""
    out = subprocess.run([bench.numachine, "list", "events", "--json"], check=True, capture_output=True).stdout
    events = [event["name"] for event in json.loads(out) if event["name"] not in UNCOUNTED]
    _, ticks, said = bench.run(f"waves: true, signals: [bus, status, {', '.join(events)}], to: 1s", "one",
                               "--set", "program.args=[share, 300]")
    found = re.fullmatch(r"the recording ends at PCycle ([\d,]+), with 524288 changes .* narrow it", said[0])
    assert len(said) == 1 and found, said
    book = vcd.read(bench.out / "waves.vcd")
    assert book.end == ps(int(found[1].replace(",", ""))) < ps(ticks)
    assert (bench.out / "waves.vcd").stat().st_size < 10_000_000
    assert all(book.changes[f"machine.station[0].card[{card}].status"][-1][0] > book.end - ps(200000)
               for card in range(4))


def main():
    numachine, guest, *how = sys.argv[1:]
    if how:
        skip.need("gtkwave", "vcd2fst", "fst2vcd")
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(numachine, str(pathlib.Path(guest).absolute()), pathlib.Path(directory))
        drawn = random.Random(1)
        if how:
            bench.run(f"{EVERYTHING}, to: 300us")
            check_fst(bench, vcd.read(bench.out / "waves.vcd"))
            return 0
        plain, ticks, said = bench.run("")
        assert not said and not (bench.out / "waves.vcd").exists()
        for machine in "one", "two":
            bench.run(f"{EVERYTHING}, to: 100ms", machine, "--event", ",".join(EVENTS))
            book, stats = vcd.read(bench.out / "waves.vcd"), bench.stats()
            check_buses(book, stats)
            check_events(book, stats, EVENTS)
            if machine == "two":
                check_rings(book, stats)
        recorded, _, _ = bench.run("waves: true, to: 100ms")
        assert recorded == plain, "looking has changed a cycle"
        whole = vcd.read(bench.out / "waves.vcd")
        assert whole.begin == 0 and whole.end == ps(ticks)
        first = (bench.out / "waves.vcd").read_bytes()
        bench.run("", "two", "--waves=0us:100ms")
        assert (bench.out / "waves.vcd").read_bytes() == first
        check_dates(bench)
        for clock in "50MHz", "30MHz":
            options = ["--set", f"rings.clock={clock}", "--set", "rings.between_fifo=2", "--event", ",".join(EVENTS)]
            bench.run(f"{EVERYTHING}, to: 100ms", "two", *options)
            whole = vcd.read(bench.out / "waves.vcd")
            check_halts(whole)
            for begin in ticks // 2, drawn.randint(30000, 120000):
                check_window(bench, whole, begin, begin + drawn.randint(1, 3000), *options)
        bench.run("waves: true, signals: [bus], to: 100ms")
        assert {name.split(".")[2] for name in vcd.read(bench.out / "waves.vcd").bits} == {"bus"}
        bench.run("waves: true, to: 100ms", "one", "--set", "monitor.counters=[{event: store}, {event: load}]")
        assert {"machine.station[0].card[3].store", "machine.station[0].card[0].load"} <= \
            vcd.read(bench.out / "waves.vcd").bits.keys()
        check_each_word(bench)
        check_said(bench)
        check_cap(bench)
    return 0


if __name__ == "__main__":
    sys.exit(main())
