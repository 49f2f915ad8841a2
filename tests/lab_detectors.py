#!/usr/bin/env python3
"""
Detectors of false sharing: numachine detect, and the shipped ones.

    lab_detectors.py NUMACHINE HOME [all]

Each shipped detector names the line of a program whose sharing is plain. Listening changes nothing: the result's
hash is that of a run that nobody listens to, and the same is said twice. Those that look at words name
nothing where words are shared (without `all`: of three programs). Files that are wrong are refused with a line that says where.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

GOOD = """short: x
passes:
  - name: hits
    monitor: [histogram.source=invalidates]
require: [hits - 100]
score: hits
long: x
"""
# what is changed, into what, and what the complaint says
BAD = [
    ("short: x\n", "", "the detector has no 'short'"),
    ("score: hits\n", "", "the detector has no 'score'"),
    ("short", "shrt", "unknown key 'shrt'"),
    ("hits - 100", "hist - 100", "no pass has a measure 'hist'; did you mean 'hits'?"),
    ("hits - 100", "hits -", "formula 'hits -'"),
    ("hits - 100", "hits_card", "did you mean 'hits_cards'?"),
    ("name: hits", "name: Hits", "'Hits' is not a name of a-z and 0-9"),
    ("name: hits", "name: pcycles", "is taken"),
    ("    monitor: [histogram.source=invalidates]\n", "", "a pass needs 'name' and 'monitor'"),
    ("=invalidates", "=invalidate", "invalidate"),
    ("histogram.source", "histogram.sauce", "sauce"),
    ("[histogram.source=invalidates]", "x", "'monitor' is a single value"),
    ("require: [hits - 100]", "require: hits", "'require' is a single value"),
    ("\nrequire", "\n    slices: 65\nrequire", "slices"),
    ("\nrequire", "\n    sweep: 0\nrequire", "sweep"),
    ("\nrequire", "\n    sample: all\nrequire", "sample"),
    ("\nrequire", "\n    slices: 2\n    sweep: 2\nrequire", "a pass has one of"),
    ("\nrequire", "\n    sweep: 2\nrequire", "has 'sweep' and programs no counter"),
    ("\nrequire", "\n    sample: line\nrequire", "has 'sample' and programs no counter"),
    ("passes:\n  - name: hits\n    monitor: [histogram.source=invalidates]", "passes: []", "a detector has 1 to"),
    (GOOD, "", "nothing in it"),
    (GOOD, GOOD + "x: [", "error"),
    (GOOD.split("require")[0], GOOD.split("require")[0] + GOOD.split("passes:\n")[1].split("require")[0],
     "a pass 'hits' is there already"),
]


def detect(numachine, *words):
    return subprocess.run([numachine, "detect", *map(str, words)], capture_output=True, text=True, check=False)


STORES = """#include <pthread.h>
static volatile int n[4] __attribute__((aligned(64)));
static void *fill(void *at)
{
    for (int i = 0; i < 300; i++)
        *(volatile int *)at = i;
    return 0;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, fill, (void *)&n[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return 0;
}
"""


def check_progress(numachine, directory):
    """A store whose miss is sampled is made before the handler has let others take its line."""
    source = pathlib.Path(directory, "stores.c")
    source.write_text(STORES)
    subprocess.run(["mips-linux-gnu-gcc", "-O1", "-static", "-pthread", source, "-o", source.with_suffix("")], check=True)
    done = detect(numachine, "--charge", "hitm:period=1:handler=20000", "--", source.with_suffix(""))
    assert done.returncode == 0, done.stderr


def check_charged(numachine, executable):
    """What a model's handlers take delays the processors if it is asked to, the same each time; and only then."""
    slow = "hitm:period=1:handler=20000"
    plain, *charged = [json.loads(detect(numachine, "--format=json", *options, slow, "--", executable).stdout)
                       for options in ([], ["--charge"], ["--charge"])]
    assert charged[0] == charged[1], charged
    assert plain["handler_pcycles"] == 20000 * plain["interrupts"] > 0, plain
    assert charged[0]["pcycles"] > plain["pcycles"] + charged[0]["handler_pcycles"] / 64, (plain["pcycles"], charged[0]["pcycles"])
    for long in "predator:access=100000", "featherlight:period=1:handler=10000:trap=10000:set=10000":
        done = detect(numachine, "--charge", long, "--", executable)
        assert done.returncode == 0, f"the watchdog takes {long} for a processor that is stuck: {done.stderr}"
    for words, says in ((["--charge", "words", "--", executable], "--charge is for models"),
                        (["--charge", "hitm,words,fought", "--", executable], "interrupts for 'words' is not known"),
                        (["--charge", "-m", "r10000", "hitm", "--", executable], "processor.core: r4400"),
                        (["naive:writers=1", "--", executable], "a number from 2 to 1024"),
                        (["naive:wri\nters" + 500 * "s", "--", executable], "'naive' has no parameter 'wri?ters"),
                        (["naiv:writers=3", "--", executable], "no detector 'naiv'; did you mean 'naive'?"),
                        (["words:writers=3", "--", executable], "'words' is a file: only models have parameters")):
        done = detect(numachine, *words)
        assert done.returncode == 2 and says in done.stderr and not done.stdout, (words, done)


def check_served(numachine, executable):
    """What another cache served is what the truth of misses says; nearly all of it had been written."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "run")
        subprocess.run([numachine, "stat", "-q", "--truth", "-o", out, "--", executable], capture_output=True, check=True)
        truth = json.loads((out / "truth.json").read_text())
    transfers = [name for name, *_ in truth["columns"]].index("transfers")
    cells = (row[9:] for row in truth["rows"])  # pairs of column and value
    all_of = sum(value for row in cells for column, value in zip(row[::2], row[1::2]) if column == transfers)
    counted = json.loads(detect(numachine, "--format=json", "hitm:period=1", "--", executable).stdout)["events"]
    assert 0.9 * all_of < counted <= all_of, (counted, all_of)


MODELS = ["naive", "naive:writers=3", "fsdetect", "fought", "hitm:period=10", "loadlat:period=2", "featherlight", "predator",
          "sheriff"]  # what finds the plainest of all


def look(numachine, detector, executable):
    """What a detector says, as a dictionary."""
    done = detect(numachine, "--format=json", detector, "--", executable)
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    return done.stdout, json.loads(done.stdout)


def suspects(said):
    return [int(line["virtual"], 16) for line in said["lines"] if line["suspect"]]


def objects_of(lab, numachine, executable):
    """({object: its lines}, the result's hash) of a run that nobody listens to."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, "run")
        done = subprocess.run([numachine, "stat", "-q", "-o", out, "--", executable], capture_output=True, text=True,
                              check=True)
        result = json.loads((out / "manifest.json").read_text())["end"]["result_hash"]
    lines = {}
    for name, at, length in lab.objects(done.stdout):
        lines.setdefault(name, set()).update(range(at // 64 * 64, at + length, 64))
    return lines, result


def check_shipped(lab, numachine, directory):
    """All of them find the plainest of all, and leave it as it is."""
    row = next(row for row in lab.table() if row.label == "first/tallies")
    executable = row.build(directory)
    lines, result = objects_of(lab, numachine, executable)
    shipped = sorted(path.stem for path in (lab.HERE / "detectors").glob("*.yaml"))
    assert len(shipped) >= 6, shipped
    for detector in shipped:
        text, said = look(numachine, detector, executable)
        assert said["result_hash"] == result, f"{detector} has changed the run"
        assert set(suspects(said)) == {min(lines["tallies"])}, f"{detector}: {suspects(said)}"
        assert said["lost"] == 0, detector
        if detector in ("waits", "words"):
            assert look(numachine, detector, executable)[0] == text, f"{detector} says one thing and another"
    for machine, line in (("numachine-64", 64), ("r10000", 128)):
        models = json.loads(detect(numachine, "--format=json", "-m", machine, ",".join(MODELS), "--", executable).stdout)
        for model, said in zip(MODELS, models):
            assert said["detector"] == model.split(":")[0] and (said["result_hash"] == result or machine == "r10000"), said
            assert min(lines["tallies"]) // line * line in suspects(said) and said["bits"] > 0 and said["runs"] == 1, said
            assert all(0 < line["when"] <= said["pcycles"] for line in said["lines"] if line["when"]), said


def check_words(lab, numachine, directory, every):
    """Words tell false sharing from true."""
    for row in lab.table(["first"]):
        if row.name not in (("flags", "pairs", "board", "tasks", "mailbox", "handed") if every else ("flags", "tasks", "mailbox")):
            continue
        executable = row.build(directory)
        lines, _ = objects_of(lab, numachine, executable)
        falsely = set().union(*(lines[name] for name in row.falsely)) if row.falsely else set()
        for detector in "words", "waits":
            named = set(suspects(look(numachine, detector, executable)[1]))
            assert named <= falsely and bool(named) == bool(falsely), f"{detector}: {row.name}: {named}"


def check_order(numachine, executable, machines):
    """What models find does not hang on how the simulator goes about its work: in what windows, and how far ahead."""
    for machine in machines:
        said = [detect(numachine, "--format=json", "-m", machine, *options, ",".join(MODELS), "--", executable).stdout
                for options in ([], ["--set", "run.check=true"], ["--set", "run.step=true"])]
        assert said[0] and said[0] == said[1] == said[2], f"{machine}: other findings with run.check or run.step"


WAITS = """short: x
passes:
  - name: wait
    monitor:
      - "counters=[{event: run, start: -3000, interrupt: true}, {event: l2_stall, start: -500, interrupt: true},
         {event: mp_stall, start: -500, interrupt: true}]"
    sample: access
require: [wait_waited - 10000]
score: wait_waited
long: x
"""
PHASES = """#include <pthread.h>
#include <stdio.h>
static volatile int line[16] __attribute__((aligned(64))), many[16 * 64] __attribute__((aligned(64)));
static pthread_barrier_t barrier;
static void *work(void *at)
{
    const long own = (long)at;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 200; i++)
        __sync_fetch_and_add(&line[i % 4], 1);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 600; i++)
        line[own]++;
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 64; i++)
            many[16 * i + own]++;
    return NULL;
}
int main(void)
{
    pthread_t thread[4];
    pthread_barrier_init(&barrier, NULL, 4);
    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    printf("%p %p\\n", (void *)line, (void *)many);
    return 0;
}
"""


def check_waits(numachine, directory):
    """Waiting is put down to lines, by what a line's bytes were used for then; lines alike say more together."""
    detector, source = pathlib.Path(directory, "waits.yaml"), pathlib.Path(directory, "phases.c")
    detector.write_text(WAITS)
    source.write_text(PHASES)
    executable = source.with_suffix("")
    subprocess.run(["mips-linux-gnu-gcc", "-O1", "-static", "-pthread", source, "-o", executable], check=True)
    line, many = (int(word, 16) for word in subprocess.run([numachine, "stat", "-q", "--", executable],
                  capture_output=True, text=True, check=True).stdout.split()[:2])
    said = {int(row["virtual"], 16): row["measures"] for row in look(numachine, detector, executable)[1]["lines"]
            if row["virtual"]}
    assert line in suspects(look(numachine, "waits", executable)[1]) and line not in suspects(look(numachine, "words", executable)[1])
    here = said[line]
    assert here.get("wait_apart", 0) < here["wait_common"], f"the whole run: {here}"
    assert here["wait_parted"] > 2 * here["wait_joined"] > 0, f"sample by sample: {here}"
    assert here["wait_parted"] + here["wait_joined"] <= here["wait_waited"] == here["wait_alike"], here
    rows = [said[many + 64 * i] for i in range(64)]
    for row in rows:
        assert row["wait_waited"] % 500 == 0, row
    spread, pooled = ([max(row[name] for row in rows) - min(row[name] for row in rows)]
                      for name in ("wait_waited", "wait_alike"))
    assert pooled < spread, (pooled, spread)


def check_bad(numachine, directory, executable):
    """One clear line for each mistake, and status 2."""
    file = pathlib.Path(directory, "bad.yaml")
    file.write_text(GOOD)
    assert detect(numachine, file, executable).returncode == 0
    for before, after, says in BAD:
        assert before in GOOD
        file.write_text(GOOD.replace(before, after, 1))
        done = detect(numachine, file, executable)
        assert done.returncode == 2 and says in done.stderr and not done.stdout, (after, says, done)
    for words, says in [((), "which DETECTORS"), (("lines",), "which PROGRAM"), (("lime", executable), "lime"),
                        (("lines", directory), "directory"), (("lines", "/nonexistent"), "nonexistent"),
                        (("--format=xml", "lines", executable), "--format: no 'xml'"),
                        (("--set", "l2.lime=3", "lines", executable), "lime"), (("lines", file), "bad.yaml")]:
        done = detect(numachine, *words)
        assert done.returncode == 2 and says in done.stderr and not done.stdout, (words, done)


def check_failed(numachine, directory):
    """A program that does not end well is no measurement."""
    source = pathlib.Path(directory, "fails.c")
    source.write_text("int main(void)\n{\n    return 3;\n}\n")
    executable = source.with_suffix("")
    subprocess.run(["mips-linux-gnu-gcc", "-static", source, "-o", executable], check=True)
    done = detect(numachine, "lines", executable)
    assert done.returncode == 1 and "did not end well" in done.stderr, done
    for words, says in ((["--set", "run.mode=functional", "lines", executable], "run.mode: functional has no caches"),
                        (["lines", "--set=run.seed=2", executable], "'--set=run.seed=2' stands behind DETECTORS")):
        done = detect(numachine, *words)
        assert done.returncode == 2 and says in done.stderr and not done.stdout, done


def check_killed(numachine, directory):
    """A host without memory kills a run: that is no bug of the simulator's."""
    source = pathlib.Path(directory, "ever.c")
    source.write_text("int main(void)\n{\n    for (;;)\n        ;\n}\n")
    executable = source.with_suffix("")
    subprocess.run(["mips-linux-gnu-gcc", "-static", source, "-o", executable], check=True)
    with subprocess.Popen([numachine, "detect", "hitm", "--", executable], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as command:
        children = pathlib.Path(f"/proc/{command.pid}/task/{command.pid}/children")
        while not children.read_text().split() and command.poll() is None:
            time.sleep(0.01)
        for child in children.read_text().split():
            os.kill(int(child), signal.SIGKILL)
        said = command.communicate(timeout=600)[1]
    assert command.returncode == 2 and "killed by signal 9: by a host that has too little memory" in said, (command, said)


def check_told(lab, numachine, directory, every):
    """What a detector cannot tell is said, by what it does; a program's complaints come once, however often it runs."""
    listed = json.loads(subprocess.run([numachine, "list", "--json", "detectors"], capture_output=True, check=True).stdout)
    models = [row for row in listed if row["kind"] == "model"]
    assert all(row["paper"] and row["finds"] in ("false sharing", "any sharing") for row in models) and models, models
    listed = [row for row in listed if row["kind"] == "cards"]
    for row in listed:
        samples = "sample: access" in pathlib.Path(lab.HERE, "detectors", row["name"] + ".yaml").read_text()
        assert row["finds"] == ("false sharing" if samples else "any sharing"), row
    assert [row["name"] for row in listed if row["finds"] == "false sharing"] == ["waits", "words"], listed
    shown = subprocess.run([numachine, "list", "detectors", "words"], capture_output=True, text=True, check=True).stdout
    assert "finds:  false sharing" in shown and "events:" not in shown and "counters)" not in shown, shown
    executable = pathlib.Path(directory, "plain/first/tallies")
    for detector, told in ("lines", True), ("words", False):
        text = detect(numachine, detector, executable).stdout
        assert ("finds any sharing" in text) == told and "physical line" in text and "virtual line" in text, text
    source = pathlib.Path(directory, "loud.c")
    source.write_text('#include <stdio.h>\n#include <pthread.h>\n'
                      'static volatile int n[2] __attribute__((aligned(64)));\n'
                      'static void *count(void *at)\n{\n    for (int i = 0; i < 4000; i++)\n'
                      '        ++*(volatile int *)at;\n    return NULL;\n}\n'
                      'int main(void)\n{\n    pthread_t t;\n    fputs("loud\\n", stderr);\n'
                      '    pthread_create(&t, NULL, count, (void *)&n[1]);\n    count((void *)&n[0]);\n'
                      '    return pthread_join(t, NULL);\n}\n')
    executable = source.with_suffix("")
    subprocess.run(["mips-linux-gnu-gcc", "-O1", "-static", "-pthread", source, "-o", executable], check=True)
    for detector in ["phases"] if not every else ["invalidate-hits", "phases"]:
        done = detect(numachine, "--format=json", detector, executable)
        assert done.returncode == 0 and json.loads(done.stdout)["runs"] > 5, done
        assert done.stderr == "loud\n", done.stderr


def main():
    numachine, home = sys.argv[1], pathlib.Path(sys.argv[2])
    sys.path.insert(0, str(home / "experiments/false-sharing-lab"))
    sys.dont_write_bytecode = True
    import programs as lab
    with tempfile.TemporaryDirectory() as directory:
        check_shipped(lab, numachine, directory)
        every = "all" in sys.argv[3:]
        check_order(numachine, pathlib.Path(directory, "plain/first/tallies"),
                    ["station-4", "numachine-64"] + ["r10000"] * every)
        check_words(lab, numachine, directory, every)
        check_waits(numachine, directory)
        check_bad(numachine, directory, pathlib.Path(directory, "plain/first/tallies"))
        check_failed(numachine, directory)
        check_killed(numachine, directory)
        check_served(numachine, pathlib.Path(directory, "plain/first/tallies"))
        check_progress(numachine, directory)
        check_charged(numachine, pathlib.Path(directory, "plain/first/tallies"))
        check_told(lab, numachine, directory, every)


main()
