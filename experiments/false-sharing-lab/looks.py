"""
Runs of the laboratory: the truth of a program, what a detector says of it, and what it would take if lines were mended.

Each run's result is a small JSON file, so a laboratory that was interrupted goes on where it was. What is kept
belongs to one simulator: another one begins anew.
"""
import collections
import concurrent.futures
import csv
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import programs

FALSE_LEAST = 20000  # [PCycles] of all processors, that a line shared falsely costs
RANGES_MOST = 2000   # of bytes that are parted: an experiment file has 64 KB
FALSE = ["false_sharing_time", "upgrade_false_time"]
TRUE = ["true_sharing_time", "upgrade_true_time"]
DEFINITIONS = {"bytes (Dubois)": "", "words (Dubois)": "word_", "the word asked for (Eggers)": "eggers_",
               "the word asked for (Torrellas)": "torrellas_", "bytes of one's own (the programmer)": "programmer_"}


@dataclasses.dataclass(frozen=True)
class Variant:
    """Another machine, number of threads or way of compiling."""
    name: str
    sentence: str
    options: tuple = ()   # of `stat` and `detect`
    threads: str = "first"  # of the program's row: first, least, most
    flags: tuple = ()     # of the compiler
    most_threads: int = 64

    def arguments(self, program):
        """The program's."""
        if self.threads == "first":
            return [str(program.threads[0])]
        return [str((min if self.threads == "least" else max)(program.threads))]

    def fits(self, program):
        """Whether the machine has processors for the program, and the variant is another run than the plain one."""
        threads = int(self.arguments(program)[0])
        return threads <= self.most_threads and (self.threads == "first" or threads != program.threads[0])


PLAIN = Variant("plain", "numachine-64, o32, -O2")


@dataclasses.dataclass(frozen=True)
class Subject:
    """What is looked at."""
    program: programs.Program
    padded: bool = False
    variant: Variant = PLAIN

    @property
    def key(self):
        return (f"{self.program.hand}-{self.program.name}{'-mended' if self.padded else ''}-{self.variant.name}-"
                f"{self.program.digest[:12]}")


@dataclasses.dataclass
class Line:
    """The truth of a line of the secondary cache."""
    false: int = 0  # [PCycles]
    true: int = 0   # [PCycles]
    cards: dict = dataclasses.field(default_factory=dict)  # {card: bytes of the line that it has touched, as bits}

    @property
    def falsely(self):
        return self.false >= FALSE_LEAST and self.false > self.true


@dataclasses.dataclass
class Truth:
    """Of a run: its lines by virtual address, its length, and the objects that the program has shown."""
    lines: dict
    pcycles: int
    objects: list  # of (name, first address, length)
    bytes: int     # of a line
    false_misses: dict  # {definition: part of the misses that sharing made}; empty: it made none

    @functools.cached_property
    def falsely(self):
        """{virtual address of a line that is shared falsely: PCycles that this cost}"""
        return {at: line.false for at, line in self.lines.items() if line.falsely}

    @functools.cached_property
    def false_objects(self):
        """Objects that are shared falsely: one of their lines is, or all of them together are."""
        together = collections.defaultdict(Line)
        for at, line in self.lines.items():
            for name in self.objects_of(at):
                together[name].false += line.false
                together[name].true += line.true
        return {name for at in self.falsely for name in self.objects_of(at)} | \
            {name for name, thing in together.items() if thing.falsely}

    def objects_of(self, line):
        """The objects that have bytes of a line, if the program has shown any; else the line is an object by itself."""
        names = {name for name, first, length in self.objects if line < first + length and first < line + self.bytes}
        return names or {f"{line:#x}"}


def lines_of(document):
    """The lines of a truth document (truth.json) of which sharing cost anything."""
    columns = [name for name, _, _ in document["columns"]]
    lines = collections.defaultdict(Line)
    for _, at, card, _, read, read_rest, written, written_rest, *_ in document["copies"]:
        touched = (read | written) % 2**64 | (read_rest | written_rest) % 2**64 << 64
        lines[at].cards[card] = lines[at].cards.get(card, 0) | touched
    for copy, _, _, _, _, _, _, _, _, *values in document["rows"]:
        row = {columns[column]: value for column, value in zip(values[::2], values[1::2])}
        line = lines[document["copies"][copy][1]]
        line.false += sum(row.get(name, 0) for name in FALSE)
        line.true += sum(row.get(name, 0) for name in TRUE)
    return {at: line for at, line in lines.items() if line.false or line.true}


