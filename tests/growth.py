#!/usr/bin/env python3
"""
A guest cannot make the simulator larger than docs/programs.md says: in each way there is it asks for many
times what the machine has, and is refused as Linux refuses, or leaves nothing behind.

    growth.py NUMACHINE GUEST
"""
import os
import resource
import sys
import tempfile

import simulator

MEMORY = 32  # [MB] of the machine, and what the operating system may keep for the guest
REST = 12    # [MB] areas, tables of pages, what the host's allocator adds

# How each way ends. None: it can go on for ever, as nothing is kept.
ENDS = {
    "nothing": None,
    "nameless": "No space left on device",
    "resized": "No space left on device",
    "mapped": "No space left on device",
    "in_tmp": "No space left on device",
    "in_shm": "No space left on device",
    "unnamed": "No space left on device",
    "segments": "No space left on device",
    "semaphores": "No space left on device",
    "messages": "Cannot allocate memory",
    "locks": "No locks available",
    "areas": "Cannot allocate memory",
    "threads": None,
    "forgotten_files": None,
    "forgotten_names": None,
    "replaced_names": None,
    "detached_segments": None,
    "far_pages": None,
}


def run(numachine, guest, way):
    """How it ended, and the most memory that a run of the simulator has had so far [MB]. Files in memory are
    the host's and not among it: that they are refused is what holds them."""
    with tempfile.TemporaryDirectory(prefix="numachine-") as tmp:
        done = simulator.bounded([numachine, "stat", "--quiet", "--functional", "-o", tmp + "/out", "--machine", "station-4",
                                  "--set", f"memory.size={MEMORY}MB", "--", guest, way, str(MEMORY)],
                                 capture_output=True, text=True, seconds=200, env={**os.environ, "TMPDIR": tmp})
        assert done.returncode == 0, f"{way}: {done.returncode} {done.stdout} {done.stderr}"
    return done.stdout.splitlines()[0], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10


def main():
    start = None
    for way, end in sorted(ENDS.items(), key=lambda row: row[1] or ""):
        said, most = run(*sys.argv[1:], way)
        start = start or most
        bound = start + REST + (MEMORY if end else 0)
        assert said == f"{way}: {end or 'never'}", said
        assert most <= bound, f"{way}: {most} MB, more than {bound}"
        print(f"ok: {said}, {most} MB")


if __name__ == "__main__":
    main()
