#!/usr/bin/env -S python3 -S
"""
docs/arm11.md has a row for each rule of the application note (AT-1 to AT-34), whose tests there are and name it;
for each rule of the unit (ARM-1 on) and of the event monitors (L2-1 on), whose tests there are, or which is among those that
say that there is nothing to test; and for each ambiguity (AR-1 on), whose parameter or file there is.

    arm11_rows.py HOME
"""
import pathlib
import re
import sys

RULES = {"AT": 34, "ARM": 18, "L2": 14, "AR": 28}
# Filters and errors that no machine has.
UNTESTED = {"ARM": {18}, "L2": {5, 12}}
HOME = pathlib.Path(sys.argv[1])
TEXT = (HOME / "docs/arm11.md").read_text(encoding="utf-8")
KEYS = set(re.findall(r'^PARAM\(\w+, *"([^"]+)"', (HOME / "machine/params.def").read_text(encoding="utf-8"), re.M))


def rows(kind):
    """{number: the row's last cell}, in order, each once."""
    found = re.findall(rf"^\| {kind}-(\d+) \|.*\| ([^|]+) \|$", TEXT, re.M)
    numbers = [int(number) for number, _ in found]
    assert numbers == list(range(1, RULES[kind] + 1)), (kind, numbers)
    return {int(number): re.findall(r"`([^`]+)`", cell) for number, cell in found}


def check_rule(number, tests):
    """Each test is there, and one of their files names the rule."""
    assert tests, f"AT-{number} has no test"
    sources = []
    for test in tests:
        suite, case = test.split(":")
        source = (HOME / f"tests/{suite}.c").read_text(encoding="utf-8")
        assert f"Test({suite}, {case})" in source, f"AT-{number}: there is no test {test}"
        sources.append(source)
    assert any(re.search(rf"AT-{number}\b", source) for source in sources), f"no test of {tests} names AT-{number}"


def is_there(test):
    """A test of Criterion's, suite:case, or a file."""
    suite, _, case = test.partition(":")
    if not case:
        return (HOME / "tests" / test).is_file()
    return f"Test({suite}, {case})" in (HOME / f"tests/{suite}.c").read_text(encoding="utf-8")


def check_unit(kind):
    for number, tests in rows(kind).items():
        assert bool(tests) != (number in UNTESTED[kind]), f"{kind}-{number} has {tests or 'no test'}"
        for test in tests:
            assert is_there(test), f"{kind}-{number}: there is no test {test}"


def main():
    for number, tests in rows("AT").items():
        check_rule(number, tests)
    check_unit("ARM")
    check_unit("L2")
    for number, places in rows("AR").items():
        assert places, f"AR-{number} has neither a parameter nor a file"
        for place in places:
            assert place in KEYS or (HOME / place).is_file(), f"AR-{number}: there is neither a key nor a file {place}"


main()
