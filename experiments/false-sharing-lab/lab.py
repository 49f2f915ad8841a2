#!/usr/bin/env python3
"""
The false-sharing laboratory: how good are the detectors that the monitoring card could run?

    lab.py [--numachine PATH] [--set tune|test|all] [--detector NAME]... [--program NAME]... [-o DIR]

Each detector looks at each program and at its mended twin. What it suspects is held against the table of
programs. The answer is a page: account.md, with account.svg beside it.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import programs  # beside this file

DETECTORS = programs.HERE / "detectors"
LINE = 64  # [bytes] of the machine


@dataclasses.dataclass
class Look:
    """What a detector said of one program."""
    program: programs.Program
    padded: bool
    detector: str
    suspects: list   # {virtual, score, like, measures}
    lines: list      # all of which anything was counted
    falsely: dict    # {line: object}
    found: set       # objects
    runs: int
    events: int
    interrupts: int
    pcycles: int
    result_hash: str

    @property
    def right(self):
        return [s for s in self.suspects if s["virtual"] in self.falsely]

    @property
    def wrong(self):
        return [s for s in self.suspects if s["virtual"] not in self.falsely]


class Lab:
    """Programs as built, and runs of detectors over them."""

    def __init__(self, numachine, directory):
        self.numachine = numachine
        self.directory = directory
        self.known = {}

    def program(self, row, padded):
        """(executable, {line: object} of what it shares falsely)"""
        key = row.name, padded
        if key not in self.known:
            executable = row.build(self.directory, padded)
            done = subprocess.run([self.numachine, "stat", "-q", executable], capture_output=True, text=True,
                                  check=True)
            lines = {}
            for name, at, length in programs.objects(done.stdout):
                if name in row.falsely and not padded:
                    lines.update({line: name for line in range(at // LINE * LINE, at + length, LINE)})
            self.known[key] = executable, lines
        return self.known[key]

    def look(self, detector, row, padded):
        """Lets a detector look at a program."""
        executable, falsely = self.program(row, padded)
        done = subprocess.run([self.numachine, "detect", "--format=json", detector, "--", executable],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{detector} {row.name}: status {done.returncode}\n{done.stderr}")
        said = json.loads(done.stdout)
        for line in said["lines"]:
            line["virtual"] = int(line["virtual"], 16) if line["virtual"] else None
        suspects = [line for line in said["lines"] if line["suspect"]]
        found = {falsely[line["virtual"]] for line in suspects if line["virtual"] in falsely}
        return Look(row, padded, pathlib.Path(detector).stem, suspects, said["lines"], falsely, found, said["runs"],
                    said["events"], said["interrupts"], said["pcycles"], said["result_hash"])


def ratio(part, whole):
    return part / whole if whole else 1.0


def quality(looks):
    """(precision by lines, recall by objects) of all looks together."""
    named = sum(len(look.suspects) for look in looks)
    right = sum(len(look.right) for look in looks)
    there = sum(len(set(look.falsely.values())) for look in looks)
    found = sum(len(look.found) for look in looks)
    return ratio(right, named), ratio(found, there), right, named, found, there


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numachine", default=str(programs.HERE.parents[1] / "numachine"))
    parser.add_argument("--set", default="all", choices=["tune", "test", "all"])
    parser.add_argument("--detector", action="append")
    parser.add_argument("--program", action="append")
    parser.add_argument("-v", action="store_true")
    asked = parser.parse_args()
    rows = [row for row in programs.table() if asked.set in ("all", row.set)
            and (not asked.program or row.name in asked.program)]
    detectors = asked.detector or sorted(path.stem for path in DETECTORS.glob("*.yaml"))
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(2) as pool:
        lab = Lab(asked.numachine, directory)
        list(pool.map(lambda key: lab.program(*key), [(row, padded) for row in rows for padded in (False, True)]))
        for detector in detectors:
            looks = list(pool.map(lambda key: lab.look(detector, *key),
                                  [(row, padded) for row in rows for padded in (False, True)]))
            precision, recall, right, named, found, there = quality(looks)
            print(f"{detector:20} precision {precision:5.2f} ({right}/{named})  recall {recall:5.2f} ({found}/{there})"
                  f"  runs {sum(l.runs for l in looks)}  interrupts {sum(l.interrupts for l in looks)}")
            for look in looks if asked.v else []:
                missed = set(look.falsely.values()) - look.found
                if look.wrong or missed:
                    print(f"    {look.program.name}{'-padded' if look.padded else ''} ({look.program.kind}):"
                          f" wrong {[(hex(s['virtual'] or 0), round(s['score'])) for s in look.wrong]} missed {sorted(missed)}")


if __name__ == "__main__":
    main()
