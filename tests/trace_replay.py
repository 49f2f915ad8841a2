#!/usr/bin/env -S python3 -S
"""
Recording changes nothing of a run; its trace, replayed on the same machine, is the same run again: the same misses,
invalidates and NACKs, to the PCycle. On other machines it ends, and what threads stored into words that they synchronise
with comes in the same order. Traces of other programs, cut ones and damaged ones end as they must.

    trace_replay.py NUMACHINE GUEST...           programs, with threads that wait for each other
    trace_replay.py NUMACHINE --places GUEST     of one thread, whose data are more than 64 KB
    trace_replay.py NUMACHINE --guests quick|long HOME   those of experiments/guests: threads that move, and share
                                                 processors
    trace_replay.py NUMACHINE --valgrind         traces of the host's ls and gzip (long; skipped without valgrind)
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import simulator
import skip
import suite

# What a replay does not say as the recording did: which instructions those PCycles were, and why threads had no card.
OTHERWISE = ("monitor.run", "status.", "instructions", "running", "truth.system", "waiting", "asleep", "idle", "sleeps", "wakes",
             "metric.", "host.", "polls")
# Timer interrupts come anywhere: also while a processor waits for a line, or is about to ask for one.
SETS = ["--set", "os.tick=20000cy"]

HELD = re.compile(r"([\d.]+) % of its processors' time they were held back to keep the recorded order; threads slept ([\d.]+) "
                  r"times in 10000 PCycles")

numachine = scratch = None


def run(*words, status=0):
    done = subprocess.run([numachine, *map(str, words)], capture_output=True, text=True, cwd=scratch, check=False)
    assert done.returncode == status, f"{words}: {done.returncode}, not {status}: {done.stderr}"
    return done.stderr if status else done.stdout


def stat(out, program, *options, status=0):
    return run("stat", "-q", "--force", "-o", out, *SETS, *options, "--", program, status=status)


def sums(out):
    """The machine's statistics of the whole run."""
    rows = (line.split(",") for line in (scratch / out / "stats.csv").read_text().splitlines()[1:])
    return {row[2]: row[3] for row in rows if row[0] == "whole" and row[1] == "machine"}


def info(path):
    return json.loads(run("trace", "info", "--format=json", path))


def result(out):
    return re.search(r"\"result_hash\": \"(\S+)\"", (scratch / out / "manifest.json").read_text())[1]


def check_same(guest, machine):
    stat("plain", guest, "--machine", machine)
    stat("recorded", guest, "--machine", machine, "--references")
    assert result("plain") == result("recorded"), f"{guest}: recording has changed the run"
    facts, want = info("recorded/references.ntr"), sums("recorded")
    count = facts["records"]
    assert count["load"] + count["ll"] + count["acquire"] == int(want["truth.loads"]), (guest, count)
    assert count["store"] + count["sc"] + count["sc-failed"] + count["release"] == int(want["truth.stores"]), (guest, count)
    assert facts["bytes_a_reference"] < 1.5, facts["bytes_a_reference"]
    check_again(guest, want, "--machine", machine)
    return facts


def check_again(guest, want, *options):
    """What is recorded comes again, to the PCycle."""
    stat("replayed", "recorded/references.ntr", *options)
    have = sums("replayed")
    wrong = [f"{name}: {want[name]}, then {have[name]}" for name in want
             if want[name] != have[name] and not name.startswith(OTHERWISE) and not any(part in name for part in OTHERWISE)]
    assert not wrong, f"{guest} on {options}: " + "; ".join(wrong)
    assert int(want["truth.l2_misses"]) > 0 and len(want) > 60


def said(*options, trace="recorded/references.ntr"):
    """What the summary of a replay says of it."""
    done = subprocess.run([numachine, "stat", "--force", "-o", "said", *SETS, *options, "--", trace], capture_output=True,
                          text=True, cwd=scratch, check=True)
    return [line.strip() for line in (done.stdout + done.stderr).splitlines()]


