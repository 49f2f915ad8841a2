#!/usr/bin/env python3
"""
The account of the false-sharing laboratory is what its command finds, and the table of programs is the truth.

    lab_account.py NUMACHINE HOME

lab.py is run over all programs, detectors and masks, and must find what README.md and account.svg beside it say.
Another compiler lays programs out in another way, so with one the numbers are not compared; what must hold in any
case is that the new detector is better than each of the seed's, on the programs for testing, and that each object
which the table says is shared falsely is, and no other.
"""
import json
import pathlib
import sys
import tempfile

import figures

COMPILER = "12.2.0"
NEW = "words"


def check_table(lab, programs):
    """The truth's lines are those of the table's objects."""
    for (name, padded), built in lab.built.items():
        row = next(row for row in programs.table() if row.name == name)
        lines = {at: thing for thing, first, length in programs.objects(built.output)
                 for at in range(first // 64 * 64, first + length, 64) if thing in row.falsely and not padded}
        strange = set(built.falsely) - set(lines)
        assert not strange, f"{name}{' (mended)' if padded else ''}: shares {list(map(hex, strange))} falsely, too"
        found = {lines[line] for line in built.falsely}
        wanted = set(lines.values())
        assert found == wanted, f"{name}: {wanted - found} should be shared falsely"


def check_better(found):
    """On the programs for testing."""
    new = found[NEW]
    for name, quality in found.items():
        if name != NEW:
            assert new.precision > quality.precision, f"{name} is as precise"
            assert new.recall > quality.recall and new.cost_recall > quality.cost_recall, f"{name} finds as much"


def main():
    numachine, home = sys.argv[1], pathlib.Path(sys.argv[2])
    sys.path.insert(0, str(home / "experiments/false-sharing-lab"))
    sys.dont_write_bytecode = True
    import lab
    import programs
    with tempfile.TemporaryDirectory() as directory:
        here = lab.Lab(numachine, directory)
        looks, blocks = lab.account(here, programs.table(), lab.shipped(), jobs=2)
        check_table(here, programs)
    check_better({name: lab.Quality.of([look for look in all_of if look.program.set == "test"])
                  for name, all_of in looks.items()})
    if not figures.comparable(COMPILER, figures.compiler()):
        return
    assert lab.splice(lab.README.read_text(), blocks) == lab.README.read_text(), "README.md: lab.py --write"
    assert lab.picture(looks) == lab.PICTURE.read_text(), "account.svg: lab.py --write"


main()
