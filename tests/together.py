#!/usr/bin/env -S python3 -S
"""
A file that is compiled together with the others of its folder reads as it does by itself.

    together.py SOURCE BUILD

meson.build has folders compiled as one, so a macro that one file leaves could change what the next one says, or a table or
header that is read there first. Here the preprocessor reads each folder as one, and each of its files alone: what comes out
of a file, its tables and its headers has to be the same. What two files name twice the compiler says, but for variables
without a value: it would make them one.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import skip
import tidy

MARK = re.compile(r'^# \d+ "(.*?)"((?: \d)*)$')
VARIABLE = re.compile(r"^static [\w *]*?(\w+)(?:\[[^]]*\])*;$")
ENTERS, RETURNS = "1", "2"  # a mark's flags


def preprocessed(command, source, build):
    """What the preprocessor makes of each file of the tree, with the tables that it includes: {file: [lines]}."""
    words = shlex.split(command)
    for option in ("-MD", "-c"):
        words.remove(option)
    for option in ("-MQ", "-MF", "-o"):
        at = words.index(option)
        del words[at:at + 2]
    text = subprocess.run([*words, "-E"], cwd=build, check=True, capture_output=True, text=True).stdout
    found, stack = collections.defaultdict(list), [""]
    for line in text.splitlines():
        mark = MARK.match(line)
        if mark and ENTERS in mark[2]:
            file = build / mark[1]
            stack.append(stack[-1] if file.suffix == ".def" else os.path.normpath(file))
        elif mark and RETURNS in mark[2]:
            stack.pop()
        elif mark and len(stack) == 1:
            stack = [os.path.normpath(build / mark[1])]
        elif line.strip() and not mark and stack[-1].startswith(f"{source}/"):
            found[os.path.relpath(stack[-1], source)].append(re.sub(r"\s+", " ", line.rstrip()))
    return found


def differences(unit, alone):
    """Of the files that are compiled as one, and of their headers, those of which the preprocessor makes something else."""
    for found in alone:
        for file, lines in found.items():
            there = unit[file]
            if there != lines:
                first = next(((a, b) for a, b in zip(there, lines) if a != b), ("", ""))
                yield f"{file}: '{first[0]}' together with its folder, '{first[1]}' alone ({len(there)} and {len(lines)} lines)"


def joined(alone):
    """Variables that two files have without a value: the compiler would make them one."""
    files = collections.defaultdict(set)
    for found in alone:
        for file, lines in found.items():
            for name in (m[1] for line in lines if file.endswith(".c") and (m := VARIABLE.match(line))):
                files[name].add(file)
    return [f"{name} is a variable of {' and of '.join(sorted(of))}" for name, of in files.items() if len(of) > 1]


def main():
    source, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    commands = json.loads((build / "compile_commands.json").read_text())
    units = [(c, one) for c in commands if len(one := list(tidy.apart([c], build))) > 1]
    if not units:
        skip.skip("this build compiles each file by itself")
    wrong, files = [], 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for unit, each in units:
            unit, *alone = pool.map(lambda c: preprocessed(c["command"], source, build), [unit, *each])
            wrong += [*differences(unit, alone), *joined(alone)]
            files += len(alone)
    print(*sorted(set(wrong)), sep="\n", end="\n" if wrong else "")
    print(f"{files} files of {len(units)} folders, {len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
