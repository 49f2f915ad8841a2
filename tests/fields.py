#!/usr/bin/env -S python3 -S
"""Who may touch which field of a processor card (struct pc_card, procard/card.h).

The comment at the head of each group of fields names the files of procard/ that own them:

    /* agent.c, uncached.c; read by all: the station bus */

Only owners write a field, or take its address where it may be written; others read it if the group
says so. Rows of a field (a struct of card.h) are written by its owners, too, whoever holds a pointer
to one. `fields.py DIR --draw` prints who touches what.

The C is read as text, so what a macro, a cast or an array within a field hides is not seen. Tests
may look at everything.
"""

import collections
import pathlib
import re
import sys

HEADER = "procard/card.h"
ALL = "all"
MAKER = "pc_card_new"  # gives all fields their first values
SEES_ALL = {"procard/invariants.c"}  # looks whether all is well, and writes nothing
GROUP = re.compile(r"/\* (all|[\w.]+\.c(?:, [\w.]+\.c)*)(; read by all)?: ")
FUNCTION = re.compile(r"^(?!struct \w+ \{|union|enum|typedef|extern)((?:[a-z_][^;{}=#]*?)\b(\w+)\(([^;{}]*)\))(?:\n?\{\n(.*?)^\}|;)", re.M | re.S)
STEP = r"(?:\[(?:[^][]|\[[^][]*\])*\]|\.\w+)*"  # further into a field, not through a pointer
WRITES = r"\s*(?:=(?!=)|(?:[-+*/|&^]|<<|>>)=|\+\+|--)"


def code_of(text):
    """The text without comments; lines stay where they are."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: " " + "\n" * m[0].count("\n"), text, flags=re.S)


class Field:
    """A field of the card and who owns it."""

    def __init__(self, declarator, kind, group, owners, shared):
        self.group = group
        self.name = re.match(r"\**(\w+)", declarator)[1]
        self.decays = "[" in declarator  # its bare name is an address
        self.kind = kind  # "struct pc_request", unless the field is a pointer
        self.owners, self.shared = owners, shared

    def allows(self, file, writes):
        return file in self.owners or ALL in self.owners or (not writes and (self.shared or file in SEES_ALL))


def fields_of(header):
    """Those of the struct, by name. A line that is in no group ends the test."""
    body = re.search(r"^struct pc_card \{\n(.*?)^\};", header, re.M | re.S)[1]
    fields, owners, shared, group = {}, None, False, None
    for comment, group_owners, read, declaration in re.findall(rf"({GROUP.pattern})|(?:/\*.*?\*/)|([^;/]+;)", body, re.S):
        if comment:
            group = comment
            owners, shared = {f"procard/{o}" if o != ALL else o for o in group_owners.split(", ")}, bool(read)
        elif declaration.strip():
            kind, names = re.fullmatch(r"(?:alignas\(\w+\) )?((?:const )?(?:(?:struct|enum) )?\w+) (.*);", declaration.strip(), re.S).groups()
            assert owners, f"{HEADER}: {names} is in no group"
            for name in names.split(","):
                field = Field(name.strip(), kind if not name.strip().startswith("*") else None, group, owners, shared)
                fields[field.name] = field
    return fields


def functions_of(code):
    """(line, name, head, parameters, body) of all that are defined or declared."""
    for m in FUNCTION.finditer(code):
        yield code.count("\n", 0, m.start()) + 1, m[2], m[1], [p.strip() for p in split(m[3])], m[4], m.start(4)


def split(text):
    """At the commas that are in no parentheses."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def call_around(before):
    """(function, how many arguments stand before) of the call in whose arguments the text ends."""
    depth, commas = 0, 0
    for i in range(len(before) - 1, -1, -1):
        c = before[i]
        if c in ")]":
            depth += 1
        elif c in "([" and depth:
            depth -= 1
        elif c == "(":
            name = re.search(r"(\w+)$", before[:i])
            return (name[1], commas) if name else call_around(before[:i])
        elif c == "," and not depth:
            commas += 1
        elif c in ";{}":
            break
    return None


def is_const(pointer):
    """Of a declaration `const struct x *y`, `struct x *y`."""
    return "*" not in pointer or pointer.lstrip().startswith(("const ", "static const "))


def address_writes(body, at, head, parameters):
    """Whether what stands at an address that is taken may be written: unless const says not."""
    before = body[:at]
    call = call_around(before)
    if call and call[0] in parameters:
        declared, nth = parameters[call[0]], call[1]
        return not is_const(declared[min(nth, len(declared) - 1)])
    if call and call[0] in ("memcpy", "memset", "memmove"):
        return call[1] == 0
    if call and call[0] == "sizeof" or re.search(r"(?:sizeof|__builtin_prefetch\() ?&?$", before):
        return False
    statement = re.split(r"[;{}]", before)[-1].strip()
    if statement.startswith("for ("):
        statement = statement[5:]
    if statement.startswith("return"):
        return not is_const(head)
    if re.search(r"(?:==|!=|[-+<>]) *&?$", statement):
        return False
    return not re.match(r"(?:static )?const ", statement)