def false_misses(document):
    """{definition: part of the misses that sharing made which are false by it}, of a truth document."""
    columns = [name for name, _, _ in document["columns"]]
    total = collections.Counter()
    for _, _, _, *values in document["windows"]:
        total.update({columns[column]: value for column, value in zip(values[::2], values[1::2])})
    misses = total["true_sharing"] + total["false_sharing"]
    return {name: total[f"{prefix}false" if prefix else "false_sharing"] / misses
            for name, prefix in DEFINITIONS.items()} if misses else {}


def parts_of(lines, named):
    """Ranges for `apart` that give the bytes of the named lines lines of their own, those together that the same cards
    touch: what a person does who pads what was named. The dearest lines first, as far as RANGES_MOST reach."""
    groups, ranges = {}, []
    for at in sorted((at for at in named if at in lines), key=lambda at: (-lines[at].false - lines[at].true, at)):
        cards = lines[at].cards
        users = [frozenset(card for card, bits in cards.items() if bits >> byte & 1) for byte in range(128)]
        begin = None
        for byte, of in enumerate([*users, frozenset()]):
            if begin is not None and of != users[begin]:
                ranges.append((at + begin, at + byte, groups.setdefault(users[begin], len(groups) + 1)))
                begin = None
            if begin is None and of:
                begin = byte
        if len(ranges) > RANGES_MOST:
            break
    return [f"{first:#x}-{end:#x}={group}" for first, end, group in sorted(ranges[:RANGES_MOST])]


class Refused(RuntimeError):
    """The simulator has refused what it was asked, or a run has failed: says what and why."""


