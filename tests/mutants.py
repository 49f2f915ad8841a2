#!/usr/bin/env python3
"""
What the tests see: small faults (mutate.py), drawn by lot, put one at a time into a copy of the tree, built and tested.

    mutants.py SOURCE DIRECTORY [--seed N] [--count N] [--only REGEX] [--near] [--least PERCENT] [--patience N]

The copy, its build and the table are below DIRECTORY and are kept: a campaign that was cut off goes on where it was. The
tests nearest to a fault's file (NEAR below) come first, then the rest of the quick suite, until one fails. A fault that
changes no object file of the product is none, and one that does not build is no fault of the tests'; both are drawn again.
The first time that a test catches a fault it must pass without it. A test that does not is left out from then on.

The table, mutants.tsv: number, file:line, what was changed, how it ended (caught, survived, same code, not built), which test
caught it, after how many seconds of testing. Who has looked at a survivor and found that it changes nothing that anybody
can see writes `harmless` there: it counts no more, and the next call draws another one. What is taken out is tried again.
Exit status 1 if fewer than PERCENT of COUNT faults were caught.
--near: without the rest of the suite; for looking at what survives by eye. --patience: of a test's limit, how much it has; a
fault that makes a test hang is caught, too, but only then.
"""
import argparse
import collections
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import mutate

OPTIONS = ["--buildtype=release"]
PRODUCT = "cli/numachine"
BESIDE = ["experiments", "tests", "docs", "configs"]  # what the tests need of the tree besides the rooms

