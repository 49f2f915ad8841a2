#!/usr/bin/env -S python3 -S
"""What `meson install` gives, used from a prefix that was moved.

    install.py MESON BUILD SOURCE [LIBRARY...]

The objects are those of BUILD. It is installed below a directory of its own, so nothing is where it
was configured to be: whatever works finds its files from its own place. What is asked of the prefix:
no file names the source or the build tree; the Python module runs a machine; the command needs no library but C's and those named, and runs a shipped experiment, from elsewhere; man finds the
pages; each public header compiles by itself; the library exports what they declare and nothing else, has no variables,
and ends a process only where MAY_END says so; every example
of tests/extending/ compiles with pkg-config's flags alone, shared and static, and runs; each kernel there runs as a
plugin and as a guest.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import skip
import tidy

INCLUDE = re.compile(r'^#\s*include\s+"([^"]+)"', re.M)
KERNEL = re.compile(r"^KN_KERNEL\(", re.M)
failures = []


def expect(good, *what):
    if not good:
        failures.append(what)
        print("FAILED:", *what, flush=True)


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    expect(done.returncode == 0, *command, done.stdout, done.stderr)
    return done.stdout


def install(meson, build, where):
    """The prefix, which the tests of BUILD may be using at the same time."""
    run(meson, "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", where)
    return next(where.rglob("bin/numachine")).parent.parent


def names_no_tree(prefix, *trees):
    """Debug information, which a distribution strips, may name them."""
    for path in sorted(p for p in prefix.rglob("*") if p.is_file() and not p.is_symlink()):
        data = path.read_bytes()
        if path.name == "numachine" and path.parent.name == "bin" or ".so" in path.name or path.suffix == ".a":
            with tempfile.NamedTemporaryFile() as copy:
                run("strip", "--strip-debug", "-o", copy.name, path)
                data = pathlib.Path(copy.name).read_bytes()
        for tree in trees:
            # one as short as /n is part of other words
            expect(len(str(tree)) < 5 or os.fsencode(tree) not in data, path, "names", tree)


def command_runs(prefix, elsewhere):
    """As somebody would who has the command in PATH, or a link to it, and not the tree."""
    link = elsewhere / "link"
    link.symlink_to(prefix / "bin/numachine")
    expect("numachine-64" in run(link, "list", "machines", cwd=elsewhere), "machines")
    expect("NACK" in run(link, "list", "groups", cwd=elsewhere), "groups")
    run(link, "init", "mine.yaml", cwd=elsewhere)
    schema = re.search(r"\$schema=(.*)", (elsewhere / "mine.yaml").read_text())[1]
    expect(schema == str(prefix / "share/numachine/configs/schema.json"), "schema", schema)
    run(link, "check", "mine.yaml", cwd=elsewhere)
    if subprocess.run(["sh", "-c", "command -v mips-linux-gnu-gcc"], capture_output=True).returncode == 0:
        out = run(link, "run", "first-light", "-o", elsewhere / "results", cwd=elsewhere)
        expect("adjacent" in out and (elsewhere / "results/stats.json").exists(), "first-light", out)
    words = run("bash", "-c", '. "$1"; COMP_WORDS=("$2" list mach) COMP_CWORD=2; _numachine; echo "${COMPREPLY[@]}"',
                "bash", prefix / "share/bash-completion/completions/numachine", link)
    expect(words.split() == ["machines"], "completion", words)


def python_works(prefix, elsewhere):
    """The module of the prefix finds the prefix's library and machines."""
    out = run(sys.executable, "-c", "import numachine\nm = numachine.Machine(machine='station-4', sets=['program.pattern="
              "[{kind: uniform, references: 50}]'])\nm.run()\nprint(m.end['reason'])", cwd=elsewhere,
              env={**os.environ, "PYTHONPATH": str(prefix / "share/numachine/python"), "PYTHONDONTWRITEBYTECODE": "1"})
    expect(out.split()[-1:] == ["exited"], "python", out)


def manual_is_found(prefix):
    """By man, where it and the pages are: without scdoc there are none."""
    if not (prefix / "share/man").exists():
        return skip.left_out("no pages of the manual", "scdoc")
    if not skip.have("man-db", "man"):
        return
    env = {**os.environ, "MANPATH": str(prefix / "share/man")}
    for section, name in ("1", "numachine"), ("1", "numachine-run"), ("5", "numachine-experiment"), ("7", "numachine-events"):
        found = run("man", "-w", section, name, env=env).strip()
        expect(found.startswith(f"{prefix}/share/man/man{section}/{name}.{section}"), "man", section, name, found)


