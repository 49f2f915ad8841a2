#!/usr/bin/env python3
"""
The tables of docs/monitor.md are those the program prints.

    monitor_document.py NUMACHINE HOME [--write]

A table stands between '<!-- generated: WHAT -->' and '<!-- end -->' and is what 'numachine list WHAT --markdown'
says.
"""
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"(<!-- generated: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", re.S)


def main():
    numachine, home = sys.argv[1:3]
    path = pathlib.Path(home, "docs/monitor.md")

    def table(match):
        out = subprocess.run([numachine, "list", match[2], "--markdown"], check=True,
                             capture_output=True, text=True).stdout
        return match[1] + out + match[4]

    old = path.read_text()
    new, count = BLOCK.subn(table, old)
    assert count >= 5, "the tables are missing"
    if "--write" in sys.argv:
        path.write_text(new)
        return
    for number, (is_now, should_be) in enumerate(zip(old.splitlines(), new.splitlines()), 1):
        assert is_now == should_be, f"{path}:{number}: is\n{is_now}\nshould be\n{should_be}"
    assert old == new, f"{path} is {len(old)} bytes and should be {len(new)}; write it with --write"


if __name__ == "__main__":
    main()
