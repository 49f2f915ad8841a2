#!/usr/bin/env -S python3 -S
"""The rooms of the house: who may include whom.

A folder is a room, and a folder in it may be one of its own. An include must lead downwards in ROOMS,
or stay in its room; so no circle can arise. Headers have none within a room
either. A folder within monitor/ is a counter unit, which nobody knows by name but who puts a kind of
card together; a folder within programs/ is a workload, known by its row of input/workloads.def, to
the commands made for it and to who reads what it runs. A folder of procard/cores.def is a kind of core, which nothing
outside it knows by name. `rooms.py DIR --draw` prints the arrows there are.
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys

CORE = re.compile(r'^CORE\((\w+), *(\w+),.*"([^"]*)"\)$', re.M)
# family: (its cores' NM_CORE_s, how the keys of its parameters begin)
CORES = {}
for core, family, keys in CORE.findall((pathlib.Path(sys.argv[1]) / "procard/cores.def").read_text()):
    CORES[family] = (CORES.get(family, ([],))[0] + [f"NM_CORE_{core}"], keys)

# From the ground up. Rooms of one storey do not know each other.
ROOMS = [
    ["experiments/include"],  # what programs include, and who runs them
    ["base", "procard/cores.def"],  # rows, which include nothing
    ["ring", "monitor", "detect"],
    ["machine"],
    ["procard"],
    ["procard/mips", "procard/arm"],
    [*(f"procard/{family}" for family in CORES), "procard/driver"],
    ["programs"],
    ["programs/irix"],
    ["programs/linux/binary"],
    ["programs/linux/names", "programs/linux/processor"],
    ["programs/linux/memory"],
    ["programs/linux/process"],
    ["programs/linux/threads"],
    ["programs/linux/time"],
    ["programs/linux/signals"],
    ["programs/linux/isa", "programs/linux/view"],
    ["programs/linux/files"],
    ["programs/linux/ipc"],
    ["programs/linux", "programs/driven"],
    ["programs/kernels", "programs/patterns", "programs/traces"],
    ["input"],
    ["documents"],  # what a run leaves, and how it is written and read
    ["documents/rows", "documents/statistics"],
    ["documents/directory"],
    ["run"],  # what listens while a run lasts
    ["debug"],  # a run that is debugged
    ["look"],  # what finished runs are asked
    ["look/profile", "look/sharing", "look/locks", "look/placement", "look/counters", "look/flow"],
    ["look/compare", "look/mend", "look/trouble"],
    ["sweep", "page", "trace", "show", "embed"],
    ["watch"],  # lines and pipelines, step by step
    ["cli"],
]
# Who may include a header of a folder within one of these, beside cores, which put kinds of cards together:
# what all units' counts go through, and the command a workload was made for. programs/driven and
# programs/irix are also what other workloads are made of.
KNOWN = {"monitor": ["procard/driver/driver.c", "procard/counters.h", "procard/procard.h", "monitor/own.h", "procard/l2c.h"],
         "programs": ["cli/latency.c", "watch/play.c", "cli/whatif.c", "cli/trace.c", "show/tables.c", "trace/references.c", "input/pattern.c"]}
PREFIXES = {  # of what headers declare
    "base": "sim_",
    "detect": "det_",
    "ring": "ring_",
    "monitor": "mon_",
    "monitor/board": "mon_",
    "monitor/arm11": "arm11_",
    "monitor/l2c": "l2c_",
    "monitor/r10000": "r10k_",
    "machine": "nm_",
    "procard": "pc_",
    "procard/driver": "pc_",
    "procard/mips": "mips_",
    "procard/arm": "arm_",
    "procard/r4400": "r4400",
    "procard/r10000": "r10k",
    "procard/arm11": "arm11",
    "programs": "prog_",
    "programs/linux": "lx_",
    **{room: "lx_" for rooms in ROOMS for room in rooms if room.startswith("programs/linux/")},
    "programs/driven": "driven_",
    "programs/irix": "irix",
    "programs/kernels": "kernels_",
    "programs/traces": "tr_",
    "programs/patterns": "patterns_",
    "input": "in_",
    "documents": "doc_",
    "documents/rows": "doc_",
    "documents/statistics": "doc_",
    "documents/directory": "doc_",
    "run": "run_",
    "debug": "dbg",
    "look": "look_",
    "look/profile": "look_",
    "look/sharing": "look_",
    "look/locks": "look_",
    "look/placement": "look_",
    "look/compare": "look_",
    "look/mend": "look_",
    "look/counters": "look_",
    "look/flow": "look_",
    "sweep": "swp_",
    "page": "page_",
    "trace": "trc_",
    "show": "show_",
    "embed": "emb_",
    "watch": "watch_",
    "cli": "cli_",
}
SOURCES = 44  # .c files a folder has at most, so that it can be read at a glance
STOREY = {room: storey for storey, rooms in enumerate(ROOMS) for room in rooms}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def room_of(path):
    """The innermost room of a file; a folder that is none, if it is in none."""
    folders = [str(folder) for folder in pathlib.PurePath(path).parents][:-1]
    return str(path) if str(path) in STOREY else next((f for f in folders if f in STOREY), folders[-1] if folders else None)


def arrows(root):
    """(from, to, file, header) of every include that leaves its room."""
    for room in STOREY:
        files = [f for f in [root / room, *sorted((root / room).rglob("*"))] if f.suffix in (".c", ".h", ".def")
                 and room_of(f.relative_to(root)) == room]
        assert files, f"{room}/ is empty"
        for file in files:
            for header in INCLUDE.findall(file.read_text()):
                to = room_of(header)
                if to in STOREY and to != room:
                    yield room, to, file.relative_to(root), header
                elif to is not None and to not in STOREY and not (file.parent / header).exists():
                    yield room, None, file.relative_to(root), header


def sources(root):
    """(name, text) of every file of the product."""
    for room in (r for r in STOREY if "/" not in r):
        for file in sorted(f for f in (root / room).rglob("*") if f.suffix in (".c", ".h", ".def")):
            yield file.relative_to(root).as_posix(), file.read_text()


def strangers(root):
    """Includes of a counter unit's or a workload's header from outside its folder."""
    for name, text in sources(root):
        for header in INCLUDE.findall(text):
            above, _, leaf = header.rpartition("/")
            kind = above.split("/")[0]
            folder = "/".join(above.split("/")[:2])
            if "/" in above and kind in KNOWN and name not in KNOWN[kind]:
                made_of = (folder in ("programs/driven", "programs/irix")
                           and name.startswith("programs/"))
                of_core = kind == "monitor" and family_of(name)
                if not name.startswith(folder + "/") and not made_of and not of_core:
                    yield f"{name}: {header}: knows what is in {kind}/ by name"


def family_of(name):
    """Whose core a file is part of."""
    return next((family for family in CORES if name.startswith(f"procard/{family}/")), None)


def of_kinds(root):
    """What is outside a core's folder and depends on the kind of core."""
    fields = dict(re.findall(r'^PARAM\((\w+), *"([^"]+)"', (root / "machine/params.def").read_text(), re.M))
    for name, text in sources(root):
        code = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        for family, (cores, keys) in CORES.items():
            if family == family_of(name) or name == "procard/cores.def":
                continue
            its = [field for field, key in fields.items() if keys and key.startswith(keys)] if room_of(name) != "machine" else []
            for word in re.findall(rf'\b(?:{"|".join([*cores, f"pc_{family}"])})\b|(?:->|\.)(?:{"|".join(its) or "$."})\b|'
                                   rf'#include "procard/{family}/[^"]*"', code):
                yield f"{name}: {word}: is {family}'s own: ask an operation (procard/core.h) or a column (procard/cores.def)"


