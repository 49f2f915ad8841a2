#!/usr/bin/env -S python3 -S
"""
What the documents on the counters say by themselves (experiments/documents/, docs/documents.md): each statement is
held by an identity or a count made by hand, with other programs and other numbers too, and the page has the output of
its commands.

    documents.py NUMACHINE HOME STATEMENT... [--write]    --write: puts the output into the page
"""
import collections
import csv
import io
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import figures
import simulator

PRODUCTS = r"""
#include <stdio.h>
int main(void)
{
    unsigned s = 1;
    for (unsigned i = 1; i <= ROUNDS; i++) {
        s = (unsigned)((unsigned long long)s * 0x9e3779b9U >> 32) + i;
        s ^= s / i;
    }
    printf("%u\n", s);
    return 0;
}
"""
NOTHING = "int main(void) { return 0; }\n"
BLOCK = re.compile(r"<!-- documents: ([\w-]+) -->\n(.*?)<!-- end -->", re.S)


class Bench:
    def __init__(self, numachine, home, scratch, write):
        self.numachine, self.home, self.scratch = pathlib.Path(numachine).resolve(), pathlib.Path(home), pathlib.Path(scratch)
        self.here = self.home / "experiments/documents"
        self.page, self.write = self.home / "docs/documents.md", write
        self.same = figures.of_documents(home)
        os.environ["NUMACHINE"] = str(self.numachine)

    def run(self, *words, status=0, cwd=None):
        done = simulator.bounded([self.numachine, *words], capture_output=True, text=True, cwd=cwd or self.scratch, stdin=subprocess.DEVNULL)
        assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout, done.stderr

    def experiment(self, name, *sets, status=0):
        """What its program prints."""
        options = [word for assignment in sets for word in ("--set", assignment)]
        return self.run("run", "-q", "--force", "-o", "out", *options, self.here / f"{name}.yaml", status=status)[0].rpartition("\nout")[0] + "\n"

    def driver(self, name, *words):
        """What a driver of the folder prints; its status is 0."""
        done = simulator.bounded([sys.executable, self.here / f"{name}.py", *words], capture_output=True, text=True, cwd=self.scratch,
                                 stdin=subprocess.DEVNULL, seconds=200)
        assert done.returncode == 0, (name, words, done.stdout, done.stderr)
        return done.stdout

    def shown(self, name, command, output):
        """The page has the command and its output."""
        text = "\n" + "".join(f"    {line}".rstrip() + "\n" for line in f"{command}\n{output}".rstrip("\n").split("\n")) + "\n"
        if self.write:
            self.page.write_text(re.sub(rf"(<!-- documents: {name} -->\n).*?(<!-- end -->)", lambda m: m[1] + text + m[2],
                                        self.page.read_text(), flags=re.S))
        shown = dict(BLOCK.findall(self.page.read_text()))[name]
        if self.same:
            assert shown == text, f"{name}: docs/documents.md has another output than\n{text}"
        else:
            assert shown.startswith(f"\n    {command}\n"), shown

    def program(self, name, source, *flags, gcc="mips-linux-gnu-gcc"):
        (self.scratch / f"{name}.c").write_text(source)
        subprocess.run([gcc, "-O2", "-g", "-static", *flags, f"{name}.c", "-o", name], check=True, cwd=self.scratch)
        return f"./{name}"


# ---- an ideal profile agrees with the count of graduated instructions -------------------------------------------------

def ideal(bench):
    """Twice are exactly the products and quotients that the program makes, beside those of the library."""
    bench.shown("ideal", "experiments/documents/ideal.py", bench.driver("ideal"))
    library = products(bench, bench.driver("ideal", "--", bench.program("nothing", NOTHING)))
    for rounds in (1000, 4000):
        found = products(bench, bench.driver("ideal", "--", bench.program("products", PRODUCTS, f"-DROUNDS={rounds}")))
        assert rounds <= found["multu"] <= rounds + library.get("multu", 0) + 30 and \
            rounds <= found["divu"] <= rounds + library.get("divu", 0) + 30, (found, library)
    for more in (["processor.core=r12000", "monitor.events=[cpu_graduated]"], ["program.abi=n64"], ["program.cflags=[-O0, -g, -DROUNDS=100]"]):
        bench.driver("ideal", bench.here / "ideal.yaml", *(word for assignment in more for word in ("--set", assignment)))


