#!/usr/bin/env -S python3 -S
"""
Whatever reads the results of a run refuses a file of which one byte is another than the run has left, by its name. The
same of a sweep that is resumed, collected or shown; but who resumes it has its index written anew.

    tampered.py NUMACHINE PROFILED SWEPT    (c2c_guest.c, sweep_guest.c)
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Commands that read a run, and what else than RUN they are given.
READERS = [["report"], ["compare", "RUN"], ["diff", "RUN"], ["profile"], ["locks"], ["c2c"], ["placement"],
           ["whatif", "--set", "rings.width=16B"]]
SWEEP = """
machine: station-4
program: {{path: {guest}, args: ['30', '2']}}
monitor: {{events: [nacks]}}
sweep: {{run.seed: [1, 2, 3]}}
"""


class Bench:
    def __init__(self, numachine, directory):
        self.numachine, self.directory, self.failures = numachine, pathlib.Path(directory), 0

    def run(self, *words):
        return subprocess.run([self.numachine, *map(str, words)], cwd=self.directory, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False, timeout=600)

    def expect(self, good, *what):
        if not good:
            print("FAILED:", *what, flush=True)
            self.failures += 1

    def refused(self, name, words):
        done = self.run(*words)
        self.expect(done.returncode not in (0, 1) and f"/{name}: it is not as the run has left it: its hash is another" in
                    done.stderr.replace("damaged: ", "damaged/"), words, name, done.returncode, done.stderr)


def flip(path, at=None):
    """Makes a byte another: in the middle, or at a place."""
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2 if at is None else at)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))


def other_digit(path, behind):
    """Makes the last digit of the number behind a text another. @return what was there"""
    was = path.read_text()
    at = re.search(re.escape(behind) + r"[^0-9]*[0-9]*", was).end() - 1
    path.write_text(f"{was[:at]}{int(was[at]) ^ 1}{was[at + 1:]}")
    return was


def test_runs(bench, guest):
    done = bench.run("stat", "--quiet", "--truth", "-o", "run", "--", guest)
    bench.expect(done.returncode == 0, done.stderr)
    shutil.copytree(bench.directory / "run", bench.directory / "whole")
    run = bench.directory / "run"
    manifest = json.loads((run / "manifest.json").read_text())
    names = [name for name, size in manifest["files"].items() if size]
    bench.expect(manifest["files"].keys() == manifest["hashes"].keys() and {"truth.json", "locks.json", "stats.csv"} <= {*names}, manifest)
    for words in READERS:
        done = bench.run(words[0], *[w if w != "RUN" else "whole" for w in words[1:]], "run")
        bench.expect(done.returncode == 0, words, done.stderr)
    (run / "report.html").unlink()
    for i, name in enumerate(names):
        flip(run / name)
        # Each file by two readers, each reader with many files: all do the same.
        for words in READERS[i % 4::4] if name not in ("stats.csv", "stats.json") else READERS:
            bench.refused(name, [words[0], *[w if w != "RUN" else "whole" for w in words[1:]], "run"])
        flip(run / name)
    for behind in '"ticks":', '"seed":', '"stats.csv":':
        was = other_digit(run / "manifest.json", behind)
        for words in READERS:
            bench.refused("manifest.json", [words[0], *[w if w != "RUN" else "whole" for w in words[1:]], "run"])
        (run / "manifest.json").write_text(was)


def test_sweeps(bench, guest):
    (bench.directory / "s.yaml").write_text(SWEEP.format(guest=guest))
    done = bench.run("run", "-q", "-o", "swept", "s.yaml")
    bench.expect(done.returncode == 0 and bench.run("report", "swept").returncode == 0, done.stderr)
    point = sorted((bench.directory / "swept/points").iterdir())[1]
    text = (point / "stats.csv").read_bytes()
    (point / "stats.csv").write_bytes(text.replace(b"elapsed,", b"elapsed,\0", 1).replace(b"\0" + text.partition(
        b"elapsed,")[2][:1], b"9", 1))
    bench.expect((point / "stats.csv").stat().st_size == len(text), "a digit")
    resumes = ["run", "-q", "--resume", "-o", "swept", "s.yaml"]
    collects = ["collect", "swept"], ["collect", "swept", "-o", "other"]
    for words in resumes, *collects, ["report", "swept"]:
        bench.refused("stats.csv", words)
    bench.expect(not (bench.directory / "other").exists(), "collected")
    (point / "stats.csv").write_bytes(text)
    for behind in '"run.seed":', '"exit_code":', '"peak_memory_bytes":':
        was = other_digit(bench.directory / "swept/sweep.json", behind)
        for words in *collects, ["report", "swept"]:
            bench.refused("sweep.json", words)
        # The points are whole: what goes on with the sweep writes their index anew, and says so.
        done = bench.run(*resumes)
        bench.expect(done.returncode == 0 and "it is written anew" in done.stderr, behind, done.stderr)
        bench.expect(bench.run("collect", "swept").returncode == 0, behind)
        (bench.directory / "swept/sweep.json").write_text(was)
    for name in "sweep.sqlite", "sweep.gp":
        flip(bench.directory / "swept" / name)
        bench.refused(name, ["report", "swept"])
        flip(bench.directory / "swept" / name)
    flip(bench.directory / "swept/sweep.csv", -9 + os.path.getsize(bench.directory / "swept/sweep.csv"))
    bench.refused("sweep.csv", ["report", "swept"])
    bench.expect(bench.run("collect", "swept").returncode == 0 and bench.run("report", "swept").returncode == 0, "again")


def main():
    numachine, profiled, swept = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="numachine-") as directory:
        bench = Bench(numachine, directory)
        test_runs(bench, profiled)
        test_sweeps(bench, swept)
    print(f"{bench.failures} failures")
    return bench.failures != 0


if __name__ == "__main__":
    sys.exit(main())
