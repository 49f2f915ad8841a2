#!/usr/bin/env -S python3 -S
"""
Waiting in libraries that come with the compiler, in programs that are compiled here for each binary interface: where the program waits
is said although the library has no lines, a barrier of OpenMP is one whether its threads look or sleep, tasks are no waiting, and a
word that threads look at before they sleep on it is said to have two rows.

    runtimes.py NUMACHINE
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import simulator

COMPILERS = "mips-linux-gnu-gcc", "mips64-linux-gnuabi64-gcc", "arm-linux-gnueabi-gcc"

SLEEPS = """#include <unistd.h>
int main(void)
{
    usleep(300); /* here */
    return 0;
}
"""

BARRIERS = """#include <omp.h>
static volatile unsigned done[4][16];
static void work(unsigned times)
{
    for (unsigned i = 0; i < times; i++) done[omp_get_thread_num()][0]++;
}
int main(void)
{
#pragma omp parallel num_threads(4) /* region */
    for (int i = 0; i < 5; i++) {
        work(omp_get_thread_num() == 3 ? 20000 : 10);
#pragma omp barrier /* barrier */
    }
    return 0;
}
"""

TASKS = """#include <omp.h>
static volatile unsigned done[4][16];
int main(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 64; i++)
#pragma omp task
        for (unsigned n = 0; n < 4000; n++) done[omp_get_thread_num()][0]++;
    return 0;
}
"""

TWINS = """#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static int word, spent;
static void *await(void *p)
{
    for (int i = 0; i < 200 && !__atomic_load_n(&word, __ATOMIC_RELAXED); i++) ;
    while (!__atomic_load_n(&word, __ATOMIC_ACQUIRE)) syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0);
    return p;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, await, 0);
    for (unsigned i = 0; i < 40000; i++) *(volatile int *)&spent += 1;
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1);
    return pthread_join(thread, 0);
}
"""


def line_of(source, mark):
    return next(number for number, line in enumerate(source.splitlines(), 1) if f"/* {mark} */" in line)


class Runs:
    """Programs for one compiler, and what numachine says of their runs."""

    def __init__(self, numachine, compiler, scratch):
        self.numachine, self.compiler, self.scratch, self.made = numachine, compiler, scratch, 0

    def run(self, source, *words):
        self.made += 1
        program, directory = (self.scratch / f"{self.compiler}-{self.made}{end}" for end in ("", ".run"))
        subprocess.run([self.compiler, "-O2", "-g", "-static", "-pthread", "-fopenmp", "-xc", "-", "-o", program], input=source, text=True,
                       check=True)
        machine = simulator.MACHINES["armel"] if self.compiler.startswith("arm") else []
        subprocess.run([self.numachine, "stat", "-q", "-m", "station-4", *machine, "--profile", *words, "-o", directory, "--", program],
                       check=True, capture_output=True, timeout=600)
        return directory

    def ask(self, directory, *words):
        return subprocess.run([self.numachine, "locks", directory, *words], check=True, capture_output=True, text=True, timeout=600).stdout

    def places(self, directory, kind):
        """The places where something of a kind was waited for, most first."""
        found = [site for site in json.loads(self.ask(directory, "--format=json"))["sites"] if site["kind"] == kind and site["waited"]]
        return [re.sub(r" \S*/", " ", site["place"]) for site in sorted(found, key=lambda site: -site["waited"])]


def check_sleep(runs):
    directory = runs.run(SLEEPS)
    assert runs.places(directory, "sleep") == [f"main <stdin>:{line_of(SLEEPS, 'here')}"], runs.places(directory, "sleep")


def check_barriers(runs, *words):
    directory = runs.run(BARRIERS, *words)
    text = runs.ask(directory)
    rows = json.loads(runs.ask(directory, "--format=json"))["locks"]
    waited = {kind: sum(row["waited"] for row in rows if row["kind"] == kind) for kind in ("barrier", "spin", "futex")}
    assert waited["barrier"] and not waited["spin"] and not waited["futex"], (words, text)
    places = runs.places(directory, "barrier")
    assert f"main._omp_fn.0 <stdin>:{line_of(BARRIERS, 'barrier')}" in places, (words, places)
    # The region's end, where the first thread waits: compilers give it the pragma's line, or the one where its function begins.
    region = line_of(BARRIERS, "region")
    assert any(place in (f"main <stdin>:{region}", f"main <stdin>:{region - 1}") for place in places), (words, places)
    most = max((row for row in rows if row["kind"] == "barrier"), key=lambda row: row["waited"])
    assert abs(most["fairness"] - 0.75) < 0.01, most  # the fourth thread has the work
    assert "thread 1003 is nearly always the last" in text, text


def check_tasks(runs):
    """All threads have work nearly all the time."""
    rows = json.loads(runs.ask(runs.run(TASKS), "--format=json"))
    waited = sum(row["waited"] for row in rows["locks"] if row["kind"] == "barrier")
    assert waited < rows["threads_time"] / 4, (waited, rows["threads_time"])


def check_twins(runs):
    text = runs.ask(runs.run(TWINS))
    assert "threads also sleep on this word: the row `futex` of the same name" in text, text
    assert "threads also look again and again at this word: the row `spin` of the same name" in text, text


def main():
    with tempfile.TemporaryDirectory() as scratch:
        for compiler in filter(shutil.which, COMPILERS):
            runs = Runs(sys.argv[1], compiler, pathlib.Path(scratch))
            check_sleep(runs)
            for policy in "active", "passive":
                check_barriers(runs, f"--env=OMP_WAIT_POLICY={policy}")
            check_tasks(runs)
            check_twins(runs)
            if compiler == "mips-linux-gnu-gcc":
                check_barriers(runs, "--set=processor.core=r10000", "--set=l2.split=false")
    return 0


if __name__ == "__main__":
    sys.exit(main())
