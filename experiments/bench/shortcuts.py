#!/usr/bin/env python3
"""How far shortcuts are off for ten programs on which none was tuned (strangers.c), and whether each says so.

    shortcuts.py NUMACHINE [PROGRAM...] [--threads 4,16,64] [--size N] [--set KEY=VALUE]

A row for each program and number of threads, on station-4, ring-16 and numachine-64: what a replay on the machine of the
recording, and on others, differs from a run there; the region "second" with what is ahead of it warmed; the whole run
sampled. In %, PCycles and secondary misses; a trailing ! where the command says itself that it is not to be trusted, or hangs
on single PCycles. The status is 1 if a replay on the machine of the recording is not the run. Needs mips-linux-gnu-gcc.
docs/traces.md, docs/approach.md and docs/sampling.md have what it prints.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().with_name("strangers.c")
PROGRAMS = ["spin-barrier", "ticket", "stealing", "join", "sort", "stencil", "condition", "pipeline", "readers", "histogram"]
MACHINES = {4: "station-4", 16: "ring-16", 64: "numachine-64"}
REGION = ["--set", "run.from=region second", "--set", "run.to=region second"]
SAMPLES = ["--set", "run.sample.every=50000cy", "--set", "run.sample.length=8000cy", "--set", "run.sample.lead=2000cy"]
DOUBTS = "do not trust", "hangs on single PCycles, and with it"
OTHERS = {"slow DRAM": ["memory.dram_time=30cy"], "300 MHz": ["processor.clock=300MHz"]}


class Bench:
    def __init__(self, numachine, scratch, sets):
        self.numachine, self.scratch, self.sets = numachine, pathlib.Path(scratch), sets
        self.program = self.scratch / "strangers"
        subprocess.run(["mips-linux-gnu-gcc", "-O2", "-static", "-pthread", f"-I{SOURCE.parents[1]}/include", SOURCE, "-o",
                        self.program], check=True)

    def run(self, out, machine, words, *options):
        """A run's statistics by region, and what is said of it."""
        done = subprocess.run([self.numachine, "stat", "--force", "-o", self.scratch / out, "-m", machine, *self.sets,
                               *options, "--", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{words} on {machine} {options}: {done.stderr}")
        stats = {}
        for line in (self.scratch / out / "stats.csv").read_text().splitlines():
            region, component, name, value, _ = line.split(",", 4)
            if component == "machine" and value:
                stats.setdefault(region, {})[name] = value
        return stats, any(doubt in done.stdout + done.stderr for doubt in DOUBTS)

    def guest(self, name, threads, size):
        return [self.program, name, str(threads), str(size)]


def off(want, have, region, said=False, stats=("elapsed", "truth.l2_misses")):
    errors = (100 * (float(have[region][stat]) / max(1, float(want[region][stat])) - 1) for stat in stats)
    return " ".join(f"{error:+.1f}" for error in errors) + ("!" if said else "")


def row(bench, name, threads, size):
    machine, guest = MACHINES[threads], bench.guest(name, threads, size)
    whole, _ = bench.run("whole", machine, guest, "--references")
    trace = [bench.scratch / "whole/references.ntr"]
    again, said = bench.run("again", machine, trace)
    cells = [off(whole, again, "whole", said)]
    same = whole["whole"]["elapsed"] == again["whole"]["elapsed"]
    for sets in OTHERS.values():
        there, _ = bench.run("there", machine, guest, "--set", *sets)
        replayed, said = bench.run("replayed", machine, trace, "--set", *sets)
        cells.append(off(there, replayed, "whole", said))
    part, said = bench.run("part", machine, guest, *REGION)
    cells.append(off(whole, part, "second", said))
    sampled, said = bench.run("sampled", machine, guest, *SAMPLES)
    cells.append(f"{100 * (float(sampled['whole']['sampling.estimate']) / float(whole['whole']['elapsed']) - 1):+.1f}" + "!" * said)
    print(f"| `{name}` | {threads} |", " | ".join(cells), "|", flush=True)
    return same


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("numachine")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--threads", default="4,16,64")
    parser.add_argument("--size", default="512")
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    good = True
    print("| program | threads | replayed where recorded |", " | ".join(f"replayed, {name}" for name in OTHERS),
          "| `run.from` | sampled |")
    print("|---|--:|" + "--:|" * (3 + len(OTHERS)))
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        bench = Bench(pathlib.Path(options.numachine).resolve(), scratch, [w for s in options.set for w in ("--set", s)])
        for threads in map(int, options.threads.split(",")):
            for name in options.programs or PROGRAMS:
                good &= row(bench, name, threads, options.size)
    sys.exit(not good)


main()
