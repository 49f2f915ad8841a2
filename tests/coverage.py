#!/usr/bin/env -S python3 -S
"""
What the tests reach: which of them comes to which line of the product, the lines of each room, and the largest functions
that none enters.

    coverage.py SOURCE DIRECTORY [TEST...]

Builds SOURCE below DIRECTORY so that each basic block marks that it was there (visited.c), and keeps that. Runs the quick
suite but for ELSEWHERE, or the tests named, one after the other. The marks are shared by all processes of a program,
whoever started them, so runs of the command by scripts count as well. DIRECTORY/coverage/map.json is what Map reads.
Fails when a test does.
"""
import collections
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import builds
import dearest
import mutate
import skip

FLAGS = "-O1 -g -fsanitize-coverage=trace-pc"
MARK = re.compile(rb"\x01")
SITE = re.compile(r"^ *([0-9a-f]+):.*\bcall.*<__sanitizer_cov_trace_pc>")
CALL = 5  # [bytes]: a mark is of the address behind it
FUNCTIONS_SHOWN = 30
ELSEWHERE = {"install"}  # links strangers' programs, without visited.c


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Map:
    """Which tests come to which line: of the product's files, for each line where a block begins, one bit a test."""

    def __init__(self, path):
        known = json.loads(path.read_text())
        self.tests = known["tests"]    # [name, processor seconds, programs] of each bit
        self.hashes = known["hashes"]  # of each file, when the map was made
        self.lines = {file: {int(line): int(bits, 16) for line, bits in of.items()} for file, of in known["lines"].items()}

    def named(self, bits, files):
        """The tests of these bits: those first that come to the most lines of the files for their time."""
        lines = [one for file in files for one in self.lines.get(file, {}).values()]
        rank = {i: (seconds + 0.01) / (1 + sum(one >> i & 1 for one in lines))
                for i, (_, seconds, _) in enumerate(self.tests) if bits >> i & 1}
        return [self.tests[i][0] for i in sorted(rank, key=rank.get)]

    def of_file(self, file):
        bits = 0
        for one in self.lines.get(file, {}).values():
            bits |= one
        return bits

    def of_line(self, file, line, text):
        """Bits of those that come to a line of a file's text; None: it is in no function, or the file is another one now.

        A block's lines follow the one where it begins.
        """
        lines = self.lines.get(file, {})
        if not lines or hash_of(text) != self.hashes[file]:
            return None
        begin = max((one for one in lines if one <= line), default=None)
        if begin is None or any(one.startswith("}") for one in text.splitlines()[begin - 1:line]):
            return None
        return lines[begin]


class Marks:
    """What each test marked: the tests (bits) that came to a place in a program."""

    def __init__(self, now):
        self.now = now
        self.visits = collections.defaultdict(lambda: collections.defaultdict(int))  # program: place: bits

    def clear(self):
        for old in self.now.iterdir():
            old.unlink()

    def take(self, bit):
        """The marks of a test that is over. @return the programs that left any"""
        programs = []
        for path in sorted(self.now.iterdir()):
            visits = self.visits[path.name]
            for found in MARK.finditer(path.read_bytes()):
                visits[found.start()] |= bit
            programs.append(path.name)
        self.clear()
        return programs


def sites(program):
    """The addresses of all marks of a program."""
    with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", program], text=True, stdout=subprocess.PIPE) as listing:
        return [int(found[1], 16) for line in listing.stdout if "cov_trace_pc" in line and (found := SITE.match(line))]


def places(program, addresses, source):
    """(address, file, line, function) of those in the tree."""
    asked = "\n".join(hex(address) for address in addresses)
    said = subprocess.run(["addr2line", "-f", "-e", program], input=asked, text=True, capture_output=True, check=True).stdout
    words = said.splitlines()
    for address, function, place in zip(addresses, words[::2], words[1::2]):
        file, _, line = place.partition(" ")[0].rpartition(":")
        file = os.path.normpath(program.parent / file)
        if line.isdigit() and file.startswith(f"{source}/"):
            yield address, os.path.relpath(file, source), int(line), function


