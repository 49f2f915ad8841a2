#!/usr/bin/env -S python3 -S
"""
The EVNTBUS of an ARM11 in waves: while a program exports its events, the lines of an event add up to what a counter of
that event has counted, but for the PCycles that counters start later; before and after they are 0. GTKWave's tools take
the file. Recording changes nothing.

    evntbus.py NUMACHINE GUEST
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import vcd

import skip

PS = 5000  # of a PCycle at 200 MHz
LATE = 8  # instructions and branches at most in the PCycles before the counters start, and behind the last one
LINES = {"instructions": (7, 2), "branches": (5, 1)}  # first bit and width (docs/arm11.md, AR-4)


def run(numachine, out, *options):
    subprocess.run([numachine, "stat", "-q", "-m", "arm1176-l220", "-o", out, *options[1:], "--", options[0]],
                   capture_output=True, check=True, timeout=600)
    return (out / "guest.stdout").read_text().split(), json.loads((out / "manifest.json").read_text())


def main():
    numachine, guest = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="numachine-") as name:
        scratch = pathlib.Path(name)
        _, plain = run(numachine, scratch / "plain", guest)
        said, waves = run(numachine, scratch / "waves", guest, "--waves")
        assert plain["end"]["result_hash"] == waves["end"]["result_hash"], "recording has changed the run"
        file = scratch / "waves/waves.vcd"
        book = vcd.read(file)
        pieces = [(end - begin, value) for begin, end, value in book.pieces("machine.station[0].card[0].evntbus")]
        assert len(pieces) > 50 and pieces[0][1] == 0 and pieces[-1][1] == 0, pieces[:5]
        for k, (what, (bit, width)) in enumerate(LINES.items()):
            sum_ = sum((value >> bit & (1 << width) - 1) * (time // PS) for time, value in pieces)
            counted = int(said[k])
            assert counted <= sum_ <= counted + LATE and counted >= 50, f"{what}: {counted} counted, {sum_} on the lines"
            print(f"{what}: {counted} counted, {sum_} on the lines")
        if skip.have("gtkwave", "vcd2fst"):
            subprocess.run(["vcd2fst", file, scratch / "x.fst"], check=True, capture_output=True, timeout=600)


main()
