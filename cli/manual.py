#!/usr/bin/env python3
"""
A page of the manual, from the program's own tables: what a command's --help says, and what `numachine list` has.

    manual.py SCDOC NUMACHINE HOME VERSION PAGE OUT     PAGE: numachine-run.1, numachine-events.7 ...
    manual.py --text NUMACHINE HOME VERSION PAGE        the page as scdoc reads it

What no table says is prose: HOME/cli/manual/, a file of scdoc's language for each page that needs one. It comes behind
the generated sections, or, up to a line '# MORE', in front of them.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"^  (?:-(\S), |    )--([\w-]+)(\[?=\S+)?(?:\s+(.*))?$")


def ask(numachine, home, *words):
    """What the program prints. It is this tree's, and no leak of a build that looks for them matters here."""
    env = {**os.environ, "NUMACHINE_HOME": str(home), "ARGP_HELP_FMT": "rmargin=10000", "ASAN_OPTIONS": ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"]))}
    return subprocess.run([numachine, *words], capture_output=True, text=True, env=env, check=True).stdout


def plain(text):
    """Text in which scdoc sees no marks."""
    return re.sub(r"([\\*_`])", r"\\\1", text)


def paragraph(text):
    """A paragraph that is no list, head or table whatever it begins with."""
    text = plain(text)
    return "\\" + text if text[:1] in set("#-.[|]+;") else text


def item(head, text):
    return f"{head}\n\t{paragraph(text)}\n\n"


def upper(words):
    """The names of arguments in a line of usage or behind an option, underlined."""
    return re.sub(r"[^\W\d_]*[A-Z][A-Z_.a-z]*|\\", lambda m: f"_{plain(m[0])}_" if m[0] != "\\" else r"\\", words)


class Help:
    """What --help says, taken apart."""

    def __init__(self, text):
        lines = text.rstrip().split("\n")
        self.usage = [line.partition(": ")[2] for line in lines if re.match(r"(Usage|  or ): +", line)]
        self.options, before, behind = [], [], []
        for line in lines[len(self.usage):]:
            option = OPTION.match(line)
            if option:
                self.options.append([*option.groups()])
            elif self.options and line.startswith(" " * 20):
                self.options[-1][3] = f"{self.options[-1][3] or ''} {line.strip()}".strip()
            elif not line.startswith("Mandatory or optional arguments"):
                (behind if self.options else before).append(line)
        mark = behind.index("Examples:") if "Examples:" in behind else len(behind)
        self.before, self.behind, self.examples = ([line for line in part if line] for part in (
            before, behind[:mark], behind[mark + 1:]))
        assert self.usage and self.options, text


def options_section(help_):
    text = "# OPTIONS\n\n"
    for short, name, value, sentence in help_.options:
        head = f"*--{name}*{upper(value or '')}"
        text += item(f"*-{plain(short)}*, {head}" if short else head, sentence)
    return text


def usage_section(help_):
    text = "# SYNOPSIS\n\n"
    for line in help_.usage:
        words = re.match(r"numachine(?: [a-z0-9]+)?", line)[0]
        text += f"*{words}*{upper(line[len(words):])}\n\n"
    return text


def see_also(pages, page):
    names = sorted(set(pages) - {page}, key=lambda name: (name[-1], name))
    return "# SEE ALSO\n\n" + ", ".join(f"*{name[:-2]}*({name[-1]})" for name in names) + "\n"


def command_page(ask_, name):
    help_ = Help(ask_(name, "--help"))
    text = usage_section(help_) + "# DESCRIPTION\n\n" + "".join(paragraph(line) + "\n\n" for line in help_.before)
    notes = "".join(["# NOTES\n\n"] * bool(help_.behind) + [paragraph(line) + "\n\n" for line in help_.behind])
    return text + options_section(help_) + notes + "# EXAMPLES\n\n```\n" + "\n".join(help_.examples) + "\n```\n\n{prose}"


def main_page(ask_, commands):
    help_ = Help(ask_("--help"))
    text = usage_section(help_) + f"# DESCRIPTION\n\n{paragraph(help_.before[0])}\n\n" + "{prose}# COMMANDS\n\n"
    for name, sentence in commands.items():
        text += item(f"*numachine-{name}*(1)", sentence)
    text += options_section(help_) + "# EXIT STATUS\n\n"
    for row in json.loads(ask_("list", "statuses", "--format=json")):
        text += item(f"*{row['status']}*", row["sentence"])
    return text


def value_of(row):
    """What a key may be, in words."""
    if row.get("choices"):
        return "one of " + ", ".join(row["choices"])
    words = row.get("expected") or row.get("unit") or row["type"]
    return f"{words}, {row['min']} to {row['max']}" if "min" in row and "max" in row else words


def default_of(value):
    """As a file would have it, behind a semicolon; nothing, where there is none."""
    if value is None or value == "":
        return ""
    if isinstance(value, list):
        return f"; default: [{', '.join(value)}]"
    return f"; default: {value if isinstance(value, str) else json.dumps(value)}"


def keys_section(ask_, listing, title):
    text = f"# {title}\n\n"
    for row in json.loads(ask_("list", listing, "--format=json")):
        default = default_of(row.get("default"))
        source = f"; source: {row['source']}" if row.get("source") else ""
        text += item(f"*{plain(row['key'])}*", f"{row['sentence']} ({value_of(row)}{default}{source})")
    return text


def literal(path):
    return "```\n" + path.read_text() + "```\n\n"


def experiment_page(ask_, home):
    return "{prose}" + keys_section(ask_, "keys", "KEYS") + "# EXAMPLE\n\n" + literal(home / "experiments/template.yaml")


def machine_page(ask_, home):
    return "{prose}" + keys_section(ask_, "params", "KEYS") + "# EXAMPLE\n\n" + literal(home / "configs/ring-16.yaml")


def events_page(ask_, _home):
    text = "{prose}# EVENTS\n\n"
    for row in json.loads(ask_("list", "events", "--format=json")):
        counters = ", ".join(map(str, row["counters"]))
        ref = f"; {row['ref']}" if row["ref"] else ""
        text += item(f"*{plain(row['name'])}*", f"{row['sentence']} (in {row['unit']}; counters {counters}{ref})")
    text += "# EVENTS OF PROCESSORS\n\n"
    for row in json.loads(ask_("list", "processor-events", "--format=json")):
        text += item(f"*{plain(row['name'])}*", f"{row['sentence']} (in {row['unit']}; {row['ref']})")
    for listing, title in ("sets", "SETS"), ("groups", "GROUPS"):
        text += f"# {title}\n\n"
        for row in json.loads(ask_("list", listing, "--format=json")):
            events = row["events"] if isinstance(row["events"], str) else ",".join(row["events"])
            text += item(f"*{plain(row['name'])}*", f"{row['sentence']}: {events.replace(',', ', ')}")
    return text


def tidy(roff):
    """scdoc begins a paragraph at the end of an indented part, and around every head. Linters complain of those that
    stay empty: the first belongs behind the end, the others are not needed."""
    roff = re.sub(r"^\.P\n((?:\.RE\n)+)", r"\1.P\n", roff, flags=re.M)
    roff = re.sub(r"^(\.SH .*\n)\.P\n", r"\1", roff, flags=re.M)
    return re.sub(r"^(?:\.P\n)+(?=\.P\n|\.SH|\Z)", "", roff, flags=re.M)


# The pages that are no command's: what they are about, and how they are made.
OTHERS = {
    "numachine-experiment.5": ("format of experiment files", experiment_page),
    "numachine-machine.5": ("format of machine files", machine_page),
    "numachine-events.7": ("what the monitoring cards count", events_page),
}


def commands_of(numachine, home):
    """{name: sentence} of the subcommands."""
    listed = ask(numachine, home, "--help").partition("\nCommands")[2].partition("\n\n")[0]
    return {name: sentence for name, sentence in re.findall(r"^  (\w+) +(.*)", listed, re.M) if name != "test"}


def page_text(numachine, home, version, page):
    commands = commands_of(numachine, home)
    pages = ["numachine.1", *(f"numachine-{name}.1" for name in commands), *OTHERS]
    assert page in pages, page
    name, section = page[:-2], page[-1]

    def ask_(*words):
        return ask(numachine, home, *words)

    if page == "numachine.1":
        what, body = "a simulator of the NUMAchine and its monitoring cards", main_page(ask_, commands)
    elif page in OTHERS:
        what, make = OTHERS[page]
        body = make(ask_, home)
    else:
        command = name.partition("-")[2]
        what, body = commands[command], command_page(ask_, command)
    prose = home / "cli/manual" / f"{name}.scd"
    front, _, back = (prose.read_text() if prose.exists() else "").partition("# MORE\n\n")
    text = f'{name}({section}) "numachine {version}" "NUMAchine"\n\n# NAME\n\n{name} - {plain(what)}\n\n'
    return text + body.replace("{prose}", front) + back + see_also(pages, page)


def main():
    scdoc, numachine, home, version, page = sys.argv[1:6]
    home = pathlib.Path(home)
    text = page_text(numachine, home, version, page)
    if scdoc == "--text":
        print(text, end="")
        return
    # The date of the release, so that a page is the same bytes on whatever day it is made.
    released = re.search(r"^date-released: (\S+)", (home / "CITATION.cff").read_text(), re.M)[1]
    seconds = subprocess.run(["date", "-u", "-d", released, "+%s"], capture_output=True, text=True, check=True).stdout
    done = subprocess.run([scdoc], input=text, capture_output=True, text=True, check=False,
                          env={**os.environ, "SOURCE_DATE_EPOCH": seconds.strip()})
    if done.returncode:
        sys.exit(f"{page}: {done.stderr}")
    pathlib.Path(sys.argv[6]).write_text(tidy(done.stdout))


if __name__ == "__main__":
    main()
