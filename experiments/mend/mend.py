#!/usr/bin/env python3
"""
What `numachine mend` recommends, beside the program that somebody has mended.

    mend.py                  the table, on standard output, in some minutes
    mend.py --write          and into docs/mend.md
    mend.py --program pool   only this one, may be given several times

The programs are those of the false-sharing laboratory that share falsely, and ten here with objects of the heap
and of C++. Each has a mended twin (-DPADDED). Of each the best layout that mend finds, without moving pages, is held
against the time that the twin takes. In the last line are how many are within a tenth of the twin's time, how many
are faster than that, and how many have the wrong sign. The status is 1 if fewer than nine in ten are within a tenth of it
or faster, or one has the wrong sign, and 77 without the compilers.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LAB = HERE.parent / "false-sharing-lab/first"
DOCUMENT = HERE.parents[1] / "docs" / "mend.md"
LABELLED = re.compile(r'^PROGRAM\((\w+),\s*"(?:false|mixed)"', re.M)
BLOCK = re.compile(r"(<!-- measured: mend -->\n).*?(<!-- end -->)", re.S)
FLAGS = ["-O2", "-g", "-static", "-pthread"]
COMPILERS = {".c": "mips-linux-gnu-gcc", ".cc": "mips-linux-gnu-g++"}
NEAR = 0.1


def sources():
    for name in LABELLED.findall((LAB / "programs.def").read_text()):
        yield LAB / f"{name}.c"
    yield from sorted(f for f in HERE.iterdir() if f.suffix in COMPILERS)


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(f"mend.py: {' '.join(map(str, command))}: status {done.returncode}: {done.stderr}")
    return done.stdout


def build(source, scratch, *flags):
    out = scratch / source.name.replace(".", "-")
    scratch.mkdir(exist_ok=True)
    run(COMPILERS[source.suffix], *FLAGS, *flags, "-o", out, source)
    return out


def elapsed(directory):
    return int(re.search(r"^machine\.elapsed\s+(\d+)", (directory / "stats.txt").read_text(), re.M)[1])


def measure(numachine, source, scratch, jobs):
    """@return a row: name, as it is, the twin's time, mend's, what it recommends"""
    plain, twin = scratch / "plain", scratch / "twin"
    run(numachine, "stat", "--truth", "-q", "-o", scratch / "asked", "--", build(source, plain))
    run(numachine, "stat", "-q", "-o", scratch / "mended", "--", build(source, twin, "-DPADDED"))
    found = json.loads(run(numachine, "mend", "--format=json", f"-j{jobs}", scratch / "asked"))
    best = found["best_layout"]
    what = [c["what"] for c in found["candidates"] if best and c["number"] in best["candidates"]]
    return (source.name, found["before"], elapsed(scratch / "mended"), best["after"] if best else found["before"],
            len(found["trials"]), "; ".join(what) or "nothing")


def percent(part, whole):
    return f"{100 * (part - whole) / whole:+.1f} %"


def is_near(row):
    _, _, twin, found, *_ = row
    return abs(found - twin) <= NEAR * twin


def table(rows):
    lines = ["| program | as it is | twin | twin's gain | mend's gain | mend's time beside the twin's | runs | recommended |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, before, twin, found, runs, what in rows:
        lines.append(f"| `{name}` | {before:,} | {twin:,} | {100 * (before - twin) / before:.1f} % | "
                     f"{100 * (before - found) / before:.1f} % | {percent(found, twin)} | {runs} | {what} |")
    return "\n".join(lines)


def judge(rows):
    """@return those near the twin, names of those faster than that, and of those with the wrong sign"""
    return ([r for r in rows if is_near(r)], [r[0] for r in rows if r[3] < (1 - NEAR) * r[2]],
            [r[0] for r in rows if (r[1] - r[2]) * (r[1] - r[3]) < 0])


def summary(rows):
    near, faster, wrong = judge(rows)
    return (f"{len(rows)} programs: {len(near)} within a tenth of the twin's time, {len(faster)} faster than that"
            f"{' (' + ', '.join(faster) + ')' if faster else ''}, {len(wrong)} of the wrong sign.")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numachine", default=None, help="path (default: the tree's own)")
    parser.add_argument("--program", action="append", help="a source's name without its end")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true", help="into docs/mend.md")
    return parser.parse_args()


def main():
    asked = parse()
    numachine = asked.numachine or HERE.parents[1] / "build/cli/numachine"
    if not shutil.which(str(numachine)):
        sys.exit("mend.py: where is numachine? (--numachine PATH)")
    if not all(map(shutil.which, COMPILERS.values())):
        print("mend.py: it needs", " and ".join(COMPILERS.values()))
        return 77
    rows = []
    for source in sources():
        if not asked.program or source.stem in asked.program:
            with tempfile.TemporaryDirectory() as scratch:
                rows.append(measure(numachine, source, pathlib.Path(scratch), asked.jobs))
            print(rows[-1], file=sys.stderr)
    text = f"{table(rows)}\n\n{summary(rows)}\n"
    print(text, end="")
    if asked.write:
        DOCUMENT.write_text(BLOCK.sub(lambda m: m[1] + text + m[2], DOCUMENT.read_text()))
    near, faster, wrong = judge(rows)
    return int(bool(wrong) or 10 * (len(near) + len(faster)) < 9 * len(rows))


if __name__ == "__main__":
    sys.exit(main())
