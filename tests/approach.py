#!/usr/bin/env -S python3 -S
"""Fast-forward (run.from, run.to): a part that is timed alone begins with warm caches, or cold ones, and has its own
misses and no others; the same part is the same again; a point that never comes is said; what cannot go together is refused.

    approach.py NUMACHINE SOURCE quick|long

quick takes turns where both of two things are tried in all ways (`some`).
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NUMACHINE, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
WHOLE = sys.argv[3] == "long"
ABIS = [(abi, compiler) for abi, compiler in (("o32", "mips-linux-gnu-gcc"), ("n64", "mips64-linux-gnuabi64-gcc"))
        if shutil.which(compiler)]
REFUSED = [
    (["run.from=region"], "'run.from': 'region' is neither 'region NAME', 'symbol NAME' nor 'pc ADDRESS'"),
    (["run.from=region work 0"], "'run.from': 'region work 0' is neither"),
    (["run.from=symbol"], "'run.from': 'symbol' is neither"),
    (["run.from=symbol main 0"], "'run.from': 'symbol main 0' is neither"),
    (["run.from=symbol main 18446744073709551616"], "is neither"),
    (["run.to=pc main"], "'run.to': 'pc main' is neither"),
    (["run.to=pc 0"], "'run.to': 'pc 0' is neither"),
    (["run.to=pc 0x400000 many"], "'run.to': 'pc 0x400000 many' is neither"),
    (["run.to=instructions 5 2"], "'run.to': 'instructions 5 2' is neither"),
    (["run.from=instructions 0"], "'run.from': 'instructions 0' is neither"),
    (["run.to=instructions many"], "'run.to': 'instructions many' is neither"),
    (["run.to=main"], "'run.to': 'main' is neither"),
    (["run.from=region a b"], "'run.from': 'region a b' is neither"),
    (["run.from=symbol mian"], "run.from: the program has no function 'mian'; did you mean 'main'?"),
    (["run.to=symbol no_such_thing_at_all"], "run.to: the program has no function 'no_such_thing_at_all'"),
    (["run.to=symbol number"], "run.to: the program has no function 'number'"),
    (["run.from=pc 0x400001"], "run.from: 0x400001 is not the address of an instruction"),
    (["run.from=pc 0x10"], "run.from: 0x10 is not the address of an instruction"),
    (["run.from=symbol main", "program.abi=host"], "a kernel runs on the host, and has no addresses; name a region"),
    (["run.from=region work", "run.mode=functional"], "does not go with run.mode: functional"),
    (["run.from=region work", "record.references=true"], "does not go with record.references"),
    (["run.from=region work", "run.check=true"], "does not go with run.check"),
    (["run.to=region work", "run.truth=true"], "does not go with run.truth"),
    (["run.from=region work", "monitor.counters=[{event: nacks, interrupt: true}]"],
     "does not go with interrupts of counters"),
]


# A program whose threads call `step` TIMES times each, `leaf` behind each of them, and `touch`, whose first instruction
# faults on a page of its own each time and begins again; `slot` is a delay slot. It adds up its own instructions, too.
TIMES, THREADS = 20, 4
PROGRAM = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
enum { TIMES = %d, PAGE = 65536 };
void touch(unsigned *page, unsigned value);
void slot(void);
__asm__(".text\\n.set push\\n.set noreorder\\n.globl touch\\n.type touch, @function\\n.ent touch\\ntouch: sw $5, 0($4)\\n"
        "jr $31\\n.globl slot\\nslot: nop\\n.end touch\\n.size touch, .-touch\\n.set pop\\n");
static unsigned data[4096];
__attribute__((noinline)) unsigned step(unsigned from, unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += data[(from + i) %% 4096] += i;
    return sum;
}
__attribute__((noinline)) unsigned leaf(unsigned sum)
{
    const unsigned *code = (const unsigned *)(void *)step;
    for (unsigned i = 0; i < 8; i++)
        sum += code[i] ^ ((const unsigned *)(void *)touch)[i %% 3];
    return sum;
}
static void *body(void *arg)
{
    const unsigned me = (unsigned)(unsigned long)arg;
    char *page = mmap(NULL, TIMES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned sum = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        sum += leaf(step(me * 256, 50));
        touch((unsigned *)(void *)(page + i * PAGE), sum);
        sum += *(unsigned *)(void *)(page + i * PAGE);
    }
    return (void *)(unsigned long)sum;
}
int main(int argc, char **argv)
{
    const unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    pthread_t thread[64];
    for (unsigned i = 1; i < threads; i++)
        pthread_create(&thread[i], NULL, body, (void *)(unsigned long)i);
    unsigned sum = (unsigned)(unsigned long)body(NULL);
    for (unsigned i = 1; i < threads; i++) {
        void *more;
        pthread_join(thread[i], &more);
        sum += (unsigned)(unsigned long)more;
    }
    printf("%%u\\n", sum);
    return 0;
}
""" % TIMES
KERNEL = SOURCE / "tests/extending/kernel.c"


