"""A reader of value change dumps (IEEE 1364), for tests: it refuses what a viewer could stumble over."""

import bisect
import collections
import re

NAMES = re.compile(r"\$var (wire|string) (\d+) (\S+) (\w+)(?: \[(\d+):0\])? \$end")


class Book:
    def __init__(self):
        self.names, self.bits, self.changes = {}, {}, collections.defaultdict(list)
        self.begin = self.end = None

    def at(self, name, time):
        """The signal's value at a time; None: unknown."""
        changes = self.changes[name]
        found = bisect.bisect_right(changes, time, key=lambda change: change[0])
        return changes[found - 1][1] if found else None

    def pieces(self, name):
        """(from, to, value), one behind the other, of all the time."""
        changes = self.changes[name] + [(self.end, None)]
        return [(t, until, value) for (t, value), (until, _) in zip(changes, changes[1:]) if until > t]


def declare(book, lines):
    """The hierarchy, up to $enddefinitions."""
    scope = []
    for line in lines:
        if line.startswith("$scope"):
            scope.append(re.fullmatch(r"\$scope module (\S+) \$end", line)[1])
        elif line == "$upscope $end":
            scope.pop()
        elif line.startswith("$var"):
            kind, bits, name, signal, high = NAMES.fullmatch(line).groups()
            assert name not in book.names and ".".join(scope + [signal]) not in book.bits, line
            assert kind == "string" or int(bits) == int(high or 0) + 1, line
            book.names[name] = ".".join(scope + [signal])
            book.bits[book.names[name]] = 0 if kind == "string" else int(bits)
        elif line == "$enddefinitions $end":
            assert not scope
            return
    raise AssertionError("no end of the definitions")


def value_of(book, line):
    """(signal, value) of a line."""
    if line[0] in "01x":
        name, value = line[1:], line[0]
    else:
        value, name = re.fullmatch(r"[bs](\S+) (\S+)", line).groups()
    signal = book.names[name]
    if line[0] == "s":
        assert book.bits[signal] == 0
        return signal, None if value == "-" else value
    assert book.bits[signal] and (book.bits[signal] == 1) == (line[0] in "01x"), line
    number = None if "x" in value.lower() else int(value, 2)
    assert number is None or number < 2 ** book.bits[signal], line
    return signal, number


def read(path):
    """Everything in it. Values are numbers, words, or None: unknown; so is the word '-'."""
    book, lines = Book(), iter(path.read_text().splitlines())
    declare(book, lines)
    time, last, dumping, dumped = None, {}, False, set()
    known = {}  # most lines have been there before
    for line in lines:
        if line.startswith("#"):
            assert time is None or int(line[1:]) > time, line
            time = int(line[1:])
            book.begin = time if book.begin is None else book.begin
        elif line in ("$dumpvars", "$end"):
            dumping = line == "$dumpvars"
        else:
            if line not in known:
                known[line] = value_of(book, line)
            signal, value = known[line]
            assert dumping or signal not in last or last[signal] != value, f"#{time}: {line} is no change"
            dumped |= {signal} if dumping else set()
            last[signal] = value
            if value is not None or not dumping:
                book.changes[signal].append((time, value))
    assert dumped == set(book.bits), "not every signal has a first value"
    book.end = time
    return book
