"""Runs a guest program under the reference (qemu-user) and under the simulator."""
import dataclasses
import json
import os
import pathlib
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile

# qemu's default 64-bit processor cannot set the rounding mode.
QEMU = {"o32": ["qemu-mips"], "n64": ["qemu-mips64", "-cpu", "MIPS64R2-generic"]}
# Limits of one run. Processor time does not depend on what else the host does; a run that needs none
# and does not end is stopped by the clock.
PROCESSOR_SECONDS = 300
HOST_SECONDS = 10 * PROCESSOR_SECONDS


@dataclasses.dataclass
class End:
    """How a program ended: its output, and "exited 3" or "signaled 11"."""
    stdout: bytes
    how: str
    stderr: str = ""
    hashes: str = ""


def abi_of(program):
    return pathlib.Path(program).suffix[1:]


def run(command, stdin=b"", **keywords):
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=HOST_SECONDS,
                              preexec_fn=limits, **keywords)
    except subprocess.TimeoutExpired as expired:
        return subprocess.CompletedProcess(command, 124, expired.stdout or b"",
                                           b"no end after %d s of host time" % HOST_SECONDS)
    if done.returncode == -signal.SIGXCPU:
        done.stderr += b"no end after %d s of processor time" % PROCESSOR_SECONDS
    return done


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limits():
    no_core()
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, most))


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


def simulated(numachine, program, args=(), stdin=b"", options=(), **keywords):
    """`keywords` go to the process: cwd, env. Raises AssertionError if there is no manifest.

    TEST_MACHINE in the environment is the machine of runs whose options name none."""
    machine = os.environ.get("TEST_MACHINE")
    if machine and not {"-m", "--machine"} & set(options):
        options = ["-m", machine, *options]
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
