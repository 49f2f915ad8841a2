#!/usr/bin/env -S python3 -S
"""
What a run directory says about itself must be true whatever happened: full disks, two runs at once,
runs that are killed, signals that come twice.

    results.py NUMACHINE OS_ENDS few|all

few: a disk is full in fewer places, and a link leads to a file or to none, in turn.
"""
import csv
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import simulator
import skip

TIMEOUT = 60  # processor seconds
PLACES = {"few": 10, "all": 50}  # where the disk is full
RACERS = 6
RUNS_KILLED = 20
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6, 130}
EXPECTED = {"config.resolved.yaml", "guest.elf", "guest.stdout", "guest.stderr", "stats.json",
            "stats.csv", "stats.txt", "monitor/coherence_histogram.csv"}
UNFINISHED = ".new"


def status_of(directory):
    """The manifest's status, None without one; raises if what it lists is not there."""
    path = pathlib.Path(directory) / "manifest.json"
    if not path.exists():
        return None
    manifest = json.loads(path.read_text())
    status = manifest["status"]
    if status in ("complete", "partial"):
        for name, size in manifest["files"].items():
            assert (path.parent / name).stat().st_size == size, f"{name} is cut"
        assert EXPECTED == set(manifest["files"]), f"{status} with {sorted(manifest['files'])}"
        assert not manifest["missing"]
        # Who was killed before its first file had a name has changed nothing else.
        left = {f.name for f in path.parent.rglob("*" + UNFINISHED)} - {"manifest.json" + UNFINISHED}
        assert not left, f"{status} with {left}"
    if status == "incomplete":
        assert manifest["missing"] and manifest["end"]["exit_code"] == 5
        assert manifest["error"].startswith("cannot write '"), manifest["error"]
    if status == "failed":
        assert manifest["error"] and manifest["end"]["reason"] == "not started", manifest
        assert manifest["end"]["status"] is None
    return status


