#!/usr/bin/env -S python3 -S
"""
Sweeps that go to other hosts: what is asked of Slurm and of GNU parallel, and that nothing is lost on the way.

    cluster.py NUMACHINE GUEST commands|slurm|parallel

`commands` has stand-ins for sbatch and parallel, which note what they are asked for. The others are real: a Slurm of one
node, which dies in mid-sweep, and GNU parallel, here and through an SSH daemon of the test's own. Without the packages
they are skipped (77).
"""
import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import simulator
import skip

HEAD = "machine: station-4\nprogram: {path: guest, args: ['100']}\nmonitor: {events: [nacks]}\n"
SIX = "{program.args: [['100'], ['3000', '2']], run.seed: [1, 2, 3]}"

# A stand-in for sbatch: it notes its arguments, and fails if FAKE is "refuse", or "second" and the job waits for another.
# "chatty": what it says is no number; "wait": it waits for what never comes.
SBATCH = """#!/bin/sh
printf '%s\\n' "$*" >>"$NOTES"
case $FAKE-$* in
refuse-* | second-*--dependency*) echo 'sbatch: error: invalid partition specified: nowhere' >&2; exit 1 ;;
chatty-*) echo 'Submitted batch job 3'; exit ;;
wait-*) read never <"$NOTES.never" ;;
esac
echo "$(wc -l <"$NOTES");somewhere"
"""
# A stand-in for GNU parallel: it notes its arguments and runs all jobs, but for the first if FAKE is "lose".
PARALLEL = """#!/bin/sh
[ "$1" != --version ] || { echo 'GNU parallel 1'; exit; }
printf '%s\\n' "$*" >>"$NOTES"
while [ "$1" != ::: ]; do command=$1; shift; done
shift
[ "$FAKE" != lose ] || shift
for shard; do sh -c "${command%\\{\\}} $shard"; done
[ "$FAKE" != lose ]
"""
# A stand-in for squeue: the jobs of a file, if there is one, of those that are asked for. FAKE "down": it does not answer.
SQUEUE = """#!/bin/sh
[ "$FAKE" != down ] || { echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1; }
[ ! -e "$NOTES.queue" ] || while read -r job; do
    case ",${3#--jobs=}," in *",$job,"*) echo "${job}_[1-3]" ;; esac
done <"$NOTES.queue"
"""
FOREIGN = "#!/bin/sh\necho 'parallel: invalid option' >&2\nexit 1\n"


class Bench:
    def __init__(self, numachine, guest, directory):
        self.numachine, self.directory = numachine, pathlib.Path(directory)
        self.failures = 0
        self.env = dict(os.environ)
        (self.directory / "guest").symlink_to(guest)

    def expect(self, good, *what):
        if not good:
            print("FAILED:", *what, flush=True)
            self.failures += 1

    def command(self, *words, env=(), **keywords):
        return simulator.bounded([self.numachine, *map(str, words)], capture_output=True, text=True,
                                 cwd=self.directory, env={**self.env, **dict(env)}, stdin=subprocess.DEVNULL, **keywords)

    def run(self, *words, status=0, says="", **keywords):
        done = self.command("run", *words, **keywords)
        self.expect(done.returncode == status and says in done.stderr,
                    f"{words}: status {done.returncode}, not {status}; {done.stderr}, not {says!r}")
        return done

    def write(self, sweep, name="s.yaml"):
        (self.directory / name).write_text(f"{HEAD}sweep: {sweep}\n")
        return name

    def table(self, out):
        path = self.directory / out / "sweep.csv"
        return path.read_bytes() if path.exists() else None

    def expect_whole(self, out, of="plain"):
        """A directory is as if the sweep had been run there."""
        self.expect(self.table(out) == self.table(of), f"{out}: sweep.csv is another than {of}'s")
        self.expect(not (self.directory / out / "shards").exists(), f"{out}: shards are left")
        known = [[(p["id"], p["state"], p["exit_code"]) for p in
                  json.loads((self.directory / d / "sweep.json").read_text())["points"]] for d in (out, of)]
        self.expect(known[0] == known[1], f"{out}: sweep.json knows {known}")


# ---- what is asked for ------------------------------------------------------------------------------------------------


def notes(bench):
    path = bench.directory / "notes"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return lines


def stand_ins(bench, **programs):
    """A PATH with these programs and what scripts need."""
    room = pathlib.Path(tempfile.mkdtemp(dir=bench.directory))
    for name in ("sh", "wc", "hostname", "mips-linux-gnu-gcc"):
        if shutil.which(name):
            (room / name).symlink_to(shutil.which(name))
    for name, text in programs.items():
        (room / name).write_text(text)
        (room / name).chmod(0o755)
    bench.env["PATH"] = str(room)
    bench.env["NOTES"] = str(bench.directory / "notes")


def scripts(bench, out):
    return {p.name: p.read_text() for p in sorted((bench.directory / out / "cluster").glob("*.sh"))}


