#!/usr/bin/env -S python3 -S
"""Sampling (run.sample): a sampled run's result is right, its estimate is near the time of a run that is timed as a
whole and inside the interval that it gives, or the program is said not to suit; the samples add up; the same run
again gives the same bytes; and a fast-forward that warms caches leaves them as warm as a run that is timed.

    sampling.py NUMACHINE SOURCE [long]

Long: kernels, programs that contend for one word, and programs that sleep, with 1 to 16 processors: the estimate is
inside its interval, or something is said against it.
"""
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NUMACHINE, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
KERNELS = SOURCE / "experiments/kernels"
FAR = 0.12  # an estimate is never further off where the program suits, whatever its interval says
# kernel, arguments, processors, PCycles from sample to sample; host: as a kernel, o32: as its guest twin
RUNS = [
    ("host", "spmv", ["n=8192", "rounds=3"], 16, 20000),
    ("host", "lu-contiguous", ["blocks=12"], 8, 40000),
    ("o32", "ocean", ["n=128", "sweeps=4"], 16, 60000),
    ("o32", "water", ["n=128", "steps=1"], 4, 60000),
]
# of kernels for the long test: arguments
SIZES = {"fft": ["m=8"], "lu": ["blocks=16"], "lu-contiguous": ["blocks=16"], "radix": ["n=131072"],
         "ocean": ["n=256", "sweeps=8"], "tree": ["n=768"], "water": ["n=768", "steps=1"], "spmv": ["n=16384", "rounds=4"],
         "bfs": ["n=16384"], "tasks": ["n=131072"], "produce": ["n=8192"], "table": ["n=32768"]}
REFUSED = [
    (["run.sample.length=1000cy"], "nothing is sampled without 'run.sample.every'"),
    (["run.sample.every=3000cy", "run.sample.length=2000cy", "run.sample.lead=1000cy"],
     "'run.sample.every' must be longer than"),
    (["run.sample.every=0cy"], "'run.sample.every'"),
    (["run.sample.every=1ms", "run.mode=functional"], "does not go with run.mode: functional"),
    (["run.sample.every=1ms", "run.truth=true"], "does not go with run.truth"),
    (["run.sample.every=1ms", "run.profile=true"], "does not go with run.profile"),
    (["run.sample.every=1ms", "run.sample.length=999cy"], "'run.sample.length'"),
    (["run.warm=some"], "'run.warm'"),
]


