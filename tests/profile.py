#!/usr/bin/env -S python3 -S
"""
numachine profile: of a real run, every format and every way to sum up comes to what stats.json has; what names
there are is shown; and what cannot be read is refused with one line and status 2.

    profile.py NUMACHINE GUEST... [all]     without `all` only those of o32 have all of it

GUEST is tests/profile_guest.c, built with -g for o32 or armel in the current directory.
"""
import collections
import csv
import gzip
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import simulator
import skip

STATES = ["load", "store", "br_untaken", "br_taken", "int", "fp", "stall_l1i", "stall_l1d", "stall_l2", "stall_mp",
          "stall_other", "kill_branch", "kill_exc", "slip_int", "slip_fp"]
NUMBERS = {*STATES, "pcycles", "idle", "instructions", "nacks"}
WAYS = ["function", "line", "instruction", "thread", "region", "path"]


# Of an instruction set: its tools, a store of a word, a load, and calls.
SETS = {"o32": ("mips-linux-gnu-", "sw", "lw", "jal|bgezal|jalr"), "armel": ("arm-linux-gnueabi-", "str", "ldr", "bl|blx")}


class Bench:
    def __init__(self, numachine, guest, directory):
        self.abi = simulator.abi_of(guest)
        self.tools, self.store, self.load, self.call = SETS[self.abi]
        self.numachine = pathlib.Path(numachine).resolve()
        self.guest, self.directory = pathlib.Path(guest).resolve(), pathlib.Path(directory)

    def ask(self, run, *words):
        return subprocess.run([self.numachine, "profile", self.directory / run, *words], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=600, check=False)

    def show(self, run, *words):
        done = self.ask(run, *words)
        assert done.returncode == 0 and not done.stderr, f"{words}: {done.returncode}, {done.stderr}"
        return done.stdout

    def csv(self, run, *words):
        rows = list(csv.DictReader(io.StringIO(self.show(run, "--format=csv", *words))))
        if rows and "pc" in rows[0]:  # a row has the number of its path
            paths = {row["number"]: row["path"] for row in self.csv(run, "--by=path", *words)}
            rows = [{**row, "path": paths[row["path"]]} for row in rows]
        return [{k: int(v) if k in NUMBERS else v for k, v in row.items()} for row in rows]

    def refused(self, run, sentence, *words):
        done = self.ask(run, *words)
        assert done.returncode == 2, f"{run} {words}: {done.returncode}"
        assert not done.stdout and sentence in done.stderr, f"{run} {words}: {done.stderr}"
        assert done.stderr.count("\n") == 1 or "Try" in done.stderr, done.stderr

    def run(self, name, guest, *options):
        machine = [] if "-m" in options else self.machine()
        subprocess.run([self.numachine, "stat", "-q", *machine, "-o", self.directory / name, *options, "--",
                        guest], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)

    def machine(self):
        return ["-m", "station-4", *simulator.MACHINES.get(self.abi, [])]

    def copy(self, name):
        shutil.copytree(self.directory / "run", self.directory / name)
        return self.directory / name


def total(rows, column="pcycles"):
    return sum(row[column] for row in rows)


def check_sums(bench):
    """Each PCycle is in one row, and in one sum of each kind; rows are what the cards have counted."""
    stats = json.loads((bench.directory / "run/stats.json").read_text())["snapshots"]
    whole = {s["name"]: s["stats"]["machine"] for s in stats}
    rows = bench.csv("run")
    assert total(rows) == sum(total(rows, s) for s in STATES) - total(rows, "idle")
    for region in "whole", "climbing":
        inside = [row for row in rows if region in row["regions"].split(";")]
        assert total(inside, "instructions") == whole[region]["truth.instructions"], region
        assert total(inside, "stall_l2") == whole[region]["status.l2_stall"], region
        assert total(bench.csv("run", f"--region={region}")) == total(inside)
        for by in WAYS:
            sums = bench.csv("run", f"--by={by}", f"--region={region}")
            if by == "region":
                sums = [row for row in sums if row["region"] == "whole"]
            for column in "pcycles", "instructions", "stall_other":
                assert total(sums, column) == total(inside, column), (region, by, column)
    regions = {row["region"]: row["pcycles"] for row in bench.csv("run", "--by=region")}
    assert set(regions) == {"whole", "climbing", "(in no region)"} and 0 < regions["climbing"] < regions["whole"]
    assert regions["climbing"] + regions["(in no region)"] == regions["whole"]
    threads = {row["thread"] for row in rows} - {"0"}
    assert len(threads) == 2
    assert total(bench.csv("run", "--by=path")) == sum(total(bench.csv("run", f"--thread={t}")) for t in threads | {"0"})
    listed = json.loads(bench.show("run", "--format=json"))
    assert [str(row["pcycles"]) for row in listed] == [str(row["pcycles"]) for row in rows]
    return rows


