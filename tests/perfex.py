#!/usr/bin/env -S python3 -S
"""
numachine perfex: what it counts is what stat counts, and its reports add up. Every option of perfex (cli/options.def) is
asked for in the right way and in wrong ones (ROWS), and every way to end has its exit status (ENDS).

    perfex.py NUMACHINE MIPS_GCC
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import options
import simulator

GUEST = r"""
double a[2048], b[2048];
int main(int argc, char **argv)
{
    double s = 0;
    (void)argv;
    for (int r = 0; r < (argc > 1 ? 25 : 3); r++)
        for (int i = 0; i < 2048; i++) {
            a[i] = a[i] * 0.5 + b[i * 7 & 2047] + r;
            if (a[i] > 3)
                s += a[i];
        }
    return s < 1e9 ? 7 : 0;
}
"""
ENDING = r"""
#include <signal.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int how = argc > 1 ? atoi(argv[1]) : 7;
    if (how < 0)
        raise(-how);
    while (how == 1000)
        __asm__ volatile("");
    return how;
}
"""
SLEEPERS = r"""
#include <pthread.h>
#include <time.h>
static void *work(void *arg)
{
    for (int i = 0; i < 36; i++) {
        for (volatile int k = 0; k < 3000; k++)
            ;
        nanosleep(&(struct timespec){0, 20000000}, 0);
    }
    return arg;
}
int main(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], 0, work, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], 0);
    return 0;
}
"""
REGIONS = r"""
#include <numachine.h>
static void work(volatile int n)
{
    while (n-- > 0)
        ;
}
int main(void)
{
    for (int i = 0; i < 40; i++) {
        work(9000);
        NUMACHINE_BEGIN("some");
        NUMACHINE_BEGIN("in it");
        work(5000);
        NUMACHINE_END("in it");
        NUMACHINE_END("some");
    }
    return 0;
}
"""
# What a row of perfex in cli/commands.def is called: [(words, exit status, what is said)]. With ./end the option is in force: what
# it does to the counts is asked for by the checks below.
ROWS = {
    "numbers": [("-e 31 ./end", 7, "31 Store/prefetch"), ("--event=0 ./end", 7, " 0 Cycles"), ("-e 32 ./end", 2, "--event: '32'"),
              ("-e -1 ./end", 2, "--event: '-1'"), ("-e 1 -e 2 -e 3 ./end", 2, "there are two counters"),
              ("-e 17 -e 24 ./end", 2, "conflicting counters: events 17 and 24 are both of counter 1"),
              ("-e 3 -e 2 ./end", 2, "conflicting counters"), ("-e 3 -e 3 ./end", 7, " 3 Issued stores"), ("-e", 2, "requires an argument")],
    "all_events": [("-a ./end", 7, "30 Store/prefetch"), ("-a --set os.tick=0cy ./end", 2, "os.tick is 0")],
    "beside": [("--truth -a ./end", 7, "Error"), ("--truth=1 -a ./end", 2, "doesn't allow an argument")],
    "each": [("--each ./end", 7, "Processor 0")],
    "irix_m": [("-mp ./end", 7, "Processor 0"), ("-mx ./end", 2, "-mx: -mp"),
             ("-m r10000 ./end", 2, "-mp shows each processor; the machine is --machine")],
    "regions": [("-s ./end", 7, "no region open")],
    "exception": [("-x -e 23 ./end", 7, "23 TLB misses")],
    "kernel": [("-k -e 0 ./end", 7, " 0 Cycles"), *((f"-k {more} ./end", 7, "No kernel code is simulated")
                                                    for more in ("-e 0", "-a", "-y -e 15", "-mp", "-x -s"))],
    "times": [("-y -e 0 ./end", 7, "Typical (s)")],
    "table": [("-t", 0, "cpu_cycles"), ("-t ./end", 7, "cpu_cycles")],
    "costs": [("-y -c bad.costs ./end", 2, "bad.costs:1:14: error: 'x' is not a time"),
              ("-y -c none.costs ./end", 2, "none.costs: error: cannot be read"), ("-y -c words.costs ./end", 2, "behind the unit is one word"), ("-c good.costs -t", 0, "cpu_cycles"), ("-c", 2, "requires an argument")],
    "file": [("-o counts.txt ./end", 7, ""), ("-o /none/there ./end", 5, "/none/there: No such file"),
               ("-o . ./end", 5, ".: Is a directory"), ("-o /dev/full ./end", 5, "/dev/full could not be written")],
    "format": [("--format=json ./end", 7, '"schema": 1'), ("--format=text ./end", 7, "Summary"), ("--format=yaml ./end", 2, "no 'yaml'")],
    "mixed": [("-T ./end", 7, "Cycles"), ("-T --machine=station-4 ./end", 2, "'station-4' have no event counters")],
    "machine": [("--machine=station-4 ./end", 2, "'station-4' have no event counters"), ("--machine=none ./end", 2, "no machine 'none'"),
                ("--machine=arm1176-l220 ./end", 2, "'arm1176-l220' have no event counters of an R10000 (processor.core)"),
                ("--machine=r10000 --set processor.core=r4400 --set l1i.line=32B ./end", 2, "these have: R10000 2.x to R12000"),
                ("--machine=r10000 e.yaml", 2, "what its file says"), ("--machine=r10000 ./end", 7, "Cycles")],
    "irix_p": [("-p ./end", 2, "-p: "), ("-pp ./end", 2, "-p: "), ("-pp 4 ./end", 2, "-p: ")],
    "irix_l": [("-l 5 ./end", 2, "-l: ")],
    "EXCLUDE all_events": [("-a -e 1 ./end", 2, "--all counts all events: not with --event"), ("-e 1 -a ./end", 2, "not with --event")],
    "EXCLUDE regions": [("-mp -s ./end", 2, "--regions and -m exclude each other"), ("--regions --each ./end", 2, "exclude each other")],
    "NEEDS beside": [("--truth ./end", 2, "--truth: true counts stand beside scaled ones (--all)")],
    "a program": [("", 2, "which PROGRAM?"), ("-a", 2, "which PROGRAM?")],
}
# How it ends: as the program does, or as stat would.
ENDS = [("./end 0", 0, ""), ("./end 255", 255, ""), ("./end -11", 139, "killed by SIGSEGV"), ("./end -6", 134, "killed by SIGABRT"),
        ("./none", 2, "./none: No such file"), ("end.c", 2, "not an ELF file"), ("e.yaml x", 2, "what its file says"),
        ("--set run.limit=10us ./end 1000", 6, "stopped at the limit"), ("--set none=1 ./end", 2, "unknown key 'none'"),
        *((f"--set program.{key} ./end", 2, "the one named on the command line")
          for key in ("path=./guest", "source=end.c", "args=[1]", "name=x")), ("-q ./end", 2, "invalid option")]
EXPERIMENT = "machine: {base: r10000}\nprogram: {path: ./guest}\n"
LINE = re.compile(r"^ ?(\d+) ([^.]+)\.+ *(\d+)(?: +(\d+) +(?:[-+][\d.]+%|-))?((?: +[\d.]+){3})?(?:  \w+)?$", re.M)
NONE = {"T5_EVENT0", "T5_EVENT1"}


class Bench:
    def __init__(self, numachine, home):
        self.numachine, self.home = numachine, pathlib.Path(home)

    def run(self, *words, **variables):
        env = {name: value for name, value in os.environ.items() if name not in NONE}
        return simulator.bounded([self.numachine, *words], capture_output=True, text=True, cwd=self.home,
                                 env={**env, **variables}, stdin=subprocess.DEVNULL)

    def perfex(self, *words, status=7, **variables):
        """The report and its counts by IRIX's numbers."""
        done = self.run("perfex", *words, **variables)
        assert done.returncode == status, (words, done.returncode, done.stderr)
        return done.stderr, {int(found[1]): int(found[3]) for found in LINE.finditer(done.stderr)}

    def stat(self, *events):
        done = self.run("stat", "-m", "r10000", "-x", ";", *(f"-e{event}" for event in events), "--", "./guest")
        assert done.returncode == 7, done.stderr
        rows = [line.split(";") for line in done.stderr.splitlines()]
        return {row[2]: int(row[0]) for row in rows if row[2] in events}


