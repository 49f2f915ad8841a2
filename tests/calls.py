#!/usr/bin/env -S python3 -S
"""
The system calls one by one: result, errors, edges, on the simulator and on qemu-user.

    calls.py make SYSCALLS.DEF ROWS ABI     C on standard output
    calls.py run NUMACHINE PROGRAM.ABI ROWS SYSCALLS.DEF

A row of calls/rows.txt is a call as strace prints it, with what Linux answers:

    NAME(ARGUMENTS) = RESULT [; CONDITION] [!qemu: REASON]

ARGUMENTS are C, made from what calls/runtime.h has; RESULT is a number, an error's name, 'ok' (no error) or 'some'
(more than 0); CONDITION must be true afterwards. Linux is what counts: where qemu-user, or the machine it
runs on, answers otherwise, the row says why and is not run there. Other lines:

    > STATEMENT;                prepares what follows
    o32: LINE, n64: LINE, armel: LINE, mips: LINE, narrow: LINE
                                only in that ABI; in those of MIPS; in those of 32 bits
    once: LINE                  not for the calls that are like it
    NAMES like NAME             the rows of NAME hold for those calls too, with 64-bit times
    elsewhere NAME: GUEST       a guest program shows that call
    never NAME ERROR: REASON    that call does not answer so
    flags NAME N: FLAG ...      argument N (from 0) of the call may have those
    number(N, ARGUMENTS) = ...  a call by its number

A call of syscalls.def without a row, or with an argument of a kind that can be wrong and no row in which it is
(an address that is not there, a descriptor that is not open), is a failure. So is a flag that is in no row, or in all.
"""
import pathlib
import re
import sys
import tempfile

import simulator

SYS = re.compile(r'^SYS\((\w+),\s*(-?\d+),\s*(-?\d+),\s*(-?\d+),\s*(\w+),\s*"(\w*)"', re.M)
ROW = re.compile(r"^(\w+)\((.*)\) = ([^;!]+?)\s*(?:;\s*(.*?))?\s*(?:!qemu: (.*))?$")
BASE = {"o32": 4000, "n64": 5000, "armel": 0}
GROUPS = {"mips": ["o32", "n64"], "narrow": ["o32", "armel"]}
# What each kind of argument must be shown to answer when it is wrong.
WRONG = {"p": "EFAULT", "t": "EFAULT", "T": "EFAULT", "s": "EFAULT", "f": "EBADF"}


def table(path, abi=None):
    """{call: (number or None, argument letters, handler)}"""
    calls = {}
    for name, o32, n64, armel, handler, letters in SYS.findall(pathlib.Path(path).read_text()):
        number = int({"o32": o32, "n64": n64, "armel": armel}.get(abi, 0))
        calls[name] = (BASE[abi] + number if abi and number >= 0 else None, letters, handler)
    return calls


def read(path, abi=None):
    """[(line number, kind, text)] of an ABI, or of both."""
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        line = line.strip()
        only = re.match(r"(o32|n64|armel|mips|narrow): (.*)", line)
        if only:
            if abi not in (None, *GROUPS.get(only[1], [only[1]])):
                continue
            line = only[2]
        if not line or line.startswith("#"):
            continue
        yield number, line


def rows_of(path, abi=None):
    """[(line, name, arguments, result, condition, reason)] and statements as (line, None, statement)."""
    like = {}
    for number, line in read(path, abi):
        if line.startswith("> "):
            yield number, None, line[2:]
            continue
        if line.startswith(("elsewhere ", "never ", "flags ")):
            continue
        match = re.match(r"([\w ]+) like (\w+)$", line)
        if match:
            like[match[2]] = match[1].split()
            continue
        alone = line.startswith("once: ")
        match = ROW.match(line.removeprefix("once: "))
        assert match, f"{path}:{number}: not a row: {line}"
        yield (number, *match.groups())
        for name in [] if alone else like.get(match[1], []):
            args, then = (re.sub(r"\b(ts|its|sec|nsec)\(", r"\g<1>64(", text or "")
                          for text in (match[2], match[4]))
            yield number, name, args, match[3], then, match[5]


def split(arguments):
    """Arguments at the commas outside parentheses."""
    parts, depth = [""], 0
    for letter in arguments:
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def words(arguments, letters, abi):
    """The call's words: a 64-bit argument is an even and odd pair where words have 32 bits."""
    out = []
    for n, argument in enumerate(arguments):
        if letters[n:n + 1] == "L" and abi != "n64":
            if len(out) % 2:
                out.append("0L")
            pair = [f"(long)((int64_t)({argument}) >> 32)", f"(long)({argument})"]
            out += pair if abi == "o32" else reversed(pair)
        else:
            out.append(f"(long)({argument})")
    return out


