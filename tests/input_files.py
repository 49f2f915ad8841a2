#!/usr/bin/env -S python3 -S
"""
What is no file, or has no end, given wherever a file is asked for: as experiment, machine, base,
group, program, source and input. Each is refused at once, with status 2 and one line that names it
(and, if a file names it, where), or is read to its end.

    input_files.py NUMACHINE [GUEST]
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

import simulator

TIMEOUT = 30  # processor seconds, and ten times as long: nobody waits for a writer or an end
HUGE = 1 << 36  # [bytes] of a file without contents
KINDS = {
    "fifo": "is a pipe",
    "zero": "is a device",
    "urandom": "is a device",
    "directory": "is a directory",
    "socket": "is a socket",
    "loop": "Too many levels",
    "gone": "No such file",
}


def make(kind, suffix):
    """A thing of a kind; returns its name."""
    name = f"{kind}{suffix}"
    if kind == "fifo":
        os.mkfifo(name)
    elif kind in ("zero", "urandom"):
        os.symlink(f"/dev/{kind}", name)
    elif kind == "directory":
        os.mkdir(name)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(name)
    elif kind == "loop":
        os.symlink(name, name)
    elif kind == "huge":
        with open(name, "wb") as f:
            f.truncate(HUGE)
    return name


class Bench:
    def __init__(self, numachine, guest):
        self.numachine, self.guest = numachine, guest
        self.count, self.failures = 0, 0

    def run(self, *words):
        try:
            done = simulator.bounded([self.numachine, *words], TIMEOUT, capture_output=True, text=True,
                                     errors="replace", stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None, "", ""
        return done.returncode, done.stdout, done.stderr

    def refused(self, words, pattern):
        """Status 2 and one complaint that matches."""
        status, _, said = self.run(*words)
        complaints = [line for line in said.splitlines() if "error: " in line]
        good = status == 2 and len(complaints) == 1 and re.search(pattern, complaints[0])
        self.count += 1
        if not good or os.path.exists("results"):
            self.failures += 1
            print(f"FAILED: {' '.join(words)}: status {status}, wanted {pattern}:\n{said[:400]}")

    def text(self, name, contents):
        with open(name, "w", encoding="utf-8") as f:
            f.write(contents)
        return name


def yaml_files(bench):
    for kind, words in {**KINDS, "huge": "zero byte"}.items():
        name = make(kind, ".yaml")
        bench.refused(["check", name], f"^{name}: error: .*{words}|^{name}:1:1: error: .*{words}|"
                                       f"^{name}:1:1: error: .*UTF-16")
        bench.refused(["run", name], words + "|UTF-16")
        bench.refused(["stat", "-m", f"./{name}", "--", "x"], words + "|UTF-16")
        bench.refused(["stat", "-g", f"./{name}", "--", "x"], words + "|UTF-16")
        if kind == "huge":
            continue
        base = bench.text("base.yaml", f"about: x\nbase: {name}\n")
        bench.refused(["check", base], f"^base.yaml:2:7: error: .*'{name}'.*{words}")
        experiment = bench.text("experiment.yaml", f"machine: {name}\nprogram: {{source: real.c}}\n")
        bench.refused(["check", experiment], f"^experiment.yaml:1:10: error: .*'{name}'.*{words}"
                                             if kind != "gone" else "cannot read")


def programs(bench):
    for kind, words in {**KINDS, "huge": "larger than 1024 MB"}.items():
        bare = make(kind, "")
        bench.refused(["stat", "--", f"./{bare}"], "No such device|" + words)
        file = bench.text("path.yaml", f"program:\n  path: {bare}\n")
        bench.refused(["check", file], f"^path.yaml:2:9: error: .*{bare}.*{words}")
        source = make(kind, ".c")
        file = bench.text("source.yaml", f"program:\n  source: {source}\n")
        bench.refused(["run", file], f"^source.yaml:2:11: error: .*{source}.*{words}")
        if kind not in ("zero", "urandom", "huge"):
            file = bench.text("stdin.yaml", f"program:\n  source: real.c\n  stdin: {bare}\n")
            bench.refused(["check", file], f"^stdin.yaml:3:10: error: .*{bare}.*{words}")
    bench.refused(["stat", "--", "/proc/kcore"], "kcore")


def program_as_yaml(bench):
    shutil.copyfile(bench.numachine, "elf.yaml")
    for command in "run", "check", "points":
        bench.refused([command, "elf.yaml"], "^elf.yaml:1:1: error: this is an executable, not YAML; to run it: numachine stat -- elf")
        for suffix in ".c", ".cpp", ".f90":
            name = bench.text(f"program{suffix}", "int main(void) { return 0; }\n")
            bench.refused([command, name], f"^{name}:1:1: error: this is a program's source, not YAML; .*source: {name}.*numachine stat")
            bench.refused(["stat", "--", name], "not an ELF file; compile it with .* -static, or name it as program.source")


def endless_input(bench):
    """A guest that does not read it does not notice, and nothing hashes it."""
    shutil.copyfile(bench.guest, "guest")
    for device in "zero", "urandom", "null":
        file = bench.text("input.yaml", "machine: station-4\nprogram: {path: guest, "
                                        f"args: [nothing], stdin: /dev/{device}}}\n"
                                        "expect: {status: 0}\n")
        status, _, said = bench.run("run", "-q", "-o", f"out-{device}", file)
        bench.count += 1
        if status != 0:
            bench.failures += 1
            print(f"FAILED: stdin /dev/{device}: status {status}: {said}")


def main():
    bench = Bench(*map(os.path.abspath, sys.argv[1:3]), *([None] if len(sys.argv) < 3 else []))
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        bench.text("real.c", "int main(void) { return 0; }\n")
        yaml_files(bench)
        programs(bench)
        program_as_yaml(bench)
        if bench.guest:
            endless_input(bench)
        os.chdir("/")
    print(f"{bench.count} cases, {bench.failures} failed")
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
