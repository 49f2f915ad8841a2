#!/usr/bin/env python3
"""
Whether two builds of the simulator give the same bytes, for a change that may disturb the order of events.

    same.py OLD NEW [WORK ...]      exit status 1 if they do not
    same.py --check NUMACHINE [WORK ...]    the same of one build with and without run.check

Each work of cost.py runs in its small size, and some more in which requests are refused and FIFOs are full, with both
executables. What is compared is stats.csv, traffic.csv and all of monitor/. Groups of counters listen and sample, because a
total may be the same where an order is not. In checking mode no short way is taken, so what it gives is what the
plain rules give. Both executables need a home: let them lie in build directories of this tree,
or set NUMACHINE_HOME.
"""
import filecmp
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import cost

LISTENING = ["monitor.groups=[NACK, BUS, RING]", "monitor.interval=20000cy"]
# work: its file of experiments/, and what is set
MORE = {
    "ring-busy": ("ring-busy", []),
    "nack-histogram": ("nack-histogram", []),
    "locks-flat": ("bench/locks-64", ["program.args=[64, 20, 64, 0, locks]", "protocol=flat"]),
    "locks-ce": ("bench/locks-64", ["program.args=[64, 20, 64, 0, locks]", "protocol=numachine-ce"]),
    "barriers-narrow": ("bench/barriers-64", ["program.args=[64, 100, 4, barrier]", "bus.fifo=4"]),
    "barriers-far": ("bench/barriers-64", ["program.args=[64, 100, 4, barrier]", "memory.placement=round_robin"]),
    "product-impatient": ("bench/product-64", ["program.args=[32, 32, 1, product]", "directory.patience=0"]),
}


def works():
    """Of cost.py those with a machine in time, then the others."""
    for name, (file, settings, sizes) in cost.WORKS.items():
        if not name.startswith("functional"):
            yield name, f"bench/{file}", re.split(r" (?=[a-z]+\.)", settings.format(sizes[0]))
    for name, (file, settings) in MORE.items():
        yield name, file, settings


def run(numachine, file, settings, out):
    subprocess.run([numachine, "run", "--quiet", "-o", out, *(part for setting in settings + LISTENING for part in ("--set", setting)),
                    cost.HERE.parent / f"{file}.yaml"], stdout=subprocess.DEVNULL, check=True,
                   env={**os.environ, "NUMACHINE_CACHE": "off"})


def files(out):
    return {path.relative_to(out) for path in [out / "stats.csv", out / "traffic.csv", *(out / "monitor").rglob("*")]
            if path.is_file()}


def differences(old, new):
    """Names of files that are not the same bytes, or are there once."""
    names = files(old) | files(new)
    assert pathlib.Path("stats.csv") in names
    return sorted(str(name) for name in names
                  if name not in files(old) & files(new) or not filecmp.cmp(old / name, new / name, shallow=False))


def compare(name, file, first, second):
    """Whether two (executable, settings) give the same for a work; says what differs."""
    with tempfile.TemporaryDirectory() as scratch:
        outs = [pathlib.Path(scratch, which) for which in ("first", "second")]
        for (numachine, settings), out in zip((first, second), outs):
            run(numachine, file, settings, out)
        found = differences(*outs)
        print(f"{name:16} {'differs: ' + ', '.join(found) if found else f'the same {len(files(outs[0]))} files'}", flush=True)
        return not found


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    old, new, *wanted = sys.argv[1:]
    if unknown := sorted(set(wanted) - {name for name, _, _ in works()}):
        sys.exit(f"same.py: no work {', '.join(unknown)}")
    same = True
    for name, file, settings in works():
        if wanted and name not in wanted:
            continue
        first, second = ((new, settings), (new, settings + ["run.check=true"])) if old == "--check" else ((old, settings), (new, settings))
        same &= compare(name, file, first, second)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