def expectation(result):
    if re.match(r"E[A-Z0-9]+$", result):
        return f"EXPECT_ERROR, {result}"
    named = {"ok": "EXPECT_OK, 0", "some": "EXPECT_SOME, 0"}
    return named.get(result, f"EXPECT_VALUE, (long)({result})")


def make(def_path, rows_path, abi):
    calls = table(def_path, abi)
    functions, body = [], []
    for number, name, *rest in rows_of(rows_path, abi):
        place = f'#line {number} "rows.txt"'
        if name is None:
            outside = re.match(r"(static|#)", rest[0])
            (functions if outside else body).append(f"{place}\n{rest[0]}")
            continue
        arguments, result, then, reason = rest
        if name == "number": # a call no table has
            calls[name] = (split(arguments)[0], "", "")
            arguments = ",".join(split(arguments)[1:])
        assert name in calls, f"{rows_path}:{number}: no call {name} in {def_path}"
        sysno, letters, _ = calls[name]
        if sysno is None:
            continue
        made = words(split(arguments), letters, abi)
        made = ", ".join([str(sysno), *made, *["0L"] * (7 - len(made))])
        condition = "if (!reference) " if reason else ""
        body.append(f"{place}\n{condition}{{ long r = go({made}); "
                    f"row({number}, r, {expectation(result)}, {then or 'true'}); }}")
    # Functions of some hundred rows: one of all would take the compiler long.
    print('#include "runtime.h"\n', *functions, sep="\n")
    print("int main(int argc, char **argv)\n{\nbegin(argc, argv);")
    print(*body, sep="\n")
    print('printf("%u rows, %u failed\\n", rows, failed);\nreturn failed != 0;\n}')


def check_coverage(rows_path, def_path):
    """Complaints about calls without the rows they must have."""
    got = {}
    for _, name, *rest in rows_of(rows_path):
        if name:
            got.setdefault(name, set()).add(rest[1])
    guests, never = set(), {}
    for _, line in read(rows_path):
        if line.startswith("elsewhere "):
            guests.add(line.split()[1].rstrip(":"))
        elif line.startswith("never "):
            never.setdefault(line.split()[1], set()).add(line.split()[2].rstrip(":"))
    complaints = []
    for name, (_, letters, handler) in table(def_path).items():
        if name in guests:
            continue
        results = got.get(name, set())
        if not results:
            complaints.append(f"{name}: no row")
        elif "nprovided" not in handler:
            complaints += [f"{name}: no row with {WRONG[letter]}, argument '{letter}'"
                           for letter in sorted(set(letters) & set(WRONG))
                           if WRONG[letter] not in results | never.get(name, set())]
    return complaints


def check_flags(rows_path):
    """Complaints about flags of `flags` lines that no row of their call sets, or every row does."""
    complaints = []
    for number, line in read(rows_path):
        match = re.match(r"flags (\w+) (\d+): (.*)", line)
        if not match:
            continue
        values = {split(rest[0])[int(match[2])] for _, name, *rest in rows_of(rows_path)
                  if name == match[1] and len(split(rest[0])) > int(match[2])}
        for flag in match[3].split():
            setting = [value for value in values if re.search(rf"\b{flag}\b", value)]
            if not setting or len(setting) == len(values):
                complaints.append(f"{rows_path}:{number}: {match[1]}: {'no' if not setting else 'every'} row has {flag}")
    return complaints


def run(numachine, program, rows_path, def_path):
    complaints = check_coverage(rows_path, def_path) + check_flags(rows_path)
    lines = pathlib.Path(rows_path).read_text().splitlines()

    def explain(what, end):
        text = end.stdout.decode(errors="replace").splitlines()
        if not text or not re.match(r"\d+ rows, ", text[-1]):
            complaints.append(f"{what}: {end.how} before the last row\n{end.stderr}")
        for line in text:
            match = re.match(r"(\d+): (.*)", line)
            if match:
                complaints.append(f"{what}: {pathlib.Path(rows_path).name}:{match[1]}: "
                                  f"{lines[int(match[1]) - 1].strip()}: {match[2]}")
        print(f"{what}: {text[-1] if text else 'nothing'}")

    for what, how in (("qemu", simulator.reference), ("simulated", simulator.simulated)):
        with tempfile.TemporaryDirectory(prefix="calls-") as directory:
            args = [directory] + (["reference"] if what == "qemu" else [])
            more = {} if what == "qemu" else {"numachine": numachine,
                                              "options": ["--allow", directory]}
            explain(what, how(program=program, args=args, **more))
    print(*complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(*sys.argv[2:5])
    else:
        sys.exit(run(*sys.argv[2:6]))