def products(bench, output):
    assert "\n           0  difference\n" in output, output
    return {name: int(count.replace(",", "")) for count, name in re.findall(r"([\d,]+)  of these (\w+)", output)}


# ---- ssrun ------------------------------------------------------------------------------------------------------------

def sampled(bench):
    """Functions are as often found as chance has it. Of 16 instructions that are all executed as often, half are never found:
    those that graduate together with what waited."""
    file = "experiments/documents/ideal.yaml"
    for name, words in (("ssrun-functions", ["-n", "3"]), ("ssrun-instructions", ["--by=instruction", "-n", "16"])):
        said = bench.run("ssrun", "--every=101", *words, file, cwd=bench.home)[1]
        bench.shown(name, " ".join(["numachine ssrun --every=101", *words, file]), said)
    for rounds in (1000, 2000):
        flags = f"program.cflags=[-O2, -g, -DROUNDS={rounds}]"
        found, by_function = (json.loads(bench.run("ssrun", "--format=json", "--every=101", *more, "--set", flags, file, cwd=bench.home)[1])
                              for more in (["--by=instruction"], []))
        assert found["exact"] == found["counted_in_all_modes"] == found["completed"] + found["completed_twice"], found
        own = [row for row in by_function["rows"] if row["function"].partition(".")[0] in ("sums", "products", "quotients")]
        assert len(own) == 3, by_function
        for row in own:
            assert abs(row["error"]) < 3 * row["chance"] and rounds * 5 <= row["exact"] <= rounds * 7 + 50, row
        hot = [row for row in found["rows"] if row["exact"] in (rounds, 2 * rounds)]
        assert len(hot) == 16 and sum(row["exact"] == 2 * rounds for row in hot) == 2, hot  # a product and a quotient
        assert sum(row["samples"] == 0 for row in hot) >= 6, hot
        assert found["levels"]["function"]["misplaced"] < found["levels"]["line"]["misplaced"] < found["levels"]["instruction"]["misplaced"]


# ---- events 29 and 31: victim and writer; 5 of 20 ---------------------------------------------------------------------

ROW = re.compile(r"^(one line|a line each): (victim|writer) +(\d+) +(\d+) +(\d+) +(\d+) ", re.M)


def contention(bench):
    """One line costs the victim one event 29 a round and the writer one event 31, and nobody anything else. Where the line of
    the secondary cache is half as long, nothing is different; where the words are too far apart for a line, all is."""
    for core in ("r10000", "r12000"):
        for rounds in (100, 500):
            output = bench.experiment("contention", f"processor.core={core}", f"program.cflags=[-O2, -DROUNDS={rounds}, -I../include/irix]")
            if (core, rounds) == ("r10000", 500):
                bench.shown("contention", "numachine run contention", output)
            check_contention(output, rounds, core)
    output = bench.experiment("contention", "l2.line=64B")
    check_contention(output, 500, "r10000")


def check_contention(output, rounds, core):
    rows = {(layout, who): tuple(map(int, counts)) for layout, who, *counts in ROW.findall(output)}
    assert len(rows) == 4, output
    victim, writer = (tuple(a - b for a, b in zip(rows["one line", who], rows["a line each", who])) for who in ("victim", "writer"))
    # A few are the barrier's in front, whose last one differs. An R12000 adds the line's state, 1: clean and shared (its 31: 2).
    assert abs(victim[0] - rounds) <= 4 and abs(writer[0]) <= 4, (output, core)
    assert abs(writer[1] / (2 if core == "r12000" else 1) - rounds) <= 4 and abs(victim[1]) <= 8, (output, core)
    for (layout, who), (_, _, conditional, failed) in rows.items():
        assert rounds <= conditional - failed <= rounds + 8, (layout, who, output)  # an increment each: those that did not fail
    for layout in ("one line", "a line each"):
        conditional, failed = (sum(rows[layout, who][i] for who in ("victim", "writer")) for i in (2, 3))
        assert (failed > conditional / 20) == (layout == "one line"), output  # "more than a few percent"


# ---- NUMAchine's monitor: blocks, unsuccessful invalidates, lines that would like to be updated -------------------------

def statistics(bench, region):
    """Of the machine, of the last experiment."""
    with open(bench.scratch / "out/stats.csv", newline="", encoding="ascii") as file:
        return {row["stat"]: float(row["value"]) for row in csv.DictReader(file)
                if row["snapshot"] == region and row["component"] == "machine" and row["value"]}


