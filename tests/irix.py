#!/usr/bin/env -S python3 -S
"""
IRIX's event counters from programs: every part of irix_guest.c, each as often as it makes sense; libperfex,
by perfex_guest.c; the shipped experiments; and what every command answers (irix_errors.def), on the machine and in
docs/irix.md.

    irix.py NUMACHINE HOME ABI IRIX_GUEST.ABI PERFEX_GUEST.ABI IRIX_ERRORS.ABI [all]

Without `all` n64 has each part on one machine only.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import figures
import simulator

R10000 = ("base: station-4, processor: {core: r10000}, l1i: {size: 32KB, line: 64B}, l1d: {size: 32KB, line: 32B}, "
          "l2: {size: 1MB, line: 128B, split: false}")
MACHINES = {"r10000": R10000, "r12000": R10000.replace("core: r10000", "core: r12000"), "r4400": "base: station-4"}

# part of the guest: [(machine, program, other parameters)]
PARTS = {
    "names": [("r10000", "", ""), ("r10000", "root: true", ""), ("r4400", "", "")],
    "arguments": [("r10000", "", ""), ("r10000", "root: true", "")],
    "exact": [("r10000", "", ""), ("r12000", "", ""), ("r10000", "processors: 1", ""),
              ("r10000", "", "os: {tick: 0}")],
    "signals": [("r10000", "", "")],
    "profiling": [("r10000", "", "")],
    "threads": [("r10000", "", ""), ("r10000", "processors: 2", "os: {quantum: 20000cy}"),
                ("r10000", "processors: 1", "os: {quantum: 5000cy, tick: 20000cy}")],
    "ends": [("r10000", "", ""), ("r10000", "processors: 1", "")],
    "deferred": [("r10000", "", ""), ("r10000", "processors: 1", "")],
    "force": [("r10000", "root: true", ""), ("r12000", "root: true, processors: 2", "")],
    "storm": [("r10000", "", "os: {tick: 10000cy}"), ("r10000", "root: true", "os: {tick: 10000cy}"),
              ("r12000", "root: true, processors: 2", "os: {tick: 10000cy, quantum: 3000cy}")],
    "turns": [("r10000", "", "os: {tick: 10000cy}"), ("r10000", "processors: 1", "os: {tick: 40000cy}")],
}


# part of perfex_guest.c: what the program is given beside, and what libperfex must say
PERFEX = {
    "pairs": ("", r"15 Graduated instructions +\d+\n19 Graduated stores +2\d{4}\n"),
    "refused": ("", r"(libperfex: (no such event|conflicting counters: .*): .*\n)+libperfex: .* not been started: .*\n"),
    "environment": ("env: {T5_EVENT0: '19', T5_EVENT1: '15'}", r"19 Graduated stores .*\n15 Graduated instructions .*\n"),
    "costs": ("", r"(?s)libperfex: no table of costs .*/tmp/none: .*(/tmp/costs:1: not an event.*){8}"
                  r"Based on 150 MHz R10000 3.x\n.*\n"
                  r"15 Graduated instructions +1000000 +0.010000 +0.005000 +0.020000\n"
                  r"19 Graduated stores +1500000 +0.010000 +0.005000 +1.000000\n"),
    "threads": ("", r"libperfex: counters have not been started: .*\n"),
}


class Runs:
    """Runs of guests, whose failures it counts."""

    def __init__(self, numachine, scratch):
        self.numachine, self.scratch, self.count, self.failures = numachine, scratch, 0, 0

    def complain(self, what, done):
        self.failures += 1
        print(f"{what}: {done.returncode}\n{done.stdout}{done.stderr}")

    def start(self, *arguments):
        self.count += 1
        return simulator.bounded([self.numachine, "run", *arguments, "-o", self.scratch / f"out-{self.count}"],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, seconds=120)

    def guest(self, guest, part, machine, program="", more=""):
        file = self.scratch / f"{part}-{self.count}.yaml"
        file.write_text(f"machine: {{{', '.join(filter(None, [MACHINES[machine], more]))}}}\n"
                        f"program: {{{', '.join(filter(None, [f'path: {guest}, args: [{part}]', program]))}}}\n"
                        "monitor: {events: []}\nrun: {limit: 30s}\n")
        done = self.start(file)
        if done.returncode:
            self.complain(f"{part} {machine} {program} {more}", done)
        return done


def number(text, before):
    found = re.search(re.escape(before) + r"\s*([\d.]+)", text)
    return float(found[1]) if found else -1


def example(runs, home, abi):
    """The document's: what it counts, in user mode and at exception level too, and without counters."""
    mode = "-DMODE=HWPERF_CNTEN_U|HWPERF_CNTEN_E"
    for machine, flags, least, most in (("r10000", "", 4000, 4110), ("r10000", mode, 4096, 4110)):
        done = runs.start(home / "experiments/irix/misses.yaml", "-s", f"program.abi={abi}", "-s",
                          f"program.cflags=[-O2, -I../include/irix{', ' + flags if flags else ''}]")
        data, instructions = (number(done.stdout, f"{kind} cache misses:") for kind in ("data", "instruction"))
        if done.returncode or not least <= data <= most or not 0 <= instructions < 20:
            runs.complain(f"misses {machine} {flags}", done)
    done = runs.start(home / "experiments/irix/misses.yaml", "-s", f"program.abi={abi}", "-s", "processor.core=r4400",
                      "-s", "l1i.line=32B", "-s", "expect.status=19")
    if done.returncode or "failed to acquire counters: No such device" not in done.stderr:
        runs.complain("misses on an R4400", done)