def check_names(bench, rows):
    """What was called from where: touch() from work() and from climb(), which is on a path once."""
    paths = collections.Counter()
    for row in rows:
        if row["function"] in ("touch", "climb"):
            paths[";".join(row["path"].split(";")[-2:])] += row["instructions"]
    assert set(paths) == {"work;touch", "work;climb", "climb;touch", "main;climb"}, paths
    assert not [row for row in rows if row["path"].count("climb") > 1]
    inclusive = {row["function"]: row for row in bench.csv("run", "--by=function", "--children")}
    within = [row for row in rows if "climb" in row["path"].split(";")]
    assert inclusive["climb"]["pcycles"] == total(within)
    assert inclusive["touch"]["pcycles"] == total(r for r in rows if r["function"] == "touch")
    lines = {row["line"]: row["instructions"] for row in bench.csv("run", "--by=line")}
    source = pathlib.Path(__file__).with_name("profile_guest.c").read_text().splitlines()
    loop = 1 + next(i for i, text in enumerate(source) if "the loop's load and store" in text)
    hot = [n for name, n in lines.items() if name.endswith(f"profile_guest.c:{loop}")]
    assert len(hot) == 1 and hot[0] > 3 * (1000 + 20 + 50), lines


def check_stat(bench):
    """Without a directory the profile's beginning follows the table."""
    done = subprocess.run([bench.numachine, "stat", *bench.machine(), "--profile", "--", bench.guest], check=True,
                          capture_output=True, text=True, timeout=600)
    said = done.stderr.splitlines()
    first = next(i for i, line in enumerate(said) if line.startswith("#   self %")) + 1
    whole = [line for line in bench.show("run", "--lines=0").splitlines() if not line.startswith("#")]
    assert said[first:first + 20] == whole[:20], said[first:]
    assert said[first + 20].startswith(f"# {len(whole) - 20} more, each a function: "), said[first + 20:]


def check_text(bench, rows):
    text = bench.show("run", "--lines=0")
    assert f"# PCycles of threads: {total(rows)}\n" in text
    first = [line for line in text.splitlines() if not line.startswith("#")]
    assert sum(int(line.split()[1]) for line in first) == total(rows)
    cut = [line for line in bench.show("run").splitlines() if not line.startswith("#")]
    assert cut == first[:20] and len(first) > 20, cut
    assert f"\n# {len(first) - 2} more, each a function: " in bench.show("run", "-n", "2")
    # What a column of the table is called can be asked for; the columns of a line come to all of it.
    words = next(line for line in text.splitlines() if " self %" in line)[1:].replace("self %", "self").split()
    parts = words[words.index("run"):words.index("other") + 1]
    head = dict(line[1:].split()[:2] for line in text.splitlines() if line.startswith("#   ") and "self" not in line)
    assert len(parts) == 8 and sum(int(head[part]) for part in parts) == total(rows), head
    for word in words[words.index("run"):-1]:
        asked = bench.show("run", f"--state={word}", "-n", "0").splitlines()
        count = sum(int(line.split()[1]) for line in asked if line[0] != "#")
        assert count == int(head[word]) if word in parts else count >= 0, word
    for line in first:
        numbers = line.split()
        assert abs(sum(map(float, numbers[2:10])) - 100) < 0.5, line
    nacks = bench.show("run", "-n", "0", "--state=nacks", "--by=instruction")
    assert sum(int(line.split()[1]) for line in nacks.splitlines() if line[0] != "#") == total(rows, "nacks")
    annotated = bench.show("run", "--annotate=touch")
    assert "sum += words[i]++; /* the loop's load and store */" in annotated, annotated
    assert f"  {bench.store} " in annotated and "# touch, " in annotated and "of all" in annotated
    instructions = [line for line in annotated.splitlines() if ":  " in line and "%" in line and ".c:" not in line]
    own = total(r for r in rows if r["function"] == "touch")
    assert sum(int(line.split()[1]) for line in instructions) == own, annotated
    assert bench.show("run", "--annotate").count("# no source text") <= 1
    within = bench.show("run", "--annotate=work")
    assert re.search(rf":  ({bench.call}) .*  # touch$", within, re.M), within
    shown = bench.show("run", "--annotate=climb", "--region=climbing", "--state=run")
    assert "# region: climbing\n" in shown and "# climb, " in shown


