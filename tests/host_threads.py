#!/usr/bin/env -S python3 -S
"""
Host threads change nothing: whatever their number, a run's registers, counters and tables are the same, byte for byte.

    host_threads.py NUMACHINE ROOT [all]      all: every row, 2, 3, 4 and 7 threads; else every fourth with 2 and 7

The machines have one processor a station, so that many stations are awake at a time. What is compared is each file of
the run directory that says what was simulated; the manifest says how, and is left out.
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import simulator

THREADS = 2, 3, 4, 7
STATIONS = ["--set", "station.processors=1", "--set", "rings.stations=8", "--set", "rings.locals=8"]
WORK = "experiments/bench/work.c"

# (name, options, program's arguments): what stations do to each other, and what looks on.
ROWS = [
    ("private", [], [64, 2000, 2048, 30, "private"]),
    ("shared", [], [64, 150, 262144, 30, "shared"]),
    ("few lines", [], [64, 60, 1024, 50, "shared"]),
    ("sampled", ["-s", "monitor.interval=991cy"], [64, 60, 65536, 30, "shared"]),
    ("counted", ["-e", "status,default,retries,bus"], [64, 60, 65536, 30, "shared"]),
    ("ring busy", ["-g", "CPI,NACK,BUS,RING,INVALIDATE,SHARING,LATENCY,SYNC"], [64, 60, 65536, 30, "shared"]),
    ("clock", ["-s", "os.tick=20011cy"], [64, 60, 65536, 30, "shared"]),
    ("more threads than processors", ["-s", "os.quantum=20000cy"], [96, 60, 65536, 30, "shared"]),
    ("small caches", ["-s", "l2.size=64KB", "-s", "netcache.size=64KB"], [64, 150, 262144, 30, "shared"]),
    ("R10000", ["-s", "processor.core=r10000", "-s", "l2.split=false"], [64, 60, 65536, 30, "shared"]),
    ("profiled", ["-s", "run.profile=true"], [64, 60, 65536, 30, "shared"]),
    ("checked", ["--check"], [64, 30, 65536, 30, "shared"]),
]


def files_of(numachine, root, scratch, row, threads):
    """What a run has written: bytes by name, and whether it had as many threads as asked for."""
    name, options, arguments = row
    out = pathlib.Path(scratch, f"{name.replace(' ', '-')}-{threads}")
    experiment = pathlib.Path(scratch, "experiment.yaml")
    experiment.write_text(f"machine: numachine-64\nprogram:\n  source: {root}/{WORK}\n  abi: o32\n"
                          f"  args: {[str(a) for a in arguments]}\n")
    done = simulator.bounded([numachine, "run", *STATIONS, *options, "--host-threads", str(threads),
                              "-o", out, experiment], stdout=subprocess.PIPE, stderr=subprocess.PIPE, seconds=600,
                             check=True, text=True)
    files = {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*"))
             if p.is_file() and p.name not in ("manifest.json", "config.resolved.yaml")}
    return files, "note: --host-threads" not in done.stderr


def without_times(files):
    """The same, without what a file says of the host: seconds, and the command."""
    host = re.compile(rb'.*("host_|host s|command|seconds|--host-threads).*')
    return {name: b"\n".join(line for line in data.split(b"\n") if not host.match(line))
            for name, data in files.items() if name != "guest.elf"}


def check_no_effect(numachine, root, scratch):
    """Whether a run says so on whose machine host threads never share a window, and no other does."""
    said = [not files_of(numachine, root, scratch, (name, options, [4, 10, 64, 30, "private"]), 2)[1]
            for name, options in (("few stations", ["-s", "rings.stations=4", "-s", "rings.locals=4"]), ("many", []))]
    if said != [True, False]:
        print(f"FAILED: without effect, as 16 and 64 stations say: {said}")
    return said == [True, False]


def main():
    numachine, root = map(os.path.abspath, sys.argv[1:3])
    step = 1 if sys.argv[3:] == ["all"] else 4
    failed, shared = False, 0
    with tempfile.TemporaryDirectory() as scratch:
        for row in itertools.islice(ROWS, 0, None, step):
            expected = without_times(files_of(numachine, root, scratch, row, 1)[0])
            for threads in THREADS if step == 1 else (7,):
                files, several = files_of(numachine, root, scratch, row, threads)
                got = without_times(files)
                other = [n for n in {**expected, **got} if expected.get(n) != got.get(n)]
                shared += several
                print(f"{'FAILED' if other else 'ok'}: {row[0]}, {threads}{'' if several else ' (has one)'}: "
                      f"{', '.join(other) or f'{len(got)} files are the same'}")
                failed |= bool(other)
        failed |= not check_no_effect(numachine, root, scratch)
    if not shared:
        print("FAILED: no run had several threads")
    return 1 if failed or not shared else 0


if __name__ == "__main__":
    sys.exit(main())
