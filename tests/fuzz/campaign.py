#!/usr/bin/env python3
"""
Fuzzing with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer: a build of its own with
clang, seeds from the targets themselves, and so many executions of each target as the table says.

    campaign.py SOURCE DIRECTORY [TARGET...]     DIRECTORY keeps the build for the next time
        --part N     the N-th part of the executions only

Prints a line for each target: executions, coverage edges, features, inputs kept, seconds. An input
that breaks something is printed as a row for found/rows.txt. Exit status 1 then; 77 without clang.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
import skip

# Executions: 10^7 of parsers and 10^5 of whole runs (elf, calls, code, devices, arm) together.
EXECUTIONS = {
    "arm": 20_000,
    "calls": 20_000,
    "devices": 8_000,
    "code": 8_000,
    "elf": 70_000,
    "names": 20_000,
    "packets": 300_000,
    "yaml": 100_000,
    "strings": 150_000,
    "card": 500_000,
    "sync": 500_000,
    "trace": 100_000,
    "formula": 4_500_000,
    "units": 5_300_000,
}
LONGEST = 4096  # [bytes] of an input
PATIENCE = 60  # [s] for one input
OPTIONS = ["--buildtype=debugoptimized", "-Db_sanitize=address,undefined", "-Db_lundef=false",
           "-Dfuzz=true", "-Dc_args=-fsanitize=fuzzer-no-link -fno-sanitize-recover=all"]


def build(source, directory):
    environment = dict(os.environ, CC="clang")
    steps = [] if (directory / "build.ninja").exists() else [
        ["meson", "setup", str(directory), source, *OPTIONS]]
    for step in [*steps, ["ninja", "-C", str(directory), "fuzz"]]:
        done = subprocess.run(step, env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            sys.exit(done.stdout)


def has_runtime():
    """Whether clang can link a target."""
    with tempfile.TemporaryDirectory() as scratch:
        code = "int LLVMFuzzerTestOneInput(const char *d, unsigned long n)" \
               "{ return n > 9 && *d == 1; }"
        return shutil.which("clang") and subprocess.run(
            ["clang", "-fsanitize=fuzzer,address,undefined", "-x", "c", "-", "-o", scratch + "/a"],
            input=code, text=True, stderr=subprocess.DEVNULL, check=False).returncode == 0


def last(pattern, text):
    found = re.findall(pattern, text)
    return found[-1] if found else "?"


def fuzz(programs, target, executions, scratch):
    """Runs one target. Returns whether nothing was found."""
    corpus, artifacts = scratch / target, scratch / (target + "-found")
    words = scratch / (target + ".dict")
    plain, learning = (str(programs / (kind + target)) for kind in ("fuzz_", "libfuzzer_"))
    for directory in (corpus, artifacts):
        directory.mkdir()
        directory.chmod(0o777)  # targets of root become nobody
    subprocess.run([plain, "--seeds", str(corpus)], check=True)
    subprocess.run([plain, "--words", str(words)], check=True)
    begin = time.monotonic()
    done = subprocess.run(
        [learning, f"-runs={executions}", "-seed=1", f"-max_len={LONGEST}", f"-timeout={PATIENCE}",
         f"-artifact_prefix={artifacts}/", "-print_final_stats=1",
         *([f"-dict={words}"] if words.stat().st_size else []), str(corpus)],
        env=dict(os.environ, ASAN_OPTIONS="abort_on_error=1"), errors="replace", text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout
    print(f"{target}: {last(r'number_of_executed_units: *([0-9]+)', text)} executions, "
          f"{last(r'cov: ([0-9]+)', text)} edges, {last(r'ft: ([0-9]+)', text)} features, "
          f"{last(r'corp: ([0-9]+)', text)} inputs kept, {time.monotonic() - begin:.0f} s", flush=True)
    if done.returncode:
        print(text[-6000:])
        for file in artifacts.iterdir():
            subprocess.run([plain, "--row", str(file)], check=True)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--part", type=int, default=1)
    args = parser.parse_args()
    if not has_runtime():
        skip.skip("no clang with libFuzzer", "clang", "libclang-rt-dev")
    build(args.source, args.directory)
    good = True
    with tempfile.TemporaryDirectory(prefix="numachine-campaign-") as name:
        scratch = pathlib.Path(name)
        scratch.chmod(0o755)
        for target in args.targets or EXECUTIONS:
            good &= fuzz(args.directory / "tests/fuzz", target, EXECUTIONS[target] // args.part,
                         scratch)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
