#!/usr/bin/env -S python3 -S
"""
Programs that get nowhere are named, wherever they are when somebody asks; and those that only might
get nowhere end.

    liveness.py NUMACHINE LIVENESS.ABI [all | few]

Of what takes long, one binary interface has one part, and the other another; with `all` each has all of it, and
with `few` it is what a core must do for it: who looks at a clock gets on, and one of each kind gets nowhere.
"""
import csv
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import figures
import simulator

TIMEOUT = 300  # processor seconds
PC = r"at pc 0x[0-9a-f]+ \({}(\+0x[0-9a-f]+)?\)"

# What a poller does between two turns at the lock, and with it.
HOLDS = [(0, 200), (1, 30), (1, 200), (3, 30), (3, 100), (10, 100), (30, 300), (100, 30)]
# The same for passed_over: at which of them the poller is ahead of the waiter depends on where the compiler puts its code.
POLLS = [(gap, hold) for gap in (1, 4) for hold in (40, 50, 60, 80, 150)]
# Nothing of the operating system's that could put threads out of step.
ALONE = ["--set=os.tick=0", "--set=os.wake_spread=0"]
# What liveness.c calls long is half as long again.
STANDSTILL = f"--set=run.standstill={1 << 24}cy"

# arguments of the guest, options, exit status, what must be said
FINDINGS = [
    ("crossed", ["--limit=10ms"], 6,
     r"warning: cycle \d+: thread 1001 on card 1 gets nowhere: \d{5,} store-conditionals in a row failed "
     + PC.format("cross") + r" on address 0x[0-9a-f]+ \(shared\+0x\w+\)\n"),
    ("crossed", ["--limit=10ms", "--functional"], 6, r"thread 1001 on card 1 gets nowhere"),
    ("crossed", ["--limit=10ms"], 6,
     r"  thread 1000, card 0: in futex\S* " + PC.format(r"\w+") + r", for the end of thread 1001"
     + r"; last call at cycle \d+\n  thread 1001, card 1: runs " + PC.format("cross")
     + r"; last call at cycle \d+; (?P<scs>\d+) SCs failed, the last (?P=scs) " + PC.format("cross")),
    ("crossed", ["--set", "run.livelock=end"], 3, r"error: livelock: thread 1001 on card 1 gets nowhere"),
    ("locked", ["--limit=5ms"], 6,
     r"  thread 1000, card 0: runs .*\n  thread 1001, card 1: in futex\S* " + PC.format(r"\w+")
     + r", for the lock 0x[0-9a-f]+ \(lock\), perhaps held by thread 1000;"),
    ("waiting", ["--set", "run.livelock=end", "--functional"], 3,
     r"livelock: no thread gets anywhere: since cycle \d+ nothing has been stored"),
]
# And here nothing.
SILENT = [
    ("crossed", ["--limit=10ms", "--set=run.patience=0"], 6, "gets nowhere"),
    ("crossed", ["--limit=10ms", "--set=run.patience=10000000"], 6, "gets nowhere"),
]


# Whoever sleeps for longer than the watchdog waits is no livelock, nor who waits for him.
SLEEPS = [(f"sleeper 0 {how}", "") for how in range(6)]
WAITS = [(f"sleeper 2 {how}", "") for how in range(6)]
# A thread behind another on its card, which has it for longer than that.
WAITS += [("behind", "--set=os.quantum=37500000cy")]

# [PCycles] a thread is woken after, for out_of_step.
WAKES = [400, 600, 700, 800, 1000, 1500, 3000]
# Some of these fit into 1,024 PCycles a whole number of times.
PERIODS = [f"period {hold} {(hold + other) % 2}" for hold in range(40) for other in (0, 1)]

# Whoever computes, or looks at a clock, gets on without a store or a call; so does who waits for a card.
GET_ON = [("clock", "--functional"), ("computing", "--functional"), ("clock", ""), ("computing", ""), ("counter", "")]
GET_ON += [(f"card {spins}", "") for spins in (0, 1)]
# The first thread gets on between two signals or interrupts, however many come.
STORMS = [(f"signalled {threads}", mode) for threads in (1, 4, 16, 60) for mode in ("", "--functional")]
STORMS += [(f"interrupted {threads}", "") for threads in (1, 4, 16, 60)]
STORMS += [(f"queued {threads}", mode) for threads in (16, 60) for mode in ("", "--functional")]


