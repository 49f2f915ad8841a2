#!/usr/bin/env -S python3 -S
"""
The past of a run (programs/past.h), gone back to and left again by os_past.c: all that is simulated where a journey
arrives is what it was: memory, caches, directories, counters, processors; the run comes to what it comes to without;
the guest reads and writes everything once; what is kept stays within its limits; no process is left, not even of a run
that is killed; nobody waits for a copy that was killed. Where one thing has been changed, it is not what it was.

    past.py OS_PAST GUEST.o32 ... [more]

With `more` there are a thousand journeys and more.
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import simulator

STILL = ["-j", "0", "-n", str(1 << 62)]  # a run that nobody travels in
LIMIT = 60 << 20  # [bytes] that snapshots may keep where that is tried
OVER = 1.5  # the first and the last are kept all the same, and what the last one keeps grows until the end
# guest: ticks between two stands, standard input
GUESTS = {"mutex": 300000, "filecalls": 500000, "sorting": 200000, "queue": 300000, "files": 500000, "pipes": 60000, "echo": 20000}
WORDS = b"one\ntwo\nthree\n" * 20


def program(guests, name):
    return next(g for g in guests if pathlib.Path(g).name == f"{name}.o32")


def command(os_past, guest, directory, options):
    return [os_past, *options, guest, directory]


def run(os_past, guest, options):
    """(how it ended, its output, the files it left, what os_past says of its journeys)"""
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(command(os_past, guest, ".", options), input=WORDS, capture_output=True, check=False, cwd=directory,
                              timeout=900)
        left = sorted((str(f.relative_to(directory)), f.read_bytes() if f.is_file() else b"") for f in pathlib.Path(directory).rglob("*"))
    *said, end, journeys = done.stderr.decode(errors="replace").replace(directory, "DIRECTORY").splitlines()
    if "-l" in options:  # sometimes there is no snapshot whose answers are not forgotten
        said = [line for line in said if line != "lost"]
    return (end, done.stdout, left, said), {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", journeys)}


def name_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def of_session(session, but_of=None):
    """Processes that were begun in it and are there still; without the children of one."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z" and fields[1] != str(but_of):
            found.append(stat.parent.name)
    return found


def killed(os_past, guest, after, how):
    """Nothing is left of a run that was killed in the middle of its journeys."""
    with tempfile.TemporaryDirectory() as directory, \
            subprocess.Popen(command(os_past, guest, ".", ["-j", "1000000", "-g", "1"]), stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=directory, start_new_session=True) as process:
        simulator.await_that("journeys", lambda: len(of_session(process.pid)) >= after, process)
        process.send_signal(how)
        process.wait()
        simulator.await_that("the end of all processes", lambda: not of_session(process.pid))


def wounded(os_past, guest, plain):
    """What is wrong with a run of which copies are killed now and then: those that travel, and those that they have left behind."""
    with tempfile.TemporaryDirectory() as directory, \
            subprocess.Popen(command(os_past, guest, ".", ["-j", "100", "-n", "300000", "-g", "400"]), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=directory, start_new_session=True) as process:
        lot, until = random.Random(1), time.monotonic() + simulator.CLOCK * simulator.PROCESSOR_SECONDS
        while process.poll() is None and time.monotonic() < until:
            copies = [int(p) for p in of_session(process.pid, but_of=process.pid) if int(p) != process.pid]
            if copies:
                try:
                    os.kill(lot.choice(copies), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.1)
        hangs = process.poll() is None
        process.kill()
        said = process.stdout.read()
    return ["a run whose copies are killed hangs"] if hangs else [] if said == plain[1] else [f"its copies were killed, and it said {said}"]


def main():
    os_past, *guests = (a if a == "more" else os.path.abspath(a) for a in sys.argv[1:])
    more = guests[-1] == "more"
    journeys = 120 if more else 12
    wrong = []
    sum_made = 0
    for name, stand in GUESTS.items():
        guest = program(guests, name)
        plain, _ = run(os_past, guest, STILL)
        for limits in (["-g", "2"], ["-g", "1", "-b", str(LIMIT)], ["-g", "1", "-l", "8192"]) if more or name == "files" else (["-g", "2"],):
            travelled, said = run(os_past, guest, ["-j", str(journeys), "-n", str(stand), *limits])
            if travelled != plain:
                wrong.append(f"{name} {limits}: with journeys\n{travelled}\nwithout\n{plain}")
            if said["journeys"] != said["same"]:
                wrong.append(f"{name} {limits}: of {said['journeys']} journeys {said['same']} found what there was")
            if not said["journeys"] and "-l" not in limits:
                wrong.append(f"{name} {limits}: no journey")
            if "-b" in limits and said["bytes"] > LIMIT * OVER:
                wrong.append(f"{name} {limits}: {said['snapshots']} snapshots keep {said['bytes']} bytes")
            sum_made += said["journeys"]
    _, planted = run(os_past, program(guests, "queue"), ["-j", str(journeys), "-n", "100000", "-g", "2", "-x"])
    if planted["same"] or planted["journeys"] < 20:
        wrong.append(f"of {planted['journeys']} journeys that found something changed {planted['same']} say that all is what it was")
    for how in (signal.SIGKILL, signal.SIGTERM):
        killed(os_past, program(guests, "files"), 5, how)
    queue = program(guests, "queue")
    wrong += wounded(os_past, queue, run(os_past, queue, STILL)[0])
    print(f"{sum_made} journeys", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
