"""
The guests of experiments/guests: their table (guests.def), the golden numbers of each (experiments/golden.json), and
the tables of their README, which are made from these.
"""
import dataclasses
import json
import pathlib
import re
import subprocess
import tempfile

import teaching

ROW = re.compile(r'^GUEST\("([^"]*)",\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)",\s*([01]),\s*"([^"]*)"\)', re.M)
BLOCK = re.compile(r"(<!-- guests: (\S+) -->\n)(.*?)(<!-- end -->)", re.S)
TURNS, ROUNDS, BLOCKS = 40, 20, 64  # of the experiments' arguments
ELEMENTS, MHZ = 65536, 150
BYTES = {"copy": 16, "scale": 16, "add": 24, "triad": 24, "memcpy": 16}  # an element


@dataclasses.dataclass(frozen=True)
class Guest:
    """A row of guests.def."""
    name: str
    source: str
    flags: tuple
    arguments: tuple
    same: bool
    sentence: str


def guests(home):
    """All of them, in the order of the table."""
    text = pathlib.Path(home, "experiments/guests/guests.def").read_text()
    rows = [Guest(name, source, tuple(flags.split()), tuple(arguments.split()), same == "1", sentence)
            for name, source, flags, arguments, same, sentence in ROW.findall(text)]
    assert len(rows) == len(re.findall(r"^GUEST\(", text, re.M)), "guests.def: a row that is none"
    folder = pathlib.Path(home, "experiments/guests")
    assert {row.name for row in rows} == {path.stem for path in folder.glob("*.yaml")}, "guests.def: not all experiments"
    return rows


def speed(region, elapsed, _processors):
    return BYTES[region] * ELEMENTS * MHZ / elapsed


# What the cells of each are of a region's PCycles and the processors, and their digits.
CELLS = {
    "lock-suite": (lambda region, elapsed, processors: elapsed / (TURNS * processors), 0),
    "barrier-suite": (lambda region, elapsed, processors: elapsed / ROUNDS, 0),
    "stream": (speed, 0),
    "malloc": (lambda region, elapsed, processors: elapsed / BLOCKS, 0),
    "litmus": None,
    "openmp": (lambda region, elapsed, processors: elapsed / 1000, 0),
    "cplusplus": (lambda region, elapsed, processors: elapsed / 1000, 0),
    "fortran": (lambda region, elapsed, processors: elapsed / 1000, 0),
}
OVER_ARGUMENTS = ["stream"]


def column(name, manifest):
    """What a point of a sweep is called: processors, or the first argument."""
    value = manifest["experiment"]["assigned"][0].partition("=")[2]
    return value.strip("[]").split(",")[0] if name in OVER_ARGUMENTS else int(value)


def table(name, points):
    """{region: {column: cell}} of {column: {region: {statistic: value}}}."""
    cell, digits = CELLS[name]
    found = {}
    for at, regions in sorted(points.items()):
        for region, stats in regions.items():
            if region not in ("whole", "rest"):
                found.setdefault(region, {})[str(at)] = round(cell(region, stats["elapsed"], at), digits or None)
    return found


FAIR = re.compile(r"^(\w+): at most (\d+) turns of others", re.M)


def fairness(cells, said):
    """Adds to a table of locks what the program says of how fair they were."""
    between = dict(FAIR.findall(said))
    assert set(between) < set(cells), said
    for name, row in cells.items():
        row["most between"] = int(between[name]) if name in between else "-"


def missing(done):
    """Whether a compiler is not installed, by the command's words."""
    return done.returncode and "it is in the Debian package" in done.stderr


def measure(numachine, home, name):
    """The golden numbers of an experiment; None: there is no compiler for it."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out")
        done = subprocess.run([numachine, "run", "-q", "-o", out, f"{home}/experiments/guests/{name}.yaml"],
                              capture_output=True, text=True, check=False)
        if missing(done) or "it is in the Debian package" in done.stdout:
            return None
        assert done.returncode == 0, done.stdout + done.stderr
        points = sorted(out.glob("points/*")) or [out]
        manifests = [json.loads((point / "manifest.json").read_text()) for point in points]
        for point in points:
            said = (point / "guest.stdout").read_text()
            assert said and "WRONG" not in said and "FORBIDDEN" not in said, said
        found = {"result_hashes": [manifest["end"]["result_hash"] for manifest in manifests]}
        if CELLS[name]:
            found["table"] = table(name, {column(name, manifest): teaching.numbers(point)
                                          for manifest, point in zip(manifests, points)})
        if name == "lock-suite":
            most = max(zip(manifests, points), key=lambda pair: column(name, pair[0]))[1]
            fairness(found["table"], (most / "guest.stderr").read_text())
        return found


def shown(cell):
    return cell if isinstance(cell, str) else f"{cell:,}"


def drawn(cells):
    """A table of the README."""
    columns = list(next(iter(cells.values())))
    lines = [" | ".join(["|", *columns]) + " |", "|---" + "|--:" * len(columns) + "|"]
    lines += [" | ".join([f"| {name}", *(shown(cells[name][at]) for at in columns)]) + " |" for name in cells]
    return "\n" + "\n".join(lines) + "\n\n"


def readme(home, golden, write=False):
    """Whether the tables of the README are those of the golden numbers."""
    path = pathlib.Path(home, "experiments/guests/README.md")
    text = path.read_text()
    assert [block[1] for block in BLOCK.findall(text)] == [name for name, cell in CELLS.items() if cell], "README"
    now = BLOCK.sub(lambda m: m[1] + drawn(golden[m[2]]["table"]) + m[4], text)
    if write:
        path.write_text(now)
    assert write or now == text, "experiments/guests/README.md has other tables; tests/experiments.py ... --write"
