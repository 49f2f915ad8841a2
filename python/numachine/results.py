"""
The results of runs and sweeps as tables: pandas' where it is there, and else dictionaries of lists, a list a column.
"""
import contextlib
import csv
import json
import math
import pathlib
import re
import sqlite3

from .tables import FIELDS

try:
    import pandas
except ImportError:
    pandas = None

WHOLE, MACHINE = "whole", "machine"
DERIVED = ("metric.", "group.")  # what is no count
# The apostrophe in front of what a spreadsheet would take for a formula (docs/results.md).
NAMES = "snapshot", "region", "component", "stat", "unit"  # columns of texts, though a region may be called 1e3
UNMARKED = re.compile(r"^'(?=[=+\-@\t\r\n＝＋－＠'])")


def load(directory):
    """What a directory holds: a Run, or a Sweep. Raises FileNotFoundError if it is neither."""
    directory = pathlib.Path(directory)
    if (directory / "manifest.json").exists():
        return Run(directory)
    if any((directory / name).exists() for name in Sweep.INDEXES):
        return Sweep(directory)
    raise FileNotFoundError(f"{directory}: neither a run's directory nor a sweep's")


def frame(columns, index=None):
    """Columns as pandas' DataFrame, or, where there is no pandas, as they are."""
    return columns if pandas is None else pandas.DataFrame(columns, index=index)


def series(values, name=None):
    """{key: value} as pandas' Series, or as it is."""
    return values if pandas is None else pandas.Series(values, name=name)


def _wanted(what):
    if pandas is None:
        raise ImportError(f"{what} needs pandas (Debian: python3-pandas)")


def _number(text):
    """A field of a CSV file without pandas: a number if it is one."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return UNMARKED.sub("", text)


def _plain_column(name, texts):
    """The fields of a column of a CSV file without pandas; names stay texts, whatever they look like."""
    return [UNMARKED.sub("", text) for text in texts] if name in NAMES else [_number(text) for text in texts]


def _plain_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    table = {name: _plain_column(name, [row[i] for row in rows]) for i, name in enumerate(head)}
    for name in {"value", "hi"} & set(table):
        table[name] = [math.nan if value == "" else value for value in table[name]]
    return table


def _table(path):
    """A CSV file; None: the run has none. Empty fields of texts are "", not NaN."""
    if not path.exists():
        return None
    if pandas is None:
        return _plain_table(path)
    table = pandas.read_csv(path, keep_default_na=False, na_values={"value": [""], "hi": [""]}, dtype=dict.fromkeys(NAMES, str))
    for name, column in table.items():
        if not pandas.api.types.is_numeric_dtype(column):
            table[name] = column.map(lambda v: UNMARKED.sub("", v) if isinstance(v, str) else v)
    return table


class Run:
    """
    A run's directory.

    manifest    manifest.json
    stats       all of stats.csv: snapshot, component, stat, value, unit
    samples     monitor/samples.csv; None: nothing was sampled
    histogram   the words of the cards' SRAMs that are not 0, taken apart; None: there was no histogram
    """

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.manifest = json.loads((self.directory / "manifest.json").read_text("utf-8"))
        self.stats = _table(self.directory / "stats.csv")
        self.samples = _table(self.directory / "monitor/samples.csv")
        self.histogram = _table(self.directory / "monitor/histogram.csv")
        self._values = {row[:3]: row[3] for row in zip(*(self.stats[c] for c in ("snapshot", "component", "stat", "value")))}

    @property
    def words(self):
        """All words of the cards' SRAMs, [card, word], from the file as they are needed; None: there was no histogram."""
        path = self.directory / "monitor/histogram.npy"
        if not path.exists():
            return None
        import numpy  # pylint: disable=import-outside-toplevel

        return numpy.load(path, mmap_mode="r")

    def regions(self):
        return list(dict.fromkeys(self.stats["snapshot"]))

    def value(self, stat, region=WHOLE, component=MACHINE):
        """One statistic. Of what the files leave out, counts are 0 and derived values NaN (docs/results.md)."""
        if region not in self.regions():
            raise KeyError(f"{self.directory}: no region {region}")
        if (region, component, stat) in self._values:
            return self._values[region, component, stat]
        if component == MACHINE:
            raise KeyError(f"{self.directory}: no statistic {component}.{stat}")
        return math.nan if stat.startswith(DERIVED) else 0

    def cards(self, stat, region=WHOLE):
        """A count of each card of the machine, by its component."""
        parts = [part for part in dict.fromkeys(self.stats["component"]) if re.search(r"\.card\[\d+\]$", part)]
        return series({part: self._values.get((region, part, stat), 0) for part in parts}, "value")

    def timeline(self, stat):
        """[s] -> events of all parts in the interval that begins there."""
        second = float(json.loads((self.directory / "stats.json").read_text("utf-8"))["ticks_per_second"])
        sums = dict.fromkeys(sorted(set(self.samples["begin_tick"])), 0)
        for begin, name, value in zip(*(self.samples[c] for c in ("begin_tick", "stat", "value"))):
            sums[begin] += value if name == stat else 0
        line = series({tick / second: events for tick, events in sums.items()}, "value")
        return line if pandas is None else line.rename_axis("s")

    def rows(self, document, name):
        """A list of a profiled run's document, as rows("truth", "copies"): fields, then values by their columns' names."""
        whole = json.loads((self.directory / f"{document}.json").read_text("utf-8"))
        fields = FIELDS[document, name].split()
        heads = [field for field in fields if field != "values"]
        table = {head: [row[i] for row in whole[name]] for i, head in enumerate(heads)}
        if len(heads) < len(fields):
            values = [dict(zip(row[len(heads)::2], row[len(heads) + 1::2])) for row in whole[name]]
            table |= {column: [row.get(c, 0) for row in values] for c, (column, *_) in enumerate(whole["columns"])}
        return frame(table)

    def spread(self, by="lo"):
        """Counts of the histogram, all cards together, by a column of it: `lo` is a service time or a place."""
        sums = {}
        for place, count in zip(self.histogram[by], self.histogram["count"]):
            sums[place] = sums.get(place, 0) + count
        return series(dict(sorted(sums.items())), "count")


