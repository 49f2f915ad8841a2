#!/usr/bin/env -S python3 -S
"""
What other builds of the same tree must do. Each is configured and built below DIRECTORY, and kept
there, so that the next time is short.

    builds.py agree SOURCE DIRECTORY NUMACHINE GUEST...
        an unoptimised build and NUMACHINE simulate the guests, and the first experiment, with
        identical results
    builds.py added SOURCE DIRECTORY NUMACHINE GUEST
        another core, of a folder and a row, another listener and another detector, of a file and a row
        (docs/extending.md), in a copy of the tree: the core executes the guest, which says the same as on an R4400; the
        listener's file is with the run's results, and the run is the same as NUMACHINE's; the detector looks at the
        guest; the copy keeps to its rooms
    builds.py suite SOURCE DIRECTORY NAME OPTION...
        the build with these meson options passes the quick suite
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import simulator

FIRST_EXPERIMENT = "experiments/first-light.yaml"
# gcc 12's leak checker follows threads' variables of loaded libraries, and now and then reads where none are: it dies then
# ("Tracer caught signal 11", in ScanRangeForPointers at an address below 64 KB).
SANITIZER = "intercept_tls_get_addr=0"


def quietly(command):
    """Runs a command; on failure shows what it said and ends."""
    env = {k: v for k, v in simulator.sanitizer(SANITIZER).items() if not k.startswith(("MESON", "MALLOC_PERTURB_"))}
    begin = time.monotonic()
    done = subprocess.run(command, env=env, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    print(f"{' '.join(command)}: {time.monotonic() - begin:.0f} s", flush=True)
    if done.returncode != 0:
        print(done.stdout)
        sys.exit(1)


def build(source, directory, options, targets):
    if not (directory / "build.ninja").exists():
        quietly(["meson", "setup", str(directory), source, *options])
    quietly(["ninja", "-C", str(directory), *targets])


def result_of_experiment(numachine, file):
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out")
        subprocess.run([numachine, "run", "--quiet", "-o", out, file], check=True,
                       stdout=subprocess.DEVNULL)
        return simulator.end_of(out)[0]


def agree(source, directory, numachine, *guests):
    build(source, directory / "debug", ["--buildtype=debug"], ["cli/numachine"])
    other = str(directory / "debug/cli/numachine")
    runs = {guest: [simulator.simulated(n, guest).hashes for n in (numachine, other)]
            for guest in guests}
    file = os.path.join(source, FIRST_EXPERIMENT)
    runs[file] = [result_of_experiment(n, file) for n in (numachine, other)]
    for program, (one, two) in runs.items():
        print(f"{'ok' if one == two else 'FAILED'}: {os.path.basename(program)} {one} {two}")
    return all(one == two for one, two in runs.values())


# What is added to a copy of the tree: files of tests/extending/, where they go, and a row ahead of which others of a table.
ADDED = {
    "plain": ("procard/plain", "procard/cores.def", "CORE_RULE(",
              'CORE(PLAIN, plain, "plain", "Plain", "MIPS", MON_PROCESSORS, NO_L2C, "")\n'),
    "listener": ("run", "cli/observers.def", 'OBSERVER("cli/shown.c",        cli_shown_profile)',
                 'OBSERVER("run/turns.c", run_turns)'),
    "detector": ("detect", "detect/models.def", "MODEL(naive,",
                 'MODEL(handed, ANY_SHARING, "lines that were taken from a card most often", "none: an example")\n'
                 'PARAMETER(handed, entries, "counters", 64, 1, 65536, "of each card")\n'
                 'PARAMETER(handed, least, "times", 3, 1, 1000000, "a line was taken from a card")'),
}


def put_files(files):
    """Those that are there as they should be stay untouched, so that the next time is short."""
    for path, (content, mode) in files.items():
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)


def copy_with_added(source, copy):
    """The tree with all that is ADDED."""
    tops = [top for top in source.iterdir() if top.name != ".git" and not top.name.startswith("build")]
    files = {copy / f.relative_to(source): (f.read_bytes(), f.stat().st_mode)
             for top in tops for f in [top, *top.rglob("*")] if f.is_file() and f.suffix != ".pyc"}
    for folder, (where, table, ahead, row) in ADDED.items():
        files |= {copy / where / f.name: (f.read_bytes(), f.stat().st_mode)
                  for f in (source / "tests/extending" / folder).iterdir()}
        rows, mode = files[copy / table]
        assert f"\n{ahead}".encode() in rows, f"{table}: no {ahead}"
        files[copy / table] = rows.replace(f"\n{ahead}".encode(), f"\n{row}\n{ahead}".encode(), 1), mode
    for gone in [f for f in copy.rglob("*") if f.is_file() and f not in files]:
        gone.unlink()
    put_files(files)


def another_core_says(numachine, guest):
    said = [subprocess.run([numachine, "stat", "--quiet", "-m", "station-4", "--set", f"processor.core={name}", *mode, "--",
                            guest, "3"], check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            for mode in ([], ["--functional"]) for name in ("r4400", "plain")]
    print(*said)
    return len(set(said)) == 1 and said[0] != ""


def another_listener_hears(numachine, without, guest):
    """All threads but the first end before the program does; and the run is the same as without the listener."""
    with tempfile.TemporaryDirectory() as scratch:
        outs = [pathlib.Path(scratch, name) for name in ("with", "with", "without")]
        for program, out in zip((numachine, numachine, without), outs):
            subprocess.run([program, "stat", "--quiet", "--force", "-m", "station-4", "-o", out, "--", guest, "3"], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        listed = json.loads((outs[0] / "manifest.json").read_text())["files"]
        with open(outs[0] / "monitor/turns.csv", newline="") as table:
            times = {row["what"]: int(row["times"]) for row in csv.DictReader(table)}
        same = simulator.end_of(outs[0])[0] == simulator.end_of(outs[2])[0]
    print(times, list(listed))
    return same and times["born"] == times["ends"] + 1 == 4 and times["page"] > 0 and "monitor/turns.csv" in listed


def another_detector_looks(numachine, guest):
    """Beside one of the tree, at one run; its storage is what it says of it."""
    said, listed = [json.loads(subprocess.run([numachine, *words], check=True, text=True, stdout=subprocess.PIPE).stdout)
                    for words in (["detect", "--format=json", "-m", "station-4", "handed:entries=16:least=1,naive", "--", guest, "3"],
                                  ["list", "--json", "detectors", "handed"])]
    print(said[0]["detector"], said[0]["parameters"], said[0]["bits"], len(said[0]["lines"]), listed)
    return (said[0]["parameters"] == {"entries": 16, "least": 1} and said[0]["bits"] == 4 * 16 * 56 and said[0]["lines"]
            and all(line["suspect"] for line in said[0]["lines"]) and said[0]["pcycles"] == said[1]["pcycles"]
            and [row["kind"] for row in listed] == ["model"])


def added(source, directory, without, guest):
    source, copy, numachine = pathlib.Path(source), directory / "added-tree", directory / "added/cli/numachine"
    copy_with_added(source, copy)
    build(str(copy), directory / "added", ["--buildtype=plain", "-Dtests=false", "-Dinvariants=true"], ["cli/numachine"])
    quietly([sys.executable, str(copy / "tests/rooms.py"), str(copy)])
    good = another_core_says(numachine, guest), another_listener_hears(numachine, without, guest), another_detector_looks(numachine, guest)
    print("core, listener, detector:", *good)
    return all(good)


def suite(source, directory, name, *options):
    build(source, directory / name, options, ["all", "tests"])
    quietly(["meson", "test", "-C", str(directory / name), "--no-rebuild", "--print-errorlogs",
             "--suite", "quick", "--timeout-multiplier", "20"])
    return True


def main():
    what, source, directory, *rest = sys.argv[1:]
    good = {"added": added, "agree": agree, "suite": suite}[what](source, pathlib.Path(directory), *rest)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
