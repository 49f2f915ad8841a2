#!/usr/bin/env python3
"""
slow.py NUMACHINE ROOT: README.md's "My program is slow" and "My program is in C++", and docs/slow.md, show what their
commands show. And what docs/tools.md records has the threads in it, and its Python runs. Programs of another compiler have other numbers.
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



PARTED = 1  # numachine diff: the results differ
# Sections, for gcc and, where it is there, g++.
SECTIONS = {"README.md": ("## My program is slow\n", "## My program is in C++\n"),
            "docs/slow.md": ("## In C\n", "## Did it help?\n", "## In C++\n")}
IS_COMMAND = re.compile(r"\./numachine|mips-|sed ")


def run(numachine, command, scratch, allowed=(0,)):
    command = [numachine if word == "./numachine" else word for word in command]
    done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
    assert done.returncode in allowed, f"{command}: status {done.returncode}: {done.stderr}"
    return done.stdout


def redirected(numachine, line, scratch):
    """A command whose output may go to a file."""
    words, _, name = line.partition(" > ")
    command = shlex.split(words, comments=True)
    said = run(numachine, command, scratch, (0, PARTED) if "diff" in command else (0,))
    if name:
        pathlib.Path(scratch, name).write_text(said)
    return said


def without_numbers(line):
    """Nor addresses, nor the bytes of a line that a card has used."""
    return re.sub(r"0x[0-9a-f]+|[0-9][0-9.,]*", "N", re.sub(r"\s+[.a-z]{16}\s+", " B ", " ".join(line.split())))


def check_document(numachine, document, headings, scratch, ours):
    """@param ours  whether the numbers are those of the compiler that is here"""
    text = document.read_text()
    sections = "".join(text.split(heading)[1].split("\n## ")[0] for heading in headings
                       if "C++" not in heading or shutil.which("mips-linux-gnu-g++"))
    blocks = [line[4:] for line in sections.splitlines() if line.startswith("    ")]
    commands = [line for line in blocks if IS_COMMAND.match(line)]
    shown = [line.strip() for line in blocks if line.strip() and not IS_COMMAND.match(line)]
    assert len(commands) >= 6 and len(shown) >= 8, (commands, shown)
    said = "".join(redirected(numachine, line, scratch) for line in commands)
    alike = str.strip if ours else without_numbers
    lines = [alike(line) for line in said.splitlines()]
    wrong = [line for line in shown if not any(said.startswith(alike(line.removesuffix("..."))) for said in lines)]
    assert not wrong, f"{document}: not in the output: " + "\n".join(wrong)
    print(f"ok: {document.name}, {len(commands)} commands, {len(shown)} lines")


def check_tools(numachine, root, scratch, ours):
    """docs/tools.md: its first command, its snippet, and where it says that a region begins."""
    text = (root / "docs/tools.md").read_text()
    command = next(line for line in text.splitlines() if line.startswith("    ./numachine run "))
    run(numachine, shlex.split(command), scratch)
    snippet = re.search(r"```python\n(.*?)```", text, re.S)[1]
    done = subprocess.run([sys.executable, "-c", snippet], cwd=scratch, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and " us " in done.stdout, done.stderr
    if not ours:
        return
    events = json.load(gzip.open(f"{scratch}/DIR/trace.json.gz"))["traceEvents"]
    threads = {e["tid"] for e in events if e["ph"] == "X" and e["name"] == "runs"}
    assert len(threads) >= 4, f"{command.strip()}: {len(threads)} threads run, and not the four that count"
    stats = json.loads(pathlib.Path(scratch, "DIR/stats.json").read_text())
    begin = next(s["begin_tick"] for s in stats["snapshots"] if s["name"] == "adjacent")
    assert f'"begin_tick": {begin},' in text and f"--trace={begin}cy:" in text, begin


def main():
    numachine, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    skip.need("gcc-mips-linux-gnu", "mips-linux-gnu-gcc")
    ours = figures.of_documents(root)
    for name, headings in SECTIONS.items():
        with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
            shutil.copytree(root / "experiments", f"{scratch}/experiments", ignore=shutil.ignore_patterns("false-sharing-lab"))
            check_document(numachine, root / name, headings, scratch, ours)
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        shutil.copytree(root / "experiments", f"{scratch}/experiments", ignore=shutil.ignore_patterns("false-sharing-lab"))
        check_tools(numachine, root, scratch, ours)
    return 0


if __name__ == "__main__":
    sys.exit(main())