def euclid(numbers):
    """Pairs, steps, coprime ones, others."""
    steps, coprime = 0, 0
    for a, b in itertools.product(range(1, numbers + 1), repeat=2):
        coprime += math.gcd(a, b) == 1
        while b:
            a, b, steps = b, a % b, steps + 1
    return [numbers**2, steps, coprime, numbers**2 - coprime, 1]


def blocks(bench):
    """The SRAM has what Euclid's algorithm has, counted here, and what the profile has at the writes."""
    for numbers in (40, 17):
        output = bench.experiment("blocks", f"program.cflags=[-O2, -g, -DNUMBERS={numbers}]")
        if numbers == 40:
            bench.shown("blocks", "numachine run blocks", output)
        *counted, lost = (int(line.split()[-1]) for line in output.rstrip().split("\n")[2:])
        assert counted == euclid(numbers) and lost == 0, (counted, euclid(numbers), lost)
        said = bench.run("profile", "--format=csv", "out")[0]
        writes = collections.Counter()
        for row in csv.DictReader(io.StringIO(said, newline="")):
            if row["function"] in ("with_counts", "coprimes", "numachine_card_write"):
                writes[row["pc"]] += int(row["store"])
        assert not collections.Counter(counted) - collections.Counter(writes.values()), (counted, writes)
        cost = (statistics(bench, "counted")["elapsed"] - statistics(bench, "without")["elapsed"]) / sum(counted)
        assert 0 < cost < 20, cost  # [PCycles] "minimal intrusion"


def unsuccessful(bench):
    """What the cards and the handler count is all there was."""
    for threads, machine in ((4, "station-4"), (2, "station-4"), (8, "ring-16")):
        output = bench.experiment("unsuccessful", f"machine={machine}", "agent.failed_upgrade=bus_error", f"program.cflags=[-O2, -DTHREADS={threads}]")
        if (threads, machine) == (4, "station-4"):
            bench.shown("unsuccessful", "numachine run unsuccessful", output)
        rows = [tuple(map(int, line.split())) for line in output.rstrip().split("\n")[1:]]
        truth = statistics(bench, "counting")
        assert len(rows) == threads and sum(failed for _, _, failed in rows) == truth["truth.upgrades_failed"] > 10, (output, truth)
        # All flags beside are the region's, too: a store of each thread at the end, and one that lets all begin.
        assert 0 <= truth["monitor.invalidates_done"] - sum(done for _, done, _ in rows) <= threads + 1, (output, truth)
        assert truth["truth.upgrades"] == truth["truth.upgrades_failed"] + truth["monitor.invalidates_done"], truth
    output = bench.experiment("unsuccessful", "agent.failed_upgrade=read")
    assert sum(int(line.split()[2]) for line in output.rstrip().split("\n")[1:]) == 0, output
    assert statistics(bench, "counting")["truth.upgrades_failed"] > 10


def again(bench):
    """Each round loses a copy. It is asked for again if it is read again, and the comparison ends there; of several lines that
    are lost in a row the last one is known."""
    for rounds in (50, 20):
        output = bench.experiment("again", f"program.cflags=[-O2, -g, -DROUNDS={rounds}]")
        if rounds == 50:
            bench.shown("again", "numachine run again", output)
        counted = [tuple(map(int, line.split()[-3:])) for line in output.rstrip().split("\n")[1:]]
        # The third kind's second pass begins with a miss of the line that the first one has lost last.
        assert counted == [(rounds, rounds, rounds), (rounds, 0, 0), (rounds, rounds, 2 * rounds + 1), (4 * rounds, rounds, rounds)], output


# ---- the ARM11's application note, section 9 ---------------------------------------------------------------------------

NUMBERS = [f"cpu_l1{side}_misses" for side in "id"] + [f"l2c_{name}" for name in (
    "ir_requests", "ir_hits", "dr_requests", "dr_hits", "dw_requests", "dwt_requests", "dw_hits", "allocates")]
ARM = r"""
#include <stdio.h>
#include <stdlib.h>
static int order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
int main(void)
{
    static int n[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        n[i] = i * 7919 % 10007;
    qsort(n, NUMBERS, sizeof *n, order);
    printf("%d\n", n[NUMBERS / 2]);
    return 0;
}
"""


