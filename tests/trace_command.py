#!/usr/bin/env -S python3 -S
"""
numachine trace: texts of other programs mean the records that they must, files are cut where they are told to be, and
what is wrong with a file is said in one line, with its place.

    trace_command.py NUMACHINE TRACE_SPEED
"""
import gzip
import itertools
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import skip

LACKEY = """==77== Lackey, an example Valgrind tool
==77==
I  00401000,4
I  00401004,7
 L 1fff000708,8
I  0040100b,2
 M 10000003,4
I  0040101e,4
 S 1fff000700,20
==77== Counted 1 call
"""
# A modify is a load and a store; 20 bytes are 8, 8 and 4; the last instruction lies in two lines.
DIN = "2 401000\n0 10000008\n2 401004\n1 1000000a\n\n4 0\n2 401020\nw 10000010 8\n"
DRMEMTRACE = """Hello, world!
Output format:
<--record#-> <--instr#->: <---tid---> <record details>
------------------------------------------------------------
           1           0:     4711 <marker: version 6>
           2           1:     4711 ifetch       8 byte(s) @ 0x0000000000401012 48 8d 34 25 00 20 40 lea    0x402000 -> %rsi
           2           1:     4711                                             00
           3           1:     4711 read         8 byte(s) @ 0x0000000000402000 by PC 0x0000000000401012
------------------------------------------------------------
           4           2:     4712 ifetch       2 byte(s) @ 0x0000000000401026 0f 05                syscall
           5           2:     4712 write        4 byte(s) @ 0x0000000000402004 by PC 0x0000000000401026
           6           2:     4712 <thread 4712 exited>
View tool results:
              2 : total instructions
"""
OLD_DRMEMTRACE = """  1: T4711 <marker: tid 4711 on core 2>
  2: T4711   ifetch 5 byte(s) @ 0x00007f7fe3a61755  non-branch
  3: T4711   read   8 byte(s) @ 0x00007ffd51ace110  by PC 0x00007f7fe3a61755
"""
# Every word with an address that DynamoRIO's view tool prints, and what it is (clients/drcachesim/tools/view.cpp); its
# threads as it writes them, old and new; what else it prints.
VIEW_WORDS = {"ifetch": "fetch", "read": "load", "write": "store", "non-fetched": None, "iflush": None, "dflush": None,
              "pref": None, "pref-NTA": None, "pref-HW": None, "pref-r": None, "pref-w": None, "pref-i": None,
              **{f"pref-{what}-L{level}{nt}": None for what in "rwi" for level in (1, 2, 3) for nt in ("", "-NT")}}
VIEW_THREADS = {"4711": 4711, "T4711": 4711, "W0.T4711": 4711, "W3.T4711": 4711}
VIEW_OTHERS = ["<marker: version 7>", "<marker: filetype 0xe40>", "<marker: W0.T4711 on core unknown>",
               "<marker: hardware context return", "<marker: skipped memref 0x10", "<thread W0.T4711 exited>",
               "<entry type 99>", "<marker: function==syscall #202>"]
# Valgrind's own lines, with which a text of lackey's may be mixed, of one process.
REMARKS = ["==77== ", "==00:00:00:06.259 77== Counted 0 calls to main()", "--77-- Reading syms from /bin/ls",
           "--77:1:main    Welcome", "--00:00:01:00.001 77-- REDIR: x", "--00:00:01:00.001 77:0: aspacem  <<< SHOW_SEGMENTS",
           "**77** a message of the client's", "==00:00:00:00.000 77=="]
# Dinero's labels: of III, and of IV, of both cases; and what follows an address: nothing, a size, a comment, both.
DIN_LABELS = {"0": "load", "1": "store", "2": "fetch", "3": None, "4": None, "r": "load", "w": "store", "i": "fetch", "m": None,
              "v": None, "c": None, "R": "load", "W": "store", "I": "fetch", "M": None, "V": None, "C": None}
DIN_RESTS = {"": 4, " ": 4, "\t8": 8, " 8 ": 8, " 8 # eight": 8, " 8 comment": 8}
DIN_COMMENTS = {" # store": 4, " comment here": 4, " add r1": 4, " -- 8": 4}  # behind a digit; Dinero III passes over them

# Lines of each tool, a {} for each of their numbers, and words that are no number there.
NUMBERS = [(LACKEY, " L {},{}"), (LACKEY, "I  {},{}"), (LACKEY, " M {},{}"), (DIN, "r {} {}"), (DIN, "2 {}"), (DIN, "W {} {}"),
           (OLD_DRMEMTRACE, "  4: T4711   read   {} byte(s) @ 0x{} by PC 0x10"),
           (OLD_DRMEMTRACE, "  4: T4711   ifetch {} byte(s) @ 0x{} non-branch")]
