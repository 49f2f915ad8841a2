#!/usr/bin/env -S python3 -S
"""
The limits of the tests' own runs (simulator.py): a run is ended by the processor time it needs, not by how long a
busy host lets it wait; what it said by then is there.

    bounded.py
"""
import subprocess
import sys

import simulator

SECONDS = 1


def child(text, seconds=simulator.PROCESSOR_SECONDS):
    return simulator.bounded([sys.executable, "-S", "-E", "-u", "-c", text], seconds, input="asked\n", capture_output=True, text=True)


def main():
    # It sleeps for longer than it may compute.
    done = child("import time; print(input()); time.sleep(2)", SECONDS)
    assert (done.returncode, done.stdout) == (0, "asked\n"), done
    assert child("import sys; sys.exit(3)").returncode == 3
    for text in "print(input())\nwhile True: pass", "import time\nprint(input())\ntime.sleep(1000)":
        try:
            raise AssertionError(child(text, SECONDS))
        except subprocess.TimeoutExpired as expired:
            assert expired.stdout == "asked\n", expired.stdout
    print("ok")


main()
