#!/usr/bin/env -S python3 -S
"""
Guest programs on machines drawn by lot (lot.h): any legal machine ends every program, without a
complaint of the checking mode, and with the same result when windows are cut by sampling and it is found out why
each miss had to be. What c2c then prints adds up.

    drawn.py NUMACHINE LOT_PRINT FROM COUNT CARDS GUEST...

Machines FROM, FROM + 1, ... of at most CARDS processors; the number of a machine chooses its guest
too. Some have R4400s on some cards and R10000s or R12000s on others. Before them, if FROM is 1, machines on which
something once went wrong; every third of these has the second run, each if COUNT is 0. With --tiny all are of R10000s
or R12000s whose secondary caches have two to sixteen lines, one way, and a miss handling table of any length. A failure
is printed with the command that repeats it.
"""
import concurrent.futures
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

import c2c_sums
import simulator

MEMORY = 256 << 20  # bytes; guests need some
# What a guest is told: not always as many threads as processors.
ARGUMENTS = {"team": "7", "threads": "5"}
# A guest that takes so many times as long as the watchdog waits for one access does not end.
WATCHDOGS = 1000
SAMPLES = 2000
TIMEOUT = 600  # seconds of processor time; a hang of the simulator itself

# What makes a drawn machine one of ARM11s: caches that such a processor can have, whatever was drawn, and pages that
# segments of armel programs do not share.
ARM = ["processor.core=arm1176", "l2.split=false", "l1i.line=32B", "l1d.line=32B", "l1i.size=16KB", "l1d.size=16KB",
       "memory.page_size=4KB"]

# The lines of such a secondary cache, and what the card has instead of what was drawn.
TINY_LINES = [2, 4, 8, 16]
TINY_REPLACES = ("cards=", "l1i.", "l1d.", "l2.size=", "l2.line=", "l2.ways=", "l2.split=", "r10000.misses=", "run.watchdog=")