NO_NUMBERS = ["z", "4z", ";4", "12345678901234567"]

# Files that are refused, and what is said of them.
WRONG = [
    ("", "this is no trace"),
    ("hello\n", "offset 0 (line 1): this is no trace"),
    (LACKEY + "hello\n", f"offset {len(LACKEY)} (line 11): 'hello' is no line of lackey's; keep what"),
    (LACKEY + " L 12,0\n", "a reference to 0 bytes; there are 1 to 4096"),
    (LACKEY + " L ffffffffffffffff,8\n", "below 2^64"),
    (LACKEY + " L 12345678901234567,8\n", "is no line of lackey's"),
    (LACKEY + "I  " + "4" * 5000 + ",4\n", "a line of more than 4096 bytes"),
    (LACKEY + "I  0\0,4\n", "a zero byte"),
    (DIN + "0 400 0\n", "line 9): a reference to 0 bytes"),
    *((DIN + line + "\n", "is no line of Dinero's") for line in ("0", "0 ", "1\t ", "04 10", "0,10", "r10", "r 10,4")),
    (DIN + "5 400\n", "line 9): '5 400' is no line of Dinero's; it is a label"),
    (DRMEMTRACE.replace("write  ", "writes "), "is no record of drmemtrace's"),
    (OLD_DRMEMTRACE + "x\n", "'x' is no line of drmemtrace's; keep"),
    (OLD_DRMEMTRACE + "  4: T4711   pref-x 1 byte(s) @ 0x10 by PC 0x10\n", "is no record of drmemtrace's"),
    (OLD_DRMEMTRACE + "  4: T4711   pref-w with nothing\n", "is no record of drmemtrace's"),
    (LACKEY + "==78== another\n", "text of several processes, 77 and 78"),
    (LACKEY + "==00:00:00:00.000 78== another\n", "give each its own with valgrind's --log-file=FILE.%p"),
    (OLD_DRMEMTRACE + "  4: W1.T4711   read   5 byte(s) @ 0x10 by PC 0x10\n", "text of several processes, 0 and 1"),
    (OLD_DRMEMTRACE + f"  4: T{(1 << 48) + 4711}   read   5 byte(s) @ 0x10 by PC 0x10\n", "text of several processes, 0 and 1"),
    ("r 400 8\nw 404 store\n", "'w 404 store' is no line of Dinero's"),
]

numachine = scratch = None


def trace(*words, status=0, note=""):
    done = subprocess.run([numachine, "trace", *map(str, words)], capture_output=True, text=True, cwd=scratch, check=False)
    assert done.returncode == status, f"{words}: {done.returncode}, not {status}: {done.stderr}"
    assert status or (note in done.stderr if note else not done.stderr), (note, done.stderr)
    return done.stderr if status else done.stdout


def info(name, *words):
    return json.loads(trace("info", "--format=json", name, *words))


def put(name, text):
    (scratch / name).write_bytes(text.encode())
    return name


def counts(facts):
    return {word: n for word, n in facts["records"].items() if n and word != "compute"}  # instructions behind the last record


def check_texts():
    facts = info(put("l.txt", LACKEY))
    assert counts(facts) == {"fetch": 2, "load": 2, "store": 4}, facts
    assert (facts["format"], facts["instructions"], facts["lines"]) == ("lackey", 7, 3), facts
    facts = info(put("d.txt", DIN))
    assert counts(facts) == {"fetch": 2, "load": 1, "store": 2} and facts["format"] == "din", facts
    assert "one for each reference" not in trace("info", "d.txt"), trace("info", "d.txt")
    assert "2 instructions: one for each reference" in trace("info", put("data.txt", "0 1000\n1 2000\n"))
    facts = info(put("m.txt", DRMEMTRACE))
    assert counts(facts) == {"fetch": 2, "load": 1, "store": 1} and facts["format"] == "drmemtrace", facts
    assert [thread["name"] for thread in facts["threads"]] == [4711, 4712], facts
    # Code and data of both threads: lines 0x401000 and 0x402000 are shared, the latter is written.
    assert (facts["lines"], facts["lines_shared"], facts["lines_shared_and_written"]) == (2, 2, 1), facts
    assert info("m.txt", "--line", "8")["lines_shared"] == 1, info("m.txt", "--line", "8")
    facts = info(put("o.txt", OLD_DRMEMTRACE))
    assert counts(facts) == {"fetch": 1, "load": 1}, facts


def kinds(name, text):
    return counts(info(put(name, text)))


