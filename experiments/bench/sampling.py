#!/usr/bin/env python3
"""How good sampling is: programs timed as a whole and sampled, on one machine.

    sampling.py NUMACHINE [PROGRAM...] [--processors N] [--every TIME]
    sampling.py NUMACHINE [KERNEL...] --kernels [--processors N]

Prints a row for each program: PCycles of the whole, the estimate's error, the interval that the command gives
(and whether it says that the program does not suit), the share that was simulated in detail, and how many times
the host's processor time the whole takes. With --kernels the programs are the twelve kernels of experiments/kernels, of
problems for seconds, with 64, 16, 4 and 1 of numachine-64's processors; the status is 1 if an estimate is off by more than
its interval and nothing is said against it. docs/sampling.md has the tables.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parents[1] / "kernels"
WORK = pathlib.Path(__file__).resolve().with_name("work.c")
# Programs of the cross compiler: PCycles between samples, and what is run.
PROGRAMS = {
    "fft": (2_000_000, KERNELS / "fft.c", ["m=10"]),
    "radix": (500_000, KERNELS / "radix.c", ["n=1048576"]),
    "spmv": (1_000_000, KERNELS / "spmv.c", ["n=65536", "rounds=6"]),
    "ocean": (1_000_000, KERNELS / "ocean.c", ["n=512", "sweeps=16"]),
    "tree": (200_000, KERNELS / "tree.c", ["n=4096"]),
    "water": (100_000, KERNELS / "water.c", ["n=1024", "steps=3"]),
    "lu": (500_000, KERNELS / "lu-contiguous.c", ["blocks=32"]),
    "shared": (200_000, WORK, ["{n}", "30000", "262144", "30", "shared"]),
    "far": (200_000, WORK, ["{n}", "30000", "16777216", "10", "shared"]),
    "exchange": (100_000, WORK, ["{n}", "131072", "262144", "0", "exchange"]),
    "locks": (200_000, WORK, ["{n}", "4000", "64", "0", "locks"]),
}

# Of kernels that run on the host: arguments.
HOSTED = {"fft": ["m=9"], "lu": ["blocks=20"], "lu-contiguous": ["blocks=20"], "radix": ["n=262144"],
          "ocean": ["n=512", "sweeps=12"], "tree": ["n=1024"], "water": ["n=768", "steps=1"],
          "spmv": ["n=32768", "rounds=4"], "bfs": ["n=16384", "searches=6"], "tasks": ["n=262144"],
          "produce": ["n=8192"], "table": ["n=32768"]}
PROCESSORS = 64, 16, 4, 1
SAMPLES, LEAST = 120, 50_000  # of a kernel; PCycles from one to the next


def run(numachine, scratch, name, processors, *sets):
    """One of PROGRAMS: the results' statistics, and the host's processor time [s]."""
    _, source, arguments = PROGRAMS[name]
    arguments = [a.format(n=processors) for a in arguments]
    program = {"source": str(source), "abi": "o32", "args": arguments}
    if source != WORK:
        program["processors"] = processors
    return timed(numachine, scratch, program, "numachine-64" if processors > 16 else "ring-16", *sets)


def run_hosted(numachine, scratch, name, processors, *sets):
    """The same of one of HOSTED."""
    program = {"source": str(KERNELS / f"{name}.c"), "abi": "host", "args": HOSTED[name], "processors": processors}
    return timed(numachine, scratch, program, "numachine-64", *sets)


def timed(numachine, scratch, program, machine, *sets):
    file = scratch / "sampled.yaml"
    file.write_text("program: " + json.dumps(program) + f"\nmachine: {machine}\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([numachine, "run", "-q", file, "--force", "-o", scratch / "out", *(f"--set={s}" for s in sets)],
                          capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{program['source']}: {done.stderr}")
    return json.loads((scratch / "out/stats.json").read_text()), \
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def estimated(numachine, scratch, runs, name, processors, every=None):
    """A program timed as a whole, and sampled: PCycles of the whole, the estimate, how many times faster it was, and
    what it is off, and the interval, as shares."""
    whole, slow = runs(numachine, scratch, name, processors)
    pcycles = whole["snapshots"][0]["end_tick"]
    every = every or max(LEAST, pcycles // SAMPLES)
    sampled, fast = runs(numachine, scratch, name, processors, f"run.sample.every={every}cy", "run.sample.length=8000cy",
                         "run.sample.lead=2000cy")
    e = sampled["estimate"]
    return pcycles, e, slow / fast, e["pcycles"] / pcycles - 1, (e["half_width"] or 0) / e["pcycles"]


def is_noticed(e, error, width):
    """The interval holds the truth, or something is said against the estimate."""
    return bool(e["unsuited"]) or abs(error) <= width


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("numachine")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--processors", type=int)
    parser.add_argument("--every", type=int, help="PCycles from one sample to the next")
    parser.add_argument("--kernels", action="store_true")
    options = parser.parse_args()
    names = options.programs or (HOSTED if options.kernels else PROGRAMS)
    processors = [options.processors or 64] if options.processors or not options.kernels else PROCESSORS
    noticed = True
    print("| program | processors | PCycles | error | interval | samples | in detail | refused | times faster | says |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory() as where:
        for name, n in ((name, n) for n in processors for name in names):
            every = options.every or (None if options.kernels else PROGRAMS[name][0])
            pcycles, e, times, error, width = estimated(options.numachine, pathlib.Path(where),
                                                        run_hosted if options.kernels else run, name, n, every)
            noticed &= is_noticed(e, error, width)
            print(f"| `{name}` | {n} | {pcycles:,} | {100 * error:+.1f} % | {100 * width:.1f} % | {e['samples']} | "
                  f"{100 * e['timed']:.1f} % | {100 * e['refused']:.0f} % | {times:.1f} | {e['unsuited'] or ''} |", flush=True)
    sys.exit(options.kernels and not noticed)


if __name__ == "__main__":
    main()
