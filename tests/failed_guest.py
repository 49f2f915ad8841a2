#!/usr/bin/env -S python3 -S
"""
Upgrades that fail: what a guest counts of them, as bus errors, is what really happened; when the processor
does the store again by itself the guest sees none, and they happen all the same. A program without a handler
is killed, and told why. Threads that block the signal count nothing and go on. To an R10000's counter such a store
is a miss of the secondary cache, because a whole line comes.

    failed_guest.py NUMACHINE GUEST BLOCKED UNPREPARED
"""
import csv
import pathlib
import sys
import tempfile

import simulator

MISSES = "cpu_l2d_misses", "cpu_l2i_misses"
IN_FLIGHT = 4 * 4  # misses of four R10000s at an edge of the region
MACHINES = [["station-4"], ["ring-16"], ["numachine-64", "memory.placement=local", "bus.fifo=2"]]


def run(numachine, guest, machine, sets, events=("invalidates_done",)):
    """The run's end, and what became of misses and upgrades in the region."""
    wanted = "truth.upgrades", "truth.upgrades_failed", "truth.l2_misses", *("monitor." + e for e in events)
    options = [word for s in ["run.check=true", *sets] for word in ("--set", s)]
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        done = simulator.bounded([numachine, "stat", "-q", "-o", out, "-e", ",".join(events), "-m", machine,
                                  *options, "--", guest], seconds=200, capture_output=True, text=True)
        found = {row["stat"]: int(row["value"]) for row in csv.DictReader(open(out / "stats.csv", newline=""))
                 if row["snapshot"] == "counting" and row["component"] == "machine" and row["stat"] in wanted}
    return done, found


def main():
    numachine, guest, blocked, unprepared = sys.argv[1:]
    for machine, *sets in MACHINES:
        for failure in "read", "bus_error":
            done, found = run(numachine, guest, machine, [*sets, f"agent.failed_upgrade={failure}"])
            what = f"{machine} {sets} {failure}: {done} {found}"
            assert done.returncode == 0, what
            failed = found["truth.upgrades_failed"]
            assert failed > 20, what
            assert failed + found["monitor.invalidates_done"] == found["truth.upgrades"], what
            assert int(done.stdout) == (failed if failure == "bus_error" else 0), what
    for core in "r10000", "r12000":
        done, found = run(numachine, guest, "station-4", [f"processor.core={core}", "l2.split=false"], MISSES)
        counted = sum(found["monitor." + event] for event in MISSES)
        came = found["truth.l2_misses"] + found["truth.upgrades_failed"]
        assert found["truth.upgrades_failed"] > 4 * IN_FLIGHT and abs(counted - came) <= IN_FLIGHT, (core, done, found)
    done, found = run(numachine, blocked, "station-4", ["agent.failed_upgrade=bus_error"])
    assert done.returncode == 0 and int(done.stdout) == 0 and found["truth.upgrades_failed"] > 20, (done, found)
    done, _ = run(numachine, unprepared, "station-4", ["agent.failed_upgrade=bus_error"])
    assert done.returncode == 128 + 10 and "(agent.failed_upgrade)" in done.stderr, done


main()