def check_counts(bench):
    """The same as stat's, in user mode: but for cycles, of which the rest is the operating system's."""
    truth = bench.stat("cpu_cycles", "cpu_graduated", "cpu_mispredicted", "cpu_graduated_fp", "cpu_l1d_misses",
                       "cpu_tlb_refills")
    _, counts = bench.perfex("./guest")
    assert set(counts) == {0, 16} and counts[0] == counts[16] > 0, counts
    user = counts[0]
    for event, name in ((15, "graduated"), (24, "mispredicted"), (21, "graduated_fp"), (25, "l1d_misses")):
        other = 0 if event > 15 else 16
        _, counts = bench.perfex("-e", str(event), "-e", str(other), "./guest")
        # up to four of the last cycle before an exception are counted in the next: most are TLB refills
        last = 4 * truth["cpu_tlb_refills"] + 50
        assert truth[f"cpu_{name}"] - last < counts[event] <= truth[f"cpu_{name}"] and counts[other] == user, (event, counts, user, truth)
        assert bench.perfex("-x", "-k", "-e", str(event), "./guest")[1][event] == truth[f"cpu_{name}"], name
    # the refill's handler has begun when it is counted: exception level
    assert bench.perfex("-e23", "./guest")[1][23] == 0
    assert bench.perfex("-x", "-e23", "./guest")[1][23] == truth["cpu_tlb_refills"] > 0
    cycles = [bench.perfex("-e0", *more, "./guest")[1][0] for more in ((), ("-x",), ("-x", "-k"))]
    assert user == cycles[0] < cycles[1] < cycles[2] < truth["cpu_cycles"], (cycles, truth)
    assert 39 * truth["cpu_tlb_refills"] < cycles[1] - cycles[0] <= 40 * truth["cpu_tlb_refills"], (cycles, truth)


