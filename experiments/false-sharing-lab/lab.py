#!/usr/bin/env python3
"""
The false-sharing laboratory: how good are the detectors that the monitoring card could run?

    lab.py                   the account, on standard output
    lab.py --write           and into README.md beside this file, with account.svg
    lab.py --set tune -v     only the programs for tuning; what was named wrongly, and what was missed
    lab.py --detector ./mine.yaml --detector words

Each detector looks at each program and at its mended twin. What it suspects is held against the truth of the same
run (numachine stat --truth): a line is shared falsely if that costs FALSE_LEAST PCycles or more, and more than true
sharing of the line does. Precision is the part of the suspect lines that are, recall the part of those lines that
were named.
"""
import argparse
import collections
import concurrent.futures
import csv
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import programs  # beside this file

DETECTORS = programs.HERE / "detectors"
README = programs.HERE / "README.md"
PICTURE = programs.HERE / "account.svg"
LINE = 64       # [bytes] of the machine
FALSE_LEAST = 20000  # [PCycles] of all processors, that a line shared falsely costs
FALSE = ["false_sharing_time", "upgrade_false_time"]
TRUE = ["true_sharing_time", "upgrade_true_time"]
HANDLER = 300   # [PCycles] that the handler of an interrupt is taken to need: os.syscall
PARTS = ["tune", "test"]
SPREAD = [2, 4, 8, 16, 32, 64]  # threads of the look at routing masks


@dataclasses.dataclass
class Look:
    """What a detector said of one program."""
    program: programs.Program
    padded: bool
    lines: list      # all of which anything was counted
    falsely: dict    # {line: PCycles}
    cost: dict       # runs, events, interrupts, pcycles

    @property
    def suspects(self):
        return [line for line in self.lines if line["suspect"]]

    @property
    def wrong(self):
        return [line for line in self.suspects if line["virtual"] not in self.falsely]

    @property
    def found(self):
        return {line["virtual"] for line in self.suspects if line["virtual"] in self.falsely}

    @property
    def missed(self):
        return set(self.falsely) - self.found


@dataclasses.dataclass
class Quality:
    """What all looks of a detector come to."""
    named: int       # lines
    right: int       # of these
    there: int       # lines
    found: int       # of these
    cost: int        # [PCycles] of what is there
    found_cost: int

    @classmethod
    def of(cls, looks):
        return cls(sum(len(look.suspects) for look in looks),
                   sum(len(look.suspects) - len(look.wrong) for look in looks),
                   sum(len(look.falsely) for look in looks), sum(len(look.found) for look in looks),
                   sum(sum(look.falsely.values()) for look in looks),
                   sum(look.falsely[line] for look in looks for line in look.found))

    @property
    def precision(self):
        return self.right / self.named if self.named else 1.0

    @property
    def recall(self):
        return self.found / self.there if self.there else 1.0

    @property
    def cost_recall(self):
        return self.found_cost / self.cost if self.cost else 1.0


@dataclasses.dataclass
class Built:
    """A program ready to be looked at."""
    executable: pathlib.Path
    output: str    # what it writes
    falsely: dict  # as `falsely` says


def falsely(path):
    """{virtual address of a line: PCycles that sharing it falsely cost}, of a run's truth."""
    truth = json.loads(path.read_text())
    columns = [name.lower() for name, _, _ in truth["columns"]]
    false, true = collections.Counter(), collections.Counter()
    for copy, _, _, _, _, _, _, _, _, *values in truth["rows"]:
        row = {columns[column]: value for column, value in zip(values[::2], values[1::2])}
        line = truth["copies"][copy][1]
        false[line] += sum(row.get(name, 0) for name in FALSE)
        true[line] += sum(row.get(name, 0) for name in TRUE)
    return {line: cost for line, cost in false.items() if cost >= FALSE_LEAST and cost > true[line]}


