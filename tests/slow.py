#!/usr/bin/env python3
"""slow.py NUMACHINE ROOT: README.md's "My program is slow" shows what its commands show."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    numachine, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    section = (root / "README.md").read_text().split("## My program is slow\n")[1].split("\n## ")[0]
    blocks = [line[4:] for line in section.splitlines() if line.startswith("    ")]
    commands = [shlex.split(line, comments=True) for line in blocks if re.match(r"\./numachine|mips-", line)]
    shown = [line for line in blocks if not re.match(r"\./numachine|mips-", line)]
    assert len(commands) >= 4 and len(shown) >= 8, (commands, shown)
    if not shutil.which(commands[0][0]):
        print(f"skipped: no {commands[0][0]}")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        (pathlib.Path(scratch) / "experiments").mkdir()
        shutil.copy(root / "experiments/slow.c", f"{scratch}/experiments")
        said = ""
        for command in commands:
            command = [numachine if word == "./numachine" else word for word in command]
            done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{command}: status {done.returncode}: {done.stderr}"
            said += done.stdout
    lines = [line.strip() for line in said.splitlines()]
    wrong = [line for line in shown if line.strip() and
             not any(said.startswith(line.strip().removesuffix("...").strip()) for said in lines)]
    assert not wrong, "not in the output: " + "\n".join(wrong)
    print(f"ok: {len(commands)} commands, {len(shown)} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
