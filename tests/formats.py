#!/usr/bin/env -S python3 -S
"""
Every command that reads results reads those that the last releases left (tests/formats/VERSION.txt), and
docs/compatibility.md has the numbers of documents/schemas.def.

    formats.py NUMACHINE HOME
    formats.py NUMACHINE HOME --write     makes the results of this version anew, and that table

The results are an archive as text. Its program, tests/formats/guest.c, is in it, so that reading needs no compiler.
"""
import base64
import io
import json
import lzma
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

SCHEMA = re.compile(r'^SCHEMA\((\w+), (\d+), "([^"]*)"\)', re.M)
TABLE = re.compile(r"(?s)(\| file or command \| schema \|\n\|---\|---\|\n)(.*?)(\n\n)")
BUILD = ["mips-linux-gnu-gcc", "-O1", "-g", "-fno-pic", "-mno-abicalls", "-static", "-nostdlib", "-ffreestanding",
         "-o", "guest", "guest.c"]
MACHINE = "rings: {stations: 1, locals: 1}\nstation: {processors: 2}\n"
RUN = """machine: machine.yaml
program: {path: guest}
monitor: {events: [default], interval: 50us, histogram: {source: service-time}}
run: {profile: true, truth: true}
"""
SWEEP = "machine: machine.yaml\nprogram: {path: guest}\nsweep: {program.processors: [1, 2]}\n"
MADE = [
    "run run.yaml -o run",
    "stat --machine machine.yaml --references -o traced -- ./guest",
    "stat --machine machine.yaml --set processor.core=r10000 --set l2.split=false -o counted -- ./guest",
    "run sweep.yaml -o sweep",
    "run sweep.yaml -o part1 --shard 1/2",
    "run sweep.yaml -o part2 --shard 2/2",
]
# What reads them, and what it has to say.
READ = [
    ("report run -o page.html", ""),
    ("report sweep -o sweep.html", ""),
    ("compare run counted", "elapsed"),
    ("diff run traced", "same results"),
    ("c2c run", "shared"),
    ("c2c run --format=json", '"schema"'),
    ("c2c run --what-if count", "apart"),
    ("locks run", "lock"),
    ("profile run", "work"),
    ("profile run --annotate", "addiu"),
    ("placement run", "page"),
    ("mend run --runs=2", "count"),
    ("whatif run --machine machine.yaml", "as long"),
    ("compare sweep/points/processors1-* sweep/points/processors2-*", "elapsed"),
    ("points sweep.yaml", "processors2"),
    ("collect part1 part2 -o all", "elapsed"),
    ("stat -q --machine machine.yaml -- traced/references.ntr", "run"),
    ("trace info traced/references.ntr", "threads"),
    ("run run/config.resolved.yaml -q -o again", ""),
]


# A sweep is gone on with by the version that began it, and others say so.
RESUMED = "run sweep.yaml -q -o sweep --resume", "numachine is another version; remove it to run this point again"


def told(numachine, words, directory):
    """(status, all that it says); a `*` stands for names that are there."""
    words = [name for word in words.split() for name in (sorted(str(p.relative_to(directory)) for p in directory.glob(word))
                                                         if "*" in word else [word])]
    done = subprocess.run([numachine, *words], cwd=directory, capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, done.stdout + done.stderr


def unpack(archive, directory):
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(base64.b85decode(archive.read_text().replace("\n", ""))))) as tar:
        tar.extractall(directory, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))


def pack(directory, archive):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as tar:
        for path in sorted(directory.rglob("*")):
            entry = tar.gettarinfo(path, path.relative_to(directory))
            entry.uid = entry.gid = entry.mtime = 0
            entry.uname = entry.gname = ""
            with (open(path, "rb") if path.is_file() else io.BytesIO()) as file:
                tar.addfile(entry, file if path.is_file() else None)
    text = base64.b85encode(lzma.compress(held.getvalue(), preset=9 | lzma.PRESET_EXTREME)).decode()
    archive.write_text("\n".join(text[i:i + 120] for i in range(0, len(text), 120)) + "\n")


def make(numachine, formats, archive):
    with tempfile.TemporaryDirectory(prefix="formats") as name:
        scene = pathlib.Path(name)
        shutil.copy(formats / "guest.c", scene)
        subprocess.run([*BUILD, f"-ffile-prefix-map={scene}=."], cwd=scene, check=True)
        for file, text in ("machine", MACHINE), ("run", RUN), ("sweep", SWEEP):
            (scene / f"{file}.yaml").write_text(text)
        for words in MADE:
            status, said = told(numachine, words, scene)
            assert status == 0, f"{words}: {status}\n{said}"
        pack(scene, archive)


def read(numachine, archive):
    """What does not read the results of an archive."""
    with tempfile.TemporaryDirectory(prefix="formats") as name:
        scene = pathlib.Path(name)
        unpack(archive, scene)
        for words, expected in READ:
            status, said = told(numachine, words, scene)
            if status or expected not in said:
                yield f"{archive.name}: numachine {words}: status {status}, expected '{expected}':\n{said}"
        status, said = told(numachine, RESUMED[0], scene)
        if status and (status != 2 or RESUMED[1] not in said):
            yield f"{archive.name}: numachine {RESUMED[0]}: status {status}:\n{said}"
        was, is_ = ((json.loads((scene / d / "manifest.json").read_text())["end"] or {}).get("result_hash") for d in ("run", "again"))
        if was != is_:
            yield f"{archive.name}: the run again has another result: {was}, {is_}"


def table(home, write):
    document = home / "docs/compatibility.md"
    rows = [f"| `{file}` | {number} |" for _, number, file in SCHEMA.findall((home / "documents/schemas.def").read_text())]
    text = document.read_text()
    new, count = TABLE.subn(lambda m: m[1] + "\n".join(rows) + m[3], text)
    assert count == 1, "docs/compatibility.md has no table of schemas"
    if write:
        document.write_text(new)
    elif new != text:
        yield "docs/compatibility.md has other schemas than documents/schemas.def; tests/formats.py --write writes them"


def main():
    numachine, home = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    formats, write = home / "tests/formats", "--write" in sys.argv
    failures = list(table(home, write))
    if write:
        version = told(numachine, "--version", home)[1].split()[1]
        make(numachine, formats, formats / f"{version.rpartition('.')[0]}.txt")
    kept = sorted(formats.glob("*.txt"))
    assert kept, "no results are kept"
    for archive in kept:
        failures += read(numachine, archive)
    print("\n".join(failures))
    sys.exit(bool(failures))


main()