def triad(runs, home):
    """Fortran: one multiply-add, and a miss for each line of each vector."""
    done = runs.start(home / "experiments/irix/triad.yaml")
    besides = 0.1 if figures.of_documents(home) else 0.2  # what the library that counts misses itself
    if (done.returncode or done.stdout.count("instructions for each  1.00") != 2 or
            not 0.74 < number(done.stdout, "16384 elements: misses for each") < 0.76 or
            not 0 <= number(done.stdout, "512 elements: misses for each") < besides):
        runs.complain("triad", done)


# What any command may answer, so that the tables of the document do not say it of each.
ANY = {"ENODEV", "EFAULT", "ENOENT"}


def answers(home):
    """Which errors each command has: by the rows, and by the document."""
    rows, told = {}, {}
    document = (home / "docs/irix.md").read_text()
    text = (home / "tests/irix_errors.def").read_text().partition("*/")[2]
    for command, group in re.findall(r"^WRONG_SETUPS\((\w+), \w+, -(\w+)\)", text, re.M):
        rows.setdefault(command, set()).update({group, "EINVAL", "EPERM"})
    for command, user, root in re.findall(r"^ANSWER\((\w+), \w+, \w+, (-?\w+), (-?\w+), ", text, re.M):
        rows.setdefault(command, set()).update(error[1:] for error in (user, root) if error[0] == "-")
    for line in document.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 3 and re.fullmatch(r"(PIOC|HWPERF_)\w+", cells[1]):
            told[cells[1]] = set(re.findall(r"\bE[A-Z]+\b", cells[-2]))
    for rule in set(re.findall(r", (I\w+-\d+)\)", text)):
        assert f"| {rule} |" in document, f"docs/irix.md has no row {rule}"
    return {command: errors - ANY for command, errors in rows.items()}, told


def errors(runs, home, guest):
    """Every row, as user and as root, with counters and without."""
    for machine in ("r10000", "r4400"):
        for program in ("", "root: true"):
            runs.guest(guest, "errors", machine, program)
    rows, told = answers(home)
    if rows != told:
        runs.failures += 1
        print("docs/irix.md has other errors than irix_errors.def:", {c: (rows.get(c), told.get(c)) for c in {*rows, *told} if rows.get(c) != told.get(c)})


def main():
    numachine, home, abi, guest, perfex, asks, *every = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        runs = Runs(pathlib.Path(numachine).resolve(), pathlib.Path(scratch))
        for part, how in PARTS.items():
            for machine, program, more in how if every or abi == "o32" else how[:1]:
                runs.guest(pathlib.Path(guest).resolve(), part, machine, program, more)
        for part, (program, says) in PERFEX.items():
            done = runs.guest(pathlib.Path(perfex).resolve(), part, "r10000", program)
            if not re.search(says, done.stderr):
                runs.complain(f"{part}: not {says}", done)
        errors(runs, pathlib.Path(home), pathlib.Path(asks).resolve())
        example(runs, pathlib.Path(home), abi)
        if abi == "o32" and shutil.which("mips-linux-gnu-gfortran"):
            triad(runs, pathlib.Path(home))
        return runs.failures != 0


sys.exit(main())