def array_of(text):
    return re.search(r"^#SBATCH --array=([\d,]+)$", text, re.M)[1].split(",")


def do_jobs(bench, out, tasks=None, collects=True, status=0):
    """What Slurm would: the jobs of the array, and the one after it. From elsewhere, as nodes do. Returns how many points
    have been run, if the jobs are not quiet."""
    room = bench.directory / out / "cluster"
    ran = 0
    for task in tasks or array_of(scripts(bench, out)["shard.sh"]):
        done = subprocess.run(["sh", room / "shard.sh"], env={**bench.env, "SLURM_ARRAY_TASK_ID": task}, cwd="/",
                              capture_output=True, text=True, check=False)
        bench.expect(done.returncode == status and not done.stdout, f"{out}, job {task}: {done}")
        for ended, kept in re.findall(r"^(\d+) done \((\d+) kept from before\)", done.stderr, re.M):
            ran += int(ended) - int(kept)
    if collects:
        done = subprocess.run(["sh", room / "collect.sh"], env=bench.env, cwd="/", capture_output=True, text=True,
                              check=False)
        bench.expect(done.returncode == (1 if status else 0), f"{out}, collecting: {done}")
    return ran


def check_scripts(bench, out):
    """Names that mean something to somebody are only names."""
    if shutil.which("shellcheck"):
        for path in (bench.directory / out / "cluster").glob("*.sh"):
            done = subprocess.run([shutil.which("shellcheck"), "--severity=warning", path], capture_output=True, text=True, check=False)
            bench.expect(done.returncode == 0, done.stdout)


# Options, and what stands in scripts for them: name of the script, line.
WRITTEN = [
    (["--slurm"], "shard.sh", r"--jobs=\"\$\{SLURM_CPUS_ON_NODE:-1\}\" -- "),
    (["--slurm"], "shard.sh", r"^#SBATCH --requeue$"),
    (["--slurm"], "shard.sh", r"^#SBATCH --open-mode=append$"),
    (["--slurm"], "shard.sh", r'^#SBATCH --output="/[^"]*/out/cluster/shard-%a\.txt"$'),
    (["--slurm"], "collect.sh", r"^#SBATCH --requeue$"),
    (["--slurm", "--shards=1"], "shard.sh", r"^#SBATCH --array=1$"),
    (["--slurm", "-j3"], "shard.sh", r"^#SBATCH --cpus-per-task=3$"),
    (["--slurm", "-j3"], "shard.sh", r"--jobs=\"\$\{SLURM_CPUS_ON_NODE:-3\}\" -- "),
    (["--slurm", "-q"], "shard.sh", r" --quiet -- 's\.yaml' >/dev/null$"),
    (["--slurm", "-s", "bus.fifo=9", "--check"], "shard.sh", r" --set='bus\.fifo=9' --set='run\.check=true' -- "),
    (["--slurm", "-e", "invalidate_hits,nacks", "-g", "NACK"], "shard.sh",
     r" --event='invalidate_hits' --event='nacks' --group='NACK' -- "),
    (["--slurm", "--allow", "/tmp:ro"], "shard.sh", r" --allow='/tmp:ro' -- "),
    (["--sshlogin", ":"], "host.sh", r"--output=\"\$out\" -- "),
    (["--sshlogin", ":", "-j3"], "host.sh", r"--output=\"\$out\" --jobs=3 -- "),
]

# What parallel is asked for: options, a part of its command line.
ASKED = [
    (["--sshlogin", "a,b"], " --sshlogin a,b sh '"),
    (["--sshloginfile", "hosts.txt"], " --sshloginfile hosts.txt sh '"),
    (["--sshlogin", "4/:,me@a.b-c.example:2222,8/[fe80::1%eth0]:22,10.0.0.1"],
     " --sshlogin 4/:,me@a.b-c.example:2222,8/[fe80::1%eth0]:22,10.0.0.1 sh '"),
    (["--sshlogin", ":"], "--jobs 1 "),
    (["--sshlogin", ":", "--shards", "1"], "/host.sh' {} ::: 1"),
]


def test_written(bench):
    bench.write(SIX)
    stand_ins(bench, sbatch=SBATCH, squeue=SQUEUE, parallel=PARALLEL)
    (bench.directory / "hosts.txt").write_text("# ours\n\n:\n  other\n")
    for words, script, line in WRITTEN:
        done = bench.run("s.yaml", *words, "--dry-run", "-o", "out")
        part = done.stdout.partition(f"/out/cluster/{script}\n")[2].partition("\n\n")[0]
        bench.expect(re.search(line, part, re.M), f"{words}: {line} is not in {part}")
    for words, part in ASKED:
        said = bench.run("s.yaml", *words, "--dry-run", "-o", "out").stdout.splitlines()[-1]
        said = said.replace("'\\''", "\0").replace("'", "").replace("\0", "'")
        bench.expect(part in said, f"{words}: {part!r} is not in {said}")
    said = bench.run("s.yaml", "--slurm", "--dry-run", "-o", "out", env={"NUMACHINE_HOME": home_of(bench)}).stdout
    bench.expect(f"\nexport NUMACHINE_HOME='{home_of(bench)}'\n" in said, said)
    bench.expect(not notes(bench) and not (bench.directory / "out").exists(), "a dry run has done something")


