#!/usr/bin/env python3
"""
The host gets in the way: interrupts while the guest waits for its input or for a reader of its
output, readers that go away, streams that are closed, disks that are full. Nothing may hang, results
so far must be there, and the exit status must say what happened.

    host_ends.py NUMACHINE OS_ENDS
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

TIMEOUT = 60  # host seconds
FILES = {"manifest.json", "config.resolved.yaml", "guest.elf", "stats.json", "stats.csv", "stats.txt",
         "monitor"}


class Bench:
    def __init__(self, numachine, guest, directory):
        self.numachine, self.guest = numachine, guest
        self.directory = pathlib.Path(directory)
        self.failed = False

    def check(self, what, good, seen=""):
        print(f"{'ok' if good else 'FAILED'}: {what} {seen}")
        self.failed |= not good

    def start(self, name, end, **streams):
        command = [self.numachine, "stat", "--quiet", "-o", self.directory / name, "--",
                   self.guest, end]
        return subprocess.Popen(command, stderr=subprocess.PIPE, **streams)

    def results(self, name):
        """(files, status, reason) of a run directory."""
        directory = self.directory / name
        manifest = json.loads((directory / "manifest.json").read_text())
        return {f.name for f in directory.iterdir()}, manifest["status"], manifest["end"]["reason"]

    def wait_for_start(self, name, process):
        """Until cycle 0 is past: the configuration is written before it."""
        while not (self.directory / name / "config.resolved.yaml").exists():
            if process.poll() is not None:
                sys.exit(f"{name}: exit status {process.returncode}: {process.stderr.read()}")
            time.sleep(0.02)
        time.sleep(0.5)

    def interrupted(self, name, end, number, **streams):
        process = self.start(name, end, **streams)
        self.wait_for_start(name, process)
        process.send_signal(signal.SIGUSR1)
        process.send_signal(number)
        _, said = process.communicate(timeout=TIMEOUT)
        self.check(name, process.returncode == 130 and b"whole:" in said, process.returncode)
        self.check(name, self.results(name) == (FILES, "partial", "interrupted"))


def interrupts(bench):
    for number in signal.SIGINT, signal.SIGTERM:
        reader, writer = os.pipe()
        bench.interrupted(f"reader-{number.name}", "drain", number, stdin=reader)
        bench.interrupted(f"writer-{number.name}", "flood", number, stdout=writer)
        os.close(reader)
        os.close(writer)


def gone_reader(bench):
    process = bench.start("gone", "flood", stdout=subprocess.PIPE)
    process.stdout.read(10)
    process.stdout.close()
    bench.check("reader goes away", process.wait(TIMEOUT) == 128 + signal.SIGPIPE)
    bench.check("reader goes away", bench.results("gone") == (FILES, "complete", "signaled"))


def closed_streams(bench):
    for name, closed in ("in", "<&-"), ("out", ">&-"), ("all", "<&- >&- 2>&-"):
        out = bench.directory / name
        done = subprocess.run(
            ["sh", "-c", f'"$0" stat -q -o "$1" -- "$2" drain {closed}', bench.numachine, out,
             bench.guest],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=TIMEOUT, check=False)
        files, status, _ = bench.results(name)
        bench.check(f"{closed} closed", files == FILES and status == "complete", done.returncode)


def full_disk(bench):
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([bench.numachine, "list", "events"], stdout=full,
                              stderr=subprocess.PIPE, timeout=TIMEOUT, check=False)
    bench.check("full disk", done.returncode == 5 and b"No space left" in done.stderr)


def main():
    numachine, guest = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(numachine, guest, directory)
        interrupts(bench)
        gone_reader(bench)
        closed_streams(bench)
        full_disk(bench)
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
