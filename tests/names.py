#!/usr/bin/env -S python3 -S
"""
The names of addresses are those that nm and addr2line know.

    names.py some|all NAMES COMPILER SOURCES [GUEST...]   NAMES: names.c; COMPILER: of one ABI; SOURCES: this directory

A guest is compiled in several ways; with `some` one ABI has a quarter of them, and the other another. Every function symbol, every instruction's function, its line and the
chain of calls that were inlined there are compared, the chains of a C++ program too; then what has no debugging information, no symbols, is cut off anywhere or is no guest at all.
"""
import functools
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import skip

# how it is compiled: whether it has symbols, lines
WAYS = {
    "-g -O2": (1, 1),
    "-g -O0": (1, 1),
    "-gdwarf-2 -O1": (1, 1),
    "-gdwarf-3 -O3": (1, 1),
    "-gdwarf-4 -O2": (1, 1),
    "-gdwarf-5 -O2 -gno-as-loc-support": (1, 1),  # a line table of DWARF 5 here
    "-gdwarf-5 -O2 -gz": (1, 1),
    "-g -gdwarf64 -O2": (1, 1),
    "-g -O2 -ffunction-sections -Wl,--gc-sections": (1, 1),
    "-O2": (1, 0),
    "-g -O2 -Wl,--strip-debug": (1, 0),
    "-g -O2 -s": (0, 0),
}
FILES = ["names_guest.c", "assembler/names_guest_assembler.S"]
ARM_FILES = ["names_guest.c", "assembler/names_guest_arm.S"]
# An ARM compiler has both states, one way in one of them.
ARM_STATES = ["-march=armv6 -marm", "-march=armv6 -mthumb"]
LOCAL, GLOBAL, WEAK = 0, 1, 2
ET_DYN = 3
# [bytes] that no file takes more of: a gigabyte, and what the process has without it.
MEMORY_MOST = 1.5 * 2**30

# A line table that makes 60 GB of a megabyte: each of many files is in a directory with a long name.
GREEDY = """
    .text
    .globl __start
__start: nop
    nop
    .section .debug_line
    .4byte 2f - 1f
1:  .2byte 3
    .4byte 4f - 3f
3:  .byte 1, 1, 251, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
    .fill 500000, 1, 100
    .byte 0, 0
    .rept 120000
    .asciz "f"
    .byte 1, 0, 0
    .endr
    .byte 0
4:  .byte 0, 5, 2
    .4byte __start
    .byte 1, 2, 4, 1, 0, 1, 1
2:
"""

failures = 0


def check(what, good, *details):
    global failures
    if not good:
        failures += 1
        if failures < 20:
            print("FAILED:", what, *details)


def output(*command, **more):
    return subprocess.run(command, text=True, check=True, stdout=subprocess.PIPE, **more).stdout


def place(text):
    """(function, file, line) of "FUNCTION FILE:LINE" """
    function, at = text.rsplit(" ", 1)
    file, line = at.rsplit(":", 1)
    return function, os.path.normpath(file) if line.isdigit() and int(line) else "", int(line) if line.isdigit() else 0


# Neighbours are mostly in one line of one function: each text is read once.
@functools.cache
def answer(line):
    """What names.c says of an address: function, from, to, place; and the chain of calls."""
    said, *frames = line.split("\t")
    return said.split(" ", 3), tuple(place(frame) for frame in frames)


@functools.cache
def block_chain(block):
    """What addr2line says of an address, as a chain of calls."""
    lines = re.sub(r" \(discriminator \d+\)$", "", block, flags=re.M).splitlines()
    return tuple(place(" ".join(pair)) for pair in zip(lines[::2], lines[1::2]))


class Names:
    """What names.c says of a file."""

    def __init__(self, program, file):
        self.program, self.file = program, file

    def ask(self, addresses=()):
        done = subprocess.run([self.program, self.file], text=True, stdout=subprocess.PIPE, timeout=600,
                              input="".join(f"{a:x}\n" for a in addresses), check=False)
        first, *lines = done.stdout.splitlines() or [""]
        self.chains = [answer(line)[1] for line in lines]
        return done.returncode, first, [answer(line)[0] for line in lines]


