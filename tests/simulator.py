"""Runs a guest program under the reference (qemu-user) and under the simulator."""
import collections
import json
import os
import pathlib
import resource
import shlex
import shutil
import subprocess
import tempfile
import time

# qemu's default 64-bit processor cannot set the rounding mode.
QEMU = {"o32": ["qemu-mips"], "n64": ["qemu-mips64", "-cpu", "MIPS64R2-generic"],
        "armel": ["qemu-arm", "-cpu", "arm1176,vfp=off"]}
# What makes the machine one for such programs: the default is for MIPS.
MACHINES = {"armel": ["--set", "processor.core=arm1176", "--set", "l2.split=false"]}
# The hostile machine's primary caches are of two lines. An ARM11's have four ways.
SMALLEST = {"armel": ["--set", "l1i.size=512B", "--set", "l1d.size=512B"]}
# Limit of one run: processor time, which does not depend on what else the host does. A run that needs none and does
# not end is stopped by the clock, after so many times as long.
PROCESSOR_SECONDS = 300
CLOCK = 10


# How a program ended: its output, and "exited 3" or "signaled 11". (A dataclass takes Python longer to read than all
# else here, and most tests read this file.)
End = collections.namedtuple("End", "stdout how stderr hashes", defaults=("", ""))


def sanitizer(*options):
    """The environment of a process to which a sanitizer's options are given, besides those of whoever runs the tests."""
    return {**os.environ, "ASAN_OPTIONS": ":".join([*filter(None, [os.environ.get("ASAN_OPTIONS")]), *options])}


def abi_of(program):
    return pathlib.Path(program).suffix[1:]


def processor_seconds(process):
    """What a child has needed so far, all its threads together. It has not been waited for."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end(process, seconds=PROCESSOR_SECONDS, stdin=None):
    """(stdout, stderr) of a Popen, which may need so many seconds of processor time. One that needs more, or does not
    end, is killed; then it raises subprocess.TimeoutExpired. (A limit of the kernel's would be noticed: RLIMIT_CPU
    makes a simulator write its results.)"""
    begin = time.monotonic()
    while True:
        try:
            return process.communicate(stdin, timeout=1)
        except subprocess.TimeoutExpired:
            stdin = None  # sent, or being sent
            if processor_seconds(process) > seconds or time.monotonic() - begin > CLOCK * seconds:
                process.kill()
                stdout, stderr = process.communicate()
                raise subprocess.TimeoutExpired(process.args, seconds, stdout, stderr) from None


def await_that(what, ready, *processes):
    """Waits for an event, `what`: until ready() says something, which it returns. However slow the host is, no time decides; fails
    if one of the processes has ended by then, and after CLOCK * PROCESSOR_SECONDS, which is a guard against hangs."""
    until = time.monotonic() + CLOCK * PROCESSOR_SECONDS
    while not (said := ready()):
        for process in processes:
            assert process.poll() is None, f"{what}: before that its process has ended with {process.returncode}"
        assert time.monotonic() < until, f"{what}: never comes about"
        time.sleep(0.02)
    return said


def bounded(command, seconds=PROCESSOR_SECONDS, **keywords):
    """As subprocess.run, of a command that may need so many seconds of processor time (end)."""
    stdin = keywords.pop("input", None)
    check = keywords.pop("check", False)
    if stdin is not None:
        keywords["stdin"] = subprocess.PIPE
    if keywords.pop("capture_output", False):
        keywords["stdout"] = keywords["stderr"] = subprocess.PIPE
    with subprocess.Popen(command, **keywords) as process:
        try:
            said = end(process, seconds, stdin)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(command, process.returncode, *said)
    if check:
        done.check_returncode()
    return done


def run(command, stdin=b"", **keywords):
    try:
        no_core()
        return bounded(command, input=stdin, capture_output=True, **keywords)
    except subprocess.TimeoutExpired as expired:
        return subprocess.CompletedProcess(command, 124, expired.stdout or b"",
                                           b"no end after %d s of processor time" % PROCESSOR_SECONDS)


def no_core():
    """Nobody started from here leaves a core. (Not between fork and exec: then Python cannot use vfork, and its memory is
    copied for each process.)"""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def reference(program, args=(), stdin=b""):
    done = run([*QEMU[abi_of(program)], program, *args], stdin)
    how = f"exited {done.returncode}" if done.returncode >= 0 else f"signaled {-done.returncode}"
    return End(done.stdout, how, done.stderr.decode(errors="replace"))


def hashes_of(end):
    """What two runs of one version must have in common, from the manifest's part of that name."""
    return f"{end['result_hash']} {end['totals_hash']}"


def end_of(run_directory):
    """(hashes, cycles) of a run, from its manifest."""
    end = json.loads(pathlib.Path(run_directory, "manifest.json").read_text())["end"]
    return hashes_of(end), end["ticks"]


def forged(text, change):
    """A manifest's or an index's text with a change, and without its hash, as an earlier version's."""
    root = json.loads(text)
    change(root)
    root.pop("hash", None)
    return json.dumps(root)


def listed_again(run_directory, name):
    """So that a manifest has the length that a file has now, and no hashes, as an earlier version's."""
    path = pathlib.Path(run_directory, "manifest.json")
    if name == path.name or not (path.parent / name).exists():
        return

    def change(manifest):
        manifest["files"][name] = (path.parent / name).stat().st_size
        manifest.pop("hashes", None)
    path.write_text(forged(path.read_text(), change))


def simulated(numachine, program, args=(), stdin=b"", options=(), **keywords):
    """`keywords` go to the process: cwd, env. Raises AssertionError if there is no manifest.

    TEST_MACHINE in the environment is the machine of runs whose options name none."""
    options = [*MACHINES.get(abi_of(program), []), *options]
    machine = os.environ.get("TEST_MACHINE")
    if machine and not {"-m", "--machine"} & set(options):
        options = ["-m", machine, *SMALLEST.get(abi_of(program), []), *options]
    results = pathlib.Path(tempfile.mkdtemp(prefix="numachine-"))
    try:
        command = [numachine, "stat", "--quiet", "-o", str(results / "out"), *options, "--",
                   program, *args]
        done = run(command, stdin, **keywords)
        what = f"{shlex.join(map(str, command))}: exit status {done.returncode}"
        stderr = done.stderr.decode(errors="replace")
        manifest = results / "out" / "manifest.json"
        assert manifest.exists(), f"{what}, no results\n{stderr}"
        end = json.loads(manifest.read_text())["end"]
        assert end is not None, f"{what}, results never finished\n{stderr}"
        how = end["reason"]
        if how in ("exited", "signaled"):
            how += f" {end['status']}"
        return End(done.stdout, how, stderr, hashes_of(end))
    finally:
        shutil.rmtree(results)
