#!/usr/bin/env -S python3 -S
"""
Holds the tables of the Linux personality against the cross compilers' headers, and the code in the operating
system's page of ARM programs against their assembler.

    kinds.py SOURCE_ROOT

numbers.def: each name has the number that the table says, in MIPS's headers and in ARM's. syscalls.def: each call has
the number that the table says, in all binary interfaces, and none that a header names is missing in one of them only.
unprovided.def: the same, and with syscalls.def it has a name for every number of every header.
arm_page.def: what the text is assembled to. A compiler that is not installed is left out, and said.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import skip

COMPILERS = {"o32": "mips-linux-gnu-gcc", "n64": "mips64-linux-gnuabi64-gcc", "armel": "arm-linux-gnueabi-gcc"}
BASE = {"o32": 4000, "n64": 5000, "armel": 0}
NUMBER = re.compile(r"^NUMBER\((\w+),\s*(\w+),\s*(\w+),\s*(\w+)\)", re.M)
NAMED = re.compile(r"^NAMED\((\w+),\s*(-?\d+),\s*(-?\d+),\s*(-?\d+)\)", re.M)
SYS = re.compile(r"^SYS\((\w+),\s*(-?\d+),\s*(-?\d+),\s*(-?\d+),", re.M)
WORD = re.compile(r'^WORD\((0x\w+), (0x\w+), "(.*)"\)', re.M)
HEADERS = "".join(f"#include <asm/{name}.h>\n" for name in ("bitsperlong", "fcntl", "ioctls", "mman", "resource", "siginfo", "signal", "unistd"))
# Not in the headers: IRIX's call.
OURS = {"syssgi"}
# Names of the table that are other ones in ARM's headers: there a call's first name is that for 16-bit users.
WITH_32 = """chown lchown fchown getuid geteuid getgid getegid getresuid getresgid setuid setgid setreuid setregid setresuid
setresgid setfsuid setfsgid getgroups setgroups""".split()
ARM_NAMES = {name: f"{name}32" for name in WITH_32} | {f"{name}16": name for name in WITH_32} | {"getrlimit": "ugetrlimit"}
# Generic Linux has another signal in its place.
NOT_ARM = {"SIGEMT"}


def check(abi, compiler, asserts):
    """What of [(expression, number)] is otherwise in the compiler's headers."""
    wrong = []
    with tempfile.TemporaryDirectory(prefix="kinds-") as directory:
        source = pathlib.Path(directory, "kinds.c")
        lines = [f'_Static_assert({name} == {number}, "{name} {number}");' for name, number in asserts]
        source.write_text(HEADERS + "\n".join(lines) + "\n")
        done = subprocess.run([compiler, "-fsyntax-only", "-fmax-errors=0", source], capture_output=True, text=True, check=False)
        for line in done.stderr.splitlines():
            if "error:" in line:
                wrong.append(f"{abi}: {line.split('error: ')[1]}")
        assert done.returncode == 0 or wrong, done.stderr
    return wrong


def numbers(root, abi):
    text = (root / "programs/linux/binary/numbers.def").read_text()
    rows = NUMBER.findall(text)
    assert len(rows) == text.count("\nNUMBER("), "a row of numbers.def is not understood"
    for _, name, mips, generic in rows:
        if abi == "armel" and name not in NOT_ARM:
            yield name, generic
        elif abi != "armel" and not (abi == "n64" and name.endswith("64")):
            yield name, mips


def calls(root, abi):
    text = (root / "programs/linux/process/syscalls.def").read_text()
    rows = SYS.findall(text)
    assert len(rows) == len(re.findall(r"^SYS\(", text, re.M)), "a row of syscalls.def is not understood"
    for name, *columns in rows:
        number = int(columns[list(BASE).index(abi)])
        if number < 0 or name in OURS:
            continue
        if abi == "armel" and name.startswith("arm_") and number > 0xf0000:
            yield f"__ARM_NR_{name.removeprefix('arm_')}", number
        else:
            yield f"__NR_{ARM_NAMES.get(name, name) if abi == 'armel' else name}", BASE[abi] + number


