#!/usr/bin/env -S python3 -S
"""
./numachine sees that it must build, and sees that it need not.

    current.py CURRENT HOME BUILD

A small tree is changed in each way in which a tree can change; the program that looks must say so each
time. And all that the build reads, as ninja knows it, lies in what ./numachine has it look at.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

NAMES = ["code", "lone.yaml", "built/program", "built/plan"]


class Tree:
    def __init__(self, at):
        self.at = at
        for name in ("code/deep/rows.def", "code/main.c", "lone.yaml", "other.yaml", "built/program", "built/plan"):
            (at / name).parent.mkdir(parents=True, exist_ok=True)
            (at / name).write_text(name)
        (at / "code" / "link").symlink_to("main.c")
        (at / "code" / "away").symlink_to("nowhere")

    def set_up(self, names=None):
        """As the command does: looks, builds, has built."""
        self.later()
        (self.at / "built/began").write_bytes(b"".join(n.encode() + b"\0" for n in names or NAMES))
        self.later()
        for name in NAMES[2:]:
            (self.at / name).write_text("new")
        self.later()
        (self.at / "built/ended").write_text("")
        self.later()

    def later(self):
        """Until a file that is written has another time than one that has been."""
        probe = self.at / "probe"
        probe.write_text("")
        first = probe.stat().st_ctime_ns
        while probe.stat().st_ctime_ns == first:
            time.sleep(0.002)
            probe.write_text("")


def rename(t):
    (t.at / "code/main.c").rename(t.at / "code/start.c")


def swap(t):
    """Another file of the same size and times in its place."""
    old = (t.at / "code/main.c").stat()
    (t.at / "other.yaml").write_text("x" * old.st_size)
    (t.at / "other.yaml").rename(t.at / "code/main.c")
    os.utime(t.at / "code/main.c", ns=(old.st_atime_ns, old.st_mtime_ns))


def retarget(t):
    (t.at / "code/link").unlink()
    (t.at / "code/link").symlink_to("deep/rows.def")


def written(name):
    return lambda t: (t.at / name).write_text("changed")


def old_again(t):
    """A change of the contents that sets the time back."""
    times = (t.at / "code/main.c").stat()
    (t.at / "code/main.c").write_text("CODE/MAIN.C")
    os.utime(t.at / "code/main.c", ns=(times.st_atime_ns, times.st_mtime_ns))


CHANGES = {
    "nothing": (lambda t: None, True), "what is not named": (written("other.yaml"), True),
    "read": (lambda t: (t.at / "code/main.c").read_text(), True),
    "a file": (written("code/main.c"), False), "a file below": (written("code/deep/rows.def"), False),
    "a lone file": (written("lone.yaml"), False), "what was built": (written("built/program"), False),
    "the plan": (written("built/plan"), False), "a new file": (written("code/more.c"), False),
    "a new file below": (written("code/deep/more.def"), False), "a new name": (rename, False),
    "another file": (swap, False), "another link": (retarget, False), "an old time": (old_again, False),
    "a file less": (lambda t: (t.at / "code/deep/rows.def").unlink(), False),
    "a lone file less": (lambda t: (t.at / "lone.yaml").unlink(), False),
    "the program less": (lambda t: (t.at / "built/program").unlink(), False),
    "rights": (lambda t: (t.at / "code/main.c").chmod(0o600), False),
    "a new folder": (lambda t: (t.at / "code/new").mkdir(), False),
    "no list": (lambda t: (t.at / "built/began").unlink(), False),
    "an empty list": (lambda t: (t.at / "built/began").write_text(""), False),
    "no end": (lambda t: (t.at / "built/ended").unlink(), False),
}


def check_changes(current):
    for what, (change, same) in CHANGES.items():
        with tempfile.TemporaryDirectory() as at:
            tree = Tree(pathlib.Path(at))
            tree.set_up()
            change(tree)
            done = subprocess.run([current, at, "built/began", "built/ended"], capture_output=True, check=False)
            assert (done.returncode == 0) == same, f"{what}: {done.returncode}"
            assert not done.stdout + done.stderr, f"{what}: {done.stdout + done.stderr}"


def check_missing(current):
    with tempfile.TemporaryDirectory() as at:
        tree = Tree(pathlib.Path(at))
        tree.set_up(NAMES + ["absent"])
        assert subprocess.run([current, at, "built/began", "built/ended"], check=False).returncode != 0
    for words in ([], ["a"], ["a", "b", "c"], ["a", "b", "c", "d"]):
        assert subprocess.run([current, *words], check=False).returncode != 0, words


def looked_at(home, build):
    """What the function `inputs` of the command names."""
    text = (home / "numachine").read_text()
    function = re.search(r"^inputs\(\) \{.*?^\}", text, re.M | re.S)[0]
    done = subprocess.run(["sh", "-c", f"root=$1 build=$2\n{function}\ninputs", "sh", home, build],
                          capture_output=True, check=True)
    return [name.decode() for name in done.stdout.split(b"\0") if name]


def check_inputs(home, build):
    """What ninja says that the program depends on, directly or as a compiler has told."""
    names = looked_at(home, build)
    told = subprocess.run(["ninja", "-C", build, "-t", "inputs", "cli/numachine"], capture_output=True, text=True, check=True)
    deps = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True)
    parts = re.split(r"\n\n+", deps.stdout)
    mine = [p for p in parts if not p.startswith("tests/")]
    files = told.stdout.split("\n") + [line for p in mine for line in p.split("\n")[1:]]
    sources = set()
    for file in filter(None, map(str.strip, files)):
        path = pathlib.Path(os.path.normpath(build / file))
        if path.is_relative_to(home) and not path.is_relative_to(build):
            sources.add(str(path.relative_to(home)))
    assert len(sources) > 300, f"ninja names {len(sources)} files only"
    missed = [s for s in sources if not any(s == n or s.startswith(n + "/") for n in names)]
    assert not missed, f"./numachine does not look at {sorted(missed)}"


def main():
    current, home, build = (pathlib.Path(os.path.abspath(p)) for p in sys.argv[1:])
    check_changes(current)
    check_missing(current)
    if (build / ".ninja_deps").exists():
        check_inputs(home, build)
    return 0


if __name__ == "__main__":
    sys.exit(main())