class Bench:
    def __init__(self, numachine, guest, which="half"):
        self.numachine, self.guest = numachine, guest
        self.o32, self.which, self.whole = guest.endswith("o32"), which, which == "all"
        self.machine = simulator.MACHINES.get(simulator.abi_of(guest), [])
        if self.machine:
            self.machine = [*self.machine, "--set", "arm11.user_counters=true"]  # a clock that no call is needed for
        self.failed = False

    def half(self, rows):
        """The rows that are this binary interface's."""
        return rows if self.whole else rows[0 if self.o32 else 1::2]

    def quarter(self, rows):
        return rows if self.whole else rows[0 if self.o32 else 1::4]

    def check(self, what, good, seen):
        print(f"{'ok' if good else 'FAILED'}: {what}")
        if not good:
            print(seen)
        self.failed |= not good

    def command(self, what, options):
        return [self.numachine, "stat", "-q", STANDSTILL, *self.machine, *options, "--", self.guest, *what.split()]

    def run(self, what, options):
        return simulator.bounded(self.command(what, options), TIMEOUT, stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True)


def passed_over(bench):
    """A waiter that the poller is always ahead of is named; which poller that is depends on the machine."""
    says = (r"thread 1001 on card 1 gets nowhere: woken \d+ times in a row, it found the lock 0x[0-9a-f]+( \(\w+\))? "
            r"taken again " + PC.format(r"\w+") + r"(, perhaps held by thread 1000)?\n")
    options = [*ALONE, "--limit=20ms", "--set=run.patience=50"]
    runs = [bench.run(f"poll {gap} {hold}", options) for gap, hold in bench.half(POLLS)]
    stuck = [done for done in runs if done.returncode == 6]
    good = stuck and all(re.search(says, done.stderr) for done in stuck)
    bench.check(f"who is always passed over: {len(stuck)} of {len(runs)}", good, [done.stderr for done in stuck])


def findings(bench, rows):
    for what, options, status, says in rows:
        done = bench.run(what, options)
        good = done.returncode == status and re.search(says, done.stderr)
        bench.check(f"{what} {options}", good, (done.returncode, done.stderr))


def silent(bench):
    for what, options, status, says in SILENT:
        done = bench.run(what, options)
        good = done.returncode == status and not re.search(says, done.stderr)
        bench.check(f"{what} {options} is silent", good, (done.returncode, done.stderr))


def sleepers(bench):
    for what, option in bench.quarter(SLEEPS + WAITS):
        done = bench.run(what, ["--set=run.livelock=end", "--functional", *option.split()])
        good = done.returncode == 0 and "anywhere" not in done.stderr
        bench.check(f"{what} {option}", good, (done.returncode, done.stderr))


def get_on(bench, rows):
    for what, option in rows:
        done = bench.run(what, ["--set=run.livelock=end", *option.split()])
        good = done.returncode == 0 and "anywhere" not in done.stderr
        bench.check(f"{what} {option} gets on", good, (done.returncode, done.stderr))


def storms(bench):
    for what, option in bench.quarter(STORMS):
        done = bench.run(what, ["--limit=1s", *option.split()])
        bench.check(f"{what} {option} ends", done.returncode == 0, (done.returncode, done.stderr))