def home_of(bench):
    """A directory that may be NUMACHINE_HOME: the tree's own."""
    return str(pathlib.Path(__file__).resolve().parent.parent)


def test_slurm_jobs(bench):
    """The jobs that are submitted do what the sweep would."""
    bench.run("s.yaml", "-q", "-o", "plain")
    done = bench.run("s.yaml", "--slurm", "--shards=3", "-o", "jobs")
    asked = notes(bench)
    out = bench.directory / "jobs"
    bench.expect(asked == [f"--parsable {out}/cluster/shard.sh",
                           f"--parsable --dependency=afterany:1 {out}/cluster/collect.sh 1"], asked)
    bench.expect(done.stdout == "jobs\n" and "job 1 runs the points, job 2 collects" in done.stderr, done)
    bench.expect(array_of(scripts(bench, "jobs")["shard.sh"]) == ["1", "2", "3"], scripts(bench, "jobs"))
    do_jobs(bench, "jobs")
    bench.expect_whole("jobs")
    check_scripts(bench, "jobs")
    bench.run("s.yaml", "--slurm", "--resume", "-o", "jobs", says="6 done (6 kept from before)")
    bench.expect(not notes(bench), "something is submitted though all is done")
    for words in (["--slurm"], ["--sshlogin", ":"]):
        lines = bench.run("s.yaml", *words, "--resume", "--dry-run", "-o", "jobs").stdout.splitlines()
        bench.expect([line.split()[0] for line in lines] == ["keep"] * 6, lines)
    for words in (["--slurm"], ["--sshlogin", ":"]):
        bench.run("s.yaml", *words, "-o", "jobs", status=2, says="'jobs' holds a sweep: --resume goes on with it")
    bench.expect(not notes(bench) and not (out / "shards").exists(), "a refused sweep has done something")


def test_names(bench):
    """Quotes, per cents, blanks and dollars in names."""
    name, out = "it's $HOME.yaml", "50% of 'all' $x"
    bench.write(SIX, name)
    bench.run(name, "--slurm", "-o", out, "--shards=2")
    text = scripts(bench, out)["shard.sh"]
    bench.expect(f"""/50%% of 'all' $x/cluster/shard-%a.txt"\n""" in text, text)
    bench.expect("#SBATCH --job-name=it_s__HOME\n" in text, text)
    notes(bench)
    do_jobs(bench, out)
    bench.expect_whole(out)
    check_scripts(bench, out)
    bench.run(name, "--sshlogin", ":", "-o", out + "2", "--shards=2", "-q")
    bench.expect_whole(out + "2")
    check_scripts(bench, out + "2")
    notes(bench)


def test_resumed(bench):
    """Jobs that never ran, or not to their end, and other numbers of shards: what is finished is not done again."""
    bench.run("s.yaml", "--slurm", "--shards=4", "-o", "some", "-q")
    tasks = array_of(scripts(bench, "some")["shard.sh"])
    do_jobs(bench, "some", tasks[:2], collects=False)
    finished = {p.parent.name: p.stat().st_ino for p in (bench.directory / "some").glob("shards/*/points/*/manifest.json")}
    bench.expect(0 < len(finished) < 6, f"the test tests nothing: {finished}")
    with open_locked(next((bench.directory / "some/shards").iterdir())):
        for words in (["run", "s.yaml", "--slurm", "--resume", "-o", "some"], ["collect", "some"]):
            done = bench.command(*words)
            bench.expect(done.returncode == 2 and "sweep is running in 'some/shards/" in done.stderr, done)
    said = bench.run("s.yaml", "--dry-run", "--resume", "-o", "some").stdout
    bench.expect(len(re.findall("^keep ", said, re.M)) == len(finished), said)
    notes(bench)
    for shards in (2, 3):
        bench.run("s.yaml", "--slurm", "--resume", f"--shards={shards}", "-o", "some", "-q")
    bench.expect(len(notes(bench)) == 4, "submitted")
    said = bench.command("collect", "some").stderr
    left = 6 - len(finished)
    bench.expect(f"{left} of 6 points {'is' if left == 1 else 'are'} not there" in said, said)
    bench.run("s.yaml", "--slurm", "--resume", "--shards=3", "-o", "some")
    ran = do_jobs(bench, "some")
    bench.expect(ran == 6 - len(finished), f"{ran} points are run, after {len(finished)}")
    bench.expect_whole("some")
    kept = {p.parent.name: p.stat().st_ino for p in (bench.directory / "some").glob("points/*/manifest.json")}
    bench.expect(finished.items() <= kept.items(), "what was finished is done again")
    bench.run("s.yaml", "--slurm", "--shards=4", "-o", "here", "-q")
    do_jobs(bench, "here", tasks[2:], collects=False)
    bench.run("s.yaml", "--resume", "-o", "here", says="6 done (")
    bench.expect_whole("here")
    notes(bench)


