#!/usr/bin/env python3
"""The rooms of the house: who may include whom.

A folder is a room, and a folder in it may be one of its own. An include must lead downwards in ROOMS,
or stay in its room; so no circle can arise. A folder within monitor/ is a counter unit, which nobody
knows by name but who puts a kind of card together. `rooms.py DIR --draw` prints the arrows there are.
"""

import collections
import pathlib
import re
import sys

# From the ground up. Rooms of one storey do not know each other.
ROOMS = [
    ["base"],
    ["ring", "monitor"],
    ["machine"],
    ["procard"],
    ["procard/r4400", "procard/driver"],
    ["programs"],
    ["input"],
    ["report"],
    ["cli"],
]
UNITS = ["procard/r4400/core.c", "procard/driver/driver.c"]  # who may include a header of monitor/UNIT/
STOREY = {room: storey for storey, rooms in enumerate(ROOMS) for room in rooms}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def room_of(path):
    """The innermost room of a file; a folder that is none, if it is in none."""
    folders = [str(folder) for folder in pathlib.PurePath(path).parents][:-1]
    return next((f for f in folders if f in STOREY), folders[-1] if folders else None)


def arrows(root):
    """(from, to, file, header) of every include that leaves its room."""
    for room in STOREY:
        files = [f for f in sorted((root / room).rglob("*")) if f.suffix in (".c", ".h", ".def")
                 and room_of(f.relative_to(root)) == room]
        assert files, f"{room}/ is empty"
        for file in files:
            for header in INCLUDE.findall(file.read_text()):
                to = room_of(header)
                if to in STOREY and to != room:
                    yield room, to, file.relative_to(root), header
                elif to is not None and to not in STOREY and not (file.parent / header).exists():
                    yield room, None, file.relative_to(root), header


def strangers_of_units(root):
    """Includes of a counter unit's header from outside its folder."""
    for room in (r for r in STOREY if "/" not in r):
        for file in sorted(f for f in (root / room).rglob("*") if f.suffix in (".c", ".h", ".def")):
            name = file.relative_to(root).as_posix()
            for header in INCLUDE.findall(file.read_text()):
                unit = "/".join(header.split("/")[:2])
                if header.startswith("monitor/") and header.count("/") == 2 and name not in UNITS:
                    if not name.startswith(unit + "/"):
                        yield f"{name}: {header}: knows a counter unit by name"


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(arrows(root))
    if "--draw" in sys.argv:
        count = collections.Counter((a, b) for a, b, _, _ in found)
        for (a, b), n in sorted(count.items(), key=lambda c: (-STOREY[c[0][0]], c[0])):
            print(f"{a} -> {b}: {n}")
    wrong = [
        f"{file}: {header}: {a}/ may not know {b}/" if b else f"{file}: {header}: in no room"
        for a, b, file, header in found
        if b is None or STOREY[b] >= STOREY[a]
    ]
    wrong += strangers_of_units(root)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    known = {str(d.parent.relative_to(root)) for glob in ("*", "*/*") for d in root.glob(f"{glob}/meson.build")
             if d.relative_to(root).parts[0] not in ("tests", "build")}
    strangers = known - set(STOREY)
    if strangers:
        print(f"no storey for {sorted(strangers)}")
    return 1 if wrong or strangers else 0


sys.exit(main())