def check_said(machine):
    """A replay says how far off it is: where it was recorded, by nothing, unless it has been made another; elsewhere, for how
    long its processors were held back, and how often threads slept."""
    same = "replayed where it was recorded: +0.0 % PCycles, +0.0 % secondary misses and +0.0 % NACKs of the recorded run"
    lines = said("--machine", machine)
    assert same in lines and not any("do not trust" in line or "held back" in line for line in lines), lines
    lines = said("--machine", machine, "--processors", "2")
    assert any(line.startswith("replayed where it was recorded: +") and same != line for line in lines), lines
    assert any(line.startswith("do not trust it: it is not the run again") for line in lines), lines
    lines = said("--machine", machine, "--set", "memory.dram_time=30cy")
    assert any("replayed on another machine: +" in line for line in lines), lines
    held, slept = next(found.groups() for line in lines if (found := HELD.fullmatch(line)))
    assert float(slept) > 0 and any("do not trust" in line for line in lines) == (float(held) > 3 or float(slept) > 1), lines
    run("trace", "cut", "recorded/references.ntr", "part.ntr", "--threads=1")
    assert not any("replayed" in line for line in said("--machine", machine, trace="part.ntr")), "a part is no run"
    run("trace", "convert", "recorded/references.ntr", "again.ntr")
    assert same in said("--machine", machine, trace="again.ntr")


def check_elsewhere(guest, facts):
    """Dependences hold: each store into such a word is one, wherever. The time is not far from that of a run there."""
    for machine, options in ("numachine-64", []), ("station-4", ["--set", "memory.dram_time=30cy"]):
        stat("there", guest, "--machine", machine, *options)
        stat("replayed", "recorded/references.ntr", "--machine", machine, *options)
        want, have = int(sums("there")["elapsed"]), int(sums("replayed")["elapsed"])
        assert 0.7 < have / want < 1.4, f"{guest} on {machine}: {want}, replayed {have} PCycles"
        failed = int(sums("replayed")["truth.scs_failed"])
        stores = int(sums("replayed")["truth.stores"]) - failed
        count = facts["records"]
        most = count["store"] + count["sc"] + count["sc-failed"] + count["release"]
        assert most - count["sc-failed"] <= stores <= most, (machine, stores, most)


def check_places(guest):
    """On a machine that gives other places to pages, those are the places that a run has there. So a thread that waits for
    nobody has the same misses, whatever compiler has made it."""
    machine = ["--machine", "ring-16"]
    stat("recorded", guest, *machine, "--references")
    stat("there", guest, *machine, "--set", "l2.size=64KB")
    stat("replayed", "recorded/references.ntr", *machine, "--set", "l2.size=64KB")
    before, want, have = (int(sums(out)["truth.l2_misses"]) for out in ("recorded", "there", "replayed"))
    assert have == want > before + 1000, f"{guest}: {before} secondary misses, {want} in the small cache, replayed {have}"


