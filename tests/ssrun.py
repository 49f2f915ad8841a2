#!/usr/bin/env -S python3 -S
"""
numachine ssrun: its samples are as many as the counted events have room for, what stands beside them is the exact
profile, and the errors that it shows are those of its own rows. A loop whose rounds have as many instructions as there are
from sample to sample is always found in the same place.

    ssrun.py NUMACHINE HOME MIPS_GCC
"""
import csv
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import simulator

MIXED = r"""
#include <pthread.h>
#include <stdio.h>
static volatile unsigned shared[4];
__attribute__((noinline)) static void hot(int me)
{
    for (int i = 0; i < 2000; i++)
        shared[me] += i;
}
__attribute__((noinline)) static unsigned cold(unsigned n)
{
    unsigned s = 1;
    for (unsigned i = 1; i < n; i++)
        s = s * (i | 1) + s / (i | 3);
    return s;
}
static void *work(void *me)
{
    for (int i = 0; i < 4; i++) {
        hot((int)(long)me);
        shared[(long)me] += cold(1000 + 100 * (long)me);
    }
    return 0;
}
int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    printf("%u\n", shared[0] + shared[1] + shared[2]);
    return 9;
}
"""
# A loop of 100 instructions, some 10,000 times: nops, and two that count and branch (with its slot).
LOOP = r"""
int main(void)
{
    unsigned n = 10000;
    __asm__ volatile(".set push\n.set noreorder\n.globl around\naround: .rept 97\nnop\n.endr\n"
                     "addiu %0, %0, -1\nbnez %0, around\nnop\n.set pop" : "+r"(n));
    return 0;
}
"""
# Uses the counters itself: from then on they are its own.
OWN = r"""
#include <fcntl.h>
#include <stdio.h>
#include <sys/hwperftypes.h>
#include <sys/ioctl.h>
#include <sys/procfs.h>
#include <unistd.h>
static hwperf_profevctrarg_t args;
static hwperf_cntr_t counts;
int main(void)
{
    char name[32];
    sprintf(name, "/proc/%05d", getpid());
    int fd = open(name, O_RDWR);
    args.hwp_evctrargs.hwp_evctrl[19].hwperf_creg.hwp_mode = HWPERF_CNTEN_U;
    args.hwp_evctrargs.hwp_evctrl[19].hwperf_creg.hwp_ev = 3;
    if (ioctl(fd, PIOCENEVCTRS, &args) < 0)
        return 1;
    for (volatile int i = 0; i < 30000; i++)
        ;
    if (ioctl(fd, PIOCGETEVCTRS, &counts) < 0)
        return 2;
    return counts.hwp_evctr[19] < 30000 || counts.hwp_evctr[19] > 30100;
}
"""


class Bench:
    def __init__(self, numachine, home, gcc, scratch):
        self.numachine, self.scratch = pathlib.Path(numachine).resolve(), pathlib.Path(scratch)
        for name, source, flags in (("mixed", MIXED, []), ("loop", LOOP, []), ("own", OWN, [f"-I{home}/experiments/include/irix"])):
            (self.scratch / f"{name}.c").write_text(source)
            subprocess.run([*gcc, "-O2", "-g", "-static", "-pthread", *flags, "-o", f"{name}", f"{name}.c"], check=True, cwd=scratch)

    def run(self, *words, status=0):
        """What it says of a run, and what the program said."""
        done = simulator.bounded([self.numachine, *words], capture_output=True, text=True, cwd=self.scratch, stdin=subprocess.DEVNULL,
                                 env=os.environ)
        assert done.returncode == status, (words, done.returncode, done.stderr)
        return done.stderr, done.stdout

    def document(self, *words, status=0):
        said, out = self.run("ssrun", "--format=json", *words, status=status)
        return json.loads(said), out


def mean_error(n, p):
    """[%] The mean of |k/n - p|, term by term."""
    return 100 * sum(math.comb(n, k) * p**k * (1 - p)**(n - k) * abs(k / n - p) for k in range(n + 1))


def check_sums(found):
    """What follows from the rows."""
    rows, samples, exact = found["rows"], found["samples"], found["exact"]
    assert sum(row["samples"] for row in rows) == samples and sum(row["exact"] for row in rows) == exact, found
    for row in rows:
        assert row["sampled"] == row["samples"] * found["every"], row
        assert abs(row["error"] - 100 * (row["samples"] / samples - row["exact"] / exact)) < 1e-9, row
    for row in rows[:3] if samples < 500 else []:
        assert abs(row["chance"] - mean_error(samples, row["exact"] / exact)) < 1e-6, row


def check_levels(found, level):
    rows, its = found["rows"], found["levels"][level]
    assert its["keys"] == len(rows), (its, len(rows))
    assert abs(its["misplaced"] - sum(abs(row["error"]) for row in rows) / 2) < 1e-9, its
    assert abs(its["chance"] - sum(row["chance"] for row in rows) / 2) < 1e-9, its


def check_counts(found, threads, event):
    """A thread is found once in so many of its own events. The profile has what the counters have."""
    room = found["counted"] // found["every"]
    assert room - threads <= found["samples"] <= room, found
    if event in (15, 17):
        assert found["exact"] == found["counted_in_all_modes"] == found["completed"] + found["completed_twice"], found
    elif event in (5, 9, 31):
        assert found["exact"] == found["counted_in_all_modes"], found
    else:
        assert abs(found["exact"] / found["counted"] - 1) < 0.03, found  # but for the refills of the TLB


