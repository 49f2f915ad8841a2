#!/usr/bin/env -S python3 -S
"""
A guest uses what only this machine has, on several machines, in checking mode: its output must be right,
and the same on each.

    special_guest.py NUMACHINE GUEST
"""
import csv
import os
import pathlib
import re
import sys
import tempfile

import simulator

MACHINES = {
    "numachine-64": [],
    "station-4": [],
    "ring-16": ["l2.size=4KB", "netcache.size=4KB", "bus.fifo=2", "l1d.size=1KB", "l1i.size=1KB"],
    "numachine-48": ["memory.placement=first_touch"],
    "r10000": ["l2.line=64B", "l2.size=128KB"],
}
# What the others expect are places of direct-mapped caches, and what counts in order.
ON_R10000 = ["closing_guest", "noncoherent_guest", "sync_guest"]
EXPECTED = {
    "special_guest": """data survive
10 commands, 165 lines
nothing out: 0
signal 1, 3 lines
22 22 22 22 22 22 14 22 22 22
14 14 14 14 registers, 0
in-cache zero and copy: right
looks: 1 1 1 LV 22 22
""",
    "closing_guest": """memory: 1 command, 32768 lines
card: -1, Interrupted system call
handled 1
""",
    "card_guest": """identity 4e4d0004, 4e4d0004
counters: time passes
remote counters: right
refused writes: 4 4
SRAM: right
phases: 100 and 50 stores
interrupt: 1 signal, count 1
read: 1, poll: 1 0
registers: bytes are bus errors
registers: unaligned words are bus errors
registers: memory in their place, 1020304 4 0
registers: gone
""",
    "sync_guest": """bits: 3, then 0
bits set: 500, lost: 0
barriers: 0 words wrong
thread 0: 1 calls, bits 80000000
thread 1: 6 calls, bits 800000f0
thread 2: 6 calls, bits 80000f00
thread 3: 6 calls, bits 8000f000
a refused write: 2, shape 4
""",
    "noncoherent_guest": """uncached: parts right
uncached: messages right
non-coherent: data right
LL on an uncached page: signal 10
LL on a non-coherent page: signal 10
code on an uncached page: signal 10
code on a non-coherent page: 42
a system call copies: 0 0
refused: 13 13 22 22 22 22 2 2 2 2
""",
}

# What the simulator says of a guest, and what it has counted.
SAID = {
    "sync_guest": r"warning: cards refused 3 writes to their registers; the first, at cycle \d+, through a window of card 0, to SHAPE \(0x1010\) of "
                  r"card 0: the register cannot be written\n",
    "card_guest": r"warning: cards refused 2 writes to their registers; the first, at cycle \d+, by thread "
                  r"1000 on card 0 at pc 0x\w+ \(main\+0x\w+\), to CONTROL3 \(0x3c\) of card 0: the allocation matrix .*\n",
}
COUNTED = {
    "sync_guest": {"truth.refused_writes": 3},
    "card_guest": {"truth.refused_writes": 2, "truth.counter0_interrupts": 0, "truth.counter2_interrupts": 3,
                   "truth.sram_interrupts": 0},
}


def counted(out):
    with open(out / "stats.csv", newline="", encoding="ascii") as file:
        return {row["stat"]: int(row["value"]) for row in csv.DictReader(file)
                if row["component"] == "machine" and row["stat"].startswith("truth.")}


def main():
    numachine, guest = sys.argv[1:]
    name = os.path.basename(guest).split(".")[0]
    scratch = tempfile.TemporaryDirectory(prefix="numachine-")
    out = pathlib.Path(scratch.name, "out")
    for machine, sets in MACHINES.items():
        if machine == "r10000" and name not in ON_R10000:
            continue
        options = [word for s in ["run.check=true", *sets] for word in ("--set", s)]
        done = simulator.bounded([numachine, "stat", "--quiet", "--force", "-o", out, "--machine", machine, *options, "--", guest],
                                 capture_output=True, text=True, seconds=200,
                                 env={**os.environ, "MALLOC_PERTURB_": "165"})
        expected = EXPECTED[name]
        seen = "".join(done.stdout.splitlines(True)[:expected.count("\n")])
        assert done.returncode == 0, f"{machine}: {done.returncode} {done.stdout} {done.stderr}"
        assert seen == expected, f"{machine}: {done.stdout}"
        assert re.search(SAID.get(name, "^(?!.*refused)"), done.stderr), f"{machine}: {done.stderr}"
        found = counted(out)
        assert all(found[stat] == value for stat, value in COUNTED.get(name, {}).items()), f"{machine}: {found}"
        print("ok:", machine)


if __name__ == "__main__":
    main()
