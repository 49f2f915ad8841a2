#!/usr/bin/env -S python3 -S
"""
Whoever stands in a directory with a guest goes on working there: what git, a shell, numachine and other runs rely on
must be as it was, whatever the guest does (guards_guest.c). A guest in a directory of its own notices nothing.

    guards.py NUMACHINE GUEST
"""
import collections
import os
import pathlib
import re
import shutil
import stat
import sys
import tempfile

import simulator

TREE = pathlib.Path(__file__).resolve().parent.parent

# What others rely on: directories end in a slash, what is executable in a star. What is in a directory of the same
# kind need not be said again: each kind has its row of guards.def.
THERE = {
    "TOOL": ["tool/numachine*", "tool/build/cli/", "tool/build/build.ninja", "tool/docs/page.md"],
    "GIT": ["repository/.git/config", "repository/.git/hooks/pre-commit.sample", "worktree/.git", "worktree/.gitignore", "bare/HEAD",
            "bare/config", "bare/objects/", "bare/refs/", "module/HEAD", "module/commondir"],
    "RESULTS": ["results/a-001/manifest.json", "results/a-001/config.resolved.yaml", "results/a-001/monitor/groups.csv",
                "results/a-001/stats.csv", "sweep/sweep.json", "sweep/points/p1/stats.csv", "sweep/points/p2.part/stats.csv",
                "sweep/shards/1/points/p3/stats.csv", "sweep/logs/p4.txt", "all/collected.json", "all/sweep.csv"],
    "HIDDEN": [".profile", ".ssh/authorized_keys", ".config/autostart/"],
    "EXECUTABLE": ["run.sh*", "bin/tool*"],
}
# Names that do not exist, and may not.
NEW = {
    "TOOL": ["tool/new", "tool/build/cli/numachine"],
    "GIT": [".git", "source/.git", ".GIT", "source/.gitattributes", "source/.gitmodules", "source/.GitIgnore",
            "source/.github", "source/HEAD", "repository/.git/hooks/post-checkout", "bare/hooks"],
    "RESULTS": ["results/a-001/truth.json", "sweep/points/p5", "sweep/points/p2.part/manifest.json", "all/sweep.sqlite"],
    "HIDDEN": [".bash_profile", ".ssh/config"],
}
# Files that may be written, but keep their names.
FOREIGN = ["data", "source/main.c"]
TAKES = ["unlink", "rename-from", "rename-over", "exchange", "rename-at"]


def make_world(top):
    home = top / "home"
    for name in sum(THERE.values(), FOREIGN + ["input"]):
        path = home / name.rstrip("*/")
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_text(f"the user's {name}\n")
            path.chmod(0o755 if name.endswith("*") else 0o644)
    for name in "configs", "experiments", "monitor":
        (home / "tool" / name).symlink_to(TREE / name)
    return home


def seen(home, but=()):
    """All that is there, and what it is."""
    found = {}
    for path in sorted(home.rglob("*")):
        if not any(path.is_relative_to(home / name) for name in but):
            now = path.lstat()
            found[str(path.relative_to(home))] = (stat.filemode(now.st_mode), now.st_nlink if path.is_file() else 0,
                                                  now.st_mtime_ns if path.is_file() else 0,
                                                  path.read_bytes() if path.is_file() and not path.is_symlink() else b"")
    return found


