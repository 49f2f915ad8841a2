#!/usr/bin/env -S python3 -S
"""
Threads, processors, requests and waits as Trace Event JSON and as a Paje file: parsed, nested as viewers need it,
and held against what the run counted. Where pj_dump (package pajeng) is, it says the same of the Paje file.

    timeline.py NUMACHINE GUEST
"""
import collections
import csv
import fractions
import gzip
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import skip

STATES = {"ready", "runs", "blocked"}
RUN = {"load", "store", "branch_untaken", "branch_taken", "other_integer", "other_float"}
ENDS = 4  # PCycles at the two ends that the Status pins do not show
HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"  # gzip: no name, no time


class Bench:
    def __init__(self, numachine, guest, directory):
        self.numachine, self.guest, self.out = numachine, guest, directory / "out"

    def run(self, *options):
        done = subprocess.run([self.numachine, "stat", "-q", "--force", "-o", str(self.out), "-s",
                               "rings.stations=2", "-s", "rings.locals=2", *options, "--", self.guest, "share", "20"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.manifest = json.loads((self.out / "manifest.json").read_text())
        return self.manifest["end"]["result_hash"]

    def stats(self):
        found = collections.defaultdict(lambda: collections.defaultdict(int))
        with (self.out / "stats.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                if row["value"]:
                    found[row["component"]][row["stat"]] = float(row["value"])
        return found


class Trace:
    """A trace.json.gz; times as ticks, which the digits must be enough for."""

    def __init__(self, path):
        data = path.read_bytes()
        assert data.startswith(HEAD), data[:10]
        root = json.loads(gzip.decompress(data), parse_float=fractions.Fraction)
        self.hz = root["otherData"]["clock_hz"]
        self.window, self.events = root["otherData"], root["traceEvents"]
        self.names = {(e["name"], e["pid"], e["tid"]): e["args"]["name"] for e in self.events if e["ph"] == "M"}
        assert {e["ph"] for e in self.events} <= {"M", "X", "b", "e"}

    def tick(self, us):
        """A time is that of its tick in ps, rounded down."""
        tick = math.ceil(us * self.hz / 10**6)
        assert tick * 10**12 // self.hz == us * 10**6, us
        return tick

    def tracks(self):
        """{(process, thread): [(from, to, event)]}, by time."""
        found = collections.defaultdict(list)
        for e in self.events:
            if e["ph"] == "X":
                begin, end = self.tick(e["ts"]), self.tick(e["ts"] + e["dur"])
                found[self.names["process_name", e["pid"], 0], self.names["thread_name", e["pid"], e["tid"]]] \
                    .append((begin, end, e))
        return {track: sorted(slices, key=lambda s: s[:2]) for track, slices in found.items()}

    def spans(self, kind):
        """[(begin event, from, to)] of asynchronous events, each with its end."""
        begun, done = {}, []
        for e in self.events:
            if e["ph"] in "be" and e["cat"] == kind:
                if e["ph"] == "b":
                    assert e["id"] not in begun
                    begun[e["id"]] = e
                else:
                    b = begun[e["id"]]
                    assert (b["name"], b["pid"], b["tid"]) == (e["name"], e["pid"], e["tid"]) and e["ts"] >= b["ts"]
                    done.append((b, self.tick(b["ts"]), self.tick(e["ts"])))
        assert len(done) == len(begun) == len({id(b) for b, _, _ in done})
        return done


def check_tracks(trace, stats, ticks):
    """No two slices overlap; a processor's fill all the time, and add up to its states."""
    threads = processors = 0
    for (process, name), slices in trace.tracks().items():
        for (_, end, _), (begin, _, _) in zip(slices, slices[1:]):
            assert end <= begin, (process, name, end, begin)
        if process == "threads":
            threads += 1
            assert all(e["name"] in STATES and 0 <= e["args"]["card"] < 16 for _, _, e in slices)
            continue
        processors += 1
        card = int(name.split()[1])
        assert process == f"station {card // 4}"
        assert all(end == begin for (_, end, _), (begin, _, _) in zip(slices, slices[1:]))
        assert slices[0][0] == 0 and slices[-1][1] == ticks
        part = stats[f"machine.station[{card // 4}].card[{card % 4}]"]
        seen = collections.Counter()
        for begin, end, e in slices:
            seen[e["name"]] += end - begin
        counted = collections.Counter()
        for stat, value in part.items():
            if stat.startswith("status."):
                counted["run" if stat[7:] in RUN else stat[7:]] += value
        assert sum(abs(seen[s] - counted[s]) for s in seen | counted) <= ENDS, (card, seen, counted)
    assert processors == 16 and threads > 1
    return threads


def check_threads(trace, stats, threads):
    """Threads run and sleep, together, as long as their cards say; what the system does is at the edges."""
    machine, time = stats["machine"], collections.Counter()
    for (process, _), slices in trace.tracks().items():
        for begin, end, e in slices if process == "threads" else ():
            time[e["name"]] += end - begin
    slept = machine["truth.waiting"] + machine["truth.asleep"]
    assert machine["truth.running"] <= time["runs"] <= machine["truth.running"] + machine["truth.system"], time
    assert 0 < time["blocked"] <= slept <= time["blocked"] + time["ready"], (time, slept)
    assert sum(kind == "thread_name" for kind, _, _ in trace.names) == threads + 16


def check_requests(trace, stats):
    """As many as were counted, of each card, with all their time and NACKs."""
    served = collections.defaultdict(list)
    for b, begin, end in trace.spans("request"):
        assert b["name"] in {"RD", "RDEXCL", "UPGD", "SPECIAL_RD"}
        assert trace.names["thread_name", b["pid"], b["tid"]] == f"card {b['args']['card']}"
        served[b["args"]["card"]].append((b, end - begin))
    assert served
    for card, spans in served.items():
        part = stats[f"machine.station[{card // 4}].card[{card % 4}]"]
        assert len(spans) == part["truth.requests"], card
        assert sum(not b["args"]["served"] for b, _ in spans) == part["truth.requests_abandoned"]
        assert sum(b["args"]["nacks"] for b, _ in spans) == part["monitor.nacks"]
        latency = sum(time for b, time in spans if b["args"]["served"]) / 3
        assert latency == part["monitor.read_latency"], (card, latency)
    named = [b for spans in served.values() for b, _ in spans if "symbol" in b["args"]]
    assert named and all("va" in b["args"] for b in named)
    assert any(b["args"]["remote"] for spans in served.values() for b, _ in spans)


def check_waits(trace, locks):
    """Those in locks.json, and no others."""
    kept = sorted((thread, begin, end) for thread, by, *_, begin, released, end in locks
                  if by is not None and released >= begin)
    spans = sorted((b["tid"], begin, end) for b, begin, end in trace.spans("wait"))
    assert spans == kept and spans


def read_paje(path, hz):
    """{thread: [(from, to, state)]} of a Paje file."""
    now, found, here = {}, collections.defaultdict(list), set()

    def leave(thread, tick):
        begin, state = now.pop(thread)
        if tick > begin:
            found[thread].append((begin, tick, state))

    last = 0
    for line in path.read_text().splitlines():
        if line.startswith("%"):
            continue
        event, *words = line.split()
        if event in "012":
            continue
        time = fractions.Fraction(words[0])
        tick = math.ceil(time * hz)
        assert tick * 10**12 // hz == time * 10**12 and tick >= last, line
        last = tick
        if event == "3" and words[2] == "thread":
            assert words[1] not in here
            here.add(words[1])
        elif event == "5":
            _, kind, thread, state, _ = words
            assert kind == "state" and thread in here and state in STATES
            if thread in now:
                leave(thread, tick)
            now[thread] = tick, state
        elif event == "4" and words[1] == "thread":
            leave(words[2], tick)
            here.remove(words[2])
    assert not now and not here
    return found


def check_paje(bench, trace):
    """The same states as in the trace; and pj_dump reads them, too."""
    paje = read_paje(bench.out / "threads.paje", trace.hz)
    slices = {"t" + name.split()[1]: [(begin, end, e["name"]) for begin, end, e in slices]
              for (process, name), slices in trace.tracks().items() if process == "threads"}
    merged = {}
    for thread, states in paje.items():
        merged[thread] = []
        for begin, end, state in states:
            if merged[thread] and merged[thread][-1][1:] == (begin, state):
                begin = merged[thread].pop()[0]
            merged[thread].append((begin, end, state))
    assert {t: sum(e - b for b, e, _ in s) for t, s in merged.items()} == \
        {t: sum(e - b for b, e, _ in s) for t, s in slices.items()}
    assert paje == slices
    if not skip.have("pajeng", "pj_dump"):
        return
    done = subprocess.run(["pj_dump", bench.out / "threads.paje"], check=True, capture_output=True, text=True)
    dumped = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        kind, *words = [word.strip() for word in line.split(",")]
        if kind == "State" and float(words[4]) > 0:
            dumped["t" + words[0].split()[1]].append(words[6])
    assert dumped == {t: [state for _, _, state in states] for t, states in paje.items()}


def main():
    numachine, guest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(numachine, str(pathlib.Path(guest).absolute()), pathlib.Path(directory))
        counted = ["--event", "nacks,read_latency"]
        plain = bench.run(*counted)
        recorded = bench.run(*counted, "--trace=:100ms", "--paje")
        assert recorded == plain, "looking has changed a cycle"
        trace, stats = Trace(bench.out / "trace.json.gz"), bench.stats()
        ticks = bench.manifest["end"]["ticks"]
        threads = check_tracks(trace, stats, ticks)
        check_threads(trace, stats, threads)
        check_requests(trace, stats)
        assert not trace.spans("wait")
        check_paje(bench, trace)
        first = (bench.out / "trace.json.gz").read_bytes()
        bench.run(*counted, "--trace=:100ms", "--paje")
        assert (bench.out / "trace.json.gz").read_bytes() == first
        bench.run("--profile", "--trace=:100ms")
        check_waits(Trace(bench.out / "trace.json.gz"), json.loads((bench.out / "locks.json").read_text())["waits"])
        begin, end = ticks // 3, ticks // 2
        bench.run(f"--trace={begin}cy:{end}cy")
        part = Trace(bench.out / "trace.json.gz")
        assert all(begin <= a < b <= end for slices in part.tracks().values() for a, b, _ in slices)
        spans = [(b["tid"], a, z) for b, a, z in part.spans("request")]
        assert spans == [(b["tid"], a, z) for b, a, z in trace.spans("request") if begin <= z < end] and spans
        bench.run("--trace=999s:", "--waves", "--paje")
        assert not read_paje(bench.out / "threads.paje", trace.hz)
        assert " p program" not in (bench.out / "threads.paje").read_text()
        late = Trace(bench.out / "trace.json.gz")
        assert all(e["ph"] == "M" for e in late.events), "what never was"
        assert "$var" not in (bench.out / "waves.vcd").read_text()
        bench.run("--functional", "--paje")
        assert sum(len(states) for states in read_paje(bench.out / "threads.paje", trace.hz).values()) > 3


if __name__ == "__main__":
    main()