class Tools:
    def __init__(self, compiler):
        self.compiler, self.prefix = compiler, re.sub("gcc$", "", compiler)

    def __call__(self, name, *arguments, **more):
        return output(self.prefix + name, *arguments, **more)

    def symbols(self, file):
        """(address, size, name, binding, visibility, type) of what lies in sections of code."""
        code = {int(m[1]): (int(m[2], 16), int(m[3], 16)) for m in re.finditer(
            r"\[ *(\d+)\] \S+ +\w+ +(\w+) \w+ (\w+) \w\w +[A-Z]*X", self("readelf", "-SW", file))}
        found = []
        for m in re.finditer(r"^ *\d+: (\w+) +(\w+) (\w+) +(\w+) +(\w+) .*? (\w+) (\S+)$",
                             self("readelf", "-sW", file), re.M):
            section = int(m[6]) if m[6].isdigit() else -1
            if section in code and m[3] in ("FUNC", "NOTYPE"):
                found.append((int(m[1], 16), int(m[2], 0), m[7],
                              {"LOCAL": LOCAL, "GLOBAL": GLOBAL, "WEAK": WEAK}[m[4]], m[5], m[3]))
        if "arm" in self.prefix:  # bit 0 of a function says Thumb
            found = [(s[0] & ~1 if s[5] == "FUNC" else s[0], *s[1:]) for s in found]
        return [s for s in found if s[5] == "FUNC" or s[3] != LOCAL], sorted(code.values())

    def lines(self, file, addresses):
        """(file, line) of each; ("", 0): not known."""
        said = self("addr2line", "-e", file, input="".join(f"{a:x}\n" for a in addresses))
        found = []
        for line in said.splitlines():
            m = re.match(r"(.*):(\d+|\?)", line)
            known = m[2] not in ("0", "?")
            found.append((os.path.normpath(m[1]), int(m[2])) if known else ("", 0))
        return found

    def chains(self, file, addresses):
        """[(function, file, line)] of each, as many as were inlined there and one more."""
        said = self("addr2line", "-afiC", "-e", file, input="".join(f"{a:x}\n" for a in addresses))
        return [block_chain(block) for block in re.split(r"^0x\w+\n", said, flags=re.M)[1:]]


def rank(symbol):
    """Which of several speaks for their address: symbols.h says it in words."""
    _, size, name, bind, sight, kind = symbol
    seen = bind != LOCAL and sight in ("DEFAULT", "PROTECTED")
    return (kind != "FUNC", size == 0, not seen, len(name) - len(name.lstrip("_")), bind == WEAK, -size,
            len(name), name)


def ranges(symbols, end):
    """(from, to, name), ascending: one for each address, and an end for those without a size."""
    best = {}
    for s in symbols:
        s = s if s[5] == "FUNC" else (s[0], 0, *s[2:])
        if s[0] not in best or rank(s) < rank(best[s[0]]):
            best[s[0]] = s
    sized = [s for s in best.values() if s[1]]
    covers = {a: [s[0] + s[1] for s in sized if s[0] < a < s[0] + s[1]] for a in best if not best[a][1]}
    kept = [best[a] for a in sorted(best) if best[a][5] == "FUNC" or not covers[a]]
    return [(s[0], s[0] + s[1] if s[1] else min([end(s[0])] + [n[0] for n in kept[i + 1:i + 2]]
                                                + covers[s[0]]), s[2]) for i, s in enumerate(kept)]


def expected(named, addresses):
    """The function of each address, the last that starts there or before."""
    found, at, seen = [], 0, []
    for a in addresses:
        while at < len(named) and named[at][0] <= a:
            seen.append(named[at])
            at += 1
        seen = [s for s in seen if s[1] > a]
        found.append(seen[-1] if seen else (0, 0, "-"))
    return found


