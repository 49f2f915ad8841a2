#!/usr/bin/env -S python3 -S
"""
Documents that account for requirements row by row: none is left out, and the code and the tests that a row names are
there.

    accounts.py HOME
"""
import pathlib
import re
import sys

# Rows NAME-1, NAME-2, ... of a document, and how many there are.
ACCOUNTS = [("docs/r10000.md", "R10K", 14), ("docs/r10000.md", "R12K", 6), ("docs/irix.md", "IRIX", 31), ("docs/irix.md", "IX", 15)]
TEXT = {".c", ".h", ".py", ".def", ".txt", ".sh", ".build"}
# Rooms in which a row's code is.
ROOMS = ["monitor", "procard", "programs", "input", "cli", "experiments/include", "tests"]


def words(home):
    """Every word of the tests, and the names of their files."""
    found = set()
    for file in (home / "tests").rglob("*"):
        if file.suffix in TEXT:
            found.update(re.findall(r"\w+", file.read_text(errors="replace")), [file.stem, file.name])
    return found


def files(home):
    return {file.name for room in ROOMS for file in (home / room).rglob("*") if file.is_file()}


def complaints(home, known, there, document, name, count):
    rows = re.findall(rf"^\| {name}-(\d+) \|(.*)\|$", (home / document).read_text(), re.M)
    numbers = [int(number) for number, _ in rows]
    if numbers != list(range(1, count + 1)):
        yield f"{document}: rows {name}-1 to {name}-{count} are {numbers}"
    for number, row in rows if name != "IX" else []:  # choices of words, which name neither
        *_, where, test = row.split("|")
        for file in re.findall(r"`([\w./-]+\.[a-z]+)`", where + test):
            if pathlib.PurePath(file).name not in there and not (home / file).exists() and not file.startswith("sys/") and file[0] != "/":
                yield f"{document}: {name}-{number}: there is no file {file}"
        for word in re.findall(r"\w+", re.sub(r"\(.*?\)|`[^`]*[./][^`]*`", "", test)):
            if "_" in word and word not in known:
                yield f"{document}: {name}-{number}: no test has {word}"


def main():
    home = pathlib.Path(sys.argv[1])
    known, there = words(home), files(home)
    found = [complaint for account in ACCOUNTS for complaint in complaints(home, known, there, *account)]
    print(*found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