class Lab:
    """Programs as built, and runs of detectors over them."""

    def __init__(self, numachine, directory):
        self.numachine = numachine
        self.directory = directory
        self.built = {}

    def build(self, row, padded):
        """Builds a program, and finds out the truth of its lines."""
        executable = row.build(self.directory, padded)
        out = pathlib.Path(self.directory, f"truth-{row.name}-{padded}")
        subprocess.run([self.numachine, "stat", "-q", "--truth", "-o", out, "--", executable], capture_output=True,
                       check=True)
        self.built[row.name, padded] = Built(executable, (out / "guest.stdout").read_text(),
                                             falsely(out / "truth.json"))

    def look(self, detector, row, padded):
        """Lets a detector look at a program."""
        built = self.built[row.name, padded]
        done = subprocess.run([self.numachine, "detect", "--format=json", detector, "--", built.executable],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{detector} {row.name}: status {done.returncode}\n{done.stderr}")
        said = json.loads(done.stdout)
        for line in said["lines"]:
            line["virtual"] = int(line["virtual"], 16) if line["virtual"] else None
        return Look(row, padded, said["lines"], built.falsely,
                    {name: said[name] for name in ("runs", "events", "interrupts", "pcycles")})

    def invalidates(self, row, threads):
        """(incoming invalidates of others, those of them that hit, first requests for the last line)"""
        out = pathlib.Path(self.directory, f"{row.name}-{threads}")
        subprocess.run([self.numachine, "stat", "-q", "-o", out,
                        "-e", "invalidate_hits", "-e", "invalidates_done", "-e", "rereferences",
                        "--set", "monitor.counters=[{event: packet_headers, masked: true}]",
                        "--set", "monitor.mask.direction=in", "--set", "monitor.mask.command=INVALIDATE",
                        "--", self.built[row.name, False].executable, str(threads)], capture_output=True, check=True)
        with open(out / "stats.csv", newline="") as file:
            total = {r["stat"]: int(r["value"]) for r in csv.DictReader(file)
                     if r["snapshot"] == "whole" and r["component"] == "machine" and r["stat"].startswith("monitor.")}
        with open(out / "monitor/counters.csv", newline="") as file:
            came = sum(int(r["counted"]) for r in csv.DictReader(file))
        return (came - total["monitor.invalidates_done"], total["monitor.invalidate_hits"],
                total["monitor.rereferences"])


# ---- the account -----------------------------------------------------------------------------------------------


def grid(heading, rows):
    """A table in Markdown."""
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [heading, ["---"] * len(heading), *rows]) + "\n"


def per_cent(value):
    return f"{100 * value:.0f} %"


def quality_table(looks):
    """A row for each detector: how good, and at what cost."""
    rows = []
    for detector, all_of in looks.items():
        cost = {name: sum(look.cost[name] for look in all_of) for name in ("runs", "events", "interrupts", "pcycles")}
        work = sum(look.cost["pcycles"] * look.program.threads[0] for look in all_of)
        row = [f"`{detector}`"]
        for part in PARTS:
            q = Quality.of([look for look in all_of if look.program.set == part])
            row += [f"{per_cent(q.precision)} ({q.right}/{q.named})", f"{per_cent(q.recall)} ({q.found}/{q.there})",
                    per_cent(q.cost_recall)]
        rows.append(row + [f"{cost['runs'] / len(all_of):.1f}", f"{cost['events'] / len(all_of):,.0f}",
                           f"{cost['interrupts'] / len(all_of):,.0f}",
                           f"{100 * cost['interrupts'] * HANDLER / work:.1f} %"])
    return grid(["detector", *(f"{what}, {part}" for part in PARTS for what in ("precision", "recall", "of the cost")),
                 "runs", "events", "interrupts", "handler's time"], rows)


def errors_table(looks):
    """A row for each detector: where it was wrong on the set for testing."""
    rows = []
    for detector, all_of in looks.items():
        tested = [look for look in all_of if look.program.set == "test"]
        wrong = {f"{look.program.name}{' (mended)' if look.padded else ''}" for look in tested if look.wrong}
        twice = {name for name in wrong if f"{name} (mended)" in wrong}
        wrong = sorted((wrong - {f"{name} (mended)" for name in twice}))
        missed = sorted({look.program.name for look in tested if look.missed})
        rows.append([f"`{detector}`", ", ".join(wrong) or "-", ", ".join(missed) or "-"])
    return grid(["detector", "names lines that are not shared falsely in", "misses"], rows)


def masks_table(lab, rows, pool):
    """How many invalidates find a copy, by how many threads there are."""
    chosen = [row for row in rows if row.name in ("limits", "counter", "clock")]
    found = list(pool.map(lambda key: lab.invalidates(*key), [(row, t) for row in chosen for t in SPREAD]))
    table = []
    for i, row in enumerate(chosen):
        for t, (came, hits, again) in zip(SPREAD, found[i * len(SPREAD):]):
            table.append([f"`{row.name}`", t, f"{came:,}", f"{hits:,}", per_cent(hits / came if came else 0), f"{again:,}"])
    return grid(["program", "threads", "invalidates of others", "hit a copy", "part", "rereferences"], table)


