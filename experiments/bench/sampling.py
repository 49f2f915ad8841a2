#!/usr/bin/env python3
"""How good sampling is: programs timed as a whole and sampled, on one machine.

    sampling.py NUMACHINE [PROGRAM...] [--processors N] [--every TIME]

Prints a row for each program: PCycles of the whole, the estimate's error, the interval that the command gives
(and whether it says that the program does not suit), the share that was simulated in detail, and how many times
the host's processor time the whole takes. docs/sampling.md has the table.
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


def run(numachine, scratch, name, processors, *sets):
    """The results' statistics, and the host's processor time [s]."""
    _, source, arguments = PROGRAMS[name]
    file = scratch / "sampled.yaml"
    arguments = [a.format(n=processors) for a in arguments]
    file.write_text("program: " + json.dumps({"source": str(source), "abi": "o32", "args": arguments}) +
                    f"\nmachine: {'numachine-64' if processors > 16 else 'ring-16'}\n")
    if source != WORK:
        sets = (*sets, f"program.processors={processors}")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([numachine, "run", "-q", file, "--force", "-o", scratch / "out", *(f"--set={s}" for s in sets)],
                          capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    return json.loads((scratch / "out/stats.json").read_text()), \
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("numachine")
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--processors", type=int, default=64)
    parser.add_argument("--every", type=int, help="PCycles from one sample to the next")
    options = parser.parse_args()
    print("| program | PCycles | error | interval | samples | in detail | refused | times faster | says |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory() as where:
        for name in options.programs or PROGRAMS:
            whole, slow = run(options.numachine, pathlib.Path(where), name, options.processors)
            sampled, fast = run(options.numachine, pathlib.Path(where), name, options.processors,
                                f"run.sample.every={options.every or PROGRAMS[name][0]}cy",
                                "run.sample.length=8000cy", "run.sample.lead=2000cy")
            pcycles = whole["snapshots"][0]["end_tick"]
            e = sampled["estimate"]
            print(f"| `{name}` | {pcycles:,} | {100 * (e['pcycles'] / pcycles - 1):+.1f} % | "
                  f"{100 * (e['half_width'] or 0) / e['pcycles']:.1f} % | {e['samples']} | {100 * e['timed']:.1f} % | "
                  f"{100 * e['refused']:.0f} % | {slow / fast:.1f} | {e['unsuited'] or ''} |", flush=True)


main()
