#!/usr/bin/env -S python3 -S
"""sizes.py NUMACHINE ROOT [all]: what one run tells of other line sizes and offsets, against runs that have them.

The laboratory's programs with lines of other sizes, and objects that are moved (sizes_guest.c). What is compared are the
misses and upgrades that false sharing makes: whether there are any, and in which of two layouts there are more. `all`:
all programs, and the table of docs/c2c.md.
"""
import collections
import concurrent.futures
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import skip

COMPILER = "mips-linux-gnu-gcc"
# The programs by which PC_SIZES_HOLD was chosen are not among these: accounts flags halves locks neighbours partials queue tallies
PROGRAMS = "answers bins bitmap board columns counter ledger nodes private records results rows seeds sums".split()
SIZES = 16, 32, 64, 128
KINDS = "sums counts locks ends one".split()
OFFSETS = 0, 8, 24, 40, 56
SOME = (["records", "counter"], ["ends"])
FEW = 100  # requests; fewer are what threads, locks and the library make, and nobody would mend
CLEAR = 1.5  # one layout has so many times another's, or their order is not asked for
FALSELY = "false_sharing", "upgrade_false"


def build(source, where):
    out = where / source.stem
    subprocess.run([COMPILER, "-O2", "-static", "-pthread", "-o", out, source], check=True)
    return out


def truth_of(numachine, out, options, *program):
    done = subprocess.run([str(w) for w in (numachine, "stat", "--quiet", *options, "-o", out, "--", *program)],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, (program, options, done.stderr)
    return json.loads((out / "truth.json").read_text()), done.stdout


def measured(truth, lines):
    columns = [name for name, *_ in truth["columns"]]
    return sum(n for copy, _, _, *values in truth["windows"] if truth["copies"][copy][1] in lines
               for column, n in zip(values[::2], values[1::2]) if columns[column] in FALSELY)


def foretold(truth, lines):
    of = collections.Counter()
    for copy, size, offset, falsely, _, upgrades, _ in truth["sizes"]:
        if truth["copies"][copy][1] in lines:
            of[size, offset] += falsely + upgrades
    return of


def of_sizes(numachine, program, scratch):
    """[(size, foretold, measured)]"""
    everywhere, rows = range(1 << 32), []
    told = foretold(truth_of(numachine, scratch / f"{program.name}.told", ["--truth-sizes"], program)[0], everywhere)
    for size in SIZES:
        primary = [f"--set=l1{half}.line={min(size, 32)}B" for half in "id"]
        truth, _ = truth_of(numachine, scratch / f"{program.name}.{size}", ["--truth", f"--set=l2.line={size}B", *primary], program)
        rows.append((size, told[size, 0], measured(truth, everywhere)))
    return rows


def of_offsets(numachine, guest, kind, scratch):
    """[(offset, foretold, measured)], of the object alone"""
    truth, text = truth_of(numachine, scratch / f"moved.{kind}.told", ["--truth-sizes"], guest, kind, 0)
    lines = range(int(text.split()[0], 16), int(text.split()[0], 16) + 4096)
    told, rows = foretold(truth, lines), []
    for offset in OFFSETS:
        truth, _ = truth_of(numachine, scratch / f"moved.{kind}.{offset}", ["--truth"], guest, kind, offset)
        rows.append((offset, told[64, offset], measured(truth, lines)))
    return rows


def wrong(name, rows):
    for layout, told, is_so in rows:
        if (told < FEW / 2 and is_so >= FEW) or (told >= FEW and is_so < FEW / 2):
            yield f"{name} {layout}: {told} were foretold, and there are {is_so}"
    for (one, told, is_so), (other, told_too, is_too) in itertools.permutations(rows, 2):
        if is_too >= FEW and is_too > CLEAR * is_so and told_too <= told:
            yield f"{name}: {other} has more than {one} ({is_too}, {is_so}), which was not foretold ({told_too}, {told})"


def main():
    numachine, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    every = "all" in sys.argv[3:]
    skip.need(f"gcc-{COMPILER.removesuffix('-gcc')}", COMPILER)
    programs, kinds = (PROGRAMS, KINDS) if every else SOME
    bad = []
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        scratch = pathlib.Path(scratch)
        guest = build(root / "tests" / "sizes_guest.c", scratch)
        built = [build(root / "experiments/false-sharing-lab/first" / f"{name}.c", scratch) for name in programs]
        tables = [*pool.map(lambda program: (program.name, of_sizes(numachine, program, scratch)), built),
                  *pool.map(lambda kind: (f"{kind}, moved", of_offsets(numachine, guest, kind, scratch)), kinds)]
    for name, rows in tables:
        print(f"| {name} | " + " | ".join(f"{told} / {is_so}" for _, told, is_so in rows) + " |")
        bad += wrong(name, rows)
    ratios = sorted(told / is_so for _, rows in tables for _, told, is_so in rows if is_so >= FEW)
    print(f"of {len(ratios)} with {FEW} or more: foretold / measured from {ratios[0]:.2f} to {ratios[-1]:.2f}, "
          f"half of them from {ratios[len(ratios) // 4]:.2f} to {ratios[-len(ratios) // 4]:.2f}")
    for sentence in bad:
        print(sentence)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