def compare_functions(tools, names, what, few):
    symbols, code = tools.symbols(names.file)
    named = ranges(symbols, lambda a: next(at + size for at, size in code if a < at + size))
    addresses = sorted({a for at, size in code for a in range(at, at + size, 4)} | {s[0] for s in symbols})
    addresses = [a for i, a in enumerate(addresses) if i % few == 0]
    _, _, said = names.ask(addresses)
    check(what, len(said) == len(addresses), "answers", len(said), len(addresses))
    for a, want, got in zip(addresses, expected(named, addresses), said):
        check(what, (got[0], int(got[1], 16), int(got[2], 16)) == (want[2], want[0], want[1]),
              f"{a:x}: {got} instead of {want}")
    # nm's own word for it: every function starts where a name of its address is known.
    at = {}
    for m in re.finditer(r"^(\S+) *\|(\w+)\|.*\| *FUNC\|", tools("nm", "-f", "sysv", names.file), re.M):
        at.setdefault(int(m[2], 16), set()).add(m[1])
    _, _, said = names.ask(sorted(at))
    for a, got in zip(sorted(at), said):
        check(what, got[0] in at[a] and int(got[1], 16) == a, f"{a:x}: {got} instead of one of {at[a]}")
    return len(at)


def compare_lines(tools, names, what):
    """All instructions of the program's own functions and a sample of the C library's."""
    symbols, code = tools.symbols(names.file)
    own = [s for s in symbols if s[1] and s[2] in ("main", "local", "_three_names", "from_elsewhere", "in_assembler")]
    addresses = {a for s in own for a in range(s[0], s[0] + s[1], 2 if "arm" in tools.prefix else 4)}
    addresses |= {a for at, size in code for a in range(at, at + size, 4096)}
    addresses = sorted(addresses)
    _, _, said = names.ask(addresses)
    known = 0
    for a, want, got in zip(addresses, tools.lines(names.file, addresses), said):
        file, line = got[3].rsplit(":", 1)
        got = (os.path.normpath(file), int(line)) if int(line) else ("", 0)
        known += bool(want[1])
        check(what, got == want, f"{a:x}: {got} instead of {want}")
    return known


def compare_chains(tools, names, what):
    """All instructions that have a line. Of a function that linkers have no name for addr2line leaves out what it is
    in; the innermost one it calls as the one that has the code. @return how many are in inlined functions"""
    _, code = tools.symbols(names.file)
    addresses = [a for at, size in code for a in range(at, at + size, 2 if "arm" in tools.prefix else 4)]
    names.ask(addresses)
    pairs = list(zip(tools.chains(names.file, addresses), names.chains))
    inlined = sum(len(want) > 1 for want, _ in pairs)
    for (want, got), a in dict(zip(pairs, addresses)).items():
        if not want[0][2] and len(want) == 1:
            continue
        check(what, [f[1:] for f in want] == [f[1:] for f in got] and all(
            w[0] == g[0] or g[0].endswith("::" + w[0]) or i == 0 and w[0] == got[-1][0] for i, (w, g) in enumerate(zip(want[:-1], got))),
              f"{a:x}: {got} instead of {want}")
    return inlined


def chains(program, compiler, sources, scratch, which):
    """Of a C++ program."""
    cxx = re.sub("gcc$", "g++", compiler)
    if not shutil.which(cxx):
        return
    for way in ["-g -O2", "-gdwarf-4 -O3"][:1 if which == "some" else 2]:
        guest = scratch / "inlined"
        output(cxx, "-static", "-pthread", *way.split(), sources / "inlined_guest.cc", "-o", guest)
        count = compare_chains(Tools(compiler), Names(program, guest), way)
        check(way, count > 200, count)
        print(f"{way}: {count} instructions of inlined functions in C++")


def told(program, file, code):
    """Everything that is known of the program's own code."""
    names = Names(program, file)
    _, first, said = names.ask(code)
    return first, said, names.chains


def package(tool, cwd):
    """Whether a tool makes a .dwp: those that there are do it for little-endian programs."""
    done = subprocess.run([tool, "-e", "guest", "-o", "guest.dwp"], cwd=cwd, capture_output=True, check=False)
    if done.returncode:
        (cwd / "guest.dwp").unlink(missing_ok=True)
    return done.returncode == 0


