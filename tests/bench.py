#!/usr/bin/env -S python3 -S
"""
`numachine bench`: its result read back and compared with another; a result that is none is refused in one line.

    bench.py NUMACHINE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

NUMACHINE = pathlib.Path(sys.argv[1]).resolve()
COUNTS = ["instructions", "references", "misses", "ring_slots"]


def damaged(rows):
    """(what is wrong with a result, what is said)"""
    def row(**changes):
        return [{**rows[0], **changes}]
    yield {}, "not a list"
    yield 7, "line 1"
    yield [7], "[0]: not a work"
    yield row(work=3), "[0]: not a work"
    yield row(host_seconds=0), "[0]: host_seconds or runs: not a time"
    yield row(host_seconds="1"), "[0]: host_seconds or runs: not a time"
    yield row(runs=[]), "[0]: host_seconds or runs: not a time"
    yield row(runs=[1, -1]), "[0]: host_seconds or runs: not a time"
    yield rows + row(ticks=None), f"[{len(rows)}].ticks: not a number"
    yield row(host_threads="2"), "[0].host_threads: not a number"
    for name in COUNTS:
        yield row(**{name: {}}), f"[0].{name}.count: not a number"


def main():
    with tempfile.TemporaryDirectory() as where:
        def bench(*words, status=0):
            done = subprocess.run([NUMACHINE, "bench", *words], capture_output=True, text=True, cwd=where, timeout=600)
            assert done.returncode == status, (words, done)
            return done.stderr if status else done.stdout

        file = pathlib.Path(where, "before.json")
        file.write_text(bench("--format=json", "--runs=2", "functional-1", "near-1"))
        rows = json.loads(file.read_text())
        assert [row["work"] for row in rows] == ["functional-1", "near-1"]
        for row in rows:
            assert len(row["runs"]) == 2 and row["host_seconds"] == min(row["runs"]), row
            assert row["instructions"]["count"] > row["references"]["count"] > row["misses"]["count"], row

        now = json.loads(bench("--format=json", "--compare=before.json", "-r1", "near-1", "hits"))
        have = {row["work"]: row for row in now}
        assert have["near-1"]["same"] and "then" not in have["hits"], now
        ratio = have["near-1"]["ratio"]
        assert ratio["least"] <= ratio["median"] <= ratio["greatest"], ratio
        assert have["near-1"]["then"] == rows[1]

        assert rows[1]["host_threads"] == 1, rows[1]
        rows[1]["host_threads"] = 2
        file.write_text(json.dumps(rows))
        table = bench("--compare=before.json", "-r1", "near-1").splitlines()
        assert table[1].endswith("the same, host threads 2 then, 1 now"), table

        del rows[1]["runs"], rows[1]["host_threads"]  # as results were before there were several of them
        rows[1]["misses"]["count"] += 1
        file.write_text(json.dumps(rows))
        table = bench("--compare=before.json", "-r1", "near-1", "hits").splitlines()
        assert table[1].startswith("hits") and table[1].split()[3:] == ["-", "-", "not", "in", "that", "file"], table
        assert table[2].startswith("near-1") and table[2].endswith("something else"), table

        for wrong, says in damaged(rows):
            file.write_text(json.dumps(wrong))
            said = bench("--compare=before.json", "near-1", status=2)
            assert says in said and said.count("\n") == 1 and "before.json: " in said, (wrong, said)
        few = subprocess.run([NUMACHINE, "bench", "-t2", "hits"], capture_output=True, text=True, timeout=600, check=True)
        assert "this run has 1" in few.stderr, few  # of a machine of one station
        few = subprocess.run([NUMACHINE, "bench", "-t2", "functional-64"], capture_output=True, text=True, timeout=600, check=True)
        assert "this run has 1" in few.stderr, few  # of one without windows
        for words, says in (["nera-1"], "did you mean 'near-1'"), (["xyzzy"], "there are functional-1, "), (["-r0"], "--runs"), (["-r1001"], "is no whole number from 1 to 1000"), \
                (["--compare=none.json"], "none.json"):
            assert says in bench(*words, status=2), words
    print("ok")


main()