def beginning(program):
    """The address at which a program lies, as its symbols have it: marks count from there."""
    said = subprocess.run(["readelf", "-lW", program], text=True, capture_output=True, check=True).stdout
    return min(int(found[1], 16) for found in re.finditer(r"^ *LOAD +\S+ +0x([0-9a-f]+)", said, re.M))


def program_named(build, name):
    """Where a program, or library, of this name lies that was built there."""
    return next((p.resolve() for p in sorted(build.rglob(name)) if p.is_file() and not p.name.endswith(".p")), None)


def library(build):
    """The shared library, by the name of the file, which has the version."""
    path = build / "libnumachine.so"
    return path.resolve() if path.exists() else None


def lines_of(marks, build, source):
    """({file: {line: bits}}, {(file, function): [lines]}), of the product."""
    lines, functions = collections.defaultdict(dict), collections.defaultdict(set)
    product = library(build), program_named(build, "numachine")
    whole = {path.name: sites(path) for path in product if path}
    for name in sorted({*whole, *marks.visits}):
        program = program_named(build, name)
        if not program:
            continue
        begin = beginning(program)
        visits = {begin + place - CALL: bits for place, bits in marks.visits.get(name, {}).items()}
        for address, file, line, function in places(program, sorted({*visits, *whole.get(name, [])}), source):
            if file.split("/")[0] in mutate.ROOMS:
                lines[file][line] = lines[file].get(line, 0) | visits.get(address, 0)
                functions[file, function].add(line)
    return lines, functions


def build_visited(source, directory):
    """@return the build, and where its programs leave their marks"""
    now, build = directory / "now", directory / "build"
    now.mkdir(parents=True, exist_ok=True)
    trace = directory / "visited.o"
    builds.quietly(["gcc", "-O2", "-c", f'-DVISITED="{now}"', str(source / "tests/visited.c"), "-o", str(trace)])
    builds.build(str(source), build, ["--buildtype=plain", f"-Dc_args={FLAGS}", f"-Dc_link_args={trace}"], ["all", "tests"])
    return build, Marks(now)


def visit(build, marks, names):
    """Runs the tests. @return [name, seconds, programs] of each, and those that failed"""
    tests, failed = [], []
    with tempfile.TemporaryDirectory() as scratch:
        for test in (one for one in dearest.tests_of(build, "quick", names) if one["name"] not in ELSEWHERE):
            marks.clear()
            cost = dearest.run(test, build, pathlib.Path(scratch))
            tests.append((cost.name, round(cost.processor, 2), marks.take(1 << len(tests))))
            print(f"{cost.name}\t{cost.processor:.2f}\t{cost.status}", file=sys.stderr, flush=True)
            failed += [cost.name] if cost.status not in (0, skip.SKIPPED) else []
    return tests, failed


def show(lines, functions):
    print("| room | lines where a block begins | reached |\n|---|---|---|")
    for room in mutate.ROOMS:
        flat = [bits for file, of in lines.items() if file.startswith(room + "/") for bits in of.values()]
        print(f"| `{room}/` | {len(flat):,} | {100 * sum(map(bool, flat)) / max(len(flat), 1):.1f} % |")
    unreached = sorted(((max(of) - min(of) + 1, file, name) for (file, name), of in functions.items()
                        if not any(lines[file][line] for line in of)), reverse=True)
    print(f"\nno test enters, of {len(functions)} functions, {len(unreached)}:")
    for length, file, name in unreached[:FUNCTIONS_SHOWN]:
        print(f"{length:5} lines  {file}  {name}")


def make(source, directory, names):
    """Builds, runs the tests, and writes the map. @return what `show` shows, and the tests that failed"""
    build, marks = build_visited(source, directory)
    tests, failed = visit(build, marks, names)
    lines, functions = lines_of(marks, build, source)
    known = {"tests": tests, "hashes": {file: hash_of((source / file).read_text()) for file in lines},
             "lines": {file: {line: f"{bits:x}" for line, bits in sorted(of.items())} for file, of in sorted(lines.items())}}
    (directory / "map.json").write_text(json.dumps(known))
    return lines, functions, failed


def main():
    source, directory = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    lines, functions, failed = make(source, directory / "coverage", sys.argv[3:] or ["*"])
    show(lines, functions)
    if failed:
        print("failed:", *failed)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
