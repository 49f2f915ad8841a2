#!/usr/bin/env -S python3 -S
"""
Every option of every command, as cli/options.def and cli/commands.def have them: it is in --help, as what it takes (and
so in completion and the manual, tests/at_hand.py), or, if it is an old spelling, in none; it is accepted; a value that is
empty, wrong, or given twice is refused in a line that names the option (or what is wrong with it), with status 2. What
excludes or needs others says so. Of a mistyped option the command says which one it may have been, and of an option behind
the program that it is the program's.

    options.py NUMACHINE HOME [all]

All commands have one reader of options. What the first that has an option has been asked, the others are asked in turns,
and with `all` every one of them.
"""
import collections
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import simulator

# What each command needs beside options to be complete, if anything; of run and stat the rest is missing on purpose, so that
# nothing runs: they get past their options and then complain of something else.
COMMANDS = {
    "run": ["complete.yaml"],
    "stat": ["--", "./no-such-program"],
    "gdb": ["--", "./no-such-program"],
    "perfex": ["--", "./no-such-program"],
    "ssrun": ["--", "./no-such-program"],
    "profile": ["no-such-run"],
    "detect": ["naive", "./no-such-program"],
    "c2c": ["no-such-run"],
    "mend": ["no-such-run"],
    "placement": ["no-such-run"],
    "locks": ["no-such-run"],
    "points": ["sweep.yaml"],
    "collect": ["no-such-sweep"],
    "diff": ["no-such-run", "no-such-other"],
    "compare": ["no-such-run"],
    "report": ["no-such-run"],
    "whatif": ["no-such-run"],
    "list": [],
    "check": ["station-4"],
    "init": ["experiment.txt"],
    "protocol": [],
    "topology": ["station-4"],
    "latency": ["no-such-machine"],
    "watch": ["complete.yaml"],
    "bench": ["no-such-work"],
    "trace": ["cut", "no-such-trace", "out"],
}
BESIDE = {"line": ["info", "no-such-trace"], "scenario": [], "distance": [], "at_end": [],
          ("watch", "machine"): ["--scenario=read"]}  # options that do not go with these

# Of rows whose type does not say it: a right value, another one, and wrong ones.
ROWS = {
    "sets": ("bus.fifo=7", "bus.fifo=9", ["bus.fifo", "=7", "bus.fifo=", "bus.fifo=0"]),
    "machine": ("station-4", "ring-16", ["no-such-machine"]),
    "out": ("out", "out2", []),
    "file": ("out", "out2", []),
    "region": ("whole", "inner", []),
    "allow": ("/tmp:ro", "/usr:ro", []),
    "events": ("nacks", "upgrades", [",", "nacks,", ",nacks", "nacks,,upgrades"]),
    "groups": ("NACK", "NACK", [",", "NACK,", ",NACK"]),
    "point": ("a", "b", []),
    "shard": ("1/2", "2/2", ["0/2", "3/2", "1", "1/", "/2", "-1/2", "1/2/3", "one/two"]),
    "hosts": (":", "other", []),
    "hosts_file": ("hosts", "others", []),
    "env": ("A=1", "B=2", ["A", "=1", "="]),
    "system_path": ("none", "+,/usr/src", ["", "none,+", "/usr/src,+", "none,/usr/src"]),
    "source_path": ("/build=/home", "a=b", ["/build", "=/home", "/build="]),
    "separator": (";", ",", []),
    "limit": ("1ms", "2ms", ["0", "0us", "1", "-1ms", "99999999999999s"]),
    "processors": ("2", "3", ["1000000"]),
    "costs": ("my.costs", "other.costs", []),
    "state": ("stall/cache", "nacks", ["stal", "0", "stall/"]),
    "annotate": ("main", "other", []),
    "objects": ("table", "tallies", []),
    "sort": ("held", "longest", ["hold", "0"]),
    "lock": ("table", "0x1000", []),
    "threshold": ("0", "12.5", ["-1", "much", "1e9x"]),
    "patterns": ("*nacks*", "*misses*", []),
    "job": ("12", "13", []),
    "earlier": ("before.json", "other.json", []),
    "line": ("64", "128", ["63", "96"]),
    "scenario": ("read", "write", ["no-such", "rea"]),
    "line_at": ("0x1000", "4096", ["x", "-1", "0x"]),
    "symbol": ("lock", "table+8", []),
    "from_cycle": ("100", "200cy", ["x", "-1", "1us"]),
    "to_cycle": ("1000", "2000cy", ["x", "-1", "1us"]),
    "threads": ("0,4-7", "1", ["one", "1,", "7-4", "0-99999", "-1"]),
    "cut_region": ("whole", "inner", []),
    "waves": ("1us:2us", "1us:2us", ["1us", ":"]),
    "trace": ("1us:2us", "1us:2us", ["1us", ":"]),
    "paje": ("1us:2us", "1us:2us", ["1us", ":"]),
}
LIMITS = {"INT32_MAX": 2**31 - 1, "UINT32_MAX": 2**32 - 1, "UINT64_MAX": 2**64 - 1, "INT64_MAX": 2**63 - 1}
SINGLE = ["TEXT", "NAME", "MAYBE", "COUNT", "CHOICE"]  # types that are given once
UNSEEN = ["ALIAS", "HIDDEN", "REFUSED"]                # types that no help has
Row = collections.namedtuple("Row", "id name key type value least most sentence")
Table = collections.namedtuple("Table", "rows commands excluded needs")