# Tests that look at a file the closest: of the longest beginning that fits, first those that need the least time.
NEAR = {
    "": ["base", "isa_cases", "latency", "first_light", "input_cli", "sum-o32", "calls-o32", "options", "experiment-barrier"],
    "base/": ["base", "input_units", "kernel", "names-o32", "drawn", "profile"],
    "ring/": ["ring_*", "latency", "statistics", "whatif"],
    "machine/": [
        "statistics", "bus_rule", "latency", "coherence_random", "special", "contention", "misses", "mode", "warm",
        "invariants", "noncoherent", "refresh", "stale", "r4400_caches", "monitor_live", "outstanding", "placement",
        "input_machine", "two_machines"],
    "machine/protocol": ["protocol_*", "latency", "coherence_random", "misses", "input_cli"],
    "machine/params": ["input_params", "input_machine", "machines-quick", "latency", "monitor_document", "input_schema"],
    "procard/": [
        "r4400_caches", "r4400_cycles", "sync", "mode", "warm", "outstanding", "driver", "contract", "stale", "misses",
        "latency", "coherence_random", "monitor_states", "profile_*", "noncoherent", "r10000_cycles", "r10000_events",
        "litmus_protocol", "special_guest-o32", "drawn", "mixed"],
    "procard/(misses|copies)": ["misses", "used_last", "c2c-says", "c2c-quick", "reuse", "what-if", "r4400_caches"],
    "procard/r4400/": [
        "isa_*", "r4400_*", "profile_*", "monitor_states", "sum-o32", "sequences-*", "profile", "traps-o32", "approach"],
    "procard/mips/": ["isa_*", "r10000_cycles", "r10000_events", "r4400_cycles", "sequences-o32"],
    "procard/r10000/": ["r10000_*", "r10000-*-o32", "mixed"],
    "procard/arm": [
        "arm_*", "arm11_*", "arm-*", "evntbus", "calls-armel", "threads-armel", "signals-thumb-armel", "profile_calls",
        "locks"],
    "procard/l2c": ["l2c_*", "arm11_*"],
    "monitor/": ["monitor_*", "input_monitor", "input_group", "extending_unit", "three_ways-o32", "card_guest-o32"],
    "monitor/r10000/": ["r10000_*", "perfex", "irix_*", "irix-o32"],
    "monitor/arm11/": ["arm11_*", "arm11_note", "evntbus", "experiment-arm11-note"],
    "monitor/l2c/": ["l2c_*"],
    "programs/": [
        "once", "platform", "flows", "sampling", "approach", "input_build", "guest_cache", "first_light", "host_threads"],
    "programs/linux/": [
        "os_*", "calls-*", "files-o32", "filecalls-o32", "signals-o32", "mutex-o32", "escapes-o32", "input_files-o32",
        "host_ends-o32", "liveness-armel", "names-o32", "timers-o32", "ipc-o32"],
    "programs/linux/names/": [
        "names-o32", "objects-quick", "profile", "reuse", "c2c-says", "fuzz-names", "fuzz-elf", "os_elf", "what-if"],
    "programs/linux/(binary/|names/image|load|memory/abi)": [
        "os_elf", "fuzz-elf", "input_files-o32", "os_ends-o32", "sum-o32", "arm-jit-armel", "mixed"],
    "programs/linux/(threads/|processor/|files/lock)": [
        "os_tick", "timeslice-o32", "mutex-o32", "restart-o32", "affinity-o32", "locking", "timeline", "locks",
        "trace_replay", "irix-o32", "robust-o32", "calls-o32", "liveness-armel"],
    "programs/linux/(signals/|isa/)": [
        "signals-o32", "altstack-o32", "segv-o32", "traps-o32", "cancel-o32", "calls-o32", "os_ends-o32", "signals-n64",
        "misaligned-o32"],
    "programs/linux/time/": ["timers-o32", "clocks-o32", "delay-o32", "calls-o32", "calls-n64", "timers-n64"],
    "programs/linux/ipc/": ["ipc-o32", "calls-o32", "calls-n64", "ipc-n64", "fuzz-calls"],
    "programs/linux/(view|files)/": [
        "calls-o32", "calls-n64", "files-o32", "filecalls-o32", "filerest-o32", "pipes-o32", "events-o32", "escapes-o32",
        "os_confine", "arm_programs", "fuzz-calls"],
    "programs/linux/(memory/|memory|files/mapped|files/seal)": [
        "os_vm", "mappings-o32", "memory-o32", "calls-o32", "jit-o32", "execonly-o32", "growth-o32", "fuzz-calls"],
    "programs/linux/(files/device|threads/watch)": [
        "special_guest-o32", "card_guest-o32", "fuzz-devices", "three_ways-o32", "profile_watch"],
    "programs/linux/(process/syscalls|differences|binary/numbers).def": [
        "monitor_document", "os_tables", "calls-o32", "calls-n64", "calls-armel"],
    "programs/linux/isa/arm": ["signals-armel", "calls-armel", "arm_programs", "*-armel"],
    "programs/linux/files/irix": ["irix*"],
    "programs/irix/": ["irix*", "perfex"],
    "programs/driven/": ["driver", "extending_source", "latency_command", "patterns-kinds", "kernel_workload", "trace_replay"],
    "programs/patterns/": ["patterns_draws", "patterns-*"],
    "programs/kernels/": ["kernel_workload", "kernels-readme", "kernels-tasks", "kernels-fft", "kernels-produce"],
    "programs/traces/": ["trace_*", "fuzz-trace"],
    "input/yaml": ["input_*", "faults-few", "fuzz-yaml", "options"],
    "input/": ["input_*", "options", "expect", "sweep_plan", "report_session", "fuzz-units", "fuzz-yaml", "mixed"],
    "(documents|run|look)/": ["report_*", "statistics", "expect", "diff", "first_light", "page", "results", "input_cli"],
    "documents/(csv|hash|grid|statistics/(csv|chart))|look/kept": ["sweep-*", "frames", "page_sweep", "report_files", "plots"],
    "(run|documents/rows)/lock|look/locks/": ["report_locks", "locks"],
    "(run|documents/rows)/profil|look/(profile/|cost|code)": ["report_profile", "profile", "profile_calls"],
    "look/sharing/": ["c2c-says", "c2c-quick", "report_truth", "what-if"],
    "look/sharing/what_if": ["apart", "what-if"],
    "documents/(document|items|types)": ["report_truth", "report_profile", "report_locks", "report_objects", "monitor_document"],
    "documents/cells": ["report_profile", "diff", "locks", "page"],
    "(run|documents/rows)/truth": ["report_truth", "c2c-says"],
    "look/placement/|documents/claims": ["placement", "placement_advice"],
    "look/flow/": ["flows", "whatif"],
    "run/(heap|allocators|tenants)|documents/rows/object|look/object": ["report_objects", "objects-quick", "reuse"],
    "look/counters/": ["perfex", "irix-o32"],
    "documents/statistics/samples": ["report_files", "page", "frames", "sampling"],
    "look/(insns|source)": ["profile", "report_profile"],
    "documents/directory/digest|look/compare/|run/expect": ["expect", "diff", "divergence", "sweep-points"],
    "sweep/": ["sweep_plan", "sweep-*", "cluster-commands", "plots", "page_sweep", "expect", "frames"],
    "page/": ["page", "page_sweep"],
    "show/": ["at_hand", "input_cli", "citation", "protocol_*"],
    "trace/": ["trace_book", "waves", "status_pins", "timeline"],
    "cli/": ["input_cli", "options", "at_hand", "first_light", "results", "host_ends-o32", "faults-few", "report_session"],
    "cli/(detect|suspects|c2c)": ["lab_detectors", "c2c-says"],
    "run/(counted|output|mask|possible)|cli/(shown|observers)": ["report_session", "results", "first_light", "expect", "c2c-says"],
    "trace/references": ["trace_replay"],
    "(cli/session|run/(live|simulate|totals|observer))": [
        "report_session", "results", "timeline", "first_light", "trace_replay", "faults-few", "profile", "sampling",
        "approach"],
    "(cli/list|show/(tables|rows))": ["at_hand", "monitor_document", "input_cli", "options", "input_schema"],
    "cli/stat": ["input_cli", "first_light", "results", "perfex", "earlier", "host_ends-o32", "options"],
    "(cli/trace|programs/traces/copy)": ["trace_command"],
    "cli/profile": ["profile"],
    "cli/(sweep|collect|points)": ["sweep-*", "cluster-commands"],
    "sweep/(away|slurm|hosts|process)": ["cluster-commands", "sweep-*"],
    "(cli|show)/(topology|draw)": ["topology"],
    "cli/(latency|whatif|bench|perfex|locks|placement|compare|diff|trail)|look/compare/bench": [
        "latency_command", "whatif", "bench", "perfex", "locks", "placement_advice", "expect", "diff", "divergence",
        "citation", "earlier"],
}


