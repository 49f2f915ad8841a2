#!/usr/bin/env -S python3 -S
"""
The names of what lies at an address are those that the program says: tests/objects_guest.c prints where each of its
variables, blocks, stacks and thread-local variables is, and what it is called.

    objects.py NUMACHINE OBJECTS BLOCKS GUEST...   OBJECTS: objects.c; BLOCKS: that come and go in one of the runs
"""
import collections
import fnmatch
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

import figures
import simulator
import skip

# of a variable's name, and how deep: its parts, all but padding, which depends on the ABI
PARTS = {
    ("tallies[0].n", 1): [f"tallies[{i}]" for i in range(10)],
    ("tallies[0].n", 99): [f"tallies[{i}]{part}" for i in range(10) for part in (".n", ".letter", ".d")],
    ("grid[0][0]", 1): [f"grid[{i}]" for i in range(4)],
    ("grid[0][0]", 99): [f"grid[{i}][{k}]" for i in range(4) for k in range(5)],
    ("plain", 99): ["plain"],
    ("flexible.length", 99): ["flexible.length"] + [f"flexible.point[{i}].{c}" for i in range(3) for c in "xy"],
    ("zoo.first", 1): ["zoo.first", "zoo.inner", "zoo.nameless", "zoo.second", "zoo.as_int|as_float", "zoo.grid", "zoo.next",
                       "zoo.function", "zoo.colour", "zoo.complex", "zoo.lock", "zoo.low|high", "zoo.far", "zoo.a",
                       "zoo.last"],
}
# [bytes] of memory that a run may take for a block that comes and goes, and [MB] besides; [MB] of their file
EACH_MOST, MEMORY_MOST, FILE_MOST = 50, 5, 1
STRIP, LINK = "mips-linux-gnu-strip", ["mips-linux-gnu-gcc", "-static"]
CXX = ["clang++", "--target=mips-linux-gnu", "-march=mips2", "-fno-exceptions", "-nostdinc++", "-O1", "-c"]


def run(numachine, guest, directory, *arguments):
    """What the program wrote."""
    subprocess.run([numachine, "stat", "-q", "--profile", *simulator.MACHINES.get(simulator.abi_of(guest), ["-m", "station-4"]), "-o", directory, "--", guest, *arguments],
                   check=True, capture_output=True, timeout=600)
    return (directory / "guest.stdout").read_text()


class Names:
    def __init__(self, program, directory):
        self.command = [program, directory]

    def ask(self, questions):
        done = subprocess.run(self.command, input="".join(f"{q}\n" for q in questions), text=True, check=True,
                              capture_output=True, timeout=600)
        return done.stdout.splitlines()

    def at(self, *questions):
        """key, name, from, size, offset, memory of each."""
        return [line.split("#") for line in self.ask(questions)]


def check_names(names, said):
    found = names.at(*said)
    assert len(found) == len(said)
    for (address, name), (key, got, start, size, offset, _) in zip(said.items(), found):
        assert fnmatch.fnmatchcase(got, name.replace("[", "[[]")), f"{address} is {name}, but found as {got}"
        assert int(start, 16) + int(offset) == int(address, 16) and int(offset) < int(size), (name, start, size, offset)
        assert got.startswith(key), (key, got)


def check_parts(names, said):
    """All in one process, which reads the whole profile first."""
    where = {name: address for address, name in said.items()}
    objects = names.at(*(where[name] for name, _ in PARTS))
    answers = "\n".join(names.ask(f"{where[name]} parts {depth}" for name, depth in PARTS)).split("\n\n")
    assert len(answers) == len(objects) == len(PARTS), answers
    for ((name, _), expected), (key, _, _, size, _, _), answer in zip(PARTS.items(), objects, answers):
        parts = [line.split("#") for line in answer.split("\n") if line]
        found = [key + part for part, _, _ in parts if not part.endswith("(padding)")]
        assert found == expected, f"{name}: {found}"
        ends = [int(offset) + int(length) for _, offset, length in parts]
        assert [int(offset) for _, offset, _ in parts] == [0] + ends[:-1] and ends[-1] == int(size), f"{name}: {parts}"


def check_find(names, said):
    """The way back: from a variable's name to its place."""
    static = [(key, start, size) for key, name, start, size, _, _ in names.at(*said) if name.startswith(key) and
              not key.startswith(("heap", "mmap", "TLS", "stack"))]
    assert static
    found = names.ask([*(f"name {key}" for key, _, _ in static), "name no_such_name", "name no::such"])
    assert found == [*(f"{start}#{size}" for _, start, size in static), "none", "none"], list(zip(found, static))


def check_blocks(names, document):
    """Each block, in its time, is what the file says; those that were given back, too."""
    blocks = document["blocks"]
    asked = [f"{(b[0] + b[1]) // 2:x} {b[2]} {b[2] if b[3] is None else b[3]}" for b in blocks if b[1] > b[0]]
    blocks = [b for b in blocks if b[1] > b[0]]
    gone = 0
    for block, (*_, key) in zip(blocks, names.at(*asked)):
        start, end, _, died, _, _, site, serial, times = block
        if key.startswith(("stack", "TLS")):
            continue
        assert key.split(" by ")[0].endswith(f"{end - start} bytes"), (block, key)
        assert document["sites"][site][3] == 1 or times > 1 or key.endswith(f"[{serial}]"), (block, key)
        gone += died is not None
    assert gone > 0