# (settings, guest, argument)
KNOWN = [
    # Requests of a station's cards always went before interventions of other stations.
    ("netcache.directory_time=30cy", "team.o32", "64"),
    ("rings.stations=3 rings.locals=1 netcache.size=4096B netcache.directory_time=200cy",
     "spin.o32", ""),
    # In a card's agent, refusals always went before interventions.
    ("netcache.size=1024B agent.response=33cy", "team.o32", "64"),
    # Windows ended after a credit given back could be noticed.
    ("rings.generator=10cy rings.nonsinkable_limit=1", "team.o32", "16"),
    ("rings.generator=64cy rings.nonsinkable_limit=2", "team.o32", "64"),
    # Requests and packets of one tick were taken in the order of their postings.
    ("netcache.size=65536B netcache.dram_time=1cy agent.response=6cy agent.retry=1cy", "queue.o32", ""),
    # A request overtook the answer of an intervention for its line.
    ("rings.locals=1 rings.clock=1000000Hz rings.handler=2cy netcache.banks=16 "
     "netcache.directory_time=1cy netcache.bank_recovery=237cy station.processors=1 "
     "bus.clock=1000000Hz bus.arbitration=23cy memory.placement=first_touch memory.banks=1 "
     "memory.directory_time=30cy memory.bank_recovery=1024cy processor.clock=1000000Hz l1i.line=16B "
     "l2.size=1024B l2.line=32B l2.lookup=1cy directory.patience=8 agent.request=8cy "
     "agent.response=1cy agent.create=1cy agent.register=64cy agent.external=64cy "
     "agent.retry_spread=2cy agent.link_failures=1 os.virtual_coherency=1cy os.syscall=85cy "
     "os.fault=3333cy os.wake=1cy os.quantum=1000cy os.tick=536870912cy",
     "mutex.o32", ""),
    # A slice ended before its first instruction, or between every LL and its SC.
    ("rings.stations=1 rings.clock=1000000Hz rings.width=64B rings.generator=1cy rings.up=1cy "
     "rings.output_fifo=256 rings.sinkable_queue=512 rings.input_fifo=2 rings.between_fifo=3 "
     "rings.nonsinkable_limit=2 rings.patience=65536cy netcache.size=1073741824B netcache.banks=4 "
     "netcache.dram_time=60cy netcache.bank_recovery=1024cy station.processors=1 bus.clock=1000000Hz "
     "bus.width=64B bus.arbitration=8cy bus.fifo=64 memory.page_size=65536B memory.size=2147483648B "
     "memory.local_station=1 memory.banks=1 memory.dram_time=302cy memory.bank_recovery=16cy "
     "processor.clock=1000000Hz l1i.size=65536B l1i.line=16B l1d.size=65536B l1d.writeback=64cy "
     "l2.size=1024B l2.line=128B l2.lookup=1cy directory.patience=4 agent.request=4cy "
     "agent.register=1cy agent.retry=512cy agent.retry_spread=4096cy tlb.refill=897218cy "
     "tlb.instruction_miss=64cy counters.interrupt=0cy os.fault=1cy os.wake=8192cy os.quantum=1023cy "
     "os.tick=0cy run.watchdog=120000000cy",
     "threads.o32", "5"),
    # The oldest request was the one refused most often: always one near the directory.
    ("rings.stations=16 netcache.size=256B bus.clock=1GHz processor.clock=4GHz "
     "memory.placement=first_touch agent.request=4cy agent.retry_spread=2cy os.syscall=27cy "
     "run.watchdog=120000000cy", "team.o32", "7"),
    # A clock interrupt came before the access its processor had waited for, every time.
    ("rings.stations=1 rings.locals=2 rings.groups=16 rings.width=64B rings.handler=64cy rings.up=64cy "
     "rings.down=64cy station.processors=1 bus.clock=1000000000Hz bus.width=4B bus.arbitration=15cy "
     "memory.placement=first_touch memory.banks=1 memory.directory_time=256cy memory.dram_time=358cy "
     "processor.clock=4000000000Hz l1i.line=16B l1d.size=256B l2.lookup=33cy agent.request=1cy "
     "agent.response=64cy tlb.refill=64cy tlb.instruction_miss=64cy os.syscall=1000000cy "
     "os.wake=901267cy os.tick=16384cy run.watchdog=480000000cy", "mutex.o32", ""),
    ("rings.stations=2 rings.locals=2 netcache.size=256B bus.clock=1GHz processor.clock=2GHz "
     "rings.clock=500MHz memory.placement=first_touch agent.retry=1cy agent.retry_spread=2cy "
     "netcache.directory_time=4cy l2.size=65536B os.syscall=1200cy run.watchdog=2000000000cy",
     "queue.o32", ""),
    # An R10000 kept primary lines that had been taken: a page had more lines than its cache sets.
    ('memory.page_size=65536B cards=[{"at":[0,2],"processor":{"core":r10000},"l1i":{"size":32768B},'
     '"l1d":{"size":32768B},"l2":{"split":false,"ways":2}}]', "queue.o32", ""),
    # Two younger misses of an R10000 handed the place that the oldest wanted, too, to each other.
    ("station.processors=1 r10000.resume=false r10000.fill=64cy l2.size=256B l2.line=64B l2.split=false "
     "processor.core=r10000 l1i.line=64B l1d.line=32B", "threads.o32", "5"),
    # An ARM11 forgot a load that the card could not be asked for, when a store behind it could.
    ("rings.locals=1 rings.clock=1000000Hz rings.generator=1cy rings.up=1cy rings.down=64cy rings.output_fifo=1024 "
     "rings.sinkable_queue=1024 rings.input_fifo=12 rings.nonsinkable_limit=19 rings.patience=1cy "
     "netcache.size=1073741824B netcache.banks=16 netcache.directory_time=1cy netcache.dram_time=1cy "
     "netcache.bank_recovery=12cy station.processors=1 bus.clock=1000000Hz bus.width=32B bus.fifo=1024 "
     "memory.size=1073741824B memory.placement=local memory.banks=1 memory.directory_time=6cy "
     "memory.bank_recovery=494cy processor.clock=1000000Hz l2.size=256B l2.line=128B l2.lookup=8cy "
     "l2.controller_aux=29417166 l2.controller_handover=0cy l2.refill=1cy protocol=flat directory.patience=726 "
     "agent.request=4cy agent.response=64cy agent.create=32cy agent.register=64cy agent.external=1cy "
     "agent.retry=4096cy agent.retry_spread=32cy agent.link_failures=36 tlb.instruction_miss=64cy "
     "counters.interrupt=0cy arm11.static=false arm11.return_stack=false arm11.branch_targets=1 "
     "arm11.mov_returns=false arm11.counter_read=64cy arm11.write_buffer=4 arm11.l2_beat=7cy arm11.fill=11cy "
     "arm11.microtlb=16 arm11.tlb_sets=1 arm11.microtlb_miss=0cy arm11.walk=0cy arm11.dmb_drains=true "
     "arm11.user_counters=true os.virtual_coherency=13527cy os.syscall=4096cy os.fault=1cy os.wake=1000000cy "
     "os.quantum=1048576cy os.tick=0cy os.tick_cost=2048cy run.watchdog=60000000cy processor.core=arm1176 "
     "l2.split=false l1i.line=32B l1d.line=32B l1i.size=16KB l1d.size=16KB",
     "team.armel", "7"),
    # Younger misses of an R10000 that put out each other's lines handed its table's places to each other, and the oldest
    # had none.
    ("rings.locals=1 rings.clock=1000000Hz rings.width=4B rings.generator=64cy rings.handler=2cy "
     "rings.sinkable_queue=1 rings.nonsinkable_limit=49 netcache.size=1073741824B netcache.banks=1 "
     "netcache.directory_time=1cy netcache.bank_recovery=1024cy station.processors=1 bus.clock=1000000Hz "
     "bus.width=4B bus.fifo=32 memory.page_size=8192B memory.placement=local memory.directory_time=256cy "
     "memory.dram_time=1024cy memory.bank_recovery=1024cy processor.clock=1000000Hz agent.external=64cy "
     "agent.retry_spread=4096cy agent.link_failures=1 r10000.active_list=16 r10000.branch_history=65536 "
     "r10000.resume=false r10000.l2_clock=6 r10000.l2_latency=64cy r10000.l2_way_penalty=64cy r10000.fill=64cy "
     "os.syscall=1cy os.fault=1000000cy os.tick=1500000cy processor.core=r12000 l2.split=false l2.line=64B l2.size=512B "
     "l1i.line=64B l1d.size=65536B r10000.misses=2", "mutex.o32", ""),
]

