#!/usr/bin/env -S python3 -S
"""
A guest on machines whose R4400 has a TLB, colours and other refill orders: its output is the same on
each, and each takes the same PCycles in checking mode, where every access goes the slow way. And a guest that
maps the same memory twice: with the default pages that is a virtual coherency exception.

    r4400_guest.py NUMACHINE GUEST TWICE
"""
import pathlib
import re
import sys
import tempfile

import simulator

SETS = [
    [],
    ["tlb.refill=0cy"],
    ["tlb.refill=200cy", "memory.page_size=16KB"],
    ["tlb.refill=50cy", "l1d.size=32KB", "l1i.line=16B", "l1d.line=16B"],
    ["l2.line=16B", "l1i.line=16B", "l1d.line=16B"],
    ["l2.refill_order=subblock", "l2.split=false", "l2.line=128B", "l2.size=128KB"],
]


def run(numachine, guest, sets):
    options = [word for s in sets for word in ("--set", s)]
    done = simulator.bounded([numachine, "stat", *options, "--", guest], capture_output=True, text=True,
                             seconds=200)
    cycles = re.search(r"whole: .*, ([\d,]+) PCycles", done.stderr)
    if done.returncode or not cycles:
        sys.exit(f"{sets}: status {done.returncode}: {done.stderr}")
    return done.stdout, cycles.group(1)


def exceptions(numachine, guest, page):
    """Virtual coherency exceptions, and refills of the TLB."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        simulator.bounded([numachine, "stat", "-q", "-o", out, "--set", f"memory.page_size={page}", "--",
                           guest], capture_output=True, check=True, seconds=200)
        stats = (out / "stats.csv").read_text()
    found = [re.search(rf"^whole,machine,truth.{what},(\d+)", stats, re.M)
             for what in ("virtual_coherency", "tlb_misses")]
    return [int(count[1]) if count else 0 for count in found]  # what is 0 is left out


def main():
    numachine, guest, twice = sys.argv[1:]
    small, large = exceptions(numachine, twice, "4KB"), exceptions(numachine, twice, "16KB")
    if small[0] == 0 or large[0] != 0 or small[1] <= large[1] or large[1] == 0:
        sys.exit(f"exceptions with 4 KB pages {small}, with 16 KB {large}")
    outputs, times = set(), set()
    for sets in SETS:
        output, cycles = run(numachine, guest, sets)
        if run(numachine, guest, [*sets, "run.check=true"]) != (output, cycles):
            sys.exit(f"{sets}: checking mode differs")
        outputs.add(output)
        times.add(cycles)
    if len(outputs) != 1 or len(times) != len(SETS):
        sys.exit(f"outputs {outputs}, PCycles {times}")


main()
