#!/usr/bin/env -S python3 -S
"""The kernels of experiments/kernels: each with its guest twin and with qemu-user.

    kernels.py NUMACHINE HOME NAME       the kernel NAME, with some numbers of threads; the misses of one half of all
    kernels.py NUMACHINE HOME --all      every kernel, with more of them, and its misses
    kernels.py NUMACHINE HOME readme     the README's list is that of the sources
    kernels.py NUMACHINE HOME --write    writes the README's list and its table of misses anew
    kernels.py NUMACHINE HOME --speed N  prints times of the host, with N threads
    kernels.py NUMACHINE HOME --cost     writes the table of host instructions in docs/kernels.md anew (needs valgrind)

A kernel checks its own result, and says it in a line, which kernel, twin and qemu must have in common for every
number of threads. Then what the caches of both have done is compared. Of each, what an idle kernel takes (two barriers)
is taken away. What is left over between them is the guest's own: code, stacks, C library, and another order of
threads. Without a host compiler: 77.
"""
import concurrent.futures
import csv
import dataclasses
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import figures
import marked
import simulator
import skip


@dataclasses.dataclass
class Kernel:
    small: list     # arguments of the runs that must agree
    medium: list    # ... of those whose misses are compared
    margin: tuple   # how far primary misses, secondary ones, upgrades and invalidates may be from the twin's [%]


# Margins are about twice what was measured (README.md says why it is so much), at least 5 %.
KERNELS = {
    "fft": Kernel(["m=4"], ["m=7"], (6, 10, 10, 8)),
    "lu": Kernel(["blocks=3"], ["blocks=10"], (6, 15, 8, 6)),
    "lu-contiguous": Kernel(["blocks=3"], ["blocks=10"], (5, 15, 12, 14)),
    "radix": Kernel(["n=3000"], ["n=65536"], (6, 5, 8, 5)),
    "ocean": Kernel(["n=30", "sweeps=4"], ["n=128", "sweeps=16"], (30, 10, 5, 5)),
    "tree": Kernel(["n=60"], ["n=256"], (40, 20, 10, 8)),
    "water": Kernel(["n=61", "steps=1"], ["n=256"], (5, 25, 5, 5)),
    "spmv": Kernel(["n=500", "rounds=3"], ["n=8192", "rounds=4"], (5, 13, 25, 20)),
    "bfs": Kernel(["n=300", "searches=2"], ["n=4096"], (8, 5, 5, 5)),
    "tasks": Kernel(["n=3000", "lists=9"], ["n=131072"], (50, 10, 5, 5)),
    "produce": Kernel(["n=200", "size=5"], ["n=3000"], (40, 15, 25, 15)),
    "table": Kernel(["n=600", "buckets=20"], ["n=16384"], (6, 5, 5, 5)),
}
# Of these the quick suite compares the misses: blocks, a grid, rows of lists, a queue and a table. Others have longer runs.
BRIEF = ("fft", "lu", "ocean", "spmv", "produce", "table")
THREADS, SOME_THREADS = (1, 2, 7, 16), (2, 7)  # misses are compared with more, whose results must agree, too
QEMU_MOST = 2   # who spins, spins until the host's scheduler has had enough
COMPARED = 16   # threads of the runs whose misses are compared
FEW = 100       # so many misses of a kind do not count: a stack has as many
STATS = {"primary misses": "truth.l1d_misses", "secondary misses": "truth.l2_misses", "upgrades": "truth.upgrades",
         "invalidates": "monitor.invalidate_hits"}
IDLE = """
#include "share.h"
static void *setup(kn_program *p) { return kn_alloc(p, sizeof(kn_barrier)); }
static void work(kn_thread *t, void *data)
{ begin_together(t, (kn_barrier *)data, "idle"); end_together(t, (kn_barrier *)data, "idle"); }
static int check(kn_program *p, void *data) { (void)p; (void)data; return 0; }
KN_KERNEL(setup, work, check)
"""
HOST = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-shared", "-fPIC"]
GUEST = ["mips-linux-gnu-gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-pthread", "-D_GNU_SOURCE"]


@dataclasses.dataclass
class Run:
    said: str
    stats: dict     # of the region
    whole: dict     # of the run
    hash: str
    seconds: float  # user time
    cost: int       # instructions of the host; 0: not counted


