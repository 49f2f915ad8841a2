"""
The programs of the laboratory: the tables of all hands, how the programs are built, what a run of one shows.

A *hand* is a person who wrote programs from descriptions, and a folder: programs.def, the sources, programs.sha256.
"""
import dataclasses
import functools
import hashlib
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
HANDS = ["first", "second", "third"]
SETS = ["tune", "choose", "test"]
KINDS = ["false", "mixed", "cold", "true", "migratory", "read-mostly", "producer-consumer", "none"]
WHEN = ["always", "first-half", "second-half", "bursts", "short", "rare", "-"]
WARNINGS = ["-O2", "-static", "-pthread", "-Wall", "-Wextra", "-Werror"]
# What a static program of libgfortran's needs besides; programs/languages.def says why.
FORTRAN_THREADS = ["-Wl," + ",".join(f"-u,pthread_{name}" for name in (
    "mutex_init", "mutex_destroy", "cond_init", "cond_destroy", "cond_wait", "cond_broadcast"))]
COMPILERS = {".c": ["mips-linux-gnu-gcc", "-std=gnu11", *WARNINGS],
             ".cc": ["mips-linux-gnu-g++", "-std=gnu++17", *WARNINGS],
             ".f90": ["mips-linux-gnu-gfortran", "-cpp", *WARNINGS, *FORTRAN_THREADS]}
OPENMP = re.compile(r"#\s*pragma omp|!\$omp", re.I)
ROW = re.compile(r"^PROGRAM\((\w+)," + r'\s*"([^"]*)",' * 5 + r'\s*"([^"]*)"\)', re.M)


@dataclasses.dataclass(frozen=True)
class Program:
    """A row of a hand's programs.def, which says what the columns are."""
    hand: str
    name: str
    kind: str
    falsely: tuple
    truly: tuple
    threads: tuple
    when: str
    sentence: str

    @property
    def label(self):
        return f"{self.hand}/{self.name}"

    @functools.cached_property
    def source(self):
        there = [HERE / self.hand / (self.name + suffix) for suffix in COMPILERS]
        return next(path for path in there if path.exists())

    @functools.cached_property
    def digest(self):
        return hashlib.sha256(self.source.read_bytes()).hexdigest()

    @property
    def set(self):
        """By the first digit of the text's hash. The first hand's set for testing was opened before there were other
        hands, so it is for choosing now, and tests nothing any more."""
        digit = int(self.digest[0], 16)
        if self.hand == "first":
            return "tune" if digit % 2 == 0 else "choose"
        return "tune" if digit < 5 else "choose" if digit < 10 else "test"

    def build(self, directory, padded=False, flags=()):
        """Compiles it, or its mended twin. @return the executable"""
        executable = pathlib.Path(directory, "padded" if padded else "plain", self.hand, self.name)
        executable.parent.mkdir(parents=True, exist_ok=True)
        flags = [*flags, *(["-fopenmp", "-Wl,--no-warnings"] if OPENMP.search(self.source.read_text()) else []),
                 *(["-J", executable.parent] if self.source.suffix == ".f90" else []), *(["-DPADDED"] if padded else [])]
        subprocess.run([*COMPILERS[self.source.suffix], *flags, self.source.name, "-o", executable],
                       cwd=self.source.parent, check=True)
        return executable


def table(hands=None):
    """All programs of these hands (None: of all), in the order of the tables. No two have one label."""
    rows = []
    for hand in hands or HANDS:
        text = (HERE / hand / "programs.def").read_text()
        found = [Program(hand, name, kind, tuple(falsely.split()), tuple(truly.split()), tuple(map(int, threads.split())),
                         when, sentence)
                 for name, kind, falsely, truly, threads, when, sentence in ROW.findall(text)]
        assert len(found) == len(re.findall(r"^PROGRAM\(", text, re.M)), f"{hand}/programs.def: a row that is none"
        rows += found
    assert len({row.label for row in rows}) == len(rows), "two programs of one hand and name"
    return rows


@functools.lru_cache(maxsize=None)
def recorded(hand):
    """{name: hash} as the texts were before any detector was tuned."""
    lines = (line.split() for line in (HERE / hand / "programs.sha256").read_text().splitlines())
    return {pathlib.Path(name).stem: digest for digest, name in lines if pathlib.Path(name).suffix in COMPILERS}


def objects(output):
    """[(name, first address, length)] that a program's output shows."""
    return [(name, int(at, 16), int(length))
            for name, at, length in re.findall(r"^object (\S+) (0x[0-9a-fA-F]+) (\d+)$", output, re.M)]