def table_on_request(bench):
    """SIGUSR1 shows all threads and the run goes on; SIGINT shows them once more."""
    process = subprocess.Popen(bench.command("waiting", []), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    process.stdout.readline()  # all threads are there soon
    seen = []
    for number in signal.SIGUSR1, signal.SIGINT:
        process.send_signal(number)
        for line in process.stderr:
            seen.append(line)
            if line.startswith("  thread 1002"):
                break
    _, rest = simulator.end(process, TIMEOUT)
    tables = [line for line in seen if re.match(r"  thread 1002, card 2: runs " + PC.format("wait_for"), line)]
    bench.check("SIGUSR1 and SIGINT", process.returncode == 130 and len(tables) == 2,
                (process.returncode, seen, rest))


def rounds(done):
    """How often the poller of a run has had the lock before the waiter; None: it never ended."""
    return int(done.stdout) if done.returncode == 0 else None


def out_of_step(bench):
    """Whoever polls a lock and whoever is woken for it: all end, whatever their times are; and some
    of them would not if the operating system were always as late."""
    bound = 2500  # rounds
    rows = [*POLLS, *HOLDS]
    stuck = cured = played = 0
    for turn, wake in enumerate(bench.half(WAKES)):
        for gap, hold in rows if bench.whole else rows[turn * 2 % 9::9]:
            played += 1
            what, options = f"poll {gap} {hold}", [f"--set=os.wake={wake}cy"]
            got = rounds(bench.run(what, [*options, "--limit=1s"]))
            good = got is not None and got <= bound
            if not good:
                bench.check(f"{what}, wake {wake}", good, got)
            if rounds(bench.run(what, [*options, *ALONE, "--limit=10ms"])) is None:
                stuck += 1
                got = rounds(bench.run(what, [*options, "--set=os.wake_spread=0", "--limit=300ms"]))
                cured += got is not None
    # Without this the check above could not fail. How many there are depends on where the compiler puts the code.
    bench.check(f"{stuck} of {played} stuck without", stuck > figures.by_compiler(10 / 56 * played, 0), stuck)
    bench.check(f"{cured} of those cured by the clock alone", cured > figures.by_compiler(5 / 56 * played, 0), cured)


def convoys(bench):
    """What gets a waiter out of step with the lock's taker costs a queue of waiters next to nothing."""
    for threads, hold in bench.half([(8, 1000), (16, 300), (16, 1500), (32, 1000)]):
        took = []
        with tempfile.TemporaryDirectory() as directory:
            for spread in [], ["--set=os.wake_spread=0"]:
                out = pathlib.Path(directory, f"out{len(spread)}")
                bench.run(f"convoy {threads} {hold}", ["-o", out, "--limit=2s", *spread])
                found = re.search(r"^whole,machine,elapsed,(\d+)", (out / "stats.csv").read_text(), re.M)
                took.append(int(found[1]))
        bench.check(f"convoy of {threads}, {hold}", took[0] < 1.1 * took[1], took)


def lateness(bench):
    """A thread that is late by chance sleeps on: the operating system does not work for it meanwhile."""
    with tempfile.TemporaryDirectory() as directory:
        for spread in 0, 100000:
            out = pathlib.Path(directory, f"out{spread}")
            bench.run("convoy 8 1000", ["-o", out, "--limit=20ms", "--set=os.tick=0", f"--set=os.wake_spread={spread}cy"])
            with open(out / "stats.csv", newline="", encoding="ascii") as file:
                truth = {row["stat"]: int(row["value"]) for row in csv.DictReader(file)
                         if row["snapshot"] == "whole" and row["component"] == "machine" and row["stat"].startswith("truth.")}
            parts = sum(truth[f"truth.{part}"] for part in ("running", "system", "waiting", "asleep", "idle"))
            found = re.search(r"^whole,machine,elapsed,(\d+)", (out / "stats.csv").read_text(), re.M)
            each = truth["truth.system"] / truth["truth.sleeps"]
            bench.check(f"late by up to {spread}", each < 5000 and parts == 64 * int(found[1]), (each, parts, found[1]))


def clock(bench):
    """Threads that spin, each on its card, lose what its clock interrupts take."""
    with tempfile.TemporaryDirectory() as directory:
        for mode in [], ["--functional"]:
            done = []  # instructions of each card without interrupts, and with
            for tick in 0, 100000:
                out = pathlib.Path(directory, f"{len(mode)}-{tick}")
                bench.run("waiting", [*mode, "--limit=30ms", "-o", out, f"--set=os.tick={tick}cy"])
                with open(out / "stats.csv", newline="", encoding="ascii") as file:
                    done.append([int(row["value"]) for row in csv.DictReader(file)
                                 if row["stat"] == "truth.instructions" and row["snapshot"] == "whole"
                                 and row["component"].startswith("machine.station[0].card")])
            shares = [1 - b / a for a, b in zip(*done) if a]
            good = len(shares) == 3 and all(0.007 < share < 0.013 for share in shares)
            bench.check(f"what the clock takes {mode}", good, shares)


def by_turns(bench):
    """In functional mode everybody gets a lock, however many want it and however long it is held."""
    crowds = [f"crowd {shape} 64 {hogs} 20" for shape in range(6) for hogs in (32, 60)]
    programs = (crowds if bench.whole else crowds[::3]) + bench.quarter(PERIODS)
    ended = 0
    for what in programs:
        done = bench.run(what, ["--functional", "--limit=400ms", "--set=os.tick=0"])
        ended += done.returncode == 0
        if done.returncode != 0:
            bench.check(f"{what} in turns", False, done.stderr)
    bench.check(f"{ended} in turns", ended == len(programs), ended)
    done = bench.run("linked 62", ["--functional", "--limit=10ms", "--set=os.syscall=1cy"])
    bench.check("SCs between traps", done.returncode == 0, done.stderr)


def main():
    bench = Bench(*sys.argv[1:])
    if bench.which == "few":
        get_on(bench, [row for row in GET_ON if row[0] in ("clock", "card 0")])
        findings(bench, [FINDINGS[0], FINDINGS[-1]])
        return 1 if bench.failed else 0
    if bench.o32 or bench.whole:
        out_of_step(bench)
        clock(bench)
        lateness(bench)
        convoys(bench)
        get_on(bench, GET_ON)
    if not bench.o32 or bench.whole:
        by_turns(bench)
    findings(bench, FINDINGS if bench.o32 or bench.whole else FINDINGS[:-1])  # the last takes longest
    silent(bench)
    sleepers(bench)
    storms(bench)
    passed_over(bench)
    table_on_request(bench)
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
