#!/usr/bin/env -S python3 -S
"""
Names of functions carry their noun: whoever reads one in a profile, a stack trace or a search knows what it works on.

    nouns.py HOME [--draw]

- At most 8 % of the names are defined in more than one file.
- A name that is one bare word stands in a file of under 150 lines only, where the file is its noun.
- A function that a header declares beside a struct of its name gives one (struct pc_link *pc_link()): else the name says two
  things.
base/, ring/ and machine/ are left out of the second rule: their files are parts, and a walk through them (docs/paths.md)
names the part with the function. --draw prints the names that stand in several files, most first.
"""
import collections
import pathlib
import re
import sys

import rooms

DEFINED = re.compile(r"^(?!typedef\b|#|\}|[ \t/*])[a-z][^;{}#\n]*?\b(\w+)\((?:[^;{}]*)\)\n\{", re.M)
TAG = re.compile(r"^(?:struct|union|enum) (\w+) \{", re.M)
DECLARED = re.compile(r"^([a-z][\w \*]*?[ \*])(\w+)\([^;{}]*\)\s*[;{]", re.M)
SHARE, SHORT = 0.08, 150  # of names in several files, at most; [lines] of a file with bare words
PARTS = ("base", "ring", "machine")


def functions(root):
    """(file, lines, name) of each definition in a .c file of the product."""
    for room in (r for r in rooms.STOREY if r.split("/")[0] != "experiments"):
        for file in sorted((root / room).glob("*.c")):
            text = file.read_text()
            for name in DEFINED.findall(text):
                yield file.relative_to(root), text.count("\n"), name


def two_things(root):
    """Of each header that declares a function with a struct's name, which does not give one, a complaint."""
    for room in (r for r in rooms.STOREY if r.split("/")[0] != "experiments"):
        for file in sorted((root / room).rglob("*.h")):
            text = file.read_text()
            tags = set(TAG.findall(text))
            for gives, name in DECLARED.findall(text):
                if name in tags and not re.search(rf"\b(?:struct|union|enum) {name}\b", gives):
                    yield f"{file.relative_to(root)}: {name}() does not give a struct {name}: one of them needs another name"


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(functions(root))
    files = collections.defaultdict(set)
    for file, _, name in found:
        files[name].add(file)
    several = sorted((name for name in files if len(files[name]) > 1), key=lambda name: -len(files[name]))
    if "--draw" in sys.argv:
        print(*(f"{len(files[name])} {name}" for name in several), sep="\n")
    wrong = [f"{file}: {name}() is a bare word in {lines} lines: give it its noun" for file, lines, name in found
             if "_" not in name and lines >= SHORT and name != "main" and file.parts[0] not in PARTS]
    wrong += sorted(set(two_things(root)))
    if len(several) > SHARE * len(files):
        wrong.append(f"{len(several)} of {len(files)} names of functions are defined in several files: at most {SHARE:.0%}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
