#!/usr/bin/env -S python3 -S
"""
Programs of strangers: what c2c, locks and placement name first is what the author says is wrong with the program.

    strangers.py NUMACHINE HOME NUMBER...     programs that have to be right
    strangers.py NUMACHINE HOME all           all of them: what docs/strangers.md says of each
    strangers.py NUMACHINE HOME --write       writes that document's tables anew
    strangers.py NUMACHINE HOME --show [NUMBER...]    prints what was named first, and what is right of it

The author's words are the rows of experiments/strangers/labels.csv.
"""
import collections
import concurrent.futures
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import figures
import marked
import simulator
import skip

COMPILERS = {".c": "gcc", ".cc": "g++", ".f90": "gfortran"}
PREFIXES = {"mips": "mips-linux-gnu-", "arm": "arm-linux-gnueabi-"}
OPTIONS = {"mips": [], "arm": simulator.MACHINES["armel"]}
NONE_MOST = 0.05  # of the time: what is named in a program that has no trouble costs less
BOUND_LEAST = 0.01  # of the run: what a lock has to cost
REMOTE_LEAST = 0.25  # of the requests: those for one object that go to other stations
BEST_FIRST = ["right", "perhaps", "nameless", "wrong"]
WIDEST = 60  # letters of a name in the document's table
NAMELESS = re.compile(r"(heap|mmap|stack of thread|thread-local|nobody|several|code)\b")

# Named, what an author calls it, and whether that is the same.
SAME = [
    ("found[2].thirds", "found[].thirds", True), ("found", "found[].thirds", True), ("main::hist[3][1]", "hist[][]", True),
    ("generators[1].c (local of run)", "generators[].c", True), ("slab->lock", "messages->lock", True), ("refs", "users[]->refs", True),
    ("map.shards_._M_impl._M_start[1].mutex._M_mutex.__data.__lock", "map.shards_[].mutex", True), ("seen.lock", "lock", True),
    ("crossings(3)%waited", "crossings[].waited", True), ("balancer", "balancer.stats_[].hits", False), ("next", "queue.next_", False),
    ("queue.tail", "queue.head", False), ("heap 8 bytes by main at lock.c:5", "lock", False), ("stack of thread 1000", "stack", False),
]

# What a command names first: trouble, variable, file and line (None: it names none), its part of the whole.
Answer = collections.namedtuple("Answer", "trouble variable file line share")
NOTHING = Answer("none", "", None, None, 0)
Result = collections.namedtuple("Result", "row target answer verdict")


class Row:
    """What an author says of a program."""

    def __init__(self, cells):
        self.name, self.language, self.machine = cells["name"], cells["language"], cells["machine"].split()
        self.flags, self.targets = cells["compile flags"].split(), cells["built for"].split()
        self.trouble, self.variable = cells["trouble"], cells["variable"]
        self.lines = split(cells["lines"])
        said = [alternative.split("=", 1) for alternative in split(cells["acceptable alternatives"])]
        self.number = self.name.split("-")[0]
        self.troubles, self.variables, lines = ([first, *(value for key, value in said if key == kind)] for kind, first in (
            ("trouble", self.trouble), ("variable", self.variable), ("line", None)))
        self.all_lines = {*self.lines, *lines[1:]}


def split(cell):
    return [part.strip() for part in cell.split(";") if part.strip()]


def rows_of(strangers):
    with open(strangers / "labels.csv", newline="", encoding="utf-8") as file:
        rows = [Row(cells) for cells in csv.DictReader(file)]
    sources = {p.name for p in strangers.iterdir() if p.suffix in COMPILERS}
    assert {row.name for row in rows} == sources, f"labels.csv has other programs: {sources ^ {row.name for row in rows}}"
    for row in rows:
        length = (strangers / row.name).read_text(encoding="utf-8").count("\n")
        assert all(0 < int(line) <= length for line in row.all_lines), f"{row.name}: labels.csv names a line that is not there"
    return rows


# What the commands say


def asked(numachine, command, directory):
    done = simulator.bounded([numachine, command, "--format=json", directory], capture_output=True, check=True)
    return json.loads(done.stdout)


def cost(thing):
    return thing["falsely"] + thing["truly"]


def dearest_place(askers):
    """File and line that cost most, all their instructions together."""
    costs = collections.Counter()
    for asker in askers:
        costs[pathlib.Path(asker.get("file", "")).name, str(asker.get("line", ""))] += cost(asker)
    return costs.most_common(1)[0][0]


