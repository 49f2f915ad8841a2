#!/usr/bin/env -S python3 -S
"""
docs/software.svg: the software on one page, drawn from the tree.

    software.py HOME [--write]

Rooms are boxes, the ground below (tests/rooms.py says which storey); an include leads downwards. Two of the walks of
docs/paths.md go through them: a reference, and a count on its way from a tap to a file. Each room leads to its first
place in that document, or to its folder. Without --write: exit status 1 if the picture there is another one.
"""
import html
import pathlib
import re
import sys

import rooms

PICTURE = "docs/software.svg"
PURPOSE = {  # what a room is for, as a reader would ask for it
    "base": "simulated time, the queue of events, memory of the simulator's own",
    "ring": "slotted rings that carry packets",
    "monitor": "counter units: events, counters, registers",
    "detect": "models of detectors of false sharing",
    "machine": "station bus, memory, network card; directories and their protocols",
    "procard": "a processor card: core, caches, agent, counters",
    "programs": "what runs on the machine: Linux programs, kernels, patterns, traces",
    "input": "files that users write: keys, units, machines, experiments",
    "documents": "what a run leaves, and how it is written and read",
    "run": "what listens while a run lasts",
    "debug": "a run under a debugger: where it stops, what is asked of it",
    "look": "what finished runs are asked",
    "sweep": "many runs",
    "page": "the page of a run",
    "trace": "a run in time",
    "show": "what the program is made of",
    "embed": "a run in another program",
    "watch": "a transaction, message by message",
    "cli": "commands and their options",
}
WALKS = (("A reference", "reference", None),
         ("An event count", "count", ("The count", "Where the taps come from", "The results")))
WIDTH, HEIGHT, GAP, LEFT = 1040, 42, 12, 20
HOPS, STEP = 640, 34  # where the walks begin, and how far a hop leads
STYLE = """
svg { background: #fff; font-family: sans-serif } .room { fill: #f4f4f2; stroke: #888 } text { fill: #222 }
.name { font-size: 15px; font-weight: bold } .says { font-size: 11px } .parts { font-size: 10px; fill: #555 }
.reference { stroke: #1664b0; fill: none; stroke-width: 2 } .count { stroke: #b34700; fill: none; stroke-width: 2;
stroke-dasharray: 6 3 } circle.reference { fill: #1664b0 } circle.count { fill: #b34700; stroke-dasharray: none }
.hop { font-size: 10px; fill: #fff; text-anchor: middle }
@media (prefers-color-scheme: dark) { svg { background: #1b1b1b } .room { fill: #2a2a2a } text { fill: #eee }
.parts { fill: #aaa } .reference { stroke: #6db3f2 } .count { stroke: #f5a35c } circle.reference { fill: #6db3f2 }
circle.count { fill: #f5a35c } .hop { fill: #111 } }
"""


def storeys():
    """Rooms that are no part of another, from the top; and what is in each."""
    rows = [[r for r in storey if r in PURPOSE] for storey in reversed(rooms.ROOMS)]
    homeless = {r for storey in rooms.ROOMS for r in storey if "/" not in r} ^ set(PURPOSE)
    assert not homeless, f"a room without a purpose, or a purpose without a room: {homeless}"
    parts = {}
    for room in (r for storey in rooms.ROOMS for r in storey if r.count("/") == 1 and not r.endswith(".def")):
        if room.split("/")[0] in PURPOSE:
            parts.setdefault(room.split("/")[0], []).append(room.split("/", 1)[1])
    return [row for row in rows if row], parts


def walk(text, title, stretches):
    """The rooms that a walk of docs/paths.md enters, one after the other."""
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.M | re.S)[1]
    seen = []
    for stretch in re.split(r"^(?=\*\*)", section, flags=re.M):
        if stretches and not any(stretch.startswith(f"**{name}") for name in stretches):
            continue
        for path in re.findall(r"^\| `([^`]+)` \|", stretch, re.M):
            room = path.split("/")[0]
            if room in PURPOSE and seen[-1:] != [room]:
                seen.append(room)
    return seen


def places():
    """[room] the top of its box. Rooms of one storey stand without a gap."""
    rows, parts = storeys()
    at, y = {}, 70
    for row in rows:
        for room in row:
            at[room] = y
            y += HEIGHT
        y += GAP
    return at, parts, y


def box(room, y, parts, anchor):
    inside = ", ".join(parts.get(room, []))
    lines = [f'<a href="{anchor}"><rect class="room" x="{LEFT}" y="{y}" width="{WIDTH}" height="{HEIGHT}"/>',
             f'<text class="name" x="{LEFT + 10}" y="{y + 17}">{room}/</text>',
             f'<text class="says" x="{LEFT + 116}" y="{y + 17}">{html.escape(PURPOSE[room])}</text>']
    if inside:
        lines.append(f'<text class="parts" x="{LEFT + 116}" y="{y + 33}">{inside}</text>')
    return lines + ["</a>"]


def line(kind, hops, at, lane):
    """A walk: a number in each room that it enters, and what joins them."""
    points = [(HOPS + i * STEP + lane * STEP / 2, at[room] + 12 + 18 * lane) for i, room in enumerate(hops)]
    joined = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
    lines = [f'<polyline class="{kind}" points="{joined}"/>']
    for i, (x, y) in enumerate(points, 1):
        lines.append(f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.0f}" r="8"/>'
                     f'<text class="hop" x="{x:.0f}" y="{y + 4:.0f}">{i}</text>')
    return lines


def draw(home):
    text = (home / "docs/paths.md").read_text()
    at, parts, tall = places()
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 2 * LEFT} {tall}" role="img">',
             "<title>The software: rooms, the way of a reference and of a count</title>", f"<style>{STYLE}</style>",
             f'<text class="name" x="{LEFT}" y="28">A room includes only what stands below it. Two ways through them:</text>']
    for lane, (title, kind, _) in enumerate(WALKS):
        x = LEFT + 10 + lane * 400
        anchor = "paths.md#" + title.lower().replace(" ", "-")
        lines.append(f'<a href="{anchor}"><polyline class="{kind}" points="{x},50 {x + 40},50"/>'
                     f'<text class="says" x="{x + 50}" y="54">{title.lower()}, hop by hop in paths.md</text></a>')
    for room, y in at.items():
        anchor = "paths.md" if f"`{room}/" in text else f"../{room}"
        lines += box(room, y, parts, anchor)
    for lane, (title, kind, stretches) in enumerate(WALKS):
        lines += line(kind, walk(text, title, stretches), at, lane)
    return "\n".join(lines + ["</svg>", ""])


def main():
    home = pathlib.Path(sys.argv[1])
    picture = home / PICTURE
    drawn = draw(home)
    if "--write" in sys.argv:
        picture.write_text(drawn)
        return 0
    if not picture.exists() or picture.read_text() != drawn:
        print(f"{PICTURE} is not what the tree is now: tests/software.py . --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
