#!/usr/bin/env python3
"""
What a processor forgets when mappings change is the host's affair: a shot-down translation takes time only of who uses
it again.

    unmapping.py NUMACHINE GUEST...

The same run of tests/unmapping_guest.c twice. In one a page's translation is shot down 400 times, and with it all cards
forget what they have been shown; in the other nobody could know the page. Each card's 15 states, misses and NACKs must
be the same.
"""
import pathlib
import subprocess
import sys
import tempfile


def stats(numachine, guest, page, scratch):
    out = scratch / f"{pathlib.Path(guest).name}.{page}"
    subprocess.run([numachine, "stat", "-q", "-m", "ring-16", "-o", out, "--", guest, page], check=True,
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    return (out / "stats.csv").read_text().splitlines()


def main():
    numachine, *guests = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        for guest in guests:
            strange, known = (stats(numachine, guest, page, pathlib.Path(scratch)) for page in "01")
            nacks = [row for row in strange if row.startswith("whole,machine,monitor.nacks,")]
            assert int(nacks[0].split(",")[3]) > 10, "the others do not wait for each other's lines"
            other = [pair for pair in zip(strange, known) if pair[0] != pair[1]]
            assert len(strange) == len(known) and not other, f"{guest}: {len(other)} rows differ: {other[:3]}"


main()