def any_element(name):
    """What an object is called together with its like: blocks that one array leads to are one object."""
    return re.sub(r"\[\d+\]", "[]", name)


def sharing(numachine, directory):
    """The object that is named first, by the name that it has in its costliest line."""
    found = asked(numachine, "c2c", directory)
    first = next((o for o in found["objects"] if o["verdict"] != "none"), None)
    if not first:
        return NOTHING
    held = [hold for line in found["lines"] for hold in line["holds"]
            if hold["object"] == first["object"] or any_element(hold["object"]) == first["object"]]
    name = max(held, key=cost)["first"] if held else first["object"]
    return Answer(first["verdict"], name, *dearest_place(first["askers"]), cost(first) / found["pcycles"])


def waiting(numachine, directory):
    """The lock that threads wait for longest. (A join is none: its thread has the work.)"""
    found = asked(numachine, "locks", directory)
    first = max((lock for lock in found["locks"] if lock["kind"] not in ("join", "sleep") and lock["waited"] > 0),
                key=lambda lock: lock["waited"], default=None)
    if not first or first["bound"] < BOUND_LEAST * found["elapsed"]:
        return NOTHING
    costs = collections.Counter()
    for site in found["sites"]:
        if (site["kind"], site["lock"]) == (first["kind"], first["lock"]):
            costs[site["place"]] += site["waited"]
    file, _, line = costs.most_common(1)[0][0].split(" (")[0].split(" ")[-1].rpartition(":")
    return Answer("lock", first["lock"], pathlib.Path(file).name, line, first["bound"] / found["elapsed"])


def pages(numachine, directory):
    """The object of which most requests go to other stations. No line is named."""
    found = asked(numachine, "placement", directory)
    remote, name = max((thing["requests"] - thing["local"], thing["object"]) for thing in found["objects"])
    if remote < REMOTE_LEAST * found["requests"]:
        return NOTHING
    return Answer("placement", name, None, None, remote / found["requests"])


ASKED = {"false": sharing, "true": sharing, "mixed": sharing, "lock": waiting, "placement": pages, "none": sharing}


# Whether that is what the author says


def components(name):
    """The parts of a path that are the author's own words: no reserved names, which are a library's; [] is any element."""
    name = re.sub(r"\s*(\([^()]*\)|\+0x[0-9a-f]+$)", "", name).replace("->", ".").replace("%", ".").lstrip("*&.")
    name = re.sub(r"[\w<>]+::", "", re.sub(r"\[[^\]]*\]", ".[]", name))
    return [part for part in name.split(".") if part and part != "this" and not re.match(r"_[A-Z_]", part)]


def same_variable(named, label):
    """The same path, a part of the author's, the author's from another root, or his array as a whole."""
    a, b = components(named), components(label)
    array = a == b[:len(a)] and b[len(a):len(a) + 1] == ["[]"]
    a, b = ([part for part in parts if part != "[]"] for parts in (a, b))
    if not a:
        return False
    return array or a[-len(b):] == b or b[-len(a):] == a or a[:len(b)] == b or (min(len(a), len(b)) > 1 and a[-1] == b[-1])


def nameless(row, name):
    """Whether it only says what memory it is; a stack is right for a local variable alone."""
    return bool(NAMELESS.match(name)) and (not name.startswith("stack") or "(local of" in row.variable)


def verdict(row, answer):
    """`right`, `nameless`, `perhaps` (the tool's own word), or what of it is wrong."""
    if row.trouble == "none":
        return "right" if answer.share < NONE_MOST else "wrong: trouble"
    wrong = [what for what, well in {
        "trouble": answer.trouble in row.troubles,
        "line": answer.trouble == "placement" or (answer.file == row.name and answer.line in row.all_lines),
        "variable": any(same_variable(answer.variable, variable) for variable in row.variables),
    }.items() if not well]
    if not wrong:
        return "right"
    if "perhaps" in answer.variable:
        return "perhaps"
    return "nameless" if wrong == ["variable"] and nameless(row, answer.variable) else "wrong: " + ", ".join(wrong)


def kind_of(word):
    return word.split(":")[0]