class Bench:
    """Runs, each made once and kept."""

    def __init__(self, numachine, directory, jobs=None):
        self.numachine = str(numachine)
        self.directory = pathlib.Path(directory)
        self.jobs = jobs or os.cpu_count()
        self.locks = collections.defaultdict(threading.Lock)
        self.lock = threading.Lock()
        self.done = 0
        self._claim()

    def _claim(self):
        """What is kept is this simulator's."""
        mark = self.directory / "kept/simulator"
        mine = hashlib.sha256(pathlib.Path(self.numachine).read_bytes()).hexdigest()
        if mark.exists() and mark.read_text() != mine:
            print("lab: another simulator than last time: all runs are made anew", file=sys.stderr)
            shutil.rmtree(self.directory / "kept")
        if not mark.exists():
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.write_text(mine)

    def kept(self, key, make):
        """The result called `key`, made if there is none yet."""
        path = self.directory / "kept" / f"{key}.json"
        with self.lock:
            lock = self.locks[key]
        with lock:
            if path.exists():
                return json.loads(path.read_text())
            result = make()
            new = path.with_suffix(".new")
            new.write_text(json.dumps(result))
            new.rename(path)
            with self.lock:
                self.done += 1
                if self.done % 50 == 0:
                    print(f"lab: {self.done} runs made", file=sys.stderr)
            return result

    def each(self, work, items):
        """[work(item)], several at a time."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(work, items))

    def executable(self, subject):
        """Built once."""
        directory = self.directory / "-".join(["built", *subject.variant.flags])
        there = directory / ("padded" if subject.padded else "plain") / subject.program.label
        with self.lock:
            lock = self.locks[str(there)]
        with lock:
            mark = there.with_name(there.name + ".of")
            if not (mark.exists() and mark.read_text() == subject.program.digest):
                subject.program.build(directory, subject.padded, subject.variant.flags)
                mark.write_text(subject.program.digest)
        return there

    def _run(self, *words):
        done = subprocess.run([self.numachine, *map(str, words)], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        if done.returncode:
            raise Refused(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stderr.rstrip()}")
        return done.stdout

    def _program(self, subject):
        return ["--", self.executable(subject), *subject.variant.arguments(subject.program)]

    def run_directory(self, subject):
        """Where the truth's run is: what `numachine c2c` and `numachine report` read."""
        return self.directory / "runs" / subject.key

    def truth(self, subject):
        """The truth of a subject."""
        def make():
            out = self.run_directory(subject)
            shutil.rmtree(out, ignore_errors=True)
            out.parent.mkdir(parents=True, exist_ok=True)
            self._run("stat", "-q", "--truth", *subject.variant.options, "-o", out, *self._program(subject))
            document = json.loads((out / "truth.json").read_text())
            return {"lines": [[at, line.false, line.true, list(line.cards.items())]
                              for at, line in lines_of(document).items()],
                    "objects": programs.objects((out / "guest.stdout").read_text()),
                    "pcycles": self._elapsed(out), "bytes": document["line"], "false_misses": false_misses(document)}
        got = self.kept(f"truth-{subject.key}", make)
        return Truth({at: Line(false, true, dict(cards)) for at, false, true, cards in got["lines"]}, got["pcycles"],
                     [tuple(thing) for thing in got["objects"]], got["bytes"], got["false_misses"])

    @staticmethod
    def _elapsed(out):
        """[PCycles] that a run took."""
        with open(out / "stats.csv", newline="", encoding="utf-8") as file:
            return next(int(row["value"]) for row in csv.DictReader(file)
                        if (row["snapshot"], row["component"], row["stat"]) == ("whole", "machine", "elapsed"))

    def said(self, detectors, subject):
        """{detector: what it says of a subject}; the detectors look in one run if they can."""
        key = "+".join(detectors)
        digest = hashlib.sha256(key.encode()).hexdigest()[:12]

        def make():
            said = json.loads(self._run("detect", "--format=json", *subject.variant.options, key.replace("+", ","),
                                        *self._program(subject)))
            return dict(zip(detectors, said if isinstance(said, list) else [said]))
        return self.kept(f"said-{digest}-{subject.key}", make)

    def parted(self, subject, named):
        """[PCycles] that a subject takes if the named lines (virtual addresses) are mended."""
        truth = self.truth(subject)
        ranges = parts_of(truth.lines, named)
        if not ranges:
            return truth.pcycles
        text = f"apart: [{', '.join(ranges)}]\n"

        def make():
            out = self.directory / "runs" / f"apart-{threading.get_ident()}"
            shutil.rmtree(out, ignore_errors=True)
            file = out.with_suffix(".yaml")  # ranges may be too many for a command line
            arguments = ", ".join(subject.variant.arguments(subject.program))
            file.write_text(f"program: {{path: {self.executable(subject).resolve()}, args: [{arguments}]}}\n{text}")
            self._run("run", "-q", *subject.variant.options, "-o", out, file)
            pcycles = self._elapsed(out)
            shutil.rmtree(out)
            file.unlink()
            return pcycles
        return self.kept(f"apart-{hashlib.sha256(text.encode()).hexdigest()[:12]}-{subject.key}", make)

    def invalidates(self, subject, threads):
        """[incoming invalidates of others, those of them that hit, first requests for the last line]"""
        def make():
            out = self.directory / "runs" / f"masks-{subject.program.name}-{threads}"
            shutil.rmtree(out, ignore_errors=True)
            self._run("stat", "-q", "-o", out, "-e", "invalidate_hits", "-e", "invalidates_done", "-e", "rereferences",
                      "--set", "monitor.counters=[{event: packet_headers, masked: true}]",
                      "--set", "monitor.mask.direction=in", "--set", "monitor.mask.command=INVALIDATE",
                      "--", self.executable(subject), threads)
            with open(out / "stats.csv", newline="", encoding="utf-8") as file:
                total = {r["stat"]: int(r["value"]) for r in csv.DictReader(file)
                         if r["snapshot"] == "whole" and r["component"] == "machine" and r["stat"].startswith("monitor.")}
            with open(out / "monitor/counters.csv", newline="", encoding="utf-8") as file:
                came = sum(int(r["counted"]) for r in csv.DictReader(file))
            shutil.rmtree(out)
            return [came - total["monitor.invalidates_done"], total["monitor.invalidate_hits"], total["monitor.rereferences"]]
        return self.kept(f"masks-{threads}-{subject.key}", make)
