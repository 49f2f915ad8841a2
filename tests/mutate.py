#!/usr/bin/env -S python3 -S
"""
Small faults, drawn by lot: what mutants.py puts into a copy of the tree, one at a time.

    mutate.py SOURCE SEED COUNT     prints what would be drawn
    mutate.py SOURCE                looks at a thousand draws: the quick suite's test of this file

A fault is one change of one place in a C or .def file of the product: an operator, a constant, a condition, a statement
or an argument of a table's row. Every line with such a place is as likely as any other. What is drawn depends on the
seed, the number and the files only. Nothing is put into comments, prose or assertions: no test can see it there.
"""
import bisect
import dataclasses
import pathlib
import random
import re
import sys

SHOWN = 60  # [characters] of what is changed
ROOMS = ["base", "ring", "monitor", "machine", "procard", "programs", "input", "documents", "run", "look", "sweep", "page", "trace", "show", "cli"]


@dataclasses.dataclass(frozen=True)
class Mutation:
    """One change: at `place` of the file's text stands `old`, and shall stand `new`."""
    file: str
    line: int
    place: int
    old: str
    new: str

    def applied(self, text):
        assert text[self.place:self.place + len(self.old)] == self.old
        return text[:self.place] + self.new + text[self.place + len(self.old):]

    def __str__(self):
        shown = (" ".join(part.split()) or "nothing" for part in (self.old, self.new))
        return "{} -> {}".format(*(one if len(one) < SHOWN else one[:SHOWN - 3] + "..." for one in shown))


# Comments, texts and characters: blanked out, so that what is found stands in code.
NO_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)

# What may stand for what. Of operators only those between blanks: clang-format has the others for pointers and signs.
OPERATORS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="], "+": ["-"],
             "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"], "&&": ["||"], "||": ["&&"], "&": ["|"],
             "|": ["&"], "^": ["|"], "+=": ["-=", "="], "-=": ["+=", "="], "|=": ["&=", "="], "&=": ["|=", "="]}
OPERATOR = re.compile(r"(?<= )(" + "|".join(map(re.escape, sorted(OPERATORS, key=len, reverse=True))) + r")(?= )")
WORDS = {"true": "false", "false": "true", "break;": ";", "continue;": ";", "sim_earlier": "sim_later", "sim_later": "sim_earlier"}
WORD = re.compile(r"\b(true|false|break;|continue;|sim_earlier|sim_later)(?!\w)")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)(?=[uUlL]*(?![\w.]))")
STEP = re.compile(r"(?<=[\w\])])(\+\+|--)|(\+\+|--)(?=\w)")
CONDITION = re.compile(r"\b(?:if|while) \(")
STATEMENT = re.compile(r"(?m)^[ \t]+((?!(?:return|break|continue|else|goto|case|default|typedef|assert)\b)"
                       r"\*?[A-Za-z_][\w.\[\]>-]*(?:\([^;{}]*\)| (?:[-+*/|&^]|<<|>>)?= [^;{}]*|\+\+|--);)$")
# Memory that is lost is no result; growth.py and the sanitizers look for it.
GIVES_BACK = re.compile(r"(\w*_)?(free|release|close)\(")
NOT_LOOKED_AT = re.compile(r"(?m)^[ \t]*#(?!define).*$|\b(?:_Static_assert|assert)\s*\(")
BRACKET = re.compile(r"[][(){}]")
ROW = re.compile(r"(?m)^([A-Z][A-Z0-9_]*)\(")
DECLARED = re.compile(r"^\w+\((?:const |unsigned |uint\d+_t |bool |struct |enum |char |void\b)")


def blank(text):
    return NO_CODE.sub(lambda found: re.sub(r"[^\n]", "\x01", found[0]), text)


def closing(text, at):
    """Where the parenthesis at `at` is closed; the text's end if nowhere."""
    depth = 0
    for found in BRACKET.finditer(text, at):
        depth += 1 if found[0] in "([{" else -1
        if depth == 0:
            return found.start()
    return len(text)


def without_assertions(code):
    for found in reversed(list(NOT_LOOKED_AT.finditer(code))):
        end = closing(code, found.end() - 1) if found[0].endswith("(") else found.end()
        code = code[:found.start()] + re.sub(r"[^\n]", "\x01", code[found.start():end]) + code[end:]
    return code


def numbers(found):
    word = found[1].lower()
    octal = word.startswith("0") and word.isdigit() and len(word) > 1
    base, form = (16, "#x") if word.startswith("0x") else (8, "04o") if octal else (10, "d")
    return [format(n, form) for n in (int(word, base) + 1, int(word, base) - 1) if n >= 0]