def judged(numachine, row, target, directory):
    """The best of the answers to the questions that the author would ask."""
    answers = [question(numachine, directory) for question in dict.fromkeys(ASKED[trouble] for trouble in row.troubles)]
    results = [Result(row, target, answer, verdict(row, answer)) for answer in answers]
    return min(results, key=lambda result: BEST_FIRST.index(kind_of(result.verdict)))


def modules_of(row, directory):
    """The compiler's option for where modules are written: not beside the source."""
    if not row.name.endswith(".f90"):
        return []
    directory.mkdir()
    return ["-J", directory]


def run(numachine, strangers, row, target, scratch):
    """The source is named as seen from where it lies: its name is in the memory of a program that asserts, or of a Fortran one."""
    executable, directory = scratch / f"{row.number}.{target}", scratch / f"{row.number}.{target}.run"
    compiler = PREFIXES[target] + COMPILERS[pathlib.Path(row.name).suffix]
    modules = modules_of(row, scratch / f"{row.number}.{target}.modules")
    subprocess.run([compiler, *row.flags, *modules, "-Wl,--no-warnings", row.name, "-o", executable], cwd=strangers, check=True)
    done = simulator.bounded([numachine, "stat", "--truth", *row.machine, *OPTIONS[target], "-o", directory, "--", executable],
                             stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == 0, f"{row.name} for {target}: status {done.returncode}: {done.stderr.decode(errors='replace')}"
    sentence = asked(numachine, "c2c", directory)["sentence"]
    assert not re.search(r"for \w+ heap [^(;]*;", sentence), f"{row.name}: where threads waited is an address: {sentence}"
    assert sentence in done.stderr.decode(), f"{row.name} for {target}: stat does not say what c2c says: {sentence}"
    return judged(numachine, row, target, directory)


# What is written down


def place(answer):
    return f"{answer.file}:{answer.line}" if answer.file and answer.line else ""


def said(answer):
    if answer.trouble == "none":
        return "nothing"
    name = answer.variable if len(answer.variable) <= WIDEST else answer.variable[:WIDEST - 3] + "..."
    return ", ".join(part for part in (answer.trouble, f"`{name}`", place(answer)) if part)


def table(results):
    head = ["| program | language | the author | named first | |", "|---|---|---|---|---|"]
    for row, target, answer, word in results:
        label = row.trouble if row.trouble == "none" else \
            f"{row.trouble}, `{row.variable}`" + (f", {row.name}:{', '.join(row.lines)}" if row.lines else "")
        language = row.language if target == "mips" else row.language + ", ARM"
        head.append(f"| {row.name.rsplit('.', 1)[0]} | {language} | {label} | {said(answer)} | {word} |")
    return "\n".join(head)


def score(results):
    lines = [f"| | programs | {' | '.join(BEST_FIRST)} |", "|---" * (2 + len(BEST_FIRST)) + "|"]
    for target in PREFIXES:
        count = collections.Counter(kind_of(result.verdict) for result in results if result.target == target)
        lines.append(f"| {target} | {sum(count.values())} | " + " | ".join(str(count[kind]) for kind in BEST_FIRST) + " |")
    return "\n".join(lines)


def check_all(results, document):
    """Another compiler's programs have other lines in delay slots, and other sizes of blocks."""
    if "--write" in sys.argv or figures.of_documents(document.parents[1]):
        marked.hold(document, {"score": score(results), "table": table(results)}, "tests/strangers.py ... --write",
                    "--write" in sys.argv)


def main():
    assert all(same_variable(named, label) == same for named, label, same in SAME)
    numachine, home, words = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    strangers, numbers = home / "experiments/strangers", [word for word in words if word.isdigit()]
    rows = [row for row in rows_of(strangers) if not numbers or row.number in numbers]
    work = [(row, target) for row in rows for target in row.targets]
    for compiler, prefix in sorted({(COMPILERS[pathlib.Path(row.name).suffix], PREFIXES[target]) for row, target in work}):
        skip.need(f"{compiler}-{prefix[:-1]}", prefix + compiler)
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda one: run(numachine, strangers, *one, pathlib.Path(directory)), work))
    if "--show" in words:
        print(table(results), "", score(results), sep="\n")
    elif numbers:
        for result in results:
            assert result.verdict == "right", f"{result.row.name}, {result.target}: {result.verdict}: {said(result.answer)}"
    else:
        check_all(results, home / "docs/strangers.md")


if __name__ == "__main__":
    main()
