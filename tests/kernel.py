#!/usr/bin/env -S python3 -S
"""Kernels (programs/kernels/): what their threads agree by, what keeps one from running, and how each
end of one is told.

    kernel.py NUMACHINE SOURCE quick|long

Each row is the work of a kernel's threads, and what is to come of it. All rows are compiled at once; ROW in the environment
is the number of the one that runs. A second run says the same: quick asks every ninth row, long all of them. Without a
host compiler: 77.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import simulator
import skip

HEAD = """
#include "numachine_kernel.h"
#include <assert.h>
#include <stdlib.h>
struct shared { kn_barrier barrier; char a[KN_APART]; kn_lock lock; char b[KN_APART]; kn_word word, other; char c[KN_APART]; uint64_t sum; uint32_t stray; };
static inline volatile int *at(volatile uintptr_t a) { return (volatile int *)a; } /* nobody knows what it is */
"""
BODY = """\
static void *setup(kn_program *p) { SETUP; return kn_alloc(p, sizeof(struct shared)); }
static void work(kn_thread *t, void *data)
{ struct shared *s = (struct shared *)data; const unsigned me = kn_self(t), all = kn_threads(kn_program_of(t));
  (void)s; (void)me; (void)all; WORK; }
static int check(kn_program *p, void *data) { struct shared *s = (struct shared *)data; (void)s; (void)p; CHECK; }
"""
TAIL = "KN_KERNEL(setup, work, check)\n"
# One of many in a file: its messages name a file and lines of its own.
ONE = """\
#define setup setup_NUMBER
#define work work_NUMBER
#define check check_NUMBER
#line LINE "NAME.c"
BODY
#undef setup
#undef work
#undef check
"""
CHOICE = """\
static const struct { void *(*setup)(kn_program *); void (*work)(kn_thread *, void *); int (*check)(kn_program *, void *); } row[] = { TABLE };
static unsigned chosen;
static void *setup_one(kn_program *p) { chosen = (unsigned)atoi(getenv("ROW")); return row[chosen].setup(p); }
static void work_one(kn_thread *t, void *data) { row[chosen].work(t, data); }
static int check_one(kn_program *p, void *data) { return row[chosen].check(p, data); }
KN_KERNEL(setup_one, work_one, check_one)
"""
OK = "return 0"
STACK = "full stack"  # not under a sanitizer, where threads are the host's and have no other stack for signals
# How the simulator ends by the signals of programs/kernels/kernel.c: who aborts has been told why already.
CRASHES = {number: -number for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)} | {signal.SIGABRT: 4}
TRIES = 5
# name, work, check, setup, arguments, status of `stat`, what it says
ROWS = [
    ("add", "for (int i = 0; i < 50; i++) kn_add(t, &s->word, 3)",
     "return kn_differs(p, s->word.word, 150 * kn_threads(p)) || kn_differs(p, s->other.word, 0)", "", [], 0, ""),
    ("locked", "for (int i = 0; i < 20; i++) { kn_acquire(t, &s->lock); KN_STORE(t, s->sum, KN_LOAD(t, s->sum) + me);"
     " kn_release(t, &s->lock); }", "return s->sum != 20 * 6 || kn_differs(p, s->lock.served.word, 20 * kn_threads(p))", "", [], 0, ""),
    ("met", "for (unsigned i = 0; i < 30; i++) { if (i % all == me) KN_STORE(t, s->sum, KN_LOAD(t, s->sum) * 3 + i);"
     " kn_meet(t, &s->barrier); }",
     "uint64_t sum = 0; for (unsigned i = 0; i < 30; i++) sum = sum * 3 + i; return s->sum != sum", "", [], 0, ""),
    ("swapped", "if (me < 2) for (int i = 0; i < 9; i++) { while (kn_swap(t, &s->word, 1)) ;"
     " KN_STORE(t, s->sum, KN_LOAD(t, s->sum) + 1); kn_set(t, &s->word, 0); }", "return s->sum != 18", "", [], 0, ""),
    ("compared", "for (int i = 0; i < 9; i++) for (;;) { const uint32_t was = kn_get(t, &s->word);"
     " if (kn_compare(t, &s->word, was, was + 1) == was) break; } kn_meet(t, &s->barrier);"
     " if (me == 1) KN_STORE(t, s->sum, kn_get(t, &s->word))", "return s->sum != 36 || kn_differs(p, s->word.word, 36)", "", [], 0, ""),
    ("waits", "if (me == 1) { kn_set(t, &s->word, 7); kn_wait(t, &s->other, KN_IS_NOT, 0); } if (me == 2) {"
     " kn_wait(t, &s->word, KN_AT_LEAST, 6); kn_set(t, &s->other, 1); }",
     "return kn_differs(p, s->word.word, 7) || kn_differs(p, s->other.word, 1)", "", [], 0, ""),
    ("pages touched at once", "for (int i = 1; i < 400; i++) { kn_add(t, (kn_word *)(void *)((char *)s - 4096 * i), 1);"
     " if (i % 20) continue; kn_meet(t, &s->barrier); for (int j = 1; !me && j <= i; j++)"
     " if (kn_get(t, (kn_word *)(void *)((char *)s - 4096 * j)) != all) KN_STORE(t, s->sum, s->sum + 1);"
     " kn_meet(t, &s->barrier); }",
     "return s->sum != 0", "kn_alloc(p, 400 * 4096)", [], 0, ""),
    ("regions", 'if (!me) kn_begin(t, "one"); KN_STORE(t, s->sum, me); kn_phase(t, 3); if (!me) kn_end(t, "one")', OK,
     "", [], 0, ""),
    ("status", "", "return 7", "", [], 7, ""),
    ("printed", "", 'kn_print(p, "%d %s\\n", 42, "yes"); return 0', "", [], 0, r"42 yes"),
    ("number", "", OK, 'if (kn_number(p, "n", 5, 0, 9) != 8) kn_alloc(p, -1)', ["n=3", "n=0x8"], 0, ""),
    ("no number", "", OK, 'kn_number(p, "n", 5, 0, 9)', ["n=10"], 2, r"argument 'n=10': a whole number from 0 to 9"),
    ("no digits", "", OK, 'kn_number(p, "n", 5, 0, 9)', ["n="], 2, r"argument 'n=': a whole number from 0 to 9"),
    ("negative", "", OK, 'kn_number(p, "n", 5, 0, UINT64_MAX)', ["n=-1"], 2, r"argument 'n=-1': a whole number"),
    ("no memory", "", OK, "kn_alloc(p, (size_t)1 << 40)", [], 2, r"kn_alloc: the machine's memory is full: 1099511627776 bytes are asked for, and of the \d+ that all its stations "
     r"have together 0 are taken\. Take a smaller problem"),
    ("no memory later", "kn_meet(t, &s->barrier); if (me == 2) kn_alloc(kn_program_of(t), (size_t)1 << 40);"
     " kn_meet(t, &s->barrier)", OK, "", [], 2, r"the machine's memory is full"),
    ("unknown argument", "", OK, 'kn_number(p, "n", 5, 0, 9); kn_number(p, "seed", 5, 0, 9)', ["n=3", "N=3"], 2,
     r"argument 'N=3' is none of the kernel's, which are: n=, seed="),
    ("no arguments", "", OK, "", ["x"], 2, r"argument 'x' is none of the kernel's, which are: none"),
    ("exit", "if (me == 2) exit(0)", OK, "", [], 1, r"the program has ended the simulator \(exit\)"),
    ("abort", "if (me == 2) abort()", OK, "", [], 128 + 6, r"^numachine: error: thread 2 has crashed \(SIGABRT\)$"),
    ("assertion", "if (me == 1) { kn_get(t, &s->word); assert(!me); }", OK, "", [], 128 + 6,
     r"assertion.c:10: work_\d+: Assertion `!me' failed.\n.* thread 1 has crashed \(SIGABRT\), after kn_get at \S*assertion.c:10\n"),
    ("crash", "kn_meet(t, &s->barrier); if (me == 3) *at(120) = 1", OK, "", [], 128 + 11,
     r"thread 3 has crashed \(SIGSEGV\) at address 0x78, after kn_meet at \S*crash.c:10, in crash.so\+0x[0-9a-f]+$"),
    (STACK, "volatile char big[4000]; big[me] = 1; if (!kn_get(t, &s->word)) work(t, data); big[0] = big[me]", OK, "", [],
     128 + 11, r"thread \d has crashed \(SIGSEGV\) at an address that is not kn_alloc's, after kn_get at"),
    ("division", "KN_STORE(t, s->sum, 7 / (s->sum + (me & 1)))", OK, "", [], 128 + 8, r"thread 0 has crashed \(SIGFPE\)"),
    ("null", "kn_set(t, &s->word, 1); if (me == 2) *at(0) = 1", OK, "", [], 128 + 11,
     r"thread 2 has crashed \(SIGSEGV\) at address 0x0, after kn_set at \S*null.c:10, in null.so\+0x"),
    ("null in setup", "", OK, "kn_alloc(p, 9); *at(8) = 1", [], 2,
     r"the kernel's setup has crashed \(SIGSEGV\) at address 0x8, after kn_alloc, in null-in-setup.so"),
    ("null in check", "", 'kn_print(p, "so far"); return *at(4)', "", [], 128 + 11,
     r"the kernel's check has crashed \(SIGSEGV\) at address 0x4, after kn_print, in null-in-check.so"),
    ("same", "KN_STORE(t, s->sum, 7)", "return kn_differs(p, s->sum, 7) + kn_differs(p, 0.5 * (double)s->sum, 3.5)", "", [],
     0, ""),
    ("differs", "KN_STORE(t, s->sum, 7)", "return kn_differs(p, s->sum, 8)", "", [], 1,
     r"differs.c:11: s->sum is 7, not 8$"),
    ("differs really", "KN_STORE(t, s->sum, 7)", "return kn_differs(p, 0.5 * (double)s->sum, 3.25f)", "", [], 1,
     r"differs-really.c:11: 0.5 \* \(double\)s->sum is 3.5, not 3.25$"),
    ("crash functional", "if (me) abort()", OK, "", ["--functional"], 128 + 6, r"thread \d has crashed \(SIGABRT\)"),
    ("setup crashes", "", OK, "abort()", [], 2, r"the kernel's setup has crashed \(SIGABRT\)"),
    ("check crashes", "KN_STORE(t, s->sum, me)", "abort()", "", [], 128 + 6, r"the kernel's check has crashed \(SIGABRT\)"),
    ("many errors", "", "return 256", "", [], 1, ""),
    ("phase functional", "kn_phase(t, 3); kn_meet(t, &s->barrier)", OK, "", ["--functional"], 0, ""),
    ("phase behind a fast-forward", "for (int i = 0; i < 400; i++) KN_STORE(t, s->sum, i); kn_phase(t, 3);"
     " kn_meet(t, &s->barrier)", OK, "", ["--set=run.from=instructions 300"], 0, ""),
    ("deadlock", "if (me != 1) kn_wait(t, &s->word, KN_IS, me + 1)", OK, "", [], 3,
     r"deadlock: every thread waits\n  thread 0, card 0: waits since cycle \d+ until the word at 0x[0-9a-f]+ is 1, "
     r"kn_wait at \S*deadlock.c:10\n  thread 1, card 1: has ended\n  thread 2"),
    ("barrier without one", "if (me) kn_meet(t, &s->barrier)", OK, "", [], 3,
     r"thread 3, card 3: waits .* kn_meet at \S*barrier-without-one.c:10"),
    ("lock taken twice", "if (!me) { kn_acquire(t, &s->lock); kn_acquire(t, &s->lock); }", OK, "", [], 3,
     r"thread 0, card 0: waits .* kn_acquire at"),
    ("stack", "int mine = 1; kn_meet(t, &s->barrier); KN_STORE(t, mine, KN_LOAD(t, mine) + 1)", OK, "", [], 128 + 11,
     r"thread \d, after kn_meet at \S*stack.c:10: refers to memory that is not the program's; of a kernel only what kn_alloc"),
    ("stack before", "int mine = 1; KN_STORE(t, mine, KN_LOAD(t, mine) + 1); kn_meet(t, &s->barrier)", OK, "", [], 128 + 11,
     r"thread \d, before kn_meet at \S*stack-before.c:10: refers to memory that is not the program's"),
    ("misaligned", "if (me == 3) KN_STORE(t, *(uint32_t *)((char *)&s->sum + 1), 1)", OK, "", [], 128 + 11,
     r"thread 3: refers to an address that is no multiple of the reference's size; align what is there$"),
    ("long name", 'kn_begin(t, "1234567890123456789012345678901234567890123456789012345678901")', OK, "", [], 2,
     r"a region's name is 1 to 60 characters"),
    ("empty name", 'kn_begin(t, "")', OK, "", [], 2, r"a region's name is"),
    ("profile", "", OK, "", ["--profile"], 2, r"run.profile: a processor of this machine keeps no profile"),
    ("limit", "kn_wait(t, &s->word, KN_IS, me < 3 ? 0 : 1); for (;;) KN_STORE(t, s->sum, 1)", OK, "",
     ["--limit=100000cy"], 6, r"thread 3, card 3: waits since cycle"),
    ("regions functional", 'for (unsigned i = 0; i < 9; i++) { if (me == i % 4) kn_begin(t, "one"); KN_COMPUTE(t, 300 * me);'
     ' KN_STORE(t, s->sum, me); if (me == i % 4) kn_end(t, "one"); kn_meet(t, &s->barrier); }', OK, "", ["--functional"],
     0, ""),
    ("functional", "for (int i = 0; i < 50; i++) kn_add(t, &s->word, 3); kn_meet(t, &s->barrier)", OK, "",
     ["--functional"], 0, ""),
    ("checked", "for (int i = 0; i < 50; i++) kn_add(t, &s->word, 3); kn_meet(t, &s->barrier)", OK, "", ["--check"], 0, ""),
]


class Kernels:
    def __init__(self, numachine, source, scratch):
        self.numachine, self.scratch = numachine, scratch
        self.include = pathlib.Path(source).resolve() / "experiments/include"

    def build(self, name, text, *flags):
        file = self.scratch / f"{file_name(name)}.c"
        file.write_text(text)
        program = file.with_suffix(".so")
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{self.include}", *flags,
                        file, "-o", program], check=True)
        return program

    def stat(self, program, arguments=(), *more, row=0):
        options = [a for a in arguments if a.startswith("--")]
        return subprocess.run([self.numachine, "stat", "-q", "--processors=4", *more, *options, program,
                               *(a for a in arguments if a not in options)],
                              capture_output=True, text=True, timeout=600, env={**os.environ, "ROW": str(row)})


def file_name(name):
    return name.replace(" ", "-")


def body(work, check, setup):
    return BODY.replace("SETUP", setup).replace("WORK", work).replace("CHECK", check)


def kernel(work="", check=OK, setup=""):
    return HEAD + body(work, check, setup) + TAIL


def all_rows():
    """One kernel that is any of them."""
    line = str(HEAD.count("\n") + 1)
    each = [ONE.replace("NUMBER", str(number)).replace("LINE", line).replace("NAME", file_name(name))
            .replace("BODY\n", body(work, check, setup)) for number, (name, work, check, setup, *_) in enumerate(ROWS)]
    table = ", ".join(f"{{setup_{n}, work_{n}, check_{n}}}" for n in range(len(ROWS)))
    return HEAD + "".join(each) + CHOICE.replace("TABLE", table)


def rows(kernels, apart):
    """apart: rows from one that runs twice to the next."""
    every = kernels.build("rows", all_rows())
    sanitized = b"__asan_init" in pathlib.Path(kernels.numachine).read_bytes()
    for turn, (name, _, _, _, arguments, status, says) in enumerate(ROWS):
        if name == STACK and sanitized:
            continue
        program = kernels.scratch / f"{file_name(name)}.so"
        program.symlink_to(every)
        done = kernels.stat(program, arguments, row=turn)
        words = done.stdout + done.stderr
        assert done.returncode == status, f"{name}: status {done.returncode}, not {status}:\n{words}"
        assert re.search(says, words, re.M), f"{name}: not {says!r}:\n{words}"
        if turn % apart == 0:
            again = kernels.stat(program, arguments, row=turn)
            assert (again.stdout, again.stderr) == (done.stdout, done.stderr), f"{name}: another run, other words"
        print(f"ok: {name}")


def files(kernels):
    """What is no kernel."""
    other = kernels.build("other", "int nothing;\n")
    old = kernels.build("old", kernel().replace("KN_KERNEL(", "#undef KN_VERSION\n#define KN_VERSION 77\nKN_KERNEL("))
    text = kernels.include / "numachine_kernel_host.h"
    needs = kernels.build("needs", "int nowhere(void);\n" + kernel(work="nowhere()"))
    for program, says in ((other, "no kernel: it defines no 'numachine_kernel'"), (text, "ELF"),
                          (needs, f"cannot load the kernel {re.escape(str(needs))}: undefined symbol: nowhere$"),
                          (old, f"{re.escape(str(old))}: built for another version")):
        done = kernels.stat(program)
        assert done.returncode == 2 and re.search(says, done.stderr, re.M), f"{program}: {done}"
        assert done.stderr.count("numachine: error") == 1, done.stderr
    print("ok: files that are no kernels")


def results(kernels):
    """A run directory: results, a copy to run again, and the same hash with and without."""
    program = kernels.build("kept", kernel("kn_meet(t, &s->barrier); for (int i = 0; i < 5000; i++) KN_STORE(t, s->sum, i)",
                                           'kn_print(p, "done\\n"); return 0'))
    hashes = set()
    for way in [], ["--check"], ["--waves=0cy:2000cy"]:
        out = kernels.scratch / f"run{len(way) and way[0][2:5]}"
        done = kernels.stat(program, (), "-o", out, *way)
        assert done.returncode == 0, done.stderr
        hashes.add(json.loads((out / "manifest.json").read_text())["end"]["result_hash"])
    assert len(hashes) == 1, hashes
    told = kernels.scratch / "told"
    done = kernels.stat(program, (), "-o", told, "--references")
    assert done.returncode == 2 and done.stderr.count("cannot tell of its references") == 1, done
    assert not done.stdout and not (told.exists() and list(told.iterdir())), done  # neither run nor recorded
    again = subprocess.run([kernels.numachine, "run", "-q", out / "config.resolved.yaml", "-o", kernels.scratch / "again"],
                           capture_output=True, text=True, timeout=600)
    assert again.returncode == 0, again.stderr
    hashes.add(json.loads((kernels.scratch / "again/manifest.json").read_text())["end"]["result_hash"])
    assert len(hashes) == 1, hashes
    print("ok: results")


def crashes(kernels):
    """A kernel that crashes leaves a run that has ended, with the results up to there."""
    program = kernels.build("crashed", kernel("kn_meet(t, &s->barrier); if (me == 2) abort()"))
    out = kernels.scratch / "crash"
    done = kernels.stat(program, (), "-o", out)
    manifest = json.loads((out / "manifest.json").read_text())
    assert done.returncode == 128 + 6 and (manifest["status"], manifest["end"]["reason"], manifest["end"]["status"]) == \
        ("complete", "signaled", 6), (done, manifest["status"], manifest["end"])
    assert (out / "stats.csv").exists()
    print("ok: a run that has crashed")


def endless(kernels):
    """A kernel that never calls back is ended by SIGINT, with the results up to there, and told."""
    loop = "for (volatile int i = 0;; i++) ;"
    for name, (work, check, setup), says in (
            ("work", (f"kn_get(t, &s->word); if (me == 2) {loop}", OK, ""),
             r"interrupted by SIGINT: thread 2 does not come back: .*, after kn_get at \S*endless-work.c:10, in guest.elf\+0x"),
            ("setup", ("", OK, f"kn_alloc(p, 8); {loop}"), r"SIGINT: the kernel's setup does not come back: .*, after kn_alloc"),
            ("check", ("", f"{loop} {OK}", ""), r"SIGINT: the kernel's check does not come back")):
        program = kernels.build("endless " + name, kernel(work, check, setup))
        told = False
        for delay in (0, 0.1, 1, 10):  # until the signal comes when it is in the loop; always it ends
            if told:
                break
            out = kernels.scratch / f"endless {name} {delay}"
            run = subprocess.Popen([kernels.numachine, "stat", "-q", "--processors=4", "-o", out, program],
                                   stderr=subprocess.PIPE, text=True)
            while not (out / "config.resolved.yaml").exists():
                time.sleep(0.002)
            time.sleep(delay)
            run.send_signal(signal.SIGINT)
            said = run.communicate(timeout=600)[1]
            manifest = json.loads((out / "manifest.json").read_text())
            assert run.returncode == 130, f"{name}: {run.returncode}: {said}"
            assert (manifest["status"], manifest["end"]["stopped_by"]) == ("partial", "SIGINT"), manifest["end"]
            told = re.search(says, said)
        assert told, f"{name}: {said}"
    print("ok: kernels that do not come back")


def others(kernels):
    """What crashes is the simulator itself, while a kernel is under way: it ends by that signal, as it would without a kernel.
    AddressSanitizer would have a report of its own instead."""
    ours = simulator.sanitizer(*(f"handle_{name}=0" for name in ("segv", "sigbus", "sigfpe", "sigill", "abort")))
    program = kernels.build("long", kernel("for (int i = 0; i < 100000000; i++) KN_STORE(t, s->sum, i)"))
    for number, status in CRASHES.items():
        for lap in range(TRIES):  # one may come in the kernel's own code
            out = kernels.scratch / f"long {number} {lap}"
            run = subprocess.Popen([kernels.numachine, "stat", "-q", "--processors=4", "-o", out, program],
                                   stderr=subprocess.PIPE, text=True, env=ours)
            simulator.await_that("a run under way", (out / "config.resolved.yaml").exists, run)
            for _ in range(TRIES):
                time.sleep(0.05)
                run.send_signal(number)
            try:
                said = run.communicate(timeout=600)[1]
            finally:
                run.kill()
            assert run.returncode in (status, 128 + number), f"{number}: {run.returncode}: {said}"
            if run.returncode == status:
                break
        assert run.returncode == status, f"{number}: never in the simulator: {said}"
    print("ok: crashes of others")


def works(kernels):
    """Instructions of KN_COMPUTE: also behind the last word, and more than 32 bits hold."""
    for work, least, more in (("kn_meet(t, &s->barrier); KN_COMPUTE(t, 100000)", 400000, 5000),
                              ("kn_meet(t, &s->barrier); KN_COMPUTE(t, 100000); KN_STORE(t, s->sum, 1)", 400000, 5000),
                              ("if (!me) { KN_STORE(t, s->sum, 1); KN_COMPUTE(t, 3000000000u);"
                               " KN_COMPUTE(t, 3000000000u); }", 6000000000, 5000)):
        out = kernels.scratch / "works"
        done = kernels.stat(kernels.build("works", kernel(work)), (), "-o", out, "--force", "--machine=station-4")
        assert done.returncode == 0, done
        run = next(float(line.split(",")[3]) for line in (out / "stats.csv").read_text().splitlines()
                   if line.startswith("whole,machine,truth.instructions,"))
        assert least <= run <= least + more, f"{work}: {run}, not {least}"
    print("ok: work")


def built(kernels):
    """An experiment that names a source, as a kernel and as its guest twin: the same result."""
    work = "kn_acquire(t, &s->lock); KN_STORE(t, s->sum, KN_LOAD(t, s->sum) * 3 + 1); kn_release(t, &s->lock)"
    (kernels.scratch / "twin.c").write_text(kernel(work, 'kn_print(p, "%d\\n", (int)s->sum); return 0'))
    (kernels.scratch / "twin.yaml").write_text("program: {source: twin.c, abi: host, processors: 4}\n")
    said = {}
    for abi in ("host", "o32", "n64"):
        out = kernels.scratch / abi
        done = subprocess.run([kernels.numachine, "run", "-q", kernels.scratch / "twin.yaml", "-o", out,
                               f"--set=program.abi={abi}"], capture_output=True, text=True, timeout=600)
        if done.returncode == 5 and "is not installed" in done.stderr:
            continue
        assert done.returncode == 0, f"{abi}: {done}"
        said[abi] = (out / "program.out").read_text() if (out / "program.out").exists() else done.stdout.splitlines()[0]
    assert len(set(said.values())) == 1 and "host" in said, said
    print("ok: built from source for", ", ".join(said))


def main():
    skip.need("gcc", "cc")
    with tempfile.TemporaryDirectory() as scratch:
        kernels = Kernels(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(scratch))
        rows(kernels, 1 if sys.argv[3] == "long" else 9)
        files(kernels)
        results(kernels)
        crashes(kernels)
        endless(kernels)
        others(kernels)
        works(kernels)
        built(kernels)


main()
