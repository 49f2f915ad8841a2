#!/usr/bin/env python3
"""
The simulator beside others of a Debian host that count instructions, caches or network traffic: the same C program,
side by side, in turns.

    peers.py NUMACHINE [--rounds N]      N: 5; needs valgrind, qemu-user, gcc, libsimgrid-dev and the cross compiler

Prints two tables. In the first each row is a tool, and what it knows of the program: millions of the program's
instructions in a second of the host's processors (user and system time, the median of the rounds, the work's time less
that of the same program with hardly any work), with the least and the most. The program of valgrind is x86's, of the
others MIPS's; each has its own instructions. In the second: packets through the rings, and messages through SimGrid's
model of them.
"""
import argparse
import json
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent / "include"
REFERENCES = 2_000_000
PATTERN = ["2048", "30", "private"]


def seconds(command):
    """CPU seconds of a command and its children, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout + done.stderr


def tools(numachine, mips, native):
    """(name, what it knows, command in front of the program's arguments, whose instructions)"""
    stat = [numachine, "stat", "--quiet", "--machine"]
    yield "native", "nothing", [native], "x86"
    yield "valgrind --tool=none", "nothing", ["valgrind", "--tool=none", native], "x86"
    yield "valgrind --tool=lackey --trace-mem=yes", "each reference", [
        "sh", "-c", 'exec valgrind --tool=lackey --trace-mem=yes --log-file=/dev/null "$0" "$@"', native], "x86"
    yield "cachegrind", "two levels of caches of one processor", [
        "valgrind", "--tool=cachegrind", "--cachegrind-out-file=/dev/null", native], "x86"
    yield "callgrind --cache-sim=yes", "the same, by calls", [
        "valgrind", "--tool=callgrind", "--cache-sim=yes", "--callgrind-out-file=/dev/null", native], "x86"
    yield "qemu-mips", "nothing", ["qemu-mips", mips], "mips"
    yield "numachine, functional", "each processor's instructions", [*stat, "numachine-64", "--functional", "--", mips], "mips"
    yield "numachine, 1 R4400", "cycles, caches, TLB, bus, memory, counters", [*stat, "station-4", "--", mips], "mips"
    yield "numachine, 1 R10000", "the same, each cycle of an out-of-order core", [*stat, "r10000", "--", mips], "mips"


def instructions(numachine, mips, native, scratch, arguments):
    """How many each program has: the difference between much work and hardly any."""
    out = pathlib.Path(scratch, "run")
    subprocess.run([numachine, "stat", "--functional", "--quiet", "--force", "-o", out, "--", mips, *arguments],
                   capture_output=True, check=True)
    of_mips = json.loads((out / "stats.json").read_text())
    _, said = seconds(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", native, *arguments])
    return {"mips": total(of_mips, "truth.instructions"), "x86": int(re.search(r"Collected : (\d+)", said)[1])}


def total(stats, name):
    """A statistic of the whole run and the whole machine."""
    return stats["snapshots"][0]["stats"]["machine"][name]


def row(cells):
    print("| " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("numachine")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    numachine = pathlib.Path(given.numachine).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        mips, native, peer = (pathlib.Path(scratch, n) for n in ("work.mips", "work.native", "peer"))
        flags = ["-O2", "-pthread", f"-I{INCLUDE}"]
        subprocess.run(["mips-linux-gnu-gcc", *flags, "-static", HERE / "work.c", "-o", mips], check=True)
        subprocess.run(["gcc", *flags, HERE / "work.c", "-o", native], check=True)
        much, little = (["1", str(n), *PATTERN] for n in (REFERENCES, 1000))
        done = {key: a - b for (key, a), b in zip(
            instructions(numachine, mips, native, scratch, much).items(),
            instructions(numachine, mips, native, scratch, little).values())}
        rates = {}
        rows = [t for t in tools(numachine, mips, native) if shutil.which(t[2][0])]
        for _ in range(given.rounds):
            for name, _, command, whose in rows:
                # What is quick gets more to do, so that the work is longer than the noise.
                times = 20 if name in ("native", "qemu-mips", "valgrind --tool=none") else 1
                more = ["1", str(REFERENCES * times), *PATTERN]
                taken = seconds([*command, *more])[0] - seconds([*command, *little])[0]
                rates.setdefault(name, []).append(done[whose] * times / 1e6 / taken)
        print(f"{done['mips']} MIPS and {done['x86']} x86 instructions for {REFERENCES} references\n")
        row(["tool", "what it knows", "Minstr/s", "least to most"])
        row(["---"] * 4)
        for name, knows, _, _ in rows:
            r = rates[name]
            row([f"`{name}`" if "numachine," not in name else name, knows, f"{statistics.median(r):.3g}",
                 f"{min(r):.3g} to {max(r):.3g}"])
        networks(numachine, peer, scratch, given.rounds)


def networks(numachine, peer, scratch, rounds):
    """Packets a second: SimGrid's fluid model of the rings, and the rings slot by slot."""
    platform = pathlib.Path(scratch, "machine.xml")
    platform.write_bytes(subprocess.run([numachine, "topology", "numachine-64", "--format=simgrid"],
                                        capture_output=True, check=True).stdout)
    subprocess.run(["gcc", "-O2", HERE / "peers.c", "-lsimgrid", "-o", peer], check=True)
    flows, slots = [], []
    work = [numachine, "run", "--quiet", "--force", "-o", pathlib.Path(scratch, "far"), HERE / "far-64.yaml"]
    few, many = ([peer, platform, "16", "4", n] for n in ("100", "2100"))
    for _ in range(rounds):
        flows.append(16 * 2000 / (seconds(many)[0] - seconds(few)[0]))
        taken = seconds(work)[0]
        stats = json.loads(pathlib.Path(scratch, "far", "stats.json").read_text())
        slots.append(total(stats, "truth.packets_sent") / taken)
    print()
    row(["network of `numachine-64`", "packets a second", "least to most"])
    row(["---"] * 3)
    row(["SimGrid's CM02 (fluid, max-min), messages between 16 actors", f"{statistics.median(flows):.3g}",
         f"{min(flows):.3g} to {max(flows):.3g}"])
    row(["the rings slot by slot, of a whole run of `far-64`: processors, caches and directories too",
         f"{statistics.median(slots):.3g}", f"{min(slots):.3g} to {max(slots):.3g}"])


if __name__ == "__main__":
    main()
