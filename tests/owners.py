#!/usr/bin/env -S python3 -S
"""
owners.py NUMACHINE GUEST: whoever may not write somewhere hears whose the directory is.

Every command that writes is told to do so in another user's directory: by root in root's own as nobody, by a user in /.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import skip

NOBODY = 65534
EXIT_IO = 5
SWEEP = "machine: station-4\nprogram: {path: %s, args: [exit]}\nsweep:\n  program.processors: [1, 2]\n"


def made(numachine, guest, scratch):
    """What root has left: a run, a sweep, a trace."""
    (scratch / "s.yaml").write_text(SWEEP % guest)
    (scratch / "one.yaml").write_text((SWEEP % guest).split("sweep:")[0])
    (scratch / "t.din").write_text("0 1000\n1 1004\n")
    for words in ["run", "-q", "one.yaml"], ["run", "-q", "-o", "results/swept", "s.yaml"]:
        subprocess.run([numachine, *words], cwd=scratch, check=False, capture_output=True, timeout=600)
    assert (scratch / "results/one-001/manifest.json").exists() and (scratch / "results/swept").exists()


def commands(scratch, where):
    """(words, what they write). In / a user has no runs to write into."""
    yield ["run", "-q", "-o", f"{where}/new", "one.yaml"]
    yield ["run", "-q", "-o", f"{where}/new/deep", "one.yaml"]
    yield ["run", "-q", "-o", f"{where}/new", "s.yaml"]
    yield ["init", f"{where}/mine.yaml"]
    yield ["trace", "convert", "t.din", f"{where}/t.ntr"]
    yield ["report", "results/one-001", "-o", f"{where}/report.html"]
    if os.geteuid() == 0:
        yield ["run", "-q", "one.yaml"]
        yield ["run", "-q", "s.yaml"]
        yield ["run", "-q", "--force", "-o", "results/one-001", "one.yaml"]
        yield ["run", "-q", "--resume", "-o", "results/swept", "s.yaml"]
        yield ["report", "results/one-001"]
        yield ["report", "results/swept"]


def main():
    numachine, guest = map(os.path.abspath, sys.argv[1:])
    root = os.geteuid() == 0
    complaints = []
    with tempfile.TemporaryDirectory(prefix="owners-") as scratch:
        scratch = pathlib.Path(scratch)
        scratch.chmod(0o755)
        made(numachine, guest, scratch)
        as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if root else {}
        if subprocess.run(["test", "-x", numachine], check=False, **as_nobody).returncode:
            skip.skip("the tree lies where nobody but root can come")
        for words in commands(scratch, scratch if root else "/"):
            done = subprocess.run([numachine, *words], cwd=scratch, check=False, capture_output=True, text=True, timeout=600,
                                  env={**os.environ, "HOME": "/nonexistent"}, **as_nobody)
            if done.returncode != EXIT_IO or "belongs to root (user 0), and you are user" not in done.stderr:
                complaints.append(f"{' '.join(words)}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    print(*complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
