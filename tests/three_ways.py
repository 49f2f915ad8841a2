#!/usr/bin/env python3
"""
Three ways to program a monitoring card, one effect: from the experiment's file, by the card's own processor,
by another. The registers then hold the same. And what several count in one card's SRAM at once.

    three_ways.py NUMACHINE GUEST
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

EXPERIMENT = """
machine: ring-16
program: {path: GUEST, args: [ARGS]}
"""
MONITORS = [
    "counters: [{event: run}, {event: nacks, start: -7}]",
    "counters: [{event: packet_headers, masked: true}, {event: requests_nacked, masked: true}],"
    "mask: {direction: out, command: RDEXCL, address: 0x1_2xx4, phase: 5, fifo: 3}",
    "counters: [{event: run, interrupt: true}, {event: nacks, read_clears: true}]",
    "histogram: {source: service-time, scale: doubled, interrupt: true}",
    "histogram: {source: invalidates}, counters: [{event: invalidate_hits}],"
    "registers: {WATCH: 3, THRESHOLD: 1000}",
]


def run(numachine, *arguments):
    done = subprocess.run([numachine, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def interrupted(numachine, file, out, how):
    """[cycles] that an interrupt waited on some card, if the file lets the counter of time interrupt."""
    file.write_text(file.read_text().split("monitor:")[0] + "monitor: {counters: [{event: nothing}, "
                    f"{{event: time, start: -1000, interrupt: {how}}}, {{event: interrupt_time}}]}}\n")
    run(numachine, "run", "-q", "--force", "-o", str(out), str(file))
    rows = csv.DictReader((out / "monitor/counters.csv").open(newline=""))
    return max(int(row["value"]) for row in rows if row["event"] == "interrupt_time")


def counted_together(numachine, guest, file, out, arbitration):
    """Four processors count in one SRAM. What is not in it was lost, and the files say by whom."""
    each = 500
    file.write_text(f"machine: {{base: station-4, counters: {{arbitration: {arbitration}}}}}\n"
                    f"program: {{path: {guest}, args: [count, {each}]}}\n"
                    "monitor: {histogram: {source: blocks}}\n")
    said = run(numachine, "run", "--force", "-o", str(out), str(file))
    words = [int(word) for word in re.findall(r"^\d+$", said, re.M)]
    with (out / "stats.csv").open(newline="") as rows:
        sram = {(row["component"][-7], row["stat"]): int(row["value"]) for row in csv.DictReader(rows)
                if row["component"].endswith(".sram")}
    lost = [sram.get((str(card), "increments_lost"), 0) for card in range(4)]
    assert [sram[str(card), "increments"] for card in range(4)] == [each] * 4, sram
    assert [word + less for word, less in zip(words, lost)] == [each] * 4, (words, lost)
    assert (sum(lost) > each / 2) == (arbitration == "none"), lost
    worst = lost.index(max(lost))
    assert (f"{sum(lost)} of 2,000 increments of SRAMs were lost" in said) == any(lost), said
    assert (f"card {worst} lost {lost[worst]} of {each}" in said) == any(lost), said


def main():
    numachine, guest = sys.argv[1:]
    guest = str(pathlib.Path(guest).absolute())
    with tempfile.TemporaryDirectory() as scratch:
        file, out = pathlib.Path(scratch, "x.yaml"), pathlib.Path(scratch, "out")

        def registers(args, monitor):
            file.write_text(EXPERIMENT.replace("GUEST", guest).replace("ARGS", ", ".join(args)) +
                            f"monitor: {{{monitor}}}\n")
            return re.findall(r"^0x.* 0x.*$", run(numachine, "run", "-q", "--force", "-o", str(out),
                                                  str(file)), re.M)

        reset = registers(["file"], "")
        for monitor in MONITORS:
            by_file = registers(["file"], monitor)
            said = re.findall(r"(0x\w+) \w+ += (0x\w+)", run(numachine, "check", str(file)))
            writes = [f"'{offset}={value}'" for offset, value in said]
            assert by_file != reset, monitor
            for how in "own", "other":
                by_guest = registers([how, *writes], "")
                assert by_guest == by_file, f"{monitor}: {how}\n{by_guest}\nfile\n{by_file}"
        for arbitration in "none", "turns":
            counted_together(numachine, guest, file, out, arbitration)
        registers(["file"], "")
        assert interrupted(numachine, file, out, "false") == 0
        assert interrupted(numachine, file, out, "true") > 100


if __name__ == "__main__":
    main()
