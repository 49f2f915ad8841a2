#!/usr/bin/env -S python3 -S
"""
Small limits of the host (ulimit): whatever is too little, the program says so and ends with one of
its own statuses; never an abort, an uncaught exception or a fault.

    host_limits.py NUMACHINE GUEST [few|all]     few: some limits; with each a run, and half of what else there is, in turn
"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter

import simulator
import skip

TIMEOUT = 120  # processor seconds
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6, 130}
KB, MB = 1 << 10, 1 << 20
LOADER = "error while loading shared libraries"  # status 127: no instruction of ours was executed
# limit, values, how many of them the quick form tries
LIMITS = {
    "AS": ([0] + [n * MB for n in (10, 50, 100, 150, 200, 250, 300, 400, 700, 1000, 2000, 10_000,
                                   40_000, 100_000, 200_000)], 3),
    "DATA": ([0] + [n * MB // 10 for n in (1, 10, 50, 100, 300, 1000, 10_000, 700_000)], 2),
    "NOFILE": ([*range(3, 20), 24, 32, 64], 4),
    "STACK": ([n * KB for n in (8, 16, 32, 64, 100, 128, 192, 256, 512, 1024, 2048)], 4),
    "NPROC": ([0, 1, 2, 10], 2),
    "FSIZE": ([0, 1, 4096, 100_000, 700_000, MB], 3),
    "CPU": ([1, 2], 1),
    "MEMLOCK": ([0], 1),
    "SIGPENDING": ([0], 1),
    "CORE": ([0], 1),
}
STATION = ["-m", "station-4"]


def commands(numachine, guest, limit):
    """name, words, the guest's own status."""
    yield "list", [numachine, "list", "events"], 0
    yield "check", [numachine, "check", "x.yaml"], 0
    yield "stat", [numachine, "stat", "-q", *STATION, "-o", "out", "--", guest, "nothing"], 0
    yield "threads", [numachine, "stat", "-q", "--functional", "--", guest, "others-spin"], 5
    yield "large", [numachine, "stat", "-q", "--check", "-m", "numachine-1024", "--", guest], 0
    yield "run", [numachine, "run", "-q", "-o", "out", "x.yaml"], 0
    if limit == "CPU":
        yield "spin", [numachine, "stat", "-q", *STATION, "-o", "out", "--", guest, "spin"], 0


class Bench:
    def __init__(self):
        self.counts, self.failed = Counter(), 0

    def run(self, limit, value, words, **more):
        """Runs a command under a limit, with `more` in its environment."""
        def limited():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(getattr(resource, f"RLIMIT_{limit}"), (value, value))
        subprocess.run(["rm", "-rf", "out"], check=False)
        try:
            return simulator.bounded(words, TIMEOUT, capture_output=True, text=True, errors="replace",
                                     stdin=subprocess.DEVNULL, preexec_fn=limited,
                                     env={**os.environ, **more})
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, -signal.SIGALRM, "", "hangs")
        except (OSError, subprocess.SubprocessError):
            return subprocess.CompletedProcess(words, 127, "", LOADER)  # not even started

    def reaches_us(self, limit, value, words):
        """Whether the kernel, the loader and what libraries do first get as far as the program."""
        return "transferring control" in self.run(limit, value, words, LD_DEBUG="files").stderr

    def wrong(self, limit, value, words, done, guests):
        """None, or what is wrong."""
        code, said = done.returncode, done.stderr
        if code < 0:
            excused = not said and not self.reaches_us(limit, value, words)
            return None if excused else signal.Signals(-code).name
        if code == 127 and LOADER in said or code in (0, guests):
            return None
        if code not in DOCUMENTED:
            return f"status {code}"
        return None if "numachine" in said and "error" in said else f"status {code} without a word"

    def judge(self, limit, value, name, words, guests):
        done = self.run(limit, value, words)
        wrong = self.wrong(limit, value, words, done, guests)
        if not wrong and name == "spin" and done.returncode == 130:
            cause = json.loads(pathlib.Path("out/manifest.json").read_text())["end"]["stopped_by"]
            wrong = None if cause == "CPU limit" else f"stopped by {cause}"
        self.counts[done.returncode] += 1
        if wrong:
            self.failed += 1
            print(f"FAILED: {limit} {value}: {name}: {wrong}: {done.stderr[:200]} ... {done.stderr[-200:]}")
        return done.returncode


def edges(bench, numachine, guest, few):
    """Address space and data just too little for a run: whoever asks last does not get it."""
    for name, words, guests in commands(numachine, guest, "AS"):
        if name not in (("stat",) if few else ("stat", "threads")):
            continue
        for limit in ("AS",) if few else ("AS", "DATA"):
            low, high = 50 * MB, 1 << 38
            while high - low > 64 * KB:
                middle = (low + high) // 2
                good = bench.run(limit, middle, words).returncode == guests
                low, high = (low, middle) if good else (middle, high)
            for step in range(6 if few else 60):
                bench.judge(limit, high - step * step * 64 * KB, f"{name} (edge)", words, guests)


def prepare():
    pathlib.Path("x.c").write_text("int main(void) { return 0; }\n")
    pathlib.Path("x.yaml").write_text("machine: station-4\nprogram: {source: x.c}\n")


def main():
    numachine, guest = map(os.path.abspath, sys.argv[1:3])
    few, bench = sys.argv[3:] != ["all"], Bench()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        prepare()
        # A sanitizer needs address space and stack for itself.
        plain = bench.run("AS", 1 << 36, [numachine, "list", "events"]).returncode == 0
        for limit, (values, count) in LIMITS.items():
            if not plain and limit in ("AS", "DATA", "STACK"):
                skip.left_out(f"{limit}, under a sanitizer")
                continue
            begin = time.monotonic()
            for turn, value in enumerate(values[::max(1, len(values) // count) if few else 1]):
                for place, (name, words, guests) in enumerate(commands(numachine, guest, limit)):
                    if few and (name == "large" or name not in ("stat", "spin") and (place + turn) % 2):
                        continue
                    bench.judge(limit, value, name, words, guests)
            print(f"{limit}: {time.monotonic() - begin:.1f} s", flush=True)
        if plain:
            edges(bench, numachine, guest, few)
        os.chdir("/")
    print(f"{sum(bench.counts.values())} runs, by status {dict(sorted(bench.counts.items()))}; "
          f"{bench.failed} failed")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
