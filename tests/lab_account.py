#!/usr/bin/env python3
"""
The account of the false-sharing laboratory is what its command finds, and the tables of programs are the truth.

    lab_account.py NUMACHINE HOME [--all]

With --all, all programs and detectors: README.md must have the tables that the command writes. Without, a few programs of
each hand: the command goes on where it was interrupted, writes the same bytes again, and leaves the set for testing closed
if told to. In both, each object that a table says is shared falsely is, and no other, and no mended twin shares falsely; a
row of which that is not so is among those that README.md names. Another compiler lays programs out in another way, so with
one the figures are not compared.
"""
import filecmp
import pathlib
import shutil
import subprocess
import sys
import tempfile

import figures

COMPILER = "12.2.0"
FEW = ["first/tallies", "first/counter"]


def run(home, numachine, directory, *words):
    done = subprocess.run([home / "experiments/false-sharing-lab/run", "--numachine", numachine, "-o", directory, *words],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def check_refused(home, numachine, directory):
    """What is asked for wrongly is said in a line or two."""
    for words, says in ((["--detector", "naive,hitm"], "a --detector for each of 'naive,hitm'"),
                        (["--detector", "naive:lime=3", "--jobs", "1"], "no parameter 'lime'"),
                        (["--numachine", "/nonexistent"], "/nonexistent: no such simulator"),
                        (["--program", "first/nosuch"], "no such program")):
        done = subprocess.run([home / "experiments/false-sharing-lab/run", "--numachine", numachine, "-o", directory / "refused",
                               "--develop", "--short", *(["--program", FEW[0]] if "--program" not in words else []), *words],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 1 and says in done.stderr and "Traceback" not in done.stderr, (words, done)


def few_of(programs):
    """A false one and another of each hand, of whatever set."""
    rows = programs.table()
    chosen = list(FEW)
    for hand in programs.HANDS[1:]:
        these = [row for row in rows if row.hand == hand]
        chosen += [next(row.label for row in these if bool(row.falsely) == falsely) for falsely in (True, False)]
    return chosen


def check_table(account, here, readme):
    """Label, truth and twin agree, or README.md says what is wrong."""
    table = here.corpus({})
    column = [c.name for c in table.columns].index("agree")
    for row in table.rows:
        assert row[column] == "yes" or f"| {row[0]} |" in readme and row[column] in readme, f"{row[0]}: {row[column]}"


def check_few(home, numachine, directory, programs):
    """Twice the same, and the second time from what is kept."""
    words = [word for label in few_of(programs) for word in ("--program", label)]
    first, second = directory / "first", directory / "second"
    for out in first, second:
        run(home, numachine, out, "--short", "--detector", "words", "--detector", "lines", *words)
    names = sorted(p.name for p in first.iterdir() if p.is_file())
    assert "index.html" in names and "tables.tex" in names and "precision-recall.svg" in names, names
    _, differs, errors = filecmp.cmpfiles(first, second, names, shallow=False)
    assert not differs and not errors, (differs, errors)
    kept = {p: p.stat().st_mtime_ns for p in (first / "kept").iterdir()}
    run(home, numachine, first, "--short", "--detector", "words", "--detector", "lines", *words)
    assert kept == {p: p.stat().st_mtime_ns for p in (first / "kept").iterdir()}, "a run was made again"
    assert not filecmp.cmpfiles(first, second, names, shallow=False)[1]
    shutil.copytree(first / "kept", directory / "third/kept")
    done = run(home, numachine, directory / "third", "--develop", "--detector", "lines", *words)
    assert "testing" not in done.stdout and "was not opened" in (directory / "third/index.html").read_text()


def main():
    numachine, home, every = sys.argv[1], pathlib.Path(sys.argv[2]), "--all" in sys.argv
    sys.path.insert(0, str(home / "experiments/false-sharing-lab"))
    sys.dont_write_bytecode = True
    import account
    import looks
    import programs
    readme = (home / "experiments/false-sharing-lab/README.md").read_text()
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        if not every:
            check_few(home, numachine, directory, programs)
            check_refused(home, numachine, directory)
        elif figures.comparable(COMPILER, figures.compiler()):
            run(home, numachine, directory, "--check")
        rows = [row for row in programs.table() if every or row.label in few_of(programs)]
        bench = looks.Bench(numachine, directory / ("first" if not every else "."), 2)
        if figures.comparable(COMPILER, figures.compiler()):
            check_table(account, account.Account(bench, rows, []), readme)


main()
