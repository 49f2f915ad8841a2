#!/usr/bin/env -S python3 -S
"""
numachine locks: of threads that wait for each other in known ways, the numbers that the program knows itself; what
the log says, worked out once more in a slow way; and what cannot be read is refused with one line and status 2.

    locks.py NUMACHINE GUEST... ATOMICS_GUEST... [all]

Without `all`, guests behind the first have loops only, and those for armel only the locks that programs make
themselves: what that core tells of its loops.
"""
import collections
import csv
import io
import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import simulator

THREADS, TURNS, ROUNDS, LATE = 4, 25, 10, 3  # as tests/locks_guest.c has them
WAYS = "mutex", "alone", "spinlock", "rwlock", "barrier", "futex", "condition", "semaphore", "loop", "byhand", \
    "parts"
LOOPS = "spinlock", "loop", "byhand"  # of these the compiler decides what they are
MADE = "tas", "look-try", "try-look", "fetch-or", "compare", "pause", "assembly", "number"
MOST = {"longest", "held_longest", "handover_longest"}  # greatest, not sums
GUEST = pathlib.Path(__file__).with_name("locks_guest.c")
FIRST = 1000  # the first thread's number
READ = 100  # [PCycles] at most, from a look at the clock to the call's edge, a miss of the counter's line included


def machine_of(guest):
    own = simulator.MACHINES.get(simulator.abi_of(guest), [])
    return ["-m", "station-4", *own, *(["--set", "arm11.user_counters=true"] if own else [])]


