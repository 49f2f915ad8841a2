#!/usr/bin/env -S python3 -S
"""
The Python module numachine with machines in this process: they do what the command's do.

    python.py NUMACHINE GUEST HOME LIBRARY

GUEST is tests/sweep_guest.c. Each case is a process: a program with threads starts SimGrid, which starts once. Without
pandas and numpy it is the same; and the module installs with pip, where that is there with setuptools.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import simulator
import skip

NUMACHINE, GUEST, HOME, LIBRARY = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:5])
PATTERN = "machine: station-4\nprogram: {processors: 4, pattern: [{kind: uniform, references: 3000}]}\n"
SAME = """
import json, sys
import numachine
how, words = sys.argv[1], json.loads(sys.argv[2])
with numachine.Machine(**words) as machine:
    assert machine.now == 0 and machine.end is None
    if how == "steps":
        while machine.step(777):
            assert machine.now >= 777
    elif how == "until":
        assert machine.run(until=lambda m: m.total("truth.loads") >= 100, every=50) and machine.now > 0
        assert 100 <= sum(machine.frame()["truth.loads"]) == sum(row[machine.columns.index("truth.loads")] for row in machine.counts())
    assert not machine.run() and not machine.step(1)
    totals = {name: machine.total(name) for name in machine.columns}
    print(json.dumps({**machine.end, "totals": totals, "now": machine.now, "seconds": machine.seconds}))
"""
# What cannot be, and what it has to say.
WRONG = [
    ("dict(program=['no/such'])", "no/such"),
    ("dict(program=['/etc/passwd'], machine='station-4')", "passwd"),
    ("dict()", "no experiment, no program"),
    ("dict(experiment='speed-up')", "sweep"),
    ("dict(experiment='first-light')", "compile it"),
    ("dict(program=['x'], machine='no-such')", "no-such"),
    ("dict(program=['x'], sets=['protocol=none'])", "protocol"),
    ("dict(program=[])", "no words of a program"),
    ("dict(program='x')", "program: a list of words"),
    ("dict(program=['x'], sets='protocol=flat')", "sets: a list of words"),
    ("dict(program=['x', 'a' + chr(0) + 'b'])", "null byte"),
]
# What cannot be asked of a machine that stands, has been given back, or is another process's.
ASKED = """
import os, sys
import numachine
machine = numachine.Machine([sys.argv[1], "300", "2"], machine="station-4")
assert machine.run(until=5000)
def refused(what, says):
    try:
        what()
    except ValueError as why:
        assert says in str(why), why
        return
    raise AssertionError(says)
for bad in dict(until=1.5), dict(until=-1), dict(until=1 << 64), dict(until=lambda m: False, every=0), dict(until=lambda m: False, every=-5):
    refused(lambda: machine.run(**bad), "a whole number of ticks")
every = [lambda: machine.now, lambda: machine.end, lambda: machine.seconds, machine.counts, machine.frame, machine.run,
         lambda: machine.step(1), lambda: machine.total("nacks")]
child = os.fork()
if not child:
    for ask in every:
        refused(ask, "another process's")
    machine.close()
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
machine.close()
machine.close()
for ask in every:
    refused(ask, "given back")
"""
CLOSED = """
import numachine
for text in ["pattern.yaml"] * 3:
    machine = numachine.Machine(experiment=text)
    assert machine.step(1000) and machine.now >= 1000
    machine.close()
"""
failures = []


def expect(good, *what):
    if not good:
        failures.append(what)
        print("FAILED:", *what)


def python(text, *words, bare=False, path=f"{HOME}/python"):
    """Executes a program. bare: numpy and pandas are not there. (status, output, what was said)"""
    hide = "import sys\nsys.modules['numpy'] = sys.modules['pandas'] = None\n" if bare else ""
    done = subprocess.run([sys.executable, "-c", hide + text, *words], capture_output=True, text=True, timeout=600, check=False,
                          env={**simulator.sanitizer("detect_leaks=0"), "PYTHONPATH": path, "NUMACHINE_LIBRARY": LIBRARY})
    return done.returncode, done.stdout, done.stderr


def commands(*words):
    """What the command leaves of the same run: the manifest's end, and the machine's statistics."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([NUMACHINE, *words[:1], "-q", "-o", out, "--force", *words[1:]], capture_output=True, check=True)
        stats = json.loads(pathlib.Path(out, "stats.json").read_text())["snapshots"][0]["stats"]["machine"]
        return json.loads(pathlib.Path(out, "manifest.json").read_text())["end"], stats