def near(file, names):
    """Of these names those near a file, in the order of NEAR."""
    fits = [len(found[0]) for found in (re.match(key, file) for key in NEAR) if found]
    patterns = [one for key, some in NEAR.items() if (found := re.match(key, file)) and len(found[0]) == max(fits) for one in some]
    return list(dict.fromkeys(name for pattern in patterns for name in names if fnmatch.fnmatchcase(name, pattern)))


def processes_of(command, **more):
    """Runs a command as a group of its own, and ends all of it when it is left."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True, **more) as process:
        try:
            return process.communicate()[0], process.returncode
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Tree:
    """A copy of the tree and its build."""

    def __init__(self, source, directory, patience):
        self.patience = patience
        self.source, self.copy, self.build = source, directory / "tree", directory / "build"
        self.cache = directory / "cache"
        self.names = self.tests = self.objects = None

    def files(self):
        tracked = subprocess.run(["git", "-C", self.source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                 capture_output=True, text=True, check=False)
        if tracked.returncode == 0:
            return [name for name in tracked.stdout.split("\0") if name]
        top = [p for p in self.source.iterdir() if p.name in mutate.ROOMS + BESIDE or p.is_file()]
        return [str(p.relative_to(self.source)) for t in top for p in ([t] if t.is_file() else t.rglob("*")) if p.is_file()]

    def update(self):
        """Makes the copy what the tree is; what is the same already keeps its time."""
        for name in self.files():
            here, there = self.source / name, self.copy / name
            if here.exists() and (not there.exists() or there.read_bytes() != here.read_bytes()):
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(here, there)

    def ninja(self, *targets):
        said, status = processes_of(["ninja", "-C", self.build, *targets])
        return said if status else None

    def prepare(self):
        if not (self.build / "build.ninja").exists():
            subprocess.run(["meson", "setup", *OPTIONS, self.build, self.copy], check=True, stdout=subprocess.DEVNULL)
        trouble = self.ninja("all", "tests")
        if trouble:
            sys.exit(trouble)
        told = json.loads(subprocess.run(["meson", "introspect", "--tests", "--targets", self.build], capture_output=True,
                                         check=True).stdout)
        files = {one["id"]: [os.path.relpath(f, self.build) for f in one["filename"]] for one in told["targets"]}
        self.tests = {one["name"]: [f for target in one["depends"] for f in files.get(target, [])] for one in told["tests"]
                      if any(suite.rpartition(":")[2] == "quick" for suite in one["suite"])}
        self.objects = self.looked()

    def looked(self):
        """Hashes of the product's object files."""
        return {str(p): hashlib.sha256(p.read_bytes()).digest() for top in ("libnumachine.a.p", "libnumachine.so.0.1.0.p", "cli")
                for p in (self.build / top).rglob("*.o")}

    def test(self, names):
        """The first test of these that fails, None if none does, and the seconds until then."""
        begin = time.monotonic()
        (self.build / "meson-logs/testlog.json").unlink(missing_ok=True)
        processes_of(["meson", "test", "-C", self.build, "--no-rebuild", "--maxfail", "1",
                      "--timeout-multiplier", str(self.patience), *names],
                     env={**os.environ, "XDG_CACHE_HOME": str(self.cache)})
        log = self.build / "meson-logs/testlog.json"
        ends = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        failed = [one["name"] for one in ends if one["result"] in ("FAIL", "ERROR", "TIMEOUT", "UNEXPECTEDPASS")]
        return (failed[0].rpartition(" / ")[2].rpartition(":")[2] if failed else None), time.monotonic() - begin


