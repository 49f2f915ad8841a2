#!/usr/bin/env -S python3 -S
"""
What numachine c2c says of sharing whose mend is known, and that it takes each name that it prints.

    c2c_says.py NUMACHINE GUEST... [all]     without `all` guests behind the first have two of the kinds
"""
import csv
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import figures
import simulator

WIDEST = 140  # columns of what a line holds; names of variables and files are the program's own
BLOCK = re.compile(r"heap 8 bytes by main at c2c_guest\.c:\d+")  # what pairs[] and first lead to
MEASURED = ("access", "colours")  # whose gains are looked at, on the first guest's machine only
PAIRS, ONE, FIRST = "*pairs[]", "*pairs[1]", "*first"


def c2c(numachine, *words, status=0):
    done = subprocess.run([str(w) for w in (numachine, "c2c", *words)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=600, check=False)
    assert done.returncode == status, f"status {done.returncode}: {words}: {done.stderr}"
    return done.stderr if status else done.stdout


def kept(numachine, guest, kind, scratch):
    directory = scratch / f"{pathlib.Path(guest).name}.{kind}"
    subprocess.run([numachine, "stat", "-q", "--truth", *simulator.MACHINES.get(simulator.abi_of(guest), []),
                    "-o", directory, "--", guest, kind], check=True,
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    return directory


def kept_program(numachine, source, directory, compiler="mips-linux-gnu-gcc", language="c"):
    program = directory.with_suffix("")
    subprocess.run([compiler, "-O2", "-g", "-static", "-pthread", "-x", language, "-", "-o", program], input=source, text=True, check=True)
    subprocess.run([numachine, "stat", "-q", "--truth", "-m", "ring-16", "-o", directory, "--", program], check=True, capture_output=True,
                   timeout=600)


def printed_names(text):
    """Of the table of objects, of what lines hold, and of the commands of the hints."""
    table = re.findall(r"^  (?:none|false|true|mixed) .*?%.*?% +\d+ +\d+  (.*)$", text, re.M)
    held = re.findall(r"^ {6,}\d+-\d+ +\d+ +\d+  (.*)$", text, re.M)
    return table, held, re.findall(r"--what-if '([^']*)'", text)


def parts(text):
    return int(re.search(r"\((\d+) parts?\)", text)[1])


def check_blocks(numachine, directory):
    """Members of one block, and several blocks in a line: both are said, and each can be tried."""
    text = c2c(numachine, "--lines=0", directory)
    memory, site = BLOCK.search(text)[0], PAIRS
    parted = re.findall(r"aligned_alloc\(64, ...\), and keep the parts( of one .*) that different threads use 64 bytes apart", text)
    assert f" of one '{site}'" in parted[0], text
    table, held, tried = printed_names(text)
    assert site in table and site in tried and {"pairs[1]->even", "pairs[1]->odd"} & {*held} and FIRST in table, (table, held, tried)
    assert max(len(line) for line in text.splitlines() if "numachine " not in line) < WIDEST, text
    lines = [block.split("  holds; of several words, the dearest\n")[1] for block in text.split("  line at ")[1:] if "false sharing" in block.split("\n")[0]]
    assert all(line.lstrip().split("  ")[-1].startswith(("pairs[", "first->")) for line in (x.split("\n")[0] for x in lines)), lines
    together = [f"--what-if={name}" for name in sorted({*table, *held, *tried})]
    assert json.loads(c2c(numachine, "--format=json", *together, directory))["output"] == "same"
    for one in ONE, f"{memory} [1]":
        assert parts(c2c(numachine, "--what-if", one, directory)) == 2, one
    assert parts(c2c(numachine, "--what-if", "pairs[1]->odd", directory)) == 1
    alone = c2c(numachine, "--what-if", site, directory)
    assert parts(alone) == 6 and "note" not in alone, alone
    assert parts(c2c(numachine, "--what-if", memory, directory)) == 8
    assert parts(c2c(numachine, "--what-if", memory, "--unit=words", directory)) == 8
    assert parts(c2c(numachine, "--what-if", memory, "--what-if", "pairs[1]", "--what-if", "pairs[0]", directory)) > 8
    assert parts(c2c(numachine, "--what-if", site, "--what-if", FIRST, "--unit=members", directory)) == 8
    refused = c2c(numachine, "--what-if", memory, "--unit=members", directory, status=2)
    assert "--unit=words" in refused, refused
    pointer = c2c(numachine, "--what-if", "first", directory)
    assert "if it is a pointer" in pointer and f"'{site}'" in pointer, pointer


def check_commands(numachine, directory):
    """What is advised is whole commands: a shell runs them as they are printed, whatever the directory is called."""
    odd = shutil.copytree(directory, directory.with_name(f"{directory.name} is; a run"))
    text = c2c(numachine, odd)
    commands = re.findall(r"\bor numachine (c2c --what-if .*)$", text, re.M)
    assert commands and f"numachine mend '{odd}'" in text, text
    for command in set(commands):
        done = subprocess.run(f"{shlex.quote(str(numachine))} {command}", shell=True, check=False, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=600)
        assert done.returncode == 0 and " PCycles" in done.stdout, (command, done)


def check_barrier(numachine, directory):
    """Its words are a lock's, also if kernel helpers change them. Whether its line costs a hundredth of the time hangs on the
    instruction set."""
    lines = json.loads(c2c(numachine, "--format=json", directory))["lines"]
    line = next(line for line in lines if line["holds"][0]["object"] == "all_here")
    assert line["verdict"] in ("none", "true") and ("numachine locks" in line["advice"]) == (line["verdict"] == "true"), line
    assert all("function" in asker for asker in line["askers"]), line["askers"]


def check_mistakes(numachine, directory):
    near = c2c(numachine, "--what-if", "onyl", directory, status=2)
    assert "did you mean 'only'?" in near, near
    far = c2c(numachine, "--what-if", "nothing like it", directory, status=2)
    assert "these lost most: 'only'" in far, far
    order = c2c(numachine, "--what-if", directory, "only", status=2)
    assert "the order is --what-if OBJECT RUN_DIR" in order, order


def check_unfinished(numachine, directory):
    """What is shown of a run that did not come to its end says so."""
    program = directory.with_name("waits")
    subprocess.run(["mips-linux-gnu-gcc", "-static", "-x", "c", "-", "-o", program], input="#include <unistd.h>\nint main(void) { return pause(); }\n",
                   text=True, check=True)
    subprocess.run([numachine, "stat", "-q", "--truth", "--profile", "-m", "station-4", "-o", directory, "--", program], check=False,
                   capture_output=True, timeout=600)
    for command in "c2c", "locks", "placement", "profile":
        said = subprocess.run([numachine, command, directory], capture_output=True, text=True, check=True).stdout
        found = re.search("^# the run is (.*)$", said, re.M)
        assert found and found[1] == "failed: deadlock: every thread waits; what follows is of the time until then", (command, said[:600])


def check_limit(numachine, directory):
    """Nor did one that was stopped at its limit: there is nothing to compare with, so no run is advised."""
    offered = re.compile("numachine mend|--what-if")
    assert offered.search(c2c(numachine, directory).splitlines()[0]) and len(offered.findall(c2c(numachine, directory))) > 1
    cut, limit = directory.with_suffix(".cut"), json.loads((directory / "manifest.json").read_text())["end"]["ticks"] - 100
    done = subprocess.run([numachine, "run", directory / "config.resolved.yaml", "-s", f"run.limit={limit}cy", "-o", cut], check=False,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)
    assert "sharing of" in done.stderr + done.stdout and not offered.search(done.stderr + done.stdout), done
    for command in "c2c", "locks", "placement", "profile":
        said = subprocess.run([numachine, command, cut], capture_output=True, text=True, check=True).stdout
        assert f"# the run is not complete: stopped at the limit of {limit} PCycles; what follows is of the time until then\n" in said, (
            command, said[:600])
    assert "went into false sharing" in c2c(numachine, cut) and not offered.search(c2c(numachine, cut)), c2c(numachine, cut)
    assert "did not come to its end" in mend(numachine, cut, status=2)


FREED = """#include <pthread.h>
#include <stdlib.h>
static struct { volatile long a, b; } *object[8];
static void *work(void *p)
{
    for (int k = 0; k < 100; k++) object[(long)p]->a++;
    return 0;
}
int main(void)
{
    pthread_t t[8];
    for (int i = 0; i < 8; i++) object[i] = malloc(sizeof **object);
    for (long i = 0; i < 8; i++) pthread_create(t + i, 0, work, (void *)i);
    for (int i = 0; i < 8; i++) pthread_join(t[i], 0);
}
"""


def check_freed(numachine, directory):
    """What free() itself does to a block, of which pthread_create has got some here, is the block's by the same name."""
    kept_program(numachine, FREED, directory)
    for line in json.loads(c2c(numachine, "--format=json", directory))["lines"]:
        names = {held["object"] for held in line["holds"]}
        assert not {name[:name.rindex(" [")] for name in names if re.search(r" \[\d+\]$", name)} & names, names


ASIDE = """#include <pthread.h>
static volatile long count[4], sum[64];
static void *work(void *p) { for (int k = 0; k < 1500; k++) count[(long)p]++; return 0; }
int main(void)
{
    pthread_t t[4];
    for (long i = 0; i < 4; i++) pthread_create(t + i, 0, work, (void *)i);
    for (int j = 0; j < 150000; j++) sum[16] += j;
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
}
"""


# Of arrays whose advice is compiled: type of an element, its own dimension, its use, and whether the program declares the type.
WRITTEN = {"hits": ("struct cell", "", "hits[me].n++", True), "tally": ("int", "", "tally[me]++", False),
           "leads": ("int *", "", "leads[me]++", False), "part": ("double", "[2]", "part[me][1] += 1", False),
           "either": ("union either", "", "either[me].i++", False), "deep": ("struct cell", "[2]", "deep[me][1].n++", False),
           "locks": ("pthread_mutex_t", "", "pthread_mutex_lock((void *)&locks[me]); pthread_mutex_unlock((void *)&locks[me])", False)}
TYPES = "#include <pthread.h>\n#include <stdlib.h>\nstruct cell { int n; };\nunion either { int i; float f; };\n"
# Names that are others' as well, in front of those that are meant.
POOLED = """/* how many hits[4] there are */
static int add(int hits, int tally, struct cell *deep) { return hits + tally + deep->n; }
struct options { int tally; int leads[4]; struct cell hits[4]; };
static int other(void) { static int part[4]; double leads[4] = {0}; return ++part[1] + (int)leads[2]; }
struct node { struct node *next; volatile int count; };
struct pool {
    pthread_mutex_t lock; volatile int used[4]; struct node *list; pthread_mutex_t each[2]; volatile int total;
};
static struct pool *pool;
"""
RUN = """static void *work(void *p)
{
    long me = (long)p;
    struct node *node = pool->list;
    for (int i = 0; i < me; i++) node = node->next;
    for (int i = 0; i < COUNTS; i++) { pool->used[me]++; node->count++; USE; }
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_t *lock = i < LOCKS / 2 ? &pool->lock : &pool->each[1];
        pthread_mutex_lock(lock);
        for (int k = 0; k < 40; k++) pool->total++;
        pthread_mutex_unlock(lock);
    }
    return 0;
}
int main(void)
{
    pthread_t t[4];
    struct cell cell = {other()};
    pool = calloc(1, sizeof *pool);
    for (int i = 0; i < 4; i++) {
        struct node *node = calloc(1, sizeof *node);
        node->next = pool->list;
        pool->list = node;
    }
    for (long i = 0; i < 4; i++) pthread_create(t + i, 0, work, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    return add(0, 0, &cell) - 1;
}
"""
ALIGNED = r"__attribute__\(\(aligned\(64\)\)\)"
FRONT, AROUND = f"{ALIGNED} in front of it, and in front of the member behind it", r"struct \{ TYPE v; \} " + ALIGNED


def aligned_source(name, advice):
    """An array as the advice has it, and that a compiler finds it aligned."""
    of, more, _, own = WRITTEN[name]
    around = re.search(AROUND, advice)
    alone = re.search(rf"({ALIGNED}) on the type of its elements \(behind the }} of a struct\)", advice)
    assert (around is None) == (alone is not None) == own, (name, advice)
    types = TYPES.replace("int n; }", f"int n; }} {alone[1]}") if alone else TYPES
    element = around[0].replace("TYPE v;", f"{of} v{more};") if around else of
    return f'{types}{element} {name}[4];\n_Static_assert(sizeof *{name} % 64 == 0 && _Alignof({name}) % 64 == 0, "{name}");\n'


def check_compiles(text):
    done = subprocess.run(["mips-linux-gnu-gcc", "-Wall", "-Werror", "-fsyntax-only", "-x", "c", "-"], input=text, text=True,
                          capture_output=True, check=False)
    assert not done.returncode, (text, done.stderr)


def check_declared(source, names, name, line):
    """What is said of an object stands under the line that declares it."""
    number = next(i for i, text in enumerate(source.splitlines(), 1) if line in text)
    said = names[name].splitlines()[0]
    assert re.match(rf"\w+\.c:{number}: ", said), (name, number, said)


def kept_written(numachine, source, directory):
    path = directory.with_suffix(".c")
    path.write_text(source)
    subprocess.run(["mips-linux-gnu-gcc", "-O2", "-g", "-static", "-pthread", path, "-o", directory.with_suffix("")], check=True)
    subprocess.run([numachine, "stat", "-q", "--truth", "-m", "ring-16", "-o", directory, "--", directory.with_suffix("")], check=True,
                   capture_output=True, timeout=600)
    return sources(numachine, directory)


def sources(numachine, directory):
    return {c["what"]: c["source"] for c in json.loads(mend(numachine, "--runs=1", "--format=json", directory))["candidates"]}


def check_written(numachine, directory):
    """What mend and c2c say is to be written can be: it stands under the line that declares the object, and a compiler takes it."""
    arrays = "".join(f"static volatile {of} {name}[4]{more} __attribute__((aligned(64)));\n" for name, (of, more, _, _) in WRITTEN.items())
    run = RUN.replace("USE", "; ".join(use for _, _, use, _ in WRITTEN.values())).replace("COUNTS", "400").replace("LOCKS", "0")
    source = TYPES + POOLED + arrays + run
    names = kept_written(numachine, source, directory)
    advice = [line["advice"] for line in json.loads(c2c(numachine, "--format=json", directory))["lines"]]
    for name, (of, _, _, _) in WRITTEN.items():
        check_declared(source, names, f"each element of {name}", f"static volatile {of} {name}[4]")
        check_compiles(aligned_source(name, names[f"each element of {name}"]))
        for text in advice:
            if f" each element of {name} " in text:
                check_compiles(aligned_source(name, text))
    assert sum(" each element of " in text for text in advice) > 4, advice
    check_declared(source, names, "each member of *pool", "struct pool {")
    assert "+ aligned_alloc(64, size)" in names["each member of *pool"], names
    check_changed(numachine, directory, names)


def check_changed(numachine, directory, names):
    """Of a file that is another one today, or not there, the number of the line stands alone, and then what is declared."""
    path, what = directory.with_suffix(".c"), "each member of *pool"
    where = re.match(r"\w+\.c:\d+:", names[what])[0]
    os.utime(path, (2**31, 2**31))
    changed = sources(numachine, directory)[what]
    path.unlink()
    assert sources(numachine, directory)[what] == changed and changed.startswith(f"{where}\n*pool"), changed


def check_sides(numachine, directory):
    """What is in front of a lock and behind it moves with it, as it does where it is aligned. Of an element all are meant."""
    names = kept_written(numachine, TYPES + POOLED + RUN.replace("USE", "(void)me").replace("COUNTS", "10").replace("LOCKS", "100"), directory)
    for lock, text, parts in ("pool->lock", FRONT, 2), ("pool->each[1]", AROUND, 4):
        source = names[f"the whole and both sides of {lock}"]
        assert re.search(text, source) and "+ aligned_alloc(64, size)" in source, source
        found = json.loads(c2c(numachine, "--what-if", lock, "--unit=sides", "--format=json", directory))
        assert (found["unit"], found["parts"]) == ("sides", parts), found
    rows = list(csv.DictReader(subprocess.run([numachine, "locks", "--format=csv", directory], check=True, capture_output=True, text=True,
                                              timeout=600).stdout.splitlines()))
    bounds = {row["lock"]: int(row["bound"]) for row in rows if row["kind"] == "mutex" and row["bound"]}
    said = c2c(numachine, directory).splitlines()[0]
    locks = re.findall(r"for mutex (\S+) \(", said)
    best = ("first", "second")[locks.index(max(bounds, key=bounds.get))]
    assert len(locks) == 2 and f"without the {best} the run would end at most" in said, (said, bounds)
    cut = directory.with_suffix(".cut")
    subprocess.run([numachine, "run", directory / "config.resolved.yaml", "-q", "-s", f"run.limit={found['before'] - 100}cy", "-o", cut], check=False,
                   capture_output=True, stdin=subprocess.DEVNULL, timeout=600)
    said = c2c(numachine, cut).splitlines()[0]
    assert "Threads waited" in said and "would end" not in said and f"(numachine locks {cut})" in said, said


def check_aside(numachine, directory):
    """Of what the run's end does not hang on, no layout gains enough to be written; that is not said as if none gained."""
    kept_program(numachine, ASIDE, directory)
    text = mend(numachine, "--runs=2", "-j1", directory)
    found = json.loads((directory / "mend.json").read_text())
    assert found["best"] is None and len(found["trials"]) == 2, found
    some = found["trials"][0]["after"] < found["before"]
    assert ("gained enough" in text, "gained anything" in text, "gained something, but" in text) == (some, not some, some), text
    said = c2c(numachine, directory).splitlines()[0]
    assert f"; of 2 runs with other layouts none {'gained enough' if some else 'took less'}" in said, said


# Each worker gives back a block that lies beside those of the others, and gets it again and again: what malloc has in front
# of a block is shared as the block is.
HEADERS = """\
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t all_here;

static void *work(void *given)
{
    free(given);
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < 300; i++) {
        volatile char *mine = malloc(8);
        for (int k = 0; k < 8; k++)
            mine[k]++;
        free((void *)mine);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[4];
    void *block[4];
    pthread_barrier_init(&all_here, NULL, 4);
    for (int i = 0; i < 4; i++)
        block[i] = malloc(8);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, block[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""


def check_headers(numachine, directory):
    """Headers of one place's blocks are one object, told with the blocks; they are mended with these, at once."""
    kept_program(numachine, HEADERS, directory)
    found = json.loads(c2c(numachine, "--format=json", directory))
    headers, = (o for o in found["objects"] if "header" in o["object"])
    blocks = next(o for o in found["objects"] if o["object"].startswith("mine[]"))
    place = re.fullmatch(r"headers of (heap 8 bytes by work at .*:\d+)", headers["object"])[1]
    assert headers["falsely"] > 0, headers
    share = 100 * (headers["falsely"] + blocks["falsely"]) / found["pcycles"]
    first = found["sentence"]
    told = re.search(r"([\d.]+) %[^.]* went into false sharing of (.*?) with (.*?) \(", first)
    assert told and abs(float(told[1]) - share) < 1 and {told[2], told[3]} == {blocks["object"], headers["object"]}, (share, first)
    line = found["lines"][0]
    assert any(o["kind"] == "header" for o in line["holds"]), line
    assert "aligned_alloc(64, ...) and sizes that are multiples of 64" in line["advice"], line["advice"]
    assert "header of" not in line["advice"] and "--what-if 'heap 8 bytes by work" in line["advice"], line["advice"]
    together = c2c(numachine, "--what-if", place, "--unit=objects", directory)
    tried = json.loads(mend(numachine, "--format=json", "--runs=6", directory))
    names = {name for c in tried["candidates"] for name in c["objects"]}
    assert place in names and not any("header" in name or name.startswith("0x") for name in names), names
    assert f"the whole of {place}" in {c["what"] for c in tried["candidates"]}, tried["candidates"]
    assert tried["best_layout"] and tried["best_layout"]["gain"] > 20, (tried["best_layout"], together)


def check_new(numachine, directory):
    """Blocks of C++'s new begin lines otherwise."""
    compiler = "mips-linux-gnu-g++"
    if not shutil.which(compiler):
        return
    source = re.sub(r"malloc\(8\)", "new char[8]", re.sub(r"free\((.*?)\);", r"delete[] (char *)\1;", HEADERS))
    kept_program(numachine, source, directory, compiler, "c++")
    advice = json.loads(c2c(numachine, "--format=json", directory))["lines"][0]["advice"]
    assert "with alignas(64) on their type or new (std::align_val_t(64)) and sizes that are multiples" in advice, advice


# Every thread adds to every element, atomically; an element is found by a hash.
COMMON = """\
#include <pthread.h>
#include <stdlib.h>

static unsigned *counts;
static pthread_barrier_t all_here;

static void *work(void *seed)
{
    unsigned x = (unsigned)(unsigned long)seed;
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < 2000; i++) {
        x = x * 1664525 + 1013904223;
        __atomic_fetch_add(&counts[x >> 28], 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[4];
    pthread_barrier_init(&all_here, NULL, 4);
    counts = aligned_alloc(64, 64);
    for (long i = 0; i < 16; i++)
        counts[i] = 0;
    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""


def check_common(numachine, directory):
    """Elements that all threads write: there are no parts to keep apart, and a layout mends only what is shared falsely."""
    kept_program(numachine, COMMON, directory)
    line = json.loads(c2c(numachine, "--format=json", directory))["lines"][0]
    assert line["verdict"] == "mixed", line
    said = re.search(r"write most of its elements.*shared falsely \((\d+) of (\d+) PCycles\).*a count for each thread", line["advice"])
    assert said and [int(n) for n in said.groups()] == [line["falsely"], line["falsely"] + line["truly"]], line["advice"]
    assert "apart" not in line["advice"], line["advice"]


# Threads count until an alarm: a better layout makes them count more, in the same time.
TIMED = """\
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile int stop;
static volatile unsigned done[4];

static void ring(int number)
{
    stop = number;
}

static void *work(void *own)
{
    while (!stop)
        ++*(volatile unsigned *)own;
    return NULL;
}

int main(void)
{
    pthread_t thread[4];
    signal(SIGALRM, ring);
    ualarm(2000, 0);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, (void *)&done[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
"""
OTHER_WORK = "executed other numbers of instructions than the program as it is, up to "


def check_timed(numachine, directory):
    """Of a program whose end is set by an alarm, time does not measure what a layout gains: that is said."""
    kept_program(numachine, TIMED, directory)
    text = mend(numachine, "--runs=2", directory)
    assert re.search(f"^# note: [12] runs? {OTHER_WORK}[\\d.]+ % more: if its end is set by an alarm", text, re.M), text
    assert any(t["other_work"] for t in json.loads((directory / "mend.json").read_text())["trials"]), text


def check_counter(numachine, directory):
    """A line of one word: it is not falsely shared (but where the store between two loads did not come about), and its
    store-conditionals fail."""
    found = json.loads(c2c(numachine, "--format=json", directory))
    only = next(o for o in found["objects"] if o["object"] == "only")
    assert only["truly"] > 0 and 1000 * only["falsely"] <= figures.by_compiler(0, only["truly"]), only
    text = c2c(numachine, directory)
    assert "  only.n\n" in text and f"numachine locks {directory}" in text and "a copy for each" not in text, text
    assert "(1 part)" in c2c(numachine, "--what-if", "only.n", directory)


def check_own(numachine, directory):
    """A variable of one thread has that thread's name, and its own."""
    line = json.loads(c2c(numachine, "--format=json", directory))["lines"][0]
    assert re.fullmatch(r"TLS of thread \d+: own", line["holds"][0]["object"]) and line["verdict"] == "true", line


def check_turns(numachine, directory):
    """Both threads use both words: nothing is a thread's own."""
    line = json.loads(c2c(numachine, "--format=json", directory))["lines"][0]
    assert line["holds"][0]["object"] == "swapped" and line["verdict"] == "false", line
    assert "use the same bytes of it, but not at the same time" in line["advice"], line["advice"]


def check_measured(numachine, directory):
    """What mend has left is told as it is: what gained enough, alone or with pages, and otherwise that nothing did."""
    layout, moved = "each element of swapped", "all pages in 1 range at the stations that ask for them"
    apart = "with each element of swapped on lines of its own"
    whole = directory.with_suffix(".measured")
    shutil.copytree(directory, whole)
    ticks = json.loads((whole / "manifest.json").read_text())["end"]["ticks"]
    for gains, best, best_layout, shared, pages in (
            ({(1,): 5.04}, (1,), (1,), f"{apart} the run would take 5.0 % less (measured)", "moving them was not tried"),
            ({(1,): 0.12, (2,): 0.5}, None, None, "of 1 run with other layouts none gained enough, the best 0.1 % (measured)",
             f"with {moved} the run would take 0.5 % less (measured)"),
            ({(1,): -1.5, (2,): -3.0}, None, None, "of 1 run with other layouts none took less (measured)",
             "moving them gained nothing (measured)"),
            ({(2,): 3.0}, (2,), None, "no other layout was tried", f"with {moved} the run would take 3.0 % less (measured)"),
            ({(1,): 0.12, (2,): 0.5, (1, 2): 8.7}, (1, 2), None,
             "of 1 run with other layouts none gained enough, the best 0.1 % (measured); "
             f"{apart}, and {moved} the run would take 8.7 % less (measured)",
             f"{apart}, and {moved} the run would take 8.7 % less (measured)")):
        trials = [{"candidates": list(numbers), "gain": gain} for numbers, gain in gains.items()]
        by = {tuple(trial["candidates"]): trial for trial in trials}
        (whole / "mend.json").write_text(json.dumps({
            "before": ticks, "trials": trials, "best": by.get(best), "best_layout": by.get(best_layout),
            "candidates": [{"unit": "elements", "what": layout}, {"unit": None, "what": moved}]}))
        said = c2c(numachine, whole).splitlines()[0]
        assert f"(c2c_guest.c:89); {shared}." in said and (" could" not in said or f" could; {pages}." in said), (gains, said)


def check_overlap(numachine, directory):
    """Where requests go side by side, they cost no more than the stalls for them; where they do not, each costs all its time."""
    runs = {directory: ".armel" in directory.name}
    if not runs[directory]:
        beside = directory.with_suffix(".beside")
        program = shutil.copy(directory / "guest.elf", beside.with_suffix(".elf"))
        subprocess.run([numachine, "stat", "-q", "--truth", "-m", "r10000", "-o", beside, "--", program, "turns"], check=True,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        runs[beside] = True
    for run, several in runs.items():
        truth, profile = (json.loads((run / name).read_text()) for name in ("truth.json", "profile.json"))
        asked = sum(value for row in truth["rows"] for column, value in zip(row[9::2], row[10::2])
                    if truth["columns"][column][0].endswith("_time"))
        stalled = sum(value for row in profile["rows"] for column, value in zip(row[4::2], row[5::2])
                      if profile["columns"][column][0] in ("stall_l2", "stall_mp"))
        found, text = json.loads(c2c(numachine, "--format=json", run)), c2c(numachine, run)
        counted = sum(row["pcycles"] for row in found["requests"])
        assert (asked > stalled) == several == ("# requests went side by side" in text), (run, asked, stalled)
        assert min(asked, stalled) - len(found["requests"]) <= counted <= min(asked, stalled) and found["rest"]["pcycles"] > 0, (run, counted, asked, stalled)
        assert counted + found["rest"]["pcycles"] == found["pcycles"], (run, found["rest"])


def check_phases(numachine, directory):
    """Of a line that was shared falsely first and truly later, both are said, each with its time."""
    line = json.loads(c2c(numachine, "--format=json", directory))["lines"][0]
    kinds = [w["kind"] for w in line["windows"] if w["falsely"] + w["truly"] > (line["falsely"] + line["truly"]) // 16]
    assert line["holds"][0]["object"] == "swapped" and kinds == ["false", "true"], line
    rows = re.findall(r"^ +(\d+) to +(\d+) +(-?\d+) +(-?\d+)  (false|true)$", c2c(numachine, "--lines=1", directory), re.M)
    assert {row[-1] for row in rows} == {"false", "true"}, rows


def check_mutex(numachine, directory):
    line = json.loads(c2c(numachine, "--format=json", directory))["lines"][0]
    assert line["holds"][0]["object"] == "guard", line
    assert f"numachine locks {directory}" in line["advice"] and "a copy for each" not in line["advice"], line["advice"]


def check_dash(numachine, directory):
    """A directory whose name is like an option's is named so that a command takes it."""
    dashed = shutil.copytree(directory, directory.with_name("-dash.run"))
    found = subprocess.run([numachine, "c2c", "--", dashed.name], cwd=dashed.parent, check=True, capture_output=True, text=True).stdout
    for command in "locks", "mend":
        words = re.search(rf"numachine {command} (\S*dash\.run)", found)
        assert words and subprocess.run([numachine, command, "--help" if command == "mend" else "--sort=held", words[1]], cwd=dashed.parent,
                                        check=False, capture_output=True).returncode == 0, (command, found)


def check_colours(numachine, directory):
    """Parts do not lie where, in a direct-mapped cache, they would take turns with what their threads use all the time."""
    found = json.loads(c2c(numachine, "--format=json", directory))
    line = next(line for line in found["lines"] if line["holds"][0]["object"] == "tallies")["va"]
    parts = ", ".join(f"{line + 4 * i:#x}-{line + 4 * i + 4:#x}" for i in range(8))
    again = directory.with_suffix(".again")
    subprocess.run([numachine, "run", directory / "config.resolved.yaml", "-q", "-o", again, "-s", f"apart=[{parts}]",
                    "-s", "run.truth=false"], check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    in_turn = int(re.search(r"^machine\.elapsed\s+(\d+)", (again / "stats.txt").read_text(), re.M)[1])
    tried = json.loads(c2c(numachine, "--format=json", "--what-if=tallies", "--unit=elements", directory))
    assert tried["after"] < 0.97 * in_turn, (tried, in_turn)


def mend(numachine, *words, status=0):
    done = subprocess.run([str(w) for w in (numachine, "mend", *words)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=600, check=False)
    assert done.returncode == status, f"status {done.returncode}: {words}: {done.stderr}"
    assert not re.search(r"[ \t]$", done.stdout, re.M), [line for line in done.stdout.splitlines() if line != line.rstrip()]
    return done.stderr if status else done.stdout


def check_source(text):
    """A line of the source is said once, though several objects are declared there; and a sentence that ends in : has more."""
    for best in text.split("\nbest")[1:]:
        declared = re.findall(r"^\w+\.cc?:\d+: .*$", best, re.M)
        assert len(set(declared)) == len(declared), best
        assert not re.search(r"^\+.*:\n(?!\+)", best, re.M), best
        assert not re.search(r"^\+   aligned:.* (\S+) \1( |$)| to $", best, re.M), best


def check_numbers(text, candidates):
    """Each candidate is in the first table, whether it was tried alone or not: the sets below have their numbers."""
    alone, together = text.split("together\n")
    rows = re.findall(r"^ +(-|-?[\d.]+ %) +(-|\d+)  (\d+) +\S", alone, re.M)
    assert sorted(int(number) for _, _, number in rows) == list(range(1, candidates + 1)), text
    untried = sum(gain == "-" for gain, _, _ in rows)
    assert f"; {untried} candidates were not tried alone\n" in alone and re.search(r"^ .*  \d+ \+ \d+", together, re.M), text


def check_access(numachine, directory):
    """What no run has tried is not promised. Of locks, a pointer and a block, the best is a set of several, and others harm
    beside some; it is one that was tried, within the budget, and does not hang on how many run at a time."""
    said = c2c(numachine, directory).splitlines()[0]
    assert f"numachine mend {directory} measures" in said and "(measured)" not in said, said
    found = json.loads(mend(numachine, "--format=json", directory))
    best, trials = found["best_layout"], found["trials"]
    alone = [t for t in trials if len(t["candidates"]) == 1]
    assert best in trials and len(best["candidates"]) > 1 and best["gain"] > 30, best
    assert len(trials) <= found["runs"] == 30 and trials == sorted(trials, key=lambda t: -t["gain"]), trials
    assert all(t["gain"] < best["gain"] - 2 for t in alone), (best, alone)
    harm = [(one, more) for one in trials for more in trials
            if {*one["candidates"]} < {*more["candidates"]} and more["gain"] < one["gain"]]
    assert harm, "here a change that is added can harm"
    assert all(t["compares"] and t["same_output"] for t in trials), trials
    source = "".join(c["source"] for c in found["candidates"] if c["number"] in best["candidates"])
    assert "c2c_guest.c:" in source and "counts;\ncounts[], heap 64" in source, source
    assert re.search(r"atomic_uint locks\[4\];\n\+ (__attribute__\(\(aligned\(64\)\)\) on it,|struct { TYPE v; } )", source), source
    said = c2c(numachine, directory).splitlines()[0]
    assert f" would take {best['gain']:.0f} % less (measured)." in said, said
    assert all(c["what"] in said for c in found["candidates"] if c["number"] in best["candidates"]), said
    for what in "each element of locks", "pages by memory.placement first_touch":  # each lock by itself, and pages
        assert any(c["what"].startswith(what) for c in found["candidates"]), (what, found["candidates"])
    text = mend(numachine, directory)
    check_source(text)
    assert OTHER_WORK not in text, text  # a fixed amount of it
    few = mend(numachine, "--runs=4", "-j1", directory)
    assert few == mend(numachine, "--runs=4", "-j4", directory) and "4 runs of 4" in few, few
    check_numbers(few, len(found["candidates"]))
    table = mend(numachine, "--runs=4", "--format=csv", directory).splitlines()
    assert table[0] == "candidates,gain_percent,pcycles,same_output,best,what" and len(table) == 5, table


def check_nothing(numachine, directory):
    found = json.loads(mend(numachine, "--format=json", directory))
    assert found["best_layout"] is None and not any(c["objects"] for c in found["candidates"]), found
    assert json.loads((directory / "mend.json").read_text()) == found
    program = shutil.copy(directory / "guest.elf", directory.with_suffix(""))  # its name says for what
    machine = simulator.MACHINES.get(simulator.abi_of(program), [])
    subprocess.run([numachine, "stat", "-q", "--force", *machine, "-o", directory, "--", program], check=True,
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    assert not (directory / "mend.json").exists(), "it is of another run"


def check_repeats(numachine, directory):
    """A program that does not take its time again, as without its standard input, has nothing measured."""
    copy = shutil.copytree(directory, directory.with_suffix(".other"))
    before = json.loads(mend(numachine, "--format=json", "--runs=1", directory))["before"]
    manifest = (copy / "manifest.json").read_text()
    (copy / "manifest.json").write_text(re.sub(r'("\w+": )%d\b' % before, r"\g<1>%d" % (before + 1000), manifest))
    simulator.listed_again(copy, "guest.stdout")
    assert f"took {before + 1000} PCycles, and {before} now: no comparison" in mend(numachine, copy, status=1)


def check_none(numachine, directory):
    text = c2c(numachine, directory)
    assert "(nothing was shared)" in text and "1 shared lines" not in text, text


def check_time(numachine, directory):
    """Percentages are of threads that did not sleep; the first one has waited for the others."""
    profile = json.loads((directory / "profile.json").read_text())
    column = [name for name, *_ in profile["columns"]]
    states, off = column[:column.index("slip_fp") + 1], ["waiting", "asleep", "idle"]
    total = sum(value * ((column[c] in states) - (column[c] in off))
                for row in profile["rows"] for c, value in zip(row[4::2], row[5::2]))
    found = json.loads(c2c(numachine, "--format=json", directory))
    assert found["pcycles"] == total, (found["pcycles"], total)


def main():
    numachine, guests = pathlib.Path(sys.argv[1]).resolve(), [name for name in sys.argv[2:] if name != "all"]
    checks = {"blocks": [check_blocks, check_commands, check_barrier, check_time], "counter": [check_counter, check_mistakes], "turns": [check_turns, check_limit, check_measured, check_overlap], "phases": [check_phases], "own": [check_own],
              "mutex": [check_mutex, check_dash], "access": [check_access, check_repeats], "colours": [check_colours], "none": [check_none, check_nothing]}
    with tempfile.TemporaryDirectory() as scratch:
        for guest in guests:
            some = [kind for kind in checks if kind not in MEASURED] if "all" in sys.argv else ["counter", "turns"]
            for kind in checks if guest == guests[0] else some:
                directory = kept(numachine, guest, kind, pathlib.Path(scratch))
                for check in checks[kind]:
                    check(numachine, directory)
        check_unfinished(numachine, pathlib.Path(scratch, "stuck"))
        check_written(numachine, pathlib.Path(scratch, "written.run"))
        check_sides(numachine, pathlib.Path(scratch, "sides.run"))
        check_aside(numachine, pathlib.Path(scratch, "aside.run"))
        check_freed(numachine, pathlib.Path(scratch, "freed.run"))
        check_headers(numachine, pathlib.Path(scratch, "headers.run"))
        check_new(numachine, pathlib.Path(scratch, "new.run"))
        check_common(numachine, pathlib.Path(scratch, "common.run"))
        check_timed(numachine, pathlib.Path(scratch, "timed.run"))
    print(f"{len(guests)} programs")


if __name__ == "__main__":
    main()
