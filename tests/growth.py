#!/usr/bin/env -S python3 -S
"""
A guest cannot make the simulator larger than docs/programs.md says: in each way there is it asks for many
times what the machine has, and is refused as Linux refuses, or leaves nothing behind.

    growth.py NUMACHINE GUEST.ABI [all | few]

One binary interface has one half of the ways, and the other the other half, on a machine with a quarter of the memory; with
`all` each has all of them, with `few` some.
"""
import os
import resource
import sys
import tempfile

import simulator

MEMORY = 32 if "all" in sys.argv else 8  # [MB] of the machine, and what the operating system may keep for the guest
REST = 12    # [MB] areas, tables of pages, what the host's allocator adds

# Thousands of names: a disk may take a minute for them.
FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

# How each way ends. None: it can go on for ever, as nothing is kept.
ENDS = {
    "nothing": None,
    "nameless": "No space left on device",
    "resized": "No space left on device",
    "mapped": "No space left on device",
    "in_tmp": "No space left on device",
    "in_shm": "No space left on device",
    "unnamed": "No space left on device",
    "files": "No space left on device",
    "folders": "No space left on device",
    "deep_folders": "No space left on device",
    "symbolic_links": "No space left on device",
    "hard_links": "No space left on device",
    "fifos": "No space left on device",
    "mapped_empty": "Cannot allocate memory",
    "mapped_removed": "No space left on device",
    "segments": "No space left on device",
    "semaphores": "No space left on device",
    "messages": "Cannot allocate memory",
    "locks": "No locks available",
    "areas": "Cannot allocate memory",
    "watches": "No space left on device",
    "listings": "Cannot allocate memory",
    "commands": "Cannot allocate memory",
    "texts": "Cannot allocate memory",
    "threads": None,
    "forgotten_files": None,
    "forgotten_names": None,
    "replaced_names": None,
    "again": None,
    "refilled": None,
    "left_folders": None,
    "undescribed": None,
    "refused_texts": None,
    "detached_segments": None,
    "reattached": None,
    "far_pages": None,
}


# Without time, what these ask for is done at once.
TIMED = {"commands"}


def run(numachine, guest, way):
    """How it ended, and the most memory that a run of the simulator has had so far [MB]. Files in memory are
    the host's and not among it: that they are refused is what holds them. Of the guest's files nothing stays."""
    mode = [] if way in TIMED else ["--functional"]
    # The setup `hostile` has all memory filled when it is got and given back: then all of it is there, used or not.
    # AddressSanitizer keeps 256 MB of what is given back.
    env = {name: value for name, value in simulator.sanitizer("quarantine_size_mb=1").items() if name != "MALLOC_PERTURB_"}
    with tempfile.TemporaryDirectory(prefix="numachine-", dir=FAST) as tmp:
        machine = ["--machine", "station-4", "--set", f"memory.size={MEMORY}MB",
                   *simulator.MACHINES.get(simulator.abi_of(guest), [])]
        done = simulator.bounded([numachine, "stat", "--quiet", *mode, "-o", tmp + "/out", *machine, "--", guest, way, str(MEMORY)],
                                 capture_output=True, text=True, seconds=200, env={**env, "TMPDIR": tmp})
        assert done.returncode == 0, f"{way}: {done.returncode} {done.stdout} {done.stderr}"
        assert os.listdir(tmp) == ["out"], f"{way}: leaves {os.listdir(tmp)}"
    return done.stdout.splitlines()[0], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10


def ways_of(guest, which="half"):
    """(way, end), beginning with nothing, that all others are held against; then those without end."""
    nothing, *rest = sorted(ENDS.items(), key=lambda row: row[1] or "")
    some = {"all": rest, "few": rest[3::12], "half": rest[0 if guest.endswith("o32") else 1::2]}
    return [nothing, *some[which]]


def main():
    numachine, guest, *which = sys.argv[1:]
    start = None
    for way, end in ways_of(guest, *which):
        said, most = run(numachine, guest, way)
        start = start or most
        bound = start + REST + (MEMORY if end else 0)
        assert said == f"{way}: {end or 'never'}", said
        assert most <= bound, f"{way}: {most} MB, more than {bound}"
        print(f"ok: {said}, {most} MB")


if __name__ == "__main__":
    main()