def check_programs(bench):
    plain = bench.run("stat", "-q", "-m", "r10000", "./mixed", status=9)[1]
    for machine, event, every, level in (("r10000", 17, 1009, "function"), ("r10000", 15, 997, "instruction"),
                                         ("r10000", 0, 5003, "line"), ("r10000", 31, 53, "function"), ("r10000", 9, 7, "line"),
                                         ("r10000", 17, 1, "function"), ("r10000", 17, 100000, "line")):
        found, out = bench.document("-m", machine, "-e", str(event), f"--every={every}", f"--by={level}", "./mixed", status=9)
        assert out == plain and found["event"] == event and found["every"] == every, (out, plain, found)
        if every > 1:  # interrupts that are not served before the next one is due are one
            check_counts(found, 4, event)
        if found["samples"]:
            check_sums(found)
            check_levels(found, level)
    twelve, _ = bench.document("--set", "processor.core=r12000", "--every=1009", "./mixed", status=9)
    assert twelve["event"] == 15, twelve  # 17 is another one there
    check_counts(twelve, 4, 15)
    products = next(row for row in twelve["rows"] if row["function"].startswith("cold"))
    assert twelve["completed_twice"] >= 4 * 2 * (999 + 1099 + 1199), twelve  # a product and a quotient each
    assert products["samples"] > 20, products


def check_lockstep(bench):
    """Ten rounds from sample to sample: always the same instruction; another number finds all of them."""
    places = {}
    for every in (1000, 997):
        found, _ = bench.document(f"--every={every}", "--by=instruction", "./loop")
        inside = [row for row in found["rows"] if row["exact"] == 10000]
        assert len(inside) == 100, len(inside)
        places[every] = sum(row["samples"] > 0 for row in inside), sum(row["samples"] for row in inside)
        assert abs(places[every][1] - 1000000 / every) < 3, places
        assert (found["levels"]["instruction"]["misplaced"] > 90) == (every == 1000), found["levels"]
    assert places[1000][0] <= 4 and places[997][0] >= 25, places  # four graduate at a time


def check_formats(bench):
    words = ["--every=1009", "--by=line", "./mixed"]
    found, _ = bench.document(*words, status=9)
    said, _ = bench.run("ssrun", "--format=csv", *words, status=9)
    rows = list(csv.DictReader(io.StringIO(said, newline="")))
    assert [(row["function"], int(row["samples"]), int(row["exact"])) for row in rows] == \
        [(row["function"], row["samples"], row["exact"]) for row in found["rows"]], rows
    text, _ = bench.run("ssrun", "-n", "3", *words, status=9)
    assert f"{found['counted']:>14}  the counters, in user mode; {found['counted_in_all_modes']} in all modes" in text, text
    assert text.count("mixed.c:") == 3 and f"{len(rows) - 3} more (-n 0 shows all)" in text, text
    bench.run("ssrun", "-o", "here.txt", "-n", "3", *words, status=9)
    assert (bench.scratch / "here.txt").read_text() == text


def check_none(bench):
    """Nothing is said of shares where there is no sample, nor where what is counted never is."""
    found, _ = bench.document("-e", "5", "./loop")  # a store conditional that fails
    assert found["samples"] == 0 and found["exact"] == 0 and not found["rows"], found
    words = ["--every=2147483647", "./mixed"]
    found, _ = bench.document(*words, status=9)
    assert found["samples"] == 0 and {row["error"] for row in found["rows"]} == {None}, found
    assert {row["misplaced"] for row in found["levels"].values()} == {None}, found
    assert found["exact"] == found["completed"] + found["completed_twice"] > 100000, found
    assert "there is no sample" in bench.run("ssrun", *words, status=9)[0]


def check_refusals(bench):
    for words, said in ((["-e", "24", "./mixed"], "a profile has nothing that event 24 (Mispredicted"),
                        (["--set", "processor.core=r12000", "-e", "17", "./mixed"], "a profile has nothing that event 17 (Prefetch"), (["-m", "station-4", "./mixed"], "have no event counters"),
                        (["--every=0", "./mixed"], "--every"), (["-e", "32", "./mixed"], "--event"),
                        *((["--set", way, "./mixed"], "leave out run.mode") for way in ("run.mode=functional", "run.from=region a")), ([], "which PROGRAM?"),
                        (["./none"], "./none: No such file"), (["--by=thread", "./mixed"], "--by")):
        told, _ = bench.run("ssrun", *words, status=2)
        assert said in told, (words, told)


def check_own(bench):
    """A program that takes the counters has them, and is sampled no more: 30,000 rounds have five instructions each."""
    found, _ = bench.document("--every=100", "./own")
    assert 0 < found["samples"] * 100 < found["counted"] / 5 and found["counted"] > 150000, found


def main():
    numachine, home, *gcc = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(numachine, home, gcc, scratch)
        for check in (check_programs, check_lockstep, check_formats, check_none, check_refusals, check_own):
            check(bench)
    return 0


sys.exit(main())
