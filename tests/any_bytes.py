#!/usr/bin/env -S python3 -S
"""
Names of any bytes: a program, its arguments, a machine, a trace and the directory of a run are called what is no UTF-8, and
every command that writes documents of them writes ones that can be read; the run's own description repeats it.

    any_bytes.py NUMACHINE GUEST

GUEST is tests/what_if_guest.c.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.parsers.expat

ODD = b'\xff "\xc3\xa9\xe0\x82\xa0\'\xed\xa0\x80'  # a lone byte, a quote, a letter, a letter in too many bytes, half a pair
RUN, MACHINE, PROGRAM, TRACE = b"run" + ODD, b"machine" + ODD + b".yaml", b"program" + ODD, b"trace" + ODD
JSON = [
    ["profile"], ["profile", "--by=line"], ["c2c"], ["c2c", "--what-if", "bytes"], ["locks"], ["placement"], ["mend", "--runs=2"],
    ["whatif", "--set=rings.clock=75MHz"],
]


def main():
    numachine, guest = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)

        def ask(*words):
            done = subprocess.run([numachine, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=600, check=False)
            assert done.returncode == 0, (words, done.returncode, done.stderr)
            return done.stdout

        def document(*words):
            return [json.loads(line) for line in ask(*words).splitlines()] if words[0] == "latency" else json.loads(ask(*words))

        shutil.copy(guest, PROGRAM)
        pathlib.Path(os.fsdecode(MACHINE)).write_text("base: station-4\n", encoding="ascii")
        ask("stat", "-q", "--truth", "-m", b"./" + MACHINE, "-o", RUN, "--", b"./" + PROGRAM)
        ask("run", "-q", "-o", "again", RUN + b"/config.resolved.yaml")
        hashes = [{**json.loads((pathlib.Path(os.fsdecode(name)) / "manifest.json").read_text(encoding="utf-8"))["hashes"], "config.resolved.yaml": 0}
                  for name in (RUN, b"again")]
        assert hashes[0] == hashes[1], hashes
        for words in JSON:
            document(*words, "--format=json", RUN)
        for words in ["diff", RUN, "again"], ["compare", RUN, "again"], ["latency", MACHINE]:
            document(words[0], "--format=json", *words[1:])
        ask("stat", "-q", "--references", "-m", "station-4", "-o", "recorded", "--", b"./" + PROGRAM)
        shutil.copy(next(pathlib.Path("recorded").glob("*.ntr")), TRACE + b".ntr")
        document("trace", "info", "--format=json", TRACE + b".ntr")
        xml.parsers.expat.ParserCreate("utf-8").Parse(ask("topology", "--format=svg", MACHINE), True)
        page = pathlib.Path(os.fsdecode(ask("report", RUN).rstrip(b"\n")))
        page.read_text(encoding="utf-8")
    print(f"{len(JSON) + 4} documents")


if __name__ == "__main__":
    main()