def code_changes(code, text):
    """(place, old, [new...]) of all that looks like C."""
    for found in OPERATOR.finditer(code):
        yield found.start(), found[0], OPERATORS[found[0]]
    for found in WORD.finditer(code):
        yield found.start(), found[0], [WORDS[found[0]]]
    for found in NUMBER.finditer(code):
        yield found.start(), found[1], numbers(found)
    for found in STEP.finditer(code):
        yield found.start(), found[0], ["--" if found[0] == "++" else "++"]
    for found in CONDITION.finditer(code):
        opened = found.end() - 1
        yield opened, "(", ["(0 && "] + ["(1 || "] * found[0].startswith("if")
        yield opened, "(", ["(!"] if re.match(r"\([\w.>-]+\)", code[opened:]) else []
    for found in STATEMENT.finditer(code):
        if code[max(found.start() - 200, 0):found.start()].rstrip()[-1:] in ";{})\x01" and not GIVES_BACK.match(found[1]):
            yield found.start(1), text[found.start(1):found.end(1)], [";"]


def arguments(code, opened):
    """(from, to) of each argument between the parenthesis at `opened` and its end."""
    end, begin, place = closing(code, opened), opened + 1, opened + 1
    while place < end:
        if code[place] in "([{":
            place = closing(code, place)
        elif code[place] == ",":
            yield begin, place
            begin = place + 1
        place += 1
    yield begin, end


def rows(code, text):
    """[macro, place, end, [(from, to) of each argument without blanks around]] of a table's rows."""
    found = []
    for row in ROW.finditer(code):
        opened, end = row.end() - 1, closing(code, row.end() - 1) + 1
        if end > len(code) or not re.match(r"[ \t]*(?:\x01| )*(\n|$)", code[end:]) or DECLARED.match(text[row.start():end]):
            continue
        trimmed = []
        for begin, stop in arguments(code, opened):
            word = text[begin:stop]
            trimmed.append((begin + len(word) - len(word.lstrip()), begin + len(word.rstrip())))
        found.append((row[1], row.start(), end, trimmed))
    return found


def is_prose(word):
    return not word or word.startswith('"') and " " in word or "\n" in word


def row_changes(code, text):
    """A row has an argument of the next one, or is not there."""
    table = rows(code, text)
    for (macro, begin, end, own), following in zip(table, table[1:] + [None]):
        yield begin, text[begin:end], [""]
        if not following or following[0] != macro or len(following[3]) != len(own):
            continue
        for mine, others in zip(own, following[3]):
            old, new = text[slice(*mine)], text[slice(*others)]
            if old != new and not is_prose(old) and not is_prose(new):
                yield mine[0], old, [new]


def changes(file, text):
    """{line: [(place, old, [new...])]} of a file."""
    code = without_assertions(blank(text))
    found = list(code_changes(code, text)) + (list(row_changes(code, text)) if file.endswith(".def") else [])
    ends = [end.start() for end in re.finditer("\n", text)]
    lines = {}
    for place, old, news in found:
        if news:
            lines.setdefault(bisect.bisect_left(ends, place) + 1, []).append((place, old, news))
    return lines


class Lot:
    """All faults of a tree."""

    def __init__(self, source, only=""):
        self.source = pathlib.Path(source)
        self.lines = []  # (file, line, changes)
        for room in ROOMS:
            for path in sorted((self.source / room).rglob("*")):
                file = str(path.relative_to(self.source))
                if path.suffix in (".c", ".def") and re.search(only, file):
                    self.lines += [(file, line, found) for line, found in sorted(changes(file, path.read_text()).items())]

    def draw(self, seed, number):
        lot = random.Random(f"{seed}:{number}")
        file, line, found = lot.choice(self.lines)
        place, old, news = lot.choice(found)
        return Mutation(file, line, place, old, lot.choice(news))


def test(source):
    """Draws are repeatable, each changes code and nothing but its place, and all kinds come."""
    lot = Lot(source)
    texts, kinds = {}, set()
    for number in range(1000):
        one = lot.draw("test", number)
        assert one == lot.draw("test", number), one
        text = texts.setdefault(one.file, pathlib.Path(source, one.file).read_text())
        changed = one.applied(text)
        assert changed != text and text.count("\n", 0, one.place) + 1 == one.line, one
        assert blank(text)[one.place] != "\x01" or text[one.place] in "\"'", one
        kinds.add("row" if not one.new else "statement" if one.new == ";" else "number" if NUMBER.fullmatch(one.old) else
                  "condition" if one.old == "(" else "operator" if one.old in OPERATORS else "argument or word")
    assert len(kinds) == 6, kinds
    return 0


def main():
    if len(sys.argv) == 2:
        return test(sys.argv[1])
    lot = Lot(sys.argv[1])
    for number in range(int(sys.argv[3])):
        one = lot.draw(sys.argv[2], number)
        print(f"{number}\t{one.file}:{one.line}\t{one}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
