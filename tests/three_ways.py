#!/usr/bin/env -S python3 -S
"""
Three ways to program a monitoring card, one effect: from the experiment's file, by the card's own processor,
by another. The registers then hold the same. And what several count in one card's SRAM at once, and what a mask
on a part of the program counts.

    three_ways.py NUMACHINE GUEST
"""
import csv
import json
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
    assert (sum(lost) > each / 20) == (arbitration == "none"), lost
    worst = lost.index(max(lost))
    assert (f"{sum(lost)} of 2,000 increments of SRAMs were lost" in said) == any(lost), said
    assert (f"card {worst} lost {lost[worst]} of {each}" in said) == any(lost), said


def masked(numachine, guest, file, out):
    """A part of the program as the mask: what its physical pattern counts, and no cycle is another."""

    def count(address):
        mask = f"mask: {{command: UPGD, address: {address}}}, " if address else ""
        file.write_text(f"machine: station-4\nprogram: {{path: {guest}, args: [share, 400]}}\n"
                        f"monitor: {{{mask}counters: [{{event: packet_headers, masked: {str(bool(mask)).lower()}}}]}}\n")
        said = run(numachine, "run", "--force", "-o", str(out), str(file))
        rows = list(csv.DictReader((out / "monitor/counters.csv").open(newline="")))
        end = json.loads((out / "manifest.json").read_text())["end"]
        note = re.search(r"became the physical (\S+?)[,:] its (\d+) lines and (\S+) others", said)
        return sum(int(row["counted"]) for row in rows), note, end["result_hash"], said

    everything, _, result, _ = count("")
    table, found, with_mask, _ = count("{symbol: table}")
    assert with_mask == result, "the mask has changed a cycle"
    assert 0 < table < everything / 2 and (found[2], found[3]) == ("32", "no"), (table, everything, found)
    assert count(found[1])[0] == table, "another count by the pattern itself"
    beside, other, _, _ = count("{symbol: beside}")
    assert beside > 0 and other[1] != found[1]
    count_, _, _, said = count("{symbol: untouched}")
    assert count_ == 0 and "untouched" in said
    for address, complaint in ("{symbol: tabel}", "x.yaml:3:27: error: 'monitor.mask.address': the program has no "
                               "symbol 'tabel'; did you mean 'table'?"), ("{from: 5, to: 4}", "is no range"), \
                              ("{symbol: table, from: 1}", "expected an address pattern"):
        file.write_text(f"machine: station-4\nprogram: {{path: {guest}}}\nmonitor: {{mask: {{address: {address}}}, "
                        "counters: [{event: nacks, masked: true}]}\n")
        done = subprocess.run([numachine, "run", "-o", str(out), "--force", str(file)], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 2 and complaint in done.stderr, done
    source = file.with_name("nothing.c")
    source.write_text("int table[32];\nint main(void) { return table[3]; }\n")
    file.write_text(file.read_text().replace(f"path: {guest}", "source: nothing.c")
                    .replace("{symbol: table, from: 1}", "{symbol: tabl}"))
    done = subprocess.run([numachine, "run", "-o", str(out), "--force", str(file)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 2 and "x.yaml:3: error: 'monitor.mask.address': the program has no symbol 'tabl'; " \
        "did you mean 'table'?" in done.stderr, done


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
        if guest.endswith("o32"):
            for arbitration in "none", "turns":
                counted_together(numachine, guest, file, out, arbitration)
            masked(numachine, guest, file, out)
        registers(["file"], "")
        assert interrupted(numachine, file, out, "false") == 0
        assert interrupted(numachine, file, out, "true") > 100


if __name__ == "__main__":
    main()
