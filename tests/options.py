#!/usr/bin/env python3
"""
Every option of every command that takes a value says so when that is empty, wrong, or given twice: a line that
names the option (or what is wrong with it), and status 2. What is asked for comes from the commands' own --help, so a new option needs a row.
Options that say in which form a command prints exclude each other. Of a mistyped option the command says which one it
may have been, and of an option behind the program that it is the program's.

    options.py NUMACHINE [all]

All commands have one reader of options. What the first that has an option has been asked, the others are asked in turns,
and with `all` every one of them.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile

import simulator

# What a command needs beside options to be complete; of run and stat the rest is missing on purpose, so that
# nothing runs: they get past their options and then complain of something else.
COMMANDS = {
    "run": ["complete.yaml"],
    "stat": ["--", "./no-such-program"],
    "perfex": ["--", "./no-such-program"],
    "profile": ["no-such-run"],
    "detect": ["lines", "./no-such-program"],
    "c2c": ["no-such-run"],
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
    "init": None,  # no options of its own
    "protocol": [],
    "topology": ["station-4"],
    "latency": ["station-4"],
    "bench": ["no-such-work"],
    "trace": ["cut", "no-such-trace", "out"],
}

# Option, or command and option: a right value, another one, wrong ones, and whether it says one thing only.
ROWS = {
    "--allow": ("/tmp:ro", "/usr:ro", [], False),
    "--by": ("line", "path", ["lines", "0"], True),
    "--env": ("A=1", "B=2", ["A", "=1", "="], False),
    "--event": ("nacks", "upgrades", [",", "nacks,", ",nacks", "nacks,,upgrades"], False),
    "perfex --event": ("0", "16", ["32", "-1", "1.5", "two"], False),
    "--compare": ("before.json", "other.json", ["--runs"], True),
    "--runs": ("1", "7", ["0", "-1", "1.5", "two", "1001"], True),
    "--costs": ("my.costs", "other.costs", ["--set"], True),
    "--field-separator": (";", ",", ["--json"], True),
    "--format": ("dot", "dot", ["doc", "0"], True),
    "detect --format": ("json", "text", ["dot", "0"], True),
    "profile --format": ("csv", "json", ["dot", "0"], True),
    "c2c --format": ("json", "text", ["csv", "0"], True),
    "--lines": ("0", "7", ["-1", "1.5", "two", "99999999999999999999"], True),
    "placement --format": ("yaml", "csv", ["dot", "0"], True),
    "diff --format": ("csv", "json", ["dot", "0"], True),
    "compare --format": ("csv", "json", ["dot", "0"], True),
    "locks --format": ("csv", "json", ["folded", "0"], True),
    "--group": ("NACK", "NACK", [",", "NACK,", ",NACK"], False),
    "--lock": ("table", "0x1000", ["--sort"], True),
    "--limit": ("1ms", "2ms", ["0", "0us", "1", "-1ms", "99999999999999s"], True),
    "--machine": ("station-4", "ring-16", ["no-such-machine"], True),
    "--output": ("out", "out2", ["--force"], True),
    "--processors": ("2", "3", ["0", "-1", "1.5", "two", "1000000", "99999999999999999999"], True),
    "--point": ("a", "b", ["--set"], True),
    "--host-threads": ("2", "3", ["0", "-1", "1.5", "two", "99999999999999999999"], True),
    "--job": ("12", "13", ["--output"], True),
    "--jobs": ("1", "2", ["0", "-1", "1.5", "two", "99999999999999999999"], True),
    "--shard": ("1/2", "2/2", ["0/2", "3/2", "1", "1/", "/2", "-1/2", "1/2/3", "one/two"], True),
    "--shards": ("2", "3", ["0", "-1", "1.5", "two", "99999999999999999999"], True),
    "--sshlogin": (":", "other", ["--slurm"], True),
    "--sshloginfile": ("hosts", "others", ["--slurm"], True),
    "--region": ("whole", "inner", ["--by"], True),
    "--seed": ("0", "2", ["-1", "1.5", "one", "99999999999999999999"], True),
    "--sort": ("held", "longest", ["hold", "0"], True),
    "--state": ("stall/cache", "nacks", ["stal", "0", "stall/"], True),
    "--stat": ("*nacks*", "*misses*", ["--all"], False),
    "trace --format": ("din", "lackey", ["dot", "0"], True),
    "trace --by": ("references", "instructions", ["lines", "0"], True),
    "--from": ("0", "7", ["-1", "1.5", "two", "99999999999999999999"], True),
    "--to": ("1", "7", ["-1", "1.5", "two", "99999999999999999999"], True),
    "--line": ("64", "128", ["0", "63", "two", "8192"], True),
    "--threads": ("0,4-7", "1", ["one", "1,", "7-4", "0-99999", "-1"], True),
    "--threshold": ("0", "12.5", ["-1", "much", "1e9x"], True),
    "--thread": ("0", "1000", ["-1", "1.5", "two", "99999999999999999999"], True),
    "--unit": ("elements", "members", ["element", "0"], True),
    "--what-if": ("table", "tallies", ["--lines"], False),
    "--set": ("bus.fifo=7", "bus.fifo=9", ["bus.fifo", "=7", "bus.fifo=", "bus.fifo=0"], False),
}

# Each says in which form a command prints, and so excludes the others.
FORMS = ["--csv", "--field-separator=;", "--json", "--markdown"]


# Options of these behind the program are the program's.
PROGRAMS = {"stat": [], "detect": ["words"]}


# One of so many questions that have been asked before is asked again: not a divisor of the four of a row.
WHOLE, TURNS = "all" in sys.argv[2:], 3
turn = itertools.count()


def has_turn():
    return WHOLE or next(turn) % TURNS == 0


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
    numachine = os.path.abspath(sys.argv[1])
    wide = {**os.environ, "ARGP_HELP_FMT": "rmargin=250"}
    asked = set()
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        def ask(*words):
            return simulator.bounded([numachine, *words], capture_output=True, text=True, env=wide, cwd=scratch,
                                     stdin=subprocess.DEVNULL)

        def complains(option, *words, value=""):
            done = ask(*words)
            named = option in done.stderr or (value and f"'{value}'" in done.stderr)
            assert done.returncode == 2 and named, f"{words}: status {done.returncode}, {done.stderr}"

        with open(scratch + "/complete.yaml", "w", encoding="ascii") as file:
            file.write("machine: {base: station-4}\nprogram: {path: ./no-such-program}\n")
        with open(scratch + "/sweep.yaml", "w", encoding="ascii") as file:
            file.write("machine: {base: station-4}\nprogram: {path: ./no-such-program}\nsweep: {run.seed: [1]}\n")
        named = re.findall(r"^  (\w+) ", ask("--help").stdout.split("Commands")[1].split("Exit status")[0], re.M)
        assert set(named) - {"test"} == set(COMMANDS), named
        for command, rest in COMMANDS.items():
            options = re.findall(r"(--[\w-]+)=\S", ask(command, "--help").stdout)
            assert options or rest is None or command == "list", command
            for option in options:
                row = f"{command} {option}"
                row = row if row in ROWS else option
                seen = set(asked)
                asked.add(row)
                good, other, wrong, once = ROWS[row]
                first = row not in seen
                for value in ["", *(wrong if first else wrong[:1])]:
                    if first or has_turn():
                        complains(option, command, f"{option}={value}", *rest, value=value)
                if first or has_turn():
                    done = ask(command, option + "=" + good, *rest)
                    assert option not in done.stderr, f"{command} {option}={good}: {done.stderr}"
                if first or has_turn():
                    done = ask(command, f"{option}={good}", f"{option}={other}", *rest)
                    assert (option in done.stderr) == once, f"{command} {option} twice: {done.stderr}"
                    assert not once or done.returncode == 2, f"{command} {option} twice: {done.returncode}"
            check_mistyped(ask, command, rest or [])
            forms = [form for form in FORMS if re.search(form.split("=")[0] + r"\b", ask(command, "--help").stdout)]
            for one, other in itertools.permutations(forms, 2):
                if has_turn():
                    complains("exclude each other", command, one, other, *rest)
        for command, rest in PROGRAMS.items():
            check_late(ask, command, rest)
        assert "note:" not in ask("stat", "--json", "./no-such-program", "--machine=x").stderr
        complains("--env", "stat", "--env", "A=1", "--env", "A=2", *COMMANDS["stat"])
        assert asked == set(ROWS), asked ^ set(ROWS)
        print(f"ok: {len(asked)} options")


if __name__ == "__main__":
    main()
