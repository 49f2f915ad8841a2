#!/usr/bin/env -S python3 -S
"""
Every tag that a comment, a table or a document uses is explained in the repository, and every page that one of them
names is there.

    tags.py HOME

A numbered tag (N-12, R44-7, A-3, R4-2, P-1) is a row of a features.def or the first column of a table in docs/. A
numbered tag in brackets ([TR-22], [MIPS-33]) is a row of docs/sources.md; a row that ends in n stands for
every page. A row of params.def has a source: "assumed", "design" or a tag; what the tag does not cover is
said behind it. A row that no text uses is fine. A link of a document leads to a file, and behind # to a heading of it.
"""
import pathlib
import re
import sys

KINDS = {".c", ".h", ".def", ".py", ".md", ".yaml", ".sh", ".build"}
ROOMS = ["base", "cli", "configs", "docs", "experiments", "input", "machine", "monitor", "page",
         "procard", "programs", "documents", "run", "look", "ring", "sweep", "tests"]
NUMBERED = re.compile(r"(?<![\w\[-])(N|R44|R4|A|P)-(\d+)\b")
BRACKETED = re.compile(r"\[([A-Z]{2,}-[AB]?\d+)\]")
FIRST_COLUMN = re.compile(r"^\| \[?([A-Z][A-Za-z0-9]*(?:-[AB]?(?:\d+|n))?)\]? \|", re.M)
FEATURE = re.compile(r'^FEATURE\("([^"]+)"', re.M)
PAGE = re.compile(r"(?<![\w/.-])docs/[\w-]+\.md")
LINK = re.compile(r"\]\((?!https?:|mailto:)([^()\s#]*)(?:#([^()\s]+))?\)")
SOURCE = re.compile(r"(assumed|design|\[([A-Z0-9-]+)\])( \([^()]+\))?")


def texts(home):
    for room in ROOMS:
        for path in sorted((home / room).rglob("*")):
            if path.suffix in KINDS and path.is_file():
                yield path, path.read_text(encoding="utf-8", errors="replace")
    for path in sorted(home.glob("*.md")):
        yield path, path.read_text(encoding="utf-8")


def sources_of_params(home):
    """The source column of each row: the last but one string of the row."""
    for line in (home / "machine/params.def").read_text(encoding="utf-8").splitlines():
        if line.startswith("PARAM("):
            yield line.split('"')[1], re.findall(r'"((?:[^"\\]|\\.)*)"', line)[-2]


def anchors(path):
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(home, path, line):
    """What a line names that is not there."""
    for page in PAGE.findall(line):
        if not (home / page).is_file():
            yield f"there is no {page}"
    for file, anchor in LINK.findall(line) if path.suffix == ".md" else []:
        target = path.parent / file if file else path
        if not target.exists():
            yield f"there is no {file}"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{target.name} has no heading #{anchor}"


def main():
    home = pathlib.Path(sys.argv[1])
    rows = set()
    for path in home.rglob("features.def"):
        rows |= set(FEATURE.findall(path.read_text(encoding="utf-8")))
    for path in (home / "docs").glob("*.md"):
        rows |= set(FIRST_COLUMN.findall(path.read_text(encoding="utf-8")))
    sources = set(FIRST_COLUMN.findall((home / "docs/sources.md").read_text(encoding="utf-8")))
    pages = {tag[:-1] for tag in sources if tag.endswith("n")}

    def known_source(tag):
        return tag in sources or re.sub(r"\d+$", "", tag) in pages

    wrong, used = [], 0
    for path, text in texts(home):
        for number, line in enumerate(text.splitlines(), 1):
            where = f"{path.relative_to(home)}:{number}"
            wrong += [f"{where}: {dead}" for dead in dead_links(home, path, line)]
            for match in NUMBERED.finditer(line):
                used += 1
                if "-".join(match.groups()) not in rows:
                    wrong.append(f"{where}: {match[0]} is in no table")
            for match in BRACKETED.finditer(line):
                used += 1
                if not known_source(match[1]):
                    wrong.append(f"{where}: [{match[1]}] is not in docs/sources.md")
    params = 0
    for key, source in sources_of_params(home):
        params += 1
        match = SOURCE.fullmatch(source)
        if not match or (match[2] and not known_source(match[2])):
            wrong.append(f"machine/params.def: {key}: '{source}' is neither assumed nor design nor a known tag")
    assert used > 300 and params > 60, (used, params)
    print("\n".join(wrong) or f"{used} uses of tags, {params} sources of parameters: all explained")
    sys.exit(1 if wrong else 0)


main()
