"""
What the kernels of experiments/kernels gain from 1 to 64 processors: the golden numbers (experiments/golden.json) of the
two sweeps, and the tables of documents that are made of them.
"""
import csv
import json
import pathlib
import subprocess
import tempfile

# Each sweep's file, and the document with its table.
SWEEPS = {
    "kernels-scaling": ("experiments/kernels/scaling.yaml", "experiments/kernels/README.md"),
}


def label(row):
    """A kernel, and its arguments if the sweep names them: "fft, m=9"."""
    return ", ".join([row["program.source"].removesuffix(".c"), *filter(None, [row.get("program.args", "").strip("[]")])])


def measure(numachine, home, name):
    """The sweep's elapsed PCycles of each kernel's region, by processors, and the hashes of its points. What it expects
    holds, or it ends with another status."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        subprocess.run([numachine, "run", "-q", "-o", out, f"{home}/{SWEEPS[name][0]}"], stdout=subprocess.DEVNULL,
                       check=True)
        return numbers(out)


def numbers(out):
    """Of a sweep's directory."""
    elapsed = {}
    with open(out / "sweep.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            region = row["program.source"].removesuffix(".c").removesuffix("-contiguous")
            if (row["component"], row["stat"], row["region"]) == ("machine", "elapsed", region):
                elapsed.setdefault(label(row), {})[row["program.processors"]] = int(row["value"])
    hashes = {path.parent.name: json.loads(path.read_text())["end"]["result_hash"]
              for path in sorted(out.glob("points/*/manifest.json"))}
    assert len(hashes) == sum(map(len, elapsed.values())) == 56, "a kernel without its region"
    return {"elapsed": elapsed, "result_hashes": hashes}


def table(golden):
    """Speed-ups over one processor."""
    counts = list(next(iter(golden["elapsed"].values())))
    lines = ["| kernel | " + " | ".join(counts) + " |", "|---" + "|--:" * len(counts) + "|"]
    for kernel, took in golden["elapsed"].items():
        lines.append(f"| {kernel} | " + " | ".join(f"{took['1'] / took[n]:.1f}" for n in counts) + " |")
    return "\n".join(lines)


def readme(home, golden, write=False):
    """Whether the documents' tables are those of the golden numbers."""
    for name, (_, document) in SWEEPS.items():
        path = pathlib.Path(home, document)
        text = path.read_text(encoding="utf-8")
        before, rest = text.split("<!-- scaling -->\n")
        _, after = rest.split("\n<!-- end of scaling -->")
        now = before + "<!-- scaling -->\n" + table(golden[name]) + "\n<!-- end of scaling -->" + after
        if write:
            path.write_text(now, encoding="utf-8")
        assert write or now == text, f"{document} has other speed-ups; tests/experiments.py ... --write {name}"