def test_waiting(bench):
    """Jobs that wait keep their shards; one that collects for an earlier submission leaves the later one alone."""
    notes(bench)
    queue = pathlib.Path(bench.env["NOTES"] + ".queue")
    bench.run("s.yaml", "--slurm", "--shards=3", "-o", "wait", "-q")
    tasks = array_of(scripts(bench, "wait")["shard.sh"])
    do_jobs(bench, "wait", tasks[:1], collects=False)
    collecting = (bench.directory / "wait/cluster/collect.sh").read_text()
    shards = sorted(str(p) for p in (bench.directory / "wait/shards").rglob("*"))
    for jobs, words in (("2", []), ("1", []), ("1\n2", [])):
        queue.write_text(f"7\n{jobs}\n")
        for asks in (["run", "s.yaml", "--slurm", "--resume", "-o", "wait"], ["run", "s.yaml", "--resume", "-o", "wait"],
                     ["run", "s.yaml", "--sshlogin=:", "--resume", "-o", "wait"], ["collect", "wait"]):
            done = bench.command(*asks)
            bench.expect(done.returncode == 2 and "jobs 1 and 2, which were submitted for 'wait', still wait or run" in
                         done.stderr and "scancel 1 2" in done.stderr, asks, done)
    done = bench.command("collect", "wait", env={"FAKE": "down"})
    bench.expect(done.returncode == 2 and "Slurm does not say whether jobs 1 and 2" in done.stderr, done)
    bench.expect(shards == sorted(str(p) for p in (bench.directory / "wait/shards").rglob("*")), "shards have gone")
    # They are cancelled, but the one that collects is late.
    queue.write_text("7\n")
    notes(bench)
    (bench.directory / "notes").write_text("1\n2\n")
    bench.run("s.yaml", "--slurm", "--resume", "--shards=2", "-o", "wait", "-q")
    shards = sorted(str(p) for p in (bench.directory / "wait/shards").rglob("*"))
    late = subprocess.run(["sh", "-c", collecting, "sh", "1"], env=bench.env, capture_output=True, text=True, check=False)
    bench.expect(late.returncode == 2 and "has been resumed since job 1 was submitted" in late.stderr, late)
    bench.expect(shards == sorted(str(p) for p in (bench.directory / "wait/shards").rglob("*")), "shards have gone")
    tasks = array_of(scripts(bench, "wait")["shard.sh"])
    do_jobs(bench, "wait", tasks[1:], collects=False)
    early = subprocess.run(["sh", bench.directory / "wait/cluster/collect.sh", "3"], env=bench.env, capture_output=True,
                           text=True, check=False)
    bench.expect(early.returncode == 1 and re.search(r"of 6 points (is|are) not there", early.stderr), early)
    bench.run("s.yaml", "--resume", "-o", "wait", says="6 done (")
    bench.expect_whole("wait")
    bench.expect(not any((bench.directory / "wait" / name).exists() for name in ("failed", "logs", "cluster/jobs.json")), "left")
    queue.unlink()
    notes(bench)