def apart(program, compiler, sources, scratch, which):
    """Debugging information that is apart: the same names as if it were not; or one sentence that says what is missing."""
    cxx, tools = re.sub("gcc$", "g++", compiler), Tools(compiler)
    if not shutil.which(cxx):
        return
    for way in ["-g -gdwarf-4"] if which == "some" else ["-g -gdwarf-4", "-g -gdwarf-5"]:
        folder = scratch / f"apart{way[-1]}"
        folder.mkdir()
        source = folder / "source.cc"
        source.write_bytes((sources / "inlined_guest.cc").read_bytes())

        def build(*options):
            """Of objects that are made once for each options; one that is split has its other half beside it."""
            for made in folder.glob("guest*"):
                made.unlink()
            made = folder / ("guest.o" if options else "plain.o")
            if not made.exists():
                output(cxx, "-O2", *way.split(), *options, "-c", "source.cc", "-o", made.name, cwd=folder)
            output(cxx, "-static", "-pthread", "-Wl,--build-id", made.name, "-o", "guest", cwd=folder)

        build()
        own = [s for s in tools.symbols(folder / "guest")[0] if s[2] in ("main", "_ZN12_GLOBAL__N_14workEPv")]
        code = [a for s in own for a in range(s[0] & ~3, s[0] + s[1], 4)]
        whole = told(program, folder / "guest", code)
        check(way, sum(len(chain) > 1 for chain in whole[2]) > 100, "no chains")

        def same(what):
            check(f"{way}, {what}", told(program, folder / "guest", code) == whole, "other names")

        def missing(*words):
            said = subprocess.run([program, folder / "guest", "--missing"], text=True, check=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE).stdout.splitlines()
            check(f"{way}, {words}", len(said) == 2 and all(w in said[1] for w in (*words, "--debug-path")), said)

        tools("objcopy", "--only-keep-debug", "guest", "guest.debug", cwd=folder)
        tools("objcopy", "--strip-all", "--add-gnu-debuglink=guest.debug", "guest", cwd=folder)
        same(".gnu_debuglink")
        hidden = folder / "hidden"
        (folder / "guest.debug").rename(hidden)
        missing("guest.debug", "not beside it")
        (folder / "guest.debug").write_bytes(hidden.read_bytes()[:-1])
        missing("guest.debug", "of another build")
        build_id = re.search(r"Build ID: (\w+)", tools("readelf", "-n", folder / "guest"))[1]
        by_id = folder / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
        by_id.parent.mkdir(parents=True)
        hidden.rename(by_id)
        same("build-id")
        build("-gsplit-dwarf")
        same(".dwo")
        for tool in tools.prefix + "dwp", "llvm-dwp":
            if shutil.which(tool) and package(tool, folder):
                (folder / "guest.dwo").rename(hidden)
                same(tool)
                hidden.rename(folder / "guest.dwo")
                (folder / "guest.dwp").unlink()
        (folder / "guest.dwo").unlink()
        missing("1 of 1", "guest.dwo")
        if skip.have("dwz"):
            build()
            (folder / "twin").write_bytes((folder / "guest").read_bytes())
            output("dwz", "guest", cwd=folder)
            same("dwz")
            build()
            output("dwz", "-m", "common", "-M", "common", "guest", "twin", cwd=folder)
            check(way, ".gnu_debugaltlink" in tools("readelf", "-SW", folder / "guest"), "no common part")
            same("dwz -m")
            (folder / "common").unlink()
            missing("common", "dwz")
        print(f"{way}: debugging information that is apart, {len(code)} addresses")


def refused(names, what, words):
    status, why, rest = names.ask()
    check(what, status == 1 and not rest and words in why, status, why)


