#!/usr/bin/env -S python3 -S
"""
The host gets in the way: interrupts while the guest waits for its input or for a reader of its
output, readers that go away, streams that are closed, disks and memories that are full. Nothing may
hang, results so far must be there, and the exit status must say what happened.

    host_ends.py NUMACHINE OS_ENDS
"""
import json
import os
import pathlib
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time

import simulator

TIMEOUT = 60  # processor seconds
LITTLE = 400 << 20, 400 << 20  # [bytes] of address space
FILES = {"manifest.json", "config.resolved.yaml", "guest.elf", "guest.stdout", "guest.stderr",
         "stats.json", "stats.csv", "stats.txt", "traffic.csv", "monitor"}


def is_empty(reader):
    """Whether everything in a pipe has been read."""
    return not select.select([reader], [], [], 0)[0]


def is_full(writer):
    """Whether who writes into a pipe has to wait."""
    return not select.select([], [writer], [], 0)[1]


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

    def manifest(self, name):
        return json.loads((self.directory / name / "manifest.json").read_text())

    def results(self, name):
        """(files, status, reason) of a run directory."""
        directory = self.directory / name
        manifest = self.manifest(name)
        return {f.name for f in directory.iterdir()}, manifest["status"], manifest["end"]["reason"]

    def interrupted(self, name, end, number, until, **streams):
        """Interrupts the guest when `until` says that it waits."""
        process = self.start(name, end, **streams)
        begin = time.monotonic()
        while not until():
            if process.poll() is not None or time.monotonic() > begin + simulator.CLOCK * TIMEOUT:
                process.kill()
                sys.exit(f"{name}: exit status {process.wait()}: {process.stderr.read()}")
            time.sleep(0.02)
        process.send_signal(signal.SIGUSR1)
        process.send_signal(number)
        _, said = simulator.end(process, TIMEOUT)
        self.check(name, process.returncode == 130 and b"whole:" in said, process.returncode)
        self.check(name, self.results(name) == (FILES, "partial", "interrupted"))
        ended = self.manifest(name)["end"]
        self.check(name, f"interrupted by {number.name}" in said.decode(errors="replace"), said)
        self.check(name, (ended["status"], ended["stopped_by"]) == (None, number.name), ended)


def interrupts(bench):
    for number in signal.SIGINT, signal.SIGTERM:
        reader, writer = os.pipe()
        os.write(writer, b"x")
        bench.interrupted(f"reader-{number.name}", "drain", number, lambda: is_empty(reader),
                          stdin=reader)
        bench.interrupted(f"writer-{number.name}", "flood", number, lambda: is_full(writer),
                          stdout=writer)
        while not is_empty(reader):
            os.read(reader, 4096)
        # As soon as anything of the run is on the disk.
        bench.interrupted(f"early-{number.name}", "drain", number,
                          (bench.directory / f"early-{number.name}" / "manifest.json").exists,
                          stdin=reader)
        os.close(reader)
        os.close(writer)


def gone_reader(bench):
    process = bench.start("gone", "flood", stdout=subprocess.PIPE)
    process.stdout.read(10)
    process.stdout.close()
    simulator.end(process, TIMEOUT)
    bench.check("reader goes away", process.returncode == 128 + signal.SIGPIPE)
    bench.check("reader goes away", bench.results("gone") == (FILES, "complete", "signaled"))


def closed_streams(bench):
    for name, closed in ("in", "<&-"), ("out", ">&-"), ("all", "<&- >&- 2>&-"):
        out = bench.directory / name
        done = simulator.bounded(
            ["sh", "-c", f'exec "$0" stat -q -o "$1" -- "$2" drain {closed}', bench.numachine, out,
             bench.guest], TIMEOUT,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        files, status, _ = bench.results(name)
        bench.check(f"{closed} closed", files == FILES and status == "complete", done.returncode)


def full_disk(bench):
    with open("/dev/full", "w", encoding="ascii") as full:
        done = simulator.bounded([bench.numachine, "list", "events"], TIMEOUT, stdout=full,
                                 stderr=subprocess.PIPE)
    bench.check("full disk", done.returncode == 5 and b"No space left" in done.stderr)
    commands = [line.split()[0] for line in subprocess.run([bench.numachine, "--help"], capture_output=True, text=True,
                check=True).stdout.partition("Commands")[2].partition("Exit status")[0].splitlines()
                if line[:2] == "  " and line[2:3].isalnum()]
    assert "run" in commands and len(commands) > 10, commands
    for words in [["--help"], ["--version"], ["--usage"], *([c, "--help"] for c in commands if c != "test")]:
        with open("/dev/full", "w", encoding="ascii") as full:
            done = simulator.bounded([bench.numachine, *words], TIMEOUT, stdout=full, stderr=subprocess.PIPE)
        bench.check(f"full disk {words}", done.returncode == 5 and done.stderr.count(b"No space left") == 1, done.returncode)


def little_memory(bench):
    def limited(*words, limit=LITTLE):
        return simulator.bounded([bench.numachine, *words], TIMEOUT, capture_output=True,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))

    if limited("list", "events").returncode != 0:
        return  # a sanitizer needs more for itself
    done = limited("stat", "-m", "numachine-1024", "--", bench.guest, "drain")
    bench.check("little memory", done.returncode == 2 and b"out of memory" in done.stderr,
                done.returncode)
    # Enough for the machine's memories once, but checking mode keeps them twice.
    once = (100 << 30, 100 << 30)
    done = limited("stat", "--check", "-m", "numachine-1024", "--", bench.guest, "drain", limit=once)
    bench.check("memory for one", done.returncode == 2 and b"out of memory" in done.stderr,
                done.returncode)


def main():
    numachine, guest = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(numachine, guest, directory)
        interrupts(bench)
        gone_reader(bench)
        closed_streams(bench)
        full_disk(bench)
        little_memory(bench)
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