@contextlib.contextmanager
def open_locked(directory):
    """As a sweep that runs there has it."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def test_failed(bench):
    """Points that fail are known, with what they said, and are tried again."""
    bench.write("{program.args: [['100'], ['10', '1', stuck], ['10', '1', '3'], ['200']]}", "f.yaml")
    bench.run("f.yaml", "-q", "-o", "bad", status=3)
    bench.run("f.yaml", "--slurm", "-o", "badjobs", "--shards=1", "-q")
    do_jobs(bench, "badjobs", status=3)
    bench.expect_whole("badjobs", "bad")
    done = bench.run("f.yaml", "--sshlogin", ":", "-o", "badhosts", status=3, says="3 done (0 kept from before), 1 failed")
    bench.expect_whole("badhosts", "bad")
    bench.expect("failed: status 3; see " in done.stderr, done.stderr)
    for out in ("badjobs", "badhosts"):
        left = [len(list((bench.directory / out).glob(what))) for what in ("logs/*.txt", "failed/*/manifest.json", "points/*")]
        bench.expect(left == [1, 1, 3], f"{out}: {left}")
    bench.write("{program.args: [['100'], ['10', '1', '3'], ['200']]}", "f.yaml")
    bench.run("f.yaml", "--sshlogin", ":", "-o", "badhosts", "--resume", status=1)
    notes(bench)


def test_hosts(bench):
    bench.run("s.yaml", "--sshlogin", ":", "-o", "hosts", "--shards=2", says="6 done (0 kept from before)")
    bench.expect_whole("hosts")
    bench.expect(notes(bench)[0].endswith(" ::: 1 2"), "what parallel was asked for")
    lost = bench.run("s.yaml", "--sshlogin", ":", "-o", "lost", "--shards=2", status=5, env={"FAKE": "lose"},
                     says="points have not been run: GNU parallel ended with status 1; --resume goes on")
    bench.expect(bench.table("lost") not in (None, bench.table("plain")), lost)
    notes(bench)
    bench.run("s.yaml", "--sshlogin", ":", "-o", "lost", "--shards=2", "--resume")
    bench.expect_whole("lost")
    bench.expect(notes(bench)[0].endswith(" ::: 1"), "a shard that was done is run again")
    # A host that does not see the directory makes none.
    bench.run("s.yaml", "--slurm", "-o", "gone", "--shards=1", "-q")
    shutil.rmtree(bench.directory / "gone/shards")
    do_jobs(bench, "gone", collects=False, status=127)
    bench.expect(not (bench.directory / "gone/shards").exists(), "a host has made a directory of its own")
    notes(bench)


# Command lines, status, what is said.
MISTAKES = [
    (["s.yaml", "--slurm"], 2, "--slurm: which directory? (--output"),
    (["s.yaml", "--sshlogin", ":"], 2, "--sshlogin: which directory? (--output"),
    (["s.yaml", "--slurm", "--shard=1/2", "-o", "out"], 2, "leave --shard away"),
    (["s.yaml", "--slurm", "--sshlogin=:", "-o", "out"], 2, "--slurm and --sshlogin exclude each other"),
    (["s.yaml", "--sshloginfile=hosts.txt", "--sshlogin=:", "-o", "out"], 2, "--sshloginfile and --sshlogin exclude each other"),
    (["s.yaml", "--slurm", "--point=a", "-o", "out"], 2, "--point and --slurm exclude each other"),
    (["s.yaml", "--shards=2", "-o", "out"], 2, "--shards: of what? (--slurm, --sshlogin or --sshloginfile)"),
    (["s.yaml", "--slurm", "--force", "-o", "out"], 2, "--force: a sweep replaces nothing"),
    (["s.yaml", "--sshloginfile=nothing", "-o", "out"], 2, "'nothing' cannot be read: No such file or directory"),
    (["s.yaml", "--sshloginfile=/", "-o", "out"], 2, "'/' is no ordinary file"),
    (["s.yaml", "--sshloginfile=nobody", "-o", "out"], 2, "'nobody' names no host"),
    *[(["s.yaml", f"--sshlogin={name}", "-o", "out"], 2, f"--sshlogin: '{name.rpartition(',')[2]}' is no host") for name in (
        "a;touch x", "a,b;touch x", "a,$(touch x)", "`touch x`", "a b", "a,-oProxyCommand=touch", "a@-b", "a|b", "a&b", "a>x", "..",
        "a,", "'a'", '"a"', "a\\b", "a*", "a{}", "4//a", "x/a", "/a", "a:b", "a:", "@", "a@b@c", "[a", "~a", "#a", "%a")],
    (["s.yaml", "--sshloginfile=strange", "-o", "out"], 2, "--sshloginfile: 'b;touch x' is no host"),
    (["s.yaml", "--slurm", "-o", 'a"b'], 2, "no quotes, backslashes, braces or control characters"),
    (["s.yaml", "--sshlogin=:", "-o", "a{}"], 2, "no quotes, backslashes, braces or control characters"),
    (["s.yaml", "--slurm", "-o", "others"], 2, "others"),
    (["s.yaml", "--slurm", "-o", "/proc/out"], 5, "cannot make directory '/proc/out'"),
    (["wrong.yaml", "--slurm", "-o", "out"], 2, "the machine has 4 cards"),
    (["plain.yaml", "--slurm", "-o", "out"], 2, "--slurm: plain.yaml has no sweep:"),
    (["plain.yaml", "--sshlogin=:", "-o", "out"], 2, "--sshlogin: plain.yaml has no sweep:"),
]


def test_mistakes(bench):
    """One line each, and nobody is asked for anything."""
    bench.write("{program.processors: [4, 5]}", "wrong.yaml")
    (bench.directory / "plain.yaml").write_text(HEAD)
    (bench.directory / "nobody").write_text("# nobody\n\n")
    (bench.directory / "strange").write_text("# ours\na\n4/me@b.example:22\n  b;touch x\n")
    (bench.directory / "others").mkdir()
    (bench.directory / "others/mine.txt").write_text("")
    for words, status, says in MISTAKES:
        done = bench.run(*words, status=status, says=says)
        bench.expect(len(re.findall(r"^numachine|error:", done.stderr, re.M)) <= 2 and not done.stdout, done)
        bench.expect(not notes(bench), f"{words}: somebody was asked")
        bench.expect(not (bench.directory / "out").exists(), f"{words}: a directory is made")
    bench.expect(os.listdir(bench.directory / "others") == ["mine.txt"], "others is another now")
    refused = bench.run("s.yaml", "--slurm", "-o", "refused", status=5, env={"FAKE": "refuse"},
                        says="sbatch: error: invalid partition specified: nowhere")
    bench.expect("nothing is submitted; --resume tries again" in refused.stderr, refused)
    half = bench.run("s.yaml", "--slurm", "-o", "half", status=5, env={"FAKE": "second"}, says="has not taken ")
    bench.expect(f"when it has ended: numachine collect {bench.directory}/half" in half.stderr, half)
    notes(bench)
    chatty = bench.run("s.yaml", "--slurm", "-o", "chatty", status=5, env={"FAKE": "chatty"},
                       says="shard.sh, but says 'Submitted batch job 3'")
    bench.expect(len(notes(bench)) == 1 and not chatty.stdout, "a job waits for one without a number")
    os.mkfifo(bench.env["NOTES"] + ".never")
    for number in (signal.SIGINT, signal.SIGTERM):
        stopped = subprocess.Popen([bench.numachine, "run", "s.yaml", "--slurm", "-o", f"stopped-{number}"],
                                   cwd=bench.directory, env={**bench.env, "FAKE": "wait"}, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        while not pathlib.Path(bench.env["NOTES"]).exists():
            time.sleep(0.01)
        stopped.send_signal(number)
        said = stopped.communicate(timeout=600)
        bench.expect(stopped.returncode == 130 and "nothing is submitted" in said[1] and len(notes(bench)) == 1,
                     (stopped.returncode, said))
    bench.run("s.yaml", "--slurm", "-o", "refused", "--resume", "-q")
    do_jobs(bench, "refused")
    bench.expect_whole("refused")
    stand_ins(bench)
    bench.run("s.yaml", "--slurm", "-o", "out", status=2, says="--slurm: there is no sbatch here")
    bench.run("s.yaml", "--slurm", "-o", "out", "--dry-run")
    bench.run("s.yaml", "--sshlogin=:", "-o", "out", status=2, says="install the package parallel")
    stand_ins(bench, parallel=FOREIGN)
    bench.run("s.yaml", "--sshlogin=:", "-o", "out", status=2, says="GNU parallel is not installed here")
    bench.expect(not (bench.directory / "out").exists(), "a directory is made")


# ---- the real ones ----------------------------------------------------------------------------------------------------

MANY = "{program.args: [['40000', '3'], ['60000', '2']], run.seed: {from: 1, to: 12}}"
PATIENCE = simulator.CLOCK * simulator.PROCESSOR_SECONDS  # [s] that anything may take


def having(mark, spared=()):
    """Processes that have a text in their command line or environment, but for us and those."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            pid = int(path.name)
            text = (path / "cmdline").read_bytes() + (path / "environ").read_bytes()
            if os.fsencode(mark) in text and pid != os.getpid() and pid not in spared:
                found.append(pid)
    return found