# The same, where the second run found what was wrong: it always has one.
KNOWN_BY_TRUTH = [
    # The truth took an R10000's exclusive load linked of a shared line for a miss: it is an upgrade.
    ("rings.stations=2 rings.locals=4 processor.core=r10000 l2.split=false l2.ways=2 l1i.line=64B l1i.size=32KB "
     "l1d.size=32KB l1d.line=32B os.tick=10000cy run.seed=4", "mutex.o32", ""),
    # Where a wake-up took less than an ERET, a card's sleep ended earlier than the one that the locks' books had.
    ("os.wake=1cy", "spin.o32", ""),
]


@dataclasses.dataclass
class Machine:
    name: str
    settings: list
    guest: str
    argument: str
    again: bool = True  # with windows cut and the truth of its misses


def known(guests):
    for number, (settings, name, argument) in enumerate(KNOWN + KNOWN_BY_TRUTH):
        for guest in guests:
            if os.path.basename(guest) == name:
                again = number % 3 == 0 or number >= len(KNOWN)
                yield Machine(f"known {number}", [*settings.split(), "run.check=true"], guest, argument, again)


def tiny(number, settings):
    """The settings of a machine of tiny caches, whichever was drawn. Its lines may be shorter than those for which the
    watchdog allows."""
    lines, line = TINY_LINES[number % 4], 64 << number // 4 % 2
    size = max(256, lines * line)
    watchdog = 4 * watchdog_of(settings)
    return [s for s in settings if not s.startswith(TINY_REPLACES)] + [
        f"processor.core=r1{number // 8 % 2 * 2}000", "l2.split=false", "l2.ways=1", f"l2.line={line}B", f"l2.size={size}B",
        "l1i.line=64B", "l1d.line=32B", "l1i.size=256B", "l1d.size=256B", f"r10000.misses={1 + number // 16 % 4}",
        f"run.watchdog={watchdog}cy"]


