#!/usr/bin/env -S python3 -S
"""
The version stands in meson.build, and whatever else has it has the same; debian/ builds with what ./numachine needs.

    release.py NUMACHINE HOME
"""
import pathlib
import re
import subprocess
import sys

DATED = re.compile(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", re.M)


def said(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stdout


def first(pattern, path):
    """What the first match of a pattern in a file captures."""
    found = re.search(pattern, path.read_text(), re.M)
    assert found, f"{path} has no {pattern}"
    return found[1]


def main():
    numachine, home = sys.argv[1], pathlib.Path(sys.argv[2])
    version = first(r"^  version: '(.*)',", home / "meson.build")
    released = first(r"^date-released: (\S+)", home / "CITATION.cff")
    assert said(numachine, "--version").split() == ["numachine", version]
    assert first(r"^version: (\S+)", home / "CITATION.cff") == version

    assert first(r"^numachine \((\S+?)-", home / "debian/changelog") == version
    packages = set(re.search(r"^build_packages='([^']*)'", (home / "numachine").read_text(), re.M)[1].split())
    needed = set(re.findall(r"^ ([a-z0-9.+-]+)", first(r"^Build-Depends:\n((?: .*\n)+)", home / "debian/control"), re.M))
    missing = packages - needed - {"gcc", "libc6-dev", "ninja-build"}  # of every build, and meson's
    assert not missing, f"debian/control builds without {missing}"

    assert "dlopen(LIBRARY" in (home / "programs/simgrid.c").read_text()  # so that what packages need of it has to be said
    with_it = re.findall(r"^Package: (\S+)(?=(?:\n.+)*\nDepends: .*\$\{simgrid:Depends\})", (home / "debian/control").read_text(), re.M)
    assert with_it == ["numachine", "libnumachine1"] and "-Vsimgrid:Depends" in (home / "debian/rules").read_text(), with_it

    changes = DATED.findall((home / "CHANGELOG.md").read_text())
    assert changes[0] == (version, released), changes[0]
    assert changes == sorted(changes, key=lambda row: [int(n) for n in row[0].split(".")], reverse=True), changes
    assert len(changes) == len(re.findall("^## ", (home / "CHANGELOG.md").read_text(), re.M)), "a head without version and date"
    for number, _ in changes:
        notes = said(home / ".ci/notes", number)
        assert notes.strip() and not DATED.search(notes), number
    assert subprocess.run([home / ".ci/notes", "0.0"], capture_output=True, check=False).returncode


main()