def headers_stand_alone(prefix, scratch):
    """Private ones are not in the prefix, so one that needs them does not compile."""
    folder = prefix / "include/numachine"
    for header in sorted(folder.rglob("*.h")):
        source = scratch / "alone.c"
        source.write_text(f'#include "{header.relative_to(folder)}"\n')
        run("cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{folder}", source, cwd=scratch)
    used = {h for f in folder.rglob("*.*") for h in INCLUDE.findall(f.read_text())}
    for rows in folder.rglob("*.def"):
        expect(str(rows.relative_to(folder)) in used, rows, "is included by no public header")


def exports_what_is_declared(prefix):
    library = next(prefix.rglob("libnumachine.so"))
    exported = {line.split()[2] for line in run("nm", "-D", "--defined-only", library).splitlines()}
    text = "\n".join(h.read_text() for h in (prefix / "include").rglob("*.[hd]*"))  # rows name some
    declared = set(re.findall(r"\b\w+\b", re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)))
    expect(len(exported) > 50, "exported", exported)
    expect(not exported - declared, "in no public header:", sorted(exported - declared))


# Who may end the process. A user's error is a value; these are no memory and broken contracts.
MAY_END = {
    "base_alloc.c.o": ("_exit",),  # no memory
    "base_beside.c.o": ("_exit",),  # the process that it has started, and not the caller's
    "debug_scout.c.o": ("_exit",),  # likewise
    "programs_host.c.o": ("_exit",),  # likewise, gone astray
    "programs_past.c.o": ("_exit",),  # likewise, at its end
    "programs_linux_names_dwarf.c.o": ("_exit",),  # the process that reads, and not the caller's
    "input_monitor.c.o": ("abort",),  # a counter unit has made more writes of a wish than MON_WRITES_MAX
    **{f"{name}.c.o": ("abort",) for name in ("machine_invariants", "machine_windows", "procard_cache", "procard_card",
                                           "procard_invariants", "ring_invariants")},  # -Dinvariants=true
    "procard_r10000_books.c.o": ("abort",),  # what its counters have heard does not add up
    "machine_machine.c.o": ("abort",),  # a core has come back before its horizon (procard/core.h)
    "sweep_process.c.o": ("_exit", "kill"),  # the process that it has started, and not the caller's
    "sweep_hosts.c.o": ("kill",),  # likewise
    "documents_directory_rundir.c.o": ("abort",),  # a file that is not in its own table
}
ENDS = ("_exit", "exit", "quick_exit", "abort", "err", "errx", "kill", "raise")


def together(build, source):
    """The sources of what is compiled as one: {object: {the name that the object of each would have: its text}}. A call that
    a macro or a header makes is seen where files are compiled by themselves (-Dtogether=false)."""
    units = {}
    for unit in build.glob("lib*.a.p/*-unity*.c"):
        files = [pathlib.Path(f).resolve() for f in tidy.included(unit)]
        units[f"meson-generated_{unit.name}.o"] = {
            str(f.relative_to(source)).replace("/", "_") + ".o": re.sub(r"/\*.*?\*/", "", f.read_text(), flags=re.S) for f in files}
    return units


def ends_no_process(prefix, units):
    for line in run("nm", "-A", "--undefined-only", next(prefix.rglob("libnumachine.a"))).splitlines():
        *_, member, _, name = line.replace(":", " ").split()
        if name in ENDS:
            callers = [one for one, text in units[member].items() if re.search(rf"\b{name}\(", text)] if member in units else [member]
            expect(callers, member, "calls", name, "and no file of it says so")
            for one in callers:
                expect(name in MAY_END.get(one, ()), one, "calls", name)


# Who must have a variable, and of how many bytes.
MAY_KEEP = {
    "programs_host.c.o": 48,  # the log of this process's calls: a process has one host
    "programs_kernels_kernel.c.o": 8,  # whose kernel runs: a handler of signals is told nothing else
}


def has_no_variables(prefix, units):
    """Constants that hold addresses are relocated (.data.rel.ro), nothing else is ever written."""
    sections = run("objdump", "-h", next(prefix.rglob("libnumachine.a")))
    for member, text in re.findall(r"^(\S+):\s+file format[^\n]*\n(.*?)(?=^\S+:\s+file format|\Z)", sections, re.M | re.S):
        for name, size in re.findall(r"^ +\d+ (\.\S+) +([0-9a-f]{8})", text, re.M):
            variables = re.match(r"\.(data|bss|tdata|tbss)", name) and not name.startswith(".data.rel.ro")
            may = sum(MAY_KEEP.get(one, 0) for one in units.get(member, [member]))
            expect(not variables or int(size, 16) in (0, may), member, "has variables:", name, size)


