#!/usr/bin/env -S python3 -S
"""
A loop of LL and SC ends where nobody else wants its word, on the smallest secondary caches, which its own instructions
and words share: every core, protocol, length of a line, and home of the word.

    links.py NUMACHINE LINKS_GUEST.ABI
"""
import itertools
import sys

import simulator

SIZE = 256  # bytes of the secondary cache: the least
PROTOCOLS = ["numachine", "numachine-ce", "flat"]
# Homes of pages: of four stations in turn, or the processor's own.
PLACEMENTS = ["round_robin", "first_touch"]
MIPS = [("r4400", line) for line in (16, 32, 64, 128)] + [("r10000", line) for line in (64, 128)]
ARM = [("arm1176", line) for line in (32, 64, 128)]


def settings(core, line, protocol, placement):
    rows = [f"l2.size={SIZE}B", f"l2.line={line}B", "l2.split=false", "l2.ways=1", f"protocol={protocol}",
            f"memory.placement={placement}", "os.tick=0"]
    if core == "r4400":
        rows += [f"l1i.line={min(line, 32)}B", f"l1d.line={min(line, 32)}B"]
    return [f"--set={row}" for row in rows]


def machine(core):
    return ["-m", "r10000"] if core == "r10000" else ["-m", "ring-16", f"--set=processor.core={core}"]


def main():
    numachine, guest = sys.argv[1:]
    failed = tried = 0
    for (core, line), protocol, placement in itertools.product(ARM if guest.endswith("armel") else MIPS, PROTOCOLS,
                                                               PLACEMENTS):
        options = [*machine(core), *settings(core, line, protocol, placement), "-p", "1", "--limit=300000000cy"]
        end = simulator.simulated(numachine, guest, [str(SIZE), str(line)], options=options)
        tried += 1
        if end.how != "exited 0":
            failed += 1
            print(f"{core}, lines of {line}, {protocol}, {placement}: {end.how}: {end.stdout.decode()}{end.stderr}")
    print(f"{tried} machines, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