class Sweep:
    """
    A sweep's directory, or that of what was collected of it.

    keys        what was swept, as program.processors
    points      by id: each key's value (numbers as numbers, sizes in bytes, clocks in Hz), `state`, `exit_code`
    texts       by id: each key's value as the experiment has it: 128KB
    """

    INDEXES = ("sweep.json", "collected.json")

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        index = next(self.directory / name for name in self.INDEXES if (self.directory / name).exists())
        document = json.loads(index.read_text("utf-8"))
        self.name, self.keys = document["name"], document["parameters"]
        rows = [{**p["values"], **p["numbers"], "state": p["state"], "exit_code": p["exit_code"]} for p in document["points"]]
        self.ids = [p["id"] for p in document["points"]]
        self.points = self._by_point(rows)
        self.texts = self._by_point([p["values"] for p in document["points"]])

    def _by_point(self, rows):
        """Rows by their points' ids; without pandas {id: row}."""
        if pandas is None:
            return dict(zip(self.ids, rows))
        return pandas.DataFrame(rows, index=pandas.Index(self.ids, name="point"))

    def query(self, text, *values):
        """Whatever SQL asks of sweep.sqlite (docs/sweeps.md), as a table."""
        file = (self.directory / "sweep.sqlite").resolve().as_uri()  # whose name may have a '?'
        with contextlib.closing(sqlite3.connect(f"{file}?mode=ro", uri=True)) as database:
            if pandas is not None:
                return pandas.read_sql_query(text, database, params=values)
            found = database.execute(text, values)
            rows = found.fetchall()
            return {column[0]: [row[i] for row in rows] for i, column in enumerate(found.description)}

    def stats(self):
        """All of sweep.csv."""
        return _table(self.directory / "sweep.csv")

    def run(self, point):
        """The run of a point, where its directory is."""
        return Run(self.directory / "points" / point)

    def values(self, stat, region=WHOLE, component=MACHINE):
        """
        A statistic of each point; NaN where the point, or its region, is not there. Of what the files leave out, counts are
        0 and derived values NaN. KeyError: no point's machine has it, or the region.
        """
        def asked(text, *words):
            return self.query(f"SELECT DISTINCT point, value FROM statistics WHERE {text}", *words)

        rows = asked("stat = ? AND region = ? AND component = ?", stat, region, component)
        found = dict(zip(rows["point"], rows["value"]))
        there = set(self.query("SELECT DISTINCT point FROM statistics WHERE region = ?", region)["point"])
        if not there:
            raise KeyError(f"{self.directory}: no region {region}")
        known = self.query("SELECT 1 AS one FROM statistics WHERE stat = ? LIMIT 1", stat)["one"]
        if not found and (component == MACHINE or not len(known)):
            raise KeyError(f"{self.directory}: no statistic {component}.{stat}")
        counted = component != MACHINE and not stat.startswith(DERIVED)
        values = {point: found.get(point, 0 if counted and point in there else math.nan) for point in self.ids}
        values = {point: math.nan if value is None else value for point, value in values.items()}
        return values if pandas is None else pandas.Series(values, name="value", dtype=float).rename_axis("point")

    def curve(self, stat, over, region=WHOLE, component=MACHINE, texts=False):
        """
        A statistic over a key: a row for each of its values, a column for each combination of the others.

        texts       rows and columns are called as the experiment has their values (128KB), in the same order
        """
        _wanted("curve")
        follows = [key for key in self.keys if key != over and (self.points.groupby(over)[key].nunique() <= 1).all()]
        others = [key for key in self.keys if key != over and key not in follows]
        table = self.points[[over, *others]].assign(value=self.values(stat, region, component))
        table = table.pivot(index=over, columns=others, values="value") if others else table.set_index(over)[["value"]].sort_index()
        for key in [over, *others] if texts else []:
            names = dict(zip(self.points[key], self.texts[key]))
            table = table.rename(index=names) if key == over else table.rename(columns=names, level=key)
        return table

    def speed_up(self, over="program.processors", region=WHOLE):
        """How many times sooner a region is done than with the fewest processors; 0, which means all, is left out."""
        elapsed = self.curve("elapsed", over, region).drop(index=0, errors="ignore")
        return elapsed.iloc[0] / elapsed