# Options of these behind the program are the program's.
PROGRAMS = {"stat": [], "detect": ["words"]}

# One of so many questions that have been asked before is asked again: not a divisor of the four of a row.
WHOLE, TURNS = "all" in sys.argv[3:], 3
turn = itertools.count()


def has_turn():
    return WHOLE or next(turn) % TURNS == 0


def read_table(home):
    """rows: {id: Row}; commands: {name: {id: choices or default, or None}}; what excludes, and what needs others:
    [(id, [others])]."""
    text = (home / "cli/options.def").read_text().split("#endif\n")[-1]
    rows = {}
    for row in re.findall(r"""^OPTION\((\w+), ("[\w-]+"|NULL), ('.'|0), (\w+), ("[^"]*"|NULL), (\w+), (\w+), ("[^\n]*"|NULL)\)""",
                          text, re.M):
        name, key, value = (None if word in ("NULL", "0") else word[1:-1] for word in (row[1], row[2], row[4]))
        rows[row[0]] = Row(row[0], name and f"--{name}", key, row[3], value, *(LIMITS.get(n) or int(n) for n in row[5:7]),
                           row[7].strip('"'))
    assert len(rows) == len(re.findall(r"^OPTION", text, re.M)), "a row of another form"
    commands = {}
    for name, listed in re.findall(r'^COMMAND\((\w+), \w+,\s*((?:"[^"]*"|\w+|\s)+),', (home / "cli/commands.def").read_text(), re.M):
        words = "".join(re.findall(r'"([^"]*)"', listed.replace("IN_DEFAULT_MACHINE", '"numachine-64"'))).split()
        commands[name] = {word.partition("=")[0]: word.partition("=")[2] or None for word in words}
    rules = {kind: [(id_, others.split()) for id_, others in re.findall(rf'^{kind}\((\w+), "([^"]*)"', text, re.M)]
             for kind in ("EXCLUDE", "NEEDS")}
    table = Table(rows, commands, rules["EXCLUDE"], rules["NEEDS"])
    named = {id_ for options in commands.values() for id_ in options} | {"cite"}
    assert named == set(rows), (named ^ set(rows), "an option of no command, or of no row")
    return table


def good_of(row, choices=None):
    """Two right values."""
    if row.type in ("CHOICE", "MAYBE") and "|" in (choices or row.value):
        words = (choices or row.value).split("|")
        return words[-1], words[0]
    if row.id in ROWS:
        return ROWS[row.id][:2]
    return str(row.least), str(min(row.least + 7, row.most))


def wrong_of(row):
    """Wrong ones. One that takes any text knows the next option."""
    more = ROWS.get(row.id, ((), (), []))[2]
    return more + {"CHOICE": ["0", "no"], "TEXT": ["--set"], "MANY": ["--set"],
                   "COUNT": ["-1", "1.5", "two", "99999999999999999999", str(row.most + 1)] + [str(row.least - 1)] * (row.least > 0),
                   "NUMBERS": ["-1", "1.5", "two", str(row.most + 1)]}.get(row.type, [])


