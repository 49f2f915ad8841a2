#!/usr/bin/env -S python3 -S
"""
Guest programs on machines of many sizes, with as many threads as there are processors: output as
under qemu-user, the same result twice, nothing found by the checking mode (guests.py).

    machines.py NUMACHINE quick|long GUEST...

quick runs the guests that are told how many threads to make, with at most 64, in turns; long runs all of them on all
sizes, with 1,024 threads, too, and every other guest.
"""
import os
import pathlib
import sys
import time

import guests

# (machine, ABI, threads). 32-bit addresses are too few for the stacks of 1,024 threads.
SIZES = [
    ("numachine-64", "o32", 1),
    ("numachine-64", "o32", 4),
    ("numachine-64", "o32", 16),
    ("numachine-64", "o32", 64),
    ("numachine-64", "n64", 64),
    ("hostile", "o32", 16),
]
LARGEST = ("numachine-1024", "n64", 1024)
COUNTED = ["team", "threads"]
# Every guest in the long suite; the default machine's are tests of their own.
OTHERS = ["hostile", "station-4", "ring-16", "numachine-48", "numachine-128", "numachine-1024"]
# On these, too, the guests whose rows take turns in tests of their own.
ALSO = ["numachine-64", "r10000"]


def counted(which):
    """(machine, ABI, guest, threads)"""
    for turn, name in enumerate(COUNTED):
        for size in SIZES if which == "long" else SIZES[turn::2]:
            yield name, *size
    for name in COUNTED if which == "long" else []:
        yield name, *LARGEST


def runs(which, programs):
    """(machine, program, arguments)"""
    for name, machine, abi, threads in counted(which):
        for program in programs:
            if program.name == f"{name}.{abi}":
                yield machine, program, [str(threads)]
    for machine in [*OTHERS, *ALSO] if which == "long" else []:
        for program in programs:
            if machine in ALSO and program.stem not in guests.TURNS:
                continue
            for arguments in guests.EVERY_PLACE.get(program.stem, [[]]):
                yield machine, program, arguments


def main():
    numachine, which, *programs = sys.argv[1:]
    programs = [pathlib.Path(p).resolve() for p in programs]
    failed = False
    for machine, program, arguments in runs(which, programs):
        begin = time.monotonic()
        guest = guests.Guest(os.path.abspath(numachine), program, arguments, ["-m", machine])
        complaints = guests.check(guest)
        failed |= bool(complaints)
        print(f"{'FAILED' if complaints else 'ok'}: {machine}: {program.name} "
              f"{' '.join(arguments)}: {time.monotonic() - begin:.1f} s", flush=True)
        print(*complaints, sep="\n", end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