class Bench:
    def __init__(self, numachine, guest, top):
        self.numachine, self.guest, self.top, self.failures = numachine, guest, top, 0
        self.home = make_world(top)

    def expect(self, good, *what):
        if not good:
            print("FAILED:", *what, flush=True)
            self.failures += 1

    def run(self, *words, cwd=".", options=(), program=None):
        environment = {**os.environ, "NUMACHINE_HOME": str(self.home / "tool"), "HOME": str(self.home), "NUMACHINE_CACHE": "off"}
        out = self.top / "out"
        done = simulator.bounded([self.numachine, "stat", "--quiet", "--functional", "-o", out, *options, "--",
                                  program or self.guest, *map(str, words)], 120, cwd=self.home / cwd, env=environment,
                                 capture_output=True, text=True)
        shutil.rmtree(out, ignore_errors=True)
        self.expect(done.returncode == 0, words[:3], cwd, options, done.returncode, done.stdout, done.stderr)
        return done

    def attack(self, paths, cwd="."):
        """Nothing that was there changes, and nothing that is made is what it may not be. @return what was said"""
        before = seen(self.home)
        done = self.run("attack", *paths, cwd=cwd)
        after = seen(self.home)
        for line in done.stdout.splitlines():
            self.expect(False, f"in {cwd}: not refused:", line)
        for name, was in before.items():
            self.expect(after.get(name) == was, f"in {cwd}: changed:", name, was, after.get(name))
        for name, (mode, *_) in after.items():
            self.expect(name in before or mode[0] != "-" or "x" not in mode, f"in {cwd}: can be executed:", name, mode)
        return done.stderr

    def tried(self, operation, path, **how):
        return self.run("try", operation, path, **how).stdout == f"{operation} {path}: done\n"


def kinds():
    """What is said of each kind, by guards.def."""
    text = (TREE / "programs/linux/view/guards.def").read_text()
    return dict(re.findall(r'^GUARD\((\w+), +"([^"]*)"', text, re.M))


def notes(stderr):
    """Kinds -> their notes."""
    found = collections.defaultdict(list)
    for line in stderr.splitlines():
        for kind, says in kinds().items():
            if line.startswith("numachine: note: ") and says in line:
                found[kind].append(line)
    return found


def plain(names):
    return [name.rstrip("*/") for name in names]


def test_standing_above(bench):
    """One run that attacks all: each kind is said once, with what lets it."""
    said = notes(bench.attack(sum((plain(list_) for table in (THERE, NEW) for list_ in table.values()), [])))
    for kind in {*THERE}:
        bench.expect(len(said[kind]) == 1 and f"; --allow {bench.home}" in said[kind][0], kind, said[kind])
    for operation in "symlink", "rename-link", "link-link":
        bench.expect(not bench.tried(operation, "source/results") and bench.tried(operation, f"source/{operation}"), operation)
    for name in FOREIGN:
        before = seen(bench.home)
        for operation in TAKES:
            stderr = bench.run("try", operation, name).stderr
            bench.expect(len(notes(stderr)["FOREIGN"]) == 1, operation, name, stderr)
        bench.expect(before.items() <= seen(bench.home).items(), name, "has lost its name")


def test_drawn(bench, seeds=range(4), times=3000):
    """Whatever is done to names by lot: what others rely on is as it was, and no name of what was there is gone."""
    names = sum((plain(list_) for table in (THERE, NEW) for list_ in table.values()), FOREIGN)
    paths = sorted({str(part) for name in names for part in (pathlib.Path(name), *pathlib.Path(name).parents)} - {"."})
    for seed in seeds:
        before = seen(bench.home)
        done = bench.run("drawn", seed, times, *paths)
        after = seen(bench.home)
        bench.expect(not done.stdout, done.stdout)
        for name, was in before.items():
            mine = name not in plain(sum(THERE.values(), [])) and not name.startswith(("tool/", "bare/", "module/"))
            now = after.get(name)
            # What the guest may write is there, of the same kind, and for nobody else to use.
            good = now and (now == was or (mine and now[0][0] == was[0][0] and not set(now[0][4:]) - set(was[0][4:]) - set("-T")))
            bench.expect(good, seed, "changed:", name, was, now)
        for name, (mode, *_) in after.items():
            fresh = name not in before
            bench.expect(not fresh or not ((mode[0] == "-" and "x" in mode) or pathlib.Path(name).name in (".git", "HEAD")), seed,
                         "made:", name, mode)


def test_private(bench):
    """What others may not read they may not read afterwards; the guest sees what it has asked for."""
    for name in "data", "source":
        path = bench.home / name
        path.chmod(0o700 if path.is_dir() else 0o600)
        for operation in "mode", "mode-of-open":
            bench.expect(bench.tried(operation, name) or path.is_dir(), operation, name)
            bench.expect(path.stat().st_mode & 0o077 == 0, operation, name, oct(path.stat().st_mode))


