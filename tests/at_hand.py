#!/usr/bin/env python3
"""
Everything is at hand: every command has its --help, a page of the manual and completion, for every option; every
shipped YAML file agrees with the schema (where python3-jsonschema is).

    at_hand.py NUMACHINE HOME quick|long [PAGES]

A value is completed in three ways, which take turns in quick; so do the places in a line where a hostile word stands. What the
program has said once to the same words it is not asked again. With PAGES, the directory of pages that have been made, mandoc finds nothing wrong with them, if it is there.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import options

import skip

# What an option's value is called in --help: whether its values are in tables, so that completion offers them. Choices,
# "text|json", say themselves.
VALUES = {
    "EVENTS": True, "LIST": False, "GROUPS": True, "KEY=VALUE": True, "STATE": True, "COLUMN": True, "MACHINE": True,
    "FILE": False, "COMMAND": False, "DIR": False, "RUN_DIR": False, "PATH[:ro]": False, "ID": False, "N": False, "I/N": False,
    "FROM:TO": False, "FROM=TO": False, "HOST[,HOST...]": False, "NAME": False, "NAME=VALUE": False, "OBJECT": False, "FUNCTION": False, "PATTERN": False, "PERCENT": False,
    "SEP": False, "TID": False, "TIME": False, "ADDRESS": False, "CYCLE": False,
}
# Beside those: what stands in front of it, what is typed, and what is offered.
MORE = [
    (["stat"], "--machine", "station-", "station-4"),
    (["stat"], "--event", "nacks,read_l", "nacks,read_latency"),
    (["stat"], "--group", "NACK,R", "NACK,RING"),
    (["stat"], "--set", "protocol=fl", "protocol=flat"),
    (["stat"], "--set", "machine=station-", "machine=station-4"),
    (["stat"], "--set", "monitor.histogram.s", "monitor.histogram.source="),
    (["run", "speed-up"], "--point", "cflagsO2-DLINE-64-processors8", "cflagsO2-DLINE-64-processors8-72714a09932f"),
    (["profile", "x"], "--state", "sl", "slept"),
    (["profile", "x"], "--state", "stall_l", "stall_l2"),
]
# Arguments that are no options' values.
WORDS = [(["run"], "first-l", "first-light"), (["run"], "hit-", "hit-and-miss"), (["check"], "ring-1", "ring-16"),
         (["points"], "speed", "speed-up"), (["list"], "reg", "registers"), (["protocol"], "fl", "flat"),
         (["topology"], "stat", "station-4"), (["latency"], "stat", "station-4"), (["detect"], "wor", "words"),
         (["trace"], "con", "convert"), (["profile"], "exper", "experiments")]

WHOLE = "long" in sys.argv[3:4]
failures = []


def expect(good, *what):
    if not good:
        failures.append(" ".join(map(str, what)))


# The program for completion: what it says, and its status, is kept in a file for each list of words.
KEPT = r"""
numachine()
{
    local IFS='|' said key
    key="$*"
    key=$kept/${key//\//|}
    if [ ! -e "$key" ]; then
        "$real" "$@" >"$key.out" 2>"$key.err"
        printf '%s\n' "$?" >"$key"
    fi
    mapfile -d '' said <"$key.out"
    printf '%s' "${said[0]-}"
    mapfile -d '' said <"$key.err"
    printf '%s' "${said[0]-}" >&2
    read -r said <"$key"
    return "$said"
}
"""


class Bash:
    """A shell that completes lines. A line is a list of words, as bash has them."""

    def __init__(self, numachine, home, kept=None):
        """kept: an empty directory for what the program says."""
        self.program, self.home, self.lines = "numachine" if kept else numachine, home, []
        self.begin = f"real={numachine} kept={kept}{KEPT}" if kept else ""

    def ask(self, offered, *words):
        """Keeps a question: whether completing the last word offers this, or all of these."""
        self.lines.append((offered, words))

    def answer(self, **environment):
        script = f"{self.begin}. {self.home}/cli/completion.bash\n"
        for _, words in self.lines:
            quoted = " ".join("'" + word.replace("'", r"'\''") + "'" for word in (self.program, *words))
            script += f'COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _numachine; echo "${{COMPREPLY[*]}}"\n'
        done = subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True, cwd=self.home,
                              env={**os.environ, **environment})
        answers = done.stdout.split("\n")[:-1]
        assert len(answers) == len(self.lines) and not done.stderr, done.stderr
        for (offered, words), answer in zip(self.lines, answers):
            for word in offered.split():
                expect(word in answer.split(), *words, f"offers '{answer}', not '{word}'")


def split(word):
    """A word as bash splits it for completion."""
    return [part for part in re.split(r"([=:]+)", word) if part]


def ask_value(bash, front, option, typed, offered, turn=None):
    """As a word of its own, behind '=' in one word, and as bash splits that; or one of them."""
    behind = re.split(r"[=:]", typed)[-1]
    ways = [(offered, *front, option, typed), (f"{option}={offered}", *front, f"{option}={typed}"),
            (offered[len(typed) - len(behind):], *front, *split(f"{option}={typed}"))]
    for way in ways if turn is None else ways[turn % 3:turn % 3 + 1]:
        bash.ask(*way)


def check_values(bash, table, command, help_, asked):
    """Of an option of several commands those of the first stand for all, unless it has other values there."""
    for _, option, value, _ in help_.options:
        option, takes = f"--{option}", (value or "").replace("[=", "=").strip("=")
        takes = takes[:-1] if value and value[0] == "[" else takes
        choices = takes.split("|") if "|" in takes else []
        expect(not value or takes in VALUES or choices, command, option, takes, "is of no kind: say in tests/at_hand.py what it is")
        if not choices and not VALUES.get(takes):
            continue
        row, more = options.find(table, command, option)
        good = options.good_of(row, more)[0]
        if (row.id, takes) not in asked:
            offered = good.partition("=")[0] + "=" if takes == "KEY=VALUE" else good
            ask_value(bash, [command], option, offered[:-1].rstrip("="), offered, None if WHOLE else len(asked))
            asked.add((row.id, takes))


def check_completion(bash, table, commands):
    asked = set()
    bash.ask(" ".join(commands), "")
    for command, help_ in commands.items():
        bash.ask(" ".join(f"--{option}" + "=" * bool(value) for _, option, value, _ in help_.options), command, "--")
        check_values(bash, table, command, help_, asked)
    for front, option, typed, offered in MORE:
        ask_value(bash, front, option, typed, offered)
    bash.ask("--cite=bibtex", "--cite=bi")
    bash.ask("bibtex", "--cite", "=")
    bash.ask("NACK", "stat", "-g", "N")
    for front, typed, offered in WORDS:
        bash.ask(offered, *front, typed)
    bash.answer()


# What is typed, and names of files that are offered: commands, if somebody expands them.
HOSTILE = ["--output/touch pwned/e#=a", "--x/y/;1e touch pwned;#=a", "$(touch pwned)", "--group=`touch pwned`", "--set=$(touch pwned)=",
           "--$(touch pwned)", "a;touch pwned"]
HOSTILE_NAMES = ["$(touch${IFS}pwned).yaml", "`touch${IFS}pwned`.yaml", ";touch${IFS}pwned;.yaml"]


def check_hostile(numachine, home):
    """Completion runs nothing but the program and tools of its own."""
    with tempfile.TemporaryDirectory(prefix="numachine-") as scratch:
        scratch = pathlib.Path(scratch)
        for folder in ("cli", "configs", "experiments", "monitor/groups"):
            shutil.copytree(home / folder, scratch / folder)
        for name in HOSTILE_NAMES:
            for folder in ("experiments", "configs", "monitor/groups"):
                shutil.copyfile(home / "configs/ring-16.yaml", scratch / folder / name)
        bash = Bash(numachine, scratch)
        fronts = [], ["run"], ["stat", "--set"], ["list"], ["run", "--point"]
        for turn, word in enumerate(HOSTILE):
            for front in fronts if WHOLE else (fronts[turn % len(fronts)], fronts[(turn + 2) % len(fronts)]):
                bash.ask("", *front, word)
        for front, typed in (["run"], ""), (["stat", "-g"], ""), (["topology"], ""), (["stat", "--machine"], ""):
            bash.ask("", *front, typed)
        bash.answer(NUMACHINE_HOME=str(scratch))
        expect(not list(scratch.rglob("pwned")), "completion has run a command")


def unknown_options(text, command, commands):
    """Options that a page names and that are not there: of the command of an example's line, else of the page's own."""
    names = {name: {f"--{option[1]}" for option in help_.options} for name, help_ in commands.items()}
    every, wrong = set.union(*names.values()), []
    for line in text.split("\n"):
        example = re.match(r"numachine (\S+)", line)
        there = names.get(example[1] if example else command, every)
        used = re.findall(r"(?<![\w-])--[a-z][\w-]*", line.partition(" -- ")[0] if example else line)
        wrong += [f"{word} in '{line}'" for word in used if word not in there]
    return wrong


def check_pages(manual, home, numachine, commands):
    folder = home / "cli/manual"
    assert unknown_options("numachine run x --forse", "", commands) and unknown_options("With *--al*.", "list", commands)
    assert not unknown_options("numachine stat --quiet -- ./prog --any", "", commands)
    pages = {"numachine.1": None, **{f"numachine-{name}.1": name for name in commands}, **dict.fromkeys(manual.OTHERS)}
    for page, command in pages.items():
        text = manual.page_text(numachine, home, "0", page)
        shown = re.sub(r"[*_\\]", "", text).split("\n")
        for short, option, value, _ in commands[command].options if command else []:
            head = (f"-{short}, " if short else "") + f"--{option}{value or ''}".replace("_", "")
            expect(head in shown, page, "has no", head)
        for name in re.findall(r"\*(numachine[\w-]*)\*\((\d)\)", text):
            expect(".".join(name) in pages, page, "names the page", name)
    for command, help_ in commands.items():
        expect(help_.examples, command, "has no examples")
        for wrong in unknown_options("\n".join(help_.examples), command, commands):
            expect(False, command, "names", wrong)
    for prose in folder.glob("*.scd"):
        command = prose.stem.partition("-")[2]
        expect(any(page.startswith(prose.stem + ".") for page in pages), prose.name, "is of no page")
        for wrong in unknown_options(prose.read_text(), command, commands):
            expect(False, prose.name, "names", wrong)
    return pages


def check_made(folder, pages):
    """The pages as man shows them."""
    for page in pages:
        expect((folder / page).is_file(), page, "has not been made")
    if skip.have("mandoc", "mandoc"):
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], cwd=folder, capture_output=True, text=True,
                              check=False)
        # Debian 13's scdoc ends each item of a list with an empty paragraph.
        wrong = [line for line in (done.stdout + done.stderr).splitlines() if not re.search(r"WARNING: skipping paragraph macro: PP (empty|after SH)$", line)]
        expect(not wrong, *wrong)


def check_schema(home):
    try:
        import jsonschema
        import yaml
    except ImportError as missing:
        print("no look at the YAML files:", missing)
        return
    validator = jsonschema.Draft7Validator(json.loads((home / "configs/schema.json").read_text()))
    files = [file for folder in ("configs", "experiments", "monitor/groups") for file in sorted((home / folder).rglob("*.yaml"))]
    assert len(files) > 30, files
    for file in files:
        for error in validator.iter_errors(yaml.safe_load(file.read_text())):
            expect(False, file.relative_to(home), error.message)


def main():
    numachine, home = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    sys.path.insert(0, str(home / "cli"))
    import manual
    commands = {name: manual.Help(manual.ask(numachine, home, name, "--help")) for name in manual.commands_of(numachine, home)}
    with tempfile.TemporaryDirectory(prefix="numachine-") as kept:
        check_completion(Bash(numachine, home, kept), options.read_table(home), commands)
    check_hostile(numachine, home)
    pages = check_pages(manual, home, numachine, commands)
    if len(sys.argv) > 4:
        check_made(pathlib.Path(sys.argv[4]), pages)
    check_schema(home)
    print(*failures, sep="\n")
    sys.exit(bool(failures))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
