#!/usr/bin/env -S python3 -S
"""
The result of a run must not depend on the circumstances: directory, environment, what new memory holds, address-space
layout, the program's path, what standard input is made of, what is counted, where the results go, and
whether a command line or an experiment file asks for it.

    circumstances.py NUMACHINE GUEST [N]      N: of 0 to 2, every third circumstance, beginning with that one
"""
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import simulator

INPUT = b"some words on\nstandard input\n" * 100


def end_of(numachine, guest, options=(), prefix=(), file=None, **keywords):
    """(result hash, cycles) of one run. `file` is an experiment's."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "a-directory-with-a-longer-name" if options else "out")
        # Clock interrupts so often that every run has many of them.
        options = ["--set", "os.tick=20011cy", "--quiet", "-o", out, *options]
        if "stdin" not in keywords:
            keywords["input"] = INPUT
        command = ["run", *options, file] if file else ["stat", *options, "--", guest]
        simulator.bounded([*prefix, numachine, *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, seconds=900, check=True,
                          **keywords)
        return simulator.end_of(out)


def paths(directory, guest):
    """The same program under other names of its directory."""
    where = pathlib.Path(directory, "a-" + "very-" * 40 + "long-name", "deep" * 50)
    where.mkdir(parents=True)
    (where / guest.name).symlink_to(guest)
    yield "long path", {"guest": where / guest.name}
    copy = pathlib.Path(directory, guest.name)
    copy.write_bytes(guest.read_bytes())
    copy.chmod(0o755)
    yield "short path", {"guest": f"./{guest.name}", "cwd": directory}
    yield "path with dots", {"guest": "./../" * 3 + f"{directory}/../{pathlib.Path(directory).name}/{guest.name}",
                             "cwd": "/"}
    file = pathlib.Path(directory, "experiment.yaml")
    input_file = pathlib.Path(directory, "input")
    file.write_text(f"program: {{path: {guest}, stdin: {input_file}}}\nmonitor: {{events: []}}\n")
    yield "experiment file", {"file": file}


def circumstances(directory, guest):
    """Keywords of end_of, by what they vary."""
    file = pathlib.Path(directory, "input")
    file.write_bytes(INPUT)
    yield "again", {}
    yield from paths(directory, pathlib.Path(guest))
    yield "elsewhere", {"cwd": "/"}
    yield "no environment", {"env": {}}
    yield "large environment", {"env": {**os.environ, "PADDING": "x" * 100000}}
    yield "filled memory", {"env": {**os.environ, "MALLOC_PERTURB_": "165"}}
    yield "other locale", {"env": {**os.environ, "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}}
    yield "nothing counted", {"options": ["-s", "monitor.events=[]"]}
    yield "everything counted", {"options": ["-e", "status,default,retries,bus"]}
    yield "groups", {"options": ["-g", "CPI,NACK,BUS,RING,INVALIDATE,SHARING,LATENCY,SYNC"]}
    yield "sampled", {"options": ["-s", "monitor.interval=77cy"]}
    counters = "[{event: packet_headers, masked: true}, {event: nacks, start: -5}, {event: time}]"
    for source in "l2", "transactions", "service-time", "service-time-linear", "invalidates":
        yield f"programmed, {source}", {"options": [
            "-s", "monitor.mask.direction=in", "-s", f"monitor.counters={counters}",
            "-s", f"monitor.histogram.source={source}"]}
    yield "threads of the host", {"options": ["--host-threads", "3"]}
    yield "input from a file", {"stdin": file.open("rb")}
    yield "few descriptors", {"prefix": ["sh", "-c", 'ulimit -n 64; exec "$0" "$@"']}
    if subprocess.run(["setarch", "-R", "true"], stderr=subprocess.DEVNULL,
                      check=False).returncode == 0:
        yield "fixed addresses", {"prefix": ["setarch", "-R"]}


def main():
    numachine, guest = map(os.path.abspath, sys.argv[1:3])
    first, step = (int(sys.argv[3]), 3) if sys.argv[3:] else (0, 1)
    expected = end_of(numachine, guest)
    failed = False
    with tempfile.TemporaryDirectory() as directory:
        for name, keywords in itertools.islice(circumstances(directory, guest), first, None, step):
            got = end_of(numachine, **{"guest": guest, **keywords})
            print(f"{'ok' if got == expected else 'FAILED'}: {name}: {got}, first {expected}")
            failed |= got != expected
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
