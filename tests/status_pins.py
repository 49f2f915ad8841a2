#!/usr/bin/env -S python3 -S
"""
The recorded Status pins: every PCycle of a whole run adds up to the totals of the 15 states, a window is a
piece of the whole, both files say the same, the codes are the machine's, and no cycle is another.

    status_pins.py NUMACHINE GUEST
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import vcd

CARDS = 0, 1, 3
HZ = 150_000_000
ENDS = 4  # PCycles at the two ends that no MasterClock shows, or that were before the first


class Bench:
    def __init__(self, numachine, guest, directory):
        self.numachine, self.guest, self.out = numachine, guest, directory / "out"
        self.file = directory / "x.yaml"

    def call(self, status, codes=""):
        if status:
            status = f"waves: true, signals: [status], {status}"
        self.file.write_text(f"machine: {{base: station-4, status: {{{codes}}}}}\n"
                             f"program: {{path: {self.guest}, args: [share, 20]}}\n"
                             f"record: {{{status}}}\n")
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
    """Both files say the same at every MasterClock."""
    book = vcd.read(bench.out / "waves.vcd")
    for card in CARDS:
        part = f"machine.station[0].card[{card}]"
        for row in rows[card]:
            when = int(row["tick"]) * 10**12 // HZ
            assert row["status"] == f"0x{codes[row['older']]:x}{codes[row['newer']]:x}"
            assert book.at(f"{part}.status", when) == int(row["status"], 16), row
            assert (book.at(f"{part}.older", when), book.at(f"{part}.newer", when)) == (row["older"], row["newer"])
        changes = sum(len(book.changes[f"{part}.{name}"]) for name in ("status",))
        assert changes == len(rows[card]), (card, changes, len(rows[card]))


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
        recorded, whole = bench.run(f"{cards}, to: 100ms")
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
        _, other = bench.run(f"{cards}, to: 100ms", f"load: {codes['store']}, store: 5")
        check_vcd(bench, other, swapped)
        assert all(clocks(other[card]) == clocks(whole[card]) for card in CARDS)
        for window, remark in (f"from: {last + 10**6}cy", "before record.from"), \
                              (f"to: {last + 10**6}cy", "before record.to"), (f"to: {last}cy", None), \
                              *((f"from: {t}cy, to: {t + 1}cy", None)
                                for t in range(last // 2, last // 2 + 4)):
            bench.call(f"{cards}, {window}")
            said = json.loads((bench.out / "manifest.json").read_text())["remarks"]
            assert [line.endswith(str(remark)) for line in said] == [True] * bool(remark), (window, said)
        done = subprocess.run([numachine, "run", "--functional", str(bench.file), "--set",
                               "record.waves=true"], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "functional mode" in done.stderr, done.stderr
        for status, given, complaint in (("cards: [4]", "", "'4' is no card"), ("cards: [0], from: 5cy, to: 5cy", "", "is not behind"),
                                         ("", "load: 4", "load and store both have code 4"),
                                         ("", "lode: 4", "unknown state 'lode'"), ("", "load: 16", "'16' is no code")):
            done = bench.call(status, given)
            assert done.returncode == 2 and complaint in done.stderr, (complaint, done.stderr)


if __name__ == "__main__":
    main()
