#!/usr/bin/env -S python3 -S
"""
A guest reads and writes the registers of its board's L210 or L220, and counts strides with its event monitor.

    l2c_guest.py NUMACHINE GUEST

Of each region of 4 KB, whatever the stride is, each line that is touched is asked for once: a primary cache has a line
only once it was read there. Nothing hits before it was written or read, and everything after that.
"""
import re
import subprocess
import sys

LINES = 4096 // 32
STRIDES = f"""cold reads, region 0, 32 bytes apart: {LINES}, 0
cold writes, region 1, 32 bytes apart: {LINES}, 0
cold writes, region 2, 32 bytes apart: {LINES}, {LINES}
cold writes, region 3, 32 bytes apart: {LINES}, {LINES}
writes again, region 1, 32 bytes apart: {LINES}, {LINES}
reads, region 1, 32 bytes apart: {LINES}, {LINES}
reads, region 2, 8 bytes apart: {LINES}, {LINES}
reads, region 3, 128 bytes apart: {LINES // 4}, {LINES // 4}
"""
REGISTERS = """identity 410000{id:02x}, on 1, ways 8
latencies 000, ways 8
back: 1
on 1
"""
# Machine: its identity, what its program says of the value of a counter, refused writes.
MACHINES = {
    "arm1136-l210": (0x40, "value kept: 1\n", 2),
    "arm1176-l220": (0x80, "value 12345678\n", 1),
}


def main():
    numachine, guest = sys.argv[1:]
    for machine, (identity, value, refused) in MACHINES.items():
        done = subprocess.run([numachine, "stat", "-q", "--machine", machine, "--set", "run.check=true", "--", guest],
                              capture_output=True, text=True, check=False)
        expected = REGISTERS.format(id=identity) + value + STRIDES
        assert done.returncode == 0, f"{machine}: {done.returncode} {done.stderr}"
        assert done.stdout.startswith(expected), f"{machine}: {done.stdout}\nexpected {expected}"
        said = re.search(r"cards refused (\d+) writes? ", done.stderr)
        assert said and int(said[1]) == refused, f"{machine}: {done.stderr}"
        print("ok:", machine)


if __name__ == "__main__":
    main()
