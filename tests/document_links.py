#!/usr/bin/env -S python3 -S
"""
The documents as people find them: every link leads somewhere, every command in them is one, and the pages for a browser
say what the sources say.

    document_links.py NUMACHINE HOME [LOWDOWN MANDOC PAGE...]

Links: of every document in README.md, docs/ and experiments/, and of every page that cli/pages.py makes of them, to files
that are there, and to heads that are there. What is in the network is not asked. Commands: each line of a document's code
that begins with `numachine` names a command that there is, with options that it has. The manual: man shows the same words
as the page.
"""
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile

import skip

FENCE = re.compile(r"^```.*?^```", re.S | re.M)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
HEAD = re.compile(r"^#{1,6} +(.*?)\s*$", re.M)
COMMAND = re.compile(r"^(?: {4,}|)(?:\$ )?(?:\./)?numachine ((?:[^#\n]|#(?! ))*)", re.M)
OPTION = re.compile(r"(?<!\S)--([a-z][a-z0-9-]*)")
failures = []


def expect(good, *what):
    if not good:
        failures.append(" ".join(map(str, what)))


def anchor(head):
    """As forges call the place of a head."""
    head = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head)
    return re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-")


def documents(home):
    """{path: text}; code in fences has no links."""
    paths = [*home.glob("*.md"), *home.glob(".github/**/*.md"), *(p for f in ("docs", "experiments", "tests") for p in (home / f).rglob("*.md"))]
    return {path.resolve(): path.read_text() for path in sorted(paths)}


def check_links(home, texts):
    heads = {path: {anchor(h) for h in HEAD.findall(FENCE.sub("", text))} for path, text in texts.items()}
    found = 0
    for path, text in texts.items():
        for target in (a or b for a, b in LINK.findall(FENCE.sub("", text))):
            if re.match("[a-z]+:", target):
                continue
            name, _, place = target.partition("#")
            there = (path.parent / name).resolve() if name else path
            where = f"{path.relative_to(home)}: ({target})"
            expect(there.exists(), where, "is not there")
            expect(not place or place in heads.get(there, ()), where, "has no such head")
            found += 1
    assert found > 100, found


def help_of(numachine, kept, command):
    """The long options of a command."""
    if command not in kept:
        words = [command] if command else []
        text = subprocess.run([numachine, *words, "--help"], capture_output=True, text=True, check=True).stdout
        kept[command] = set(re.findall(r"--([a-z][a-z0-9-]*)", text))
    return kept[command]


def check_commands(numachine, home, texts):
    commands = {*commands_of(numachine), "test"}
    kept, found = {"test": {"long", "werror"}}, 0
    for path, text in texts.items():
        for line in (m[1] for m in COMMAND.finditer(text)):
            word, _, rest = line.strip().partition(" ")
            if not re.fullmatch("[a-z0-9]+", word):
                continue
            where = f"{path.relative_to(home)}: numachine {line.strip()}"
            expect(word in commands, where, "is no command")
            own = re.split(r" -- | \| |;|&&", f" {rest}")[0]
            if word in commands:
                for option in OPTION.findall(own):
                    expect(option in help_of(numachine, kept, word), where, f"has no --{option}")
            found += 1
    assert found > 100, found


def commands_of(numachine):
    said = subprocess.run([numachine, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z][a-z0-9]*) ", said, re.M)


class Page(html.parser.HTMLParser):
    """Where a page's links lead, what places it has, and its words."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places, self.words = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.places.add(attrs.get("id"))
        self.links += [attrs[name] for name in ("href", "src") if name in attrs]

    def handle_data(self, data):
        self.words.append(data)


def check_pages(out):
    pages = {path.resolve(): Page(path.read_text()) for path in sorted(out.rglob("*.html"))}
    for path, page in pages.items():
        for target in page.links:
            if re.match("[a-z]+:", target):
                continue
            name, _, place = target.partition("#")
            there = (path.parent / name).resolve() if name else path
            where = f"html/{path.relative_to(out.resolve())}: {target}"
            expect(there.is_file(), where, "is not there")
            expect(not place or there not in pages or place in pages[there].places, where, "has no such place")
    return pages


def words_of(text):
    """Words without what a terminal or a browser puts between their letters."""
    return "".join(re.sub(r".\x08", "", text).split()).replace("\u2010", "-").replace("\u00a0", "")


def check_manual(mandoc, pages, manual, out):
    """What man shows, without the lines above and below, is what the page has."""
    for path in manual:
        shown = subprocess.run([mandoc, "-Tutf8", "-Owidth=500", path], capture_output=True, text=True, check=True).stdout
        body = "\n".join(shown.strip("\n").split("\n")[1:-1])
        page = words_of("".join(pages[(out / "man" / f"{path.name}.html").resolve()].words))
        is_ = words_of(body)
        if is_ in page:
            continue
        at = next(i for i in range(len(is_)) if is_[:i + 1] not in page)
        expect(False, f"{path.name}: man shows '{is_[max(at - 60, 0):at + 20]}', and the page does not")


def main():
    numachine, home = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    texts = documents(home)
    check_links(home, texts)
    check_commands(numachine, home, texts)
    if sys.argv[3:]:
        lowdown, mandoc, *manual = sys.argv[3:]
        with tempfile.TemporaryDirectory() as name:
            out = pathlib.Path(name, "html")
            subprocess.run([home / "cli/pages.py", lowdown, mandoc, home, out, *manual], check=True)
            check_manual(mandoc, check_pages(out), [pathlib.Path(page) for page in manual], out)
    else:
        skip.left_out("pages for a browser", "lowdown", "mandoc", "scdoc")
    print("\n".join(failures))
    sys.exit(bool(failures))


main()
