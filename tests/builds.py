#!/usr/bin/env python3
"""
What other builds of the same tree must do. Each is configured and built below DIRECTORY, and kept
there, so that the next time is short.

    builds.py agree SOURCE DIRECTORY NUMACHINE GUEST...
        an unoptimised build and NUMACHINE simulate the guests, and the first experiment, with
        identical results
    builds.py core SOURCE DIRECTORY GUEST
        another core, of a folder and a row (docs/extending.md), in a copy of the tree: it executes the guest, which says
        the same as on an R4400; the copy keeps to its rooms
    builds.py suite SOURCE DIRECTORY NAME OPTION...
        the build with these meson options passes the quick suite
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import simulator

FIRST_EXPERIMENT = "experiments/first-light.yaml"


def quietly(command):
    """Runs a command; on failure shows what it said and ends."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MESON", "MALLOC_PERTURB_"))}
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


PLAIN = 'CORE(PLAIN, plain, "plain", "Plain", "MIPS", MON_PROCESSORS, NO_L2C, "")'


def put_files(files):
    """Those that are there as they should be stay untouched, so that the next time is short."""
    for path, (content, mode) in files.items():
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)


def core(source, directory, guest):
    source, copy = pathlib.Path(source), directory / "core-tree"
    tops = [top for top in source.iterdir() if top.name != ".git" and not top.name.startswith("build")]
    files = {copy / f.relative_to(source): (f.read_bytes(), f.stat().st_mode)
             for top in tops for f in [top, *top.rglob("*")] if f.is_file() and f.suffix != ".pyc"}
    files |= {copy / "procard/plain" / f.name: (f.read_bytes(), f.stat().st_mode)
              for f in (source / "tests/extending/plain").iterdir()}
    rows, mode = files[copy / "procard/cores.def"]
    files[copy / "procard/cores.def"] = rows.replace(b"\nCORE_RULE(", f"\n{PLAIN}\n\nCORE_RULE(".encode(), 1), mode
    for gone in [f for f in copy.rglob("*") if f.is_file() and f not in files]:
        gone.unlink()
    put_files(files)
    build(str(copy), directory / "core", ["--buildtype=plain", "-Dtests=false"], ["cli/numachine"])
    quietly([sys.executable, str(copy / "tests/rooms.py"), str(copy)])
    said = [subprocess.run([directory / "core/cli/numachine", "stat", "--quiet", "-m", "station-4", "--set",
                            f"processor.core={name}", "--", guest, "3"], check=True, text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL).stdout
            for name in ("r4400", "plain")]
    print(f"{'ok' if said[0] == said[1] != '' else 'FAILED'}: {os.path.basename(guest)}", *said)
    return said[0] == said[1] != ""


def suite(source, directory, name, *options):
    build(source, directory / name, options, ["all", "tests"])
    quietly(["meson", "test", "-C", str(directory / name), "--no-rebuild", "--print-errorlogs",
             "--suite", "quick", "--timeout-multiplier", "4"])
    return True


def main():
    what, source, directory, *rest = sys.argv[1:]
    good = {"agree": agree, "core": core, "suite": suite}[what](source, pathlib.Path(directory), *rest)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
