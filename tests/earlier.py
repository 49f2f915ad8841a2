#!/usr/bin/env -S python3 -S
"""
What the progress line says of the end of a run, from earlier ones: the same, another of its name, none; and that nothing
of it is in the results.

    earlier.py NUMACHINE EXPERIMENT         the experiment is experiments/first-light.yaml

The line is for terminals: skipped (77) where the system has no pseudo-terminals.
"""
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

import skip

# [s] A run is stopped for so long: lines come by the clock (run/progress.c, four in a second), and a processor's time is
# not needed for that. Until its first line it goes on for a while between stops, each time for twice as long: a slow host
# takes long to begin. Then it goes on until there is a line, and after so many without stops.
STOPS, BEGINS, BEGINS_MOST = 0.26, 0.02, 0.32
LINES = 4
LEFT = re.compile(r"MIPS, (about \d+ s left.*?|\d.*? of the limit, .*?)\x1b")


def on_terminal(command, directory):
    """What a command writes to a terminal."""
    ours, its = pty.openpty()
    process = subprocess.Popen(command, stderr=its, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=directory)
    os.close(its)
    text, runs = b"", BEGINS
    try:
        while True:
            if b"simulated," in text or select.select([ours], [], [], runs)[0]:
                chunk = os.read(ours, 65536)
                if not chunk:
                    break
                text += chunk
                if text.count(b"simulated,") >= LINES:
                    continue
            runs = min(2 * runs, BEGINS_MOST)
            process.send_signal(signal.SIGSTOP)
            time.sleep(STOPS)
            process.send_signal(signal.SIGCONT)
    except OSError:  # nobody has it open any more
        pass
    os.close(ours)
    assert process.wait() == 0, text
    return text.decode()


def has_terminals():
    try:
        for end in pty.openpty():
            os.close(end)
        return True
    except OSError:  # no devpts, as in a bare chroot
        return False


def main():
    if not has_terminals():
        skip.skip("no pseudo-terminals")
    numachine, experiment = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        scratch = pathlib.Path(scratch)
        latest = scratch / "results/first-light-009"
        # Long enough that there are several lines, also on a host that is not as busy the next time.
        turns, text = 8000, ""
        while text.count("simulated,") < LINES:
            turns *= 2
            command = [numachine, "run", experiment, "--set", f"program.args=[{turns}]"]
            text = on_terminal([*command, "-o", "first", "--force"], scratch)
        command[-1] = f"program.args=[{4 * turns}]"

        def says(*words):
            text = on_terminal([*command, *words], scratch)
            assert ("simulated," in text) == ("-q" not in words), text
            return {re.sub(r"\d+ s", "N s", line) for line in LEFT.findall(text)}

        assert not says("-o", "a")
        assert says("-o", "a", "--force") == {"about N s left, as a took"}
        assert says("-o", "a", "--force", "--set", "run.seed=2") == {"about N s left if it takes as long as a"}
        assert not says()
        assert says() == {"about N s left, as results/first-light-001 took"}
        # What cannot be read is none, and does not stop the run; nor is one that goes on or has another name.
        latest.mkdir()
        (latest / "manifest.json").write_text("{")
        os.mkdir(scratch / "results/first-light-008")
        os.mkfifo(scratch / "results/first-light-008/manifest.json")
        manifest = json.loads((scratch / "results/first-light-001/manifest.json").read_text())
        for number, change in ("007", {"status": "running"}), ("006", {"experiment": {"name": "other"}}):
            other = scratch / f"results/first-light-{number}"
            other.mkdir()
            (other / "manifest.json").write_text(json.dumps({**manifest, **change}))
        assert says("-o", "b") == {"about N s left, as results/first-light-002 took"}
        # An earlier run that came to its end says more than a limit that is far away, and nothing if that is nearer.
        assert says("-o", "c", "--set", "run.limit=100s") == {"about N s left if it takes as long as results/first-light-002"}
        assert not says("-q", "-o", "d")
        hashes = {json.loads((scratch / name / "manifest.json").read_text())["end"]["totals_hash"]
                  for name in ("results/first-light-001", "results/first-light-002", "b", "c", "d")}
        assert len(hashes) == 1, hashes


main()