def run(scratch, name, kernel, *sets, status=0):
    abi, source, arguments, processors, _ = kernel
    file = scratch / "sampled.yaml"
    file.write_text("machine: ring-16\nprogram: " + json.dumps(
        {"source": str(KERNELS / f"{source}.c"), "abi": abi, "args": arguments, "processors": processors}) + "\n")
    out = scratch / name
    done = subprocess.run([NUMACHINE, "run", "-q", file, "--force", "-o", out, *(f"--set={s}" for s in sets)],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == status, f"{source} {sets}: {done.returncode}: {done.stderr}"
    return out, done


def of(out, region, name):
    for row in csv.DictReader((out / "stats.csv").open()):
        if (row["snapshot"], row["component"], row["stat"]) == (region, "machine", name):
            return float(row["value"])
    raise KeyError((region, name))


def rows(out):
    return [{k: int(v) for k, v in row.items()} for row in csv.DictReader((out / "sampling.csv").open())]


def add_up(samples, ticks, every, processors):
    """Samples follow each other, and none does what cannot be."""
    end = 0
    for s in samples:
        assert end <= s["from"] - s["lead"] - s["paged"] and s["from"] < s["to"], s
        assert s["to"] - s["from"] <= every and s["processors"] <= processors, s
        assert s["took"] + s["refused"] <= 2 * processors * (s["to"] - s["from"] + every), s
        assert s["instructions"] <= processors * (s["to"] - s["from"] + 100), s
        end = s["to"] + s["rest"]
    assert end <= ticks and len(samples) >= 10, (end, ticks, len(samples))


def sampled(scratch, kernel):
    every = kernel[4]
    whole, _ = run(scratch, "whole", kernel)
    sets = [f"run.sample.every={every}cy"]
    part, said = run(scratch, "part", kernel, *sets)
    again, _ = run(scratch, "again", kernel, *sets)
    for name in "stats.csv", "stats.json", "sampling.csv", "stdout":
        if (part / name).exists():
            assert (part / name).read_bytes() == (again / name).read_bytes(), f"{kernel}: {name}"
    if (whole / "stdout").exists():
        assert (whole / "stdout").read_bytes() == (part / "stdout").read_bytes(), kernel
    add_up(rows(part), of(part, "whole", "elapsed"), every, kernel[3])
    e = json.loads((part / "stats.json").read_text())["estimate"]
    ticks = of(whole, "whole", "elapsed")
    error, width = e["pcycles"] / ticks - 1, e["half_width"] / ticks
    assert e["samples"] == len(rows(part)) and 0 < e["timed"] < 0.5, e
    assert e["unsuited"] or abs(error) <= min(2 * width, FAR), f"{kernel}: {100 * error:+.1f} %: {e}"
    print(f"ok: {kernel[0]} {kernel[1]}: {100 * error:+.1f} %, said +- {100 * width:.1f} %, {e['unsuited'] or 'suits'}")


def crowded(scratch):
    """Samples that follow each other so fast that the machine comes to rest after the next one is due."""
    kernel = ("host", "table", ["n=4096"], 16, 0)
    out, _ = run(scratch, "crowded", kernel, "run.sample.every=3500cy")
    add_up(rows(out), of(out, "whole", "elapsed"), 3500, 16)
    print("ok: crowded samples")


ADDS = """
#include "numachine_kernel.h"
struct all { kn_word word; };
static void *setup(kn_program *p) { return kn_alloc(p, sizeof(struct all)); }
static void work(kn_thread *t, void *data)
{ for (int i = 0; i < 20000; i++) { kn_add(t, &((struct all *)data)->word, 1); KN_COMPUTE(t, GAP); } }
static int check(kn_program *p, void *data) { (void)p; (void)data; return 0; }
KN_KERNEL(setup, work, check)
"""
LOCKS = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sum;
static void *body(void *rounds)
{
    for (unsigned long i = 0; i < (unsigned long)rounds; i++) {
        pthread_mutex_lock(&mutex);
        for (int k = 0; k < 20; k++)
            sum++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}
int main(void)
{
    pthread_t id[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&id[i], NULL, body, (void *)1000ul);
    for (int i = 0; i < 4; i++)
        pthread_join(id[i], NULL);
    printf("%u\\n", sum);
    return sum != 80000;
}
"""


def unsuited(scratch):
    """What sampling cannot do is said: of processors that take a line from each other without being refused much, that
    contend for one, and of threads that sleep at a mutex; the result is right all the same."""
    for name, text, suffix, abi, processors, why in (
            ("adds by two", ADDS, "c", "host", 2, "get on faster"), ("adds by three", ADDS, "c", "host", 3, "contend for lines"),
            ("sleeps", LOCKS, "c", "o32", 4, "threads sleep often")):
        if abi == "o32" and not shutil.which("mips-linux-gnu-gcc"):
            continue
        source = scratch / f"{name.replace(' ', '-')}.{suffix}"
        source.write_text(text.replace("GAP", "20"))
        out, _ = run(scratch, "unsuited", (abi, str(source)[:-2], [], processors, 0), "run.sample.every=40000cy")
        e = json.loads((out / "stats.json").read_text())["estimate"]
        assert why in (e["unsuited"] or "it suits"), f"{name}: {e}"
        assert of(out, "whole", "sampling.unsuited") == 1, e
        print(f"ok: {name}: {e['unsuited']}")


def warmed(scratch):
    """A part behind a fast-forward has nearly the misses that it has in a run that is timed, or, of caches that are
    not warmed, many more."""
    kernel = ("host", "../../tests/extending/kernel", ["n=100000"], 16, 0)
    misses = {}
    for name, sets in {"detail": [], "caches": ["run.from=region sum"],
                       "none": ["run.from=region sum", "run.warm=none"]}.items():
        out, _ = run(scratch, name, kernel, *sets)
        misses[name] = of(out, "sum", "truth.l2_misses")
    assert abs(misses["caches"] - misses["detail"]) <= 0.05 * misses["none"], misses
    assert misses["none"] > 5 * misses["detail"], misses
    print(f"ok: {misses}")


def part(scratch):
    """Of a part that is sampled the estimate is of the part, whatever is in front of it and behind."""
    kernel = ("host", "spmv", ["n=8192", "rounds=3"], 16, 20000)
    points = ["run.from=region spmv", "run.to=region spmv"]
    whole, _ = run(scratch, "whole", kernel)
    for every in 70000, 50000, 30000, 20000:  # it ends in whatever the machine does then
        out, _ = run(scratch, "part", kernel, *points, f"run.sample.every={every}cy")
    e = json.loads((out / "stats.json").read_text())["estimate"]
    ticks = of(whole, "spmv", "elapsed")
    assert abs(e["pcycles"] / ticks - 1) < FAR and ticks < 0.9 * of(whole, "whole", "elapsed"), (e, ticks)
    print(f"ok: a part: {100 * (e['pcycles'] / ticks - 1):+.1f} %")


def command(*words):
    done = subprocess.run([NUMACHINE, *words], capture_output=True, text=True, timeout=600)
    assert done.returncode <= 1, (words, done.stderr)
    return done.stdout + done.stderr


# Which commands show what a run has left, and how each says that it was sampled. Who adds one says it here: "says" is
# looked for in `shown`; "refuses" gets a sampled run, or is asked to sample, and its error says why not.
READERS = {
    "run": "says", "stat": "says", "perfex": "says", "compare": "says", "diff": "says", "report": "says", "collect": "says",
    "profile": "refuses", "c2c": "refuses", "mend": "refuses", "placement": "refuses", "locks": "refuses", "whatif": "refuses",
    "detect": "refuses", "ssrun": "refuses", "watch": "refuses",
    **{name: "reads no run" for name in ("points", "list", "check", "init", "protocol", "topology", "latency", "bench", "trace", "gdb")},
}


def readers(scratch, run_dir, program):
    """Every command is in the table, and who cannot take a sampled run says so."""
    commands = re.findall(r"^COMMAND\((\w+),", (SOURCE / "cli/commands.def").read_text(), re.M)
    assert set(commands) == set(READERS), set(commands) ^ set(READERS)
    every = "run.sample.every=20000cy"
    asked = {"ssrun": ("--set", every, "--", program), "watch": ("--line=0x400000", run_dir),
             "detect": ("--set", every, "words", "--", program), "whatif": (run_dir, "--machine", "numachine-64")}
    for name in (n for n, kind in READERS.items() if kind == "refuses"):
        done = subprocess.run([NUMACHINE, name, *asked.get(name, (run_dir,))], capture_output=True, text=True, timeout=600)
        assert done.returncode == 2 and "numachine: error: " in done.stderr and not done.stdout, f"{name}: {done}"
        print(f"ok: {name}: {done.stderr.splitlines()[0][:120]}")


def apart(run_dirs):
    """What was counted in samples alone is not held against what was counted in all of a run, nor in other samples; what
    is, is."""
    flags = json.loads((run_dirs[1] / "stats.json").read_text())["names"]
    counts = [{k: v for k, v in json.loads((d / "stats.json").read_text())["snapshots"][0]["stats"]["machine"].items()
               if isinstance(v, int)} for d in run_dirs]
    for name in counts[0]:
        timed = flags["machine." + name].get("timed", False)
        if counts[0][name] > 2000:  # a quarter of the run was timed, pages ahead of all: nobody can be in doubt
            share = counts[1].get(name, 0) / counts[0][name]
            assert timed == (share < 0.75), f"{name}: {share} of it is counted, and timed is {timed}"
    rows = list(csv.DictReader(command("diff", "--format=csv", "--all", *run_dirs).splitlines()))
    for row in (r for r in rows if r["part"] == "statistics" and r["name"].removeprefix("machine.") in counts[0]):
        timed = flags[row["name"]].get("timed", False)
        assert not (timed and (row["difference"] or row["percent"])), row
        assert timed or not row["a"] or not row["b"] or row["difference"], row
    assert "have no change: they are counted only while a machine is timed" in command("diff", *run_dirs)
    print("ok: counts of samples are held against nothing else")


def shown(scratch):
    """Wherever figures of a sampled run are shown, they say that they are estimates; of a run that is timed they do
    not. Ratios are of what was timed, so that they are near those of a run that is timed as a whole."""
    kernel = ("host", "spmv", ["n=8192", "rounds=3"], 16, 20000)
    out = {name: run(scratch, name, kernel, *sets)[0]
           for name, sets in {"timed": [], "sampled": ["run.sample.every=20000cy"],
                              "few": ["run.sample.every=500000cy"]}.items()}
    file = scratch / "sampled.yaml"
    (scratch / "r10000.yaml").write_text(file.read_text().replace("ring-16", "r10000").replace("host", "o32").replace("8192", "1024"))
    (scratch / "swept.yaml").write_text(file.read_text() + "sweep: {run.seed: [1, 2]}\n")
    every = "--set=run.sample.every=20000cy"
    command("run", "-q", scratch / "swept.yaml", "-o", scratch / "swept", every)
    command("report", scratch / "swept", "-o", scratch / "swept.html")
    command("report", out["sampled"], "-o", scratch / "page.html")
    says = {
        "table": (command("run", file, "--force", "-o", scratch / "table", every), "~ marks estimates", "IPC ~0."),
        "counts": (command("stat", "-q", "--set=" + every[6:], "--machine", "ring-16", shared(scratch), "n=100000"),
                   "~ marks estimates", "sampled: the estimate"),
        "quiet": (run(scratch, "sampled", kernel, "run.sample.every=20000cy")[1].stderr, "the run was sampled: ~"),
        "quiet, unsuited": (run(scratch, "few", kernel, "run.sample.every=500000cy")[1].stderr, "was sampled: ~", "do not trust"),
        "compare": (command("compare", out["timed"], out["sampled"]), "sampled: ~", " ~"),
        "diff": (command("diff", out["timed"], out["sampled"]), "sampled: ~", "PCycles: ~"),
        "page": ((scratch / "page.html").read_text(), '"estimate":', '"sampling.unsuited":'),
        "sweep": ((scratch / "swept/sweep.csv").read_text(), "machine,sampling.estimate,", "sampling.unsuited,"),
        "page of a sweep": ((scratch / "swept.html").read_text(), '"sampling.samples"', '"sampling.unsuited"'),
    }
    if shutil.which("mips-linux-gnu-gcc"):
        says["perfex"] = command("perfex", every, "-e", "0", scratch / "r10000.yaml"), "the run was sampled: ~"
    readers(scratch, out["sampled"], shared(scratch))
    apart([out["timed"], out["sampled"]])
    for where, (text, *words) in says.items():
        assert all(word in text for word in words), f"{where}: not {words}: {text[:1500]}"
    timed = command("run", file, "--force", "-o", scratch / "table") + command("compare", out["timed"], out["timed"])
    assert "~" not in timed, timed
    for stat in "bus_utilisation", "memory_utilisation", "busiest_ring", "l2_misses_per_1000", "ipc", "card_bandwidth":
        a, b = (of(out[name], "whole", "metric." + stat) for name in ("timed", "sampled"))
        assert abs(b / a - 1) < 0.2, (stat, a, b)
    shot = json.loads((out["sampled"] / "stats.json").read_text())["snapshots"][0]
    assert shot["measured"]["machine"]["elapsed"] == shot["stats"]["machine"]["measured"], shot["measured"]["machine"]
    assert shot["stats"]["machine"]["metric.ipc"] == shot["measured"]["machine"]["metric.ipc"]
    print("ok: what is shown")


def shared(scratch):
    """The kernel as a shared object."""
    subprocess.run(["gcc", "-O2", "-fPIC", "-shared", f"-I{SOURCE}/experiments/include", SOURCE /
                    "tests/extending/kernel.c", "-o", scratch / "kernel.so"], check=True, timeout=600)
    return scratch / "kernel.so"


def measured(scratch, kernel, every):
    """Of the estimate: how many of its intervals it is off; 0: it is unsuited."""
    whole, _ = run(scratch, "whole", kernel)
    ticks = of(whole, "whole", "elapsed")
    every = max(every, int(ticks) // 120)
    part, _ = run(scratch, "part", kernel, f"run.sample.every={every}cy", "run.sample.length=8000cy", "run.sample.lead=2000cy")
    e = json.loads((part / "stats.json").read_text())["estimate"]
    error, width = e["pcycles"] / ticks - 1, (e["half_width"] or 0) / e["pcycles"]
    print(f"{pathlib.Path(kernel[1]).name} {kernel[3]}: {100 * error:+.1f} %, said +- {100 * width:.1f} %, "
          f"{e['unsuited'] or 'suits'}", flush=True)
    return 0 if e["unsuited"] else abs(error) / width


def long(scratch):
    """Of a hundred intervals of 95 % some do not hold the truth. These are of three parts, and more do not: a fifth may be off
    by more than one, and none by more than 3.5: `spmv` has 3.1 (docs/sampling.md)."""
    off = {}
    for threads in 2, 3, 4:
        for gap in 20, 100, 400:
            source = scratch / f"adds-{gap}.c"
            source.write_text(ADDS.replace("GAP", str(gap)))
            off[f"adds {gap} {threads}"] = measured(scratch, ("host", str(source)[:-2], [], threads, 0), 50000)
    (scratch / "locks.c").write_text(LOCKS)
    kernels = [("o32", str(scratch / "locks"), [], 4, 0)]
    kernels += [("host", name, arguments, n, 0) for name, arguments in SIZES.items() for n in (16, 4, 1)]
    for kernel in kernels:
        if shutil.which("gcc" if kernel[0] == "host" else "mips-linux-gnu-gcc"):
            off[f"{kernel[1]} {kernel[3]}"] = measured(scratch, kernel, 50000)
    outside = {name: round(times, 1) for name, times in off.items() if times > 1}
    assert len(outside) <= len(off) / 5 and max(off.values()) <= 3.5, f"off by more than is said: {outside}"
    print(f"ok: {len(off) - len(outside)} of {len(off)}; outside: {outside}")


def main():
    with tempfile.TemporaryDirectory() as where:
        scratch = pathlib.Path(where)
        if sys.argv[3:] == ["long"]:
            long(scratch)
            for kernel in RUNS[1::2]:
                sampled(scratch, kernel)
            return
        for sets, says in REFUSED:
            _, done = run(scratch, "refused", RUNS[0], *sets, status=2)
            assert says in done.stderr, f"{sets}: not {says!r}: {done.stderr}"
        print("ok: what is refused")
        compilers = {"host": "gcc", "o32": "mips-linux-gnu-gcc"}
        for kernel in RUNS[::2]:
            if shutil.which(compilers[kernel[0]]):
                sampled(scratch, kernel)
        if shutil.which("gcc"):
            warmed(scratch)
            part(scratch)
            shown(scratch)
            unsuited(scratch)
            crowded(scratch)


main()
