#!/usr/bin/env -S python3 -S
"""
Programs and machines of two instruction sets: what is built and run, and what is refused, in which words.

    arm_programs.py NUMACHINE
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import skip

ARM = ["--set", "processor.core=arm1176", "--set", "l2.split=false"]
SOURCE = "int main(void) { return 42; }\n"
UNLOADABLE = 2
# Compiler, flags, options of the machine, exit status, and what is said.
RUNS = [
    ("arm-linux-gnueabi-gcc", ["-static"], ARM, 42, ""),
    ("arm-linux-gnueabi-gcc", ["-static", "-march=armv6", "-mthumb"], ARM, 42, ""),
    ("arm-linux-gnueabi-gcc", ["-static"], [], UNLOADABLE, "processors (processor.core) execute MIPS ones: one program has one instruction set"),
    ("mips-linux-gnu-gcc", ["-static"], ARM, UNLOADABLE, "compile it with arm-linux-gnueabi-gcc -static (program.abi: armel)"),
    ("arm-linux-gnueabi-gcc", ["-static", "-march=armv7-a"], ARM, UNLOADABLE, "code for ARMv7, and an ARM11 is ARMv6"),
    ("arm-linux-gnueabi-gcc", ["-static", "-march=armv7-a", "-mthumb"], ARM, UNLOADABLE, "-march=armv6 -mfloat-abi=soft"),
    ("arm-linux-gnueabi-gcc", [], ARM, UNLOADABLE, "dynamically linked"),
    ("arm-linux-gnueabi-gcc", ["-c"], ARM, UNLOADABLE, "an object file; link it with arm-linux-gnueabi-gcc -static"),
]


def run(numachine, here, compiler, flags, options):
    (here / "p.c").write_text(SOURCE)
    subprocess.run([compiler, *flags, "p.c", "-o", "p"], cwd=here, check=True)
    return subprocess.run([numachine, "stat", "-q", *options, "--", here / "p"], capture_output=True, text=True, check=False)


def built(numachine, here):
    """An experiment whose source is built for armel."""
    (here / "x.yaml").write_text(json.dumps({"machine": "station-4", "program": {"source": "p.c", "abi": "armel"}}))
    done = subprocess.run([numachine, "run", "-q", "-o", here / "out", *ARM, here / "x.yaml"], capture_output=True, text=True,
                          check=False, env={**os.environ, "NUMACHINE_CACHE": "off"})
    return [] if "exited with status 42" in done.stderr else [f"an experiment: exit status {done.returncode}\n{done.stderr}"]


def main():
    numachine = os.path.abspath(sys.argv[1])
    complaints = []
    for compiler, flags, options, status, said in RUNS:
        if not skip.have(f"gcc-{compiler.removesuffix('-gcc')}", compiler):
            continue
        with tempfile.TemporaryDirectory() as directory:
            done = run(numachine, pathlib.Path(directory), compiler, flags, options)
        if done.returncode != status or said not in done.stderr:
            complaints.append(f"{compiler} {flags} {options}: exit status {done.returncode}\n{done.stderr}")
    if shutil.which("arm-linux-gnueabi-gcc"):
        with tempfile.TemporaryDirectory() as directory:
            here = pathlib.Path(directory)
            (here / "p.c").write_text(SOURCE)
            complaints += built(numachine, here)
    print(*complaints, sep="\n")
    return 1 if complaints else 0


sys.exit(main())
