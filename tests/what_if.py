#!/usr/bin/env -S python3 -S
"""
numachine c2c --what-if: the program does what it did, also where one access is of bytes that are kept apart; and
nothing in the run's directory is waited for.

    what_if.py NUMACHINE GUEST...
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import simulator

UNITS = "threads", "writers", "objects", "elements", "members", "leaves", "words", "sides"
PARTS = {  # by units
    "nested": (1, 1, 1, 2, 6, 10, 2, 1),
    "nested[1]": (1, 1, 1, 2, 3, 5, 1, 2),
    "wrapped": (1, 1, 1, 1, 1, 8, 2, 1),
    "wrapped.in": (1, 1, 1, 1, 1, 8, 2, 1),
    "wrapped.in.c": (1, 1, 1, 4, 8, 8, 2, 1),
    "wrapped.in.c[2]": (1, 1, 1, 2, 2, 2, 1, 4),
    "wrapped.in.c[1].x": (1, 1, 1, 1, 1, 1, 1, 8),
}
LIMIT = "10ms"  # of simulated time: a lock whose release is lost is never free


def run(*command, stdin=None):
    """@param stdin  a file"""
    with open(stdin or os.devnull, encoding="ascii") as given:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, stdin=given, timeout=600,
                              check=False)
    assert done.returncode == 0, f"{command}: status {done.returncode}: {done.stderr}"
    return done.stdout


def check_words(numachine, guest, scratch):
    """Parts of one word that some threads store and others change with LL and SC."""
    directory = scratch / pathlib.Path(guest).name
    run(numachine, "stat", "-q", "--truth", "-m", "station-4", "--limit", LIMIT, "-o", directory, "--", guest)
    for name in "bytes", "locks":
        for unit in "threads", "elements":
            text = run(numachine, "c2c", "--what-if", name, f"--unit={unit}", directory)
            assert "another one" not in text, f"{guest}, {unit} of {name}: {text}"
            assert unit == "threads" or "(4 parts)" in text, f"{guest}, {unit} of {name}: {text}"


def check_units(numachine, directory):
    """Elements, their members, of which an array is one, and what has no parts."""
    for name, row in PARTS.items():
        found = [json.loads(run(numachine, "c2c", "--what-if", name, f"--unit={unit}", "--format=json", directory))["parts"]
                 for unit in UNITS]
        assert tuple(found) == row, (name, found)
        said = run(numachine, "c2c", "--what-if", name, directory)
        assert ("(--unit=elements divides it)" in said) == (row[UNITS.index("elements")] > 1), (name, said)


def check_pipe(numachine, directory):
    """The file with what the run wrote is no file any more; then the run has not kept it, either."""
    (directory / "guest.stdout").unlink()
    os.mkfifo(directory / "guest.stdout")
    done = subprocess.run([numachine, "c2c", "--what-if", "bytes", directory], capture_output=True, text=True, timeout=600,
                          check=False)
    assert done.returncode == 2 and "guest.stdout: not a regular file" in done.stderr, done.stderr
    manifest = directory / "manifest.json"
    manifest.write_text(simulator.forged(manifest.read_text(), lambda m: m["files"].pop("guest.stdout")))
    assert "cannot be compared" in run(numachine, "c2c", "--what-if", "bytes", directory)


def check_stdin(numachine, guest, scratch):
    """A program that reads its input: without it the second run comes to another end, and nothing is compared."""
    kept, named, number = scratch / "input", scratch / "named", scratch / "number"
    number.write_text("40")
    asked = [numachine, "stat", "-q", "--truth"]
    run(*asked, "-o", kept, "--", guest, "x", stdin=number)
    run(*asked, "-o", named, f"--set=program.stdin={number}", "--", guest, "x")
    for command in ["c2c", "--what-if", "bytes"], ["placement", "--measure"], ["mend", "--runs=3"]:
        done = subprocess.run([numachine, *command, kept], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=600, check=False)
        assert done.returncode == 1 and not done.stdout, (done.returncode, done.stdout)
        assert "the second run ended with status 3, the first with status 0: no comparison" in done.stderr, done.stderr
        assert "program.stdin" in done.stderr, done.stderr
    for directory, given in ((kept, number), (named, None)):
        text = run(numachine, "c2c", "--what-if", "bytes", directory, stdin=given)
        assert "PCycles, " in text and "output" not in text, text
        text = run(numachine, "mend", "--runs=3", directory, stdin=given)
        assert "another" not in text and " of 3 (--runs)" in text and "(measured)" in text, text


def check_many(numachine, directory):
    """An array of more elements than can lie apart is not tried in part."""
    done = subprocess.run([numachine, "c2c", "--what-if", "many", "--unit=elements", directory], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=600, check=False)
    assert done.returncode == 2 and "too many" in done.stderr and not done.stdout, (done.returncode, done.stderr)


def check_limit(numachine, guest, scratch):
    """A run that was stopped has no length to compare with."""
    stopped = [numachine, "stat", "-q", "--truth", "-m", "station-4", "--limit", "400us", "-o", scratch / "cut", "--", guest]
    asked = [numachine, "c2c", "--what-if", "bytes", scratch / "cut"]
    subprocess.run(stopped, capture_output=True, stdin=subprocess.DEVNULL, timeout=600, check=False)
    done = subprocess.run(asked, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600, check=False)
    assert done.returncode == 2 and "nothing to compare with" in done.stderr and not done.stdout, (done.returncode, done.stderr)


def main():
    numachine, guests = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    with tempfile.TemporaryDirectory() as scratch:
        for guest in guests:
            check_words(numachine, guest, pathlib.Path(scratch))
        check_units(numachine, pathlib.Path(scratch) / pathlib.Path(guests[0]).name)
        check_many(numachine, pathlib.Path(scratch) / pathlib.Path(guests[0]).name)
        check_stdin(numachine, guests[0], pathlib.Path(scratch))
        check_limit(numachine, guests[0], pathlib.Path(scratch))
        check_pipe(numachine, pathlib.Path(scratch) / pathlib.Path(guests[0]).name)
    print(f"{len(guests)} programs did what they did with their bytes on other lines")


if __name__ == "__main__":
    main()
