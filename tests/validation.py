#!/usr/bin/env -S python3 -S
"""
The experiments beside published measurements (experiments/validation/) have what they expect, and would not with
another secondary cache.

    validation.py NUMACHINE HOME
"""
import pathlib
import subprocess
import sys
import tempfile

# What would be outside of the published range.
OTHERS = [("memory-r4400", ["l2.lookup=3cy"]), ("memory-r4400", ["l2.lookup=6cy"]), ("memory-r4400", ["l2.refill=3cy"]),
          ("memory-r4400", ["l2.refill_order=subblock"]), ("memory-r4400", ["memory.dram_time=60cy"]),
          ("memory-r4400-250", ["l2.lookup=5cy"]), ("memory-r10000", ["r10000.l2_latency=5cy"]),
          ("memory-r10000", ["r10000.l2_latency=12cy"]), ("system-r4400", ["os.syscall=300cy"]),
          ("system-r10000", ["os.wake=600cy"])]


def run(numachine, experiment, settings=()):
    with tempfile.TemporaryDirectory() as directory:
        command = [numachine, "run", "-q", "-o", pathlib.Path(directory, "out"), experiment]
        return subprocess.run([*command, *(f"--set={setting}" for setting in settings)], capture_output=True, text=True,
                              check=False)


def main():
    numachine, home = sys.argv[1], pathlib.Path(sys.argv[2], "experiments/validation")
    experiments = sorted(home.glob("*.yaml"))
    failed = len(experiments) < 7
    for experiment in experiments:
        done = run(numachine, experiment)
        failed |= done.returncode != 0
        print(f"{experiment.stem}: status {done.returncode}\n{done.stderr}")
    for name, settings in OTHERS:
        done = run(numachine, home / f"{name}.yaml", settings)
        good = done.returncode == 1 and "expected machine.elapsed" in done.stderr
        failed |= not good
        print(f"{name}, {settings}: {'refused, as it must be' if good else done.stderr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
