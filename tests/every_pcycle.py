#!/usr/bin/env -S python3 -S
"""
Threads that share a processor, in ARM and Thumb state, interrupted everywhere: what they find is what they find alone.

    every_pcycle.py NUMACHINE GUEST

A round of the guest takes some 1,000 PCycles. It is interrupted some thousand times by the clock, by a timer's signals
and for the other threads, at intervals that share no factor: in each of its PCycles, several times.
"""
import shutil
import subprocess
import sys

ROUNDS = "4000"
TIMER = "7"  # [us]
SLICES = ["--set", "os.quantum=1013cy"]
OPTIONS = {
    "functional": ["--functional"],
    "as shipped": [],
    "short slices": SLICES,
    "and ticks": [*SLICES, "--set", "os.tick=10007cy", "--set", "os.tick_cost=1cy", "--set", "os.wake=4cy"],
}


def output(*command):
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, (command, ran.stderr[:600])
    return ran.stdout


def main(numachine, guest):
    found = {name: output(numachine, "stat", "-q", "-p", "1", "-m", "arm1136-l210", *options, "--", guest, ROUNDS, TIMER)
             for name, options in OPTIONS.items()}
    if shutil.which("qemu-arm"):
        found["qemu"] = output("qemu-arm", "-cpu", "arm1176", guest, ROUNDS, "0")
    assert len(set(found.values())) == 1 and len(found["functional"].split()) == 3, found


if __name__ == "__main__":
    main(*sys.argv[1:])
