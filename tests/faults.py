#!/usr/bin/env -S python3 -S
"""
The host refuses one call, each in turn: memory, files, writes, processes. Whatever it was, the program
ends with a status of its own and a sentence, a run directory says only what is true, and a status
of 0 means that everything is there and right.

    faults.py NUMACHINE_FAULTS GUEST [few|all|COUNT for each command]
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter

import simulator

TIMEOUT = 60  # processor seconds
DOCUMENTED = {1, 2, 3, 4, 5, 6, 130}
FEW, FEW_THEIRS = 21, 24  # faults of the quick form: of our calls, beside those of each place; of the libraries' memory
MANY_THEIRS = 2500
PAGE = struct.Struct("QQQQ32s64s65536I")
NOWHERE = [0] * 65536
# What a library does without memory, from where nobody can bring it back: (library and function that
# asked, status, all that was said, why).
KNOWN = (
    (r"libsimgrid\.so\S* (_Z\d+surf_parse\w*)?", 2,
     rb"out of dynamic memory in yy\w+\(\)|out of memory expanding start-condition stack",
     "flex in SimGrid's reader of platforms ends the process with words of its own"),
    (r"libsimgrid\.so\S* _Z14surf_parse_lexv", -signal.SIGSEGV, rb"Segmentation fault\.",
     "SimGrid's reader of platforms does not ask whether its buffer came"),
)
RESULTS = {"config.resolved.yaml", "guest.elf", "stats.json", "stats.csv", "stats.txt",
           "monitor/coherence_histogram.csv", "monitor/groups.csv"}


class Outcome:
    def __init__(self, done, page, out):
        self.status, self.stderr = done.returncode, done.stderr
        self.stdout = done.stdout.replace(bytes(out.parent), b"HERE")
        _, _, self.ours, self.theirs, name, place, *sites = PAGE.unpack(page)
        self.sites = collections.defaultdict(list)  # what asks for something else than memory: numbers of its calls
        for number, site in enumerate(sites, 1):
            if site:
                self.sites[site].append(number)
        self.name, self.place = (text.rstrip(b"\0").decode() for text in (name, place))
        self.manifest, self.untrue = None, None
        try:
            self.look(out)
        except (AssertionError, OSError, ValueError, KeyError) as e:
            self.untrue = f"{type(e).__name__}: {e}"

    def look(self, out):
        """The manifest, and whether what it says is so."""
        if not (out / "manifest.json").exists():
            return
        self.manifest = json.loads((out / "manifest.json").read_text())
        if self.manifest["status"] in ("complete", "partial"):
            assert set(self.manifest["files"]) >= RESULTS - {"monitor/groups.csv"}, self.manifest["files"]
            assert not self.manifest["missing"], self.manifest["missing"]
        for name, size in self.manifest["files"].items():
            assert (out / name).stat().st_size == size, f"{name} is cut"
        if self.manifest["status"] == "complete":
            json.loads((out / "stats.json").read_text())

    @property
    def claim(self):
        return self.manifest["status"] if self.manifest else None

    @property
    def hash(self):
        return self.manifest["end"]["result_hash"] if self.claim == "complete" else None


class Bench:
    def __init__(self, program, guest):
        self.program, self.guest = program, guest
        self.place = threading.local()
        self.counts, self.names, self.why, self.failed = Counter(), Counter(), Counter(), 0
        self.sites = set()  # places that ask for something else than memory, so far

    def here(self):
        """A directory of this thread's own."""
        if not hasattr(self.place, "path"):
            self.place.path = pathlib.Path(tempfile.mkdtemp(dir=".")).absolute()
            prepare(self.place.path)
        return self.place.path

    def run(self, words, ours=0, theirs=0):
        page, out = self.here() / "page", self.here() / "out"
        page.write_bytes(PAGE.pack(ours, theirs, 0, 0, b"", b"", *NOWHERE))
        shutil.rmtree(out, ignore_errors=True)
        env = dict(os.environ, NUMACHINE_FAULTS=str(page))
        try:
            done = simulator.bounded([self.program, *words], TIMEOUT, capture_output=True, env=env,
                                     cwd=self.here(), stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            done = subprocess.CompletedProcess(words, "hangs", b"", b"")
        return Outcome(done, page.read_bytes(), out)

    def known(self, o):
        """Whether a library is known to end so; its words are all there are."""
        for place, status, words, why in KNOWN:
            if o.status == status and re.fullmatch(place, o.place) and re.fullmatch(words, o.stderr.strip()):
                self.why[why] += 1
                return True
        return False

    def wrong(self, o, whole):
        """None, or what is wrong with an outcome, compared with that without a fault."""
        if o.untrue:
            return f"{o.claim}, but {o.untrue}"
        if b"Sanitizer" in o.stderr or b"runtime error" in o.stderr:
            return "the sanitizer complains"
        if o.status == 0:
            if (o.claim, o.stdout) != (whole.claim, whole.stdout) and o.name != "write":
                return f"status 0, but {o.claim}, output of {len(o.stdout)} bytes"
            if b"error" in o.stderr:
                return "status 0 after an error"
            if o.hash != whole.hash and o.name not in ("write", "read"):
                return "another result"
            return None
        if o.claim in (None, "running") and self.known(o):
            return None
        if o.status not in DOCUMENTED:
            return f"status {o.status}"
        if o.claim == "complete" and o.status not in (1, 5):
            return f"complete with status {o.status}"
        if b"numachine" not in o.stderr and b"error" not in o.stderr:
            return "no word"
        return None

    def judge(self, command, words, whole, **fault):
        o = self.run(words, **fault)
        return o, fault, self.wrong(o, whole)

    def note(self, command, o, fault, wrong):
        self.counts[o.status] += 1
        self.names[o.name or "not reached"] += 1
        if wrong:
            self.failed += 1
            print(f"FAILED: {command}: {fault} ({o.name}): {wrong}: {o.stderr[-400:]!r}", flush=True)

    def all_of(self, command, words, share, share_theirs):
        whole = self.run(words)
        if whole.status != 0 or whole.untrue:
            self.failed += 1
            print(f"FAILED: {command} without a fault: {whole.status} {whole.untrue} {whole.stderr}")
            return
        lot = random.Random(command)
        # The first and the last call from each place that no other command has come to yet; then whatever is drawn.
        some = {n for site, calls in whole.sites.items() if site not in self.sites for n in (calls[0], calls[-1])}
        self.sites |= whole.sites.keys()
        rest = sorted(set(range(1, whole.ours + 1)) - some)
        some |= set(lot.sample(rest, min(share, len(rest))))
        faults = [{"ours": n} for n in sorted(some)]
        points = range(1, whole.theirs + 1)
        faults += [{"theirs": n} for n in sorted(lot.sample(points, min(share_theirs, len(points))))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for seen in pool.map(lambda f: self.judge(command, words, whole, **f), faults):
                self.note(command, *seen)
        print(f"{command}: {whole.ours} calls of ours, {whole.theirs} requests of libraries", flush=True)


def prepare(directory):
    (directory / "x.c").write_text('#include <stdio.h>\nint main(void) { puts("x"); return 0; }\n')
    (directory / "x.yaml").write_text("machine: station-4\nprogram: {source: x.c}\n"
                                      "monitor: {groups: [NACK]}\n")


def main():
    program, guest = map(os.path.abspath, sys.argv[1:3])
    how = (sys.argv[3:] or ["few"])[0]
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        bench = Bench(program, guest)
        station = ["-q", "-m", "station-4", "-o", "out"]
        commands = {
            "stat": ["stat", *station, "--", guest, "nothing"],
            "run": ["run", "-q", "-o", "out", "x.yaml"],
            "check": ["check", "x.yaml", "--all"],
            "list": ["list", "groups", "NACK"],
            "list json": ["list", "groups", "--json"],
            "list machines": ["list", "machines"],
            "table": ["stat", "-m", "station-4", "-g", "NACK", "--", guest, "nothing"],
        }
        for command, words in commands.items():
            begin = time.monotonic()
            ours, theirs = {"few": (FEW, FEW_THEIRS), "all": (sys.maxsize // 2, MANY_THEIRS)}.get(
                how, (len(commands) * int(how) if how.isdigit() else 0,) * 2)
            bench.all_of(command, words, ours // len(commands), theirs // len(commands))
            print(f"  {time.monotonic() - begin:.1f} s")
        os.chdir("/")
    for why, count in bench.why.items():
        print(f"known, {count} times: {why}")
    print(f"{sum(bench.counts.values())} faults, by status "
          f"{dict(sorted(bench.counts.items(), key=str))}, by call {dict(bench.names.most_common())}; "
          f"{bench.failed} failed")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