def some(rows, turn, turns):
    """Those of `rows` whose turn it is; in the long suite all."""
    return rows if WHOLE else rows[turn % turns::turns]


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
    _, cold = run(scratch, f"{abi}-cold", abi, "run.from=region sum", "run.to=region sum", "run.warm=none")
    for stat in "elapsed", "truth.l2_misses":
        whole, warm, more = (of(out, "sum", stat) for out in (detail, part, cold))
        assert more >= 2 * whole, f"{abi}: {stat} {more} with cold caches, in detail {whole}"
        assert abs(warm - whole) <= 0.05 * more, f"{abi}: {stat} {warm} with warm caches, in detail {whole}, cold {more}"
    missed = [of(cold, where, "truth.tlb_misses") for where in ("sum", "whole")]
    assert missed[0] == missed[1] > 0, f"{abi}: {missed[1]} TLB refills, {missed[0]} where the machine is timed"
    inside = of(part, "sum", "truth.l2_misses")
    all_of_it = json.loads((part / "stats.json").read_text())["snapshots"][0]["measured"]["machine"]["truth.l2_misses"]
    assert inside <= all_of_it <= inside + 100, f"{abi}: {all_of_it} misses, {inside} in the region"
    _, tail = run(scratch, f"{abi}-tail", abi, "run.from=instructions 500000")
    assert 0 < of(tail, "whole", "truth.l2_misses"), abi
    _, head = run(scratch, f"{abi}-head", abi, "run.to=instructions 50000")
    assert 0 < of(head, "whole", "truth.l2_misses") < of(detail, "whole", "truth.l2_misses"), abi
    said, none = run(scratch, f"{abi}-never", abi, "run.from=region none", status=1)
    assert "run.from: region none has not been reached: nothing was timed" in said, said
    assert of(none, "whole", "measured") == 0, abi
    print(f"ok: {abi}")


class Program:
    """PROGRAM, or another one: runs of it. The first builds it, and the others take what it has built."""

    def __init__(self, scratch, abi, text=PROGRAM, suffix="c", threads=THREADS):
        self.scratch, self.abi, self.built = scratch, abi, False
        source = scratch / f"program.{suffix}"
        source.write_text(text)
        self.file = scratch / "program.yaml"
        self.file.write_text(f"program: {{source: {source}, abi: {abi}, args: ['{threads}'], processors: 4}}\n"
                             "machine: ring-16\nmonitor: {events: [nacks]}\n")

    def run(self, *sets, status=0):
        """@return what is said, what the program says, the manifest's end"""
        out = self.scratch / "program"
        done = subprocess.run([NUMACHINE, "run", "-q", self.file, "--force", "-o", out, *(f"--set={s}" for s in sets)],
                              capture_output=True, text=True, timeout=600)
        assert done.returncode == status, f"{self.abi} {sets}: {done.returncode}: {done.stderr}"
        if status == 2:
            return done.stderr, None, None
        if not self.built:
            executable = shutil.copy(out / "guest.elf", self.file.with_suffix(".elf"))
            self.file.write_text(re.sub("source: .*?, (?=args)", f"path: {executable}, ", self.file.read_text()))
            self.built = True
        return done.stderr, done.stdout.split()[0], json.loads((out / "manifest.json").read_text())["end"]

    def comes(self, *sets):
        """Whether run.to is reached; run.from must be."""
        said, wrote, _ = self.run(*sets)
        assert wrote == self.wrote, f"{self.abi} {sets}: it wrote {wrote!r}, not {self.wrote!r}"
        return "run.to: " not in said

    def counted(self, where, times):
        """The point comes so many times and no more: timed, and not; before a point and from it on are all times."""
        first = times // 3
        assert self.comes(f"run.to={where} {times}") and not self.comes(f"run.to={where} {times + 1}"), where
        self.run(f"run.from={where} {times}")
        said, _, _ = self.run(f"run.from={where} {times + 1}", status=1)
        assert "has not been reached: nothing was timed" in said, said
        if not first:
            return
        assert self.comes(f"run.from={where} {first}", f"run.to={where} {times - first}"), where
        assert not self.comes(f"run.from={where} {first}", f"run.to={where} {times - first + 1}"), where