def same(how, words, *command, bare=False):
    status, out, said = python(SAME, how, json.dumps(words), bare=bare)
    expect(status == 0, how, words, out, said)
    if status:
        return
    end, stats = commands(*command)
    is_ = json.loads(out.splitlines()[-1])
    for name in "reason", "status", "ticks", "instructions", "result_hash", "totals_hash":
        expect(is_[name] == end[name], how, words, name, is_[name], end[name])
    expect(is_["now"] == end["ticks"], how, words, is_["now"])
    found = 0
    for name, value in is_["totals"].items():
        name = name if name.startswith("truth.") else f"monitor.{name}"
        found += name in stats
        expect(stats.get(name, value) == value, how, words, name, value, stats.get(name))
    expect(found > 20, how, words, "compares only", found)


def check_pip():
    """With what this host has: nothing is fetched."""
    words = [[p, "-c", "import setuptools, wheel, pip"] for p in (sys.executable, "/usr/bin/python3") if os.path.exists(p)]
    own = next((w[0] for w in words if not subprocess.run(w, capture_output=True, check=False).returncode), None)
    if not own:
        skip.left_out("installing with pip", "python3-pip", "python3-setuptools", "python3-wheel")
        return
    with tempfile.TemporaryDirectory() as name:
        copy, prefix = pathlib.Path(name, "python"), pathlib.Path(name, "there")
        subprocess.run(["cp", "-r", f"{HOME}/python", copy], check=True)
        done = subprocess.run([own, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-index", "--no-deps",
                               "--target", prefix, copy], capture_output=True, text=True, check=False)
        expect(done.returncode == 0, "pip", done.stdout, done.stderr)
        status, out, said = python("import numachine; print(numachine.__version__, numachine.__file__)", path=str(prefix))
        version = subprocess.run([NUMACHINE, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        expect(status == 0 and out.split() == [version, f"{prefix}/numachine/__init__.py"], "pip", out, said)
        expect(len(list(prefix.glob(f"numachine-{version}.dist-info"))) == 1, "pip", sorted(prefix.iterdir()))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        pathlib.Path("pattern.yaml").write_text(PATTERN)
        station = ["--machine", "station-4", "--", GUEST, "300", "2"]
        words = {"program": [GUEST, "300", "2"], "machine": "station-4"}
        same("whole", words, "stat", *station)
        same("steps", words, "stat", *station)
        same("until", words, "stat", *station, bare=True)
        same("steps", {**words, "machine": "r10000"}, "stat", "--machine", "r10000", "--", GUEST, "300", "2")
        same("steps", {"experiment": "pattern.yaml", "sets": ["run.seed=5"]}, "run", "--set", "run.seed=5", "pattern.yaml")
        for text, what in WRONG:
            status, out, said = python(f"import numachine\ntry:\n    numachine.Machine(**{text})\nexcept ValueError as why:\n    print(why)")
            expect(status == 0 and what in out and not out.startswith("\n"), text, out, said)
        status, out, said = python(CLOSED)
        expect(status == 0 and not said, "closed", out, said)
        status, out, said = python(ASKED, GUEST)
        expect(status == 0 and not said, "asked", out, said)
        twice = "import numachine\nm = numachine.Machine(['{0}', '9', '1'], 'station-4')\nm.run()\nm.close()\n" \
                "try:\n    m = numachine.Machine(['{0}', '9', '2'], 'station-4')\n    m.run()\n    print(m.end)\n" \
                "except ValueError as why:\n    print(why)".format(GUEST)
        status, out, said = python(twice)
        expect(status == 0 and "SimGrid" in out, "twice", out, said)
        check_pip()
    sys.exit(bool(failures))


main()
