#!/usr/bin/env -S python3 -S
"""
What the tests see: small faults (mutate.py), drawn by lot, put one at a time into a copy of the tree, built and tested.

    mutants.py SOURCE DIRECTORY [--seed N] [--count N] [--only REGEX] [--most SECONDS] [--least PERCENT] [--patience N]

The copy, its build, the map of what tests reach (coverage.py, made once) and the table are below DIRECTORY and are kept: a
campaign that was cut off goes on where it was. Of the quick suite those tests run that come to the fault's line, until one
fails: first those that come to the most lines of its file for their time. Of a fault in a table's row it is those that come to
any file whose object it changes, and of one in a file that is another one now than when the map was made those that come to
that file. A fault that changes no object file of the product is none, and one that does not build is no fault of the tests';
both are drawn again. The first time that a test catches a fault it must pass without it. A test that does not is left out
from then on.

The table, mutants.tsv: number, file:line, what was changed, how it ended (caught, survived, same code, not built), which test
caught it or how many did not, after how many seconds of testing. Who has looked at a survivor and found that it changes nothing
that anybody can see writes `harmless` there: it counts no more, and the next call draws another one. What is taken out is tried
again. Exit status 1 if fewer than PERCENT of COUNT faults were caught.
--most: processor seconds, as the map has them, of the tests of one fault; for looking at what survives by eye. --patience: how
many times as long as it should, and half a minute more, a test may need; a fault that makes a test hang is caught, too.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import coverage
import dearest
import mutate
import skip

OPTIONS = ["--buildtype=release", "-Dtogether=false"]  # a fault makes its own file anew
PRODUCT = "cli/numachine"
BESIDE = ["experiments", "tests", "docs", "configs"]  # what the tests need of the tree besides the rooms
FIRST = 4  # tests of which the programs are built at once; then twice as many, and so on


def processes_of(command, limit=None, **more):
    """Runs a command as a group of its own, and ends all of it when it is left, or after `limit` [s]."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True, **more) as process:
        try:
            return process.communicate(timeout=limit)[0], process.returncode
        except subprocess.TimeoutExpired:
            return "", None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Tree:
    """A copy of the tree and its build."""

    def __init__(self, source, directory):
        self.source, self.copy, self.build = source, directory / "tree", directory / "build"
        self.scratch = directory / "scratch"
        self.tests = self.needs = self.objects = self.sources = None

    def files(self):
        tracked = subprocess.run(["git", "-C", self.source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                 capture_output=True, text=True, check=False)
        if tracked.returncode == 0:
            return [name for name in tracked.stdout.split("\0") if name]
        top = [p for p in self.source.iterdir() if p.name in mutate.ROOMS + BESIDE or p.is_file()]
        return [str(p.relative_to(self.source)) for t in top for p in ([t] if t.is_file() else t.rglob("*")) if p.is_file()]

    def update(self):
        """Makes the copy what the tree is; what is the same already keeps its time."""
        for name in self.files():
            here, there = self.source / name, self.copy / name
            if here.exists() and (not there.exists() or there.read_bytes() != here.read_bytes()):
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(here, there)

    def ninja(self, *targets):
        said, status = processes_of(["ninja", "-C", self.build, *targets])
        return said if status else None

    def prepare(self):
        if not (self.build / "build.ninja").exists():
            subprocess.run(["meson", "setup", *OPTIONS, self.build, self.copy], check=True, stdout=subprocess.DEVNULL)
        trouble = self.ninja("all", "tests")
        if trouble:
            sys.exit(trouble)
        told = json.loads(subprocess.run(["meson", "introspect", "--targets", self.build], capture_output=True, check=True).stdout)
        files = {one["id"]: [os.path.relpath(f, self.build) for f in one["filename"]] for one in told}
        self.libraries = [f for one in told if one["defined_in"] == str(self.copy / "meson.build") and "library" in one["type"]
                          for f in files[one["id"]]]
        self.tests = {one["name"]: one for one in dearest.tests_of(self.build, "quick", ["*"])}
        self.needs = {name: [f for target in one["depends"] for f in files.get(target, [])] for name, one in self.tests.items()}
        commands = json.loads((self.build / "compile_commands.json").read_text())
        self.sources = {str(self.build / one["output"]): os.path.relpath(self.build / one["file"], self.copy) for one in commands}
        self.objects = self.looked()

    def looked(self):
        """Hashes of the product's object files."""
        return {str(p): hashlib.sha256(p.read_bytes()).digest() for top in (*(f"{f}.p" for f in self.libraries), "cli")
                for p in (self.build / top).rglob("*.o")}

    def changed(self):
        """Sources of the product's object files that are not what they were."""
        return {self.sources[path] for path, is_ in self.looked().items() if is_ != self.objects.get(path) and path in self.sources}

    def fails(self, name, limit):
        """Whether a test does, or is not over after `limit` [s]."""
        shutil.rmtree(self.scratch / "tmp", ignore_errors=True)
        (self.scratch / "tmp").mkdir(parents=True)
        test = self.tests[name]
        env = {**dearest.environment(test, self.scratch), "TMPDIR": str(self.scratch / "tmp")}
        return processes_of(test["cmd"], limit, cwd=self.build, env=env)[1] not in (0, skip.SKIPPED)


class Campaign:
    def __init__(self, tree, directory, reached, most, patience):
        self.tree, self.map, self.most, self.patience = tree, reached, most, patience
        self.costs = {name: (seconds, programs) for name, seconds, programs in reached.tests}
        self.state = directory / "tests.json"  # tests that pass without a fault, and those that do not
        known = json.loads(self.state.read_text()) if self.state.exists() else {}
        self.pass_, self.fail = set(known.get("pass", [])), set(known.get("fail", []))

    def fails(self, test):
        return self.tree.fails(test, 30 + self.patience * self.costs[test][0])

    def is_sound(self, test, restore):
        """Whether a test that failed passes without the fault."""
        if test not in self.pass_ and test not in self.fail:
            restore()
            trouble = self.tree.ninja(*self.programs([test]))
            assert not trouble, trouble
            (self.fail if self.fails(test) else self.pass_).add(test)
            self.state.write_text(json.dumps({"pass": sorted(self.pass_), "fail": sorted(self.fail)}))
        return test in self.pass_

    def coming(self, one, text):
        """The tests that come to a fault that has been built, the nearest first, and which of them are tried."""
        files = {one.file} if one.file in self.map.lines and not one.file.endswith(".def") else self.tree.changed()
        bits = self.map.of_line(one.file, one.line, text)
        if bits is None or one.file not in files:
            bits = 0
            for file in files:
                bits |= self.map.of_file(file)
        names = [name for name in self.map.named(bits, files) if name in self.tree.tests and name not in self.fail]
        tried, left = [], self.most
        for name in names:
            left -= self.costs[name][0]
            if left < 0:
                break
            tried.append(name)
        return names, tried

    def programs(self, names):
        """What to build for these tests: of what each has ready those programs that it ran."""
        ran = {program for name in names for program in self.costs[name][1]}
        library = any(program.startswith("libnumachine.so") for program in ran)
        wanted = {path for name in names for path in self.tree.needs[name] if os.path.basename(path) in ran}
        return sorted({PRODUCT, *wanted, *(self.tree.libraries if library else [])})

    def tried(self, one, text, restore):
        """(how it ended, which test, seconds); no end if the test that failed does so anyway."""
        if self.tree.ninja(PRODUCT):
            return "not built", "", 0
        if self.tree.looked() == self.tree.objects:
            return "same code", "", 0
        names, tried = self.coming(one, text)
        begin, at, count = time.monotonic(), 0, FIRST
        while at < len(tried):
            if self.tree.ninja(*self.programs(tried[at:at + count])):
                return "caught", "the build of the tests", time.monotonic() - begin
            for name in tried[at:at + count]:
                if self.fails(name):
                    took = time.monotonic() - begin
                    return ("caught", name, took) if self.is_sound(name, restore) else None
            at, count = at + count, 2 * count
        return "survived", f"{len(tried)} of {len(names)} tests", time.monotonic() - begin

    def run(self, one):
        """A fault's row."""
        path = self.tree.copy / one.file
        text = path.read_text()
        end = None
        while not end:
            path.write_text(one.applied(text))
            try:
                end = self.tried(one, text, lambda: path.write_text(text))
            finally:
                path.write_text(text)
            if one.file.startswith("programs/"):  # may have built guests wrongly
                shutil.rmtree(self.tree.scratch / "cache", ignore_errors=True)
        return end


def read_table(path, head):
    """How those ended that are there, by their numbers, if they are of the same campaign."""
    lines = path.read_text().splitlines() if path.exists() else []
    if lines[:1] != [head]:
        path.write_text(head + "\n")
        return {}
    return {int(row[0]): row[3] for row in (line.split("\t") for line in lines[1:])}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=float, default=float("inf"))
    parser.add_argument("--least", type=float, default=90)
    parser.add_argument("--patience", type=float, default=30)
    given = parser.parse_args()
    source, directory = given.source.resolve(), given.directory.resolve() / "mutants"
    directory.mkdir(parents=True, exist_ok=True)
    tree = Tree(source, directory)
    tree.update()
    lot = mutate.Lot(tree.copy, given.only)
    drawn = hashlib.sha256(repr(lot.lines).encode()).hexdigest()[:12]
    table = directory / "mutants.tsv"
    done = read_table(table, f"# seed {given.seed}, {len(lot.lines)} lines, {drawn}, at most {given.most} s")
    tree.prepare()
    if not (directory / "coverage/map.json").exists():
        coverage.make(tree.copy, directory / "coverage", ["*"])
    campaign = Campaign(tree, directory, coverage.Map(directory / "coverage/map.json"), given.most, given.patience)
    ends = collections.Counter(done.values())
    number = -1
    while ends["caught"] + ends["survived"] < given.count:
        number += 1
        if number in done:
            continue
        one = lot.draw(given.seed, number)
        end, by, seconds = campaign.run(one)
        row = f"{number}\t{one.file}:{one.line}\t{one}\t{end}\t{by}\t{seconds:.0f}"
        with table.open("a") as out:
            print(row, file=out)
        print(row, flush=True)
        ends[end] += 1
    print(dict(ends))
    return 1 if 100 * ends["caught"] < given.least * given.count else 0


if __name__ == "__main__":
    sys.exit(main())
