"""
The results of runs and sweeps of numachine as pandas' tables.

    import numachine
    run = numachine.load("results/first-light-001")
    run.value("truth.l2_misses", region="padded")
    sweep = numachine.load("speed-up")
    sweep.curve("elapsed", over="program.processors", region="sum").plot()

This file lies in experiments/; Python finds it with PYTHONPATH=experiments, or, where numachine is installed, with
PYTHONPATH=PREFIX/share/numachine/experiments. It needs Debian's python3-pandas, which brings numpy.
"""
import contextlib
import json
import math
import pathlib
import re
import sqlite3

import numpy
import pandas

WHOLE, MACHINE = "whole", "machine"
DERIVED = ("metric.", "group.")  # what is no count
# The apostrophe in front of what a spreadsheet would take for a formula (docs/results.md).
UNMARKED = re.compile(r"^'(?=[=+\-@\t\r\n＝＋－＠'])")

# The fields of each list of a profiled run's documents (docs/results.md); tests/monitor_document.py --write.
FIELDS = {
    ("profile", "paths"): "parent call function",
    ("profile", "rows"): "phase thread path pc values",
    ("objects", "sites"): "path call kind blocks bytes most forgotten",
    ("objects", "blocks"): "from to born died lived thread site serial times",
    ("objects", "parts"): "from to each site path function shape thread type born died",
    ("objects", "threads"): "thread stack stack_end variables variables_end born died",
    ("truth", "copies"): "line va card code read read_rest written written_rest taken evicted first last",
    ("truth", "tenants"): "kind from to site thread",
    ("truth", "rows"): "copy phase thread path pc va tenant since time values",
    ("truth", "windows"): "copy begin end values",
    ("truth", "sizes"): "copy bytes offset falsely truly upgrades_falsely upgrades_truly",
    ("locks", "locks"): "kind address held handover",
    ("locks", "sites"): "lock thread pc values",
    ("locks", "threads"): "number by born ended",
    ("locks", "waits"): "thread by site holder since begin released end",
}


def load(directory):
    """What a directory holds: a Run, or a Sweep. Raises FileNotFoundError if it is neither."""
    directory = pathlib.Path(directory)
    if (directory / "manifest.json").exists():
        return Run(directory)
    if any((directory / name).exists() for name in Sweep.INDEXES):
        return Sweep(directory)
    raise FileNotFoundError(f"{directory}: neither a run's directory nor a sweep's")


def _table(path):
    """A CSV file; None: the run has none. Empty fields of texts are "", not NaN."""
    if not path.exists():
        return None
    table = pandas.read_csv(path, keep_default_na=False, na_values={"value": [""], "hi": [""]})
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
    words       all words, [card, word], from the file as they are needed; None likewise
    """

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.manifest = json.loads((self.directory / "manifest.json").read_text())
        self.stats = _table(self.directory / "stats.csv")
        self.samples = _table(self.directory / "monitor/samples.csv")
        self.histogram = _table(self.directory / "monitor/histogram.csv")
        words = self.directory / "monitor/histogram.npy"
        self.words = numpy.load(words, mmap_mode="r") if words.exists() else None

    def regions(self):
        return list(dict.fromkeys(self.stats.snapshot))

    def value(self, stat, region=WHOLE, component=MACHINE):
        """One statistic. Of what the files leave out, counts are 0 and derived values NaN (docs/results.md)."""
        if region not in self.regions():
            raise KeyError(f"{self.directory}: no region {region}")
        rows = self.stats
        found = rows[(rows.snapshot == region) & (rows.component == component) & (rows.stat == stat)].value
        if len(found):
            return found.iloc[0]
        if component == MACHINE:
            raise KeyError(f"{self.directory}: no statistic {component}.{stat}")
        return math.nan if stat.startswith(DERIVED) else 0

    def cards(self, stat, region=WHOLE):
        """A count of each card of the machine, by its component."""
        parts = self.stats[self.stats.component.str.contains(r"\.card\[\d+\]$")]
        rows = parts[(parts.snapshot == region) & (parts.stat == stat)].set_index("component").value
        return rows.reindex(list(dict.fromkeys(parts.component)), fill_value=0)

    def timeline(self, stat):
        """[s] -> events of all parts in the interval that begins there."""
        second = float(json.loads((self.directory / "stats.json").read_text())["ticks_per_second"])
        begins = self.samples.begin_tick.drop_duplicates().sort_values()
        sums = self.samples[self.samples.stat == stat].groupby("begin_tick").value.sum()
        return sums.reindex(begins, fill_value=0).rename(lambda tick: tick / second).rename_axis("s")

    def rows(self, document, name):
        """A list of a profiled run's document, as rows("truth", "copies"): fields, then values by their columns' names."""
        whole = json.loads((self.directory / f"{document}.json").read_text())
        fields = FIELDS[document, name].split()
        heads = [field for field in fields if field != "values"]
        table = pandas.DataFrame([row[:len(heads)] for row in whole[name]], columns=heads)
        if len(heads) < len(fields):
            values = [dict(zip(row[len(heads)::2], row[len(heads) + 1::2])) for row in whole[name]]
            columns = {column: [row.get(c, 0) for row in values] for c, (column, *_) in enumerate(whole["columns"])}
            table = table.join(pandas.DataFrame(columns, index=table.index))
        return table

    def spread(self, by="lo"):
        """Counts of the histogram, all cards together, by a column of it: `lo` is a service time or a place."""
        return self.histogram.groupby(by)["count"].sum()


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
        document = json.loads(index.read_text())
        self.name, self.keys = document["name"], document["parameters"]
        rows = [{**p["values"], **p["numbers"], "state": p["state"], "exit_code": p["exit_code"]} for p in document["points"]]
        ids = pandas.Index([p["id"] for p in document["points"]], name="point")
        self.points = pandas.DataFrame(rows, index=ids)
        self.texts = pandas.DataFrame([p["values"] for p in document["points"]], index=ids)

    def query(self, text, *values):
        """Whatever SQL asks of sweep.sqlite (docs/sweeps.md), as a table."""
        file = (self.directory / "sweep.sqlite").resolve().as_uri()  # whose name may have a '?'
        with contextlib.closing(sqlite3.connect(f"{file}?mode=ro", uri=True)) as database:
            return pandas.read_sql_query(text, database, params=values)

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
        rows = self.query("SELECT point, value FROM statistics WHERE stat = ? AND region = ? AND component = ?",
                          stat, region, component)
        if rows.empty and not len(self.query("SELECT 1 FROM statistics WHERE region = ? LIMIT 1", region)):
            raise KeyError(f"{self.directory}: no region {region}")
        if rows.empty and (component == MACHINE or not len(self.query("SELECT 1 FROM statistics WHERE stat = ? LIMIT 1", stat))):
            raise KeyError(f"{self.directory}: no statistic {component}.{stat}")
        found = rows.set_index("point").value.reindex(self.points.index)
        if component == MACHINE or stat.startswith(DERIVED):
            return found
        there = self.query("SELECT DISTINCT point FROM statistics WHERE region = ?", region).point
        return found.mask(found.index.isin(there) & ~found.index.isin(rows.point), 0)

    def curve(self, stat, over, region=WHOLE, component=MACHINE, texts=False):
        """
        A statistic over a key: a row for each of its values, a column for each combination of the others.

        texts       rows and columns are called as the experiment has their values (128KB), in the same order
        """
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
