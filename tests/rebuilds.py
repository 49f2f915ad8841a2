#!/usr/bin/env -S python3 -S
"""
What a new row of a table builds anew.

    rebuilds.py NINJA BUILD HOME

A row of a hub table (an event, a tap, a parameter) makes no more than 56 objects of the product old, tests not counted, and
one of a result document (its fields, the truth's columns) no more than 5: those that ninja knows to depend on the table. A
folder that is compiled as one is an object. And a row may stand anywhere in its table: with an event put in the middle of the
board's, in a copy, what depends on it compiles, and the program that comes of it lists it, and monitor_document.py writes it
into the document.
"""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HUBS = ["machine/params.def", "monitor/taps.def", "monitor/board/events.def", "monitor/arm11/events.def",
        "monitor/l2c/events.def", "monitor/r10000/events.def"]
DOCUMENTS = ["procard/misses.def", "documents/rows/truth.def", "documents/rows/profile.def", "documents/rows/objects.def",
             "documents/rows/locks.def"]
MOST = {**dict.fromkeys(HUBS, 56), **dict.fromkeys(DOCUMENTS, 5)}
EVENTS = "monitor/board/events.def"
BESIDE = "EVENT(nacks, "  # the new event stands before this one
NEW = 'EVENT(nacks_again, {number}, "", "packets", CARD, 0xF, T(NACKS), "NACKs received, counted once more")\n'


def dependents(ninja, build, table):
    """Objects of the product that depend on a table: {object}."""
    out = subprocess.run([ninja, "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    found, target = set(), ""
    for line in out.splitlines():
        if line and not line[0].isspace():
            target = line.split(":")[0] if "(VALID)" in line else ""
        elif line.strip().endswith(table) and target.endswith(".o") and not target.startswith("tests/"):
            if (build / line.strip()).resolve().as_posix().endswith(table):
                found.add(target)
    return found


def with_row(home, copy):
    """The board's table with one more event, in front of a relative."""
    text = (home / EVENTS).read_text(encoding="utf-8")
    number = len(re.findall(r"^EVENT\(", text, re.M))
    at = text.index(BESIDE)
    (copy / EVENTS).parent.mkdir(parents=True)
    (copy / EVENTS).write_text(text[:at] + NEW.format(number=number) + text[at:], encoding="utf-8")
    return number


def build_with(ninja, build, copy, objects):
    """The program, of the new table; what does not depend on it is as it was built."""
    commands = {entry["output"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    new = {}
    for number, name in enumerate(sorted(objects)):
        words = shlex.split(commands[name]["command"])
        new[name] = f"{copy}/{number}.o"
        words[words.index("-o") + 1] = new[name]
        words[words.index("-MF") + 1] = f"{copy}/{number}.d"
        words.insert(words.index("-c"), f"-I{copy}")
        first = next(i for i, word in enumerate(words) if word.startswith("-I"))
        words.insert(first, f"-I{copy}")
        subprocess.run(words + ["-O0"], cwd=build, check=True)
    link = subprocess.run([ninja, "-C", build, "-t", "commands", "cli/numachine"], check=True, capture_output=True,
                          text=True).stdout.splitlines()[-1]
    words = [new.get(word, word) for word in shlex.split(link)]
    at = words.index("-o") + 1
    (copy / "cli").mkdir()
    of_library = [path for name, path in new.items() if not name.startswith("cli/")]
    subprocess.run(words[:at] + [f"{copy}/cli/numachine"] + of_library + words[at + 1:], cwd=build, check=True)
    return copy / "cli/numachine"


def like(home, tree):
    """A tree that has what the document is made of, to be written in."""
    tree.mkdir()
    for part in home.iterdir():
        if part.name not in ("docs", "tests") and not part.name.startswith("."):
            (tree / part.name).symlink_to(part.resolve())
    shutil.copytree(home / "docs", tree / "docs")
    (tree / "tests").mkdir()
    shutil.copy(home / "tests/card_numbers.txt", tree / "tests")
    return tree


def main():
    ninja, build, home = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    for table, most in MOST.items():
        old = dependents(ninja, build, table)
        print(f"{table}: {len(old)} objects")
        assert 0 < len(old) <= most, f"a row of {table} builds {len(old)} objects anew, more than {most}"
    with tempfile.TemporaryDirectory() as name:
        copy = pathlib.Path(name)
        number = with_row(home, copy)
        program = build_with(ninja, build, copy, dependents(ninja, build, EVENTS))
        (copy / "share").mkdir()
        (copy / "share/numachine").symlink_to(home.resolve())
        rows = json.loads(subprocess.run([program, "list", "events", "--json"], check=True, capture_output=True,
                                         text=True).stdout)
        assert [row["name"] for row in rows if row["number"] == number] == ["nacks_again"], "the event is not there"
        assert [row["number"] for row in rows] == list(range(number + 1)), "the events are out of order"
        tree = like(home, copy / "home")
        subprocess.run([home / "tests/monitor_document.py", program, tree, "--write"], check=True)
        assert "| nacks_again |" in (tree / "docs/monitor.md").read_text(encoding="utf-8"), "it is not described"


if __name__ == "__main__":
    main()