def functions(executable):
    """{name: (address, bytes)}"""
    rows = subprocess.run(["readelf", "-sW", executable], capture_output=True, text=True, check=True).stdout.splitlines()
    return {r[7]: (int(r[1], 16), int(r[2])) for r in map(str.split, rows) if len(r) == 8 and r[3] == "FUNC"}


def addresses(scratch, abi, turn):
    """Functions and addresses: each execution is one time, whatever it does, and changes nothing."""
    for threads in (1, THREADS) if WHOLE else (1,) if turn else (THREADS,):
        program = Program(scratch, abi, threads=threads)
        _, program.wrote, whole = program.run()
        points = [(f"symbol {name}", TIMES) for name in ("touch", "step", "leaf", "slot")]
        for where, times in some(points, 2 * turn + (threads > 1), 4):
            program.counted(where, times * threads)
            _, _, end = program.run(f"run.to={where} 1000000")
            assert end["result_hash"] == whole["result_hash"], f"{abi} {threads}: {where} changes a run that it is not in"
            ends = [program.run(f"run.from={where} 7", f"run.to={where}")[2] for _ in range(2)]
            assert ends[0]["result_hash"] == ends[1]["result_hash"], f"{abi} {where}"
            if threads == 1:
                assert ends[0]["instructions"] == whole["instructions"], f"{abi} {where}: an instruction too many"
        program.counted("symbol main", 1)
    places = functions(scratch / "program" / "guest.elf")
    program.counted(f"pc {places['touch'][0]:#x}", TIMES * threads)
    first, size = places["leaf"]
    for pc in some(range(first, first + size, 4), turn, 6):  # branches, delay slots, the first of a line ...
        _, _, end = program.run(f"run.to=pc {pc:#x} 1000000")
        assert end["result_hash"] == whole["result_hash"], f"{abi}: {pc:#x} changes a run that it is not in"
    print(f"ok: addresses, {abi}")


PLUS = """
#include <cstdio>
namespace lab {
struct Counter {
    unsigned n = 0;
    __attribute__((noinline)) void bump(unsigned by) { n += by; __asm__ volatile("" ::: "memory"); }
    __attribute__((noinline)) void twice(unsigned by) { n += 2 * by; __asm__ volatile("" ::: "memory"); }
    __attribute__((noinline)) void twice(double by) { n += (unsigned)by; __asm__ volatile("" ::: "memory"); }
};
}
int main()
{
    lab::Counter c;
    for (unsigned i = 0; i < 9; i++) {
        c.bump(i);
        c.twice(i);
        c.twice(1.5);
    }
    std::printf("%u\\n", c.n);
}
"""


def demangled(scratch):
    program = Program(scratch, "o32", PLUS, "cc", 1)
    _, program.wrote, _ = program.run()
    program.counted("symbol lab::Counter::bump", 9)
    for name in "lab::Counter::bump(unsigned int)", "_ZN3lab7Counter4bumpEj", "lab::Counter::twice(double)":
        assert program.comes(f"run.to=symbol {name} 9") and not program.comes(f"run.to=symbol {name} 10"), name
    said, _, _ = program.run("run.from=symbol lab::Counter::twice", status=2)
    assert "there are several functions 'lab::Counter::twice'" in said, said
    said, _, _ = program.run("run.from=symbol lab::Counter::bmup", status=2)
    assert "did you mean 'lab::Counter::bump'?" in said, said
    print("ok: names of C++")


MADE = """
#include <stdio.h>
static inline __attribute__((always_inline)) unsigned within(unsigned n) { return n * n + 1; }
static __attribute__((noinline, noclone)) unsigned outside(unsigned n) { return within(n) + 3; }
unsigned copied(unsigned n) __asm__("whole.constprop.0");
__attribute__((noinline)) unsigned copied(unsigned n) { return outside(n) + 2; }
int main(int argc, char **argv) { (void)argv; printf("%u\\n", within((unsigned)argc) + copied((unsigned)argc)); return 0; }
"""


def without_code(scratch):
    """Functions that the compiler has inlined, or made another one of: the error says so, and what to name is good."""
    program = Program(scratch, "o32", MADE, "c", 1)
    program.file.write_text(program.file.read_text().replace("abi", "cflags: [-O2, -g], abi"))
    _, program.wrote, _ = program.run()
    said, _, _ = program.run("run.from=symbol whole", status=2)
    assert "no function 'whole': the compiler has made 'whole.constprop.0' of it; name that" in said, said
    program.counted("symbol whole.constprop.0", 1)
    for name in "within", "withni":
        said, _, _ = program.run(f"run.from=symbol {name}", status=2)
        assert f"no function '{name}'" in said and ("inlined it, in '" in said) == (name == "within"), said
        if name == "within":
            place = re.search(r"\(pc (0x[0-9a-f]+)\) and elsewhere; give such an address", said)
            assert place, said
            program.counted(f"pc {place[1]}", 1)
    print("ok: functions without code")


