#!/usr/bin/env -S python3 -S
"""
numachine c2c: requests of memory that is used again go to the object that had it then. In tests/reuse_guest.c each
object has a function of its own that uses it; what such a function asks for must be its object's, and nobody else's.

    reuse.py NUMACHINE GUEST...
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# TIMES_A, TIMES_B, ROUNDS: one side only, the other, both alike, and both in turn over and over
WEIGHTS = [(1000, 50, 1), (50, 1000, 1), (500, 500, 1), (100, 100, 6)]
ALIKE = 0.1  # by which equal work may differ in what it really costs: which processor comes first is not the same
OWN, MUCH = 0.99, 50000  # the part of an object's cost that its own function pays, if that is so many PCycles
USERS = {
    "use_a": r"heap 100 bytes by site_a at .*",
    "use_b": r"heap 100 bytes by site_b at .*",
    "use_long": r"heap 240 bytes by site_long at .*",
    "use_short": r"heap 200 bytes by site_short at .*",
    "use_first_map": r"mmap 4096 bytes by site_map at .*",
    "use_second_map": r"mmap 4096 bytes by site_map_again at .*",
    "use_first_stack": r"stack of thread \d+",
    "use_second_stack": r"stack of thread \d+",
}


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=600, check=False)
    assert done.returncode == 0, f"{command}: status {done.returncode}: {done.stderr}"
    return done.stdout


def cost(asker):
    return asker["falsely"] + asker["truly"]


def check_objects(shown, what):
    """@return {function: [(object, cost)]}"""
    of = {name: [] for name in USERS}
    for item in shown["objects"]:
        for name in USERS:
            paid = sum(cost(asker) for asker in item["askers"] if asker.get("function") == name)
            if paid:
                of[name].append((item["object"], paid))
            assert paid < MUCH or "stack" in name or paid > OWN * cost(item), f"{what}: {item['object']}, {name}: {paid}"
    for name, pattern in USERS.items():
        assert len(of[name]) == 1 and re.fullmatch(pattern, of[name][0][0]), f"{what}: {name} asked for {of[name]}"
    assert of["use_first_stack"][0][0] != of["use_second_stack"][0][0], f"{what}: the dead thread's stack"
    return {name: paid[0] for name, paid in of.items()}


def check_what_if(numachine, directory, of):
    """What is apart by address is so for each who had the address."""
    text = run(numachine, "c2c", "--what-if", of["use_a"][0], directory)
    found = re.search(r"(\d+) of (\d+) requests for these bytes were for other objects, most of them for (.*): they", text)
    assert found and 0 < int(found[1]) < int(found[2]) and found[3] == of["use_b"][0], text
    text = run(numachine, "c2c", "--what-if", "barrier", directory)
    assert "were for other objects" not in text, text


def check(numachine, guest, scratch):
    for weights in WEIGHTS:
        what = f"{pathlib.Path(guest).name} {weights}"
        directory = scratch / what.replace(" ", "")
        run(numachine, "stat", "-q", "--truth", "-m", "station-4", "-o", directory, "--", guest, *weights)
        for line in (directory / "guest.stdout").read_text().splitlines():
            first, second = line.split()
            assert first == second, f"{what}: nothing was used again: {line}"
        of = check_objects(json.loads(run(numachine, "c2c", "--format=json", directory)), what)
        (_, a), (_, b) = of["use_a"], of["use_b"]
        if weights[0] == weights[1]:
            assert abs(a - b) < ALIKE * max(a, b), f"{what}: {a} and {b} for the same work"
        else:
            assert (a > 4 * b) if weights[0] > weights[1] else (b > 4 * a), f"{what}: {a} and {b}"
    check_what_if(numachine, directory, of)


def main():
    numachine, guests = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    with tempfile.TemporaryDirectory() as scratch:
        for guest in guests:
            check(numachine, guest, pathlib.Path(scratch))
    print(f"{len(guests)} programs, {len(WEIGHTS)} runs each: each request is for who had the memory")


if __name__ == "__main__":
    main()
