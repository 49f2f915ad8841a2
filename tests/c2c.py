#!/usr/bin/env -S python3 -S
"""c2c.py NUMACHINE ROOT [all]: what c2c says of the laboratory's programs, whose sharing is known.

Of each program (some of them, unless `all`, and names of objects in some of these):
  - asking for the truth of misses changes nothing that is counted,
  - the objects that it calls falsely shared are those that are, and their source lines are found,
  - the gain that --what-if measures is that of the program mended by hand,
  - what is printed and its rest are the total, and the sentence in front is of these rows (c2c_sums.py).
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import c2c_sums
import skip

SOME = ["accounts", "neighbours", "answers", "board", "counter", "private"]  # heap, variables, stack, both kinds, true, none
NAMED = SOME[:3]  # those whose objects' names are all tried
PROGRAM = re.compile(r'^PROGRAM\((\w+),\s*"([^"]*)",\s*"([^"]*)"', re.M)
COMPILER = "mips-linux-gnu-gcc"


def programs(lab):
    for name, kind, falsely in PROGRAM.findall((lab / "programs.def").read_text()):
        yield name, kind, falsely.split()


def build(lab, name, where, *flags):
    out = where / name
    subprocess.run([COMPILER, "-O2", "-g", "-static", "-pthread", *flags, "-o", out,
                    lab / f"{name}.c"], check=True)
    return out


def run(*command, status=0):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    assert done.returncode == status, f"status {done.returncode}: {done.stderr}: {command}"
    return done.stdout


def is_named(declared, shown, program):
    """Whether an object that c2c shows is a declared one; "f()" is heap or stack of a function, which may be inlined."""
    if declared.endswith("()"):
        memory = shown.get("memory", shown["object"])
        return re.search(rf"\bat ({program}\.c|lab\.h):", memory) or memory.startswith("stack of thread")
    shown = shown["object"]
    return shown == declared or shown.endswith("::" + declared)


def shared_lines(lab, name, falsely):
    """The lines of source that say which object they share."""
    text = (lab / f"{name}.c").read_text().splitlines()
    return {number for number, line in enumerate(text, 1)
            if any(f"shares: {o}" in line for o in falsely)}


def elapsed(directory):
    return int(re.search(r"^machine\.elapsed\s+(\d+)", (directory / "stats.txt").read_text(), re.M)[1])


def gain_of(numachine, directory, name):
    text = run(numachine, "c2c", "--what-if", name, directory)
    before, after = (int(n) for n in re.findall(r"(\d+) PCycles", text))
    return before, after


def names_in(found):
    """All that c2c calls something by, and that can be laid out otherwise: not lines of instructions."""
    names = {o["object"] for o in found["objects"]}
    for line in found["lines"]:
        if all(held["kind"] != "code" for held in line["holds"]):
            names |= {held[key] for held in line["holds"] for key in ("object", "first")}
            names |= set(re.findall(r"--what-if '([^']*)'", line["advice"]))
    return sorted(names)


def check_names(numachine, directory, found):
    """Each of them is taken; all at once, because each time is a run."""
    names = names_in(found)
    assert names
    tried = json.loads(run(numachine, "c2c", "--format=json", *(f"--what-if={name}" for name in names), directory))
    assert tried["objects"] == names and tried["parts"] > 0


def check(numachine, lab, program, scratch):
    name, kind, falsely = program
    wrong = []
    (scratch / "plain").mkdir(exist_ok=True)
    (scratch / "padded").mkdir(exist_ok=True)
    plain, padded = build(lab, name, scratch / "plain"), build(lab, name, scratch / "padded", "-DPADDED")
    asked, other, mended = (scratch / f"{name}.{what}" for what in ("asked", "other", "mended"))
    run(numachine, "stat", "--truth", "--quiet", "-o", asked, "--", plain)
    run(numachine, "stat", "--quiet", "-o", other, "--", plain)
    run(numachine, "stat", "--quiet", "-o", mended, "--", padded)
    if (asked / "stats.json").read_bytes() != (other / "stats.json").read_bytes():
        wrong.append("asking for the truth has changed what is counted")
    wrong += c2c_sums.wrong(numachine, asked, scratch / f"{name}.html")
    found = json.loads(run(numachine, "c2c", "--format=json", asked))
    if name in NAMED or "all" in sys.argv[3:]:
        check_names(numachine, asked, found)
    called = [o for o in found["objects"] if o["verdict"] in ("false", "mixed")]
    for o in called:
        if not any(is_named(d, o, name) for d in falsely):
            wrong.append(f"{o['object']} is called {o['verdict']} ({o['falsely']}, {o['truly']} of {found['pcycles']})")
    for d in falsely:
        if not any(is_named(d, o, name) for o in called):
            wrong.append(f"{d} is not found")
    lines = {a["line"] for o in called for a in o["askers"] if a.get("file", "").endswith(f"/{name}.c")}
    if missing := shared_lines(lab, name, falsely) - lines:
        wrong.append(f"lines {sorted(missing)} are not found")
    gains = []
    for o in called:
        if any(is_named(d, o, name) for d in falsely) and not gains:
            before, after = gain_of(numachine, asked, o["object"])
            gains.append((before - after, before - elapsed(mended), before))
    return name, wrong, gains


def main():
    numachine, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    lab = root / "experiments" / "false-sharing-lab/first"
    skip.need(f"gcc-{COMPILER.removesuffix('-gcc')}", COMPILER)
    rows = [p for p in programs(lab) if "all" in sys.argv[3:] or p[0] in SOME]
    bad, gains = 0, []
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, wrong, gain in pool.map(lambda p: check(numachine, lab, p, pathlib.Path(scratch)), rows):
            for sentence in wrong:
                print(f"{name}: {sentence}")
            for measured, by_hand, before in gain:
                print(f"{name}: what-if gains {measured}, by hand {by_hand}, of {before}")
                gains.append((name, measured, by_hand))
            bad += len(wrong)
    opposite = [n for n, measured, by_hand in gains if measured * by_hand <= 0]
    far = [n for n, measured, by_hand in gains if abs(measured - by_hand) > 0.2 * abs(by_hand)]
    print(f"{len(rows)} programs, {len(gains)} gains; {len(opposite)} of the other sign, {len(far)} off by a fifth: {far}")
    return bool(bad or opposite or 10 * len(far) > len(gains) or not gains)


if __name__ == "__main__":
    sys.exit(main())
