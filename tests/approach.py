#!/usr/bin/env python3
"""Fast-forward (run.from, run.to): a part that is timed alone begins with cold caches, and has its own misses and
no others; the same part is the same again; a point that never comes is said; what cannot go together is refused.

    approach.py NUMACHINE SOURCE
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

NUMACHINE, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
REFUSED = [
    (["run.from=region"], "'run.from': 'region' is neither 'region NAME' nor 'instructions N'"),
    (["run.from=instructions 0"], "'run.from': 'instructions 0' is neither"),
    (["run.to=instructions many"], "'run.to': 'instructions many' is neither"),
    (["run.to=main"], "'run.to': 'main' is neither"),
    (["run.from=region a b"], "'run.from': 'region a b' is neither"),
    (["run.from=region work", "run.mode=functional"], "does not go with run.mode: functional"),
    (["run.from=region work", "record.references=true"], "does not go with record.references"),
    (["run.from=region work", "run.check=true"], "does not go with run.check"),
    (["run.to=region work", "run.truth=true"], "does not go with run.truth"),
    (["run.from=region work", "monitor.counters=[{event: nacks, interrupt: true}]"],
     "does not go with interrupts of counters"),
]


KERNEL = SOURCE / "tests/extending/kernel.c"


def run(scratch, name, abi, *sets, status=0):
    """The example's kernel, or its guest twin: the results' directory."""
    file = scratch / "kernel.yaml"
    file.write_text(f"program: {{source: {KERNEL}, args: [n=100000], processors: 16}}\nmonitor: {{events: [nacks]}}\n")
    out = scratch / name
    done = subprocess.run([NUMACHINE, "run", "-q", file, "--force", "-o", out, f"--set=program.abi={abi}",
                           *(f"--set={s}" for s in sets)], capture_output=True, text=True, timeout=600)
    assert done.returncode == status, f"{name} {sets}: {done.returncode}: {done.stderr}"
    return done.stderr, out


def of(out, region, name):
    for line in (out / "stats.csv").read_text().splitlines()[1:]:
        snapshot, component, stat, value, _ = line.split(",")
        if (snapshot, component, stat) == (region, "machine", name):
            return float(value)
    raise KeyError((region, name))


def hash_of(out):
    return json.loads((out / "manifest.json").read_text())["end"]["result_hash"]


def points(scratch, abi):
    _, detail = run(scratch, f"{abi}-detail", abi)
    _, part = run(scratch, f"{abi}-part", abi, "run.from=region sum", "run.to=region sum")
    _, again = run(scratch, f"{abi}-again", abi, "run.from=region sum", "run.to=region sum")
    assert hash_of(part) == hash_of(again) != hash_of(detail), abi
    for stat in "elapsed", "truth.l2_misses":
        whole, near = of(detail, "sum", stat), of(part, "sum", stat)
        assert near >= 0.9 * whole, f"{abi}: {stat} {near}, in detail {whole}: caches were cold"
    inside, all_of_it = of(part, "sum", "truth.l2_misses"), of(part, "whole", "truth.l2_misses")
    assert inside <= all_of_it <= inside + 100, f"{abi}: {all_of_it} misses, {inside} in the region"
    _, tail = run(scratch, f"{abi}-tail", abi, "run.from=instructions 500000")
    assert 0 < of(tail, "whole", "truth.l2_misses"), abi
    _, head = run(scratch, f"{abi}-head", abi, "run.to=instructions 50000")
    assert 0 < of(head, "whole", "truth.l2_misses") < of(detail, "whole", "truth.l2_misses"), abi
    said, none = run(scratch, f"{abi}-never", abi, "run.from=region none", status=1)
    assert "run.from: region none has not been reached: nothing was timed" in said, said
    assert of(none, "whole", "truth.l2_misses") == 0, abi
    print(f"ok: {abi}")


def shipped(scratch):
    """Kernels that come with the simulator, functional and behind a point: the books add up, the result is right."""
    for name in "spmv", "radix", "water":
        file = scratch / "shipped.yaml"
        file.write_text(f"program: {{source: {SOURCE}/experiments/kernels/{name}.c, abi: host, processors: 15}}\n"
                        "machine: ring-16\nmonitor: {events: [nacks]}\n")
        for sets in ["run.mode=functional"], [f"run.from=region {name}"], ["run.to=instructions 200000"]:
            done = subprocess.run([NUMACHINE, "run", "-q", file, "--force", "-o", scratch / "shipped",
                                   *(f"--set={s}" for s in sets)], capture_output=True, text=True, timeout=600)
            assert done.returncode == 0, f"{name} {sets}: {done.returncode}: {done.stderr}"
    print("ok: kernels")


def main():
    with tempfile.TemporaryDirectory() as where:
        scratch = pathlib.Path(where)
        for sets, says in REFUSED:
            said, _ = run(scratch, "refused", "o32", *sets, status=2)
            assert says in said, f"{sets}: not {says!r}: {said}"
        print("ok: what is refused")
        for abi, compiler in ("host", "gcc"), ("o32", "mips-linux-gnu-gcc"):
            if shutil.which(compiler):
                points(scratch, abi)
        if shutil.which("gcc"):
            shipped(scratch)


main()