def programs(folder):
    """Each example with the files beside it whose headers it includes."""
    files = {f: f.read_text() for f in sorted(folder.glob("*.c"))}
    beside = {f: [folder / h.replace(".h", ".c") for h in INCLUDE.findall(t) if (folder / h).exists()]
              for f, t in files.items()}
    found = {f: {f, *beside[f]} for f, t in files.items() if re.search(r"^int main\(", t, re.M)}
    for file in (f for f, t in files.items() if not KERNEL.search(t)):
        expect(any(file in sources for sources in found.values()), file, "is part of no program")
    return found


def examples_run(prefix, examples, scratch):
    file = next(prefix.rglob("libnumachine.so"))
    soname = re.search(r"SONAME.*\[(\S+)\]", run("readelf", "-d", file))[1]
    library = file.parent
    env = {k: v for k, v in os.environ.items() if not k.startswith("PKG_CONFIG")} | {
        "PKG_CONFIG_PATH": str(library / "pkgconfig"), "LD_LIBRARY_PATH": str(library),
        "NUMACHINE_HOME": str(prefix / "share/numachine")}  # a static program is not beside it
    shared = shlex.split(run("pkg-config", "--cflags", "--libs", "numachine", env=env))
    static = shlex.split(run("pkg-config", "--static", "--cflags", "--libs", "numachine", env=env))
    expect(pathlib.Path(shared[0].removeprefix("-I")).resolve() == prefix / "include/numachine", shared,
           "not where it was moved to; an old build directory wants: meson configure -Dpkgconfig.relocatable=true")
    static = ["-l:libnumachine.a" if f == "-lnumachine" else f for f in static]
    for name, sources in programs(examples).items():
        for flags in shared, static:
            program = scratch / name.stem
            program.unlink(missing_ok=True)
            run("cc", "-Wall", "-Wextra", "-Werror", *sorted(sources), "-o", program, *flags, env=env, cwd=scratch)
            if not program.exists():
                continue
            needed = soname in run("readelf", "-d", program)
            expect(needed == (flags is shared), program, "is linked with the other library")
            run(program, env=env, cwd=scratch)


def loads_little(prefix, beside):
    """The command looks for no library but C's, and those whose archives are not whole here: each that it finds when it
    starts is a third of a millisecond."""
    needed = re.findall(r"NEEDED.*\[(\S+)\.so", run("readelf", "-d", prefix / "bin/numachine"))
    expect({n for n in needed if not n.endswith("san")} <= {"libc", "libm", "ld-linux-x86-64", *beside}, "bin/numachine needs", needed)


def kernels_run(prefix, examples, scratch):
    """Examples that are kernels: as plugins, which link against nothing, and as guests."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PKG_CONFIG")} | {
        "PKG_CONFIG_PATH": str(next(prefix.rglob("libnumachine.so")).parent / "pkgconfig")}
    include = run("pkg-config", "--variable=guestincludedir", "numachine", env=env).strip()
    builds = [["cc", "-fPIC", "-shared"], ["mips-linux-gnu-gcc", "-static", "-pthread"]]
    kernels = [f for f in sorted(examples.glob("*.c")) if KERNEL.search(f.read_text())]
    expect(kernels, "no example of a kernel")
    for file in kernels:
        said = set()
        for build in (b for b in builds if shutil.which(b[0])):
            program = scratch / f"{file.stem}.{build[0]}"
            run(*build, "-O2", "-Wall", "-Wextra", "-Werror", f"-I{include}", file, "-o", program, cwd=scratch)
            said.add(run(prefix / "bin/numachine", "stat", "-q", "--processors=4", program, cwd=scratch))
        expect(len(said) == 1, file, said)


def main():
    meson, build, source = sys.argv[1], *(pathlib.Path(a).resolve() for a in sys.argv[2:4])
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name).resolve()
        for folder in ("moved", "elsewhere"):
            (scratch / folder).mkdir()
        prefix = install(meson, build, scratch / "moved")
        names_no_tree(prefix, source, build)
        loads_little(prefix, sys.argv[4:])
        command_runs(prefix, scratch / "elsewhere")
        python_works(prefix, scratch / "elsewhere")
        manual_is_found(prefix)
        headers_stand_alone(prefix, scratch)
        exports_what_is_declared(prefix)
        units = together(build, source)
        ends_no_process(prefix, units)
        has_no_variables(prefix, units)
        examples_run(prefix, next(prefix.rglob("examples")), scratch)
        kernels_run(prefix, next(prefix.rglob("examples")), scratch)
    sys.exit(bool(failures))


main()
