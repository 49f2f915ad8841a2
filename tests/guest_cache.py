#!/usr/bin/env -S python3 -S
"""
Where executables of program.source are kept, by the environment; that commands which are killed while they build, all at
once, leave nothing wrong behind; and what is said where a compiler is missing.

    guest_cache.py NUMACHINE
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCE = '#include <stdio.h>\nint main(void) { puts("here"); return 0; }\n'
# The environment, {} being a directory, and where below it the entries are then; None: nowhere.
PLACES = [
    ({"NUMACHINE_CACHE": "{}/own"}, "own/guests"),
    ({"NUMACHINE_CACHE": "{}/own", "XDG_CACHE_HOME": "{}/xdg", "HOME": "{}/home"}, "own/guests"),
    ({"XDG_CACHE_HOME": "{}/xdg", "HOME": "{}/home"}, "xdg/numachine/guests"),
    ({"XDG_CACHE_HOME": "relative", "HOME": "{}/home"}, "home/.cache/numachine/guests"),
    ({"NUMACHINE_CACHE": "", "HOME": "{}/home"}, "home/.cache/numachine/guests"),
    ({"NUMACHINE_CACHE": "off", "HOME": "{}/home"}, None),
    ({"HOME": ""}, None),
    ({}, None),
]
# Sources, the binary interface, and the package that a message then names.
MIPS = " of Debian 12 and 13"
MISSING = [("p.c", "o32", "gcc-mips-linux-gnu" + MIPS), ("p.cc", "o32", "g++-mips-linux-gnu" + MIPS),
           ("p.cpp", "n64", "g++-mips64-linux-gnuabi64" + MIPS), ("p.f90", "o32", "gfortran-mips-linux-gnu" + MIPS),
           ("p.f", "n64", "gfortran-mips64-linux-gnuabi64" + MIPS), ("p.c", "armel", "gcc-arm-linux-gnueabi"),
           ("p.cc", "armel", "g++-arm-linux-gnueabi")]
KILLED = 12
EXIT_IO = 5


def environment(given, directory):
    others = {name: value for name, value in os.environ.items()
              if name not in ("NUMACHINE_CACHE", "XDG_CACHE_HOME", "HOME")}
    return {**others, **{name: value.format(directory) for name, value in given.items()}}


def experiment(here, name="p.c", abi="o32"):
    (here / name).write_text(SOURCE)
    path = here / "x.yaml"
    machine = "arm1176-l220" if abi == "armel" else "station-4"
    path.write_text(json.dumps({"machine": machine, "program": {"source": name, "abi": abi}}))
    return path


def run(numachine, here, name, env):
    """The result's hash and the executable of one run, in a directory of its own."""
    out = here / name
    done = subprocess.run([numachine, "run", "-q", "-o", out, here / "x.yaml"], capture_output=True, text=True, check=False,
                          env=env, cwd=here)
    assert done.returncode == 0, done.stderr
    return json.loads((out / "manifest.json").read_text())["end"]["result_hash"], (out / "guest.elf").read_bytes()


def places(numachine):
    for number, (given, wanted) in enumerate(PLACES):
        with tempfile.TemporaryDirectory() as directory:
            here = pathlib.Path(directory)
            experiment(here)
            results = [run(numachine, here, str(k), environment(given, directory)) for k in range(2)]
            assert results[0] == results[1], given
            kept = {str(path.parent.relative_to(here)) for path in here.rglob("*") if len(path.name) == 32}
            assert kept == ({wanted} if wanted else set()), (number, given, kept)
            assert wanted or not {path.name for path in here.iterdir()} - {"p.c", "x.yaml", "0", "1"}, given


def killed(numachine):
    """Commands that build the same at once are killed, each at another moment."""
    with tempfile.TemporaryDirectory() as directory:
        here = pathlib.Path(directory)
        experiment(here)
        env = environment({"NUMACHINE_CACHE": "{}/own"}, directory)
        wanted = run(numachine, here, "wanted", environment({"NUMACHINE_CACHE": "off"}, directory))
        running = [subprocess.Popen([numachine, "run", "-q", "-o", here / f"k{k}", here / "x.yaml"], env={**env, "TMPDIR": directory},
                                    cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for k in range(KILLED)]
        for process in running:
            time.sleep(0.04)
            process.kill()
        for process in running:
            process.wait()
        for k in range(3):
            assert run(numachine, here, f"after{k}", env) == wanted, "what was killed has left something wrong"


def missing(numachine):
    for name, abi, package in MISSING:
        with tempfile.TemporaryDirectory() as directory:
            here = pathlib.Path(directory)
            done = subprocess.run([numachine, "run", "-o", here / "out", experiment(here, name, abi)], capture_output=True,
                                  text=True, check=False, env={**os.environ, "PATH": directory})
            assert done.returncode == EXIT_IO, (name, done)
            assert done.stderr.endswith(f"it is in the Debian package {package}\n") and done.stderr.count("\n") == 1, done.stderr
            assert not (here / "out").exists(), "results of nothing"


def main():
    numachine = os.path.abspath(sys.argv[1])
    places(numachine)
    killed(numachine)
    missing(numachine)


main()