class Campaign:
    def __init__(self, tree, directory, near_only):
        self.tree, self.near_only = tree, near_only
        self.state = directory / "tests.json"  # tests that pass without a fault, and those that do not
        known = json.loads(self.state.read_text()) if self.state.exists() else {}
        self.pass_, self.fail = set(known.get("pass", [])), set(known.get("fail", []))

    def is_sound(self, test, restore):
        """Whether a test that failed passes without the fault."""
        if test not in self.pass_ and test not in self.fail:
            restore()
            trouble = self.tree.ninja("all", "tests")
            assert not trouble, trouble
            (self.fail if self.tree.test([test])[0] else self.pass_).add(test)
            self.state.write_text(json.dumps({"pass": sorted(self.pass_), "fail": sorted(self.fail)}))
        return test in self.pass_

    def stages(self, file):
        """(what to build, which tests), one after the other."""
        names = [name for name in self.tree.tests if name not in self.fail]
        first = near(file, names)
        yield sorted({PRODUCT, *(t for name in first for t in self.tree.tests[name])}), first
        if not self.near_only:
            yield ["all", "tests"], [name for name in names if name not in first]

    def tried(self, one, restore):
        """(how it ended, which test, seconds); no end if the test that failed does so anyway."""
        if self.tree.ninja(PRODUCT):
            return "not built", "", 0
        if self.tree.looked() == self.tree.objects:
            return "same code", "", 0
        total = 0
        for targets, names in self.stages(one.file):
            if self.tree.ninja(*targets):
                return "caught", "the build of the tests", total
            failed, seconds = self.tree.test(names)
            total += seconds
            if failed:
                return ("caught", failed, total) if self.is_sound(failed, restore) else None
        return "survived", "", total

    def run(self, one):
        """A fault's row."""
        path = self.tree.copy / one.file
        text = path.read_text()
        end = None
        while not end:
            path.write_text(one.applied(text))
            try:
                end = self.tried(one, lambda: path.write_text(text))
            finally:
                path.write_text(text)
            if one.file.startswith("programs/"):  # may have built guests wrongly
                shutil.rmtree(self.tree.cache, ignore_errors=True)
        return end


def read_table(path, head):
    """How those ended that are there, by their numbers, if they are of the same campaign."""
    lines = path.read_text().splitlines() if path.exists() else []
    if lines[:1] != [head]:
        path.write_text(head + "\n")
        return {}
    return {int(row[0]): row[3] for row in (line.split("\t") for line in lines[1:])}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", default="")
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--least", type=float, default=90)
    parser.add_argument("--patience", type=float, default=1)
    given = parser.parse_args()
    source, directory = given.source.resolve(), given.directory.resolve() / "mutants"
    directory.mkdir(parents=True, exist_ok=True)
    tree = Tree(source, directory, given.patience)
    tree.update()
    lot = mutate.Lot(tree.copy, given.only)
    drawn = hashlib.sha256(repr(lot.lines).encode()).hexdigest()[:12]
    table = directory / "mutants.tsv"
    done = read_table(table, f"# seed {given.seed}, {len(lot.lines)} lines, {drawn}{', near' if given.near else ''}")
    tree.prepare()
    campaign = Campaign(tree, directory, given.near)
    ends = collections.Counter(done.values())
    number = -1
    while ends["caught"] + ends["survived"] < given.count:
        number += 1
        if number in done:
            continue
        one = lot.draw(given.seed, number)
        end, by, seconds = campaign.run(one)
        row = f"{number}\t{one.file}:{one.line}\t{one}\t{end}\t{by}\t{seconds:.0f}"
        with table.open("a") as out:
            print(row, file=out)
        print(row, flush=True)
        ends[end] += 1
    print(dict(ends))
    return 1 if 100 * ends["caught"] < given.least * given.count else 0


if __name__ == "__main__":
    sys.exit(main())