class Run:
    """A run of the guest: what it printed, what numachine locks says, and the file itself."""

    def __init__(self, numachine, guest, way, directory):
        self.numachine, self.directory, self.name = numachine, directory, f"{pathlib.Path(guest).name} {way}"
        done = subprocess.run([numachine, "stat", "-q", *machine_of(guest), "--profile", "-o", directory, "--", guest, way],
                              check=True, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
        lines = [line.split() for line in done.stdout.splitlines()]
        self.known = {name: int(number) for name, number in (line for line in lines if len(line) == 2)}
        self.shown = json.loads(self.ask("--format=json").stdout)
        self.file = json.loads((directory / "locks.json").read_text())
        whole = json.loads((directory / "stats.json").read_text())["snapshots"][0]["stats"]["machine"]
        self.slept = {name: whole[f"truth.{name}"] for name in ("waiting", "asleep")}
        self.elapsed = self.shown["elapsed"]

    def ask(self, *words):
        return subprocess.run([self.numachine, "locks", self.directory, *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=600, check=False)

    def lock(self, kind, name):
        found = [lock for lock in self.shown["locks"] if lock["kind"] == kind and lock["lock"] == name]
        assert len(found) == 1, (self.name, kind, name, found)
        return found[0]

    def expect(self, what, got, least, most=None):
        most = least if most is None else most
        assert least <= got <= most, f"{self.name}: {what} is {got}, not in [{least}, {most}]"


# ---- what the program knows ------------------------------------------------------------------------------------------

def expect_mutex(run):
    lock = run.lock("mutex", "shared")
    run.expect("taken", lock["taken"], THREADS * TURNS)
    run.expect("holds", lock["holds"], THREADS * TURNS)
    run.expect("held", lock["held"], run.known["held"], run.known["held"] + READ * lock["holds"])
    run.expect("contended", lock["contended"], 1, THREADS * TURNS)


def expect_alone(run):
    locks = [lock for lock in run.shown["locks"] if lock["kind"] == "mutex" and lock["lock"].startswith("own")]
    run.expect("locks", len(locks), THREADS)
    for lock in locks:
        run.expect("taken", lock["taken"], TURNS)
        run.expect("waiting", lock["waited"] + lock["contended"], 0)
    holds = sum(lock["held"] for lock in locks)
    run.expect("held", holds, run.known["held"], run.known["held"] + READ * THREADS * TURNS)


def expect_spinlock(run):
    lock = run.lock("spinlock", "spinning")
    run.expect("taken", lock["taken"], THREADS * TURNS)
    run.expect("held", lock["held"], run.known["held"], run.known["held"] + READ * lock["holds"])
    run.expect("asleep", lock["asleep"], 0)
    run.expect("spun", lock["spun"], lock["waited"])


def expect_rwlock(run):
    lock = run.lock("rwlock", "book")
    run.expect("taken", lock["taken"], THREADS * TURNS)
    run.expect("holds", lock["holds"], THREADS * TURNS)


def expect_barrier(run):
    """The same thread is always the last: it never waits, and the others always do, for it."""
    lock = run.lock("barrier", "meeting")
    run.expect("taken", lock["taken"], THREADS * ROUNDS)
    run.expect("contended", lock["contended"], (THREADS - 1) * ROUNDS)
    run.expect("waiting threads", lock["waiters"], THREADS - 1)
    waits = [wait for wait in run.file["waits"] if run.file["sites"][wait[2]][0] == index_of(run, lock)]
    waits = [wait for wait in waits if not is_call(wait)]
    last = {wait[1] for wait in waits}
    run.expect("threads that are last", len(last), 1)
    assert last.isdisjoint({wait[0] for wait in waits}), run.name
    run.expect("fairness", lock["fairness"], 0.99, 1)
    run.expect("bound", lock["bound"], 1, run.elapsed // 20)  # the last of the threads has nearly all the work


def expect_futex(run):
    lock = run.lock("futex", "word")
    run.expect("woken", lock["contended"], run.known["woken"])
    run.expect("ended by another", lock["handovers"], run.known["woken"])
    run.expect("on a card", lock["spun"], 0)


def expect_condition(run):
    lock = run.lock("condition", "more")
    run.expect("waits", lock["taken"], run.known["slept"])
    run.expect("calls", lock["calls"], run.known["slept"] + run.known["signals"])
    guard = run.lock("mutex", "guard")  # each turn, and once more after each wait
    run.expect("mutex taken", guard["taken"], 2 * (THREADS - 1) * TURNS + run.known["slept"])
    run.expect("mutex held", guard["holds"], guard["taken"])


def expect_semaphore(run):
    lock = run.lock("semaphore", "places")
    run.expect("taken", lock["taken"], (THREADS - 1) * TURNS)
    run.expect("calls", lock["calls"], 2 * (THREADS - 1) * TURNS)


def expect_loop(run):
    """From the first look to the way out: all but what comes before and behind, and the last look, a miss, if the
    compiler has put the way out into the loop's middle."""
    lock = run.lock("spin", "flag")
    run.expect("spun", lock["spun"], run.known["spun"] - 6 * READ * (THREADS - 1), run.known["spun"])
    run.expect("waits", lock["contended"], THREADS - 1)
    run.expect("ended by another", lock["handovers"], THREADS - 1)
    run.expect("waits of other loops", sum(lock["contended"] for lock in run.shown["locks"] if lock["kind"] == "spin"),
               THREADS - 1)


def expect_byhand(run):
    lock = run.lock("spin", "taken")
    run.expect("waits", lock["contended"], 1, THREADS * TURNS * 4)
    run.expect("asleep", lock["asleep"], 0)
    assert lock["handovers"] > 0, run.name


def expect_parts(run):
    """Locks are called what the program calls them: members, elements, a block of the heap, a stack's."""
    held = {lock["lock"]: lock["taken"] for lock in run.shown["locks"] if lock["kind"] == "mutex"}
    for name in ("bank.door", "bank.account[2].lock", "vault->lock"):
        run.expect(name, held.get(name, 0), THREADS * TURNS)
    assert any(name.startswith("stack of thread 1000 +0x") and n == THREADS * TURNS for name, n in held.items()), held
    assert run.shown["locks"] == json.loads(run.ask("--format=json").stdout)["locks"]
    one = json.loads(run.ask("--format=json", "--lock=bank.account[2].lock").stdout)["locks"]
    assert [lock["lock"] for lock in one] == ["bank.account[2].lock"], one


def expect_made(run):
    """All but what the thread that had the lock at once took, or comes before the first look and behind the last."""
    spins = [lock for lock in run.shown["locks"] if lock["kind"] == "spin" and lock["lock"].startswith("own_lock")]
    run.expect("locks", len(spins), 1)
    run.expect("spun", spins[0]["spun"], run.known["spun"] * 9 // 10, run.known["spun"])
    run.expect("asleep", spins[0]["asleep"] + spins[0]["late"], 0)


def check_endless(numachine, guest, directory):
    """
    A loop that nobody ends lasts until the run does, which is long after the C library has started the threads. What the
    run would have been without it, nobody knows; and it does not end with a thread in such a loop if another one sleeps.
    """
    for way in "endless", "roused":
        check_cut(numachine, guest, directory / way, way)
    shown, _ = cut(numachine, guest, directory / "outgrown", "outgrown", "2ms")
    waited = sum(lock["waited"] for lock in shown["locks"] if lock["kind"] == "spin")
    assert waited < shown["elapsed"] // 4, (guest, waited, shown["elapsed"])


def cut(numachine, guest, directory, way, limit="4ms"):
    """A run that is cut off: what is shown of it, and its file."""
    subprocess.run([numachine, "stat", "-q", *machine_of(guest), "--profile", f"--limit={limit}", "-o", directory, "--", guest,
                    way], check=False, capture_output=True, timeout=600, stdin=subprocess.DEVNULL)
    shown = json.loads(subprocess.run([numachine, "locks", "--format=json", directory], check=True, capture_output=True,
                                      text=True, timeout=600, stdin=subprocess.DEVNULL).stdout)
    return shown, json.loads((directory / "locks.json").read_text())


def check_cut(numachine, guest, directory, way):
    shown, file = cut(numachine, guest, directory, way)
    spins = {lock["lock"]: lock for lock in shown["locks"] if lock["kind"] == "spin"}
    born = sum(shown["elapsed"] - thread[2] for thread in file["threads"][1:])
    assert list(spins) == ["own_lock.word"] and spins["own_lock.word"]["waiters"] == THREADS - 1, spins
    assert born / 4 < spins["own_lock.word"]["waited"] <= born, (spins, born)
    assert spins["own_lock.word"]["bound"] == 0 and (way == "endless" or file["last"] == FIRST), (way, spins, file["last"])


# ---- what the log says, once more ------------------------------------------------------------------------------------

def is_call(wait):
    """Whether it did not have to wait: nobody ended that, or he was done for before."""
    return wait[1] is None or wait[6] < wait[5]


def index_of(run, lock):
    kind = run.file["kinds"].index(lock["kind"])
    address = int(lock["address"], 16) if lock["address"] else None
    return next(i for i, l in enumerate(run.file["locks"])
                if l[0] == kind and (l[1] is None and address is None or
                                     l[1] is not None and l[1] % 2**64 == address))


def columns_of(run, site):
    names = [column[0] for column in run.file["columns"]]
    return {names[c]: v for c, v in zip(site[3::2], site[4::2])}


def check_sums(run):
    """Waits are what the places have; places what the locks have; sleep is what the cards have."""
    waited, rested = collections.Counter(), collections.Counter()
    for wait in run.file["waits"]:
        waited[wait[2]] += 0 if is_call(wait) else wait[7] - wait[5]
    assert run.file["missed"] == 0
    sums = collections.defaultdict(collections.Counter)
    sleep = run.file["kinds"].index("sleep")
    for i, site in enumerate(run.file["sites"]):
        columns = columns_of(run, site)
        run.expect(f"waiting at {site[:3]}", columns.get("waited", 0), waited[i])
        run.expect(f"its parts at {site[:3]}", sum(columns.get(c, 0) for c in ("asleep", "late", "spun")), waited[i])
        rested["asleep" if run.file["locks"][site[0]][0] == sleep else "waiting"] += columns.get("rested", 0)
        for name, value in columns.items():
            lock = sums[site[0]]
            lock[name] = max(lock[name], value) if name in MOST else lock[name] + value
    for lock in run.shown["locks"]:
        for name, value in sums[index_of(run, lock)].items():
            run.expect(f"{name} of {lock['lock']}", lock[name], value)
    assert all(run.slept[name] == rested[name] for name in run.slept), (run.name, run.slept, rested)


def slow_path(run):
    """The critical path, by looking through all waits at each step. Yields (thread, from, to), backwards."""
    threads = {thread[0]: thread for thread in run.file["threads"]}
    at, thread, before = run.elapsed, run.file["last"], len(run.file["waits"])
    while thread and at:
        found = [i for i, wait in enumerate(run.file["waits"])
                 if wait[0] == thread and wait[7] <= at and i < before and not is_call(wait)]
        if not found:
            yield thread, threads[thread][2], at
            at, thread = threads[thread][2], threads[thread][1]
            continue
        before = found[-1]
        wait = run.file["waits"][before]
        yield thread, wait[7], at
        yield thread, wait[6] if wait[1] else wait[5], wait[7]
        at, thread = (wait[6], wait[1]) if wait[1] else (wait[5], thread)


def check_path(run):
    path = run.shown["path"]
    assert path[0]["from"] == 0 and path[-1]["to"] == run.elapsed, run.name
    assert all(a["to"] == b["from"] for a, b in zip(path, path[1:])), run.name
    run.expect("the path", sum(part["to"] - part["from"] for part in path), run.elapsed)
    slow, fast = collections.Counter(), collections.Counter()
    for thread, begin, end in slow_path(run):
        slow[thread] += end - begin
    for part in path:
        fast[part["thread"]] += part["to"] - part["from"]
    assert slow == fast, (run.name, slow, fast)


def slow_bound(run, gone):
    """The end without a lock's waits and calls: every wait is looked at again and again, until nothing moves any more."""
    waits, threads = run.file["waits"], {thread[0]: thread for thread in run.file["threads"]}
    ends = [wait[7] for wait in waits]  # as they are now

    def moved(thread, at, before):
        """Where a moment of a thread is now."""
        mine = [i for i, wait in enumerate(waits) if wait[0] == thread and wait[7] <= at and i < before]
        if mine:
            return ends[mine[-1]] + at - waits[mine[-1]][7]
        _, by, born, _ = threads[thread]
        return (moved(by, born, len(waits)) if by else born) + at - born

    changed = True
    while changed:
        changed = False
        for i, wait in enumerate(waits):
            begin = moved(wait[0], wait[5], i)
            if run.file["sites"][wait[2]][0] == gone:
                end = begin
            elif not wait[1]:
                end = begin + wait[7] - wait[5]
            elif is_call(wait):
                end = max(begin, moved(wait[1], wait[6], len(waits))) + wait[7] - wait[5]
            else:
                end = max(begin, moved(wait[1], wait[6], len(waits)) + wait[7] - wait[6])
            changed |= end != ends[i]
            ends[i] = end
    return run.elapsed - moved(run.file["last"], run.elapsed, len(waits))


def check_bounds(run):
    waited = [lock for lock in run.shown["locks"] if lock["waited"]]
    called = [lock for lock in run.shown["locks"] if lock["calls"] and not lock["waited"]]
    for lock in waited[:2] + called[:1]:
        run.expect(f"the bound of {lock['lock']}", lock["bound"], slow_bound(run, index_of(run, lock)))
    for lock in run.shown["locks"]:
        run.expect(f"the bound of {lock['lock']}", lock["bound"], 0, run.elapsed)


def check_same(run, guest, scratch):
    """Another run gives the same bytes; one without a profile takes as long, to the PCycle."""
    again = Run(run.numachine, guest, "mutex", scratch / f"{guest.name}-again")
    assert (again.directory / "locks.json").read_bytes() == (run.directory / "locks.json").read_bytes(), run.name
    plain = scratch / f"{guest.name}-plain"
    subprocess.run([run.numachine, "stat", "-q", *machine_of(guest), "-o", plain, "--", guest, "mutex"], check=True,
                   capture_output=True, timeout=600, stdin=subprocess.DEVNULL)
    hashes = [re.search(r'"result_hash": "(\S+)"', (d / "manifest.json").read_text())[1] for d in (plain, run.directory)]
    assert hashes[0] == hashes[1], run.name


def check_formats(run):
    rows = list(csv.DictReader(io.StringIO(run.ask("--format=csv").stdout)))
    assert [row["lock"] for row in rows] == [lock["lock"] for lock in run.shown["locks"]]
    assert [int(row["bound"]) for row in rows] == [lock["bound"] for lock in run.shown["locks"]]
    text = run.ask().stdout
    assert f"# elapsed: {run.elapsed} PCycles\n" in text
    assert f"# waiting of threads: {sum(lock['waited'] for lock in run.shown['locks'])} PCycles\n" in text, text
    held = run.ask("--format=csv", "--sort=held").stdout.splitlines()
    column = held[0].split(",").index("held")
    order = [int(line.split(",")[column]) for line in held[1:]]
    assert order == sorted(order, reverse=True)


# ---- what is refused -------------------------------------------------------------------------------------------------

def refused(numachine, directory, sentence, *words):
    done = subprocess.run([numachine, "locks", directory, *words], capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 2 and not done.stdout and sentence in done.stderr, (done.returncode, done.stderr)
    assert done.stderr.count("\n") == 1 or "Try" in done.stderr, done.stderr


def waited_lines(run, name, *words):
    """The head's, of all waiting, and the lock's, with its share of that."""
    found = [line for line in run.ask(*words).stdout.splitlines()
             if re.match("# +(waiting of|asleep|waking up|running)", line) or line.endswith(f" barrier {name}")]
    assert len(found) == 5, found
    return found


def check_refusals(numachine, run, scratch):
    refused(numachine, scratch / "none", "No such file or directory")
    refused(numachine, run.directory / "manifest.json", "not a run's directory")
    refused(numachine, run.directory, "the run has no lock 'nothing'", "--lock=nothing")
    refused(numachine, run.directory, "no column 'wait'", "--sort=wait")
    refused(numachine, run.directory, "--format: no 'xml'", "--format=xml")
    whole = (run.directory / "locks.json").read_text()
    guest = (run.directory / "guest.elf").read_bytes()
    for name, file, text, sentence in (
            ("plain", "locks.json", None, "the run has kept no locks"),
            ("cut", "locks.json", whole[:len(whole) // 2], "locks.json: line "),
            ("other", "locks.json", "[]", "locks.json: not an object"),
            ("newer", "locks.json", whole.replace('"schema":1', '"schema":2'), "schema 2: only 1 can be read"),
            ("foreign", "guest.elf", guest[:-1] + b"\1", "not the program that ran")):
        copy = scratch / name
        shutil.copytree(run.directory, copy)
        (copy / file).unlink()
        if text is not None:
            (copy / file).write_bytes(text if isinstance(text, bytes) else text.encode())
        simulator.listed_again(copy, file)
        refused(numachine, copy, sentence)
    only = json.loads(run.ask("--format=json", "--lock=meeting").stdout)
    assert [lock["lock"] for lock in only["locks"]] == ["meeting"]
    assert waited_lines(run, "meeting", "--lock=meeting") == waited_lines(run, "meeting"), run.name
    last = "thread 1003 is nearly always the last"
    assert last in run.ask("--lock=meeting").stdout
    longer = scratch / "longer"  # a run of which the threads lived only a small part
    shutil.copytree(run.directory, longer)
    (longer / "locks.json").write_text(re.sub(r'"ticks":(\d+)', r'"ticks":\g<1>00', whole))
    simulator.listed_again(longer, "locks.json")
    assert last in subprocess.run([numachine, "locks", longer], capture_output=True, text=True, check=True).stdout


VAIN = """#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t empty, posted;
static struct timespec soon(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 50000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}
static void *work(void *p)
{
    struct timespec t;
    for (int i = 0; i < 4; i++) t = soon(), pthread_mutex_timedlock(&held, &t);
    for (int i = 0; i < 9; i++) pthread_mutex_trylock(&held);
    for (int i = 0; i < 5; i++) t = soon(), sem_timedwait(&empty, &t);
    for (int i = 0; i < 7; i++) sem_post(&posted);
    pthread_mutex_lock(&own);
    for (int i = 0; i < 3; i++) t = soon(), pthread_cond_timedwait(&condition, &own, &t);
    pthread_mutex_unlock(&own);
    return p;
}
int main(void)
{
    pthread_t t[2];
    sem_init(&empty, 0, 0);
    sem_init(&posted, 0, 0);
    pthread_mutex_lock(&held);
    pthread_create(&t[0], 0, work, 0);
    pthread_join(t[0], 0);
    pthread_create(&t[0], 0, work, 0);
    pthread_create(&t[1], 0, work, 0);
    usleep(2000);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
"""


def check_vain(numachine, directory):
    """Calls that waited in vain are calls, and posts are none; and a thread is called so also where nobody had to wait for it."""
    program = directory.with_suffix("")
    subprocess.run(["mips-linux-gnu-gcc", "-O2", "-g", "-static", "-pthread", "-x", "c", "-", "-o", program], input=VAIN, text=True, check=True)
    subprocess.run([numachine, "stat", "-q", "--profile", "-m", "ring-16", "-o", directory, "--", program], check=True, capture_output=True,
                   timeout=600)
    ask = functools.partial(subprocess.run, check=True, capture_output=True, text=True)
    text = ask([numachine, "locks", directory, "--sort=calls"]).stdout
    for lock, contended in ("mutex held", "92.3%"), ("semaphore empty", "100.0%"), ("semaphore posted", "-"), ("condition condition", "100.0%"):
        row = re.search(rf"^ +[\d.]+%(?: +\d+){{5}} +(\S+) .*  {lock}$", text, re.M)
        assert row and row[1] == contended, (lock, text)
    joins = re.findall(r"  join (.*)$", text, re.M)
    assert len(joins) >= 2 and all(re.fullmatch(r"thread \d+", join) for join in joins), text
    assert "  join thread 1003\n" in ask([numachine, "locks", directory, "--sort=calls", "--lock=thread 1003"]).stdout


def check_made(numachine, guest, scratch, made=None):
    for way in MADE if made is None else made:
        run = Run(numachine, guest, way, scratch / f"{guest.name}-{way}")
        expect_made(run)
        check_sums(run)
        check_path(run)


def check_ways(numachine, guest, scratch, ways):
    """@return its runs, by their ways"""
    runs = {way: Run(numachine, guest, way, scratch / f"{guest.name}-{way}") for way in ways}
    for way, run in runs.items():
        globals()["expect_" + way](run)
        check_sums(run)
        check_path(run)
        check_bounds(run)
    return runs


def check_some(numachine, guest, scratch):
    if simulator.abi_of(guest) == "armel":
        check_made(numachine, guest, scratch)
        return
    check_ways(numachine, guest, scratch, LOOPS)
    check_made(numachine, guest, scratch, MADE[1::2])


def check_whole(numachine, guest, scratch):
    """All of it. @return its runs"""
    runs = check_ways(numachine, guest, scratch, WAYS)
    check_made(numachine, guest, scratch)
    check_endless(numachine, guest, scratch / f"{guest.name}-endless")
    gain = runs["mutex"].elapsed - runs["alone"].elapsed
    runs["mutex"].expect("what it gains without the lock", gain, 1, runs["mutex"].lock("mutex", "shared")["bound"])
    check_formats(runs["barrier"])
    check_same(runs["mutex"], guest, scratch)
    return runs


def check_atomics(numachine, guest, scratch):
    """Loops of atomic operations wait for nobody, however many threads go round them."""
    for threads in 1, 8:
        directory = scratch / f"{pathlib.Path(guest).name}-{threads}"
        subprocess.run([numachine, "stat", "-q", *machine_of(guest), "--profile", "-o", directory, "--", guest, str(threads)],
                       check=True, capture_output=True, timeout=600, stdin=subprocess.DEVNULL)
        shown = json.loads(subprocess.run([numachine, "locks", "--format=json", directory], check=True, capture_output=True,
                                          text=True, timeout=600, stdin=subprocess.DEVNULL).stdout)
        spun = [lock["lock"] for lock in shown["locks"] if lock["kind"] == "spin" and lock["contended"]]
        assert not spun, (guest, threads, spun)


def main():
    numachine, *guests = (pathlib.Path(word).resolve() for word in sys.argv[1:] if word != "all")
    atomics = [guest for guest in guests if guest.stem == "atomics_guest"]
    guests = [guest for guest in guests if guest not in atomics]
    first = None
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        scratch, whole = pathlib.Path(scratch), "all" in sys.argv
        for guest in guests:
            if whole or guest == guests[0]:
                runs = check_whole(numachine, guest, scratch)
                first = first or runs
            else:
                check_some(numachine, guest, scratch)
        for guest in atomics:
            check_atomics(numachine, guest, scratch)
        check_refusals(numachine, first["barrier"], scratch)
        check_vain(numachine, scratch / "vain.run")
    print(f"ok: {len(WAYS)} ways, {len(MADE)} locks by hand")


main()