BARRIERS = """
#define _GNU_SOURCE
#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
enum { ROUNDS = 40, WINDOW = 1, BARRIER = 5 };
static volatile unsigned words[64][16];
static unsigned threads, wrong, apart;
static pthread_barrier_t begun;
static void *body(void *arg)
{
    const unsigned me = (unsigned)(unsigned long)arg;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof set, &set);
    volatile unsigned *card = numachine_card(-1);
    numachine_window(card, WINDOW, ~0u, apart ? 1u << me / 2 : ~0u, ~0u, ~0u);
    numachine_barrier_expect(card, BARRIER, threads);
    pthread_barrier_wait(&begun);
    for (unsigned i = 1; i <= ROUNDS; i++) {
        if (!me && i == ROUNDS / 2)
            NUMACHINE_BEGIN("half");
        words[me][i % 16] = i;
        numachine_barrier(card, WINDOW, BARRIER, i);
        for (unsigned t = 0; t < threads; t++)
            if (words[t][i % 16] != i)
                __sync_fetch_and_add(&wrong, 1);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t thread[64];
    threads = (unsigned)atoi(argv[1]) % 100;
    apart = atoi(argv[1]) > 100;
    pthread_barrier_init(&begun, NULL, threads);
    for (unsigned long i = 1; i < threads; i++)
        pthread_create(&thread[i], NULL, body, (void *)i);
    body(NULL);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%u\\n", wrong);
    return wrong != 0;
}
"""


def barriers(scratch):
    """Barriers of the processor cards are barriers where there are no cards, too, or the program is told that they
    cannot be."""
    ways = [], ["run.from=region half"], ["run.mode=functional"], ["run.from=region half", "run.warm=none"], \
        ["run.sample.every=50000cy"]
    for turn, (abi, _) in enumerate(ABIS):
        program = Program(scratch, abi, BARRIERS)
        for sets in some(ways, turn, len(ABIS)):
            assert program.run(*sets)[1] == "0", (abi, sets)
        program = Program(scratch, abi, BARRIERS, threads=100 + THREADS)
        said = subprocess.run([NUMACHINE, "run", "-q", program.file, "--force", "-o", scratch / "apart",
                               "--set=run.mode=functional"], capture_output=True, text=True, timeout=600)
        assert said.returncode == 1 and "windows that name different cards. That needs the cards" in said.stderr, said
    print("ok: barriers without cards")


