#!/usr/bin/env -S python3 -S
"""
Each function of documents/rows/lock_functions.def, called once on a lock of its own (lock_functions_guest.c): the lock is there, of
its kind, with the calls that were made and no more, and is held no longer than it was.

    lock_functions.py NUMACHINE GUEST...
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import simulator

HELD_MOST = 20000  # [PCycles]; the guest pauses for more behind each row
# By role, and name where that matters: calls, of these taken, times it was held. A condition that is waited for in vain
# is not taken; else another thread's signal is a call, too.
COUNTS = {"TAKE": (1, 1, 1), "SHARE": (1, 1, 1), "GIVE": (1, 1, 1), "TRY": (2, 1, 1), "sem_trywait": (2, 1, 0), "POST": (1, 0, 0),
          "PASS": (1, 1, 0), "MEET": (1, 1, 0), "JOIN": (1, 1, 0), "WAIT": (1, 0, 0), "cnd_wait": (2, 1, 0),
          "pthread_cond_wait": (2, 1, 0)}


def check(numachine, guest, directory):
    machine = simulator.MACHINES.get(simulator.abi_of(guest), [])
    done = subprocess.run([numachine, "stat", "-q", "-m", "station-4", *machine, "--profile", "-o", directory, "--", guest],
                          check=True, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    shown = subprocess.run([numachine, "locks", directory, "--format=json"], check=True, capture_output=True, timeout=600)
    locks = {(lock["kind"], int(lock["address"], 16)): lock for lock in json.loads(shown.stdout)["locks"] if lock.get("address")}
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) > 40 and all(name != "unknown" for name, *_ in rows), done.stdout
    joins = 0
    for name, kind, role, address in rows:
        if kind == "join":
            joins += 1
        elif role != "CALL":
            lock = locks.get((kind, int(address, 16)))
            assert lock, (guest, name, kind, address, sorted(locks))
            counts = tuple(lock[what] for what in ("calls", "taken", "holds"))
            assert counts == COUNTS.get(name, COUNTS[role]), (guest, name, role, counts)
            assert lock["held"] < HELD_MOST, (guest, name, lock["held"])
    assert joins == sum(lock["calls"] for (kind, _), lock in locks.items() if kind == "join"), (guest, joins)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        for number, guest in enumerate(sys.argv[2:]):
            check(sys.argv[1], guest, pathlib.Path(scratch, str(number)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
