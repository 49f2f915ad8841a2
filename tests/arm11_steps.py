"""
The application note's use cases (experiments/arm11-note.yaml): each printed figure keeps the rule that stands beside it,
and the golden numbers are all figures of the experiment and of its lines to change.
"""
import csv
import json
import pathlib
import re
import subprocess
import tempfile

from figures import by_compiler, compiler

COMPILER = "arm-linux-gnueabi-gcc"
LINE = re.compile(r"^(\S.{33}) (.{8}) (.{8}) (.{8})  (\d|what)")
TURNS, WORDS, CONDITIONS, NOPS = 200, 8 * 1024, 100, 256  # of arm11-note.c
LINES, ADDED, PAGES = WORDS // 8, 512, WORDS // 1024
# The experiment, and its lines to change: options.
WAYS = {"l220": [], "l210": ["--set", "machine=arm1136-l210"], "unpredicted": ["--set", "arm11.prediction=false"]}


def run(numachine, experiment, options):
    """The lines that the program prints, {what: [first, second, cycles]}, the groups' figures, and the result hash."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        subprocess.run([numachine, "run", "-q", "-o", out, *options, experiment], capture_output=True, text=True, check=True)
        head, *lines = (out / "guest.stdout").read_text().splitlines()
        parts = [LINE.match(line) for line in lines]
        assert head.split() == ["first", "second", "cycles"] and all(parts), lines
        figures = {p[1].strip(): [int(cell) for cell in p.group(2, 3, 4) if cell.strip()] for p in parts}
        assert len(figures) == len(lines), "two lines of one name"
        with open(out / "stats.csv", newline="", encoding="ascii") as file:
            groups = {row["stat"]: float(row["value"]) for row in csv.DictReader(file)
                      if row["component"] == "machine" and row["stat"].startswith("group.")}
        return figures, groups, json.loads((out / "manifest.json").read_text())["end"]["result_hash"]


# Rules of any machine: the line, and what its figures keep. A measurement itself counts 1 branch and 1 instruction (the
# last line), and its call of the work and the way back up to 3 of either.
RULES = [
    ("branches, instructions", lambda f, s, c: TURNS < f <= TURNS + 3 and 6 * TURNS <= s <= 6 * TURNS + 12 and c > s),
    ("the same, divided", lambda f, s, c: TURNS < f <= TURNS + 3 and 6 * TURNS <= s <= 6 * TURNS + 12 and c < s),
    ("overflow after 1000", lambda f: f == 1),
    ("I misses, instructions: cold", lambda f, s, c: f == NOPS * 4 // 32 and NOPS < s <= NOPS + 4 and c > 10 * NOPS),
    ("again", lambda f, s, c: f <= 1 and NOPS < s <= NOPS + 4 and c < 1.1 * NOPS),
    ("fetch stalls, data stalls", lambda f, s, c: s > by_compiler(10, 8, COMPILER) * f and s > ADDED and f + s < c),
    ("LSU full, main TLB misses", lambda f, s, c: s == PAGES - 1 and f < LINES),  # the first page is known
    ("branches, mispredicted", lambda f, s, c: TURNS < f <= TURNS + 3 and s <= TURNS),
    ("pc changes, mispredicted", lambda f, s, c: TURNS <= f <= TURNS + 3 and s <= TURNS),
    ("instructions, branches", lambda f, s, c: 2 * CONDITIONS < f <= 2 * CONDITIONS + 3 and s == 1),
    ("any access, cacheable", lambda f, s, c: f == s and 3 * ADDED <= s <= 3 * ADDED + 2),
    ("cacheable, misses", lambda f, s, c: 3 * LINES <= f <= 3 * LINES + 2 and 0 < s <= LINES + 2),
    ("outside, half lines back", lambda f, s, c: 0 < f <= LINES + PAGES + 64 and s < f),
    ("nothing at all", lambda f, s, c: f == s == 1 and c < 16),
]


def check_figures(figures):
    assert list(figures) == [name for name, _ in RULES], "other lines than there are rules"
    for name, rule in RULES:
        assert rule(*figures[name]), (name, figures[name])
    undivided, divided = figures["branches, mispredicted"][2], figures["the same, divided"][2]
    assert abs(undivided / 64 - divided) < 2, "every 64th cycle"


def check_ways(figures, groups):
    """What the lines to change show."""
    wrong = {way: lines["branches, mispredicted"][1] for way, lines in figures.items()}
    assert wrong["l220"] <= 2 and wrong["l210"] <= 2 and wrong["unpredicted"] == TURNS, wrong
    assert figures["unpredicted"]["branches, instructions"][:2] == figures["l220"]["branches, instructions"][:2]
    misses = {way: lines["cacheable, misses"][1] for way, lines in figures.items()}
    assert misses["l210"] > 2 * misses["l220"], "a cache of half the size"
    assert groups["l220"]["group.arm_branch.predicted"] > 60 > groups["unpredicted"]["group.arm_branch.predicted"], groups


def measure(numachine, home):
    """The golden entry."""
    seen = {way: run(numachine, f"{home}/experiments/arm11-note.yaml", options) for way, options in WAYS.items()}
    for figures, _, _ in seen.values():
        check_figures(figures)
    check_ways({way: s[0] for way, s in seen.items()}, {way: s[1] for way, s in seen.items()})
    return {"compiler": compiler(COMPILER), **{way: {"result_hash": digest, "figures": figures, **groups}
                                       for way, (figures, groups, digest) in seen.items()}}
