#!/usr/bin/env -S python3 -S
"""
Cards of several kinds on one machine (`cards:` of a machine file).

    mixed.py NUMACHINE HOME quick|long GUEST.ABI...

Guests on each mixture: output as under qemu-user, the same result twice, nothing found by the checking mode, the same in
functional mode (guests.py). What a file may say and what it may not; that its resolved form is the same machine; events,
reports, perfex and IRIX's calls where only some processors have counters, or count other things.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import guests
import simulator

SMALL = "rings: {stations: 2, locals: 1}\nstation: {processors: 2}\nos: {quantum: 3000cy}\n"
R4400 = "processor: {core: r4400}, l1i: {size: 16KB, line: 32B}, l1d: {size: 16KB, line: 16B}, l2: {size: 1MB, split: true, ways: 1}"
ARM = "processor: {core: arm1176}, l1i: {size: 32KB, line: 32B}, l1d: {size: 32KB, line: 32B}"

# name: (machine file, cores by card)
MIXTURES = {
    "halves": (f"base: r10000\n{SMALL}cards:\n  - {{at: [station 1], {R4400}}}\n", "r10000 r10000 r4400 r4400"),
    "beside": (f"base: r10000\n{SMALL}cards:\n  - {{at: [0, 2], {R4400}}}\n", "r4400 r10000 r4400 r10000"),
    "three": (f"base: r10000\n{SMALL}cards:\n  - {{at: [1], processor: {{core: r12000}}}}\n"
              f"  - {{at: [2-3], {R4400}, tlb: {{refill: 50cy}}}}\n", "r10000 r12000 r4400 r4400"),
    "like": (f"base: numachine-64\n{SMALL}l2: {{line: 128B}}\nprocessor: {{clock: 200MHz}}\ncards:\n"
             "  - {at: [3], base: r10000, l2: {size: 1MB}}\n", "r4400 r4400 r4400 r10000"),
    "arm": (f"base: r10000\n{SMALL}cards:\n  - {{at: [1], {ARM}}}\n", "r10000 arm1176 r10000 r10000"),
    "none": (f"base: r10000\n{SMALL}cards: []\n", "r10000 r10000 r10000 r10000"),
}

# (text of `cards`, what the complaint says, at which line and column)
REFUSED = [
    ("[{processor: {core: r4400}}]", "an entry has no place"), ("[{at: []}]", "an entry has no place"),
    ("[{at: [4], tlb: {refill: 1cy}}]", "'4' is no place; the machine has cards 0 to 3 on stations 0 to 1"),
    ("[{at: [station 2], tlb: {refill: 1cy}}]", "'station 2' is no place"),
    ("[{at: [2-1], tlb: {refill: 1cy}}]", "'2-1' is no place"),
    ("[{at: [-1], tlb: {refill: 1cy}}]", "'-1' is no place"),
    ("[{at: [1, 0-2], tlb: {refill: 1cy}}]", "card 1 is there twice"),
    ("[{at: [1], tlb: {refill: 1cy}}, {at: [station 0]}]", "card 1 is there twice"),
    ("[{at: [1], bus: {clock: 25MHz}}]", "is the whole machine's, not a card's"),
    ("[{at: [1], l2: {line: 64B}}]", "is the whole machine's, not a card's"),
    ("[{at: [1], processor: {clock: 50MHz}}]", "is the whole machine's, not a card's"),
    ("[{at: [1], processor: {core: r8000}}]", "r8000"),
    ("[{at: [1], processor: {core: r4400}}]", "an R4400's instruction cache has lines of 16 or 32 bytes"),
    ("[{at: [1], l2: {split: true}}]", "the secondary cache of an R10000 or ARM11 is not split"),
    ("[{at: [1], base: nowhere}]", "no machine 'nowhere' is shipped"),
    ("[{at: [1], base: r12000}]", "'r12000' is a processor, not a machine"),
    ("[{at: [1], base: ./mixture.yaml}]", "has cards of several kinds itself"),
    ("[{at: [1], processor.core: r4400}]", "write nested keys as {processor: {core: ...}}"),
    ("{at: [1]}", "expected a list of {at, base, ...}"),
    ("[7]", "expected keys with values"),
]


class Bench:
    def __init__(self, numachine, home, scratch):
        self.numachine, self.home, self.scratch, self.failures = numachine, home, scratch, 0

    def expect(self, good, *what):
        if not good:
            self.failures += 1
            print("FAILED:", *what, flush=True)

    def run(self, *words):
        return simulator.bounded([self.numachine, *map(str, words)], capture_output=True, text=True, cwd=self.scratch)

    def machine(self, name):
        file = self.scratch / f"{name}.yaml"
        file.write_text(MIXTURES[name][0])
        return file

    def stats(self, *words):
        """The statistics of a run, by component and name."""
        out = self.scratch / "out"
        subprocess.run(["rm", "-rf", out], check=True)
        done = self.run("stat", "--quiet", "-o", out, *words)
        assert done.returncode == 0, (words, done.stderr)
        rows = {}
        for line in (out / "stats.csv").read_text().splitlines()[1:]:
            region, component, stat, value = line.split(",")[:4]
            if region == "whole":
                rows[f"{component}.{stat}"] = value
        return rows, json.loads((out / "manifest.json").read_text())["end"]


def check_guests(bench, programs, whole):
    """In the quick suite each guest on one mixture and each mixture with a guest."""
    names = ("halves", "beside", "three", "like")
    for turn, name in enumerate(names):
        machine = bench.machine(name)
        for program in programs if whole else programs[turn::len(names)]:
            complaints = guests.check(guests.Guest(bench.numachine, program,
                                                   guests.ARGUMENTS.get(program.stem, [[]])[-1][:1] or [], ["-m", machine]))
            bench.expect(not complaints, name, program.name, *complaints)


def check_files(bench):
    for name, (_, cores) in MIXTURES.items():
        machine = bench.machine(name)
        done = bench.run("check", "--all", machine)
        bench.expect(done.returncode == 0, name, done.stderr)
        again = bench.scratch / "again.yaml"
        again.write_text(done.stdout)
        back = bench.run("check", "--all", again).stdout
        comments = re.compile(r" *#.*")
        bench.expect(comments.sub("", back) == comments.sub("", done.stdout), name, back)
        shown = " ".join(re.findall(r"\(([^)]*)\)", bench.run("topology", machine).stdout)).replace(",", "")
        bench.expect(shown == (cores if name != "none" else ""), name, shown)
    bench.machine("halves").rename(bench.scratch / "mixture.yaml")
    for number, (cards, complaint) in enumerate(REFUSED):
        file = bench.scratch / f"refused-{number}.yaml"
        file.write_text(f"base: r10000\n{SMALL}cards: {cards}\n")
        done = bench.run("topology", file)
        bench.expect(done.returncode == 2 and complaint in done.stderr and f"{file.name}:5:" in done.stderr, cards, done.stderr)


def check_instruction_sets(bench, program):
    """One program has one instruction set: it runs on the cards of that, and is told which card is another."""
    machine = bench.machine("arm")
    done = bench.run("stat", "-q", "-m", machine, "--", program, "4")
    bench.expect(done.returncode == 2 and "and card 1 of this machine (cards) executes ARM ones: one program has one "
                 "instruction set; run it on the cards before it (program.processors: 1)" in done.stderr and
                 "simulated" not in done.stderr and not done.stdout, done.stderr, done.stdout)
    done = bench.run("stat", "-q", "-m", machine, "--processors=1", "--", program, "4")
    bench.expect(done.returncode == 0, done.stderr)
    done = bench.run("stat", "-m", "arm1176-l220", "--", program, "4")
    bench.expect(done.returncode == 2 and "execute ARM ones: one program has one instruction set" in done.stderr and
                 "PCycles" not in done.stderr, "a table of zeros", done.stderr)
    # Of a source the experiment's own line says so, before anything is built.
    (bench.scratch / "x.c").write_text("int main(void) { return 0; }\n")
    file = bench.scratch / "sets.yaml"
    for lines, at, mend in ((["abi: o32", "source: x.c"], "3:8", "card 1 of this machine executes ARM"),
                            (["source: x.c"], "3:11", "(program.processors: 1)"),
                            (["abi: armel", "source: x.c"], "3:8", "give program.abi: o32"),
                            (["source: x.c", "processors: 1"], "", "")):
        file.write_text("machine: " + str(machine) + "\nprogram:\n" + "".join(f"  {line}\n" for line in lines))
        done = bench.run("check", file)
        bench.expect((done.returncode, f"sets.yaml:{at}: error:" in done.stderr and mend in done.stderr) ==
                     ((2, True) if at else (0, False)), lines, done.stderr)


def check_counts(bench, program):
    """Only processors that have counters count, and what they count is what they did."""
    machine = bench.machine("beside")
    options = ("-m", machine, "-e", "cpu_cycles,cpu_graduated", "-g", "SPECULATION", "--", program, "4")
    rows, end = bench.stats(*options)
    counting = [f"machine.station[{s}].card[1]" for s in (0, 1)]
    others = [f"machine.station[{s}].card[0]" for s in (0, 1)]
    for card in counting:
        bench.expect(int(rows[f"{card}.monitor.cpu_graduated"]) >= int(rows[f"{card}.truth.instructions"]) > 0, card)
        bench.expect(int(rows[f"{card}.monitor.cpu_cycles"]) == end["ticks"], card)
        bench.expect(f"{card}.group.speculation.loads_in_vain" in rows, card, "has no group")
    for card in others:
        bench.expect(int(rows[f"{card}.truth.instructions"]) > 0 and f"{card}.monitor.cpu_graduated" not in rows and
                     f"{card}.group.speculation.loads_in_vain" not in rows, card, "counts")
    whole = sum(int(rows[f"{card}.monitor.cpu_graduated"]) for card in counting)
    bench.expect(int(rows["machine.monitor.cpu_graduated"]) == whole, whole)
    bench.expect(bench.stats("-m", machine, "-e", "load", "--", program, "4")[1]["result_hash"] == end["result_hash"], "a hash")
    # what another machine's processors count is refused by name
    for name, event, complaint in (("three", "cpu_cycles", "or not all the same"), ("like", "cpu_mht", "are others")):
        done = bench.run("stat", "-m", bench.machine(name), "-e", event, "--", program, "4")
        bench.expect(done.returncode == 2 and complaint in done.stderr, name, event, done.stderr)


def check_perfex(bench, program):
    for name, words, complaint in (("beside", (), "2 processors of machine 'beside' have no event counters; --mixed (-T)"),
                                   ("three", ("-T",), "count different events")):
        done = bench.run("perfex", f"--machine={bench.machine(name)}", *words, program, "4")
        bench.expect(done.returncode == 2 and complaint in done.stderr, name, done.stderr)
    done = bench.run("perfex", f"--machine={bench.machine('beside')}", "-T", "-mp", "-e", "15", program, "4")
    counts = [int(n) for n in re.findall(r"^15 Graduated instructions\.+ *(\d+)$", done.stderr, re.M)]
    bench.expect(done.returncode == 0 and len(counts) == 3 and counts[0] + counts[1] == counts[2] and min(counts) > 0 and
                 "2 of the machine's 4 processors have no counters" in done.stderr and "Processor 0" not in done.stderr, done.stderr)


def check_sets(bench, program):
    """A program must be one for all processors that it may use."""
    file = bench.scratch / "isa.yaml"
    file.write_text(f"base: r10000\n{SMALL}cards:\n  - {{at: [2], processor: {{isa: mips4}}}}\n")
    done = bench.run("stat", "-m", file, "--", program, "4")
    bench.expect(done.returncode not in (0, 1) and "release 2, and the processor of card 2 executes mips4" in done.stderr, done.stderr)
    experiment = bench.scratch / "isa-two.yaml"
    experiment.write_text(f"machine: {file}\nprogram: {{path: {program}, args: ['4'], processors: 2}}\n")
    done = bench.run("run", experiment, "-o", bench.scratch / "isa-two")
    bench.expect(done.returncode == 0, done.stderr)


IRIX_GUEST = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <sys/hwperfmacros.h>
#include <sys/hwperftypes.h>
#include <sys/procfs.h>
#include <sys/syssgi.h>

static void on(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set))
        perror("affinity");
}

static long work(void)
{
    long sum = 0;
    for (int i = 0; i < 10000; i++)
        __asm__ volatile("addiu %0, %0, 1" : "+r"(sum));
    return sum;
}

int main(void)
{
    char name[20];
    hwperf_profevctrarg_t setup;
    hwperf_cntr_t count;
    memset(&setup, 0, sizeof setup);
    setup.hwp_evctrargs.hwp_evctrl[15].hwperf_creg.hwp_ev = 15;
    setup.hwp_evctrargs.hwp_evctrl[15].hwperf_creg.hwp_mode = HWPERF_CNTEN_U;
    snprintf(name, sizeof name, "/proc/%05d", getpid());
    int fd = open(name, O_RDWR);
    on(0);
    if (ioctl(fd, PIOCENEVCTRS, &setup) < 0) {
        printf("refused %d\n", errno);
        return 0;
    }
    for (int cpu = 0; cpu < 4; cpu++) {
        unsigned long long before;
        on(cpu);
        ioctl(fd, PIOCGETEVCTRS, &count);
        before = count.hwp_evctr[15];
        work();
        ioctl(fd, PIOCGETEVCTRS, &count);
        printf("card %d: %d\n", cpu, count.hwp_evctr[15] - before > 20000);
    }
    printf("release %d\n", ioctl(fd, PIOCRELEVCTRS));
    return 0;
}
"""


