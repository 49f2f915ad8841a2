"""
What the kernels of experiments/kernels gain from 1 to 64 processors, and what keeps them from more: the golden numbers
(experiments/golden.json) of three sweeps, and the tables of documents that are made of them.
"""
import csv
import json
import pathlib
import subprocess
import tempfile

import marked

FOLDER = "experiments/kernels"
SWEEPS = {"kernels-scaling": "scaling.yaml", "kernels-validation": "validation.yaml",
          "kernels-differences": "differences.yaml"}
KEPT = {"elapsed": "elapsed", "monitor.run": "run", "monitor.cache_stalls": "cache_stalls", "monitor.mp_stall": "mp_stall",
        "metric.nacks_per_read": "nacks_a_read", "metric.mean_read_latency": "read_latency",
        "metric.busiest_central_ring": "central_ring"}
PLACEMENTS = ("round_robin", "first_touch")


def measure(numachine, home, name):
    """A sweep's golden entry. What it expects holds, or it ends with another status."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "out")
        subprocess.run([numachine, "run", "-q", "-o", out, pathlib.Path(home, FOLDER, SWEEPS[name])],
                       stdout=subprocess.DEVNULL, check=True)
        return numbers(out)


def numbers(out):
    """Of a sweep's directory: of each point, what it sets, some statistics of its kernel's region, and its hash."""
    points = {}
    with open(out / "sweep.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            kernel = row["program.source"].removesuffix(".c")
            if row["component"] != "machine" or row["region"] != kernel.removesuffix("-contiguous"):
                continue
            point = points.setdefault(row["point"], {
                "kernel": ", ".join([kernel, *filter(None, [row.get("program.args", "").strip("[]").replace("'", "")])]),
                "processors": int(row["program.processors"]),
                **{key: row[key] for key in ("memory.placement", "rings.clock") if key in row}})
            if row["stat"] in KEPT:
                point[KEPT[row["stat"]]] = int(row["value"]) if row["value"].isdigit() else float(row["value"] or "nan")
    for name, point in points.items():
        manifest = json.loads((out / "points" / name / "manifest.json").read_text(encoding="utf-8"))
        point["result_hash"] = manifest["end"]["result_hash"]
    assert len(points) == len(list(out.glob("points/*/manifest.json"))), "a kernel without its region"
    return points


# ---- tables of documents ---------------------------------------------------------------------------------------------

def by_kernel(golden):
    """{kernel: {processors: point}}"""
    found = {}
    for point in golden.values():
        found.setdefault(point["kernel"], {})[point["processors"]] = point
    return found


def speed_ups(golden):
    rows = by_kernel(golden)
    counts = sorted(next(iter(rows.values())))
    lines = ["| kernel | " + " | ".join(map(str, counts)) + " |", "|---" + "|--:" * len(counts) + "|"]
    for kernel, at in rows.items():
        lines.append(f"| {kernel} | " + " | ".join(f"{at[1]['elapsed'] / at[n]['elapsed']:.1f}" for n in counts) + " |")
    return lines


def shares(golden):
    """What 64 processors do with their time, beside one."""
    lines = ["| kernel | work | waits | caches | rest | NACKs a read | latency of a read, 1 : 64 | central ring |",
             "|---" + "|--:" * 7 + "|"]
    for kernel, at in by_kernel(golden).items():
        one, all_ = at[1], at[64]
        whole = 64 * all_["elapsed"]
        parts = [one["run"], all_["run"] - one["run"], all_["cache_stalls"] + all_["mp_stall"]]
        lines.append(f"| {kernel.partition(',')[0]} | "
                     + " | ".join(f"{100 * part / whole:.0f}" for part in [*parts, whole - sum(parts)])
                     + f" | {all_['nacks_a_read']:.2f} | {one['read_latency']:.0f} : {all_['read_latency']:.0f} "
                       f"| {all_['central_ring']:.0f} |")
    return lines


def placements(golden, differences):
    """Speed-up of 64 processors over one whose pages lie round robin, by where pages are."""
    lines = ["| kernel | round robin | first touch | busiest central link, % |", "|---|--:|--:|--:|"]
    one = {kernel: at[1]["elapsed"] for kernel, at in by_kernel(golden).items()}
    found = {}
    for point in differences.values():
        if point["kernel"] in one and point["rings.clock"] == "50000000":
            found.setdefault(point["kernel"], {})[point["memory.placement"]] = point
    for kernel, at in found.items():
        gains = " | ".join(f"{one[kernel] / at[where]['elapsed']:.1f}" for where in PLACEMENTS)
        lines.append(f"| {kernel.partition(',')[0]} | {gains} | "
                     + " : ".join(f"{at[where]['central_ring']:.0f}" for where in PLACEMENTS) + " |")
    return lines


def readme(home, golden, write=False):
    """Whether the documents' tables are those of the golden numbers."""
    scaling, validation, differences = (golden[name] for name in SWEEPS)
    for document, tables in {
            f"{FOLDER}/README.md": {"scaling": speed_ups(scaling)},
            "docs/validation.md": {"scaling": speed_ups(validation), "shares": shares(validation),
                                   "placement": placements(validation, differences)}}.items():
        marked.hold(pathlib.Path(home, document), {name: "\n".join(lines) for name, lines in tables.items()},
                    "tests/experiments.py ... --write kernels-scaling", write)
