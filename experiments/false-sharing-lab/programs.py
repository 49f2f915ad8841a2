"""
The programs of the laboratory: the table, how they are built, and what a run of one says.
"""
import dataclasses
import functools
import hashlib
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE / "programs"
HASHES = HERE / "programs.sha256"
COMPILER = ["mips-linux-gnu-gcc", "-std=gnu11", "-O2", "-static", "-pthread", "-Wall", "-Wextra", "-Werror"]
KINDS = ["false", "mixed", "cold", "true", "migratory", "read-mostly", "producer-consumer", "none"]
ROW = re.compile(r'^PROGRAM\((\w+),\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)"\)', re.M)


@dataclasses.dataclass(frozen=True)
class Program:
    """A row of programs.def."""
    name: str
    kind: str
    falsely: tuple
    truly: tuple
    threads: tuple
    sentence: str

    @property
    def source(self):
        return SOURCES / f"{self.name}.c"

    @property
    def digest(self):
        return hashlib.sha256(self.source.read_bytes()).hexdigest()

    @property
    def set(self):
        return "tune" if int(self.digest[0], 16) % 2 == 0 else "test"

    def build(self, directory, padded=False, flags=()):
        """Compiles it, or its mended twin. @return the executable"""
        executable = pathlib.Path(directory, "padded" if padded else "plain", self.name)
        executable.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([*COMPILER, *flags, *(["-DPADDED"] if padded else []), self.source.name, "-o", executable],
                       cwd=SOURCES, check=True)
        return executable


def table():
    """All programs, in the order of the table."""
    text = (HERE / "programs.def").read_text()
    rows = [Program(name, kind, tuple(falsely.split()), tuple(truly.split()),
                    tuple(map(int, threads.split())), sentence)
            for name, kind, falsely, truly, threads, sentence in ROW.findall(text)]
    assert len(rows) == len(re.findall(r"^PROGRAM\(", text, re.M)), "programs.def: a row that is none"
    return rows


@functools.lru_cache(maxsize=None)
def recorded():
    """{name: hash} as they were before any detector was tuned."""
    lines = (line.split() for line in HASHES.read_text().splitlines())
    return {name: digest for digest, name in lines}


def objects(output):
    """[(name, first address, length)] that a program's output shows."""
    return [(name, int(at, 16), int(length))
            for name, at, length in re.findall(r"^object (\S+) (0x[0-9a-f]+) (\d+)$", output, re.M)]