def check_asked(bench):
    """The environment is asked if the command line says nothing."""
    assert set(bench.perfex("./guest", T5_EVENT0="2", T5_EVENT1="18")[1]) == {2, 18}
    assert set(bench.perfex("-e", "3", "./guest", T5_EVENT0="2")[1]) == {3}
    assert " 3 Issued stores" in bench.perfex("-a", "./guest", T5_EVENT0="2")[0]
    r12000 = ("--set", "processor.core=r12000")
    text, counts = bench.perfex("-e17", "-e18", *r12000, "./guest")
    assert set(counts) == {17, 18} and "Prefetch primary data cache misses" in text, text


def check_turns(bench):
    """All events in turns: near the truth, which stands beside, and the same run."""
    text, counts = bench.perfex("-a", "-y", "--truth", "--set", "os.tick=10000cy", "./guest", "long")
    assert "inaccuracy is possible" in text and "too few" not in text, text
    truth = {int(found[1]): int(found[4]) for found in LINE.finditer(text)}
    assert len(counts) == 32 and set(counts) == set(truth) and "<not counted>" not in text, counts
    for event in (0, 15, 17, 18, 21):
        assert abs(counts[event] - truth[event]) < 0.3 * truth[event], (event, counts[event], truth[event])
    assert truth[15] == truth[17] and truth[0] == truth[16] and truth[15] >= truth[18] + truth[19]
    times = [found[5].split() for found in LINE.finditer(text) if found[5]]
    typical = [float(time[0]) for time in times]
    assert len(times) > 20 and typical == sorted(typical, reverse=True), typical
    assert all(float(low) <= float(some) <= float(most) for some, low, most in times), times
    rate = float(re.search(r"Graduated instructions/cycle\.+ +([\d.]+)", text)[1])
    assert abs(rate - counts[15] / counts[0]) < 1e-5, rate
    # a clock tick is longer than the program: two events have all the time, the others none
    text, counts = bench.perfex("-a", "--truth", "./guest")
    exact = {int(found[1]): int(found[4]) for found in LINE.finditer(text)}
    assert set(counts) == {0, 16} and counts == exact and text.count("<not counted>") == 30, text
    assert "30 events had no turn" in text and "Graduated instructions/cycle" not in bench.perfex("-a", "-y", "./guest")[0], text


def check_sleepers(bench):
    """Threads that mostly sleep: scaled by the time for which they ran, or not counted."""
    text, _ = bench.perfex("-a", "--truth", "-mp", "./sleepers", status=0)
    found, counts = 0, {}
    for part in re.split("^(?=Processor|All)", text, flags=re.M)[1:]:
        if part.startswith("All"):  # what one processor counts, all together may not
            counts = {int(row[1]): int(row[3]) for row in LINE.finditer(part)}
        for row in LINE.finditer(part):
            event, count, exact = int(row[1]), int(row[3]), int(row[4])
            found += 1
            assert event not in (0, 2, 3, 6, 15, 17, 18, 19) or abs(count - exact) < 0.15 * exact, (row[0], part)
    shown = json.loads(bench.run("perfex", "-a", "--truth", "--each", "--format=json", "./sleepers").stderr)
    for row in shown["events"]:
        assert (row["count"] is None) == ("reason" in row) and row["count"] == counts.get(row["event"]), (row, counts)
    assert len(shown["events"]) == 32 and len(shown["processors"]) > 3 and shown["scaled"], shown
    assert found > 4 * 8 and "<not counted>" in text and {0, 16} <= set(counts), text