def check_disassembly(bench):
    """Each instruction of the program's functions is what binutils says, ARM and Thumb."""
    objdump = shutil.which(bench.tools + "objdump")
    if not objdump:
        return
    thumb = bench.directory / "thumb"
    source = pathlib.Path(__file__).with_name("profile_guest.c")
    subprocess.run([bench.tools + "gcc", "-O1", "-g", "-mthumb", "-march=armv6", "-static", "-pthread", "-o", thumb, source,
                    f"-I{source.parents[1] / 'experiments/include'}"], check=True, timeout=600)
    bench.run("thumb-run", thumb, "--profile")
    for run, guest in ("run", bench.guest), ("thumb-run", thumb):
        whole = subprocess.run([objdump, "-d", guest], capture_output=True, text=True, check=True, timeout=600).stdout
        want = {int(m[1], 16): re.sub(r"\.n$", "", m[2]) for m in re.finditer(r"^ +([0-9a-f]+):\t[0-9a-f ]+\t(\S+)", whole, re.M)}
        seen = 0
        for function in "touch", "climb", "work", "main", "malloc", "printf", "memcpy", "pthread_create":
            done = bench.ask(run, f"--annotate={function}")
            for m in re.finditer(r"^.* ([0-9a-f]+):  (\S+)", done.stdout, re.M):
                if ".c:" in m[0]:
                    continue
                seen += 1
                assert same_mnemonic(m[2], want[int(m[1], 16)]), (run, function, m[0], want[int(m[1], 16)])
        assert seen > 40, seen


def same_mnemonic(ours, theirs):
    """But for names that binutils prefers."""
    plain = {"push": "st", "pop": "ld", "ldmia": "ldm", "stmia": "stm", "lsl": "mov", "lsr": "mov", "asr": "mov", "ror": "mov",
             "rrx": "mov", "neg": "rsb", "nop": "mov", "stmdb": "stm", "ldmfd": "ldm", "stmfd": "stm"}
    return any(ours.startswith(plain.get(theirs[:n], theirs[:n])[:3]) for n in (6, 5, 4, 3, 2, 1))


def check_source(bench):
    """Lines have their text; whoever has changed it since the run is told so, and sees the same numbers."""
    source = bench.directory / "source.c"
    source.write_text(pathlib.Path(__file__).with_name("profile_guest.c").read_text())
    guest = bench.directory / "built"
    subprocess.run([bench.tools + "gcc", "-O1", "-g", "-static", "-pthread", "-o", guest, source,
                    f"-I{pathlib.Path(__file__).parents[1] / 'experiments/include'}"], check=True, timeout=600)
    bench.run("source", guest, "--profile")
    ways = ["--by=line", "--annotate=touch"]
    for way in ways:
        assert "sum += words[i]++; /* the loop's load and store */" in bench.show("source", way), way
    at = (bench.directory / "source/guest.elf").stat().st_mtime + 5
    os.utime(source, (at, at))
    for way in ways:
        done = bench.ask("source", way)
        assert done.returncode == 0 and "source.c was changed after the run" in done.stderr, done.stderr
        assert done.stderr.count("\n") == 1 and "sum += words[i]++;" in done.stdout, done
    assert bench.show("source", "--by=function") and bench.csv("source", "--by=line")
    source.unlink()
    assert "source.c:" in bench.show("source", "--by=line")


