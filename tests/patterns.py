#!/usr/bin/env -S python3 -S
"""
Patterns of references: each kind does what its sentence says, by identities and counts made by hand.

    patterns.py NUMACHINE HOME kinds       what the kinds do to the machine
    patterns.py NUMACHINE HOME surroundings   the open loop, files, commands, complaints, the document
    patterns.py NUMACHINE HOME golden      the shipped experiments, with experiments/patterns/golden.json
    patterns.py NUMACHINE HOME saturation  what the curve of saturation expects of its points, and its table in README.md
    patterns.py NUMACHINE HOME --write     measures those anew, and writes the documents' tables

In a region there is more than the pattern's references: to meet, each thread reads and writes a few words.
"""
import csv
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import marked

MEET = 8  # misses, upgrades or stores of a thread where a phase begins and ends, at most
MOST = 256 << 10  # KB that a run keeps in memory: lines are used, of pages that are mostly empty
NUMACHINE, HOME = None, None


class Run:
    """A pattern's run, read. @param phases  as in a file, without the brackets around all"""

    def __init__(self, phases, *options, file=None, machine="ring-16", status=0):
        self.directory = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.directory.name, "out")
        text = f"machine: {machine}\nprogram: {{pattern: [{phases}]}}\n"
        done = subprocess.run([NUMACHINE, "run", "-q", "-o", self.out, *options, file or "-"], input=text,
                              capture_output=True, text=True, check=False)
        assert done.returncode == status, (phases, done.returncode, done.stderr)
        self.said = done.stderr
        self.rows = {}
        for line in (self.out / "guest.stdout").read_text().splitlines()[1:]:
            name, *numbers = line.split()
            keys = ("references", "offered", "accepted", "late", "waited", "mean", "median", "high")
            self.rows[name] = {key: None if n == "-" else float(n) for key, n in zip(keys, numbers)}
        self.stats = {(r["snapshot"], r["component"], r["stat"]): float(r["value"])
                      for r in csv.DictReader(open(self.out / "stats.csv", newline="")) if r["value"]}
        self.manifest = json.loads((self.out / "manifest.json").read_text())
        self.hash = self.manifest["end"]["result_hash"]
        self.table = (self.out / "guest.stdout").read_text()
        self.check_figures()

    def check_figures(self):
        """The phases' statistics are the table's numbers, which are rounded down; the whole run's are of all of them."""
        for name, row in self.rows.items():
            shown = {"references": row["references"], "offered": row["offered"], "accepted": row["accepted"],
                     "late": row["late"], "wait": row["mean"],
                     "waited": None if row["waited"] is None else 100 * row["waited"] / row["references"]}
            for key, value in shown.items():
                found = self.stats.get((name, "machine", f"pattern.{key}"))
                assert (found is None) == (value is None), (name, key, found, value)
                assert found is None or -1e-6 <= found - value <= (0.1 if key in ("late", "wait") else 0.001), (key, found, value)
        of_all = sum(row["references"] for row in self.rows.values())
        assert self.of("whole", "pattern.references") == of_all, (of_all, self.of("whole", "pattern.references"))

    def of(self, region, stat, component="machine"):
        return self.stats.get((region, component, stat), 0)


def between(low, value, high):
    assert low <= value <= high, (low, value, high)


# ---- kinds ----------------------------------------------------------------------------------------


def stride():
    run = Run("{kind: stride, references: 4096, footprint: 64KB, stride: 64B, stores: 0%},"
              "{kind: stride, name: streaming, references: 4096, stride: 8B, wrap: false, stores: 0%},"
              "{kind: stride, name: again, references: 4096, footprint: 4KB, stride: 4B, stores: 100%}",
              "--set", "program.processors=1")
    # The words that are met by are a store to let go on, and LL and SC in the next phase's line.
    for region, lines, loads, stores in (("stride", 1024, 4096, 0), ("streaming", 512, 4096, 0), ("again", 64, 0, 4096)):
        assert run.of(region, "truth.l2_misses") == lines + 2, (region, run.of(region, "truth.l2_misses"))
        assert run.of(region, "truth.loads") == loads + 1 and run.of(region, "truth.stores") == stores + 2


def private():
    run = Run("{kind: private, references: 4000, footprint: 4KB, placement: local}")
    between(16 * 64, run.of("private", "truth.l2_misses"), 16 * (64 + MEET))
    between(0, run.of("private", "monitor.invalidate_hits"), 16 * MEET)
    stores = run.of("private", "truth.stores") / (16 * 4000)
    between(0.295, stores, 0.305)
    for station in range(4):  # each has the homes of its own four regions
        between(4 * 64, run.of("private", "accesses", f"machine.station[{station}].memory"), 4 * 64 + 400)


