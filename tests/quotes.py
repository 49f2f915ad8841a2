#!/usr/bin/env -S python3 -S
"""
Source that a document quotes is that source.

    quotes.py HOME [--write]

Between '<!-- quoted: FILE -->' and '<!-- end -->' stands FILE, indented by four spaces.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"(<!-- quoted: (\S+) -->\n)(.*?)(<!-- end -->)", re.S)


def indented(text):
    return "\n" + "".join("    " + line if line.strip() else line
                          for line in text.splitlines(keepends=True)) + "\n"


def main():
    home, found = pathlib.Path(sys.argv[1]), 0
    for document in sorted(home.glob("docs/*.md")):
        text = document.read_text()
        now = BLOCK.sub(lambda m: m[1] + indented((home / m[2]).read_text()) + m[4], text)
        found += len(BLOCK.findall(text))
        if "--write" in sys.argv:
            document.write_text(now)
        elif now != text:
            sys.exit(f"{document.relative_to(home)} quotes another text; tests/quotes.py . --write")
    assert found, "nothing is quoted"


main()
