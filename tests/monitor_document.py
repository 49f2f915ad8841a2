#!/usr/bin/env -S python3 -S
"""
The tables of docs/monitor.md, programs.md, coherence.md, special-functions.md, results.md, profile.md, c2c.md and
detect.md are those the program prints.

    monitor_document.py NUMACHINE HOME [--write]

A table stands between '<!-- generated: WHAT -->' and '<!-- end -->' and is what 'numachine list WHAT --markdown'
says, and so are the fields of documents in python/numachine/tables.py, with the version. Every feature of the two documents has a row, and
the files and tests that a row names exist. The numbers that programs write to a card and read from it are those of
card_numbers.txt, for good: a row that is new is added to it (with --write), and none that is there ever changes.
"""
import json
import pathlib
import re
import subprocess
import sys

WRITE = "'tests/monitor_document.py build/cli/numachine . --write'"
BLOCK = re.compile(r"(<!-- generated: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", re.S)


def check_features(numachine, home):
    out = subprocess.run([numachine, "list", "features", "--json"], check=True, capture_output=True)
    rows = json.loads(out.stdout)
    expected = [f"N-{n}" for n in range(1, 99)] + [f"R44-{n}" for n in range(1, 23)]
    assert [row["ref"] for row in rows] == expected, "a feature is missing, double or misplaced"
    build = pathlib.Path(numachine).parent.parent
    found = subprocess.run(["meson", "introspect", "--tests", build], capture_output=True)
    tests = {test["name"] for test in json.loads(found.stdout)} if found.returncode == 0 else set()
    for row in rows:
        where, test = row["where"], row["test"]
        here = f"monitor/board/features.def row {row['ref']}" if row["ref"].startswith("N-") \
            else f"procard/features.def row {row['ref']}"
        assert where == "-" or pathlib.Path(home, where).is_file(), f"{here}: no file {where}"
        assert test == "-" or test in tests or not tests, f"{here}: no test {test}"  # a build may have none
        assert (test == "-") <= (len(row["sentence"]) > 20), f"{here}: why no test?"


def check_choices(numachine, home):
    """What is done somewhere names the file, and what a source says the source."""
    out = subprocess.run([numachine, "list", "choices", "--json"], check=True, capture_output=True)
    sources = pathlib.Path(home, "docs/sources.md").read_text()
    rows = json.loads(out.stdout)
    assert {row["source"] == "design" for row in rows} == {True, False}, "sources and choices"
    for row in rows:
        assert pathlib.Path(home, row["where"]).is_file(), f"{row['name']}: no file {row['where']}"
        tag = re.sub(r"\d+", "n", row["source"]) if "MIPS" in row["source"] else row["source"]
        assert tag == "design" or f"| {tag} |" in sources, f"{row['name']}: no source {row['source']}"


def check_statuses(numachine):
    """--help and the listing, from which docs/results.md has its table, say the same."""
    out = subprocess.run([numachine, "list", "statuses", "--json"], check=True, capture_output=True).stdout
    said = subprocess.run([numachine, "--help"], check=True, capture_output=True, text=True).stdout
    help_ = said.split("Exit status:")[1]
    for row in json.loads(out):
        sentence = r"\s+".join(re.escape(word) for word in row["sentence"].split())
        assert re.search(rf"\n  {row['status']}\s+{sentence}\n", help_), f"--help lacks {row}"


# What a program sees of a card: the listing, what names a row of it, and its number.
NUMBERS = {"events": ("name", "number"), "commands": ("name", "number"), "reasons": ("name", "number"),
           "sources": ("name", "number"), "registers": ("name", "offset"), "fields": ("register name", "bits"),
           "sync": ("name", "offset"), "sync-fields": ("register name", "bits"),
           "parts": ("source name", "bits")}


def check_numbers(numachine, home):
    """No number is used twice in a table, and each is what it has always been."""
    path = pathlib.Path(home, "tests/card_numbers.txt")
    kept = path.read_text().splitlines()
    now = []
    for what, (names, number) in NUMBERS.items():
        out = subprocess.run([numachine, "list", what, "--json"], check=True, capture_output=True).stdout
        rows = json.loads(out)
        now += [f"{what} {'.'.join(row[n] for n in names.split())} {row[number]}" for row in rows]
        if " " not in names:
            assert len({row[number] for row in rows}) == len(rows), f"{what}: a number is used twice"
    changed = [row for row in kept if row not in now]
    assert not changed, f"programs know these by another number: {changed}"
    new = [row for row in now if row not in kept]
    if "--write" in sys.argv:
        path.write_text("".join(f"{row}\n" for row in kept + new))
    else:
        assert not new, f"{path} lacks {new}; {WRITE} adds them"


def document(numachine, path, least):
    """Compares (or rewrites) a document with at least so many tables."""

    def table(match):
        out = subprocess.run([numachine, "list", match[2], "--markdown"], check=True,
                             capture_output=True, text=True).stdout
        return match[1] + out + match[4]

    old = path.read_text()
    new, count = BLOCK.subn(table, old)
    assert count >= least, "the tables are missing"
    if "--write" in sys.argv:
        path.write_text(new)
        return
    for number, (is_now, should_be) in enumerate(zip(old.splitlines(), new.splitlines()), 1):
        assert is_now == should_be, f"{path}:{number}: is\n{is_now}\nshould be\n{should_be}\n{WRITE} writes it"
    assert old == new, f"{path} is {len(old)} bytes and should be {len(new)}; {WRITE} writes it"


def check_python(numachine, home):
    """The Python module knows the version, and the fields of each list of a document."""
    out = subprocess.run([numachine, "list", "documents", "--json"], check=True, capture_output=True).stdout
    lists = {}
    for row in json.loads(out):
        if row["name"] and row["list"]:
            lists.setdefault((row["document"], row["list"]), []).append(row["name"])
    table = "".join(f"    {key!r}: {' '.join(names)!r},\n".replace("'", '"') for key, names in lists.items())
    path = pathlib.Path(home, "python/numachine/tables.py")
    old = path.read_text()
    new, count = re.subn(r"(?s)(\nFIELDS = \{.*?\n)(.*?)(\}\n)", lambda match: match[1] + table + match[3], old)
    version = subprocess.run([numachine, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    new, versions = re.subn(r'(?m)^VERSION = .*$', f'VERSION = "{version}"', new)
    assert count == versions == 1, f"{path}: FIELDS or VERSION is missing"
    if "--write" in sys.argv and old != new:
        path.write_text(new)
    assert "--write" in sys.argv or old == new, f"{path} is not what the program has; {WRITE} writes it"


def main():
    numachine, home = sys.argv[1:3]
    check_python(numachine, home)
    check_numbers(numachine, home)
    document(numachine, pathlib.Path(home, "docs/c2c.md"), 1)
    document(numachine, pathlib.Path(home, "docs/coherence.md"), 1)
    document(numachine, pathlib.Path(home, "docs/monitor.md"), 10)
    document(numachine, pathlib.Path(home, "docs/profile.md"), 1)
    document(numachine, pathlib.Path(home, "docs/detect.md"), 1)
    document(numachine, pathlib.Path(home, "docs/programs.md"), 1)
    document(numachine, pathlib.Path(home, "docs/results.md"), 3)
    document(numachine, pathlib.Path(home, "docs/special-functions.md"), 2)
    # what a person must mend comes after what --write mends
    check_statuses(numachine)
    check_features(numachine, home)
    check_choices(numachine, home)


if __name__ == "__main__":
    main()