def picture(looks):
    """Precision and recall on the set for testing: two bars for each detector, as SVG."""
    high, wide, left = 44, 640, 170
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high * len(looks) + 40}" '
             'font-family="sans-serif" font-size="13">',
             '<rect width="100%" height="100%" fill="white"/>']
    for i, (detector, all_of) in enumerate(looks.items()):
        quality = Quality.of([look for look in all_of if look.program.set == "test"])
        y = 10 + i * high
        parts.append(f'<text x="{left - 10}" y="{y + 20}" text-anchor="end">{detector}</text>')
        for k, (value, colour) in enumerate([(quality.precision, "#35618f"), (quality.recall, "#c98b2b")]):
            length = round(value * (wide - left - 60))
            parts.append(f'<rect x="{left}" y="{y + 16 * k}" width="{length}" height="14" fill="{colour}"/>'
                         f'<text x="{left + length + 6}" y="{y + 16 * k + 12}">{per_cent(value)}</text>')
    y = 10 + len(looks) * high
    parts += [f'<rect x="{left}" y="{y}" width="14" height="14" fill="#35618f"/><text x="{left + 20}" y="{y + 12}">precision</text>',
              f'<rect x="{left + 120}" y="{y}" width="14" height="14" fill="#c98b2b"/><text x="{left + 140}" y="{y + 12}">recall, '
              'on the programs for testing</text>', "</svg>"]
    return "\n".join(parts) + "\n"


def shipped():
    """Names of the shipped detectors."""
    return sorted(path.stem for path in DETECTORS.glob("*.yaml"))


def account(lab, rows, detectors, jobs):
    """({detector: its looks at all programs}, {name: table})"""
    both = [(row, padded) for row in rows for padded in (False, True)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda key: lab.build(*key), both))
        looks = {pathlib.Path(detector).stem: list(pool.map(lambda key, d=detector: lab.look(d, *key), both))
                 for detector in detectors}
        return looks, {"quality": quality_table(looks), "errors": errors_table(looks),
                       "masks": masks_table(lab, rows, pool)}


def splice(text, blocks):
    """Puts tables where README.md has them."""
    for name, table in blocks.items():
        text, n = re.subn(rf"(<!-- account: {name} -->\n).*?(<!-- end -->)",
                          lambda m, table=table: m[1] + table + m[2], text, flags=re.S)
        assert n == 1, name
    return text


def tell(looks):
    """For people who write a detector."""
    for detector, all_of in looks.items():
        for look in all_of:
            if look.wrong or look.missed:
                wrong = [f"{line['virtual'] or 0:#x} ({line['score']:.0f})" for line in look.wrong]
                print(f"{detector}: {look.program.name}{' (mended)' if look.padded else ''}: "
                      f"wrong: {', '.join(wrong) or '-'}; missed: {', '.join(map(hex, sorted(look.missed))) or '-'}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numachine", help="the simulator; else this tree's, built anew if need be")
    parser.add_argument("--set", default="all", choices=[*PARTS, "all"])
    parser.add_argument("--detector", action="append", help="a shipped detector's name, or a file")
    parser.add_argument("--program", action="append", help="a row of programs.def")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true", help="into README.md and account.svg")
    parser.add_argument("-v", "--verbose", action="store_true", help="what was wrong where")
    return parser.parse_args()


def simulator():
    """The tree's own, built; or, of an installed laboratory, the installed one."""
    tree = programs.HERE.parents[1]
    if not (tree / "numachine").exists():
        return shutil.which("numachine") or sys.exit("lab.py: where is numachine? (--numachine PATH)")
    subprocess.run([tree / "numachine", "--version"], stdout=subprocess.DEVNULL, check=True)
    return str(tree / "build/cli/numachine")


def main():
    asked = parse()
    rows = [row for row in programs.table()
            if asked.set in ("all", row.set) and (not asked.program or row.name in asked.program)]
    with tempfile.TemporaryDirectory() as directory:
        looks, blocks = account(Lab(asked.numachine or simulator(), directory), rows, asked.detector or shipped(), asked.jobs)
    print("\n".join(blocks.values()))
    if asked.verbose:
        tell(looks)
    if asked.write:
        README.write_text(splice(README.read_text(), blocks))
        PICTURE.write_text(picture(looks))


if __name__ == "__main__":
    main()
