#!/usr/bin/env python3
"""
docs/arm11-counters.md has a row for each rule of the application note (AT-1 to AT-34), whose tests there are and name it,
and one for each ambiguity (AR-1 on), whose parameter or file there is.

    arm11_rows.py HOME
"""
import pathlib
import re
import sys

RULES = 34
HOME = pathlib.Path(sys.argv[1])
TEXT = (HOME / "docs/arm11-counters.md").read_text(encoding="utf-8")
KEYS = set(re.findall(r'^PARAM\(\w+, *"([^"]+)"', (HOME / "machine/params.def").read_text(encoding="utf-8"), re.M))


def rows(kind):
    """{number: the row's last cell}, in order, each once."""
    found = re.findall(rf"^\| {kind}-(\d+) \|.*\| ([^|]+) \|$", TEXT, re.M)
    numbers = [int(number) for number, _ in found]
    assert numbers == list(range(1, len(numbers) + 1)), (kind, numbers)
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


def main():
    rules = rows("AT")
    assert len(rules) == RULES, f"{len(rules)} rules, not {RULES}"
    for number, tests in rules.items():
        check_rule(number, tests)
    for number, places in rows("AR").items():
        assert places, f"AR-{number} has neither a parameter nor a file"
        for place in places:
            assert place in KEYS or (HOME / place).is_file(), f"AR-{number}: there is neither a key nor a file {place}"


main()
