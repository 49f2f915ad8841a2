#!/usr/bin/env -S python3 -S
"""
The whole tree under clang-tidy, as .clang-tidy says: no warning, in as many processes as there are processors.

    tidy.py SOURCE BUILD [quick]

BUILD has been configured; its compile_commands.json says what is compiled, and how. Each source once. `quick`: without
the analyzer, which takes twenty times as long as all the rest. Skipped (77) where there is no clang-tidy.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import skip

BATCH = 16  # design: enough that starts do not count, and few enough that all processors have the last ones


def sources(commands, source, build):
    """What is compiled, each once; not what is generated, nor guests, which clang does not compile."""
    files = {pathlib.Path(os.path.normpath(build / c["file"])) for c in commands}
    return sorted(f for f in files if f.is_relative_to(source) and not f.is_relative_to(build))


def included(unit):
    """The sources that a unity source of meson's has compiled as one; none: it is no such source."""
    return re.findall(r"^#include<(.*)>$", unit.read_text(), re.M) if re.search(r"-unity\d+\.c$", unit.name) else []


def apart(commands, build):
    """What compiles each source by itself: a command for each that a unity source includes."""
    for c in commands:
        names = included(build / c["file"])
        yield from ({**c, "file": name, "command": c["command"].replace(f" -c {c['file']}", f" -c {name}")} for name in names)
        if not names:
            yield c


def understood(commands):
    """Without how code is generated (-f...), of which clang does not know all, and which says nothing of the source."""
    return [{**c, "command": re.sub(r" -f\S+", "", c["command"])} for c in commands]


def batches(files, most):
    return [files[i:i + most] for i in range(0, len(files), most)]


def check(files, database, options):
    """Some files in one process."""
    done = subprocess.run(["clang-tidy", "-p", database, "--quiet", *options, *files], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode == 0, done.stdout or done.stderr


def main():
    source, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    quick = "quick" in sys.argv[3:]
    options = ["--checks=-clang-analyzer-*"] if quick else []
    skip.need("clang-tidy", "clang-tidy")
    begin = time.monotonic()
    commands = list(apart(json.loads((build / "compile_commands.json").read_text()), build))
    files = sources(commands, source, build)
    with tempfile.TemporaryDirectory() as database, \
         concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        pathlib.Path(database, "compile_commands.json").write_text(json.dumps(understood(commands)))
        # Half the time of a small file is clang's start. The analyzer of clang 14 has to have one process a file: it mixes
        # up the lists of arguments of several.
        results = list(pool.map(lambda some: check(some, database, options), batches(files, BATCH if quick else 1)))
    bad = [text for good, text in results if not good]
    print(*bad, sep="\n")
    print(f"{len(files)} files, {len(bad)} processes with warnings, {time.monotonic() - begin:.0f} s")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
