#!/usr/bin/env python3
"""
A guest on machines whose R4400 has a TLB, colours and other refill orders: its output is the same on
each, and each takes the same PCycles in checking mode, where every access goes the slow way.

    r4400_guest.py NUMACHINE GUEST
"""
import re
import subprocess
import sys

SETS = [
    [],
    ["tlb.refill=200cy"],
    ["tlb.refill=200cy", "memory.page_size=4KB"],
    ["tlb.refill=50cy", "memory.page_size=4KB", "l1d.size=32KB", "l1i.line=16B", "l1d.line=16B"],
    ["l2.line=16B", "l1i.line=16B", "l1d.line=16B"],
    ["l2.refill_order=subblock", "l2.split=false", "l2.line=128B", "l2.size=128KB"],
]


def run(numachine, guest, sets):
    options = [word for s in sets for word in ("--set", s)]
    done = subprocess.run([numachine, "stat", *options, "--", guest], capture_output=True, text=True,
                          timeout=200)
    cycles = re.search(r"whole: .*, ([\d,]+) PCycles", done.stderr)
    if done.returncode or not cycles:
        sys.exit(f"{sets}: status {done.returncode}: {done.stderr}")
    return done.stdout, cycles.group(1)


def main():
    numachine, guest = sys.argv[1:]
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