def circles(root):
    """Headers that include each other, perhaps by way of others: a guard would hide it."""
    needs = {file.relative_to(root).as_posix(): set(INCLUDE.findall(file.read_text()))
             for room in STOREY for file in (root / room).glob("*.h")}
    while free := [h for h, below in needs.items() if not below & set(needs)]:
        for header in free:
            del needs[header]
    if needs:
        yield f"a circle of headers among {', '.join(sorted(needs))}"


DECLARED = re.compile(r"^(?:struct|enum|union) (\w+) \{|^(?!typedef|#| \*)[a-z][\w *]*?\b(\w+)\(", re.M)


def misnamed(root):
    """What a header declares without its room's prefix."""
    for room, prefix in PREFIXES.items():
        for file in (root / room).glob("*.h"):
            for tag, function in DECLARED.findall(file.read_text()):
                if not (tag or function).startswith(prefix):
                    yield f"{file.relative_to(root)}: {tag or function} does not begin with {prefix}"


def crowded(root):
    """Folders with more sources than are read at a glance."""
    for room in STOREY:
        count = sum(1 for _ in (root / room).glob("*.c"))
        if count > SOURCES:
            yield f"{room}/ has {count} sources: at most {SOURCES}"


def unfiltered(root):
    """Rooms whose headers .clang-tidy passes over."""
    seen = re.search(r"^HeaderFilterRegex: '(.*)'", (root / ".clang-tidy").read_text(), re.M)[1]
    for room in STOREY:
        if any((root / room).glob("*.h")) and not re.search(seen, f"/{room}/any.h"):
            yield f".clang-tidy: HeaderFilterRegex lets no header of {room}/ through"