def check_tools(bench, rows):
    folded = collections.Counter()
    for line in bench.show("run", "--format=folded").splitlines():
        stack, count = line.rsplit(" ", 1)
        folded[stack.split(";")[0]] += int(count)
    assert sum(folded.values()) == total(rows)
    grind = bench.show("run", "--format=callgrind")
    assert grind.splitlines()[0] == "# callgrind format"
    spent, called = 0, False
    for line in grind.splitlines():
        if line.startswith("0x") and not called:
            spent += int(line.split()[2])
        called = line.startswith("calls=")
    assert spent == total(rows)
    if not skip.have("valgrind", "callgrind_annotate"):
        return
    (bench.directory / "grind").write_text(grind)
    for words in ["--show=pcycles"], ["--show=pcycles", "--inclusive=yes"]:
        done = subprocess.run(["callgrind_annotate", *words, bench.directory / "grind"], capture_output=True,
                              text=True, timeout=600, check=True, cwd="/")
        assert f"{total(rows):,} (100.0%)  PROGRAM TOTALS" in done.stdout, done.stdout
        climb = [line for line in done.stdout.splitlines() if ":climb [" in line]
        own = [r for r in rows if ("climb" in r["path"].split(";") if len(words) > 1 else r["function"] == "climb")]
        assert len(climb) == 1 and climb[0].split()[0] == f"{total(own):,}", (climb, total(own))


def fields(message):
    """(number, value) of a message of protocol buffers: a value is a number, or bytes."""
    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                return value

    at = 0
    while at < len(message):
        key = number()
        assert key & 7 in (0, 2), key
        value = number()
        if key & 7 == 2:
            value, at = message[at:at + value], at + value
        yield key >> 3, value


def packed(message):
    """Numbers one behind the other."""
    return [value for _, value in fields(b"".join(b"\x08" + m for m in re.findall(rb"[\x80-\xff]*[\x00-\x7f]", message, re.S)))]


def check_pprof(bench, run, rows):
    """Every row is a sample: its values, its thread, and its functions, the innermost first."""
    done = subprocess.run([bench.numachine, "profile", bench.directory / run, "--format=pprof"], check=True,
                          capture_output=True, timeout=600)
    top = list(fields(gzip.decompress(done.stdout)))
    strings = [value.decode() for number, value in top if number == 6]
    assert strings[0] == "" and len(set(strings)) == len(strings)
    functions = {f[1]: (strings[f[2]], strings[f[4]]) for f in (dict(fields(v)) for n, v in top if n == 5)}
    places = {}
    for place in (list(fields(v)) for n, v in top if n == 4):
        lines = [dict(fields(v)) for n, v in place if n == 4]
        places[dict(place)[1]] = [(functions[line[1]][0], line[2]) for line in lines]
    types = [strings[dict(fields(v))[1]] for n, v in top if n == 1]
    assert types[0] == "pcycles" and set(STATES) <= set(types)
    samples = [dict(fields(v)) for n, v in top if n == 2]
    assert len(samples) == len(rows)
    for row, sample in zip(rows, samples):
        values = dict(zip(types, packed(sample[2])))
        stack = [name for number in packed(sample[1]) for name, _ in places[number]]
        assert [max(0, row[c]) for c in ["pcycles", *STATES]] == [values[c] for c in ["pcycles", *STATES]], row
        assert ";".join(reversed(stack)) == row["path"], (row, stack)
        assert dict(fields(sample[3]))[3] == int(row["thread"]), row