def check_sums(document):
    """Sites and blocks agree: nothing was forgotten."""
    for number, (_, _, _, blocks, size, most, forgotten) in enumerate(document["sites"]):
        mine = [b for b in document["blocks"] if b[6] == number]
        assert forgotten == 0 and sum(b[8] for b in mine) >= blocks, (number, mine)
        assert most <= size


def check_allocators(numachine, guest, directory):
    """Each row of run/allocators.def, called once: the block is there, or is no more."""
    said = [line.split() for line in run(numachine, guest, directory, "allocators").splitlines()]
    document = json.loads((directory / "objects.json").read_text())
    held = {(b[0], b[1] - b[0]): document["kinds"][document["sites"][b[6]][2]] for b in document["blocks"] if b[3] is None}
    gone = collections.Counter()
    for start, end, _, died, _, _, _, _, times in document["blocks"]:
        if died is not None:
            gone[start, end - start] += times
    assert {does for _, _, does, *_ in said} == {"TAKES", "RETAKES", "HANDS", "WITHIN", "GIVES", "MAPS", "REMAPS", "UNMAPS", "BREAKS"}
    for name, kind, does, got, size, *_ in said:
        if int(size):
            kind = "posix_memalign" if does == "WITHIN" else kind
            assert held.get((int(got, 16), int(size))) == kind, (name, held)
    returned = collections.Counter((int(old, 16), int(had)) for *_, old, had in said if int(had))
    sizes = {size for _, size in returned}  # a later C library gives back blocks of its own, of other sizes
    gone = figures.by_compiler(gone, collections.Counter({block: times for block, times in gone.items() if block[1] in sizes}))
    assert returned == gone, (returned, gone)


def check_churn(numachine, guest, scratch, churn):
    """Blocks that come and go take no more room than a few."""
    def peak():
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024

    run(numachine, guest, scratch / "few", "churn", "1")
    before = peak()
    run(numachine, guest, scratch / "many", "churn", str(churn))
    assert peak() - before < MEMORY_MOST + EACH_MOST * churn / 2**20, f"{peak() - before:.0f} MB more"
    size = (scratch / "many" / "objects.json").stat().st_size / 2**20
    assert size < FILE_MOST, f"{size:.1f} MB"
    document = json.loads((scratch / "many" / "objects.json").read_text())
    assert max(site[3] for site in document["sites"]) == churn
    assert max(block[8] for block in document["blocks"]) > 1


def check_strange(program, numachine, guest, scratch):
    """A stripped program has addresses instead of names."""
    stripped = scratch / "stripped"
    subprocess.run([STRIP, "-o", stripped, guest], check=True)
    said = dict(line.split(" ", 1) for line in run(numachine, stripped, scratch / "run").splitlines())
    for key, *_ in Names(program, scratch / "run").at(*said):
        assert key.startswith(("0x", "TLS of", "stack of")), key
    (scratch / "run" / "objects.json").write_text("{")
    simulator.listed_again(scratch / "run", "objects.json")
    done = subprocess.run([program, scratch / "run"], text=True, capture_output=True, stdin=subprocess.DEVNULL,
                          check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "objects.json" in done.stderr, done


def check_cxx(program, numachine, scratch):
    """Names of C++, where there is a compiler for it. DWARF 5 has addresses in a table."""
    source = pathlib.Path(__file__).with_name("objects_guest.cc")
    for version in "-gdwarf-4", "-gdwarf-5":
        subprocess.run([*CXX, version, source, "-o", scratch / "cxx.o"], check=True)
        subprocess.run([*LINK, scratch / "cxx.o", "-o", scratch / "cxx"], check=True)
        directory = scratch / f"cxx{version}"
        said = dict(line.split(" ", 1) for line in run(numachine, scratch / "cxx", directory).splitlines())
        check_names(Names(program, directory), said)
    subprocess.run([*CXX, "-g0", source, "-o", scratch / "cxx.o"], check=True)
    subprocess.run([*LINK, scratch / "cxx.o", "-o", scratch / "cxx"], check=True)
    said = run(numachine, scratch / "cxx", scratch / "bare").splitlines()
    whole = dict(line.split(" ", 1) for line in said if line.endswith(("::value", "::shared", "::all")))
    assert len(whole) == 3, said
    check_names(Names(program, scratch / "bare"), whole)  # symbols, and no debugging information


def main():
    numachine, program, guests = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[4:]
    for guest in guests:
        with tempfile.TemporaryDirectory(prefix="numachine-") as name:
            scratch = pathlib.Path(name)
            said = dict(line.split(" ", 1) for line in run(numachine, guest, scratch / "a").splitlines())
            run(numachine, guest, scratch / "b")
            names = Names(program, scratch / "a")
            check_names(names, said)
            check_parts(names, said)
            check_find(names, said)
            text = (scratch / "a" / "objects.json").read_text()
            assert text == (scratch / "b" / "objects.json").read_text(), "two runs differ"
            check_blocks(names, json.loads(text))
            check_sums(json.loads(text))
            check_allocators(numachine, guest, scratch / "c")
            if guest == guests[0]:
                check_churn(numachine, guest, scratch, int(sys.argv[3]))
                check_strange(program, numachine, guest, scratch)
                if skip.have("clang", "clang++"):
                    check_cxx(program, numachine, scratch)
    print(f"ok: {len(guests)} programs, {len(said)} names")


main()