def kill_all(mark, spared=()):
    """What a host's death does."""
    def gone():
        pids = having(mark, spared)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not pids
    simulator.await_that("the end of all processes", gone)


def finished(bench, out):
    """Points that are there, wherever, and which file each has."""
    found = {}
    for path in (bench.directory / out).rglob("points/*/manifest.json"):
        with contextlib.suppress(OSError):
            if path.parent.suffix != ".part":
                found[path.parent.name] = path.stat().st_ino
    return found


def in_the_middle(bench, out):
    return 3 <= len(finished(bench, out)) < 20


def expect_kept(bench, out, before):
    bench.expect(before.items() <= finished(bench, out).items(), f"{out}: what was finished was done again")


def free_port():
    with contextlib.closing(socket.socket()) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Slurm:
    """A cluster of this host alone."""
    CONF = """ClusterName=numachine
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={room}/munge.socket
CredType=cred/munge
StateSaveLocation={room}/state
SlurmdSpoolDir={room}/spool
SlurmctldPidFile={room}/slurmctld.pid
SlurmdPidFile={room}/slurmd.pid
SlurmctldLogFile={room}/slurmctld.log
SlurmdLogFile={room}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=5
KillWait=10
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
    NEEDED = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol"]

    def __init__(self, directory):
        self.room = pathlib.Path(directory) / "slurm"
        self.started = []
        self.host = socket.gethostname().partition(".")[0]
        for name in ("state", "spool"):
            (self.room / name).mkdir(parents=True)
        self.room.chmod(0o755)
        conf = self.CONF.format(host=self.host, room=self.room, ports=[free_port(), free_port()],
                                user="root", cpus=len(os.sched_getaffinity(0)))
        (self.room / "slurm.conf").write_text(conf)
        (self.room / "key").write_bytes(os.urandom(128))
        (self.room / "key").chmod(0o400)
        self.env = {**os.environ, "SLURM_CONF": str(self.room / "slurm.conf")}
        self.serve("munged", "--foreground", "--force", f"--socket={self.room}/munge.socket", f"--key-file={self.room}/key",
                   f"--pid-file={self.room}/munged.pid", f"--log-file={self.room}/munged.log",
                   f"--seed-file={self.room}/munged.seed")
        simulator.await_that("munged", (self.room / "munge.socket").exists)
        self.serve("slurmctld", "-D", "-f", f"{self.room}/slurm.conf")
        self.node = self.begin_node()
        simulator.await_that("the node", lambda: "idle" in self.ask("sinfo", "-h", "-o", "%t"))

    def serve(self, *words, **keywords):
        words = [shutil.which(words[0], path=PATH), *words[1:]]
        with open(self.room / "said.txt", "ab") as said:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
                                       **keywords)
        self.started.append(process)
        return process

    def begin_node(self):
        return self.serve("slurmd", "-D", "-N", self.host, env=self.env)

    def ask(self, *words):
        return subprocess.run(words, env=self.env, capture_output=True, text=True, check=False, timeout=600).stdout

    def kill_node(self):
        """Its daemon, its jobs, and all that these have started."""
        kill_all(str(self.room / "slurm.conf"), [p.pid for p in self.started if p is not self.node])
        self.node.wait()

    def hurry(self):
        """Whether no job is left. One that is requeued would wait for two minutes."""
        jobs = self.ask("squeue", "-h", "-r", "-o", "%i %T %r").splitlines()
        for job, state, reason in (line.split(None, 2) for line in jobs):
            if state == "PENDING" and reason == "BeginTime":
                self.ask("scontrol", "update", f"JobId={job}", "StartTime=now")
        time.sleep(0.5)
        return not jobs

    def end(self):
        kill_all(str(self.room))
        for process in self.started:
            process.wait()


PATH = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"


# Of programs that are not called as their packages are.
PACKAGES = {"munged": "munge", **dict.fromkeys(["sbatch", "squeue", "scancel", "scontrol"], "slurm-client")}


def need(*programs):
    missing = [name for name in programs if not shutil.which(name, path=PATH)]
    if missing:
        skip.skip(f"no {' '.join(missing)}", *sorted({PACKAGES.get(name, name) for name in missing}))


def plain(bench):
    bench.write(MANY)
    bench.run("s.yaml", "-q", "-o", "plain")
    bench.expect(len(finished(bench, "plain")) == 24, "points")


def test_slurm(bench):
    """A node dies in mid-sweep, and comes back; jobs are cancelled, and submitted again."""
    need(*Slurm.NEEDED)
    if os.geteuid():
        skip.skip("the daemons of Slurm run as root")
    plain(bench)
    slurm = Slurm(bench.directory)
    bench.env["SLURM_CONF"] = slurm.env["SLURM_CONF"]
    try:
        bench.run("s.yaml", "--slurm", "--shards=5", "-o", "dies")
        simulator.await_that("the middle of a sweep", lambda: in_the_middle(bench, "dies"))
        slurm.kill_node()
        before = finished(bench, "dies")
        bench.expect(3 <= len(before) < 24, f"not the middle: {len(before)} points")
        bench.expect(not (bench.directory / "dies/sweep.csv").exists(), "collected before the end")
        slurm.node = slurm.begin_node()
        simulator.await_that("the jobs", slurm.hurry)
        bench.expect_whole("dies")
        expect_kept(bench, "dies", before)
        bench.expect("Restarts=1" in slurm.ask("scontrol", "show", "jobs"), "no job was begun again")

        bench.run("s.yaml", "--slurm", "--shards=5", "-o", "stopped")
        simulator.await_that("the middle of a sweep", lambda: in_the_middle(bench, "stopped"))
        slurm.ask("scancel", "--name=s")
        simulator.await_that("the jobs", slurm.hurry)
        before = finished(bench, "stopped")
        bench.expect(3 <= len(before) < 24 and "points are not there" in
                     (bench.directory / "stopped/cluster/collect.txt").read_text(), f"stopped after {len(before)} points")
        bench.run("s.yaml", "--slurm", "--shards=3", "-o", "stopped", "--resume")
        simulator.await_that("the jobs", slurm.hurry)
        bench.expect_whole("stopped")
        expect_kept(bench, "stopped", before)
        bench.run("s.yaml", "--slurm", "-o", "nowhere", status=5, env={"SBATCH_PARTITION": "nowhere"},
                  says="invalid partition specified: nowhere")
    finally:
        if bench.failures:
            print((slurm.room / "slurmctld.log").read_text()[-8000:])
        slurm.end()


@contextlib.contextmanager
def ssh_daemon(bench):
    """One on this host that lets in who has the test's key. What GNU parallel calls ssh."""
    room = bench.directory / "ssh"
    room.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", room / name], check=True)
    shutil.copy(room / "user.pub", room / "keys")
    port = free_port()
    (room / "sshd.conf").write_text(f"ListenAddress 127.0.0.1:{port}\nHostKey {room}/host\nAuthorizedKeysFile {room}/keys\n"
                                    f"PidFile none\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n")
    made = os.geteuid() == 0 and not os.path.isdir("/run/sshd")
    if made:
        os.mkdir("/run/sshd", 0o755)
    with open(room / "said.txt", "ab") as said:
        daemon = subprocess.Popen([shutil.which("sshd", path=PATH), "-D", "-e", "-f", room / "sshd.conf"], stderr=said)
    ssh = (f"ssh -p {port} -i {room}/user -oIdentitiesOnly=yes -oStrictHostKeyChecking=no -oLogLevel=ERROR "
           f"-oUserKnownHostsFile={room}/known -oBatchMode=yes")
    try:
        simulator.await_that("the SSH daemon", lambda: not subprocess.run([*ssh.split(), "127.0.0.1", "true"], capture_output=True,
                                                              check=False).returncode, daemon)
        yield ssh
    finally:
        daemon.kill()
        daemon.wait()
        if made:
            os.rmdir("/run/sshd")


