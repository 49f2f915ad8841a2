#!/usr/bin/env python3
"""
The programs of the false-sharing laboratory share what their table says.

    lab_programs.py NUMACHINE HOME [--all]

Each program (without --all, every eighth one of its kind, and with the first number of threads of the table only) and
its mended twin checks its own result. Padding must gain where sharing is false, and change
nothing anywhere else; who shares nothing loses no copies. The texts are those by whose hashes the programs
were dealt out for tuning and testing.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import figures

HOME = pathlib.Path(__file__).resolve().parents[1]

GAIN_LEAST = {"first": 1.1}  # of a mended program, by hand,
GAIN_OTHERS = 1.0            # ... whose programs do more besides
NOISE_MOST = 0.03    # of a program that has nothing to mend: its addresses are others
HITS_OF_SHARING = 20  # invalidates that hit, for each thread: more only if something is shared


def measure(numachine, executable, threads):
    """(output, simulated time [ns], invalidates that hit) of one run."""
    done = subprocess.run([numachine, "stat", "-q", "-x,", "-e", "invalidate_hits", "--", executable, str(threads)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{executable} {threads}: status {done.returncode}\n{done.stdout}{done.stderr}"
    row = next(line.split(",") for line in done.stderr.splitlines() if ",invalidate_hits," in line)
    return done.stdout, int(row[3]), int(row[0])


def check_text(program, lab):
    """The source, or a header beside it, marks what it writes of the objects that the table says are shared falsely."""
    own = program.source.read_text()
    text = own + "".join((program.source.parent / name).read_text() for name in re.findall(r'^#include "([\w.]+)"', own, re.M))
    for thing in program.falsely:
        assert re.search(rf"shares: (.*[ ,])?{re.escape(thing)}( \*/|,|$)", text, re.M), f"{program.label}: no line is marked with 'shares: {thing}'"
    assert program.falsely or "shares:" not in own or program.kind == "cold", program.label
    assert bool(program.falsely) == (program.kind in ("false", "mixed")), program.name
    assert program.kind in lab.KINDS, program.name
    assert program.when in lab.WHEN, program.name
    assert lab.recorded(program.hand).get(program.name) == program.digest, \
        f"{program.source}: another text than the one that was dealt out: restore it, or add a program of a new name"


def check_sharing(program, threads, plain, padded):
    """Times and invalidates are those of the kind."""
    gain = plain[1] / padded[1]
    if program.falsely:
        assert gain >= GAIN_LEAST.get(program.hand, GAIN_OTHERS), f"{program.name}: padding gains {gain:.2f} only"
    else:
        assert abs(gain - 1) <= NOISE_MOST, f"{program.name}: padding changes the time by {gain:.3f}"
    if program.hand != "first":  # the others' programs share more than their tables are about
        return
    rarely = program.name in ("positions", "neighbours")  # in the code of one compiler
    shares = program.truly or program.falsely and not rarely
    assert rarely and not figures.of_documents(HOME) or bool(shares) == (plain[2] > HITS_OF_SHARING * threads), f"{program.name}: {plain[2]} invalidates hit"


def check(numachine, program, directory, lab, every):
    """One program and its twin."""
    executables = [program.build(directory, padded) for padded in (False, True)]
    for threads in program.threads if every else program.threads[:1]:
        plain, padded = (measure(numachine, executable, threads) for executable in executables)
        shown = {name for name, _, _ in lab.objects(plain[0])}
        assert shown >= {*program.falsely, *program.truly}, f"{program.name} shows {shown}"
        if threads == program.threads[0]:
            check_sharing(program, threads, plain, padded)


def chosen(rows, every):
    """The programs that are run."""
    return rows if every else [row for kind in {row.kind for row in rows} for row in [r for r in rows if r.kind == kind][::8]]


def main():
    numachine, home, every = sys.argv[1], pathlib.Path(sys.argv[2]), "--all" in sys.argv
    sys.path.insert(0, str(home / "experiments/false-sharing-lab"))
    sys.dont_write_bytecode = True
    import programs as lab  # of the laboratory, wherever it is installed
    rows = lab.table()
    assert {row.kind for row in rows} == set(lab.KINDS)
    for hand in lab.HANDS:
        names = {row.name for row in rows if row.hand == hand}
        assert set(lab.recorded(hand)) == names, hand
        assert names == {p.stem for p in (lab.HERE / hand).iterdir() if p.suffix in lab.COMPILERS}, hand
    for part in lab.SETS:
        of_set = [row for row in rows if row.set == part]
        assert sum(bool(row.falsely) for row in of_set) >= 6 <= sum(not row.falsely for row in of_set), part
    for row in rows:
        check_text(row, lab)
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(check, numachine, row, directory, lab, every) for row in chosen(rows, every)]:
            done.result()


main()
