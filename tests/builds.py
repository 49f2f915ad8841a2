#!/usr/bin/env python3
"""
What other builds of the same tree must do. Each is configured and built below DIRECTORY, and kept
there, so that the next time is short.

    builds.py agree SOURCE DIRECTORY NUMACHINE GUEST...
        an unoptimised build and NUMACHINE simulate the guests, and the first experiment, with
        identical results
    builds.py suite SOURCE DIRECTORY NAME OPTION...
        the build with these meson options passes the quick suite
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import simulator

FIRST_EXPERIMENT = "experiments/first-light.yaml"


def quietly(command):
    """Runs a command; on failure shows what it said and ends."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MESON", "MALLOC_PERTURB_"))}
    begin = time.monotonic()
    done = subprocess.run(command, env=env, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    print(f"{' '.join(command)}: {time.monotonic() - begin:.0f} s", flush=True)
    if done.returncode != 0:
        print(done.stdout)
        sys.exit(1)


def build(source, directory, options, targets):
    if not (directory / "build.ninja").exists():
        quietly(["meson", "setup", str(directory), source, *options])
    quietly(["ninja", "-C", str(directory), *targets])


def result_of_experiment(numachine, file):
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out")
        subprocess.run([numachine, "run", "--quiet", "-o", out, file], check=True,
                       stdout=subprocess.DEVNULL)
        return simulator.end_of(out)[0]


def agree(source, directory, numachine, *guests):
    build(source, directory / "debug", ["--buildtype=debug"], ["cli/numachine"])
    other = str(directory / "debug/cli/numachine")
    runs = {guest: [simulator.simulated(n, guest).hashes for n in (numachine, other)]
            for guest in guests}
    file = os.path.join(source, FIRST_EXPERIMENT)
    runs[file] = [result_of_experiment(n, file) for n in (numachine, other)]
    for program, (one, two) in runs.items():
        print(f"{'ok' if one == two else 'FAILED'}: {os.path.basename(program)} {one} {two}")
    return all(one == two for one, two in runs.values())


def suite(source, directory, name, *options):
    build(source, directory / name, options, ["all", "tests"])
    quietly(["meson", "test", "-C", str(directory / name), "--no-rebuild", "--print-errorlogs",
             "--suite", "quick", "--timeout-multiplier", "4"])
    return True


def main():
    what, source, directory, *rest = sys.argv[1:]
    good = {"agree": agree, "suite": suite}[what](source, pathlib.Path(directory), *rest)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
