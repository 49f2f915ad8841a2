#!/usr/bin/env python3
"""
numachine perfex: what it counts is what stat counts, its options exclude what perfex's do, and its reports add up.

    perfex.py NUMACHINE MIPS_GCC
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

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
EXPERIMENT = "machine: {base: r10000}\nprogram: {path: ./guest}\n"
LINE = re.compile(r"^ ?(\d+) ([^.]+)\.+ *(\d+)(?: +(\d+) +(?:[-+][\d.]+%|-))?((?: +[\d.]+){3})?$", re.M)
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
    assert len(bench.perfex("-a", "./guest", T5_EVENT0="2")[1]) == 32
    r12000 = ("--set", "processor.core=r12000")
    text, counts = bench.perfex("-e17", "-e18", *r12000, "./guest")
    assert set(counts) == {17, 18} and "Prefetch primary data cache misses" in text, text


def check_turns(bench):
    """All events in turns: near the truth, which stands beside, and the same run."""
    text, counts = bench.perfex("-a", "-y", "--truth", "--set", "os.tick=10000cy", "./guest", "long")
    assert "scaled up: inaccuracy is possible" in text and "too few" not in text, text
    truth = {int(found[1]): int(found[4]) for found in LINE.finditer(text)}
    assert len(counts) == 32 and set(counts) == set(truth), counts
    assert all(count % 16 == 0 for count in counts.values()), counts
    for event in (0, 15, 17, 18, 21):
        assert abs(counts[event] - truth[event]) < 0.3 * truth[event], (event, counts[event], truth[event])
    assert truth[15] == truth[17] and truth[0] == truth[16] and truth[15] >= truth[18] + truth[19]
    times = [found[5].split() for found in LINE.finditer(text) if found[5]]
    typical = [float(time[0]) for time in times]
    assert len(times) > 20 and typical == sorted(typical, reverse=True), typical
    assert all(float(low) <= float(some) <= float(most) for some, low, most in times), times
    rate = float(re.search(r"Graduated instructions/cycle\.+ +([\d.]+)", text)[1])
    assert abs(rate - counts[15] / counts[0]) < 1e-5, rate
    assert "too few" in bench.perfex("-a", "./guest")[0], "a clock tick is longer than the program"


def check_ways(bench):
    text, counts = bench.perfex("-mp", "-e", "15", "./guest")
    found = [int(row[3]) for row in LINE.finditer(text)]
    assert "Processor 0" in text and "All processors" in text and found == 2 * found[:1] and found[0], text
    text, counts = bench.perfex("-s", "./guest")
    assert "no region" in text and counts[0] == 0, text
    bench.perfex("-e0", "-o", "counts.txt", "--", "./guest")
    assert LINE.search((bench.home / "counts.txt").read_text())
    assert bench.perfex("-e", "15", "e.yaml")[1] == bench.perfex("-e15", "./guest")[1]


def check_costs(bench):
    table = bench.run("perfex", "-t")
    (bench.home / "own.costs").write_text(table.stdout)
    assert table.returncode == 0 and len(table.stdout.splitlines()) > 20
    assert bench.run("perfex", "-t", "-c", "own.costs").stdout == table.stdout
    (bench.home / "own.costs").write_text("cpu_cycles 2 1 3 clks # mine\n\ncpu_graduated 10 5 20 nsec\n")
    text, counts = bench.perfex("-y", "-c", "own.costs", "-e0", "-e17", "./guest")
    for found in LINE.finditer(text):
        unit = 2 / 200e6 if found[1] == "0" else 10e-9
        assert abs(float(found[5].split()[0]) - counts[int(found[1])] * unit) < 2e-6, found[0]


def check_refusals(bench):
    rows = [(("-e", "17", "-e", "24", "./guest"), "conflicting counters: events 17 and 24 are both of counter 1"),
            (("-e", "3", "-e", "2", "./guest"), "conflicting counters"),
            (("-e", "1", "-e", "2", "-e", "3", "./guest"), "there are two counters"),
            (("-a", "-e", "1", "./guest"), "one of them"), (("-mp", "-s", "./guest"), "one of them"),
            (("--truth", "./guest"), "beside the counts of --all"), (("-m", "r10000", "./guest"), "-mp"),
            (("--machine=station-4", "./guest"), "'station-4' have no event counters"),
            (("--machine=arm1176-l220", "./guest"), "'arm1176-l220' have no event counters of an R10000 (processor.core)"),
            (("--machine=r10000", "e.yaml"), "what its file says"), (("e.yaml", "x"), "what its file says"),
            (("-a", "--set", "os.tick=0cy", "./guest"), "os.tick is 0"), ((), "which PROGRAM?"),
            (("-c", "bad.costs", "-y", "./guest"), "bad.costs:1:14: error: 'x' is not a time"),
            (("-c", "none.costs", "-y", "./guest"), "none.costs: error: cannot be read"),
            (("-o", "/none/there", "./guest"), "/none/there: No such file")]
    (bench.home / "bad.costs").write_text("cpu_cycles 1 x 1 clks\n")
    for words, complaint in rows:
        done = bench.run("perfex", *words)
        assert done.returncode in (2, 5) and complaint in done.stderr, (words, done.returncode, done.stderr)
    done = bench.run("perfex", "./guest", T5_EVENT0="32")
    assert done.returncode == 2 and "T5_EVENT0: '32'" in done.stderr, done.stderr


def main():
    numachine, compiler = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory(prefix="numachine-") as home:
        bench = Bench(numachine, home)
        (bench.home / "guest.c").write_text(GUEST)
        (bench.home / "e.yaml").write_text(EXPERIMENT)
        subprocess.run([compiler, "-O2", "-static", "-o", bench.home / "guest", bench.home / "guest.c"], check=True)
        for check in (check_counts, check_asked, check_turns, check_ways, check_costs, check_refusals):
            check(bench)
    print("ok")


if __name__ == "__main__":
    main()
