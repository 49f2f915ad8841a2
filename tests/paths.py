#!/usr/bin/env -S python3 -S
"""
The walks of docs/paths.md go through the code that is there.

    paths.py HOME

Each table is one stretch: its rows name a file, a function in it (or a macro, a table, the rows of a .def)
and how the row above reaches it. The head of the document says which ways there are.
"""
import functools
import pathlib
import re
import sys

HEAD = "| file | function | reached by |"
ROOMS = ["base", "ring", "monitor", "machine", "procard", "programs", "input", "documents", "detect", "run", "look", "sweep", "page", "show", "cli"]


@functools.lru_cache(maxsize=None)
def read(path):
    return path.read_text()


def plain(text):
    """Without comments and strings, so that no word of them stands for code."""
    return re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', " ", text, flags=re.S)


def braces(text):
    """From the first brace to the one that closes it."""
    depth = 0
    for brace in re.finditer(r"[{}]", text):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return text[:brace.end()]
    return text


@functools.lru_cache(maxsize=None)
def text_of(path, name):
    """What the file has by that name; None: nothing."""
    text = plain(read(path))
    if path.suffix == ".def":
        rows = re.findall(rf"^{name}\(.*$", text, re.M)
        return "\n".join(rows) or None
    if found := re.search(rf"^#define {name}\b(?:[^\n]*\\\n)*[^\n]*", text, re.M):
        return found[0]
    function = rf"^(?![ \t#}}])[^;{{}}#]*\b{name}\([^;{{}}]*\)\s*(?=\{{)"
    table = rf"^[^\n;{{}}]*\b{name}\[[^\n;]*\] = (?=\{{)"
    found = re.search(function, text, re.M) or re.search(table, text, re.M)
    return found and found[0] + braces(text[found.end():])


def has(text, word):
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


def sources(home):
    return [f for room in ROOMS for f in sorted((home / room).rglob("*")) if f.suffix in (".c", ".h", ".def")]


def pointed_to(home, struct, member, path, name, body):
    """Whether the struct has a member of that name, and the function is kept in a pointer: in its own
    file if only that knows it."""
    texts = [plain(read(f)) for f in sources(home)]
    holds = any(re.search(rf"\bstruct {struct} \{{[^}}]*?\b{member}\b", t, re.S) for t in texts)
    if has(body.partition("(")[0], "static"):
        texts = [plain(read(home / path))]
    return holds and any(re.search(rf"[=,({{?] *&?{name}\s*[,;)}}:]", t) for t in texts)


def complaint(home, above, row):
    """What is wrong with the way from one row to the next; None: nothing."""
    (path, name, text), (to, word, body) = above, row[:3]
    how = row[3]
    if how in ("", "event"):
        return None if has(text, word) else f"{name} of {path} does not name it"
    if how == "standing":
        stands = rf"\bsim_kernel_stand\([^;]*\b{word}\b"
        posted = "sim_post_standing(" in text and path == to and re.search(stands, plain(read(home / to)))
        return None if posted else f"{name} of {path} posts no standing event, or {word} is none"
    if how == "include":
        pair = (path, to), (to, path)
        one = any(f'"{a}"' in read(home / b) for a, b in pair)
        return None if one else f"neither {path} nor {to} includes the other"
    if data := re.fullmatch(r"data `(\w+)`", how):
        at = has(text, data[1]) and has(body, data[1])
        return None if at else f"not both {name} and {word} have '{data[1]}'"
    if array := re.fullmatch(r"`(\w+)\[\]`", how):
        rows = text_of(home / to, array[1])
        at = f"{array[1]}[" in text and rows and has(rows, word)
        return None if at else f"{name} does not go through {array[1]}[], or {word} is not in it"
    if joint := re.fullmatch(r"`(\w+)\.(\w+)`", how):
        if not re.search(rf"(->|\.){joint[2]}\(", text):
            return f"{name} of {path} does not call {joint[2]}"
        good = pointed_to(home, joint[1], joint[2], to, word, body)
        return None if good else f"no {joint[2]} in struct {joint[1]}, or {word} is not in any"
    return f"'{how}' is no way"


def stretches(document):
    """The tables, each a list of (line, file, function, how)."""
    rows = None
    for number, line in enumerate(document.splitlines(), 1):
        if line.startswith(HEAD):
            rows = []
        elif rows is not None and line.startswith("|---"):
            continue
        elif rows is not None and line.startswith("|"):
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            rows.append((number, cells[0].strip("`"), cells[1].strip("`"), cells[2]))
        elif rows is not None:
            yield rows
            rows = None
    if rows:
        yield rows


def main():
    home, wrong, hops = pathlib.Path(sys.argv[1]), [], 0
    document = (home / "docs/paths.md").read_text()
    for rows in stretches(document):
        above = None
        for number, path, name, how in rows:
            there = (home / path).is_file()
            body = text_of(home / path, name) if there else None
            if body is None:
                wrong.append(f"docs/paths.md:{number}: {path}: no {name}")
                above = None
                continue
            row = (path, name, body, how)
            if above and (why := complaint(home, above[:3], row)):
                wrong.append(f"docs/paths.md:{number}: {name}: {why}")
            elif not above and how:
                wrong.append(f"docs/paths.md:{number}: {name}: nothing stands above it")
            above, hops = row, hops + 1
    assert hops > 100, "few hops are left"
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


sys.exit(main())