def check_irix(bench):
    """A thread counts where there are counters; nobody does where processors count differently."""
    (bench.scratch / "irix.c").write_text(IRIX_GUEST)
    for name, said in (("beside", "card 0: 0\ncard 1: 1\ncard 2: 0\ncard 3: 1\nrelease 0\n"), ("three", "refused 19\n")):
        experiment = bench.scratch / "irix.yaml"
        experiment.write_text(f"machine: {bench.machine(name)}\nprogram:\n  source: irix.c\n"
                              f"  cflags: [-O2, -I{bench.home}/experiments/include/irix]\n")
        done = bench.run("run", "--quiet", experiment, "-o", bench.scratch / f"irix-{name}")
        bench.expect(done.returncode == 0 and done.stdout.startswith(said), name, done.stdout, done.stderr)


TRUTH_GUEST = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
static volatile int apart[64] __attribute__((aligned(128))), turn __attribute__((aligned(128)));
static pthread_barrier_t barrier;
static void *work(void *arg)
{
    long me = (long)arg;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof set, &set);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 300; i++)
        apart[me]++;
    if (me == 0)
        turn++; /* before the other looks, who would have a line to lose otherwise */
    pthread_barrier_wait(&barrier);
    for (int i = me == 0; i < 100; i++) {
        while (turn != 2 * i + me)
            ;
        turn++;
    }
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, work, (void *)1L);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
"""


def check_truth(bench, compiler):
    """Profiles add up, asking changes nothing, and sharing is what it is, on any pair of cores."""
    (bench.scratch / "truth.c").write_text(TRUTH_GUEST)
    guest = bench.scratch / "truth"
    subprocess.run([compiler, "-O2", "-g", "-static", "-pthread", "-o", guest, bench.scratch / "truth.c"], check=True)
    for machine in ("r10000", bench.machine("beside"), bench.machine("three")):
        ends = []
        for key in ("run.seed=1", "run.profile=true", "run.truth=true"):
            out = bench.scratch / "truth-out"
            subprocess.run(["rm", "-rf", out], check=True)
            done = bench.run("stat", "--quiet", "-m", machine, "--set", key, "-o", out, "--", guest)
            bench.expect(done.returncode == 0 and "error" not in done.stderr, machine, key, done.stderr)
            ends.append(json.loads((out / "manifest.json").read_text())["end"]["result_hash"])
        bench.expect(len(set(ends)) == 1, machine, ends)
        said = bench.run("c2c", out).stdout
        kinds = {name: kind for kind, name in re.findall(r"^ +(true|false|none) .* (turn|apart)$", said, re.M)}
        bench.expect(kinds.get("turn") == "true" and kinds.get("apart") == "false", machine, kinds, said[:2000])
        lost = [int(n) for n in re.findall(r"lost it (\d+) times", said.partition("true sharing,")[2])[:2]]
        bench.expect(sorted(lost) == [99, 100], machine, lost)


UNKNOWN_GUEST = r"""
int main(int argc, char **argv)
{
    if (argc > 1) /* the first event counter counts event 0x77, which no ARM11 has */
        __asm__ volatile("mcr p15, 0, %0, c15, c12, 0" ::"r"(0x77 << 20 | 1));
    return 0;
}
"""


def check_unknown_events(bench, compiler):
    """Which processors have event counters says the card, whatever the machine's other cards are."""
    (bench.scratch / "unknown.c").write_text(UNKNOWN_GUEST)
    guest = bench.scratch / "unknown"
    subprocess.run([compiler, "-O2", "-static", "-march=armv6", "-marm", "-o", guest, bench.scratch / "unknown.c"], check=True)
    said = "warning: event 0x77 is none of the processor's; its counter stood still; chosen on card 0 at pc "
    for name, base, others in (
            ("arm_first", "arm1176-l220", f"[1-3], {R4400[:-1]}, controller: none}}"),
            ("arm_only_first", "numachine-64", f"[0], {ARM}, l2: {{split: false}}")):
        file = bench.scratch / f"{name}.yaml"
        file.write_text(f"base: {base}\n{SMALL}arm11: {{user_counters: true}}\ncards:\n  - {{at: {others}}}\n")
        for words in ((), ("x",)):
            done = bench.run("stat", "-m", file, "--processors=1", "--", guest, *words)
            bench.expect(done.returncode == 0 and (said in done.stderr) == bool(words) and
                         done.stderr.count("is none of") == len(words), name, words, done.stderr)


def main():
    numachine, home, which, *programs = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        bench = Bench(os.path.abspath(numachine), pathlib.Path(home).resolve(), pathlib.Path(scratch))
        programs = [pathlib.Path(p).resolve() for p in programs]
        team = next(p for p in programs if p.name == "team.o32")
        check_files(bench)
        check_counts(bench, team)
        check_instruction_sets(bench, team)
        check_perfex(bench, team)
        check_sets(bench, team)
        check_irix(bench)
        check_truth(bench, "mips-linux-gnu-gcc")
        if arm := shutil.which("arm-linux-gnueabi-gcc"):
            check_unknown_events(bench, arm)
        check_guests(bench, programs, which == "long")
        return bench.failures != 0


if __name__ == "__main__":
    sys.exit(main())
