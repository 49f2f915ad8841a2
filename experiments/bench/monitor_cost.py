#!/usr/bin/env python3
"""
What monitoring costs, in instructions of the host: the same run with the monitoring cards off and on.

    monitor_cost.py NUMACHINE

64 processors make random references to a shared megabyte, under valgrind's callgrind in two sizes;
what start-up and results cost is in both and falls out of the difference. Needs the Debian package
valgrind.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIZES = (100, 500)

RUN = """\
machine: numachine-64
program:
  source: {work}
  abi: o32
  args: ["64", "{references}", "16384", "30", shared]
"""
COUNTERS = """\
monitor:
  counters:
    - {event: invalidate_hits, start: -1000000000}
    - {event: packet_headers, start: -1000000000}
    - {event: read_latency, start: -1000000000}
    - {event: bus_busy, start: -1000000000}
"""
MASKED = """\
monitor:
  counters:
    - {event: packet_headers, masked: true}
    - {event: packet_cycles, masked: true}
    - {event: read_latency, masked: true}
    - {event: external_time, masked: true}
  mask: {direction: in, command: INVALIDATE}
"""
SRAM = """\
monitor:
  histogram: {source: service-time}
"""
VARIANTS = {"off": "", "counters": COUNTERS, "masked": MASKED, "SRAM": SRAM,
            "masked and SRAM": MASKED + SRAM.replace("monitor:\n", "")}


def cost(numachine, scratch, monitor, references):
    experiment = pathlib.Path(scratch, "run.yaml")
    experiment.write_text(RUN.format(work=HERE / "work.c", references=references) + monitor,
                          encoding="ascii")
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", numachine, "run",
         "--quiet", "--force", "-o", pathlib.Path(scratch, "out"), experiment],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def main():
    plain = None
    for name, monitor in VARIANTS.items():
        with tempfile.TemporaryDirectory() as scratch:
            small, large = (cost(sys.argv[1], scratch, monitor, size) for size in SIZES)
        plain = plain or large - small
        print(f"{name:16} {large - small:>14,} {100 * (large - small) / plain - 100:+6.1f} %",
              flush=True)


main()