def check_ways(bench):
    text, counts = bench.perfex("-mp", "-e", "15", "./guest")
    found = [int(row[3]) for row in LINE.finditer(text)]
    assert "Processor 0" in text and "All processors" in text and found == 2 * found[:1] and found[0], text
    text, counts = bench.perfex("-s", "./guest")
    assert "no region" in text and not counts and text.count("<not counted>") == 2, text
    done = bench.run("perfex", "--set", "run.limit=10us", "./end", "1000")
    assert done.stderr.index("stopped at the limit") < done.stderr.index("Summary"), "an error comes before the table"
    # in a region: what the program does outside is not counted in turns, either
    text, _ = bench.perfex("-a", "-s", "--truth", "--set", "os.tick=10000cy", "./regions", status=0)
    rows = {int(row[1]): (int(row[3]), int(row[4])) for row in LINE.finditer(text)}
    assert abs(rows[17][0] - rows[17][1]) < 0.3 * rows[17][1] and rows[17][1] > 1000, text
    # what two open regions have is counted once
    inside, whole = (bench.perfex(*words, "-e17", "./regions", status=0)[1][17] for words in (["-s"], []))
    assert 0.3 * whole < inside < 0.4 * whole, (inside, whole)
    bench.perfex("-e0", "-o", "counts.txt", "--", "./guest")
    assert LINE.search((bench.home / "counts.txt").read_text())
    assert bench.perfex("-e", "15", "e.yaml")[1] == bench.perfex("-e15", "./guest")[1]


def check_costs(bench):
    table = bench.run("perfex", "-t")
    (bench.home / "own.costs").write_text(table.stdout)
    assert table.returncode == 0 and len(table.stdout.splitlines()) > 20
    assert bench.run("perfex", "-t", "-c", "own.costs").stdout == table.stdout
    recalled = bench.run("perfex", "-t", "-c", "irix").stdout
    assert "cpu_l2d_misses                74    48.4    82.3 clks recalled" in recalled and "recalled" not in table.stdout, recalled
    (bench.home / "own.costs").write_text("cpu_cycles 2 1 3 clks # mine\n\ncpu_graduated 10 5 20 nsec\n")
    text, counts = bench.perfex("-y", "-c", "own.costs", "-e0", "-e17", "./guest")
    for found in LINE.finditer(text):
        unit = 2 / 200e6 if found[1] == "0" else 10e-9
        assert abs(float(found[5].split()[0]) - counts[int(found[1])] * unit) < 2e-6, found[0]


def check_rows(bench, home):
    table = options.read_table(home)
    its = set(table.commands["perfex"])
    rules = {f"{kind} {id_}" for kind, rows in (("EXCLUDE", table.excluded), ("NEEDS", table.needs)) for id_, _ in rows if id_ in its}
    assert its - {"sets"} | rules | {"a program"} == set(ROWS), (its | rules, "an option without a row here, or the reverse")
    for words, status, said in [row for rows in ROWS.values() for row in rows] + ENDS:
        done = bench.run("perfex", *words.split())
        assert done.returncode == status and said in done.stdout + done.stderr, (words, done.returncode, done.stdout, done.stderr)
    for name in ("T5_EVENT0", "T5_EVENT1"):
        done = bench.run("perfex", "./end", **{name: "32"})
        assert done.returncode == 2 and f"{name}: '32'" in done.stderr, done.stderr


def main():
    numachine, compiler = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory(prefix="numachine-") as home:
        bench = Bench(numachine, home)
        (bench.home / "e.yaml").write_text(EXPERIMENT)
        (bench.home / "bad.costs").write_text("cpu_cycles 1 x 1 clks\n")
        (bench.home / "words.costs").write_text("cpu_cycles 1 1 1 clks two words\n")
        (bench.home / "good.costs").write_text("cpu_cycles 2 1 3 clks\n")
        include = pathlib.Path(__file__).resolve().parent.parent / "experiments/include"
        for name, source in (("guest", GUEST), ("end", ENDING), ("sleepers", SLEEPERS), ("regions", REGIONS)):
            (bench.home / f"{name}.c").write_text(source)
            subprocess.run([compiler, "-O2", "-static", "-pthread", f"-I{include}", "-o", bench.home / name, bench.home / f"{name}.c"], check=True)
        check_rows(bench, pathlib.Path(__file__).parent.parent)
        for check in (check_counts, check_asked, check_turns, check_sleepers, check_ways, check_costs):
            check(bench)
    print("ok")


if __name__ == "__main__":
    main()
