"""
Whose figures those are that are written down in documents and in experiments/golden.json: of programs that one compiler
has made. Another makes other programs, which take a little more or less.
"""
import json
import pathlib
import subprocess

import skip


def compiler(command="mips-linux-gnu-gcc"):
    return subprocess.run([command, "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()


def comparable(theirs, ours):
    """Whether the figures are of the compiler that is here; if not, that is said."""
    if theirs != ours:
        skip.left_out(f"the figures that are written down are of gcc {theirs}, and this is {ours}")
    return theirs == ours


def by_compiler(same, other, command="mips-linux-gnu-gcc"):
    """A bound: `same` for programs of the compiler that the figures are of, from which it was taken; `other` for those of another."""
    golden = json.loads((pathlib.Path(__file__).parent.parent / "experiments/golden.json").read_text(encoding="utf-8"))
    return same if golden["compiler"] == compiler(command) else other


def of_documents(home):
    """Whether those of the documents are."""
    golden = json.loads(pathlib.Path(home, "experiments/golden.json").read_text(encoding="utf-8"))
    return comparable(golden["compiler"], compiler())