def level2(bench):
    """Misses are more than requests, and requests more than hits, of every part and every program, predicted or not. The parts
    have counts by hand: a look-up for each round's shadow, and reads where the slave port's buffer has another line."""
    for rounds in (1000, 300):
        tables = {}
        for on in ("true", "false"):
            output = bench.experiment("second-level", f"arm11.prediction={on}",
                                      f"program.cflags=[-march=armv6, -marm, -O2, -DROUNDS={rounds}]")
            if rounds == 1000:
                bench.shown(f"second-level-{on}", "numachine run second-level" + " --set arm11.prediction=false" * (on == "false"), output)
            tables[on] = [tuple(map(int, line.split()[-9:])) for line in output.rstrip().split("\n")[1:]]
            check_chain(tables[on], output)
        check_shadows(tables, rounds)
    for machine in ("arm1176-l220", "arm1136-l210"):
        check_any_program(bench, machine)


def check_chain(table, output):
    assert len(table) == 5, output
    for i_misses, i_requests, i_hits, misses, requests, hits, write_misses, writes, write_hits in table:
        assert i_misses >= i_requests >= i_hits and misses >= requests >= hits and write_misses >= writes >= write_hits, output
    sums = [sum(column) for column in zip(*table)]
    assert sums[0] > sums[1] > sums[2] and sums[3] > sums[4] and sums[6] > sums[7], output


def check_shadows(tables, rounds):
    def about(found, wanted):
        return wanted <= found <= wanted + 6
    (straight, loop, returns, reads, _), (_, loop_off, returns_off, reads_off, _) = tables["true"], tables["false"]
    assert about(straight[0], 64) and about(straight[1], 64) and straight[2] <= 3, straight  # 64 lines that nobody has read
    assert about(loop[0], 0) and about(loop_off[0], rounds) and about(loop_off[1], 0), (loop, loop_off)
    assert about(returns[0], rounds) and about(returns[1], 0), returns
    assert about(returns_off[0], 3 * rounds) and about(returns_off[1], 2 * rounds), returns_off
    assert about(reads[0], 0) and about(reads_off[0], 16384) and about(reads_off[1], 0), (reads, reads_off)
    # Data are not asked the prediction. With other addresses a tick's lines are among those of one of the two runs.
    differ, missed = figures.by_compiler((0, 0), (0.1, 4), "arm-linux-gnueabi-gcc")
    assert all(abs(a - b) <= differ * a for a, b in zip(reads[3:], reads_off[3:])), (reads, reads_off)
    assert reads[3] - reads[4] <= 4 and 0 <= reads[4] - reads[5] <= missed, reads


def check_any_program(bench, machine):
    name = bench.program("sort", ARM, "-march=armv6", "-marm", "-DNUMBERS=4000", gcc="arm-linux-gnueabi-gcc")
    sums = {}
    for on in ("true", "false"):
        said = bench.run("stat", "-q", "-f", "csv", "-m", machine, "--set", f"arm11.prediction={on}", "-e", ",".join(NUMBERS), "--", name)[1]
        c = {row[2]: int(row[0]) for row in csv.reader(io.StringIO(said)) if len(row) > 2 and row[2] in NUMBERS}
        assert c["cpu_l1i_misses"] > c["l2c_ir_requests"] > c["l2c_ir_hits"] > 0, (machine, on, c)
        assert c["cpu_l1d_misses"] > c["l2c_dr_requests"] > c["l2c_dr_hits"], (machine, on, c)
        assert c["l2c_dw_requests"] + c["l2c_dwt_requests"] - c["l2c_dw_hits"] == c["l2c_allocates"], (machine, on, c)
        sums[on] = c
    assert sums["false"]["cpu_l1i_misses"] > sums["true"]["cpu_l1i_misses"], sums
    assert sums["false"]["l2c_ir_requests"] > sums["true"]["l2c_ir_requests"], sums


# ---- IRIX's table of items ---------------------------------------------------------------------------------------------

ITEM = re.compile(r"^ ?(\d+) ([^.]+)\.+ +(\d+|<not counted>)(?: +([\d.]+) +([\d.]+) +([\d.]+)  (\w+))?$", re.M)
SUBSETS = {20: 19, 26: 25, 10: 9, 29: 13, 28: 12, 24: 6}  # of an R10000: the first is a part of the second