# What of the Linux personality speaks to the host by itself: before the first cycle, or of what no run depends on.
BY_ITSELF = ("names", "binary", "view/confine.c", "inspect.c")


def behind_the_log(root):
    """Calls to the host in the Linux personality that its log does not hear of (programs/host.h)."""
    calls = re.findall(r"^HOST\(\w+, (\w+), \1", (root / "programs/host.def").read_text(), re.M)
    raw = re.compile(rf"(?<![\w.>])(?:{'|'.join([*calls, 'close', 'scandirat'])})\(")
    for name, text in sources(root):
        if name.startswith("programs/linux/") and not name[len("programs/linux/"):].startswith(BY_ITSELF):
            code = re.sub(r'/\*.*?\*/|"[^"\n]*"', " ", text, flags=re.S)
            for call in raw.findall(code):
                yield f"{name}: {call}...): not by programs/host.h, so that no run could be gone back over"


def without_memory(root):
    """What a library makes, or not for want of memory, where nobody but base/ asks whether it did."""
    for name, text in sources(root):
        if not name.startswith("base/"):
            for call in re.findall(r"XXH\w+_createState", text):
                yield f"{name}: {call}: by base/hash.h, which never gives NULL"


def is_outside(root, folder):
    """Whether a folder at the top has no rooms: tests, one that a build is in, one that Git has nothing of."""
    if folder == "tests" or folder.startswith("build"):
        return True
    if not (root / ".git").exists() or not shutil.which("git"):  # a copy, or nobody to ask
        return False
    has = subprocess.run(["git", "ls-files", "--", folder], cwd=root, capture_output=True, text=True, check=False)
    return has.returncode == 0 and not has.stdout


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(arrows(root))
    if "--draw" in sys.argv:
        count = collections.Counter((a, b) for a, b, _, _ in found)
        for (a, b), n in sorted(count.items(), key=lambda c: (-STOREY[c[0][0]], c[0])):
            print(f"{a} -> {b}: {n}")
    wrong = [
        f"{file}: {header}: {a}/ may not know {b}/" if b else f"{file}: {header}: in no room"
        for a, b, file, header in found
        if b is None or STOREY[b] >= STOREY[a]
    ]
    wrong += strangers(root)
    wrong += of_kinds(root)
    wrong += circles(root)
    wrong += misnamed(root)
    wrong += crowded(root)
    wrong += unfiltered(root)
    wrong += behind_the_log(root)
    wrong += without_memory(root)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    known = {str(d.parent.relative_to(root)) for glob in ("*", "*/*", "*/*/*") for d in root.glob(f"{glob}/meson.build")
             if not is_outside(root, d.relative_to(root).parts[0])}
    homeless = known - set(STOREY)
    if homeless:
        print(f"no storey for {sorted(homeless)}")
    return 1 if wrong or homeless else 0


if __name__ == "__main__":
    sys.exit(main())