class Kernels:
    def __init__(self, numachine, home, scratch):
        self.numachine, self.scratch = numachine, pathlib.Path(scratch)
        self.folder = pathlib.Path(home).resolve() / "experiments/kernels"
        self.include = self.folder.parent / "include"
        self.counter = []
        self.built = {}  # name: files

    def build(self, name, source=None):
        """(kernel, twin) as files, made once."""
        if name in self.built:
            return self.built[name]
        made = self.built[name] = []
        for compiler, suffix in (HOST, "so"), (GUEST, "o32"):
            out = self.scratch / f"{name}.{suffix}"
            subprocess.run([*compiler, f"-I{self.include}", f"-I{self.folder}", source or self.folder / f"{name}.c",
                            "-o", out], check=True)
            made.append(out)
        return made

    def build_idle(self):
        source = self.scratch / "idle.c"
        source.write_text(IDLE)
        return self.build("idle", source)

    def command(self, program, threads, arguments):
        own = [] if program.suffix == ".so" else [f"threads={threads}"]
        return [self.numachine, "stat", "--quiet", "-p", str(threads)], [program, *arguments, *own]

    def run(self, program, threads, arguments):
        with tempfile.TemporaryDirectory(dir=self.scratch) as directory:
            out = pathlib.Path(directory, "out")
            how, what = self.command(program, threads, arguments)
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            done = simulator.bounded([*self.counter, *how, "-o", out, *what], capture_output=True, text=True)
            spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            assert done.returncode == 0, f"{what}, {threads} threads: {done.returncode}\n{done.stdout}{done.stderr}"
            stats = {"whole": {}}
            with open(out / "stats.csv", newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    if row["component"] == "machine":
                        stats.setdefault(row["snapshot"], {})[row["stat"]] = float(row["value"] or 0)
            whole = stats.pop("whole")
            assert len(stats) == 1, f"{program.name} measures one region: {list(stats)}"
            manifest = json.loads((out / "manifest.json").read_text())
            return Run(done.stdout, *stats.values(), whole, manifest["end"]["result_hash"],
                       spent, sum(map(int, re.findall(r"Collected : (\d+)", done.stderr))))


# ---- results ---------------------------------------------------------------------------------------------------------

def check_results(kernels, name, numbers):
    """Kernel, twin and qemu print the same line, and the kernel does the same twice."""
    small = KERNELS[name].small
    kernel, twin = kernels.build(name)
    for threads in numbers:
        run = kernels.run(kernel, threads, small)
        assert len(run.said.splitlines()) == 1, run.said
        if threads > QEMU_MOST or len(numbers) > len(SOME_THREADS):
            assert kernels.run(kernel, threads, small).hash == run.hash, f"{threads} threads: two runs, two results"
        said = {"twin": kernels.run(twin, threads, small).said}
        if threads <= QEMU_MOST:
            said["qemu"] = simulator.bounded(["qemu-mips", twin, *small, f"threads={threads}"], capture_output=True,
                                             text=True, check=True).stdout
        for who, what in said.items():
            assert what == run.said, f"{threads} threads: the kernel says\n{run.said}and the {who}\n{what}"


# ---- misses ----------------------------------------------------------------------------------------------------------

def less(run, idle):
    """What a run has more than an idle one."""
    return {what: run.stats[stat] - idle.stats[stat] for what, stat in STATS.items()}


def measure(kernels, name, idle):
    """(counts of the kernel, of the twin, the two runs), idle ones taken away."""
    programs = kernels.build(name)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda p: kernels.run(p, COMPARED, KERNELS[name].medium), programs))
    assert runs[0].said == runs[1].said, (runs[0].said, runs[1].said)
    return less(runs[0], idle[0]), less(runs[1], idle[1]), runs


def idle_runs(kernels):
    return [kernels.run(program, COMPARED, []) for program in kernels.build_idle()]


def check_misses(kernels, name, idle):
    kernel, twin, _ = measure(kernels, name, idle)
    for (what, count), margin in zip(kernel.items(), KERNELS[name].margin):
        allowed = max(FEW, margin / 100 * twin[what])
        assert abs(count - twin[what]) <= allowed, \
            f"{name}: {what}: {count:.0f}, the twin has {twin[what]:.0f}: more than {margin} % apart"


# ---- the README ------------------------------------------------------------------------------------------------------

def about(text):
    """A source's first sentence, without its last full stop."""
    head = re.match(r"/\*(.*?)\*/", text, re.S).group(1)
    words = re.sub(r"\s*\n \*\s*", " ", head).strip()
    return re.match(r"(.*?)[.:;](\s|$)", words).group(1)


def arguments(folder, text):
    included = re.findall(r'#include "(\w+\.h)"', text)
    text += "".join((folder / file).read_text() for file in included if file != "numachine_kernel.h")
    found = re.findall(r'kn_number\(p, "(\w+)", (\w+), (\w+), ([^)]+)\)', text)
    return ", ".join(f"{name}={standard}" for name, standard, _, _ in found)


def list_of_kernels(folder):
    lines = ["| kernel | what it is | arguments, as they are without |", "|---|---|---|"]
    for name in KERNELS:
        text = (folder / f"{name}.c").read_text()
        lines.append(f"| [{name}]({name}.c) | {about(text)} | {arguments(folder, text)} |")
    return "\n".join(lines)


