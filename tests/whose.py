#!/usr/bin/env -S python3 -S
"""
Whose an address is when things are parts of other things: the smallest known thing has the byte, and a stack is what was
below its thread's first stack pointer, as deep as it went. In tests/whose_guest.c each object has a function of its own
that uses it; c2c puts what such a function asks for down to its object.

    whose.py NUMACHINE GUEST...
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import simulator

CORES = {"o32": ([], ["--set", "processor.core=r10000", "--set", "l2.split=false"]), "n64": ([],), "armel": (simulator.MACHINES["armel"],)}
USERS = {
    "use_counters": "counters",
    **{f"use_{part}": "mixed" for part in ("front", "between", "behind")},
    **{f"use_mapped_{part}": r"\*mapped" for part in ("front", "between", "behind")},
    **{f"use_got_{part}": r"\*got" for part in ("front", "between", "behind")},
    **{f"use_gone_{part}": r"\*gone" for part in ("front", "far", "behind")},
    "use_local": r"stack of thread \d+",
    "use_main": r"here \(local of main\)",
    "use_arguments": "stack of thread 1000",
}
MUCH = 2000  # [PCycles] that a function's object costs at least


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=600, check=False)
    assert done.returncode == 0, f"{command}: status {done.returncode}: {done.stderr}"
    return done.stdout


def check(numachine, guest, directory, core):
    what = f"{pathlib.Path(guest).name} {core}"
    run(numachine, "stat", "-q", "--truth", "-m", "station-4", *core, "-o", directory, "--", guest, "x" * 600)
    objects = json.loads(run(numachine, "c2c", "--format=json", directory))["objects"]
    for name, pattern in USERS.items():
        paid = {item["object"]: sum(a["falsely"] + a["truly"] for a in item["askers"] if a.get("function") == name)
                for item in objects}
        of = {item: cost for item, cost in paid.items() if cost}
        assert len(of) == 1 and re.fullmatch(pattern, min(of)) and max(of.values()) > MUCH, f"{what}: {name}: {of}"


def main():
    numachine, guests = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    with tempfile.TemporaryDirectory() as scratch:
        runs = [(guest, core) for guest in guests for core in CORES[simulator.abi_of(guest)]]
        for i, (guest, core) in enumerate(runs):
            check(numachine, guest, pathlib.Path(scratch) / str(i), core)
    print(f"{len(runs)} runs: each of {len(USERS)} functions asked for its own object")


if __name__ == "__main__":
    main()
