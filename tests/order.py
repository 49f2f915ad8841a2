#!/usr/bin/env -S python3 -S
"""
Orders that Linux promises, and that no rule of liveness may change (docs/saturation.md): what order_guest prints on
the simulator with what it prints on the host's own Linux and under qemu-user.

    order.py NUMACHINE ORDER_GUEST.ABI ORDER_HOST
"""
import os
import sys

import simulator

# Slices and clock interrupts shorter than most of what the threads do, and longer.
MACHINES = [["-p", "1"], ["-p", "1", "--set=os.quantum=3000cy", "--set=os.tick=11000cy"], ["-p", "4"],
            ["-p", "4", "--set=os.tick=11000cy"], ["-p", "2", "--functional"]]


def lines(text):
    return text.decode(errors="replace").splitlines()


def main():
    numachine, guest, host = sys.argv[1:]
    failed = False
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # the references: on one processor, as `one` wants it
    for part in "any", "one", "waiting":
        right = lines(simulator.run([host, part]).stdout)
        runs = {} if part == "waiting" else {"qemu-user": simulator.reference(guest, [part])}  # which keeps all, the lowest first
        for options in MACHINES:
            if part != "one" or options[:2] == ["-p", "1"]:
                runs[" ".join(options)] = simulator.simulated(numachine, guest, [part], options=["-m", "station-4", *options])
        for name, end in runs.items():
            came = lines(end.stdout)
            good = len(right) > 8 and end.how == "exited 0" and came == right
            print(f"{'ok' if good else 'FAILED'}: {part}, {name}: {len(right)} lines")
            for want, got in zip(right, came) if not good else []:
                if want != got:
                    print(f"    Linux: {want}\n    came:  {got}")
            if not good:
                print(end.how, end.stderr)
            failed |= not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
