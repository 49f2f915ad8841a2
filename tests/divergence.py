#!/usr/bin/env -S python3 -S
"""
numachine diff --first-divergence: the cycle in which two runs part. Before it both have the same results if they are
stopped there, behind it they have not; the instruction is where their ways are known to part.

    divergence.py NUMACHINE GUEST [all]     without `all`: every other row
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import simulator

SOON = 60  # PCycles until a difference must show in what is counted


def command(*words, status=0, **how):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, check=False,
                          stdin=subprocess.DEVNULL, **how)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


class Bench:
    def __init__(self, numachine, guest, directory):
        self.numachine, self.guest, self.directory = numachine, guest, directory

    def stat(self, name, *options, args, status=0):
        out = self.directory / name
        command(self.numachine, "stat", "-q", "--force", "-o", out, *options, "--", self.guest, *args, status=status)
        return out

    def part(self, a, b, status=1):
        return command(self.numachine, "diff", "--first-divergence", a, b, status=status).stdout

    def stopped(self, at, options, args):
        """What a run that is stopped has counted so far."""
        out = self.stat("stopped", *options, "--limit", f"{at}cy", args=args, status=6)
        return json.loads((out / "manifest.json").read_text())["end"]["totals_hash"]


# Arguments and options of both runs; the function where they part, None: anywhere.
PARTS = [
    ("another way in round 70 or 80", (("90", "70"), ("90", "80")), (("-m", "station-4"),) * 2, "thread"),
    ("the same on rings", (("90", "70"), ("90", "80")), (("-m", "ring-16"),) * 2, "thread"),
    ("another way early", (("90", "11"), ("90", "12")), (("-m", "station-4"),) * 2, "thread"),
    ("one more round", (("81", "00"), ("82", "00")), (("-m", "station-4"),) * 2, None),
    ("slower memory", (("20", "00"),) * 2,
     (("-m", "station-4"), ("-m", "station-4", "--set", "memory.dram_time=9cy")), None),
]


def parts(bench, rows):
    for name, args, options, function in rows:
        runs = [bench.stat(run, *o, args=a) for run, o, a in zip("ab", options, args)]
        said = bench.part(*runs)
        cycle = int(re.search(r"^first difference: PCycle (\d+)$", said, re.M)[1])
        before, behind = ([bench.stopped(at, o, a) for o, a in zip(options, args)] for at in (cycle, cycle + SOON))
        assert cycle == 0 or before[0] == before[1], (name, said)
        assert behind[0] != behind[1], (name, said)
        cards = re.findall(r"^card (\d+), thread (\d+), at 0x[0-9a-f]+ (\S+)(?: (\S+:\d+))?$", said, re.M)
        assert function is None or (len(cards) == 1 and cards[0][0] == "0" and cards[0][2] == function
                                    and cards[0][3].startswith("compare_guest.c:")), (name, said)
        assert said.index("# configuration:") < said.index("first difference"), said
        assert said.count("xxh64:") == 2 and "its directory has another" not in said, said
        again = bench.part(*runs)
        assert again == said, (name, again)
        backwards = bench.part(*reversed(runs))
        assert f"first difference: PCycle {cycle}\n" in backwards, (name, backwards)


def same(bench):
    a = bench.stat("a", "-m", "station-4", args=("90", "70"))
    b = bench.stat("b", "-m", "station-4", "--truth", "-g", "NACK", args=("90", "70"))
    said = bench.part(a, b, status=0)
    assert said.endswith("no difference in time\n") and "monitor.groups" in said, said
    short = [bench.stat(name, "-m", "station-4", "--limit", "50000cy", args=("90", "70"), status=6) for name in "ab"]
    said = bench.part(*short, status=0)
    assert said.endswith("no difference in time\n") and "its directory has another" not in said, said
    manifest = short[1] / "manifest.json"
    manifest.write_text(simulator.forged(manifest.read_text(), lambda m: m.update(status="partial", end={**m["end"], "ticks": 40000})))
    said = bench.part(*short)
    assert said.endswith("first difference: PCycle 40000\nB ends at 40000\n"), said
    words = [bench.stat(name, "-m", "station-4", args=("90", "70", word))
             for name, word in (("a", "left"), ("b", "rose"))]
    said = bench.part(*words, status=0)
    assert said.endswith("no difference in time; but the programs wrote other bytes\n"), said


def other_hash(bench):
    """A directory that says something else than its run does now."""
    a, b = (bench.stat(name, "-m", "station-4", args=("20", "10")) for name in "ab")
    manifest = b / "manifest.json"
    manifest.write_text(simulator.forged(manifest.read_text(), lambda m: m["end"].update(result_hash="xxh64:0000000000000000")))
    said = bench.part(a, b, status=0)
    assert said.count("; its directory has another: it was another version, or read other input\n") == 1, said


def refused(bench):
    a, b = (bench.stat(name, "-m", "station-4", args=("20", "10")) for name in "ab")
    for options in (("--all",), ("--format=csv",), ("--threshold=3",)):
        done = command(bench.numachine, "diff", "--first-divergence", *options, a, b, status=2)
        assert "--first-divergence is text of one moment" in done.stderr, done.stderr
    program = (b / "guest.elf").read_bytes()
    (b / "guest.elf").write_bytes(program[:1000])
    for pair in ((a, b), (b, a)):
        done = command(bench.numachine, "diff", "--first-divergence", *pair, status=2)
        assert done.stderr.count("\n") == 1 and "guest.elf" in done.stderr, done.stderr
    (b / "guest.elf").write_bytes(program)
    (b / "config.resolved.yaml").write_text("machine: station-4\nprogram: {path: nothing.elf}\n")
    simulator.listed_again(b, "config.resolved.yaml")
    done = command(bench.numachine, "diff", "--first-divergence", a, b, status=2)
    assert "nothing.elf" in done.stderr, done.stderr


def main():
    numachine, guest = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(numachine, guest, pathlib.Path(scratch))
        parts(bench, PARTS if "all" in sys.argv[3:] else PARTS[::2])
        same(bench)
        other_hash(bench)
        refused(bench)


if __name__ == "__main__":
    main()