def outside(scratch):
    """Uncached and non-coherent pages hold what the program has stored there, however it is timed."""
    program = Program(scratch, "o32", (SOURCE / "tests/noncoherent_guest.c").read_text())
    right = ["uncached: parts right", "uncached: messages right", "non-coherent: data right",
             "LL on an uncached page: signal 10", "LL on a non-coherent page: signal 10",
             "code on an uncached page: signal 10", "code on a non-coherent page: 42", "a system call copies: 0 0"]
    for sets in [], ["run.from=instructions 200000"], ["run.from=instructions 200000", "run.warm=none"], \
            ["run.to=instructions 100000"], ["run.sample.every=3100cy", "run.sample.length=1000cy", "run.sample.lead=1000cy"]:
        done = subprocess.run([NUMACHINE, "run", "-q", program.file, "--force", "-o", scratch / "outside",
                               *(f"--set={s}" for s in sets)], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0 and done.stdout.splitlines()[:len(right)] == right, (sets, done)
    print("ok: pages outside coherence")


def others(scratch):
    """What executes no program: a pattern; and the third time of a region."""
    file = scratch / "pattern.yaml"
    file.write_text("program: {pattern: [{kind: uniform, references: 100}]}\nrun: {from: pc 0x400000}\n")
    done = subprocess.run([NUMACHINE, "check", file], capture_output=True, text=True, timeout=600)
    assert done.returncode == 2 and "pattern.yaml:2:" in done.stderr and "give 'instructions N'" in done.stderr, done.stderr
    print("ok: patterns")
    if not shutil.which("mips-linux-gnu-gcc"):
        return
    run(scratch, "traced", "o32", "record.references=true", "run.limit=20000cy", status=6)
    for point in "pc 0x400000", "symbol main", "region sum", "instructions 5":
        done = subprocess.run([NUMACHINE, "stat", "--set", f"run.from={point}", scratch / "traced/references.ntr"],
                              capture_output=True, text=True, timeout=600)
        assert done.returncode == 2 and "can only be timed as a whole" in done.stderr and "trace cut" in done.stderr, done.stderr
        assert done.stderr.count("error:") == 1, done.stderr
    (scratch / "not.elf").write_text("text")
    file.write_text(f"program: {{path: {scratch}/not.elf}}\nrun: {{from: symbol main}}\n")
    done = subprocess.run([NUMACHINE, "check", file], capture_output=True, text=True, timeout=600)
    assert done.returncode == 2 and done.stderr.count("error:") == 1, done.stderr
    print("ok: what executes no program")


def regions(scratch, abi):
    said, _ = run(scratch, f"{abi}-once", abi, "run.from=region sum 2", status=1)
    assert "region sum 2 has not been reached" in said, said
    _, once = run(scratch, f"{abi}-first", abi, "run.from=region sum 1", "run.to=region sum 1")
    assert hash_of(once) == hash_of(scratch / f"{abi}-part"), abi
    said, _ = run(scratch, f"{abi}-more", abi, "run.from=region sum", "run.to=region sum 2")
    assert "run.to: region sum 2 has not been reached" in said, said


def places(scratch):
    """Pages lie where the run has them that is timed as a whole: with caches in which that matters, misses are its misses."""
    for name, region, args in ("kernels/ocean", "ocean", ["n=128", "sweeps=6"]), ("kernels/fft", "fft", ["m=7"]), \
            ("kernels/spmv", "spmv", ["n=8192", "rounds=3"]), ("../tests/extending/kernel", "sum", ["n=30000"]):
        file, outs = scratch / "places.yaml", []
        file.write_text(json.dumps({"machine": {"base": "ring-16", "l2": {"size": "64KB"}}, "program":
                                    {"source": f"{SOURCE}/experiments/{name}.c", "abi": "host", "processors": 16, "args": args}}))
        for sets in [], [f"--set=run.from=region {region}", f"--set=run.to=region {region}"]:
            outs.append(scratch / f"places-{len(outs)}")
            subprocess.run([NUMACHINE, "run", "-q", file, "--force", "-o", outs[-1], *sets], capture_output=True, timeout=600,
                           check=True)
        for stat in "elapsed", "truth.l2_misses":
            whole, part = (of(out, region, stat) for out in outs)
            assert abs(part / whole - 1) < 0.015, f"{region}: {stat} {whole}, fast-forwarded {part}"
    print("ok: where pages lie")


def hanging(scratch):
    """Of a part whose threads sleep at mutexes, or fight for one lock, it is said that it may take another time; and not of one
    whose threads spin at a barrier, or hand words on in an order that the program has."""
    for name, size, said in ("condition", 32, "threads sleep often"), ("spin-barrier", 32, None), ("pipeline", 256, None), \
            ("ticket", 32, "most stores are to lines that others have read since"):
        file = scratch / "strangers.yaml"
        file.write_text(f"program: {{source: {SOURCE}/experiments/bench/strangers.c, abi: o32, args: [{name}, 4, {size}]}}\n"
                        "machine: station-4\nrun: {from: region second, to: region second}\n")
        done = subprocess.run([NUMACHINE, "run", file, "--force", "-o", scratch / "strangers"], capture_output=True, text=True,
                              timeout=600)
        assert done.returncode == 0, f"{name}: {done.returncode}: {done.stderr}"
        found = re.search("in the part (.*): who comes first hangs on single PCycles", done.stdout + done.stderr)
        assert bool(found) == bool(said) and (not said or found[1].startswith(said)), f"{name}: {done.stdout}"
    print("ok: what hangs on single PCycles")


def shipped(scratch):
    """Kernels that come with the simulator, functional and behind a point: the books add up, the result is right."""
    for turn, name in enumerate(("spmv", "radix", "water")):
        file = scratch / "shipped.yaml"
        file.write_text(f"program: {{source: {SOURCE}/experiments/kernels/{name}.c, abi: host, processors: 15}}\n"
                        "machine: ring-16\nmonitor: {events: [nacks]}\n")
        ways = ["run.mode=functional"], [f"run.from=region {name}"], ["run.to=instructions 200000"]
        for sets in some(ways, turn, len(ways)):
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
                regions(scratch, abi)
        for turn, (abi, _) in enumerate(ABIS):
            addresses(scratch, abi, turn)
        if shutil.which("mips-linux-gnu-g++"):
            demangled(scratch)
            without_code(scratch)
        if shutil.which("mips-linux-gnu-gcc"):
            outside(scratch)
            hanging(scratch)
        barriers(scratch)
        others(scratch)
        if shutil.which("gcc"):
            places(scratch)
            shipped(scratch)


main()
