"""
A machine in this process, by libnumachine (embed/embed.h): it stands where it is asked to, and shows its counts.

A program's threads sleep in SimGrid, which starts once in a process: for a second program start another process, a new one
and no copy of this one (multiprocessing.get_context("spawn")). Patterns, kernels and traces may follow each other.
"""
import ctypes
import os
import pathlib

from . import results
from .tables import VERSION

try:
    import numpy
except ImportError:
    numpy = None

AT_A_TIME = 1 << 22  # [ticks] Python looks after so many whether it is interrupted
NAME = f"libnumachine.so.{VERSION.split('.', maxsplit=1)[0]}"


class _Ask(ctypes.Structure):
    _fields_ = [("experiment", ctypes.c_char_p), ("machine", ctypes.c_char_p),
                ("sets", ctypes.POINTER(ctypes.c_char_p)), ("program", ctypes.POINTER(ctypes.c_char_p))]


class _Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("sentence", ctypes.c_char_p), ("same", ctypes.c_uint)]


class _End(ctypes.Structure):
    _fields_ = [("word", ctypes.c_char_p), ("message", ctypes.c_char_p), ("status", ctypes.c_int), ("ticks", ctypes.c_uint64),
                ("instructions", ctypes.c_uint64), ("result_hash", ctypes.c_uint64), ("totals_hash", ctypes.c_uint64)]


# What is called, what it gives, and what it gets behind the run.
_CALLS = {
    "emb_close": (None, []),
    "emb_run_to": (ctypes.c_bool, [ctypes.c_uint64]),
    "emb_now": (ctypes.c_uint64, []),
    "emb_ticks_per_second": (ctypes.c_uint64, []),
    "emb_cards": (ctypes.c_uint, []),
    "emb_columns": (ctypes.c_uint, []),
    "emb_column": (_Column, [ctypes.c_uint]),
    "emb_read": (None, [ctypes.c_void_p]),
    "emb_ended": (ctypes.c_bool, [ctypes.POINTER(_End)]),
}


def _places():
    """Where the library may be: what the user says, beside this file in a tree or an installation, or the system's."""
    above = pathlib.Path(__file__).resolve().parents
    yield os.environ.get("NUMACHINE_LIBRARY")
    yield from sorted(above[2].glob(f"build/{NAME}"))
    if len(above) > 4 and above[2].name == "numachine":  # PREFIX/share/numachine/python/numachine
        yield from sorted([*above[4].glob(f"lib*/{NAME}"), *above[4].glob(f"lib*/*/{NAME}")])
    yield NAME


def _load():
    place = next(str(p) for p in _places() if p)
    try:
        library = ctypes.CDLL(place)
    except OSError as why:
        raise ImportError(f"{why}: NUMACHINE_LIBRARY names the library of an installed or built simulator") from why
    library.emb_version.restype = ctypes.c_char_p
    if library.emb_version().decode() != VERSION:
        raise ImportError(f"{place} is version {library.emb_version().decode()}, and this module {VERSION}")
    library.emb_open.restype = ctypes.c_void_p
    library.emb_open.argtypes = [ctypes.POINTER(_Ask), ctypes.c_char_p, ctypes.c_size_t]
    for name, (gives, gets) in _CALLS.items():
        call = getattr(library, name)
        call.restype, call.argtypes = gives, [ctypes.c_void_p, *gets]
    return library


_LIBRARY = []


def _library():
    if not _LIBRARY:
        _LIBRARY.append(_load())
    return _LIBRARY[0]


def _word(text):
    word = None if text is None else os.fsencode(text)
    if word and b"\0" in word:
        raise ValueError(f"a word with a null byte: {text!r}")
    return word


def _words(texts, what):
    """A list of strings that ends with NULL; None: none."""
    if isinstance(texts, (str, bytes, os.PathLike)):
        raise ValueError(f"{what}: a list of words is wanted, and not {texts!r}")
    return None if texts is None else (ctypes.c_char_p * (len(texts) + 1))(*map(_word, texts), None)


def _ticks(number, least, what):
    """A number that the library takes, which would wrap or cut off any other."""
    if number != int(number) or not least <= number < 1 << 64:
        raise ValueError(f"{what}: a whole number of ticks from {least} on is wanted, and not {number}")
    return int(number)


