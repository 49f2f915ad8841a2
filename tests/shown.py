#!/usr/bin/env -S python3 -S
"""
shown.py NUMACHINE ROOT DOCUMENT...: what a document shows of its commands is what they print.

In a document an indented line that begins with a command (COMMAND) is run, in the order of the document, in a directory that has
experiments/. Other indented lines must begin a line of the output of the commands in front of them; `...` at the end stands
for the rest. A block of code with a file's name behind its language is that file. README.md shows the tables of
first_light.py, which are looked at there: of README.md there are the sections below.

Programs of another compiler have other numbers. Of docs/tools.md: what it records has the threads in it, and its Python runs.
"""
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import figures
import skip

COMMAND = re.compile(r"(\./numachine|mips-\S+|arm-\S+|sed|head|python3) ")
# What a command may end with besides 0: differences, the limit of a run, a debugger that left it.
STATUSES = {"diff": 1, "--limit": 6, "--batch": 130}
# Sections of documents that are looked at in parts.
SECTIONS = {"README.md": ("## My program is slow\n", "## My program is in C++\n")}


def environment(numachine, root, scratch):
    """A directory with what documents take for granted."""
    shutil.copytree(root / "experiments", f"{scratch}/experiments", ignore=shutil.ignore_patterns("false-sharing-lab"))
    wrapper = pathlib.Path(scratch, "numachine")
    wrapper.write_text(f'#!/bin/sh\nexec {shlex.quote(numachine)} "$@"\n')
    wrapper.chmod(0o755)


def run(line, scratch):
    """What a command prints on both streams."""
    compiler = COMMAND.match(line)[1]
    if not compiler.startswith("./"):
        skip.need(f"the package of {compiler}", compiler)
    done = subprocess.run(["sh", "-c", line], cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    allowed = {0} | {status for word, status in STATUSES.items() if word in line}
    assert done.returncode in allowed, f"{line}: status {done.returncode}: {done.stdout}"
    return done.stdout.splitlines()


def without_numbers(line):
    """Nor signs, hashes, addresses with the function there, nor the bytes of a line that a card has used."""
    return re.sub(r"xxh64:[0-9a-f]+|0x[0-9a-f]+( \(\w+\+0x[0-9a-f]+\))?|[-+]?[0-9][0-9.,]*", "N", re.sub(r"\s+[.a-z]{16}\s+", " B ", " ".join(line.split())))


def squeezed(line):
    return " ".join(line.split())


def parts(text):
    """(what, body) of a document in its order: commands, lines shown, files."""
    for block in re.split(r"(```\w+[^`]*```)", text):
        file = re.match(r"```\w+ (\S+)\n(.*?)```", block, re.S)
        if file:
            yield "file", file.groups()
        elif not block.startswith("```"):
            for line in block.splitlines():
                if line.startswith("    ") and line.strip():
                    yield ("command" if COMMAND.match(line[4:]) else "shown"), line[4:]


def check_document(numachine, root, name, ours):
    """@param ours  whether the numbers are those of the compiler that is here"""
    text = (root / name).read_text()
    if name in SECTIONS:
        text = "".join(text.split(heading)[1].split("\n## ")[0] for heading in SECTIONS[name])
    alike, said, counts, wrong = squeezed if ours else without_numbers, [], {"command": 0, "shown": 0, "file": 0}, []
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        environment(numachine, root, scratch)
        for kind, body in parts(text):
            counts[kind] += 1
            if kind == "file":
                pathlib.Path(scratch, body[0]).write_text(body[1])
            elif kind == "command":
                said += [alike(line) for line in run(body.split("  #")[0].strip(), scratch)]
            elif not any(line.startswith(alike(body.removesuffix("..."))) for line in said):
                wrong.append(body)
    assert not wrong, f"{name}: not in the output:\n" + "\n".join(wrong)
    assert counts["command"] and counts["shown"], f"{name}: nothing to look at"
    print(f"ok: {name}, {counts}")


def check_tools(numachine, root, ours):
    """docs/tools.md: its first command, its snippet, and where it says that a region begins."""
    text = (root / "docs/tools.md").read_text()
    command = next(line for line in text.splitlines() if line.startswith("    ./numachine run "))
    snippet = re.search(r"```python\n(.*?)```", text, re.S)[1]
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        environment(numachine, root, scratch)
        run(command.strip(), scratch)
        done = subprocess.run([sys.executable, "-c", snippet], cwd=scratch, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and " us " in done.stdout, done.stderr
        if not ours:
            return
        events = json.load(gzip.open(f"{scratch}/DIR/trace.json.gz"))["traceEvents"]
        stats = json.loads(pathlib.Path(scratch, "DIR/stats.json").read_text())
    threads = {e["tid"] for e in events if e["ph"] == "X" and e["name"] == "runs"}
    assert len(threads) >= 4, f"{command.strip()}: {len(threads)} threads run, and not the four that count"
    begin = next(s["begin_tick"] for s in stats["snapshots"] if s["name"] == "adjacent")
    assert f'"begin_tick": {begin},' in text and f"--trace={begin}cy:" in text, begin


def main():
    numachine, root, *names = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), *sys.argv[3:]
    skip.need("gcc-mips-linux-gnu", "mips-linux-gnu-gcc")
    ours = figures.of_documents(root)
    for name in names:
        if name == "docs/tools.md":
            check_tools(numachine, root, ours)
        else:
            check_document(numachine, root, name, ours)
    return 0


if __name__ == "__main__":
    sys.exit(main())
