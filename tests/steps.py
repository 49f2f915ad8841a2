#!/usr/bin/env -S python3 -S
"""
Whole programs take as many PCycles, and count the same, when every PCycle is stepped through (run.step): kernels of
floating-point arithmetic and other guests on processors of every kind.

    steps.py NUMACHINE quick|all PROGRAM.ABI...
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import simulator

MACHINES = {
    "r10000": ["-m", "r10000"],
    "r12000": ["-m", "r10000", "--set", "processor.core=r12000", "--set", "tlb.refill=40cy", "--set", "r10000.misses=2"],
    "r4400": [],
    "station": ["-m", "station-4", "--set", "tlb.refill=40cy"],
    "arm1176": ["-m", "arm1176-l220"],
    "arm1136": ["-m", "arm1136-l210"],
    # more threads than cards, and each is interrupted with stores on their way
    "arm1176-two": ["-m", "arm1176-l220", "--set", "station.processors=2", "--set", "os.quantum=2000cy"],
    "arm1136-two": ["-m", "arm1136-l210", "--set", "station.processors=2", "--set", "os.quantum=2000cy"],
}
ENDS = "exited", "signaled"  # by the program itself
KERNELS = ["nbody", "multiply", "lu", "cholesky", "fft", "stencil", "relax", "polynomial", "mandelbrot", "spectral", "normalise",
           "filter", "quadrature"]
QUICK = [("r10000", "steps_guest.n64", "fft", "4"), ("r10000", "steps_guest.o32", "normalise", "4"), ("r12000", "steps_guest.n64", "lu", "2"),
         ("r10000", "sequences.n64", "1", "0", "100"), ("r4400", "sequences.o32", "1", "0", "100"), ("r4400", "steps_guest.o32", "relax", "4"),
         ("r10000", "atomics.o32"), ("station", "atomics.n64"), ("arm1176", "atomics.armel"), ("arm1136", "atomics.armel"),
         ("arm1176-two", "spin.armel"), ("arm1136-two", "spin.armel")]


def every(programs):
    for name in programs:
        arm = name.endswith(".armel")
        if name.startswith("steps_guest"):
            yield from ((machine, name, kernel, threads) for kernel in KERNELS for threads in ("1", "4", "16") for machine in MACHINES
                        if not arm and machine in ("r10000", "r12000", "r4400"))
        elif name.startswith("sequences"):
            yield from ((machine, name, "2", "0", "5000") for machine in ("r10000", "r12000", "r4400"))
        else:
            yield from ((machine, name) for machine in MACHINES if machine.startswith("arm") == arm)


def result(numachine, program, case, step):
    machine, _, *words = case
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        command = [numachine, "stat", "-q", "-o", out, *MACHINES[machine], "--set", f"run.step={step}", "--", program, *words]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        _, said = simulator.end(process, 1200)
        end = json.loads((out / "manifest.json").read_text())["end"]
        assert end["reason"] in ENDS, (case, step, process.returncode, said[:500])
        return end["reason"], end["status"], end["result_hash"]


def main():
    numachine, which, *paths = sys.argv[1:]
    programs = {pathlib.Path(path).name: path for path in paths}
    cases = [case for case in (QUICK if which == "quick" else every(programs)) if case[1] in programs]
    for case in cases:
        whole, steps = (result(numachine, programs[case[1]], case, step) for step in ("false", "true"))
        assert whole == steps, f"{case}: not the same when it is stepped through"
    print(f"{len(cases)} runs are the same, stepped through or not")


if __name__ == "__main__":
    main()
