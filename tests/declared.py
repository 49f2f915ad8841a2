#!/usr/bin/env -S python3 -S
"""
The line that declares a variable, or the struct of a block, is the one that the source says: guests print where things are, and
a word that stands in the comment of the line that declares them.

    declared.py NUMACHINE OBJECTS ABI...   OBJECTS: objects.c
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import leads

HERE = pathlib.Path(__file__).parent
C, CXX, FORTRAN = ["declared_guest.c", "declared_other.c"], ["declared_guest.cc"], ["declared_guest.f90"]
HEADER = "declared.h"
# sources, flags, words of things whose names libdw does not find there
GUESTS = [
    (C, ["-O0"], set()),
    (C, ["-O2", "-gdwarf-4"], set()),
    (C, ["-O1", "-gsplit-dwarf"], {"own"}),
    (C, ["-O1", "-gdwarf-4", "-fdebug-types-section"], {"bare"}),
    (CXX, ["-O0"], set()),
    (CXX, ["-O1", "-gdwarf-4"], set()),
    (FORTRAN, ["-O0"], set()),
]


def build(abi, sources, flags, folder):
    """The program, whose sources are in a folder below. None: there is no compiler for them."""
    tool = f"{leads.TOOLS[abi]}-{leads.LANGUAGES[pathlib.Path(sources[0]).suffix]}"
    if not leads.skip.have(tool, tool):
        return None
    (folder / "source").mkdir(parents=True)
    for name in (*sources, HEADER):
        shutil.copy(HERE / name, folder / "source" / name)
    arm = ["-march=armv6", "-marm"] if abi == "armel" else []
    objects = []
    for name in sources:
        objects.append(f"{name}.o")
        subprocess.run([tool, "-g", "-pthread", *arm, *flags, "-c", f"source/{name}", "-o", objects[-1]], check=True, cwd=folder)
    subprocess.run([tool, "-static", "-pthread", *arm, *objects, "-o", "guest"], check=True, cwd=folder)
    return folder / "guest"


def lines_of(sources):
    """By what it declares, each line: (file, number)."""
    return {match[1]: (name, number) for name in (*sources, HEADER)
            for number, text in enumerate((HERE / name).read_text().splitlines(), 1)
            for match in re.finditer(r"declares ([\w-]+)", text)}


def found(program, directory, said):
    """(path, line) of each that the guest has said; None: it is not known."""
    done = subprocess.run([program, directory], input="".join(f"{address} declared\n" for address, _ in said), text=True, check=True,
                          capture_output=True, timeout=600)
    rows = [line.rsplit("#", 1) for line in done.stdout.splitlines()]
    return [(row[0], int(row[1])) if len(row) == 2 else None for row in rows]


def check(numachine, program, abi, guest, sources, unknown):
    """What is wrong, a line each."""
    directory = guest.with_suffix(".run")
    said = leads.run(numachine, abi, guest, directory, [])
    lines, got = lines_of(sources), found(program, directory, said)
    assert len(got) == len(said) > 5 and {what for _, what in said} <= {*lines}, (said, got)
    return [f"{what}: {where}, not {lines[what]}" for (_, what), where in zip(said, got)
            if what not in unknown and (not where or (os.path.basename(where[0]), where[1]) != lines[what] or not pathlib.Path(where[0]).is_file())]


def check_bare(numachine, program, abi, guest):
    """Without debugging information there is no line."""
    bare = guest.with_suffix(".bare")
    subprocess.run([f"{leads.TOOLS[abi]}-strip", "-g", "-o", bare, guest], check=True)
    said = leads.run(numachine, abi, bare, bare.with_suffix(".bare.run"), [])
    assert not any(found(program, bare.with_suffix(".bare.run"), said)), found(program, bare.with_suffix(".bare.run"), said)


def main():
    numachine, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    count, wrong = 0, []
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        for abi in sys.argv[3:]:
            for number, (sources, flags, unknown) in enumerate(GUESTS):
                guest = build(abi, sources, flags, pathlib.Path(scratch, f"{abi}{number}"))
                if not guest:
                    continue
                wrong += [f"{abi} {sources[0]} {' '.join(flags)}: {line}" for line in check(numachine, program, abi, guest, sources, unknown)]
                if number == 0:
                    check_bare(numachine, program, abi, guest)
                count += 1
    print("\n".join(wrong) if wrong else f"ok: {count} programs")
    sys.exit(bool(wrong))


main()
