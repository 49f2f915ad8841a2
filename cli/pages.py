#!/usr/bin/env python3
"""
The documents and the manual as pages for a browser, of the same sources: documents by lowdown, the manual by mandoc of the
pages that man shows.

    pages.py LOWDOWN MANDOC HOME OUT PAGE...     PAGE: made by manual.py, as numachine-run.1

Documents are README.md, CHANGELOG.md, CONTRIBUTING.md and those of docs/ and experiments/; they keep their folders below
OUT. Links between them lead to the pages; files of the tree that are none of these are named and not linked.
"""
import html
import pathlib
import re
import shutil
import subprocess
import sys

AHEAD = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
FOLDERS = ["docs", "experiments"]
LOWDOWN = ["-thtml", "--parse-no-metadata", "--parse-no-super", "--out-no-smarty"]
LINK = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.S)
HEAD = re.compile(r"<h(\d)[^>]*>(.*?)</h\1>", re.S)
IMAGE = re.compile(r'<img src="([^"]*)"')
REFERENCE = re.compile(r"<b>(numachine[a-z0-9-]*)</b>\((\d)\)")
STYLE = """\
body { max-width: 60em; margin: 1em auto; padding: 0 1em; font-family: sans-serif; line-height: 1.45 }
pre { background: #f4f4f2; padding: .6em; overflow-x: auto } code { background: #f4f4f2 } img { max-width: 100% }
table { border-collapse: collapse } td, th { border: 1px solid #bbb; padding: .2em .5em; text-align: left; vertical-align: top }
table.head, table.foot { width: 100% } table.head td, table.foot td { border: none }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd } pre, code { background: #2a2a2a }
a { color: #6db3f2 } }
"""
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="stylesheet" href="{up}style.css">
</head>
<body>
<nav><a href="{up}index.html">NUMAchine: all pages</a></nav>
{body}
</body>
</html>
"""


def said(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stdout


def page_of(document):
    return str(pathlib.PurePosixPath(document).with_suffix(".html"))


def with_places(body):
    """Each head has the place that forges give it, so that a link leads there in both."""
    seen = {}

    def head(match):
        words = html.unescape(re.sub("<.*?>", "", match[2])).lower()
        place = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        seen[place] = seen.get(place, -1) + 1
        return f'<h{match[1]} id="{place}{f"-{seen[place]}" if seen[place] else ""}">{match[2]}</h{match[1]}>'

    return HEAD.sub(head, body)


class Book:
    """What is made below a folder."""

    def __init__(self, lowdown, mandoc, home, out, manual):
        self.lowdown, self.mandoc, self.home, self.out = lowdown, mandoc, home, out
        self.manual = {page.name: page for page in manual}
        below = (f for folder in FOLDERS for f in sorted((home / folder).rglob("*.md")))
        self.documents = [*AHEAD, *(f.relative_to(home).as_posix() for f in below)]
        self.titles = {}

    def put(self, name, title, body):
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE.format(title=html.escape(title), up="../" * name.count("/"), body=body))
        self.titles[name] = title

    def link(self, document, match):
        target, text = html.unescape(match[1]), match[2]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, hash_, anchor = target.partition("#")
        there = (self.home / document).parent.joinpath(path).resolve()
        name = there.relative_to(self.home).as_posix() if there.is_relative_to(self.home) else ""
        if name not in self.documents and f"{name}/README.md" not in self.documents:
            return text
        name = name if name in self.documents else f"{name}/README.md"
        return f'<a href="{"../" * document.count("/")}{page_of(name)}{hash_}{anchor}">{text}</a>'

    def image(self, document, match):
        place = pathlib.PurePosixPath(document).parent / match[1]
        (self.out / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.home / place, self.out / place)
        return match[0]

    def documents_put(self):
        for document in self.documents:
            body = with_places(said(self.lowdown, *LOWDOWN, self.home / document))
            body = LINK.sub(lambda m, d=document: self.link(d, m), body)
            body = IMAGE.sub(lambda m, d=document: self.image(d, m), body)
            title = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
            self.put(page_of(document), re.sub("<.*?>", "", title[1]) if title else document, body)

    def manual_put(self):
        for name, page in sorted(self.manual.items()):
            body = said(self.mandoc, "-Thtml", "-Ofragment", page)
            body = REFERENCE.sub(lambda m: f'<a href="{m[1]}.{m[2]}.html">{m[0]}</a>' if f"{m[1]}.{m[2]}" in self.manual else m[0], body)
            self.put(f"man/{name}.html", f"{name[:-2]}({name[-1]})", body)

    def index_put(self):
        parts = []
        for head, begin in ("Start", ""), ("Documents", "docs/"), ("Experiments", "experiments/"), ("Manual", "man/"):
            names = [n for n in self.titles if (n.startswith(begin) if begin else "/" not in n)]
            rows = "\n".join(f'<li><a href="{n}">{html.escape(self.titles[n])}</a></li>' for n in names)
            parts.append(f"<h2>{head}</h2>\n<ul>\n{rows}\n</ul>" if names else "")
        self.put("index.html", "NUMAchine", "<h1>The NUMAchine simulator</h1>\n" + "\n".join(parts))

    def all_put(self):
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        (self.out / "style.css").write_text(STYLE)
        self.documents_put()
        self.manual_put()
        self.index_put()


def main():
    lowdown, mandoc, home, out, *manual = sys.argv[1:]
    Book(lowdown, mandoc, pathlib.Path(home).resolve(), pathlib.Path(out), [pathlib.Path(page) for page in manual]).all_put()


if __name__ == "__main__":
    main()
