#!/usr/bin/env -S python3 -S
"""
What pointers lead to has the name that a programmer would write: guests print where things are, and what they are called.

    leads.py NUMACHINE OBJECTS ABI...   OBJECTS: objects.c
"""
import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import simulator
import skip

TOOLS = {"o32": "mips-linux-gnu", "n64": "mips64-linux-gnuabi64", "armel": "arm-linux-gnueabi"}
LANGUAGES = {".c": "gcc", ".cc": "g++", ".f90": "gfortran"}
# source, flags, arguments
GUESTS = [
    ("leads_guest.c", ["-O0"], []),
    ("leads_guest.c", ["-O2"], []),
    ("leads_guest.c", ["-O2", "-gdwarf-4"], ["stacks"]),
    ("leads_guest.cc", ["-O1"], []),
    ("leads_guest.f90", ["-O0"], []),
]


def build(source, abi, flags, scratch):
    """None: there is no compiler for it."""
    tool = f"{TOOLS[abi]}-{LANGUAGES[source.suffix]}"
    if not skip.have(tool, tool):
        return None
    arm = ["-march=armv6", "-marm"] if abi == "armel" else []
    subprocess.run([tool, "-g", "-static", "-pthread", *arm, *flags, source, "-o", scratch / "guest"], check=True,
                   cwd=scratch)  # where a module of Fortran's leaves a file
    return scratch / "guest"


def run(numachine, abi, guest, directory, arguments):
    """What the program wrote."""
    subprocess.run([numachine, "stat", "-q", "--truth", *simulator.MACHINES.get(abi, []), "-o", directory, "--", guest, *arguments],
                   check=True, capture_output=True, timeout=600)
    return [line.split(maxsplit=1) for line in (directory / "guest.stdout").read_text().splitlines() if line.strip()]


def found(program, directory, said):
    done = subprocess.run([program, directory], input="".join(f"{address}\n" for address, _ in said), text=True, check=True,
                          capture_output=True, timeout=600)
    return [line.split("#")[1] for line in done.stdout.splitlines()]


def check(numachine, program, abi, guest, arguments, scratch):
    said = run(numachine, abi, guest, scratch / "a", arguments)
    run(numachine, abi, guest, scratch / "b", arguments)
    assert (scratch / "a" / "objects.json").read_bytes() == (scratch / "b" / "objects.json").read_bytes(), "two runs differ"
    names = found(program, scratch / "a", said)
    assert said and len(names) == len(said)
    return [f"{name} is found as {got}" for (_, name), got in zip(said, names)
            if not fnmatch.fnmatchcase(got, name.replace("[", "[[]"))]


def check_mend(numachine, guest, scratch):
    """What mend proposes: bytes from which structs are carved have no type to align, and no part ends in what has no name."""
    run(numachine, "o32", guest, scratch / "carved", [])
    done = subprocess.run([numachine, "mend", "--format=json", "--runs=6", scratch / "carved"], check=True, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=600)
    source = {c["what"]: c["source"] for c in json.loads(done.stdout)["candidates"]}
    users = "".join(text for what, text in source.items() if what.startswith("each processor's part of totals"))
    assert "+ each piece that a thread uses of it begins at a multiple of 64 bytes" in source["each element of slab"], source
    assert re.search(r" \.sum\[0\].* \.n$", users, re.M), source


def main():
    numachine, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    names, wrong = 0, []
    for abi in sys.argv[3:]:
        for source, flags, arguments in GUESTS:
            with tempfile.TemporaryDirectory(prefix="numachine-") as name:
                guest = build(pathlib.Path(__file__).with_name(source), abi, flags, pathlib.Path(name))
                if guest:
                    wrong += [f"{abi} {source} {' '.join(flags)}: {line}"
                              for line in check(numachine, program, abi, guest, arguments, pathlib.Path(name))]
                    names += 1
    with tempfile.TemporaryDirectory(prefix="numachine-") as name:
        guest = build(pathlib.Path(__file__).with_name("carved_guest.c"), "o32", ["-O1"], pathlib.Path(name))
        if guest:
            check_mend(numachine, guest, pathlib.Path(name))
    print("\n".join(wrong) if wrong else f"ok: {names} programs")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
