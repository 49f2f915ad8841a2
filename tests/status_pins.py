#!/usr/bin/env python3
"""
The recorded Status pins: every PCycle of a whole run adds up to the totals of the 15 states, a window is a
piece of the whole, both files say the same, the codes are the machine's, and no cycle is another.

    status_pins.py NUMACHINE GUEST
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

CARDS = 0, 1, 3
HZ = 150_000_000
ENDS = 4  # PCycles at the two ends that no MasterClock shows, or that were before the first
NO_EDGE = "no MasterClock begins between monitor.status.from and monitor.status.to"


class Bench:
    def __init__(self, numachine, guest, directory):
        self.numachine, self.guest, self.out = numachine, guest, directory / "out"
        self.file = directory / "x.yaml"

    def call(self, status, codes=""):
        self.file.write_text(f"machine: {{base: station-4, status: {{{codes}}}}}\n"
                             f"program: {{path: {self.guest}, args: [share, 20]}}\n"
                             f"monitor: {{status: {{{status}}}}}\n")
        return subprocess.run([self.numachine, "run", "-q", "--force", "-o", str(self.out), str(self.file)],
                              capture_output=True, text=True, check=False)

    def run(self, status, codes=""):
        """(result hash, {card: rows of status.csv})"""
        done = self.call(status, codes)
        assert done.returncode == 0, done.stderr
        rows = {card: [] for card in CARDS}
        path = self.out / "monitor/status.csv"
        for row in csv.DictReader(path.open(newline="")) if path.exists() else []:
            rows[int(row["card"])].append(row)
        return json.loads((self.out / "manifest.json").read_text())["end"]["result_hash"], rows


def clocks(rows):
    """{tick of a MasterClock: (older, newer)}; they follow each other without a gap."""
    shown = {}
    for row in rows:
        tick = int(row["tick"])
        assert not shown or tick == at + 2, (tick, at)
        for at in range(tick, tick + 2 * int(row["clocks"]), 2):
            shown[at] = row["older"], row["newer"]
    return shown


def check_totals(bench, rows):
    """Two states in each MasterClock, the same as counted."""
    with (bench.out / "stats.csv").open(newline="") as file:
        stats = [row for row in csv.DictReader(file) if row["stat"].startswith("status.")]
    for card in CARDS:
        total = {row["stat"][7:]: int(row["value"]) for row in stats
                 if row["component"] == f"machine.station[0].card[{card}]"}
        seen = dict.fromkeys(total, 0)
        for pair in clocks(rows[card]).values():
            for state in pair:
                seen[state] = seen.get(state, 0) + 1
        assert sum(abs(seen[state] - total.get(state, 0)) for state in seen) <= ENDS, (card, seen, total)


def check_vcd(bench, rows, codes):
    """As a viewer reads it: a value from each time on, until the next."""
    text = (bench.out / "monitor/status.vcd").read_text()
    assert dict((name, int(code, 16)) for code, name in re.findall(r"^  ([0-9a-f]) (\w+)$", text, re.M)) == codes
    head, _, body = text.partition("$enddefinitions $end\n")
    assert "$timescale 1 ps $end" in head
    names = {}
    for card, variables in re.findall(r"\$scope module card(\d+) \$end\n(.*?)\$upscope", head, re.S):
        for bits, name, signal in re.findall(r"\$var wire (\d) (\S+) (\w+)", variables):
            names[name] = int(card), signal, int(bits)
    assert len(names) == 3 * len(CARDS)
    expected = {}
    for card in CARDS:
        for row in rows[card]:
            when = int(row["tick"]) * 10**12 // HZ
            older, newer = codes[row["older"]], codes[row["newer"]]
            assert row["status"] == f"0x{older:x}{newer:x}"
            expected.setdefault(when, {})[card] = {"status": 16 * older + newer, "older": older, "newer": newer}
    now, time, seen = {card: {} for card in CARDS}, None, {}
    for line in body.splitlines():
        if line.startswith("#"):
            assert time is None or int(line[1:]) > time
            time = int(line[1:])
        else:
            value, name = re.fullmatch(r"b([01]+) (\S+)", line).groups()
            card, signal, bits = names[name]
            assert len(value) == bits
            now[card][signal] = int(value, 2)
            seen.setdefault(time, {})[card] = dict(now[card])
    assert {t: {c: dict(v) for c, v in cards.items()} for t, cards in seen.items()} == expected


def main():
    numachine, guest = sys.argv[1:]
    out = subprocess.run([numachine, "list", "states", "--json"], check=True, capture_output=True).stdout
    codes = {row["name"]: row["code"] for row in json.loads(out)}
    assert len(codes) == len(set(codes.values())) == 15
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(numachine, str(pathlib.Path(guest).absolute()), pathlib.Path(directory))
        plain, none = bench.run("")
        assert not any(none.values())
        cards = f"cards: {list(CARDS)}"
        recorded, whole = bench.run(cards)
        assert recorded == plain, "looking has changed a cycle"
        check_totals(bench, whole)
        check_vcd(bench, whole, codes)
        last = max(clocks(whole[0]))
        for begin, end in (last // 3, last // 2), (last - 2001, last + 10**6), (1, 100):
            _, part = bench.run(f"{cards}, from: {begin}cy, to: {end}cy")
            for card in CARDS:
                piece = {t: pair for t, pair in clocks(whole[card]).items() if begin <= t < end}
                assert clocks(part[card]) == piece, (card, begin, end)
        swapped = codes | {"load": codes["store"], "store": 5}
        _, other = bench.run(cards, f"load: {codes['store']}, store: 5")
        check_vcd(bench, other, swapped)
        assert all(clocks(other[card]) == clocks(whole[card]) for card in CARDS)
        for window, remark in (f"from: {last + 10**6}cy", "before monitor.status.from"), \
                              (f"to: {last + 10**6}cy", "before monitor.status.to"), (f"to: {last}cy", None), \
                              *((f"from: {t}cy, to: {t + 1}cy", None if t in clocks(whole[0]) else NO_EDGE)
                                for t in range(last // 2, last // 2 + 4)):
            bench.call(f"{cards}, {window}")
            said = json.loads((bench.out / "manifest.json").read_text())["remarks"]
            assert [line.endswith(str(remark)) for line in said] == [True] * bool(remark), (window, said)
        done = subprocess.run([numachine, "run", "--functional", str(bench.file), "--set",
                               "monitor.status.cards=[0]"], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "functional mode" in done.stderr, done.stderr
        for status, given, complaint in (("cards: [4]", "", "'4' is no card"), ("cards: [0], from: 5cy, to: 5cy", "", "is not behind"),
                                         ("", "load: 4", "load and store both have code 4"),
                                         ("", "lode: 4", "unknown state 'lode'"), ("", "load: 16", "'16' is no code")):
            done = bench.call(status, given)
            assert done.returncode == 2 and complaint in done.stderr, (complaint, done.stderr)


if __name__ == "__main__":
    main()
