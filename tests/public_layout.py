#!/usr/bin/env -S python3 -S
"""
The structs that programs outside share with the library lie as public_layout.csv says: a program that was built with earlier
headers of the same MAJOR version goes on without being built again (docs/compatibility.md). The table has a row for each
member, and one for each size. A struct may get members in its gaps, and there may be more structs.

    public_layout.py ROOT HEADER... [--write]      --write: the table is written anew, for a new MAJOR version

The layout is what gdb finds in the debugging information of a file that includes all public headers.
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import skip

TABLE = pathlib.Path(__file__).with_name("public_layout.csv")
STRUCT = re.compile(r"^(?:struct|union) (\w+) \{", re.M)
MEMBER = re.compile(r"^/\*\s*(\d+)(?::\s*\d+)?\s*\|\s*(\d+)\s*\*/\s+(.*;)$")
SIZE = re.compile(r"total size \(bytes\):\s*(\d+)")


def names_in(root, headers):
    """Structs and unions that the headers define, with the word to ask for them."""
    return sorted({match[0].removesuffix(" {") for header in headers for match in STRUCT.finditer((root / header).read_text())})


def described(root, headers, names):
    """What gdb says of each, one text a name."""
    with tempfile.TemporaryDirectory() as scratch:
        source, made = pathlib.Path(scratch, "all.c"), pathlib.Path(scratch, "all.o")
        uses = "".join(f"{name} layout_{i};\n" for i, name in enumerate(names))
        source.write_text("".join(f'#include "{header}"\n' for header in headers if header.endswith(".h")) + uses)
        subprocess.run(["cc", "-std=gnu11", "-D_GNU_SOURCE", "-g", "-c", f"-I{root}", source, "-o", made], check=True)
        asked = [word for i in range(len(names)) for word in ("-ex", "echo =\\n", "-ex", f"ptype /o layout_{i}")]
        said = subprocess.run(["gdb-multiarch", "-nx", "-batch", *asked, made], capture_output=True, text=True, check=True).stdout
    return said.split("=\n")[1:]


def rows_of(name, text):
    """(struct, member, offset, size): members of its own, then "" for all of it."""
    depth, rows, size = 0, [], None
    for line in text.splitlines():
        member = MEMBER.match(line)
        if member and depth == 1:
            rows.append((name, member[3], member[1], member[2]))
        depth += line.count("{") - line.count("}")
        size = SIZE.search(line) if depth == 1 and SIZE.search(line) else size
    return [*rows, (name, "", "0", size[1])]


def main():
    write = "--write" in sys.argv
    root, *headers = [word for word in sys.argv[1:] if word != "--write"]
    if not skip.have("gdb-multiarch", "gdb-multiarch"):
        sys.exit(skip.SKIPPED)
    root = pathlib.Path(root)
    headers = [str(pathlib.Path(header).resolve().relative_to(root.resolve())) for header in headers]
    names = names_in(root, headers)
    now = [row for name, text in zip(names, described(root, headers, names)) for row in rows_of(name, text)]
    if write:
        with TABLE.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("struct", "member", "offset", "bytes"), *now])
    with TABLE.open(newline="") as file:
        kept = [tuple(row) for row in csv.reader(file)][1:]
    gone = sorted(set(kept) - set(now))
    assert len(names) > 40 and len(kept) > 300, (len(names), len(kept))
    assert not gone, "programs that were built before see other members here than the library:\n" + "\n".join(map(", ".join, gone))
    print(f"{len(names)} structs, {len(kept)} rows; {len(set(now) - set(kept))} are new")


main()