def table_of_misses(kernels):
    idle = idle_runs(kernels)
    lines = ["| kernel | " + " | ".join(STATS) + " | PCycles |", "|---" * (len(STATS) + 2) + "|"]
    for name in KERNELS:
        kernel, twin, runs = measure(kernels, name, idle)
        cells = [f"{kernel[w]:,.0f} : {twin[w]:,.0f} = {kernel[w] / twin[w]:.3f}" if twin[w] else "0" for w in STATS]
        took = [run.stats["elapsed"] for run in runs]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {took[0] / took[1]:.3f} |")
    lines.append("| an idle one, taken away | " +
                 " | ".join(f"{idle[0].stats[s]:,.0f} : {idle[1].stats[s]:,.0f}" for s in STATS.values()) + " | |")
    return "\n".join(lines)


def check_readme(folder):
    written = {path.stem for path in folder.glob("*.c")}
    assert written == set(KERNELS), f"kernels that are files or rows only: {written ^ set(KERNELS)}"
    marked.hold(folder / "README.md", {"kernels": list_of_kernels(folder)}, "tests/kernels.py ... --write")


def write(kernels):
    marked.hold(kernels.folder / "README.md",
                {"kernels": list_of_kernels(kernels.folder), "misses": table_of_misses(kernels)}, None, write=True)


# ---- speed -----------------------------------------------------------------------------------------------------------

def best_of(kernels, programs, threads, given, times=5):
    """(references, shortest user time [s]) of each, run in turns so many times."""
    rounds = [[kernels.run(p, threads, given) for p in programs] for _ in range(times)]
    return [(references(of_one[0]), min(run.seconds for run in of_one))
            for of_one in zip(*rounds)]


def print_speed(kernels, threads):
    idle = best_of(kernels, kernels.build_idle(), threads, [])
    print("| kernel | thousand references | user seconds | references a second | the same work |\n|---|---|---|---|---|")
    for name in KERNELS:
        found = best_of(kernels, kernels.build(name), threads, [])
        count = [n for n, _ in found]
        took = [max(0.01, seconds - nothing) for (_, seconds), (_, nothing) in zip(found, idle)]
        print(f"| {name} | {count[0] / 1e3:,.0f} : {count[1] / 1e3:,.0f} | {took[0]:.2f} : {took[1]:.2f} "
              f"| {count[0] / took[0] / (count[1] / took[1]):.1f} | {took[1] / took[0]:.1f} |", flush=True)
    print(f"| an idle one, taken away | | {idle[0][1]:.2f} : {idle[1][1]:.2f} | | |")


def references(run):
    return run.whole["truth.loads"] + run.whole["truth.stores"]


def table_of_costs(kernels):
    """With one thread, under callgrind: instructions do not depend on what else the host does."""
    kernels.counter = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        idle = list(pool.map(lambda p: kernels.run(p, 1, []), kernels.build_idle()))
        programs = {name: kernels.build(name) for name in KERNELS}
        runs = {name: [pool.submit(kernels.run, p, 1, KERNELS[name].medium) for p in pair]
                for name, pair in programs.items()}
    lines = ["| kernel | thousand references | million host instructions | a reference | references an instruction | the same work |",
             "|---|--:|--:|--:|--:|--:|"]
    for name, pair in runs.items():
        pair = [run.result() for run in pair]
        cost = [run.cost - nothing.cost for run, nothing in zip(pair, idle)]
        count = [references(run) for run in pair]
        each = [c / n for c, n in zip(cost, count)]
        lines.append(f"| {name} | {count[0] / 1e3:,.0f} : {count[1] / 1e3:,.0f} | {cost[0] / 1e6:,.0f} : {cost[1] / 1e6:,.0f} "
                     f"| {each[0]:,.0f} : {each[1]:,.0f} | {each[1] / each[0]:.1f} | {cost[1] / cost[0]:.1f} |")
    lines.append("| an idle one, taken away | | " + " : ".join(f"{run.cost / 1e6:,.0f}" for run in idle) + " | | | |")
    return "\n".join(lines)


def write_costs(kernels):
    if not shutil.which("valgrind"):
        sys.exit("no valgrind here")
    page = kernels.folder.parent.parent / "docs/kernels.md"
    table = table_of_costs(kernels)
    marked.hold(page, {"costs": table}, None, write=True)
    print(table)


def main():
    numachine, home, what = sys.argv[1:4]
    begin = time.monotonic()
    skip.need("gcc", "cc")
    skip.need("qemu-user", "qemu-mips")
    with tempfile.TemporaryDirectory(prefix="kernels-") as scratch:
        kernels = Kernels(numachine, home, scratch)
        ours = figures.of_documents(home)  # what KN_COMPUTE says was counted in that compiler's code
        if what == "readme":
            check_readme(kernels.folder)
        elif what == "--write":
            write(kernels)
        elif what == "--cost":
            write_costs(kernels)
        elif what == "--speed":
            print_speed(kernels, int(sys.argv[4]))
        elif what == "--all":
            idle = idle_runs(kernels)
            for name in KERNELS:
                check_results(kernels, name, THREADS)
                if ours:
                    check_misses(kernels, name, idle)
        else:
            check_results(kernels, what, SOME_THREADS)
            if what in BRIEF and ours:
                check_misses(kernels, what, idle_runs(kernels))
    print(f"{what}: {time.monotonic() - begin:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