def drawn(lot_print, first, count, cards, guests, is_tiny):
    lines = subprocess.run([lot_print, str(first), str(count), str(cards), str(MEMORY)], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for line in lines:
        number, *settings = line.split()
        guest = guests[int(number) % len(guests)]
        if guest.endswith(".armel"):
            # A program has one instruction set, and a line of the secondary cache is no shorter than a primary one.
            settings = [s for s in settings if not s.startswith(("cards=", "l2.line=16B"))] + ARM
        if is_tiny:
            settings = tiny(int(number), settings)
        yield Machine(number, settings, guest, ARGUMENTS.get(pathlib.Path(guest).stem, ""))


def watchdog_of(settings):
    """[PCycles]"""
    values = dict(s.split("=", 1) for s in settings)
    return int(values.get("run.watchdog", "15000000cy").removesuffix("cy"))


def limit_of(settings):
    """PCycles within which a guest ends. The watchdog allows for the slowest access."""
    return WATCHDOGS * watchdog_of(settings)


def run(command, out):
    """(complaint or None, result hash, cycles)"""
    try:
        done = simulator.bounded(command, TIMEOUT, stdin=subprocess.DEVNULL, capture_output=True)
    except subprocess.TimeoutExpired:
        return f"no end after {TIMEOUT} s of processor time", None, None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        return f"status {done.returncode}: {said[0] if said else ''}", None, None
    return None, *simulator.end_of(out)


def check(numachine, number, machine, sampled):
    """What is wrong with a machine, or None. Windows are cut at an odd period."""
    options = [f"--limit={limit_of(machine.settings)}cy"]
    options += [word for s in machine.settings for word in ("--set", s)]
    program = ["--", machine.guest, *machine.argument.split()]
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        out = os.path.join(scratch, "out")
        stat = [numachine, "stat", "--quiet", "--force", "-o", out]
        complaint, result, ticks = run([*stat, *options, *program], out)
        if not complaint and sampled:
            period = max(77 + 2 * (number % 50), ticks // SAMPLES) | 1
            options += ["-e", "time", "--set", f"monitor.interval={period}cy", "--truth"]
            complaint, cut, _ = run([*stat, *options, *program], out)
            if not complaint and cut != result:
                complaint = f"{result}, but {cut} when sampled and with the truth"
            elif not complaint:
                complaint = "; ".join(c2c_sums.wrong(numachine, out)) or None
    command = " ".join([numachine, "stat", *options, *program])
    return complaint and f"machine {machine.name}: {complaint}\n  {command}"


def main():
    is_tiny = "--tiny" in sys.argv
    numachine, lot_print, first, count, cards, *guests = (word for word in sys.argv[1:] if word != "--tiny")
    numachine, lot_print = map(os.path.abspath, (numachine, lot_print))
    first, count, cards = map(int, (first, count, cards))
    simulator.no_core()
    guests = [os.path.abspath(g) for g in guests]
    machines = list(known(guests)) if first == 1 else []
    machines += drawn(lot_print, first, count, cards, guests, is_tiny)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        checks = [pool.submit(check, numachine, i, m, m.again or not count)
                  for i, m in enumerate(machines)]
        for complaint in (c.result() for c in checks):
            failed += complaint is not None
            if complaint:
                print(complaint, flush=True)
    print(f"{len(machines)} machines, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