def cost_table(path):
    rows = (line.partition("#")[0].split() for line in path.read_text().splitlines())
    return {row[0]: ([float(time) for time in row[1:4]], row[5]) for row in rows if row}


def items(bench):
    """All 32 items, the dearest first, each with the times of the table, which is said to be recalled where it is. What is
    recalled is asked for by its name, and nothing else is."""
    tables = {"simulator": cost_table(bench.home / "monitor/perfex.costs")}
    tables["irix"] = tables["simulator"] | cost_table(bench.home / "monitor/irix.costs")
    assert {source for _, source in tables["simulator"].values()} == {"definition", "counted", "measured", "assumed"}, tables
    file = "experiments/documents/items.yaml"
    said = bench.run("perfex", "-a", "-y", "-c", "irix", file, cwd=bench.home)[1]
    bench.shown("items", f"numachine perfex -a -y -c irix {file}", said)
    rows = ITEM.findall(said)
    assert sorted(int(row[0]) for row in rows) == list(range(32)) and "<not counted>" not in said, said
    times = [float(row[3] or 0) for row in rows]
    assert times == sorted(times, reverse=True), times
    check_items(bench, tables["irix"], "r12000", ["-c", "irix"])
    check_items(bench, tables["simulator"], "r10000", [])
    check_rounds(bench)


def exact(bench, *words):
    """{event: its row} of the document."""
    found = json.loads(bench.run("perfex", "-a", "-f", "json", *words, "experiments/documents/items.yaml", cwd=bench.home)[1])
    return {row["event"]: row for row in found["events"]}, found["statistics"]


def event_names(bench, core):
    """IRIX's number: the event's name here, of which the table is."""
    said = bench.run("list", "processor-events", core)[0]
    chip = {"r10000": "R10000 3.x", "r12000": "R12000"}[core]
    return {int(number): line.split()[0] for line in said.splitlines()
            for numbers in re.findall(rf"{re.escape(chip)} +(\d[\d, ]*)", line) for number in numbers.split(",")}


def check_items(bench, table, core, words):
    rows, statistics_of = exact(bench, "-y", "--truth", "--set", f"processor.core={core}", *words)
    names = event_names(bench, core)
    assert len(rows) == 32 == len(names), (rows, names)
    for event, row in rows.items():
        cost, source = table.get(names[event], (None, None))
        assert row.get("costs") == source, (row, names[event])
        for time, column in zip(cost or [], ("typical", "minimum", "maximum")):
            assert abs(row[column] - row["count"] * time / 150e6) < 0.51 * time / 150e6 + 1e-12, (row, time)  # a count is rounded
        if row["true"] > 200000:  # not those of the beginning
            assert abs(row["count"] / row["true"] - 1) < figures.by_compiler(0.05, 0.07), row
    cycles, graduated = rows[0]["count"], rows[15]["count"]
    assert abs(statistics_of["Graduated instructions/cycle"] - graduated / cycles) < 1e-3, statistics_of
    hits = 1 - rows[25]["count"] / (rows[18]["count"] + rows[19]["count"])
    assert abs(statistics_of["L1 Data Cache Hit Rate"] - hits) < 1e-3, (statistics_of, hits)
    if core == "r10000":
        assert rows[0]["true"] == rows[16]["true"] and rows[15]["true"] == rows[17]["true"], rows
        assert all(rows[part]["true"] <= rows[whole]["true"] for part, whole in SUBSETS.items()), rows


def check_rounds(bench):
    """Twenty rounds more are 20 x 64 atomic additions: what the store-conditionals that did not fail have grown by."""
    counts = [exact(bench, "--truth", "--set", f"program.cflags=[-O2, -g, -DROUNDS={rounds}]")[0] for rounds in (20, 40)]
    done = [rows[20]["true"] - rows[5]["true"] for rows in counts]
    assert done[1] - done[0] == 20 * 64, done


STATEMENTS = {check.__name__: check for check in (ideal, sampled, contention, blocks, unsuccessful, again, level2, items)}


def main():
    numachine, home, *names = [word for word in sys.argv[1:] if word != "--write"]
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(numachine, home, scratch, "--write" in sys.argv)
        for name in names or STATEMENTS:
            STATEMENTS[name](bench)


if __name__ == "__main__":
    main()
