#!/usr/bin/env -S python3 -S
"""
numachine gdb, as one talks to it who is no gdb: packet by packet, whatever comes and whenever it goes.

    debug_packets.py NUMACHINE GUEST...

The guests are debug_cases_guest.c, of several binary interfaces.
"""
import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

import debug
import past

AT_ONCE = 60  # seconds, for what takes none
TERMINATED = 130
IO = 5
STATUS = 5


class Peer:
    """A run, and who talks to it."""
    def __init__(self, numachine, program, options, scratch):
        path = scratch / "peer"
        self.options = options
        self.symbols = symbols_of(program)
        self.process = subprocess.Popen([numachine, "gdb", "-m", "station-4", *options, "--socket", path, "--", program], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.socket = debug.connect(path, self.process)
        self.socket.settimeout(debug.PATIENCE)
        self.got = b""

    def send(self, text):
        self.socket.sendall(debug.packet(text.encode("latin-1")))

    def answer(self):
        """The next packet that is no text for people."""
        while True:
            begin = self.got.find(b"$")
            end = self.got.find(b"#", begin + 1)
            if begin >= 0 and 0 < end <= len(self.got) - 3:
                text = self.got[begin + 1:end].decode("latin-1")
                self.got = self.got[end + 3:]
                self.socket.sendall(b"+")
                if text == "OK" or not text.startswith("O"):
                    return text
                continue
            piece = self.socket.recv(1 << 16)
            assert piece, "it has gone"
            self.got += piece

    def ask(self, text):
        self.send(text)
        return self.answer()

    def monitor(self, line):
        said = self.ask("qRcmd," + line.encode().hex())
        return "" if said == "OK" else bytes.fromhex(said).decode()

    def at(self, symbol, offset=0):
        return f"{self.symbols[symbol] + offset:x}"

    def ends(self, what):
        """Its exit status; it is over soon."""
        try:
            self.process.communicate(timeout=AT_ONCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{what}: it goes on") from None
        return self.process.returncode

    def goes(self):
        """And nothing of it stays."""
        self.socket.close()
        for p in past.of_session(self.process.pid):
            with contextlib.suppress(OSError):
                os.kill(int(p), signal.SIGKILL)
        self.process.communicate()


def symbols_of(program):
    """{name: address} of the guest."""
    said = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return {line.split()[2]: int(line.split()[0], 16) for line in said.splitlines() if len(line.split()) == 3}


@contextlib.contextmanager
def peer_of(numachine, program, options=()):
    with tempfile.TemporaryDirectory() as scratch:
        peer = Peer(numachine, program, options, pathlib.Path(scratch))
        try:
            yield peer
        finally:
            peer.goes()


# ---- how it ends --------------------------------------------------------------------------------

def terminated(peer):
    peer.process.send_signal(signal.SIGTERM)


def gone_unanswered(packet):
    """It has taken the packet when who sent it has gone already: no acknowledgement gets there."""
    def goes(peer):
        processes = [int(p) for p in past.of_session(peer.process.pid)]
        for p in processes:
            os.kill(p, signal.SIGSTOP)
        peer.send(packet)
        peer.socket.close()
        for p in processes:
            os.kill(p, signal.SIGCONT)
    return goes


# What is done where the run stands, and the exit status.
ENDS = {
    "terminated": (terminated, TERMINATED),
    "gone before bc": (gone_unanswered("bc"), STATUS),
    "gone before bs": (gone_unanswered("bs"), STATUS),
    "gone before c": (gone_unanswered("c"), STATUS),
}


def check_ends(numachine, program):
    """In the present and in the past."""
    for back in False, True:
        for name, (what, status) in ENDS.items():
            with peer_of(numachine, program) as peer:
                peer.ask(f"Z2,{peer.at('counted')},4")
                for way in "c", "c", *["bc"] * back:
                    assert "watch:" in peer.ask(way), (name, way)
                what(peer)
                assert peer.ends(name) == status, (name, back, peer.process.returncode)


# ---- packets ------------------------------------------------------------------------------------

# (packet, answer), in this order, where the run stands at its first count; {symbol} and {symbol+N} are addresses. EDGE is
# where the program's memory ends.
ROWS = [
    # What cannot be written as a whole is not written at all.
    ("m{edge-4},4", "00000000"), ("M{edge-4},8:1122334455667788", "E01"), ("X{edge-4},8:12345678", "E01"), ("m{edge-4},8", "00000000"),
    # Bytes are as many as is said.
    ("X{counted},2:123456", "E01"), ("X{counted},4:12", "E01"), ("M{counted},2:313233", "E01"), ("M{counted},4:3132", "E01"),
    ("M{counted},2:313", "E01"), ("m{counted},4", "00000000"), ("M{counted},4:00000003", "OK"), ("m{counted},4", "00000003"),
    # A number has no more digits than fit.
    ("m1000000000000000{counted},4", "E00"), ("m{counted},10000000000000004", "E00"), ("m0000000000000000000{counted},4", "00000003"),
    ("Z0,10000000000000000,4", "E00"),
    # Nor is a thread meant that there is not.
    ("T3e8", "OK"), ("T100000000000003e8", "E01"), ("T1000003e8", "E01"), ("T7", "E01"), ("Hg3e8", "OK"), ("Hg7", "E01"), ("Hc-1", "OK"), ("Hc0", "OK"),
    ("Hc10000000000000000", "E01"), ("vCont;s:7", "E01"), ("vCont;s:", "E00"), ("vCont;s:100000000000003e8", "E00"),
]
# Those that change nothing: one can still go back.
HARMLESS = ["M0,4:00000001", "X0,0:", "M{edge-4},8:1122334455667788", "X{counted},0:", "M{counted},0:"]


def filled(peer, text):
    return re.sub(r"{(\w+)([+-]\d+)?}", lambda m: peer.at(m[1], int(m[2] or 0)), text)


def edge_of(peer):
    """The first address behind the program's data at which there is nothing."""
    page = peer.symbols["_end"] & -4096
    while peer.ask(f"m{page:x},1") != "E14":
        page += 4096
    return page


def check_rows(numachine, program):
    for options in [], debug.R10000:
        with peer_of(numachine, program, options) as peer:
            peer.ask(f"Z2,{peer.at('counted')},4")
            said = peer.ask("c")
            assert "watch:" in said, (program, options, said)
            peer.symbols["edge"] = edge_of(peer)
            for row in HARMLESS:
                peer.ask(filled(peer, row))
            assert peer.ask("bc").endswith("replaylog:begin;") and peer.monitor("cycle") == "0\n", "the past is forgotten"
            assert "watch:" in peer.ask("c")
            for text, answer in ROWS:
                said = peer.ask(filled(peer, text))
                assert said == answer, (options, text, said)


# Bytes of `room`, two accesses' to either side of a word's end, that are watched: those at 1 and 14 nobody touches.
BYTES = [("watch", 1), ("watch", 3), ("watch", 4), ("watch", 7), ("watch", 8), ("watch", 14), ("rwatch", 1), ("rwatch", 3), ("rwatch", 4)]
KINDS = {"watch": "Z2", "rwatch": "Z3"}


def check_bytes(numachine, program):
    """Of an access that is no whole word each byte is watched, and no other."""
    for options in [], debug.R10000, ["--functional"]:
        with peer_of(numachine, program, options) as peer:
            for kind, at in BYTES:
                assert peer.ask(f"{KINDS[kind]},{peer.at('room', at)},1") == "OK"
            stops = []
            while "watch:" in (said := peer.ask("c")):
                kind, at = re.search(r"(r?watch):(\w+)", said).groups()
                stops.append((kind, int(at, 16) - peer.symbols["room"]))
            assert sorted(stops) == sorted(b for b in BYTES if b[1] not in (1, 14)), (program, options, stops)


def check_goto(numachine, program):
    """Whatever is on the way to a cycle, one gets there: breakpoints, watched bytes, calls, signals; but for a step."""
    with peer_of(numachine, program) as peer:
        peer.ask(f"Z0,{peer.at('signals')},4")
        assert "swbreak:" in peer.ask("c")
        cycle = int(peer.monitor("cycle"))
        peer.ask("QCatchSyscalls:1")
        assert "syscall_entry:" in peer.ask("c")
        for to in 100, cycle - 50, cycle + 50, cycle + 5000, 7:
            assert not peer.monitor(f"goto {to}")
            assert peer.ask("c").startswith("T05") and int(peer.monitor("cycle")) == to, to
        peer.ask(f"Z2,{peer.at('counted')},4")
        peer.monitor(f"goto {cycle + 4000}")
        peer.ask("s")
        assert int(peer.monitor("cycle")) < cycle, "a step went farther"
        peer.ask("c")
        assert int(peer.monitor("cycle")) == cycle + 4000
        assert "swbreak:" not in peer.ask("c")  # forwards again it stops as ever


def pc_of(peer):
    return int(peer.ask("p25"), 16)


def cycle_of(peer):
    return int(peer.monitor("cycle"))


def off_breakpoint(peer):
    """As gdb goes on from a breakpoint of MIPS: alone to another behind the instruction; then with all."""
    pc, cycle = pc_of(peer), cycle_of(peer)
    peer.ask(f"z0,{pc:x},4")
    peer.ask(f"Z0,{pc + 4:x},4")
    said = peer.ask("vCont;c:3e8")
    assert "swbreak:" in said and (pc_of(peer), cycle_of(peer)) == (pc + 4, cycle), (said, hex(pc), cycle)
    peer.ask(f"z0,{pc + 4:x},4")
    peer.ask(f"Z0,{pc:x},4")
    return peer.ask("vCont;c")


BACK = 1000  # a cycle that is long over


def check_steps_first(numachine, program):
    """Who steps, or steps off a breakpoint, does that first; what the next `continue` shall do waits for it."""
    with peer_of(numachine, program) as peer:
        peer.ask(f"Z0,{peer.at('fill')},4")
        assert "swbreak:" in peer.ask("c")
        there, pc = cycle_of(peer), pc_of(peer)
        for to in BACK, there + 50:
            peer.monitor(f"goto {to}")
            off_breakpoint(peer)
            assert cycle_of(peer) == to, (program, to, cycle_of(peer))
            peer.monitor(f"goto {there}")
            peer.ask("c")
            assert (cycle_of(peer), pc_of(peer)) == (there, pc), program
        peer.ask("s")  # off the breakpoint at which it has arrived
        assert pc_of(peer) == pc + 4, program
        for step in "s", "vCont;s:3e8;c", "vCont;s:3e8":
            pc = pc_of(peer)
            peer.monitor(f"goto {BACK}")
            assert peer.ask(step).startswith("T05") and pc_of(peer) != pc, (program, step)
            there = cycle_of(peer)
            peer.ask("c")
            assert cycle_of(peer) == BACK, (program, step)
            peer.monitor(f"goto {there}")
            peer.ask("c")
        peer.monitor(f"goto {BACK}")
        peer.ask("bs")  # whoever goes another way does not go there any more
        assert "replaylog:end" in peer.ask("c"), program
    with peer_of(numachine, program) as peer:
        peer.ask(f"Z0,{peer.at('fill')},4")
        peer.ask("c")
        peer.monitor("until miss raise")
        off_breakpoint(peer)
        assert "asks for the line of" in peer.monitor("when"), (program, peer.monitor("when"))
    with peer_of(numachine, program) as peer:
        peer.ask("QPassSignals:" + ";".join(f"{number:x}" for number in SIGNALS))
        peer.ask("c")
        end = cycle_of(peer)
        peer.monitor(f"goto {BACK}")
        assert peer.ask("s").startswith("T05") and cycle_of(peer) == end, "a step at the end"
        peer.ask("c")
        assert cycle_of(peer) == BACK, program


def check_watched(numachine, program):
    """What it has stopped for is said of these bytes, whatever is watched by then; also in the present that one comes back to."""
    with peer_of(numachine, program) as peer:
        counted = f"watch:{peer.at('counted', 2)};"
        peer.ask(f"Z2,{peer.at('cell')},4")
        peer.ask(f"Z2,{peer.at('counted', 2)},1")
        assert counted in peer.ask("c"), program
        peer.ask(f"z2,{peer.at('cell')},4")
        peer.ask(f"Z3,{peer.at('room')},4")
        assert counted in peer.ask("?"), (program, peer.ask("?"))
        assert "replaylog:begin" in peer.ask("bc") and counted in peer.ask("c"), program
        peer.ask("bc")
        peer.ask(f"z2,{peer.at('counted', 2)},1")
        peer.ask(f"Z4,{peer.at('counted', 2)},1")
        assert "a" + counted in peer.ask("c"), program


def check_actions(numachine, program):
    """Of several threads' actions each counts: whoever steps stops where it is after an instruction."""
    with peer_of(numachine, program) as peer:
        assert peer.ask("vCont;t") == "E00" and peer.ask("vCont;c:3e8;t") == "E00" and int(peer.monitor("cycle")) == 0
        for actions in "s:3e8;c:3e9", "c:3e9;s:3e8", "s:3e8", "s:3e8;c":
            before = peer.ask("p25")
            assert peer.ask("vCont;" + actions).startswith("T05thread:3e8;")
            assert int(peer.ask("p25"), 16) == int(before, 16) + 4, actions


CELLS = 64


def check_alone(numachine, program):
    """Who goes alone has written what it has, however much that is."""
    for options in [], debug.R10000:
        with peer_of(numachine, program, options) as peer:
            peer.ask(f"Z0,{peer.at('fill')},4")
            assert "swbreak:" in peer.ask("c")
            for done in 1, 20:  # where it is shown ahead the machine would write over what one writes
                peer.ask(f"Z2,{peer.at('cell', 4 * (done - 1))},4")
                assert "watch:" in peer.ask("vCont;c:3e8") and peer.ask("vCont;s:3e8").startswith("T05")
                assert peer.ask(f"M{peer.at('cell')},4:00000063") == "E01", (options, done)
                assert peer.ask(f"M{peer.at('cell', 4 * CELLS - 4)},4:00000000") == "OK", (options, done)
        with peer_of(numachine, program, options) as peer:
            peer.ask(f"Z0,{peer.at('fill')},4")
            assert "swbreak:" in peer.ask("c")
            for done in 1, 20, CELLS:
                peer.ask(f"Z2,{peer.at('cell', 4 * (done - 1))},4")
                assert "watch:" in peer.ask("vCont;c:3e8") and peer.ask("vCont;s:3e8").startswith("T05")
                cells = peer.ask(f"m{peer.at('cell')},{4 * CELLS:x}")
                assert cells == "".join(f"{i + 1 if i < done else 0:08x}" for i in range(CELLS)), (options, done, cells)


# Commands that cannot be carried out, and what is said: of gdb's monitor, and of a file.
REFUSED = {
    "until miss counted 65535": "there is no such card: '65535'", "until miss counted 4": "there is no such card: '4'",
    "counters 64": "there is no such card: '64'", "goto -1": "this is no number: '-1'", "goto 5000 junk": "one word too many: 'junk'",
    "cycle 3": "one word too many: '3'", "until miss counted 0 #": "", "cycle\0goto 5": "a byte 0 stands behind: 'cycle'",
}
REFUSED_IN_FILES = {
    **REFUSED, "step 77": "there is no such thread", "step 4294968296": "there is no such thread", "step -1": "this is no number: '-1'",
    "reverse-step 77": "there is no such thread", "registers 77": "there is no such thread", "print counted -4": "this is no number: '-4'",
    "print counted 99999999999999999999999": "this is no number: '99999999999999999999999'",
    "continue 3": "one word too many: '3'", "delete 1": "one word too many: '1'", "watch counted 4 4": "one word too many: '4'",
}


def check_refused(numachine, program):
    with peer_of(numachine, program) as peer:
        for command, said in REFUSED.items():
            assert peer.monitor(command) == said + "\n" * bool(said), (command, peer.monitor(command))
    said = debug.ask(numachine, "gdb", "--batch", "-", "-m", "station-4", "--", program, stdin="\n".join([*REFUSED_IN_FILES, ""]), status=STATUS)
    lines = [f"standard input:{number}: {says}" for number, says in enumerate(REFUSED_IN_FILES.values(), 1) if says]
    assert said.splitlines() == lines, said
    with tempfile.TemporaryDirectory() as scratch:
        commands, directory = pathlib.Path(scratch) / "commands", pathlib.Path(scratch)
        commands.write_text("# comment\nbreak fill\ncontinue # up to there\nreverse-step\ndelete\ncontinue\nprint nothing\nquit\n")
        done = subprocess.run([numachine, "gdb", "--batch", commands, "-m", "station-4", "--", program], capture_output=True, text=True, check=False)
        assert f"{commands}:7: there is no such symbol: 'nothing'" in done.stdout.splitlines(), done
        done = subprocess.run([numachine, "gdb", "--batch", directory, "-m", "station-4", "--", program], capture_output=True, text=True, check=False)
        assert done.returncode == IO and done.stderr == f"numachine: error: {directory}: Is a directory\n", done
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([numachine, "gdb", "--batch", commands, "-m", "station-4", "--", program], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        assert "error: standard output: not all of it could be written" in done.stderr, done


def check_left(numachine, program):
    """A socket that a killed run has left is nobody's; one at which somebody waits, or what is no socket, stays as it is."""
    with tempfile.TemporaryDirectory() as scratch:
        path, other = pathlib.Path(scratch) / "peer", pathlib.Path(scratch) / "other"
        command = [numachine, "gdb", "-m", "station-4", "--socket", path, "--", program]
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path))
        other.write_text("kept")
        waits = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert "waits for a debugger" in waits.stderr.readline()
        for taken in path, other:
            done = subprocess.run([taken if word == path else word for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  check=False)
            assert done.returncode == IO and f"{taken}: it is there already: remove it" in done.stderr, done
        assert other.read_text() == "kept"
        with debug.connect(path, waits) as peer:
            peer.sendall(debug.packet(b"D"))
            waits.communicate(timeout=AT_ONCE)
        assert waits.returncode == STATUS, waits


# gdb's numbers of those that the guest raises: SIGUSR1, SIG35, ...; all but one are passed on afterwards.
SIGNALS = [30, 35 + 12, 63 + 12, 64 + 14, 65 + 14, 70 + 14, 78 + 14, 127 + 14]
STOPS_AT = 70 + 14


def check_signals(numachine, program):
    with peer_of(numachine, program) as peer:
        peer.ask("QPassSignals:")
        on = "c"
        for number in SIGNALS:
            said = peer.ask(on)
            assert said.startswith(f"T{number:02x}"), (number, said)
            on = f"C{number:02x}"
    with peer_of(numachine, program) as peer:
        peer.ask("QPassSignals:" + ";".join(f"{number:x}" for number in SIGNALS if number != STOPS_AT))
        assert peer.ask("c").startswith(f"T{STOPS_AT:02x}"), "it stops elsewhere"
        assert peer.ask(f"C{STOPS_AT:02x}").startswith("T05"), "it stops once more"


def main():
    numachine, programs = pathlib.Path(sys.argv[1]).resolve(), [os.path.abspath(p) for p in sys.argv[2:]]
    check_ends(numachine, programs[0])
    check_left(numachine, programs[0])
    for program in programs:
        check_rows(numachine, program)
        check_bytes(numachine, program)
        check_signals(numachine, program)
        check_goto(numachine, program)
        check_steps_first(numachine, program)
        check_watched(numachine, program)
        check_actions(numachine, program)
        check_alone(numachine, program)
        check_refused(numachine, program)
    print(f"{len(programs)} programs: each packet has the answer that it must have")


if __name__ == "__main__":
    main()
