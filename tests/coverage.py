#!/usr/bin/env python3
"""
What the tests reach: the lines of each room, and the largest functions that none of them enters.

    coverage.py SOURCE DIRECTORY [TEST...]

Builds SOURCE below DIRECTORY so that it counts, and keeps that. Runs the quick suite but for suite `host`, whose tests
look at the process itself - its limits, its files, other builds - and so would see what it counts; or the tests named.
A guest's process may write to few files, and its counts are not among them: this build is as on a kernel without
Landlock. gcov comes with gcc. Fails when a test does.
"""
import collections
import json
import pathlib
import subprocess
import sys

import builds

OPTIONS = ["--buildtype=debug", "-Db_coverage=true", "-Dc_args=-D_LINUX_LANDLOCK_H"]
ROOMS = ["base", "ring", "monitor", "machine", "procard", "programs", "input", "documents", "run", "look", "sweep", "page", "trace", "show", "cli"]
FUNCTIONS_SHOWN = 30


class Reached:
    """Counts of every object file put together: a line or function is reached if one of them came there."""

    def __init__(self, source):
        self.source = source
        self.lines = collections.defaultdict(dict)      # file: line: reached
        self.functions = collections.defaultdict(dict)  # file: (name, length): reached

    def add(self, counts, directory):
        done = subprocess.run(["gcov", "--json-format", "--stdout", counts], cwd=directory, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        for text in done.stdout.splitlines():
            for file in json.loads(text)["files"]:
                self.add_file(file, directory)

    def add_file(self, file, directory):
        path = (directory / file["file"]).resolve()
        if not path.is_relative_to(self.source):
            return
        name = str(path.relative_to(self.source))
        for line in file["lines"]:
            known = self.lines[name]
            known[line["line_number"]] = known.get(line["line_number"], False) or line["count"] != 0
        for f in file["functions"]:
            key = f["name"], f["end_line"] - f["start_line"] + 1
            known = self.functions[name]
            known[key] = known.get(key, False) or f["execution_count"] != 0

    def of_room(self, room):
        flat = [hit for name, lines in self.lines.items() if name.startswith(room + "/") for hit in lines.values()]
        return sum(flat), len(flat)

    def unreached(self):
        """(length, file, name), the longest first."""
        return sorted(((length, file, name) for file, functions in self.functions.items()
                       for (name, length), hit in functions.items()
                       if not hit and file.startswith(tuple(r + "/" for r in ROOMS))), reverse=True)


def measure(source, directory):
    reached = Reached(source)
    for counts in sorted(directory.rglob("*.gcda")):
        if "builds" not in counts.relative_to(directory).parts:
            reached.add(counts, directory)
    return reached


def show(reached):
    print("| room | lines | reached |\n|---|---|---|")
    for room in ROOMS:
        hit, lines = reached.of_room(room)
        print(f"| `{room}/` | {lines:,} | {100 * hit / max(lines, 1):.1f} % |")
    print(f"\nno test enters, of {sum(map(len, reached.functions.values()))} functions:")
    for length, file, name in reached.unreached()[:FUNCTIONS_SHOWN]:
        print(f"{length:5} lines  {file}  {name}")


def main():
    source, directory = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    directory = directory / "coverage"
    builds.build(str(source), directory, OPTIONS, ["all", "tests"])
    for old in directory.rglob("*.gcda"):
        old.unlink()
    chosen = sys.argv[3:] or ["--suite", "quick", "--no-suite", "host"]
    tests = subprocess.run(["meson", "test", "-C", str(directory), "--no-rebuild", "--print-errorlogs",
                            "--timeout-multiplier", "6", *chosen], check=False)
    show(measure(source, directory))
    return tests.returncode


if __name__ == "__main__":
    sys.exit(main())