def check_stripped(bench):
    """A program with fewer names, and one line that says so."""
    for option, note in ("-g", "without -g"), ("-s", "no symbols"):
        guest = bench.directory / f"guest{option}"
        subprocess.run([bench.tools + "strip", option, "-o", guest, bench.guest], check=True)
        bench.run(f"run{option}", guest, "--profile")
        done = bench.ask(f"run{option}", "--by=function")
        assert done.returncode == 0 and note in done.stderr and done.stderr.count("\n") == 1, done.stderr
        assert ("touch" in done.stdout) == (option == "-g")
        done = bench.ask(f"run{option}", "--annotate")
        assert done.returncode == 0 and f"  {bench.load} " in done.stdout, done.stdout


def give_slash(path):
    """A file's checksum has the byte of a slash, which the name before it in .gnu_debuglink may not have."""
    good, size = path.read_bytes(), 2
    tail = next(n for n in range(1 << 16) if b"/" in zlib.crc32(good + n.to_bytes(size, "big")).to_bytes(4, "big"))
    path.write_bytes(good + tail.to_bytes(size, "big"))


def check_apart(bench):
    """Debugging information beside the program that ran, in another directory, and nowhere."""
    guest, elsewhere = bench.directory / "apart", bench.directory / "elsewhere"
    elsewhere.mkdir()
    debug = guest.with_suffix(".debug")
    subprocess.run([bench.tools + "objcopy", "--only-keep-debug", bench.guest, debug], check=True, stderr=subprocess.DEVNULL)
    give_slash(debug)
    subprocess.run([bench.tools + "objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", bench.guest, guest], check=True)
    bench.run("apart-run", guest, "--profile")
    lines = bench.show("apart-run", "--by=line")
    assert "profile_guest.c:" in lines and "touch" in bench.show("apart-run"), lines
    debug.rename(elsewhere / debug.name)
    done = bench.ask("apart-run", "--by=line")
    assert done.returncode == 0 and "in apart.debug, which is not beside it" in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 and "--debug-path" in done.stderr and "profile_guest.c:" not in done.stdout
    assert bench.show("apart-run", "--by=line", f"--debug-path={elsewhere}") == lines


CPP = """#include <stdlib.h>
__attribute__((noinline)) unsigned bump(unsigned n) __asm__("_ZN3lab7Counter4bumpEj");
__attribute__((noinline)) unsigned fill(unsigned n) __asm__("_ZN3lab4fillIdEEvRSt6vectorIT_SaIS2_EES2_");
__attribute__((noinline)) unsigned none(unsigned n) __asm__("_Znone");
unsigned bump(unsigned n) { return n * 3; }
unsigned fill(unsigned n) { return bump(n) + 1; }
unsigned none(unsigned n) { return fill(n) ^ 7; }
int main(int argc, char **argv) { unsigned n = 0; for (int i = 0; i < 1000; i++) n += none(n + argc); return n == 7; }
"""


def check_cpp(bench):
    """Functions of C++ have the names that people wrote."""
    source, guest = bench.directory / "cpp.c", bench.directory / "cpp"
    source.write_text(CPP)
    subprocess.run([bench.tools + "gcc", "-O1", "-g", "-static", "-fno-optimize-sibling-calls", "-o", guest, source],
                   check=True, timeout=600)
    bench.run("cpp-run", guest, "--profile")
    bump = "lab::Counter::bump(unsigned int)"
    fill = "void lab::fill<double>(std::vector<double, std::allocator<double> >&, double)"
    paths = {row["path"]: row["instructions"] for row in bench.csv("cpp-run", "--by=path")}
    assert [n for path, n in paths.items() if path.endswith(f"main;_Znone;{fill};{bump}")] > [1000], paths
    for name in bump, "lab::Counter::bump":
        assert f"# {bump}, " in bench.show("cpp-run", f"--annotate={name}"), name
    assert f"  # {bump}\n" in bench.show("cpp-run", f"--annotate={fill}")
    assert f"fn=(" in bench.show("cpp-run", "--format=callgrind") and bump in bench.show("cpp-run", "--format=folded")
    bench.refused("cpp-run", "no function 'lab::Counter'", "--annotate=lab::Counter")