def shown(row, choices):
    """The option as --help has it."""
    if row.type in ("FLAG", "SETS"):
        return row.name
    value = "FROM:TO" if row.type == "WINDOW" else row.type == "CHOICE" and choices or row.value
    return f"{row.name}[={value}]" if row.type in ("MAYBE", "WINDOW") else f"{row.name}={value}"


def find(table, command, name):
    """The row of a command's option of this name, and its choices."""
    return next((table.rows[id_], more) for id_, more in table.commands[command].items() if table.rows[id_].name == name)


class Asked:
    """A command that is asked for its options."""

    def __init__(self, table, command, ask):
        self.table, self.command, self.run, self.rest = table, command, ask, COMMANDS[command]
        self.options = table.commands[command]

    def ask(self, *words):
        return self.run(self.command, *words, *self.rest)

    def complains(self, *words, of):
        done = self.ask(*words)
        assert done.returncode == 2 and any(word in done.stderr for word in of), (self.command, words, done.returncode, done.stderr)

    def given(self, id_):
        """The option, with a right value, as the user writes it."""
        row = self.table.rows[id_]
        if row.type in ("FLAG", "SETS", "ALIAS"):
            return row.name
        return f"{row.name or '-' + row.key}{'=' if row.name else ''}{row.value if row.type == 'HIDDEN' else good_of(row, self.options[id_])[0]}"

    def needed(self, id_):
        """What has to be given with it."""
        return [self.given(others[0]) for needs, others in self.table.needs if needs == id_]


def check_help(asked):
    """What the table has, and nothing else, with the letters that are free."""
    text = asked.run(asked.command, "--help").stdout
    keys, want = set(), set()
    for id_, choices in asked.options.items():
        row = asked.table.rows[id_]
        key = row.key if row.key not in keys else None
        keys.add(row.key)
        if row.type not in UNSEEN:
            want.add((f"-{key}, " if key else "    ") + shown(row, choices))
            assert re.sub(r"\W+", "", row.sentence) in re.sub(r"\W+", "", text), (asked.command, row.sentence)
    have = set(re.findall(r"^  ((?:-., |    )--[^\s]+)", text, re.M)) - {"-?, --help", "    --usage", "-V, --version"}
    assert have == want, (asked.command, have ^ want)


def check_values(asked, id_, first):
    """@param first  no command before had this row"""
    row, choices = asked.table.rows[id_], asked.options[id_]
    good, other = good_of(row, choices)
    needed = asked.needed(id_)
    for value in ["", *wrong_of(row)[:None if first else 1]]:
        if first or has_turn():
            asked.complains(f"{row.name}={value}", *needed, of=[row.name, *([f"'{value}'"] if value else [])])
    rights = choices.split("|") if choices and row.type == "CHOICE" else [good]
    for right in rights:
        if first or has_turn():
            done = asked.ask(f"{row.name}={right}", *needed)
            said = [line for line in done.stderr.split("\n") if row.name in line and "writes no" not in line and "these have:" not in line]
            assert not said, (asked.command, row.name, right, said)
    if first or has_turn():
        done = asked.ask(f"{row.name}={good}", f"{row.name}={other}", *needed)
        once = row.type in SINGLE
        assert (f"{row.name}: given twice" in done.stderr) == once and (not once or done.returncode == 2), (asked.command, row.name, done.stderr)


def check_options(asked, seen):
    for id_ in asked.options:
        row, first = asked.table.rows[id_], id_ not in seen
        asked.rest = BESIDE.get((asked.command, id_), BESIDE.get(id_, COMMANDS[asked.command]))
        seen.add(id_)
        if row.type == "REFUSED":
            asked.complains(f"-{row.key}", of=[f"-{row.key}: {row.sentence}"])
        elif row.type in ("FLAG", "SETS", "ALIAS", "HIDDEN"):
            done = asked.ask(asked.given(id_), *asked.needed(id_))
            assert asked.given(id_) not in done.stderr, (asked.command, id_, done.stderr)
        else:
            check_values(asked, id_, first)