def uniform():
    run = Run("{kind: uniform, references: 3000, footprint: 4KB, stores: 0%},"
              "{kind: uniform, name: alone, references: 3000, footprint: 4KB, stores: 0%, sharing: 1}")
    for region in ("uniform", "alone"):  # who only reads has each line once
        between(16 * 64, run.of(region, "truth.l2_misses"), 16 * (64 + MEET))
        between(0, run.of(region, "monitor.invalidate_hits"), 16 * MEET)
    shared = Run("{kind: uniform, references: 3000, footprint: 4KB, sharing: 4, stores: 50%}")
    between(0.495, shared.of("uniform", "truth.stores") / 48000, 0.505)
    assert shared.of("uniform", "monitor.invalidate_hits") > 3000


def zipf():
    """The hottest line of 1024 has 1 / H of the references, and all misses are of lines that come at all."""
    run = Run("{kind: zipf, references: 3000, footprint: 64KB, skew: 4, stores: 0%}", "--set", "program.processors=1")
    share = sum(1 - (1 - k ** -4 / 1.0823) ** 3000 for k in range(1, 1025))  # lines that come, by the formula
    between(share - 6, run.of("zipf", "truth.l2_misses") - 2, share + 6)


def read_mostly():
    run = Run("{kind: read-mostly, references: 4000, footprint: 1KB, stores: 50%}")
    for card in range(16):
        stores = run.of("read-mostly", "truth.stores", f"machine.station[{card // 4}].card[{card % 4}]")
        between(*((1900, stores, 2100) if card == 0 else (0, stores, MEET)))


def false_shared():
    run = Run("{kind: false-shared, references: 400, stores: 100%, think: 20},"
              "{kind: false-shared, name: padded, references: 400, stores: 100%, think: 20, padded: true}")
    between(16, run.of("padded", "truth.l2_misses"), 16 * (1 + MEET))
    assert run.of("false-shared", "truth.l2_misses") > 10 * run.of("padded", "truth.l2_misses")
    assert run.of("false-shared", "elapsed") > 5 * run.of("padded", "elapsed")


def migratory():
    """A line has one new owner in each turn: whoever reads and then changes it. So has the word of turns."""
    for group in (2, 16):
        run = Run(f"{{kind: migratory, references: 100, sharing: {group}}}")
        upgrades = run.of("migratory", "truth.upgrades") - run.of("migratory", "truth.upgrades_failed")
        turns = 16 * 50
        between(2 * turns - 2 * 16, upgrades, 2 * turns + 16 * MEET)


def producer_consumer():
    run = Run("{kind: producer-consumer, references: 1024, footprint: 512B}", "--set", "program.processors=3")
    assert run.rows["producer-consumer"]["references"] == 2 * 1024, "the third has no partner"
    card = "machine.station[0].card[%d]"
    # 8 rounds of 128 words: as many flags of either.
    between(1024 + 8, run.of("producer-consumer", "truth.stores", card % 0), 1024 + 8 + MEET)
    between(8, run.of("producer-consumer", "truth.stores", card % 1), 8 + MEET)
    assert run.of("producer-consumer", "truth.loads", card % 1) >= 1024 + 8
    misses = run.of("producer-consumer", "truth.l2_misses", card % 1)
    between(8 * 8, misses, 8 * 8 + 3 * 8 + MEET)  # the buffer's lines each round, and the word


def hot_lock():
    for lock in ("tas", "ttas", "ticket"):
        run = Run(f"{{kind: hot-lock, references: 10, lock: {lock}, hold: 1000, think: 10}}")
        assert run.rows["hot-lock"]["references"] == 160
        between(160 * 1000, run.of("hot-lock", "elapsed"), 160 * 4000)  # one at a time, and no one waits for ever
        halves = Run(f"{{kind: hot-lock, references: 10, lock: {lock}, hold: 1000, think: 10, sharing: 8}}")
        between(80 * 1000, halves.of("hot-lock", "elapsed"), 160 * 1000)  # two locks, side by side


