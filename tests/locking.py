#!/usr/bin/env -S python3 -S
"""
What the groups say of threads that wait for each other in eight ways, with 1, 5, 16 and 64 of them on 64
cards: each way is told by group SYNC's numbers alone, as its text says; time is split without rest; and
no card without a thread counts in anything that is said of one card.

    locking.py NUMACHINE GUEST [all]     without `all`: each number of threads has every other way
"""
import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import simulator

KINDS = {"alone": 150, "spin": 1, "ticket": 1, "mcs": 1, "mutex": 1, "barrier": 1, "condvar": 1, "balance": 20}
ROUNDS = {1: 50, 5: 100, 16: 50, 64: 6}  # times the kind's number
CARDS = 64
PARTS_OF_MACHINE = ["machine"] + [f"machine.station[{s}]{card}" for s in range(CARDS // 4)
                                  for card in ("", *(f".card[{c}]" for c in range(4)))]
PARTS = ["running", "system", "waiting", "asleep", "idle"]
SHARES = ["useful", "stall", "killslip", "system", "waiting", "asleep", "idle"]
CPI_SHARES = ["useful", "l1i_stall", "l1d_stall", "l2_stall", "mp_stall", "other_stall", "killed",
              "slipped_integer", "slipped_float", "system", "waiting", "asleep", "idle"]

failures = 0


def check(what, good, seen=""):
    global failures
    if not good:
        print(f"FAILED: {what}: {seen}")
    failures += not good


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def diagnosis(sync):
    """What the text of group SYNC says of its numbers; None where it cannot decide."""
    if sync["sleeps_per_1000_instr"] > 0.5:
        if sync["woken_per_wake"] > 2:
            return "barrier"
        return "mutex" if sync["imbalance"] < 1.5 else "condvar"
    if sync["waiting"] > 40:
        return "balance" if sync["imbalance"] > 1.5 else "barrier" if sync["woken_per_wake"] > 2 else "mutex"
    if sync["scs_failed_per_1000_instr"] > 2:
        return "spin"
    if sync["copies_lost_per_attempt"] > 3 and sync["copies_lost_per_1000_instr"] > 0.1:
        return "ticket"
    return "mcs" if sync["copies_lost_per_1000_instr"] > 0.1 else "alone"


def near(a, b, error=1e-6):
    return abs(a - b) <= error * max(1, abs(a), abs(b))


class Part(dict):
    """What is left out: counts are 0, derived values are none."""

    def __missing__(self, name):
        return 0 if isinstance(name, str) and not name.startswith(("metric.", "group.")) else None


class Run:
    """The counts and metrics of one run: {(region, component): {name: value or None}}."""

    def __init__(self, numachine, guest, groups, kind, threads):
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory, "out")
            done = simulator.bounded([numachine, "stat", "-q", "-o", out, "-g", ",".join(groups), "--", guest, kind,
                                      str(threads), str(ROUNDS[threads] * KINDS[kind])], capture_output=True,
                                     check=True, seconds=300)
            self.stats, self.metrics = collections.defaultdict(Part), collections.defaultdict(Part)
            self.formula = {}
            for row in rows(out / "stats.csv"):
                at = row["snapshot"], row["component"]
                self.stats[at][row["stat"]] = float(row["value"]) if row["value"] else None
            for row in rows(out / "monitor/groups.csv"):
                at, name = (row["snapshot"], row["component"]), (row["group"], row["metric"])
                self.metrics[at][name] = float(row["value"]) if row["value"] else None
                if row["component"] == "machine":
                    self.formula[name] = row["unit"], row["formula"]
        self.name = f"{kind}, {threads} threads"
        self.threads = threads
        self.levels = [(region, part) for region, component in list(self.stats) if component == "machine"
                       for part in PARTS_OF_MACHINE]
        assert kind.encode() in done.stdout

    def cards_of(self, level):
        return [at for at in self.levels
                if at[0] == level[0] and at[1].startswith(level[1]) and "card" in at[1]]

    def elapsed(self, at):
        return self.stats[at[0], "machine"]["elapsed"]

    def had_thread(self, at):
        return self.stats[at]["truth.idle"] < self.elapsed(at)


def check_time(run):
    """The five parts are all the time there is, and the shares of it 100 %."""
    for at in run.levels:
        stats = run.stats[at]
        cards = run.cards_of(at)
        parts = sum(stats["truth." + part] for part in PARTS)
        check(f"{run.name}: parts of {at}", parts == run.elapsed(at) * len(cards), parts)
        off = parts - stats["truth.running"]
        check(f"{run.name}: other stall of {at}", stats["status.other_stall"] >= off, off)
        shares = [stats[f"metric.{share}_share"] for share in SHARES]
        cpi = [run.metrics[at]["CPI", share] for share in CPI_SHARES]
        for what, values in ("shares", shares), ("CPI", cpi):
            if any(run.had_thread(card) for card in cards):
                check(f"{run.name}: {what} of {at}", near(sum(values), 100), values)
            else:
                check(f"{run.name}: {what} of {at} without thread", set(values) == {None}, values)


def check_cards(run):
    """A formula over the time or the number of cards is the mean of those that had a thread."""
    for at in run.levels:
        cards = [card for card in run.cards_of(at) if run.had_thread(card)]
        for name, value in run.metrics[at].items():
            unit, formula = run.formula[name]
            whole = f"{run.name}: {name} of {at}"
            check(whole, unit != "%" or value is None or -1e-9 <= value <= 100 + 1e-9, value)
            if formula.rpartition("/")[2].split() != ["pcycles"] or value is None:
                continue
            # Those without a thread may still be asked for lines they have.
            mean = sum(run.metrics[card][name] for card in cards) / len(cards)
            check(whole, near(value, mean, 0.01), (value, mean))


def listed(numachine, what):
    return json.loads(subprocess.run([numachine, "list", "--json", what], check=True, stdout=subprocess.PIPE).stdout)


def main():
    numachine, guest, *every = sys.argv[1:]
    events = {event["name"] for event in listed(numachine, "events")}  # of the monitoring card; an R4400 has no others
    groups = sorted(group["name"] for group in listed(numachine, "groups") if events.issuperset(group["events"]))
    for turn, threads in enumerate(ROUNDS):
        for kind in KINDS if every or threads == 1 else list(KINDS)[turn % 2::2]:
            if threads == 1 and kind != "alone":
                continue
            run = Run(numachine, guest, groups, kind, threads)
            check_time(run)
            check_cards(run)
            check(f"{run.name}: threads",
                  sum(map(run.had_thread, run.cards_of(("whole", "machine")))) == threads)
            sync = {name[1]: value for name, value in run.metrics["work", "machine"].items() if name[0] == "SYNC"}
            if threads == 1:
                stalled = run.stats["work", "machine"]["metric.stall_share"]
                check(run.name, stalled < 10, stalled)
                continue
            said = diagnosis(sync)
            alike = {said, kind} == {"mcs", "ticket"} and threads < 16
            check(run.name, said == kind or alike, (said, sync))
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