class Machine:
    """
    A run, at tick 0 when it is made. A tick is a PCycle.

        with numachine.Machine(["./prog", "8"], machine="station-4") as m:
            m.run(until=lambda m: m.total("nacks") > 1000, every=500)
            m.frame()
            m.run()

    program     words: the executable and its arguments; None: the experiment's
    machine     as the command's --machine
    experiment  a file, or the name of a shipped one
    sets        as the command's --set: ["protocol=flat"]

    columns     names of what is counted on each card: all events, and the truth beside them ("truth.loads")
    cards       how many processor cards there are
    """

    _given = None  # the library's; None: there is none, or it has been given back
    _process = None  # whose it is

    def __init__(self, program=None, machine=None, experiment=None, sets=None):
        self._library = _library()
        why = ctypes.create_string_buffer(4096)
        ask = _Ask(_word(experiment), _word(machine), _words(sets, "sets"), _words(program, "program"))
        self._given, self._process = self._library.emb_open(ctypes.byref(ask), why, len(why)), os.getpid()
        if not self._given:
            raise ValueError(why.value.decode(errors="replace"))
        rows = [self._library.emb_column(self._run, i) for i in range(self._library.emb_columns(self._run))]
        self.cards = self._library.emb_cards(self._run)
        self.columns = [row.name.decode() for row in rows]
        self.units = {row.name.decode(): row.unit.decode() for row in rows}
        self.sentences = {row.name.decode(): row.sentence.decode() for row in rows}
        self._same = [row.same for row in rows]
        self._place = {name: i for i, name in enumerate(self.columns)}
        self._values = (ctypes.c_uint64 * (self.cards * len(rows)))()

    @property
    def _run(self):
        if not self._given:
            raise ValueError("the machine has been given back")
        if self._process != os.getpid():
            raise ValueError("the machine is another process's: its threads are not in a copy (multiprocessing: \"spawn\")")
        return self._given

    def close(self):
        """Gives the machine back, ended or not. In a copy of the process (os.fork) it stays the other one's."""
        if self._given and self._process == os.getpid():
            self._library.emb_close(self._given)
        self._given = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    @property
    def now(self):
        """[ticks] where it stands, or has ended."""
        return self._library.emb_now(self._run)

    @property
    def seconds(self):
        """[s] simulated."""
        return self.now / self._library.emb_ticks_per_second(self._run)

    def step(self, ticks):
        """Runs so many ticks further. False: it has ended before."""
        return self.run(until=self.now + ticks)

    def run(self, until=None, every=1000):
        """
        Runs on: to the end, to a tick, or until a function of the machine is true, which is asked after every so many
        ticks. False: it has ended.
        """
        if callable(until):
            every = _ticks(every, 1, "every")
            while self.end is None and not until(self):
                self._library.emb_run_to(self._run, self.now + every)
            return self.end is None
        until = until if until is None else _ticks(until, 0, "until")
        while self.end is None and (until is None or self.now < until):
            goal = self.now + AT_A_TIME
            self._library.emb_run_to(self._run, goal if until is None else min(goal, until))
        return self.end is None

    def _read(self):
        self._library.emb_read(self._run, self._values)
        return self._values

    def counts(self):
        """Totals since tick 0, [card][column]: an array of numpy's, or, where there is none, lists."""
        values, width = self._read(), len(self.columns)
        if numpy is not None:
            return numpy.array(values, dtype=numpy.uint64).reshape(self.cards, width)
        return [list(values[card * width:(card + 1) * width]) for card in range(self.cards)]

    def total(self, column):
        """Of the whole machine: what several cards see alike, as their bus, counts once."""
        place = self._place[column]
        return sum(self._read()[place::len(self.columns) * self._same[place]])

    def frame(self):
        """Counts as a table: a row a card."""
        values, width = self._read(), len(self.columns)
        return results.frame({name: list(values[i::width]) for i, name in enumerate(self.columns)})

    @property
    def end(self):
        """How it ended: reason, status, message, ticks, instructions, result_hash, totals_hash; None: it has not."""
        found = _End()
        if not self._library.emb_ended(self._run, ctypes.byref(found)):
            return None
        return {"reason": found.word.decode(), "status": found.status, "message": found.message.decode(errors="replace"),
                "ticks": found.ticks, "instructions": found.instructions,
                "result_hash": f"xxh64:{found.result_hash:016x}", "totals_hash": f"xxh64:{found.totals_hash:016x}"}