def check_inlined(bench):
    """What was inlined is called; a line of the library is shown as the program's own line that it was inlined in."""
    if not shutil.which(bench.tools + "g++"):
        return
    source, guest = pathlib.Path(__file__).with_name("inlined_guest.cc"), bench.directory / "inlined"
    text = source.read_text().splitlines()
    add, first, second, made, block = (1 + next(i for i, line in enumerate(text) if part in line)
                          for part in ("bins_[value", "add(next_of", "add(3)", "struct Request", "Request request"))
    subprocess.run([bench.tools + "g++", "-O2", "-g", "-static", "-pthread", "-o", guest, source], check=True, timeout=600)
    bench.run("inlined-run", guest, "--profile", "--truth")
    rows = bench.csv("inlined-run")
    lines = bench.csv("inlined-run", "--by=line")
    assert total(lines) == total(rows)
    hot = {row["inlined"].rsplit(":", 1)[1]: row for row in lines if row["line"].endswith(f"inlined_guest.cc:{add}")}
    scope = "(anonymous namespace)::"
    assert set(hot) == {str(first), str(second)}, hot
    for at, row in hot.items():
        assert re.fullmatch(rf"\w+\.h:\d+ .*< Histogram::add inlined_guest\.cc:{add} < work inlined_guest\.cc:{at}",
                            row["inlined"]), row
        same = [r for r in rows if r["line"] == str(add) and r["inlined"].endswith(f"work inlined_guest.cc:{at}")]
        assert total(same) == row["pcycles"] and "Histogram::add" in same[0]["function"], row
    system = [r for r in bench.csv("inlined-run", "--by=line", "--system-path=none") if "include/c++" in r["line"]]
    assert system and not [r for r in lines if "include/c++" in r["line"] and "inlined_guest" in r["inlined"]]
    every = bench.csv("inlined-run", "--by=line", f"--system-path={source.parent}")
    assert not [r for r in every if r["line"].endswith(f"inlined_guest.cc:{add}") and "include/c++" in r["inlined"]]
    implicit = [r for r in lines if f"~Request inlined_guest.cc:{made}" in r["inlined"]]
    assert implicit and not [r for r in lines if r["line"].endswith(f"inlined_guest.cc:{made}")], implicit
    assert all(int(r["line"].rsplit(":", 1)[1]) in range(block - 5, block + 2) for r in implicit), implicit
    body = next(i + 1 for i, line in enumerate(text) if "seeds + job.seed" in line)
    of_lambda = [r for r in lines if r["line"].endswith(f"inlined_guest.cc:{body}")]
    assert of_lambda and all(f"main::{{lambda:{body - 1}:" in r["inlined"] for r in of_lambda), of_lambda
    functions = {row["function"]: row for row in bench.csv("inlined-run", "--by=function", "--children")}
    paths = [r for r in rows if f"{scope}Histogram::add;" in r["path"] + ";"]
    assert functions[scope + "Histogram::add"]["pcycles"] == total(paths) > 0
    own = [r for r in paths if re.search(r"::add(;std::[^;]*)*$", r["path"])]
    assert {r["function"] for r in own} == {scope + "Histogram::add"}, "the library's count for it"
    assert total(r for r in own if ";std::" in r["path"]) > total(own) / 4
    folded = bench.show("inlined-run", "--format=folded")
    assert re.search(r";\(anonymous namespace\)::work\(void\*\);\(anonymous namespace\)::Histogram::add;std::", folded)
    noted = bench.show("inlined-run", f"--annotate={scope}Histogram::add")
    assert f"# {scope}Histogram::add, inlined in {scope}work(void*), " in noted, noted
    assert f": total {total(own)} PCycles" in noted and f"inlined_guest.cc:{add} (atomic_base.h:" in noted, noted
    moved = bench.directory / "moved"
    moved.mkdir()
    (moved / source.name).write_text("\n".join(line + " // moved" for line in text))
    done = bench.ask("inlined-run", "--by=line", f"--source-path={source.parent}={moved}")
    assert f"{moved}/inlined_guest.cc:{add} (" in done.stdout and "// moved" in done.stdout, done.stdout
    if bench.abi == "o32":
        check_called(bench, source, add)
    check_inlined_grind(bench, rows)
    check_pprof(bench, "inlined-run", rows)
    check_inlined_sharing(bench, scope, add, (first, second))