def check_rules(asked):
    for id_, others in asked.table.excluded:
        for other in others:
            if id_ in asked.options and other in asked.options:
                one, two = asked.given(id_), asked.given(other)
                names = [word.split("=")[0][:2 if word[1] != "-" else None] for word in (one, two)]
                done = asked.ask(one, two, *asked.needed(id_), *asked.needed(other))
                assert done.returncode == 2 and all(name in done.stderr for name in names), (asked.command, one, two, done.stderr)
    for id_, others in asked.table.needs:
        if id_ in asked.options:
            asked.complains(asked.given(id_), of=[asked.table.rows[id_].name + ": "])
    forms = ["--format", *(asked.table.rows[id_].name for id_ in asked.options if asked.table.rows[id_].type == "ALIAS")]
    for one, other in itertools.permutations([form if form != "--format" else asked.given("format") for form in forms], 2) \
            if len(forms) > 1 else []:
        if has_turn():
            asked.complains(one, other, of=["exclude each other"])
    for form in forms[1:]:
        row = next(row for row in asked.table.rows.values() if row.name == form and row.type == "ALIAS")
        old, new = asked.ask(form), asked.ask(f"--{row.value}={row.sentence}")
        assert (old.returncode, old.stdout, old.stderr) == (new.returncode, new.stdout, new.stderr), (asked.command, form)


def mistyped(options):
    """Each long option that is long enough without its last letter but one, if that begins no other."""
    words = {option[:-2] + option[-1]: option for option in options if len(option) > 6}
    return {word: option for word, option in words.items() if not any(other.startswith(word) for other in options)}


def check_mistyped(ask, command, rest):
    options = set(re.findall(r"^  (?:-., |    )(--[\w-]+)", ask(command, "--help").stdout, re.M))
    asked = mistyped(options)
    assert asked, command
    for word, option in asked.items():
        if not has_turn():
            continue
        done = ask(command, word + "=x" * (len(word) % 2), *rest)
        assert done.returncode == 2 and f"no option '{word}'; did you mean '{option}'?\n" in done.stderr, done.stderr
        assert done.stderr.count("did you mean") == 1 and not done.stdout, done.stderr
    done = ask(command, "--", *(rest or ["x"]), *asked)
    assert "did you mean '--" not in done.stderr, done.stderr


def check_late(ask, command, rest):
    """A note of the first of them, which ends nothing; none if they cannot be meant, or were set apart."""
    program = "./no-such-program"
    for words in (["--machine=x"], ["-m", "x"], ["x", "--machine", "--set=y"]):
        done = ask(command, *rest, program, *words)
        first = next(word for word in words if word.startswith("-"))
        assert f"note: '{first}' stands behind the program" in done.stderr, done.stderr
        assert done.stderr.count("note:") == 1 and "no-such-program: No such file" in done.stderr, done.stderr
    for words in ([program, "x", "-7", "--mach", "--other"], ["--", program, "--machine=x"]):
        done = ask(command, *rest, *words)
        assert "note:" not in done.stderr and "no-such-program: No such file" in done.stderr, done.stderr


def main():
    numachine, home = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    wide = {**os.environ, "ARGP_HELP_FMT": "rmargin=10000"}
    table, seen = read_table(home), set()
    assert set(COMMANDS) == set(table.commands), \
        f"say in COMMANDS of tests/options.py how these are called: {set(COMMANDS) ^ set(table.commands)}"
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        def ask(*words):
            return simulator.bounded([numachine, *words], capture_output=True, text=True, env=wide, cwd=scratch,
                                     stdin=subprocess.DEVNULL)

        with open(scratch + "/complete.yaml", "w", encoding="ascii") as file:
            file.write("machine: {base: station-4}\nprogram: {path: ./no-such-program}\n")
        with open(scratch + "/sweep.yaml", "w", encoding="ascii") as file:
            file.write("machine: {base: station-4}\nprogram: {path: ./no-such-program}\nsweep: {run.seed: [1]}\n")
        for command in table.commands:
            asked = Asked(table, command, ask)
            check_help(asked)
            check_options(asked, seen)
            check_rules(asked)
            if asked.options:
                check_mistyped(ask, command, COMMANDS[command])
        for command, rest in PROGRAMS.items():
            check_late(ask, command, rest)
        assert "note:" not in ask("stat", "--format=json", "./no-such-program", "--machine=x").stderr
        Asked(table, "stat", ask).complains("--env", "A=1", "--env", "A=2", of=["--env"])
        assert set(ROWS) <= seen, set(ROWS) - seen
        print(f"ok: {len(seen)} options")


if __name__ == "__main__":
    main()