def cut_off(program, file, scratch, every):
    """At any length, and nearly whole. every: so many times as far apart."""
    whole = file.read_bytes()
    cut = scratch / "cut"
    for size in [*range(0, 64, every), *range(64, len(whole), len(whole) * every // 150),
                 *range(len(whole) - 1, len(whole) - 50, -every)]:
        cut.write_bytes(whole[:size])
        says = "truncated: its sections end at byte" if size > len(whole) - 50 else ""
        refused(Names(program, cut), f"{size} bytes of {len(whole)}", says)


def moved(program, file, scratch):
    """As a static-pie it lies elsewhere, with the same names."""
    data = bytearray(file.read_bytes())
    bias = 0x400000 if data[4] == 1 else 0x120000000
    entry = int.from_bytes(data[24:28 if data[4] == 1 else 32], "big")
    data[17] = ET_DYN
    pie = scratch / "pie"
    pie.write_bytes(data)
    addresses = range(entry - 4096, entry + 8192, 4)
    _, _, fixed = Names(program, file).ask(addresses)
    _, _, away = Names(program, pie).ask(a + bias for a in addresses)
    check("static-pie", any(":0" not in f[3] for f in fixed), "no lines")
    for f, a in zip(fixed, away):
        shift = bias if f[0] != "-" else 0
        check("static-pie", (f[0], int(f[1], 16) + shift, int(f[2], 16) + shift, f[3])
              == (a[0], int(a[1], 16), int(a[2], 16), a[3]), f, a)


def greedy(program, compiler, scratch):
    """What asks for too much has fewer names."""
    source, guest = scratch / "greedy.s", scratch / "greedy"
    source.write_text(GREEDY)
    output(compiler, "-mabi=32", "-nostdlib", "-static", source, "-o", guest)
    status, said, _ = Names(program, guest).ask()
    check("greedy", status == 0 and said[0] == "1", status, said)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    check("greedy", most < MEMORY_MOST, most)


def foreign(program, scratch):
    text, pipe = scratch / "text", scratch / "pipe"
    text.write_text("all work and no play\n")
    os.mkfifo(pipe)
    for file, words in [(program, "not a MIPS or ARM program"), (text, "not an ELF file"), (scratch, "a directory"),
                        (scratch / "nowhere", "No such file"), (pipe, "a pipe"), ("/dev/null", "a device")]:
        refused(Names(program, file), str(file), words)


def main():
    which, program, compiler, sources, *guests = sys.argv[1:]
    arm = "arm" in pathlib.Path(compiler).name
    files = ARM_FILES if arm else FILES
    ways = [(f"{way} {ARM_STATES[i % 4 // 2] if arm else ''}", has) for i, (way, has) in enumerate(WAYS.items())]
    if which == "some":
        ways = ways[1 if "64" in compiler else 0::3 if arm else 4]
    sources, tools = pathlib.Path(sources), Tools(compiler)
    with tempfile.TemporaryDirectory(prefix="numachine-names-") as name:
        scratch = pathlib.Path(name)
        # As a user would: relative names, in the program's directory and below.
        (scratch / "assembler").mkdir()
        for file in files:
            (scratch / file).write_bytes((sources / pathlib.Path(file).name).read_bytes())
        for number, (way, has) in enumerate(ways):
            guest = scratch / f"guest{number}"
            output(compiler, "-w", "-static", *way.split(), *files, "-o", guest, cwd=scratch)
            names = Names(program, guest)
            status, said, _ = names.ask()
            check(way, status == 0 and said == "{} {}".format(*has), status, said)
            functions = compare_functions(tools, names, way, 1 if number == 0 else 20) if has[0] else 0
            lines = compare_lines(tools, names, way)
            if has[1] and ("-O2" in way or which == "all"):
                inlined = compare_chains(tools, names, way)
                check(way, inlined > 10 or "-O0" in way, inlined)
            check(way, (functions > 500, lines > 50) == tuple(map(bool, has)), functions, lines)
            print(f"{way}: {functions} addresses of functions, {lines} of lines")
        chains(program, compiler, sources, scratch, which)
        apart(program, compiler, sources, scratch, which)
        cut_off(program, scratch / "guest0", scratch, 5 if which == "some" else 1)
        foreign(program, scratch)
        if not arm:
            moved(program, scratch / "guest0", scratch)
        if not arm and "64" not in compiler:
            greedy(program, compiler, scratch)
    for guest in guests:
        compare_functions(tools, Names(program, guest), guest, 5)
    print(f"{failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
