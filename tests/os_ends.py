#!/usr/bin/env -S python3 -S
"""
How runs end: the exit status of os_run and what it says, for each way os_ends.c can stop.

    os_ends.py OS_RUN OS_ENDS.ABI [all]

Every fourth run, with `all` each, is done twice and must say the same both times, cycles included.
"""
import re
import subprocess
import sys

import simulator

FUTEX = r"in futex\S* at pc 0x\w+ \(\w+(\+0x\w+)?\)"

# argument of the guest: options of os_run, exit status, what must appear
ENDS = {
    "deadlock": ([], 99, r"deadlock: every thread waits\n"
                         r"  thread 1000, card 0: " + FUTEX + r", for the lock 0x\w+ \(b\), perhaps held by thread 1001;.*\n"
                         r"  thread 1001, card 1: " + FUTEX + r", for the lock 0x\w+ \(a\), perhaps held by thread 1000;.*\n"),
    "itself": ([], 99, r"deadlock: every thread waits\n"
                       r"  thread 1000, card 0: " + FUTEX + r", for the end of thread 1001;.*\n"
                       r"  thread 1001, card 1: " + FUTEX + r", for the lock 0x\w+ \(a\), perhaps held by itself;.*\n"
                       r"  thread 1002, card 2: " + FUTEX + r", for futex 0x\w+ \(word\);.*\n"
                       r"  thread 1003, card 3: " + FUTEX + r", for the lock 0x\w+ \(b\), perhaps held by "
                       r"thread 1004, which has ended;.*\n"),
    "waits": ([], 99, r"deadlock: every thread waits\n"
                      r"  thread 1000, card \d: " + FUTEX + r", for the end of thread 1006;.*\n"
                      r"  thread 1001, card \d: in semop at pc .*\n"
                      r"  thread 1002, card \d: in msgrcv at pc .*\n"
                      r"  thread 1003, card \d: in mq_timedreceive\S* at pc .*\n"
                      r"  thread 1004, card \d: in epoll_p?wait at pc .*\n"
                      r"  thread 1005, card \d: " + FUTEX + r", for the lock 0x\w+ \(owned\), held by thread 1000;.*\n"
                      r"  thread 1006, card \d: in clock_nanosleep\S* at pc .*\n"),
    # As many stacks as fit: of o32 in 2 GB, of n64 all.
    "crowd": ([], 99, r"(numachine: note: no room for the stack \(262148 KB\) of a 8th thread in 2 GB: smaller stacks "
                      r"\(pthread_attr_setstacksize, OMP_STACKSIZE\), or n64\n)?"
                      r"deadlock: every thread waits\n"
                      r"  threads 1000-(1007 \(8\)|1012 \(13\)): " + FUTEX + r", for futex 0x\w+ \(barrier.*\); last calls at cycles \d+ to \d+.*\n"),
    "others-spin": ([], 5, r"threads=4"),
    "null": ([], 139, r"killed by SIGSEGV at pc 0x\w+ \(\w+(\+0x\w+)?\), address 0x8: "
                      r"nothing mapped there; thread 1000 on card 0\n"),
    "nowhere": ([], 139, r"killed by SIGSEGV at pc 0x0, address 0x0: nothing mapped there, perhaps called from pc 0x\w+ "
                         r"\(nowhere(\+0x\w+)?\); thread 1000 on card 0\n"),
    "text": ([], 139, r"killed by SIGSEGV at pc .*: access not allowed there"),
    "behind": ([], 138, r"killed by SIGBUS at pc .*: behind the end of the mapped file"),
    "divide": ([], 136, r"killed by SIGFPE at pc .*: division by zero"),
    "spin": (["-l", "2000000"], 99, r"stopped at the limit of 2000000 PCycles\nend=2 .*ticks=2000000 "),
    "child": ([], 7, r"the program called \w+ \(\d+\) at pc .*, which is not provided"),
    "alarm": ([], 142, r"killed by SIGALRM"),
    "ill": ([], 132, r"killed by SIGILL at pc 0x\w+ \([^:]*\); thread 1000 on card 0\n"),
    "abort": ([], 134, r"killed by SIGABRT"),
    "fill": ([], 99, r"the machine's memory is full"),
    "marks": ([], 0, r"mark begin part at \d+\nmark end part at \d+\n"),
    "looks": ([], 0, ""),
    "looks -f": (["-f"], 19, ""),
    "seconds -k": (["-k", "1000000"], 137, r"^a second\na second\nkilled by SIGKILL at pc .*\n.*ticks=30\d{5} "),
    "recurse": ([], 139, r"killed by SIGSEGV at pc .* \(deeper"),
}


def run(os_run, guest, name, options):
    done = simulator.bounded([os_run, *options, guest, name.split()[0]], stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, seconds=600)
    return done.returncode, done.stderr


def main():
    os_run, guest, *every = sys.argv[1:]
    failed = 0
    for turn, (name, (options, status, says)) in enumerate(ENDS.items()):
        first = run(os_run, guest, name, options)
        again = run(os_run, guest, name, options) if name != "fill" and (every or turn % 4 == 0) else first
        good = first[0] == status and re.search(says, first[1]) and first == again
        print(f"{'ok' if good else 'FAILED'}: {name}")
        if not good:
            failed += 1
            print(f"  exit status {first[0]}, expected {status}; said:\n{first[1]}")
            if again != first:
                print(f"  and the second time:\n{again[1]}")
    return 1 if failed else 0


sys.exit(main())