def test_standing_within(bench):
    for cwd, paths in {"tool": ["numachine", "build/build.ninja", "new", "configs"], "tool/build": ["build.ninja", "new"],
                       "repository/.git": ["config", "hooks/new"], "bare": ["config", "new"], "results/a-001": ["stats.csv", "new"],
                       "sweep/points": ["p1/stats.csv", "p6"], "sweep": ["sweep.json", "sweep.csv"], ".ssh": ["authorized_keys", "new"],
                       ".config/autostart": ["new"]}.items():
        said = bench.attack(paths, cwd)
        bench.expect(len(notes(said)) == 1, cwd, said)


def test_allowed(bench):
    """--allow gives all of it; what is given for reading stays."""
    for operation, path in (("append", "tool/numachine"), ("create", "repository/.git/hooks/mine"), ("append", "results/a-001/stats.csv"),
                            ("append", ".profile"), ("append", "run.sh"), ("rename-over", "data"), ("unlink", "source/main.c"),
                            ("mode", "input")):
        directory = bench.home / pathlib.Path(path).parent
        bench.expect(not bench.tried(operation, path, options=("--allow", f"{directory}:ro")), "read only:", operation, path)
        bench.expect(bench.tried(operation, path, options=("--allow", directory)), "allowed:", operation, path)
    bench.expect(bench.tried("unlink", "build.ninja", cwd="tool/build", options=("--allow", bench.home)), "from above")
    bench.expect(not bench.tried("unlink", "cli", cwd="tool/build", options=("--allow", bench.home, "--allow", ".:ro")), "but this")
    for cwd, path in ((".", "sweep/points/p1/stats.csv"), ("sweep/points", "p1/stats.csv"), ("results/a-001", "stats.csv"),
                      ("source", bench.home / "sweep/points/p1/stats.csv")):
        done = bench.run("try", "append", path, cwd=cwd, options=("--allow", bench.home))
        bench.expect(not done.stdout and "it is of a run or a sweep" in done.stderr, "results by the way:", cwd, path, done)
    for name in "input", "repository/.git/hooks/mine":
        bench.expect((bench.home / name).stat().st_mode & 0o100, name, "cannot be executed")


def test_own(bench):
    """The same whatever is around; the second time everything is there from the first."""
    own = bench.top / "own"
    for cwd in "own", "again":
        (bench.top / cwd).mkdir()
        (bench.top / cwd / "input").write_text("the user's")
        done = bench.run("own", cwd=f"../{cwd}")
        said = notes(done.stderr)
        bench.expect(not done.stdout and set(said) == {"RIGHT"} and len(said["RIGHT"]) == 1, done)
    bench.expect(not any(path.stat().st_mode & 0o111 for path in own.iterdir() if path.is_file()), "executable")


def test_kept_nowhere(bench):
    """Started in the root directory: once for what is made where the program starts, but not in its /tmp."""
    for words, notes_wanted in {("create", "mine"): 1, ("create", "/tmp/mine"): 0, ("mkdir", "mine"): 1, ("read", "mine"): 0}.items():
        said = bench.run("try", *words, cwd="/").stderr
        bench.expect(said.count("/home/guest/mine is gone when the run ends") == notes_wanted, words, said)


def test_beside(bench):
    """Of the program's directory there is the program."""
    room = bench.top / "programs"
    room.mkdir()
    shutil.copy(bench.guest, room / "guest")
    (room / "secret").write_text("secret\n")
    (room / "link").symlink_to("guest")
    for name, there in {"guest": True, "secret": False, "../own/input": False, "link": False}.items():
        bench.expect(bench.tried("read", room / name, program=room / "guest", cwd="source") == there, name, "read")
    bench.expect(bench.tried("read", room / "link", program=room / "link", cwd="source"), "by its other name")


def main():
    numachine, guest = map(os.path.abspath, sys.argv[1:])
    for test in test_standing_above, test_drawn, test_private, test_standing_within, test_allowed, test_own, test_kept_nowhere, test_beside:
        with tempfile.TemporaryDirectory(prefix="guards-") as directory:
            bench = Bench(numachine, guest, pathlib.Path(directory).resolve())
            test(bench)
            print(f"{bench.failures} failures in {test.__name__}")
        if bench.failures:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