def check_words():
    """Every word of each tool's printer, and every way in which it writes a line."""
    for word, kind in VIEW_WORDS.items():
        for width in len(word), 7, 12:
            line = f"    2   1: T4711 {word:{width}} 8 byte(s) @ 0x0000000000401012 by PC 0x0000000000401012\n"
            assert kinds("w.txt", "<--record#-> <--instr#->: <Wrkld.Tid> <record details>\n" + line) == \
                ({kind: 1} if kind else {}), (word, line)
    for thread, name in VIEW_THREADS.items():
        facts = info(put("w.txt", "".join(f"  {i}: {thread} {rest}\n" for i, rest in
                                          enumerate(["ifetch 4 byte(s) @ 0x10 non-branch", *VIEW_OTHERS]))))
        assert counts(facts) == {"fetch": 1} and facts["threads"][0]["name"] == name, (thread, facts)
    plain = LACKEY.splitlines()
    for remark in REMARKS:
        for at in 0, 5, len(plain):
            assert kinds("w.txt", "\n".join([*plain[:at], remark, *plain[at:], ""])) == counts(info("l.txt")), (remark, at)
    for label, kind in DIN_LABELS.items():
        for rest, size in {**DIN_RESTS, **(DIN_COMMENTS if label.isdigit() else {})}.items():
            text = f"{label} 1f0c{rest}\n0 9000\n"
            want = {"load": 1}
            if kind:
                want[kind] = want.get(kind, 0) + (1 if kind == "fetch" else (size + 7) // 8)
            assert kinds("w.txt", text) == want, text
            assert kinds("w.txt", text.replace("\n", "\r\n")) == want, text


def check_numbers():
    """Each number of each tool's lines must be one."""
    for text, line in NUMBERS:
        fields = line.count("{}")
        assert sum(kinds("w.txt", text + line.format(*[4] * fields) + "\n").values()) > sum(kinds("w.txt", text).values()), line
        for field, word in itertools.product(range(fields), NO_NUMBERS):
            wrong = line.format(*(word if i == field else 4 for i in range(fields)))
            said = trace("info", put("w.txt", f"{text}{wrong}\n"), status=2)
            assert re.search(r"is no (line|record) of|is no trace|a reference to", said), (wrong, said)


def check_notes():
    """What may be meant otherwise, or is missing, is read and said."""
    for name, text, begun in ("l.txt", LACKEY, " S 10"), ("d.txt", DIN, "1 "), ("o.txt", OLD_DRMEMTRACE, "  4: T4711   rea"):
        want = counts(info(name))
        assert kinds("mark.txt", "\ufeff" + text) == want, name
        put("cut.txt", text + begun)
        assert f"the file ends within line {text.count(chr(10)) + 1}" in trace_note("cut.txt"), name
        assert counts(json.loads(trace("info", "--format=json", "cut.txt", note="read up to there"))) == want, name
    for text, said in ("0 1000 8\n1 2000 4\n", True), ("0 1000 8\n1 2a00 4\n", False), ("0 1000\n1 2000 4\n", False), \
            ("r 1000 8\n", False), ("3 20734016 20734048\n2 20734080 64\n", True):
        put("three.txt", text)
        assert ("may be Ramulator's" in trace_note("three.txt")) == said, text


def trace_note(name):
    return subprocess.run([numachine, "trace", "info", name], capture_output=True, text=True, cwd=scratch, check=True).stderr


def check_conversion():
    """What is converted and packed says the same."""
    for name in "l.txt", "d.txt", "m.txt":
        trace("convert", name, "x.ntr")
        one, other = info(name), info("x.ntr")
        assert all(one[key] == other[key] for key in one if key not in ("file", "format", "bytes", "bytes_a_reference"))
        (scratch / "x.gz").write_bytes(gzip.compress((scratch / name).read_bytes()))
        assert counts(info("x.gz")) == counts(one)
        if skip.have("zstd", "zstd"):
            subprocess.run(["zstd", "-q", "-f", name, "-o", "x.zst"], cwd=scratch, check=True)
            assert counts(info("x.zst")) == counts(one)
    assert trace("convert", "d.txt", "-", "--format=din") == "2 401000\n0 10000008\n1 1000000a\n2 401020\n1 10000010\n"
    trace("convert", "l.txt", "l.ntr")
    text = trace("convert", "l.ntr", "-", "--format", "lackey")
    assert text == ("I  00401000,4\n L 1fff000708,8\n L 10000003,4\n S 10000003,4\nI  00401020,4\n"
                    " S 1fff000700,8\n S 1fff000708,8\n S 1fff000710,4\n"), text
    assert "knows no threads; take one" in trace("convert", "m.txt", "x.din", "--format=din", status=2)
    assert not (scratch / "x.din").exists() and not list(scratch.glob("*.new"))


def check_cuts():
    """Pieces behind each other are the whole."""
    rng = random.Random(1)
    lines = [f"I  {0x400000 + 4 * rng.randrange(999):x},4\n L {rng.randrange(1 << 30):x},{rng.randrange(1, 9)}\n"
             for _ in range(60000)]
    trace("convert", put("long.txt", "".join(lines)), "long.ntr")
    whole = info("long.ntr")
    assert whole["references"] > 70000
    for unit in "references", "instructions":
        for name in "long.txt", "long.ntr":
            cuts = [0, *sorted(rng.sample(range(whole[unit]), 3)), whole[unit] + 1]
            pieces = []
            for i, (begin, end) in enumerate(zip(cuts, cuts[1:])):
                trace("cut", name, f"{i}.ntr", f"--from={begin}", f"--to={end}", "--by", unit)
                pieces.append(info(f"{i}.ntr"))
                assert pieces[-1][unit] == min(end, whole[unit]) - begin, (unit, begin, end, pieces[-1])
            assert sum(piece["references"] for piece in pieces) == whole["references"]
            if unit == "references":
                text = "".join(trace("convert", f"{i}.ntr", "-", "--format=din") for i in range(len(pieces)))
                assert text == trace("convert", name, "-", "--format=din")
    trace("cut", "m.txt", "x.ntr", "--threads=1")
    facts = info("x.ntr")
    assert counts(facts) == {"fetch": 1, "store": 1} and not facts["threads"][0]["references"], facts
    assert "nothing is left of it" in trace("cut", "m.txt", "y.ntr", "--from=1000", status=2)
    assert "nothing is left of it" in trace("cut", "long.ntr", "y.ntr", "--threads=7", status=2)
    assert "has no region 'r'" in trace("cut", "m.txt", "y.ntr", "--region=r", status=2)
    assert not (scratch / "y.ntr").exists()


def check_refusals():
    for text, said in WRONG:
        put("wrong.txt", text)
        for words in ["info", "wrong.txt"], ["convert", "wrong.txt", "never.ntr"]:
            complaint = trace(*words, status=2)
            assert said in complaint and complaint.count("\n") == 1, (text[-40:], complaint)
            assert complaint.startswith("numachine: error: wrong.txt: "), complaint
    packed = gzip.compress(LACKEY.encode() * 99)
    for bytes_, said in (packed[:-20], "truncated"), (packed[:40] + b"\xff" * 9 + packed[49:], "no sound gzip"):
        (scratch / "wrong.gz").write_bytes(bytes_)
        assert said in trace("info", "wrong.gz", status=2)
    assert "No such file" in trace("info", "nothing", status=2)
    assert "packed already" in trace("info", "l.ntr.gz", status=2)
    assert "same file" in trace("convert", "l.ntr", "l.ntr", status=2)
    assert "No such file" in trace("convert", "l.ntr", "none/x.ntr", status=5)
    for words, said in ((["info", "l.ntr", "--from=3"], "--from does not go with 'info'"), (["cut", "l.ntr"], "which OUT?"),
                        (["convert", "l.ntr", "x", "--format=json"], "writes no json"), (["info"], "which IN?"),
                        (["cut", "l.ntr", "x", "--from=3", "--to=3"], "--to is not behind --from")):
        assert said in trace(*words, status=2), words
    assert not (scratch / "never.ntr").exists()


def check_stops():
    """However a conversion ends, there is the whole file or none, and nothing beside it."""
    (scratch / "much.txt").write_text("".join(f"I  {0x401000 + 4 * i:x},4\n L {0x10000000 + 8 * i:x},8\n" for i in range(1000)) * 400)
    before, killed = set(scratch.iterdir()), 0
    for number, status in ((signal.SIGTERM, 130), (signal.SIGINT, 130), (signal.SIGHUP, 130), (signal.SIGKILL, -signal.SIGKILL)):
        for delay in 0.02, 0.1:
            process = subprocess.Popen([numachine, "trace", "convert", "much.txt", "stopped.ntr"], cwd=scratch, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(number)
            process.wait()
            left = {path.name for path in set(scratch.iterdir()) - before}
            assert (process.returncode in (status, -number) and not left) or (process.returncode, left) == (0, {"stopped.ntr"}), (
                number, process.returncode, left)
            killed += not left
            (scratch / "stopped.ntr").unlink(missing_ok=True)
    assert killed, "all of them were faster than their signals"


def main():
    global numachine, scratch
    numachine = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="numachine-") as name:
        scratch = pathlib.Path(name)
        check_texts()
        check_words()
        check_numbers()
        check_notes()
        check_conversion()
        (scratch / "l.ntr.gz").write_bytes(gzip.compress((scratch / "l.ntr").read_bytes()))
        check_cuts()
        check_refusals()
        done = subprocess.run([sys.argv[2], scratch / "long.ntr"], capture_output=True, text=True, check=True)
        assert f"{info('long.ntr')['references']} references in" in done.stdout, done.stdout
        check_stops()
    print("ok")


main()