def check_called(bench, source, add):
    """What was not inlined is called: lines of the library's functions count for the line that called them, too."""
    guest = bench.directory / "called"
    subprocess.run([bench.tools + "g++", "-O0", "-g", f"-ffile-prefix-map={source.parent}=.", "-static", "-pthread", "-o",
                    guest, source.name], check=True, timeout=600, cwd=source.parent)
    bench.run("called-run", guest, "--profile")
    assert f" ./{source.name}:{add} (" in bench.ask("called-run", "--by=line").stdout
    moved = f"--source-path=.={source.parent}"
    rows, lines = bench.csv("called-run", moved), bench.csv("called-run", "--by=line", moved)
    assert f" {source}:{add} (" in bench.show("called-run", "--by=line", moved)
    assert "bins_[value" in bench.show("called-run", "--by=line", moved)
    assert total(lines) == total(rows)
    within = [r for r in rows if re.search(r"::Histogram::add\(unsigned int\)(;std::[^;]*)*$", r["path"])]
    own = [r for r in lines if re.search(rf"inlined_guest\.cc:({'|'.join(str(add + n) for n in (-2, -1, 0, 1))})$", r["line"])]
    assert total(own) == total(within) > total(rows) / 4, (total(own), total(within))
    hot = next(r for r in own if r["line"].endswith(f":{add}"))
    assert re.fullmatch(rf"\w+\.h:\d+ .*< Histogram::add inlined_guest\.cc:{add}", hot["inlined"]), hot


def check_inlined_grind(bench, rows):
    """Callgrind's inclusive costs of what was inlined are those of paths, of a function that never calls itself."""
    grind = bench.show("inlined-run", "--format=callgrind")
    names, called, within = dict(re.findall(r"^c?fn=\((\d+)\) (.*)$", grind, re.M)), collections.Counter(), None
    for line in grind.splitlines():
        if line.startswith("cfn="):
            within = names[re.match(r"cfn=\((\d+)\)", line)[1]]
        elif within and line.startswith("0x"):
            called[within] += int(line.split()[2])
            within = None
    for name in names.values():
        if "Histogram::add" in name or "fetch_add" in name:
            assert called[name] == total(r for r in rows if name in r["path"].split(";")), name


def check_inlined_sharing(bench, scope, add, calls):
    """The same in c2c, and its text says each place once."""
    words = [bench.numachine, "c2c", bench.directory / "inlined-run"]
    told = json.loads(subprocess.run([*words, "--format=json"], check=True, capture_output=True, timeout=600).stdout)
    asked = [a for line in told["lines"] for a in line["askers"] if a.get("line") == add]
    assert {a["inlined"][-1]["line"] for a in asked} == set(calls), asked
    for a in asked:
        assert a.get("caller", a.get("function")) == scope + "Histogram::add" and a["file"].endswith("inlined_guest.cc"), a
        assert a["inlined"][-1]["function"] == scope + "work(void*)", a
    text = subprocess.run(words, check=True, capture_output=True, text=True, timeout=600).stdout
    chain = rf"(?:atomic_base\.h:\d+ < )+Histogram::add inlined_guest\.cc:{add} < work inlined_guest\.cc:(\d+)"
    said = re.findall(rf"(?:  |, called by ){chain}(?: \(0x\w+\))?$", text, re.M)
    assert said and {*map(int, said)} <= {*calls}, text


