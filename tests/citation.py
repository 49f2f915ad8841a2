#!/usr/bin/env python3
"""
What `numachine --cite` prints is whole, CITATION.cff is the same, and docs/sources.md has all of it: nothing is made up.

    citation.py NUMACHINE HOME
"""
import pathlib
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    yaml = None

# Of the format 1.2.0: what a reference has to have, and the kinds of references that are used here.
NEEDED = {"type", "title", "authors"}
KINDS = {"report", "conference-paper", "thesis", "manual", "generic"}
ROW = re.compile(r'^CITE\((\w+), *\w+, *((?:"[^"]*"(?:, *)?)*)\)', re.M)


def entries(text):
    """{key: {field: value}} of BibTeX; every brace is closed."""
    found = {}
    for entry in text.strip().split("\n\n"):
        assert entry.count("{") == entry.count("}"), entry
        head, *lines, last = entry.split("\n")
        key = re.fullmatch(r"@\w+\{([\w-]+),", head)[1]
        assert key not in found and last == "}", entry
        found[key] = dict(re.fullmatch(r"  (\w+) = \{(.*)\},?", line).groups() for line in lines)
        assert all(line.endswith("},") for line in lines[:-1]) and {"title", "author"} <= set(found[key]), entry
    return found


def documented(home, found):
    """Whether docs/sources.md has every tag, title, year, DOI and address."""
    sources = (home / "docs/sources.md").read_text()
    rows = ROW.findall((home / "show/citation.def").read_text())
    assert len(rows) == len(found) - 1 > 4, rows
    for tag, _ in rows:
        assert f"[{tag}" in sources, tag
        entry = found[f"numachine-{tag.lower()}"]
        said = [line for line in sources.split("\n") if tag in re.findall(r"\w+", line)]
        said = " ".join(said) if tag != "TR" else sources
        for name in "year", "doi", "url", "number":
            assert entry.get(name, "") in said, (tag, name)
        assert all(word.lower() in said.lower() for word in re.findall(r"\w+", entry["title"])), (tag, entry["title"])
        assert all(word in sources for word in re.findall(r"\w{2,}", entry["author"])), (tag, entry["author"])


def check_cff(text, version, found):
    cff = yaml.safe_load(text)
    assert cff["cff-version"] == "1.2.0" and cff["version"] == version and cff["license"] == "MIT", cff
    assert {"message", "title", "authors", "date-released"} <= set(cff), cff
    assert len(cff["references"]) == len(found) - 1
    for reference, entry in zip(cff["references"], list(found.values())[1:]):
        assert NEEDED <= set(reference) and reference["type"] in KINDS, reference
        assert reference["title"] == entry["title"] and str(reference.get("year", "")) == entry.get("year", "")
        assert reference.get("doi") == entry.get("doi") and reference.get("url") == entry.get("url")
        assert all(set(author) in ({"name"}, {"family-names", "given-names"}) for author in reference["authors"])


def main():
    numachine, home = sys.argv[1], pathlib.Path(sys.argv[2])

    def ask(*words):
        return subprocess.run([numachine, *words], capture_output=True, text=True, check=True).stdout

    version = ask("--version").split()[-1]
    found = entries(ask("--cite"))
    assert ask("--cite=bibtex") == ask("--cite") and found["numachine"]["version"] == version
    documented(home, found)
    cff = ask("--cite=cff")
    assert cff == (home / "CITATION.cff").read_text(), "numachine --cite=cff > CITATION.cff"
    if yaml:
        check_cff(cff, version, found)
    for words in (["--cite", "run"], ["--cite=cff", "list", "keys"]):
        more = subprocess.run([numachine, *words], capture_output=True, text=True, check=False)
        assert more.returncode == 2 and f"--cite: it goes without '{words[1]}'" in more.stderr and not more.stdout, more
    wrong = subprocess.run([numachine, "--cite=ris"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2 and "there are bibtex, cff" in wrong.stderr, wrong.stderr


main()