def touches(code, fields, parameters):
    """(line, field, whether it is written) of all that a file does to a card."""
    rows = {f.kind: f for f in fields.values() if f.kind and f.kind.startswith("struct pc_")}
    names = "|".join(sorted(fields, key=len, reverse=True))
    for _, name, head, declared, body, start in functions_of(code):
        if body is None or name == MAKER:
            continue
        whole = ", ".join(declared) + ";" + body
        cards = set(re.findall(r"struct pc_card \*(?:const )?(\w+)", whole))
        frozen = set(re.findall(r"const struct pc_card \*(?:const )?(\w+)", whole))
        call = r"(?:pc_(?:const_)?card_of|card_at)\((?:[^()]|\([^()]*\))*\)"
        card = rf"(?:(?<![\w.>])(?:{'|'.join(sorted(cards)) or '$.'})|(?:(?<=->)|(?<=\w\.))card|{call})"
        line = lambda m: code.count("\n", 0, start + m.start()) + 1
        for m in re.finditer(rf"({card})->({names})\b", body):
            field = fields[m[2]]
            step, assigned, pointed = re.compile(rf"({STEP})({WRITES})?(->)?").match(body, m.end()).groups()
            before = re.sub(r"\w+(?:->|\.)$", "", body[:m.start()])
            taken = re.search(r"(?<![&\w)\]])\s*&\s*$", before) or (field.decays and not step)
            writes = assigned or re.search(r"(?:\+\+|--)\s*$", before)
            if taken and not pointed and m[1] not in frozen and not m[1].startswith("pc_const"):
                writes = writes or address_writes(body, m.start(), head, parameters)
            yield line(m), field, bool(writes)
        for kind, field in rows.items():
            held = set(re.findall(rf"(?<!const ){kind} \*(\w+)", whole))
            for m in re.finditer(rf"(?<![\w.>])(\+\+|--|\*)?({'|'.join(held) or '$.'})(?:->(\w+){STEP})?({WRITES})?", body):
                if (m[3] or m[1] == "*") and (m[4] or m[1] in ("++", "--")) and not re.search(rf"{kind} $", body[:m.start()]):
                    yield line(m), field, True


# What the test must see: (a body with a `card`, the fields it writes).
SEEN = [
    ("card->stall = PC_ST_STALL_L2;", ["stall"]),
    ("card->linked.until += n;", ["linked"]),
    ("card->l1_line[side][card->passed++] |= 1;", ["l1_line", "passed"]),
    ("cpu->card->filled = ~0ull;", ["filled"]),
    ("pc_card_of(nm)->activity = PC_IDLE;", ["activity"]),
    ("card_at(m, card_of(i))->pins = NULL;", ["pins"]),
    ("struct pc_card *c = at(m); --c->stretches;", ["stretches"]),
    ("memset(card->tlb, 0xff, sizeof card->tlb);", ["tlb"]),
    ("struct pc_uncached *u = &card->uncached; u->busy = true;", ["uncached", "uncached"]),
    ("struct pc_request *r = pc_request_of(card, line); r->due = now;", ["request"]),
    ("pc_sync_write(&card->sync, 0, 0);", ["sync"]),
    ("return &card->special;", ["special"]),
    ("const struct pc_uncached *u = &card->uncached; if (u->busy == card->uncached.waits) run(u);", []),
    ("if (card->stall == PC_ST_STALL_L2 && card->core->look) card->core->look(x);", []),
    ("f(pc_sync_pending(&card->sync), card->p->l2_lookup);", []),
    ("struct pc_card *const c = at(m); nm_machine_now(c->machine);", []),
]


def blind(fields, parameters):
    """Rows of SEEN that are not seen so."""
    for body, writes in SEEN:
        code = f"static struct nm_look *f(struct pc_card *card)\n{{\n    {body}\n}}\n"
        found = [field.name for _, field, written in touches(code, fields, parameters) if written]
        if sorted(found) != sorted(writes):
            yield f"tests/fields.py: sees writes of {found} in: {body}"


def idle(fields, drawn):
    """Owners of a group who touch nothing of it."""
    groups = collections.defaultdict(set)
    for field in fields.values():
        groups[field.group].update(*drawn[field.name].values())
    for group, touching in groups.items():
        owners = GROUP.match(group)[1].split(", ")
        yield from (f"{HEADER}: {group}...: {owner} touches nothing of it" for owner in owners if owner not in {ALL, *touching})


def strangers(root):
    """Files of other rooms that include the header."""
    for room in sorted(d for d in root.iterdir() if (d / "meson.build").exists() and d.name not in ("tests", "procard")):
        for file in room.rglob("*.[ch]"):
            if f'"{HEADER}"' in file.read_text():
                yield f"{file.relative_to(root)}: includes {HEADER}: procard/procard.h is for other rooms"


def main():
    root = pathlib.Path(sys.argv[1])
    files = {f.relative_to(root).as_posix(): code_of(f.read_text()) for f in sorted(root.glob("procard/**/*.[ch]"))}
    fields = fields_of((root / HEADER).read_text())
    wrong = [f"{HEADER}: {owner} owns {f.name} and is not there" for f in fields.values() for owner in f.owners - set(files) - {ALL}]
    headers = [code_of(f.read_text()) for room in ("base", "ring", "monitor", "machine", "procard") for f in (root / room).glob("**/*.h")]
    known = {name: declared for code in headers for _, name, _, declared, _, _ in functions_of(code)}
    wrong += [*blind(fields, known), *strangers(root)]
    drawn = collections.defaultdict(lambda: collections.defaultdict(set))
    for file, code in files.items():
        if file == HEADER:
            continue  # its functions are the owners'
        own = {name: declared for _, name, _, declared, _, _ in functions_of(code)}
        for line, field, writes in touches(code, fields, {**known, **own}):
            drawn[field.name]["writes" if writes else "reads"].add(file.removeprefix("procard/"))
            if not field.allows(file, writes):
                does = "writes" if writes else "reads"
                wrong.append(f"{file}:{line}: {does} {field.name}, not its own: see its group in {HEADER}")
    if "--draw" in sys.argv:
        for name in fields:
            print(f"{name}: " + "; ".join(f"{does} {', '.join(sorted(who))}" for does, who in sorted(drawn[name].items())))
    wrong += idle(fields, drawn)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