def damage(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def check_refusals(bench):
    bench.refused("none", "No such file or directory")
    bench.refused("run/manifest.json", "not a run's directory; numachine stat -o DIR makes one")
    bench.refused("run", "the run has no region 'nowhere'", "--region=nowhere")
    bench.refused("run", "the run has no thread 99", "--thread=99")
    bench.refused("run", "did you mean 'climb'?", "--annotate=clim")
    bench.refused("run", "no function 'unrelated' in the profile", "--annotate=unrelated")
    for words in ["--annotate", "--by=line"], ["--annotate", "--format=csv"], ["--format=folded", "--by=line"], \
            ["--format=callgrind", "--children"], ["--format=csv", "--children"]:
        bench.refused("run", words[0] if words[0] == "--annotate" else "--children", *words)
    for word in "--annotate", "--format=csv", "--format=callgrind":
        bench.refused("run", "--lines is for the table", "--lines=3", word)
    whole = (bench.directory / "run/guest.elf").read_bytes()
    profile = (bench.directory / "run/profile.json").read_text()
    for name, file, text, sentence in (
            ("plain", "profile.json", None, "the run has kept no profile"),
            ("cut", "profile.json", profile[:len(profile) // 2], "profile.json: line "),
            ("empty", "profile.json", "", "profile.json: line "),
            ("other", "profile.json", "[]", "profile.json: not an object"),
            ("no-elf", "guest.elf", None, "guest.elf: No such file"),
            ("short-elf", "guest.elf", whole[:1000], "not the program that ran"),
            ("foreign-elf", "guest.elf", whole[:-1] + b"\1", "not the program that ran"),
            ("no-manifest", "manifest.json", None, "manifest.json: No such file"),
            ("bad-manifest", "manifest.json", '{"experiment": {"program": 7}}', "manifest.json: not the manifest")):
        path = bench.copy(name) / file
        path.unlink()
        if text is not None:
            damage(path, text)
        simulator.listed_again(path.parent, file)
        bench.refused(name, sentence)


def check_advice(bench):
    """Of a run that has kept nothing, each command says at once what it needs."""
    bench.run("nothing", bench.guest)
    for command, needed in ("profile", "--profile"), ("locks", "--profile"), ("c2c", "--truth"), ("placement", "--truth"):
        done = subprocess.run([bench.numachine, command, bench.directory / "nothing"], capture_output=True, text=True,
                              timeout=600, check=False)
        assert done.returncode == 2 and f"run it again with: numachine stat {needed} -o " in done.stderr, done.stderr
        assert done.stderr.count("\n") == 1 and not done.stdout, done.stderr


FROM, TO = "--set=run.from=instructions 3000", "--set=run.to=instructions 9000"
MODES = [["--functional"], [FROM, TO], [FROM, TO, "--set=run.warm=none"], [FROM], [TO]]  # the first two are the quick form
REGION = ["-m", "ring-16", "--set=run.from=region climbing"]  # what is not timed warms the caches of several stations


def check_modes(bench):
    """Each core, in each mode of the machine: a run whose profile is not what the cards have counted fails."""
    for machine in [[], ["-m", "r10000", "-p", "4"]][:2 if bench.abi == "o32" else 1]:
        for options in MODES if "all" in sys.argv else MODES[:2]:
            bench.run("mode", bench.guest, "--profile", "--force", *machine, *options)
    if bench.abi == "o32":
        bench.run("mode", bench.guest, "--profile", "--force", *REGION)
    for row in bench.csv("mode"):
        for kind in "l1i_misses", "l1d_misses", "l2_misses", "upgrades", "tlb_misses", "requests", "writebacks":
            assert not row["pc"] or int(row[kind]) >= 0, f"an instruction has fewer than no {kind}: {row}"


def check(numachine, guest):
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        bench = Bench(numachine, guest, scratch)
        bench.run("run", bench.guest, "--profile")
        rows = check_sums(bench)
        check_names(bench, rows)
        check_stat(bench)
        check_text(bench, rows)
        check_source(bench)
        check_modes(bench)
        check_inlined(bench)
        if bench.abi == "o32" or "all" in sys.argv:
            check_tools(bench, rows)
            check_pprof(bench, "run", rows)
            check_stripped(bench)
            check_cpp(bench)
            check_apart(bench)
        if bench.abi != "o32":
            check_disassembly(bench)
            return
        check_refusals(bench)
        check_advice(bench)
        print(f"ok: {len(rows)} rows")


def main():
    for guest in [name for name in sys.argv[2:] if name != "all"]:
        check(sys.argv[1], guest)


main()