class Bench:
    def __init__(self, numachine, guest, which, directory):
        self.numachine, self.guest = numachine, guest
        self.whole, self.places = which == "all", PLACES[which]
        self.directory = pathlib.Path(directory)
        self.failures = 0
        self.started = []

    def check(self, what, good, seen=""):
        if not good:
            print(f"FAILED: {what}: {seen}")
        self.failures += not good

    def status(self, what, directory):
        try:
            return status_of(directory)
        except (AssertionError, OSError, ValueError, KeyError) as e:
            self.check(what, False, f"{type(e).__name__}: {e}")
            return "untrue"

    def command(self, out, end="nothing", *options):
        return [self.numachine, "stat", "-q", "-m", "station-4", "-o", str(out), *options, "--",
                self.guest, end]

    def run(self, command):
        return simulator.bounded(command, TIMEOUT, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def spawn(self, command, **streams):
        self.started.append(subprocess.Popen(command, **streams))
        return self.started[-1]

    def start(self, out, end, *options, **more):
        return self.spawn(self.command(out, end, *options), stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, **more)

    def end_all(self):
        """What a part that failed has left running."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()


def await_run(process, out):
    """Until the guest runs, or the process has ended."""
    end = time.monotonic() + simulator.CLOCK * TIMEOUT
    while process.poll() is None and time.monotonic() < end:
        if (out / "config.resolved.yaml").exists() and status_of(out) == "running":
            return
        time.sleep(0.005)


# ---- full disks ----------------------------------------------------------------------------------

def check_full(bench, what, out, done):
    status = bench.status(what, out)
    bench.check(what, done.returncode in DOCUMENTED, f"status {done.returncode}: {done.stderr}")
    bench.check(what, (status == "complete") == (done.returncode == 0), (status, done.returncode))
    bench.check(what, done.returncode == 0 or "error: " in done.stderr, done.stderr)
    return done.returncode == 0


def little_files(bench):
    """No file may be longer than so many blocks, whatever the disk."""
    whole = bench.directory / "measure"
    bench.run(bench.command(whole))
    sizes = sorted(f.stat().st_size for f in whole.rglob("*") if f.is_file())
    most, good = sizes[-1] // 512 + 2, 0
    for place in range(bench.places):
        out = bench.directory / f"fsize-{place}"
        blocks = most * place // (bench.places - 1)
        limited = ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", *bench.command(out)]
        good += check_full(bench, f"files of {blocks} blocks", out, bench.run(limited))
    bench.check("files of some length", 0 < good < bench.places, good)
    return whole


def full_tmpfs(bench, whole):
    """A real disk of so many pages, with an earlier run's results that --force replaces."""
    mount = 'mount -t tmpfs -o size=$0k none "$1" && cd "$1" && shift && '
    probe = bench.directory / "probe"
    probe.mkdir()
    if bench.run(["unshare", "-Urm", "sh", "-c", mount + "true", "64", str(probe)]).returncode != 0:
        skip.left_out("no tmpfs can be mounted")
        return
    used = sum(f.stat().st_size // 4096 + 1 for f in whole.rglob("*")) * 4 + 64  # [KB]
    good = 0
    for place in range(bench.places):
        point, copy = bench.directory / f"disk-{place}", bench.directory / f"copy-{place}"
        point.mkdir()
        forced = place % 4 == 3
        size = used - 64 + place // 4 * 200 // bench.places if forced else 4 + used * place // (bench.places - 5)
        before = f'cp -r "{whole}" out && ' if forced else ""
        script = mount + before + f'"$@"; code=$?; cp -r out "{copy}"; exit $code'
        command = bench.command("out", "nothing", *(["--force"] if forced else []))
        done = bench.run(["unshare", "-Urm", "sh", "-c", script, str(size), str(point), *command])
        if forced and done.returncode != 0 and bench.status("disk", copy) == "complete":
            continue  # nothing of this run, and the earlier one's as it was
        good += check_full(bench, f"disk of {size} KB", copy, done)
    bench.check("disks of some size", 0 < good < bench.places, good)


def full_stream(bench):
    """The table of stat goes to standard error."""
    with open("/dev/full", "w", encoding="ascii") as full:
        done = simulator.bounded([bench.numachine, "stat", "-m", "station-4", "--", bench.guest], TIMEOUT,
                                 stderr=full, stdin=subprocess.DEVNULL)
    bench.check("table into a full disk", done.returncode == 5, done.returncode)


def output(bench):
    """What the program writes is kept, up to a megabyte of a stream."""
    out, most = bench.directory / "output", 1 << 20
    done = bench.run(bench.command(out, "loud"))
    kept = (out / "guest.stdout").read_text()
    bench.check("output", kept == done.stdout[:most] and len(done.stdout) > most, len(kept))
    bench.check("errors", (out / "guest.stderr").read_text() == "and that was that\n")
    manifest = json.loads((out / "manifest.json").read_text())
    said = f"guest.stdout has the first {most} of {len(done.stdout)} bytes that the program wrote"
    bench.check("output left out", manifest["remarks"] == [said], manifest["remarks"])
    bench.check("no error", manifest["error"] is None, manifest["error"])


def hint(bench):
    """Files outside the program's view are spoken of once, by the name that the program has to use, also if that is
    given already: a way up from where it works leads elsewhere."""
    above = pathlib.Path.cwd().parent
    said = f"see ../missing; --allow {above} (in an experiment, files:) lets it, by the name {above / 'missing'}"
    for options in [], ["--allow", ".."]:
        done = bench.run([bench.numachine, "stat", "-m", "station-4", *options, "--", bench.guest, "outside"])
        notes = [line for line in done.stderr.splitlines() if "cannot see" in line]
        bench.check("hint", done.returncode == 0 and len(notes) == 1 and notes[0].endswith(said), done.stderr)


def lines(bench):
    """What other programs read is what the results say, and -q alone still shows the counts."""
    for machine in "station-4", "ring-16":
        lines_of(bench, machine)
    base = [bench.numachine, "stat", "-m", "station-4"]
    grouped = bench.run([*base, "-g", "SYNC,NACK,RING", "-x,", "--", bench.guest]).stderr.splitlines()
    groups = {row[7] for row in csv.reader(grouped) if row[6]}
    bench.check("groups of metrics", groups == {"SYNC", "NACK", "RING"}, groups)
    rings = [row for row in csv.reader(grouped) if row[2].endswith("ring_busy")]
    bench.check("no ring", [row[0] for row in rings] == ["<not supported>"] * 2, rings)
    for options in ["-x,", "-j"], ["-j", "-x", ","], ["-x", "-m"], ["-o", "-q"]:
        done = bench.run([*base, *options, "--", bench.guest])
        bench.check("options", done.returncode == 2 and not done.stdout and
                    ("exclude each other" in done.stderr or "is missing" in done.stderr), done.stderr)
    for options, words in (["-e", "run,nacks,bus_busy"], ["run", "nacks", "bus_busy"]), \
                          (["-g", "SYNC"], ["working", "refused"]):
        said = bench.run([*base, "-q", *options, "--", bench.guest]).stderr
        bench.check("quiet", all(f"  {word} " in said for word in words) and "ipc" not in said and
                    "simulated" not in said, said)


def lines_of(bench, machine):
    """Counts and metrics as lines and as objects, against stats.csv."""
    out = bench.directory / f"lines-{machine}"
    base = [bench.numachine, "stat", "-m", machine, "-e", "run,nacks,bus_busy"]
    bench.run([*base, "-q", "-o", out, "--", bench.guest])
    with open(out / "stats.csv", newline="") as file:
        found = {row["stat"]: row["value"] for row in csv.DictReader(file) if row["component"] == "machine"}
    nanoseconds = round(float(found["seconds"]) * 1e9)
    metrics = {name.removeprefix("metric."): float(value) for name, value in found.items()
               if name.startswith("metric.") and value}
    units = {"run": "PCycles", "nacks": "packets", "bus_busy": "cycles"}
    counts = [[found["monitor." + event], unit, event, str(nanoseconds), "100.00", "", "", ""]
              for event, unit in units.items()]

    rows = list(csv.reader(bench.run([*base, "-x,", "--", bench.guest]).stderr.splitlines()))
    bench.check("lines", rows[:3] == counts, rows[:3])
    said = {row[6].split()[-1]: float(row[5]) for row in rows[3:]}
    bench.check("lines of metrics", said.keys() == metrics.keys() and all(
        abs(said[name] - value) <= 1e-5 * abs(value) for name, value in metrics.items()), said)
    objects = [json.loads(line) for line in bench.run([*base, "-j", "--", bench.guest]).stderr.splitlines()]
    bench.check("objects", [list(map(str, o.values())) for o in objects[:3]] ==
                [[*row[:4], "100.0"] for row in counts], objects[:3])
    bench.check("objects of metrics", len(objects) == len(rows), len(objects))
    bench.check("no group", not any("group" in o for o in objects) and not any(row[7] for row in rows), objects)


def statuses(bench):
    """A program that did not end has no status; of one that did, the manifest has what the command had."""
    out = bench.directory / "status-abort"
    done = bench.run(bench.command(out, "abort"))
    ended = json.loads((out / "manifest.json").read_text())["end"]
    bench.check("exit code", done.returncode == ended["exit_code"] == 134, (done.returncode, ended))
    for end, options, reason in (("deadlock", [], "deadlock"), ("spin", ["--limit", "1ms"], "limit")):
        out = bench.directory / f"status-{reason}"
        bench.run(bench.command(out, end, *options))
        ended = json.loads((out / "manifest.json").read_text())["end"]
        bench.check("no status", (ended["reason"], ended["status"]) == (reason, None), ended)


# ---- two at once ---------------------------------------------------------------------------------

def locked(bench):
    out = bench.directory / "locked"
    first = bench.start(out, "drain")
    await_run(first, out)
    for options in [], ["--force"]:
        done = bench.run(bench.command(out, "nothing", *options))
        bench.check("second run", done.returncode == 2 and "another run" in done.stderr, done)
    simulator.end(first, TIMEOUT)
    bench.check("first run", first.returncode == 0 and bench.status("first run", out) == "complete",
                first.returncode)


def race(bench):
    """Several into one empty directory: one gets it."""
    for lap in range(3):
        out = bench.directory / f"race-{lap}"
        out.mkdir()
        runs = [bench.start(out, "nothing") for _ in range(RACERS)]
        for r in runs:
            simulator.end(r, TIMEOUT)
        codes = sorted(r.returncode for r in runs)
        bench.check("race", codes == [0] + [2] * (RACERS - 1), codes)
        bench.check("race", bench.status("race", out) == "complete")


def read_from_itself(bench):
    """--force does not replace what the run reads: its program, its standard input."""
    out = bench.directory / "itself"
    bench.run(bench.command(out))

    def held():
        return {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}

    before, run = held(), [bench.numachine, "run", "-q", "--force", "-o", str(out)]
    with_input = bench.directory / "with-input.yaml"
    with_input.write_text(f"program: {{path: {bench.guest}, stdin: {out}/stats.csv}}\n")
    for command in ([*run, str(out / "config.resolved.yaml")], [*run, str(with_input)],
                    [bench.numachine, "stat", "-q", "--force", "-o", str(out), "--", str(out / "guest.elf")]):
        done = bench.run(command)
        bench.check(f"{command}", done.returncode == 2 and "which --force would replace" in done.stderr, done)
        bench.check(f"{command}", held() == before)


# ---- killed --------------------------------------------------------------------------------------

def killed(bench):
    """At any moment; what is left is taken with --force, and is complete only if it is."""
    lot, out, seen = random.Random(7), bench.directory / "killed", set()
    began = time.monotonic()
    bench.run(bench.command(bench.directory / "timing"))
    length = time.monotonic() - began
    for _ in range(RUNS_KILLED):
        process = bench.start(out, "nothing", "--force")
        time.sleep(lot.uniform(0, 1.1 * length))
        process.kill()
        simulator.end(process, TIMEOUT)
        bench.check("killed", process.returncode in (0, -signal.SIGKILL), process.returncode)
        seen.add(bench.status("killed", out))
    bench.check("killed", seen <= {None, "running", "complete"}, seen)
    process = bench.start(out, "spin", "--force")
    await_run(process, out)
    process.kill()
    simulator.end(process, TIMEOUT)
    bench.check("killed while it runs", bench.status("killed", out) == "running")
    done = bench.run(bench.command(out))
    bench.check("leftovers", done.returncode == 2 and "--force" in done.stderr, done)
    done = bench.run(bench.command(out, "nothing", "--force"))
    bench.check("leftovers", done.returncode == 0 and bench.status("leftovers", out) == "complete", done)
    for name in "guest.elf", "guest.elf" + UNFINISHED, "manifest.json" + UNFINISHED:
        shutil.rmtree(out)
        out.mkdir()
        (out / name).write_text("begun")
        done = bench.run(bench.command(out, "nothing", "--force"))
        bench.check(f"leftover {name}", done.returncode == 0, done)


# ---- planted -------------------------------------------------------------------------------------

def planted(bench):
    """Links that a guest has left where results will be written lead nowhere: to a file, or to none."""
    whole = bench.directory / "planted-whole"
    bench.run(bench.command(whole))
    files = [str(f.relative_to(whole)) for f in whole.rglob("*") if f.is_file()]
    victim, none = bench.directory / "victim", bench.directory / "no-victim"
    victim.write_text("mine")
    for turn, name in enumerate(f + end for f in files for end in ("", UNFINISHED)):
        for target in (victim, none) if bench.whole else ((victim, none)[(turn + turn // 2) % 2],):
            out = bench.directory / "planted"
            shutil.copytree(whole, out)
            (out / name).unlink(missing_ok=True)
            (out / name).symlink_to(target)
            done = bench.run(bench.command(out, "nothing", "--force"))
            bench.check(f"planted {name}", done.returncode == 0, done)
            bench.check(f"planted {name}", victim.read_text() == "mine" and not none.exists())
            bench.check(f"planted {name}", not [f for f in out.rglob("*") if f.is_symlink()])
            shutil.rmtree(out)
    (whole / "notes").write_text("mine")
    done = bench.run(bench.command(whole, "nothing", "--force"))
    bench.check("a file of somebody else's", done.returncode == 2 and (whole / "notes").exists(), done)


# ---- signals -------------------------------------------------------------------------------------

def left_over(bench):
    """A killed run leaves its private directory; the next run removes it, and no other's. One that nobody has locked
    yet is left alone for a minute."""
    scratch = bench.directory / "scratch"
    scratch.mkdir()
    environment = dict(os.environ, TMPDIR=str(scratch))

    def start(name):
        """It has its directory when that is locked: until then it has another name."""
        before = set(scratch.glob("numachine-run-*"))
        process = bench.start(bench.directory / name, "spin", env=environment)
        end = time.monotonic() + simulator.CLOCK * TIMEOUT
        while set(scratch.glob("numachine-run-*")) == before and time.monotonic() < end:
            time.sleep(0.005)
        await_run(process, bench.directory / name)
        return process, *(set(scratch.glob("numachine-run-*")) - before)

    process, dead = start("left-dead")
    process.kill()
    process.wait()
    process, alive = start("left-alive")
    old, young = (scratch / f"numachine-new-{name}" for name in ("old", "young"))
    old.mkdir(), young.mkdir()
    os.utime(old, (0, 0))
    simulator.bounded(bench.command(bench.directory / "left-next"), TIMEOUT, env=environment,
                      stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    bench.check("left over", set(scratch.iterdir()) == {alive, young}, list(scratch.iterdir()))
    process.kill()
    process.wait()


def signalled(bench, name, *steps, partial=True):
    """Sends signals, or waits for so many seconds, while the guest runs."""
    out = bench.directory / name
    process = bench.start(out, "spin")
    await_run(process, out)
    for step in steps:
        if isinstance(step, float):
            time.sleep(step)
        elif process.poll() is None:
            process.send_signal(step)
    _, said = simulator.end(process, TIMEOUT)
    status = bench.status(name, out)
    bench.check(name, process.returncode == 130, process.returncode)
    bench.check(name, status == "partial" if partial else status in ("running", "partial"), status)
    bench.check(name, b"interrupted" in said or b"asked again" in said, said)


def signals(bench):
    signalled(bench, "hup", signal.SIGHUP)
    for lap in range(5):
        signalled(bench, f"twice-{lap}", signal.SIGTERM, 0.001 * lap, signal.SIGTERM)
    signalled(bench, "many", *[signal.SIGTERM, signal.SIGINT, signal.SIGHUP, 0.01] * 10)
    if shutil.which("timeout"):
        out = bench.directory / "timeout"
        process = bench.spawn(["timeout", str(simulator.CLOCK * TIMEOUT), *bench.command(out, "spin")], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        await_run(process, out)
        process.send_signal(signal.SIGALRM)  # its time is over
        process.wait()
        bench.check("timeout", process.returncode == 124, process.returncode)
        bench.check("timeout", bench.status("timeout", out) == "partial")
    process = bench.spawn(["sh", "-c", 'trap "" HUP; exec "$@"', "sh",
                           *bench.command(bench.directory / "nohup", "drain")],
                          stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    await_run(process, bench.directory / "nohup")
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    simulator.end(process, TIMEOUT)
    bench.check("nohup", process.returncode == 0, process.returncode)


def impatient(bench):
    """A run that cannot end, because nobody reads what it has to say, is asked again later."""
    out = bench.directory / "impatient"
    reader, writer = os.pipe()
    while select_writable(writer):
        os.write(writer, b"x" * 4096)
    process = bench.spawn([bench.numachine, "stat", "-m", "station-4", "-o", out, "--",
                           bench.guest, "spin"], stdin=subprocess.DEVNULL, stderr=writer)
    await_run(process, out)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    time.sleep(3.5)
    bench.check("impatient", process.poll() is None, process.returncode)
    os.set_blocking(reader, False)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    while process.poll() is None:
        try:
            os.read(reader, 1 << 16)
        except BlockingIOError:
            time.sleep(0.05)
    bench.check("impatient", process.returncode == 130, process.returncode)
    bench.check("impatient", bench.status("impatient", out) in ("running", "partial"))
    os.close(reader)
    os.close(writer)


def select_writable(fd):
    import select
    return bool(select.select([], [fd], [], 0)[1])


def main():
    numachine, guest = map(os.path.abspath, sys.argv[1:3])
    which = sys.argv[3]
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # who started us may have had it ignored (nohup)
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(numachine, guest, which, directory)
        try:
            full_tmpfs(bench, little_files(bench))
            for part in (full_stream, output, hint, lines, statuses, locked, race, read_from_itself, killed, planted, left_over, signals,
                         impatient):
                begin = time.monotonic()
                part(bench)
                print(f"{part.__name__}: {time.monotonic() - begin:.1f} s")
        finally:
            bench.end_all()
    print(f"{bench.failures} failed")
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