def check_parts():
    """A part ends, too, although those are missing that its threads wait for; so does one that nothing stops."""
    for cut in ["--threads=1"], ["--from=2000", "--to=6000"]:
        run("trace", "cut", "recorded/references.ntr", "part.ntr", *cut)
        stat("part", "part.ntr", "--machine", "station-4", "--limit", "100ms")
    path = scratch / "recorded/references.ntr"
    bytes_ = bytearray(path.read_bytes())
    bytes_[len(bytes_) // 2] ^= 16
    (scratch / "damaged.ntr").write_bytes(bytes_)
    assert "the file is damaged" in stat("damaged", "damaged.ntr", "--machine", "station-4", status=2)
    (scratch / "short.ntr").write_bytes(path.read_bytes()[:-9])
    complaint = stat("short", "short.ntr", "--machine", "station-4", status=2)
    assert "truncated" in complaint, complaint


def check_text():
    """A text's references are all made, aligned pieces of them."""
    lines = [f"I  {0x400000 + 4 * (i % 900):x},4\n L {0x10000000 + 24 * i:x},8\n S {0x10000003 + 8 * (i % 64):x},4\n"
             for i in range(3000)]
    (scratch / "text.txt").write_text("".join(lines))
    run("trace", "convert", "text.txt", "text.ntr")
    stat("text", "text.ntr", "--machine", "station-4")
    have = sums("text")
    assert (int(have["truth.loads"]), int(have["truth.stores"])) == (3000, 3 * 3000), have["truth.stores"]
    assert int(have["truth.l1i_misses"]) >= 900 * 4 // 32
    stat("text", "text.txt", "--machine", "station-4")
    again = sums("text")
    assert all(again[name] == have[name] for name in have if not name.startswith("host.")), "a text is the trace made of it"
    shown = subprocess.run([numachine, "stat", "-m", "station-4", "--", "text.ntr"], capture_output=True, text=True, cwd=scratch,
                           stdin=subprocess.DEVNULL, check=True)
    assert "12,000 references of 1 thread" in shown.stderr + shown.stdout and "/1000 refs" in shown.stderr + shown.stdout, shown
    assert not re.search(r"IPC|MIPS|instr\b|\bipc\b|\d instruction", shown.stderr + shown.stdout), "a trace has no instructions"
    for name in "metric.ipc", "metric.mips", "metric.l2_misses_per_1000", "truth.instructions":
        assert have[name] in ("", "null", "nan"), (name, have[name])
    for command in "c2c", "profile":
        done = subprocess.run([numachine, command, "text"], capture_output=True, text=True, cwd=scratch, check=False)
        assert done.returncode == 2 and "references only" in done.stderr and "run it again" not in done.stderr, done.stderr
    (scratch / "cut.txt").write_text("".join(lines) + " S 10")
    done = subprocess.run([numachine, "stat", "-q", "--force", "-o", "cut", "-m", "station-4", "--", "cut.txt"],
                          capture_output=True, text=True, cwd=scratch, check=True)
    assert ": the file ends within line 9001: it is read up to there" in done.stderr, done.stderr
    (scratch / "wrong.txt").write_text("".join(lines) + "hello\n")
    complaint = stat("none", "wrong.txt", "--machine", "station-4", status=2)
    assert "line 9001): 'hello' is no line of lackey's" in complaint, complaint
    complaint = stat("none", "text.ntr", "--machine", "station-4", "--set", "run.from=instructions 100", status=2)
    assert "can only be timed as a whole" in complaint, complaint


def check_out_of_order(guest):
    """An R10000 tells of what graduates, each reference once, and does the same. Its replay makes the same references; it
    waits for each miss, which the R10000 does not, so that it is the same run no longer, but one of its size."""
    stat("plain", guest, "--machine", "r10000")
    stat("recorded", guest, "--machine", "r10000", "--references")
    assert result("plain") == result("recorded"), f"{guest}: recording has changed the run of an R10000"
    count, want = info("recorded/references.ntr")["records"], sums("recorded")
    assert count["load"] + count["ll"] + count["acquire"] == int(want["truth.loads"]), (guest, count)
    assert count["store"] + count["sc"] + count["sc-failed"] + count["release"] == int(want["truth.stores"]), (guest, count)
    assert count["sc-failed"] == int(want["truth.scs_failed"]), (guest, count)
    stat("replayed", "recorded/references.ntr", "--machine", "r10000")
    have = sums("replayed")
    assert int(have["truth.loads"]) >= int(want["truth.loads"]), "a replay's loads are repeated, never left out"
    times = [json.loads((scratch / out / "manifest.json").read_text())["end"]["ticks"] for out in ("recorded", "replayed")]
    assert 0.8 < times[1] / times[0] < 1.4, f"{guest}: {times[0]} ticks, replayed {times[1]}"
    misses = [int(all_["truth.l2_misses"]) for all_ in (want, have)]
    assert 0.8 < misses[1] / misses[0] < 1.4, f"{guest}: {misses[0]} secondary misses, replayed {misses[1]}"


def check_arm(guest):
    """An ARM11 tells of a word each of what a multiple access moves; its replay is a run of its size."""
    machine = ["--machine", "station-4", *simulator.MACHINES["armel"]]
    stat("plain", guest, *machine)
    stat("recorded", guest, *machine, "--references")
    assert result("plain") == result("recorded"), f"{guest}: recording has changed the run of an ARM11"
    count, want = info("recorded/references.ntr")["records"], sums("recorded")
    assert count["load"] + count["ll"] + count["acquire"] >= int(want["truth.loads"]), (guest, count)
    assert count["store"] + count["sc"] + count["sc-failed"] + count["release"] >= int(want["truth.stores"]), (guest, count)
    assert count["sc-failed"] == int(want["truth.scs_failed"]) and count["ll"] > 0, (guest, count)
    stat("replayed", "recorded/references.ntr", *machine)
    have = sums("replayed")
    times = [json.loads((scratch / out / "manifest.json").read_text())["end"]["ticks"] for out in ("recorded", "replayed")]
    misses = [int(all_["truth.l2_misses"]) for all_ in (want, have)]
    print(f"{guest}: {times} ticks, {misses} secondary misses, loads {want['truth.loads']}, {have['truth.loads']}")
    assert 0.7 < times[1] / times[0] < 1.5, f"{guest}: {times[0]} ticks, replayed {times[1]}"
    assert 0.7 < misses[1] / misses[0] < 1.4, f"{guest}: {misses[0]} secondary misses, replayed {misses[1]}"


def check_refusal(guest):
    (scratch / "both.yaml").write_text(f"machine: {{base: station-4}}\nprogram: {{path: {guest}}}\n"
                                       "run: {profile: true}\nrecord: {references: true}\n")
    complaint = run("run", "both.yaml", status=2)
    assert "both.yaml:4" in complaint and "exclude each other; run it twice" in complaint, complaint


def check_region(turns):
    """What all threads did in a region, each on the card that it had by then: with the lock so many times."""
    run("trace", "cut", "recorded/references.ntr", "region.ntr", "--region=mcs")
    whole, part = info("recorded/references.ntr"), info("region.ntr")
    busy = [thread["name"] for thread in part["threads"] if thread["references"]]
    assert len(busy) == 4 and part["records"]["sc"] >= 4 * turns, (busy, part["records"])
    assert part["references"] < whole["references"] / 4 and part["regions"] == whole["regions"], part
    stat("region", "region.ntr", "--machine", "ring-16")
    rows = [line.split(",") for out in ("recorded", "region") for line in (scratch / out / "stats.csv").read_text().splitlines()]
    want, have = (int(row[3]) for row in rows if row[:3] == ["mcs", "machine", "elapsed"])
    assert 0.8 < have / want < 1.5, f"the region mcs: {want}, then {have} PCycles"


def record_guest(home, guest, machine, *options, processors=0, arguments=None):
    program = {"source": f"{home}/experiments/guests/{guest.source}", "cflags": ["-O2", *guest.flags],
               "args": [int(word) if word.isdigit() else word for word in arguments or guest.arguments]}
    if processors:
        program["processors"] = processors
    (scratch / "guest.yaml").write_text(json.dumps({"machine": machine, "program": program, "record": {"references": True}}))
    run("run", "-q", "--force", "-o", "recorded", *SETS, *options, "guest.yaml")


# Arguments of lock-suite, and periods of timer interrupts: those of the quick suite show what interrupts come before, which
# older traces did not have. An interrupt lets go of a line that is kept for a store-conditional (10000), and regions are
# marked within the PCycles that it kills (11324); an access loses its page while it waits for its line (25545).
PERIODS = [(("tas", "16", "5", "10", "100"), (10000, 11324), range(10000, 40000, 331)),
           (("all", "16", "3", "10", "100"), (25545,), range(10000, 60000, 5557))]


def check_periods(home, whole):
    locks = next(guest for guest in suite.guests(home) if guest.name == "lock-suite")
    for arguments, quick, further in PERIODS:
        for period in [*quick, *(further if whole else ())]:
            tick = ["--set", f"os.tick={period}cy"]
            record_guest(home, locks, "ring-16", *tick, arguments=arguments)
            assert info("recorded/references.ntr")["records"]["interrupt"] > 16
            check_again(f"{arguments}, {period}", sums("recorded"), "--machine", "ring-16", *tick)


def check_guests(home, whole):
    """In the quick suite each on one of the two machines, the locks on both."""
    moved = turns = 0
    for turn, guest in enumerate(suite.guests(home)):
        machines = ("ring-16", 0), ("station-4", 2)
        for machine, processors in machines if whole or guest.name == "lock-suite" else machines[(turn + 1) % 2:][:1]:
            record_guest(home, guest, machine, processors=processors)
            count = info("recorded/references.ntr")["records"]
            moved, turns = moved + count["move"], turns + count["turn"]
            check_again(guest.name, sums("recorded"), "--machine", machine,
                        *(["--processors", str(processors)] if processors else []))
            stat("functional", "recorded/references.ntr", "--machine", machine, "--functional")  # sums of regions add up
            if guest.name == "lock-suite" and not processors:
                check_region(int(guest.arguments[2]))
        print(guest.name)
    assert moved > 10 and turns > (100 if whole else 50), (moved, turns)


def valgrind():
    skip.need("valgrind", "valgrind")
    (scratch / "data").write_bytes(pathlib.Path("/bin/sh").read_bytes()[:20000])
    for words in ["ls", "/"], ["gzip", "-kf", "data"]:
        subprocess.run(["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=x.txt", *words], cwd=scratch, check=True,
                       capture_output=True, env={**os.environ, "LC_ALL": "C"})
        run("trace", "convert", "x.txt", "x.ntr")
        facts = info("x.ntr")
        stat("x", "x.ntr", "--machine", "station-4")
        have, count = sums("x"), facts["records"]
        print(words[0], facts["references"], "references,", f"{facts['bytes_a_reference']:.2f} bytes each,",
              have["elapsed"], "PCycles,", have["truth.l2_misses"], "secondary misses")
        assert int(have["truth.loads"]) >= count["load"] > 10000 and int(have["truth.stores"]) >= count["store"] > 10000
        assert facts["bytes_a_reference"] < 1.5 and int(have["elapsed"]) > facts["instructions"]
        assert int(have["truth.l2_misses"]) >= facts["lines"] // 2


def main():
    global numachine, scratch
    numachine = str(pathlib.Path(sys.argv[1]).resolve())
    guests = [str(pathlib.Path(word).resolve()) for word in sys.argv[2:] if not word.startswith("--")]
    with tempfile.TemporaryDirectory(prefix="numachine-") as name:
        scratch = pathlib.Path(name)
        if "--guests" in sys.argv:
            home, whole = pathlib.Path(sys.argv[4]).resolve(), sys.argv[3] == "long"
            check_periods(home, whole)
            check_guests(home, whole)
            print("ok")
            return
        if "--valgrind" in sys.argv:
            valgrind()
            return
        if "--places" in sys.argv:
            check_places(*guests)
            return
        if simulator.abi_of(guests[0]) == "armel":
            for guest in guests:
                check_arm(guest)
            return
        for guest in guests:
            check_same(guest, "ring-16")
            facts = check_same(guest, "station-4")
            check_said("station-4")
            check_elsewhere(guest, facts)
            check_out_of_order(guest)
            name = re.sub(r"\..*", "", os.path.basename(guest))
            print(f"{name}: {facts['references']} references, {facts['bytes_a_reference']:.2f} bytes each")
        check_parts()
        check_text()
        check_refusal(guests[0])
    print("ok")


main()