def remote():
    """Of 8 threads on stations 0 and 1 each reads 480 lines, once each, at home where the kind says."""
    homes = {
        "bit-reverse": {0: 4, 8: 4}, "transpose": {0: 4, 4: 4},
        "nearest-neighbour": {1: 2, 15: 2, 2: 2, 0: 2},
        "all-to-all": {s: 4 * 2 / 15 - (4 / 15 if s in (0, 1) else 0) for s in range(16)},
    }
    for kind, threads in homes.items():
        run = Run(f"{{kind: {kind}, references: 480, stores: 0%}}", "--set", "program.processors=8",
                  machine="numachine-64")
        for station in range(16):
            asked = run.of(kind, "accesses", f"machine.station[{station}].memory")
            wanted = 480 * threads.get(station, 0)
            between(wanted, asked, wanted + 250 if station == 0 or wanted else 250)


def placements():
    """16 regions of 64 lines, each line read once: at home where placement says."""
    wanted = {"local": [256] * 4, "partner": [256] * 4, "interleave": [256] * 4, "station, station: 2": [0, 0, 1024, 0]}
    for placement, lines in wanted.items():
        run = Run(f"{{kind: stride, references: 64, footprint: 4KB, stores: 0%, placement: {placement}}}")
        for station in range(4):
            asked = run.of("stride", "accesses", f"machine.station[{station}].memory")
            between(lines[station], asked, lines[station] + 250)
        misses = run.of("stride", "misses", "machine.station[3].netcache")
        between(*((0, misses, 60) if placement == "local" else (192 if "int" in placement else 256, misses, 330)))


def loops():
    """think, burst and pause of one thread whose references all hit, by hand."""
    base = "kind: stride, footprint: 64B, stride: 4B, stores: 0%, references: 1000"
    took = {}
    for name, keys in (("plain", ""), ("think", ", think: 9"), ("burst", ", burst: 10, pause: 500"),
                       ("drawn", ", think: 900, spacing: drawn")):
        run = Run(f"{{{base}{keys}}}", "--set", "program.processors=1")
        took[name] = run.of("stride", "elapsed")
    assert took["think"] - took["plain"] == 9 * 1000, took
    between(500 * 100, took["burst"] - took["plain"], 500 * 100 + 3)  # where a bus cycle begins
    between(900000 - 5 * 28500, took["drawn"] - took["plain"], 900000 + 5 * 28500)


# ---- surroundings ---------------------------------------------------------------------------------


def open_loop():
    for spacing in ("fixed", "drawn"):
        run = Run(f"{{kind: bit-reverse, name: low, references: 400, stores: 0%, rate: 0.5, spacing: {spacing}}},"
                  f"{{kind: bit-reverse, name: high, references: 400, stores: 0%, rate: 50, spacing: {spacing}}},"
                  "{kind: bit-reverse, name: closed, references: 400, stores: 0%}", machine="numachine-64")
        low, high, closed = (run.rows[name] for name in ("low", "high", "closed"))
        between(0.985 * 0.5, low["accepted"], 1.015 * 0.5)
        assert low["late"] < 40 and high["late"] > 50000, run.table
        assert high["accepted"] < 5, run.table
        between(0.9 * closed["accepted"], high["accepted"], 1.1 * closed["accepted"])
        assert low["median"] <= low["high"] and low["mean"] > 100 and high["mean"] > 1.5 * low["mean"], run.table
        assert low["waited"] == high["waited"] == 400 * 64 and closed["waited"] is None
    # What waits is what misses: of hits that a single thread makes, none.
    hits = Run("{kind: stride, footprint: 64B, stride: 4B, references: 1000, rate: 10}",
               "--set", "program.processors=1").rows["stride"]
    between(1, hits["waited"], 4)  # the line, and the TLB
    between(9.9, hits["accepted"], 10.1)


def alike():
    """What a run is made of does not change its result, and the seed does."""
    phases = ("{kind: uniform, references: 300, rate: 20, spacing: drawn, footprint: 16KB}, {kind: hot-lock, references: 5},"
              "{kind: zipf, references: 300, barrier: false}, {kind: migratory, references: 40}")
    first = Run(phases)
    again = Run(None, file=first.out / "config.resolved.yaml")
    assert again.hash == first.hash and again.table == first.table
    assert Run(phases, "--set", "monitor.interval=1111cy").table == first.table, "windows are cut elsewhere"
    assert Run(phases, "--set", "run.check=true").table == first.table, "in the checking mode"
    assert Run(phases, "--set", "run.seed=2").table != first.table
    assert not (first.out / "guest.elf").exists() and first.manifest["experiment"]["program"] is None
    return first, again