def missing(root, compiler):
    """Calls of ARM that have a number in its headers, a row for MIPS, and none for ARM."""
    rows = SYS.findall((root / "programs/linux/process/syscalls.def").read_text())
    done = subprocess.run([compiler, "-E", "-dM", "-include", "asm/unistd.h", "-x", "c", "/dev/null"],
                          capture_output=True, text=True, check=True)
    names = set(re.findall(r"#define __NR_(\w+)", done.stdout))
    return [f"armel: {name} has a number in the headers and none in syscalls.def" for name, _, _, armel in rows
            if int(armel) < 0 and ARM_NAMES.get(name, name) in names]


def named(root, abi, compiler):
    """What unprovided.def has otherwise than the headers, as far as they have it, and what neither table has."""
    column = list(BASE).index(abi)
    provided = {int(row[1 + column]) for row in SYS.findall((root / "programs/linux/process/syscalls.def").read_text())}
    rows = {name: int(numbers[column]) for name, *numbers in NAMED.findall((root / "programs/linux/unprovided.def").read_text())}
    assert len(rows) > 150, "rows of unprovided.def are not understood"
    taken = list(provided | set(rows.values()))
    with tempfile.TemporaryDirectory(prefix="kinds-") as directory:
        source = pathlib.Path(directory, "named.c")
        done = subprocess.run([compiler, "-E", "-dM", "-include", "asm/unistd.h", "-x", "c", "/dev/null"],
                              capture_output=True, text=True, check=True)
        macros = [name for name, value in re.findall(r"#define __NR_(\w+) (.*)", done.stdout)
                  if not re.search(r"Linux|BASE|MASK", name)]
        source.write_text("#include <asm/unistd.h>\n" + "".join(f'NUMBER {name} __NR_{name}\n' for name in macros))
        done = subprocess.run([compiler, "-E", "-P", source], capture_output=True, text=True, check=True)
    # A name in a line may itself be a macro: what stands behind it is the number.
    numbers = {name: eval(line.split(maxsplit=2)[2]) - BASE[abi] # pylint: disable=eval-used
               for name, line in zip(macros, re.findall(r"NUMBER .*", done.stdout))}
    wrong = [f"{abi}: {name} is {numbers[name]} in the headers, and {number} in unprovided.def"
             for name, number in rows.items() if numbers.get(name, number) != number]
    return wrong + [f"{abi}: {name} ({number}) has no name in either table" for name, number in numbers.items() if number not in taken]


def page(root, compiler):
    """What of the ARM page is not what its text is assembled to."""
    rows = [(int(at, 0), int(word, 0), text) for at, word, text in WORD.findall((root / "programs/linux/isa/arm_page.def").read_text())]
    assert rows == sorted(rows) and len(rows) > 30, "rows of arm_page.def are out of order, or not understood"
    with tempfile.TemporaryDirectory(prefix="kinds-") as directory:
        source, made, plain = (pathlib.Path(directory, name) for name in ("page.S", "page.o", "page.bin"))
        lines = [".syntax unified", ".arch armv6k", "page:"]
        for at, _, text in rows:
            text = re.sub(r"^(b(?:eq)?) (0x\w+)$", r"\1 page + \2", text)
            lines += [f".org {at}", ".thumb" if ";" in text else ".arm", text.replace("; ", "\n")]
        source.write_text("\n".join(lines) + "\n")
        subprocess.run([compiler, "-c", source, "-o", made], check=True)
        subprocess.run([compiler.replace("gcc", "objcopy"), "-O", "binary", made, plain], check=True)
        code = plain.read_bytes()
    return [f"arm_page.def: {at:#x}: '{text}' is {int.from_bytes(code[at:at + 4], 'little'):#010x}, not {word:#010x}"
            for at, word, text in rows if int.from_bytes(code[at:at + 4], "little") != word]


def main():
    root = pathlib.Path(sys.argv[1])
    complaints = []
    for abi, compiler in COMPILERS.items():
        if not skip.have(f"gcc-{compiler.removesuffix('-gcc')}", compiler):
            continue
        complaints += check(abi, compiler, [*numbers(root, abi), *calls(root, abi)])
        complaints += named(root, abi, compiler)
        if abi == "armel":
            complaints += missing(root, compiler) + page(root, compiler)
    print(*complaints, sep="\n")
    return 1 if complaints else 0


sys.exit(main())
