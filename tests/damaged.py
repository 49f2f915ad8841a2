#!/usr/bin/env -S python3 -S
"""
Documents of a run that say what cannot be are refused by every command that reads them, with one line that has the file's name; a
command that takes them does its work. None dies of a signal, none goes on for long.

    damaged.py NUMACHINE GUEST TIMES     GUEST: tests/c2c_guest.c; TIMES: drawn mutations of each document

A manifest that lists what is there lets damage reach the readers. First each column of truth.json that cannot be negative is made
so; then values and members are drawn.
"""
import copy
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import simulator

COMMANDS = {  # of each document, those that read it
    "truth.json": [["c2c", "--lines=0"], ["placement"], ["mend", "--runs=1", "-j1"]],
    "locks.json": [["locks"]],
    "objects.json": [["c2c"], ["locks"], ["placement"]],
    "profile.json": [["profile"], ["c2c"], ["locks"]],
    "mend.json": [["c2c"]],
    "stats.json": [["report"]],
}
VALUES = [-1, 0, 1, 2**31, 2**32, 2**63 - 1, -2**63, 1.5, "", "no such name", None, True, [], {}, [0], [[]]]
REFUSED = (1, 2)


def done(numachine, command, directory):
    """What it said on standard error, and its status."""
    run = subprocess.run([numachine, *command, directory], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                         timeout=300, check=False)
    return run.stderr, run.returncode


def check(numachine, directory, name, what):
    wrong = []
    for command in COMMANDS[name]:
        said, status = done(numachine, command, directory)
        if status not in (0, *REFUSED) or (status and said.count("error: ") != 1):
            wrong.append(f"{name}: {what}: {' '.join(command)}: status {status}: {said[-300:]}")
    return wrong


def put(directory, name, document):
    (directory / name).write_text(document if isinstance(document, str) else json.dumps(document))
    simulator.listed_again(directory, name)


def places(value, path=()):
    """Of each list some members only: they are alike."""
    yield path
    if isinstance(value, dict):
        for key, part in value.items():
            yield from places(part, (*path, key))
    elif isinstance(value, list):
        for i in sorted({0, len(value) // 2, len(value) - 1} if len(value) > 20 else range(len(value))):
            yield from places(value[i], (*path, i))


def mutated(document, lot):
    """A copy with something else at one place, and what was done."""
    changed = copy.deepcopy(document)
    *way, last = lot.choice([path for path in places(document) if path])
    at = changed
    for step in way:
        at = at[step]
    how = lot.choice(["value", "value", "value", "gone", "twice"])
    if how == "gone":
        del at[last]
    elif how == "twice" and isinstance(at, list):
        at.insert(last, copy.deepcopy(at[last]))
    else:
        at[last] = lot.choice(VALUES)
    return changed, f"{how} at {[*way, last]}"


def fields():
    """(list, field, its column, its type) of the tables of truth.json, without what fills the rest of a row."""
    table, found = (pathlib.Path(__file__).parent.parent / "documents/rows/truth.def").read_text(), []
    for line in table.splitlines():
        row = re.match(r"(ROWS|LIMITED|INDEX|KEY\w*|FIELD)\((\w+), [^,]+, (\w+), (.*)", line)
        if row and row[1] == "ROWS":
            lists, column = row[2], 0
        elif row:
            assert not (row[3] == "number" and '"ticks"' in row[4]), f"a tick may be negative: {line}"
            found.append((lists, row[2], column, row[3]))
            column += 1
    return found


def check_negative(numachine, directory, whole):
    """No count, tick or index is below 0, nor what ends behind one: the sentence names the list and the field."""
    before, tried = None, 0
    for lists, field, column, kind in fields():
        counted = kind in ("count", "index") or (kind == "end" and before == "count")
        before = kind
        if not counted or not whole[lists]:
            continue
        changed = copy.deepcopy(whole)
        changed[lists][-1][column] = -1
        put(directory, "truth.json", changed)
        said, status = done(numachine, ["c2c"], directory)
        assert status in REFUSED and f"truth.json: {lists}[{len(whole[lists]) - 1}].{field}: " in said, (lists, field, said)
        tried += 1
    assert tried > 15, tried
    put(directory, "truth.json", whole)


def main():
    numachine, guest, times = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3])
    lot, wrong = random.Random(36), []
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        run, again = pathlib.Path(scratch, "run"), pathlib.Path(scratch, "again")
        subprocess.run([numachine, "stat", "-q", "--truth", "-m", "station-4", "-o", run, "--", guest, "turns"], check=True,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        subprocess.run([numachine, "mend", "-j1", "--runs=2", run], check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        shutil.copytree(run, again)
        other = pathlib.Path(scratch, "other")
        subprocess.run([numachine, "stat", "-q", "--truth", "-m", "station-4", "-o", other, "--", guest, "counter"], check=True,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        check_negative(numachine, again, json.loads((run / "truth.json").read_text()))
        for name in COMMANDS:
            text = (run / name).read_text()
            for k in range(times):
                changed, what = mutated(json.loads(text), lot) if k % 8 else (text[:lot.randrange(len(text))], "cut off")
                put(again, name, changed)
                wrong += check(numachine, again, name, what)
            if (other / name).exists():
                put(again, name, (other / name).read_text())
                wrong += check(numachine, again, name, "another run's")
            put(again, name, text)
            wrong += [f"{name}, as it was: {command}" for command in COMMANDS[name] if done(numachine, command, again)[1]]
    print("\n".join(wrong) if wrong else f"ok: {times} mutations of each of {len(COMMANDS)} documents")
    sys.exit(bool(wrong))


main()