def commands():
    """Whoever reads results has nothing to find where a program would be."""
    first, again = alike()
    for words in (["diff", first.out, again.out], ["compare", first.out, again.out], ["check", first.out / "config.resolved.yaml"],
                  ["report", first.out], ["list", "patterns"], ["list", "patterns", "--json"]):
        done = subprocess.run([NUMACHINE, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "(null)" not in done.stdout, (words, done)
    for words in (["profile", first.out], ["c2c", first.out], ["locks", first.out]):
        done = subprocess.run([NUMACHINE, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stderr.count("\n") <= 2, (words, done)
    done = subprocess.run([NUMACHINE, "run", "-"], input="program: {pattern: [{kind: private}]}\nrun: {profile: true}\n",
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "keeps no profile" in done.stderr, done


BAD = [  # what is wrong, where, and what is said
    ("[{kind: privat}]", 2, "is not a choice (did you mean 'private'?)"),
    ("[{references: 5}]", 2, "a phase has no 'kind'"),
    ("[]", 2, "has 0 phases; expected 1 to 1000"),
    ("{kind: private}", 2, "is a mapping"),
    ("[{kind: uniform, skew: 1}]", 2, "'skew' is no key of 'uniform', which takes references, size, stores"),
    ("[{kind: uniform, skeww: 1}]", 2, "unknown key 'skeww'; did you mean 'skew'?"),
    ("[{kind: zipf, skew: 4.5}]", 2, "is out of range; expected a number from 0 to 4"),
    ("[{kind: zipf, skew: 1x}]", 2, "has 'x' after the number"),
    ("[{kind: zipf, skew: 0.12345678}]", 2, "is not a whole number of millionths"),
    ("[{kind: zipf, stores: 30}]", 2, "needs a unit; expected a share from 0% to 100%"),
    ("[{kind: zipf, stores: 101%}]", 2, "is out of range"),
    ("[{kind: zipf, footprint: 1024MB}]", 2, "has a footprint of fewer than 8388608 lines"),
    ("[{kind: zipf, footprint: 0B}]", 2, "is out of range"),
    ("[{kind: private, size: 3}]", 2, "'size' is 1, 2, 4 or 8"),
    ("[{kind: stride, stride: 6B}]", 2, "'stride' is a multiple of 'size'"),
    ("[{kind: stride, wrap: false, footprint: 1KB}]", 2, "not with 'wrap: false'"),
    ("[{kind: private, rate: 1, think: 2}]", 2, "'rate' is an open loop"),
    ("[{kind: private, burst: 2}]", 2, "'burst' and 'pause' go together"),
    ("[{kind: private, station: 2}]", 2, "'placement: station' and 'station' go together"),
    ("[{kind: private, placement: station, station: 4}]", 2, "there is no station 4; the machine has 4"),
    ("[{kind: transpose}]", 2, "as many rings as there are stations on each"),
    ("[{kind: producer-consumer, distance: 16}]", 2, "'distance' is 16, but there are 16 threads"),
    ("[{kind: private}, {kind: private}]", 2, "there is a phase 'private' already"),
    ("[{kind: private, name: a b}]", 2, "'name' is 1 to 60 characters without spaces"),
    ("[{kind: private}]\nmachine: {base: ring-16, run: {mode: functional}}", 2, "no caches"),
    ("[{kind: private}]\n  args: [a]", 3, "'program.args' is of programs"),
    ("[{kind: private}]\n  source: x.c", 2, "'program.source' and 'program.pattern' are both given"),
    ("[{kind: private}]\nmonitor: {mask: {address: {symbol: x}}}", 3, "a pattern has no symbols"),
]


def complaints():
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory, "bad.yaml")
        pathlib.Path(directory, "x.c").write_text("int main(void) { return 0; }\n")
        for text, line, wanted in BAD:
            file.write_text(f"program:\n  pattern: {text}\n{'' if 'machine:' in text else 'machine: ring-16'}\n")
            for command in ("run", "check"):
                done = subprocess.run([NUMACHINE, command, file], capture_output=True, text=True, check=False)
                assert done.returncode == 2, (text, done)
                assert re.search(rf"bad\.yaml:{line}:\d+: error: ", done.stderr) and wanted in done.stderr, (text, done.stderr)
        file.write_text("program: {pattern: [{kind: private, footprint: 1GB}]}\nmachine: ring-16\n")
        done = subprocess.run([NUMACHINE, "run", file], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "more than the machine's memory" in done.stderr, done
        file.write_text("program: {path: x.c, rate: 2}\n")
        done = subprocess.run([NUMACHINE, "check", file], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "'program.rate' is of patterns" in done.stderr, done


# ---- the document and the shipped experiments ------------------------------------------------------


def tables():
    """The document's tables, as the program has them."""
    kinds = json.loads(subprocess.run([NUMACHINE, "list", "patterns", "--json"], capture_output=True, check=True).stdout)
    schema = json.loads(subprocess.run([NUMACHINE, "list", "schema"], capture_output=True, check=True).stdout)
    keys = schema["definitions"]["experiment"]["properties"]["program"]["properties"]["pattern"]["items"]["properties"]
    yield "kinds", ["| kind | what | `footprint` | takes, beside `references` and `barrier` |", "|---|---|---|---|"] + [
        f"| `{k['pattern']}` | {k['sentence']} | {k['footprint'] or '-'} | "
        f"{', '.join(n for n in k['keys'].split(', ') if n not in ('references', 'barrier'))} |" for k in kinds]
    rows = ["| key | what | default |", "|---|---|---|"]
    for name, key in keys.items():
        rows.append(f"| `{name}` | {key['description'].replace('|', '/')} | {key.get('default', '-')} |")
    yield "keys", rows
    run = Run("{kind: private, references: 10}")
    names = json.loads((run.out / "stats.json").read_text())["names"]
    yield "figures", ["| statistic | unit | what |", "|---|---|---|"] + [
        f"| `{name}` | {row['unit']} | {row['desc']} |" for name, row in names.items() if name.startswith("machine.pattern.")]


def document(write=False):
    marked.hold(pathlib.Path(HOME, "docs/patterns.md"), {name: "\n".join(rows) for name, rows in tables()},
                "tests/patterns.py ... --write", write)


def golden(write=False):
    directory = pathlib.Path(HOME, "experiments/patterns")
    found = {}
    for file in sorted(directory.glob("*.yaml")):
        options = ["--set", "program.rate=2"] if file.stem == "saturation" else []
        if options:  # one point of it
            text = file.read_text().split("sweep:")[0]
            run = Run(None, *options, file=write_one(text))
        else:
            run = Run(None, file=file)
        found[file.stem] = {"result_hash": run.hash, "table": run.table.splitlines()}
        kept = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        assert kept < MOST, f"{file.stem}: {kept} KB in memory"
    path = directory / "golden.json"
    if write:
        path.write_text(json.dumps(found, indent=2) + "\n")
    kept = json.loads(path.read_text())
    for name in found:
        assert found[name] == kept.get(name), f"{name}: found {found[name]}\ngolden {kept.get(name)}"
    readme = (directory / "README.md").read_text()
    assert set(kept) == set(found) and not [n for n in found if f"`{n}`" not in readme], "README.md knows all"


def saturation(write=False):
    """The curve's table, as statistics of the sweep's regions have it. What the sweep expects holds, or it fails."""
    found, order = {}, []
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        subprocess.run([NUMACHINE, "run", "-q", "-o", out, f"{HOME}/experiments/patterns/saturation.yaml"], check=True)
        for row in csv.DictReader(open(out / "sweep.csv", newline="")):
            if row["stat"] in ("pattern.accepted", "pattern.wait") and row["region"] != "whole":
                found[row["program.rate"], row["region"], row["stat"]] = float(row["value"])
                order += [row["region"]] * (row["region"] not in order)
    lines = ["| offered | " + " | | ".join(order) + " | |", "|---" * (1 + 2 * len(order)) + "|"]
    for rate in dict.fromkeys(rate for rate, _, _ in found):
        lines.append(f"| {rate} | " + " | ".join(f"{found[rate, region, 'pattern.accepted']:.3f} | "
                                                 f"{found[rate, region, 'pattern.wait']:.0f}" for region in order) + " |")
    marked.hold(pathlib.Path(HOME, "experiments/patterns/README.md"), {"saturation": "\n".join(lines)},
                "tests/patterns.py ... --write", write)


KEPT = tempfile.TemporaryDirectory()


def write_one(text):
    path = pathlib.Path(KEPT.name, "saturation.yaml")
    path.write_text(text)
    return path


PARTS = {"kinds": [stride, private, uniform, zipf, read_mostly, false_shared, migratory, producer_consumer, hot_lock,
                   remote, placements, loops],
         "surroundings": [open_loop, commands, complaints, document],
         "golden": [golden], "saturation": [saturation]}


def main():
    global NUMACHINE, HOME
    NUMACHINE, HOME, what = sys.argv[1:]
    NUMACHINE = str(pathlib.Path(NUMACHINE).resolve())
    if what == "--write":
        document(write=True)
        golden(write=True)
        saturation(write=True)
        return
    for part in PARTS[what]:
        part()


if __name__ == "__main__":
    main()
