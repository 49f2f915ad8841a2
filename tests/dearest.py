#!/usr/bin/env -S python3 -S
"""
What the tests of a suite cost: processor seconds of each, its children included, as a table for docs/testing.md. Nothing
is judged here. Times by the clock depend on what else the host does; processor seconds hardly do.

    dearest.py BUILD [--suite SUITE] [--rows N] [NAME...]

NAME: shell patterns, all tests of the suite by default. Needs a build of `all tests`. Tests run one after the other, with
an empty cache of executables. Exit status 1 if one fails.
"""
import argparse
import dataclasses
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import skip

PROCESSORS = 2  # of the host that the suite is meant for


@dataclasses.dataclass(frozen=True)
class Cost:
    """What a test took [s], the host's kernel's part of it, and its exit status."""
    name: str
    processor: float
    system: float
    clock: float
    status: int


def tests_of(build, suite, patterns):
    """Those of a suite whose names match, in the order of their start."""
    listed = json.loads(subprocess.run(["meson", "introspect", "--tests", build], capture_output=True, check=True).stdout)
    chosen = [test for test in listed if any(one.rpartition(":")[2] == suite for one in test["suite"])
              and any(fnmatch.fnmatchcase(test["name"], pattern) for pattern in patterns)]
    return sorted(chosen, key=lambda test: -test["priority"])


def environment(test, scratch):
    """A test's, as the setup `plain` of meson.build makes it; the cache is in `scratch`."""
    python = pathlib.Path(sys.executable).parent
    return {**os.environ, "MALLOC_PERTURB_": "0", **test["env"], "XDG_CACHE_HOME": str(scratch / "cache"),
            "PATH": f"{python}{os.pathsep}{os.environ['PATH']}"}


def run(test, build, scratch):
    """Runs a test whose output goes to a file."""
    begin = time.monotonic()
    with open(scratch / "output", "wb") as output, \
            subprocess.Popen(test["cmd"], env=environment(test, scratch), cwd=test["workdir"] or build, stdin=subprocess.DEVNULL, stdout=output,
                             stderr=subprocess.STDOUT) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(test["name"], usage.ru_utime + usage.ru_stime, usage.ru_stime, time.monotonic() - begin, process.returncode)


def costs(tests, build):
    found = []
    with tempfile.TemporaryDirectory() as directory:
        for test in tests:
            cost = run(test, build, pathlib.Path(directory))
            found.append(cost)
            print(f"{cost.name}\t{cost.processor:.2f}\t{cost.system:.2f}\t{cost.clock:.2f}\t{cost.status}", file=sys.stderr, flush=True)
            if cost.status not in (0, skip.SKIPPED):
                said = pathlib.Path(directory, "output").read_text(errors="replace")
                print(f"{cost.name}: exit status {cost.status}\n{said}", file=sys.stderr)
    return found


def table(found, rows):
    total, system = (sum(getattr(cost, what) for cost in found) for what in ("processor", "system"))
    lines = ["| test | processor seconds | in the host's kernel | of all |", "|---|--:|--:|--:|"]
    lines += [f"| `{cost.name}` | {cost.processor:.1f} | {cost.system:.1f} | {cost.processor / total:.1%} |"
              for cost in sorted(found, key=lambda cost: -cost.processor)[:rows]]
    lines += [f"| all {len(found)} | {total:.0f} | {system:.0f} | {total / PROCESSORS:.0f} s on {PROCESSORS} processors |"]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--suite", default="quick")
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("names", nargs="*", default=["*"])
    given = parser.parse_intermixed_args()
    found = costs(tests_of(given.build, given.suite, given.names), given.build)
    if not found:
        parser.error("no such test")
    print(table(found, given.rows))
    return any(cost.status not in (0, skip.SKIPPED) for cost in found)


if __name__ == "__main__":
    sys.exit(main())
