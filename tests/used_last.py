#!/usr/bin/env -S python3 -S
"""
What a secondary cache loses although it has room for it: a conflict miss where the line was used lately, a hit in the
secondary cache being a use; a capacity miss where others were used since (used_last_guest.c).

    used_last.py NUMACHINE GUEST
"""
import json
import subprocess
import sys
import tempfile

import figures

FEW = 8  # lines of the guest
NOISE = figures.by_compiler(2, 4)  # those of its stack, and with other addresses of its C library, which may go with them
CACHE = ["--set", "l2.size=64KB", "--set", "l2.line=64B", "--set", "memory.page_size=64KB"]
SWEPT = 3 * 4 * 512  # lines that later sweeps find gone


def misses(numachine, guest, *words, machine="station-4"):
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([numachine, "stat", "-q", "-m", machine, *CACHE, "--truth", "-o", f"{scratch}/run", "--", guest, *words], check=True,
                       capture_output=True, timeout=300)
        shown = subprocess.run([numachine, "c2c", f"{scratch}/run", "--format=json"], check=True, capture_output=True, timeout=300)
    return json.loads(shown.stdout)["columns"]


def more(numachine, guest, kind, *words):
    """How many more misses of a kind the last pass over the first lines has."""
    with_it, without = (misses(numachine, guest, *words, *also) for also in (["again"], []))
    return with_it.get(kind, 0) - without.get(kind, 0)


def main():
    numachine, guest = sys.argv[1:]
    for words, kind, other in ((["used"], "conflict", "capacity"), ([], "capacity", "conflict")):
        assert FEW <= more(numachine, guest, kind, *words) <= FEW + NOISE, (words, kind)
        assert abs(more(numachine, guest, other, *words)) <= NOISE, (words, other)
    for machine in "station-4", "r10000":  # one looks again when it has the line, the other does not
        swept = misses(numachine, guest, "sweep", machine=machine)
        assert swept["capacity"] >= SWEPT and swept.get("conflict", 0) < SWEPT // 20, (machine, swept)
    return 0


if __name__ == "__main__":
    sys.exit(main())