def start(bench, *words):
    return subprocess.Popen([bench.numachine, "run", "s.yaml", "-q", *words], cwd=bench.directory, env=bench.env,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def stopped_and_resumed(bench, out, hosts, stop):
    """In the middle of a sweep stop(process) is called, which returns the status that is right."""
    words = ["-o", out, "--shards=5", *hosts]
    process = start(bench, *words)
    simulator.await_that("the middle of a sweep", lambda: in_the_middle(bench, out), process)
    status = stop(process)
    said = process.communicate(timeout=PATIENCE)[1]
    bench.expect(process.returncode == status, f"{out}: status {process.returncode}, not {status}; {said}")
    simulator.await_that("the end of its processes", lambda: not having(f"{bench.directory}/{out}"))
    before = finished(bench, out)
    bench.expect(3 <= len(before) < 24 and not bench.table(out), f"{out}: not the middle: {len(before)} points")
    bench.run("s.yaml", "-q", "--resume", *words)
    bench.expect_whole(out)
    expect_kept(bench, out, before)
    return said


def killed(process):
    process.kill()
    return -signal.SIGKILL


def crashed(process, mark):
    """All at once: the command must not see that the others are gone."""
    process.send_signal(signal.SIGSTOP)
    kill_all(mark)
    return killed(process)


def interrupted(process):
    process.send_signal(signal.SIGINT)
    return 130


def test_parallel(bench):
    """On this host, and through ssh: whatever is killed, all that was begun ends, and nothing is lost."""
    need("parallel", "perl")
    plain(bench)
    here = ["--sshlogin", ":"]
    bench.run("s.yaml", "-q", "-o", "hosts", *here)
    bench.expect_whole("hosts")
    stopped_and_resumed(bench, "killed", here, killed)
    said = stopped_and_resumed(bench, "interrupted", here, interrupted)
    bench.expect("interrupted by SIGINT; numachine run --resume goes on" in said, said)
    stopped_and_resumed(bench, "crashed", here, lambda p: crashed(p, f"{bench.directory}/crashed"))
    if not shutil.which("sshd", path=PATH) or not shutil.which("ssh"):
        skip.left_out("no sshd", "openssh-server", "openssh-client")
        return
    with ssh_daemon(bench) as ssh:
        bench.env["PARALLEL_SSH"] = ssh
        (bench.directory / "hosts.txt").write_text("# by name, and this one\n127.0.0.1\n:\n")
        file = ["--sshloginfile", "hosts.txt"]
        bench.run("s.yaml", "-q", "-o", "two", "-j1", *file)
        bench.expect_whole("two")
        for name, stop in ("killed", killed), ("interrupted", interrupted):
            stopped_and_resumed(bench, name + "-ssh", ["--sshlogin", "127.0.0.1"], stop)
        # A host that is not there: the others do its part.
        (bench.directory / "hosts.txt").write_text("127.0.0.1\nnobody.invalid\n")
        bench.run("s.yaml", "-q", "-o", "absent", *file)
        bench.expect_whole("absent")


PARTS = {
    "commands": [test_written, test_slurm_jobs, test_names, test_resumed, test_waiting, test_failed, test_hosts, test_mistakes],
    "slurm": [test_slurm],
    "parallel": [test_parallel],
}


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by who is started in the background
    numachine, guest = (str(pathlib.Path(a).absolute()) for a in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="numachine-") as directory:
        bench = Bench(numachine, guest, directory)
        for test in PARTS[sys.argv[3]]:
            test(bench)
    print(f"{bench.failures} failures")
    return bench.failures != 0


sys.exit(main())
