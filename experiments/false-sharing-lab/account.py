"""
The laboratory's account: which runs it needs, and the tables and figures that come of them.
"""
import collections
import dataclasses
import json
import pathlib
import statistics
import subprocess

import looks as looks_at
import programs
import scores
from looks import PLAIN, Subject, Variant
from tables import Scatter, Table, count, ratio, share, text

HERE = programs.HERE
HANDLER = 300   # [PCycles] that an interrupt's handler is taken to need, where the detector does not say: os.syscall
SEEDS = [1, 2, 3, 4, 5]
MASKED = ["first/limits", "first/counter", "first/clock"]  # programs of the look at routing masks,
SPREAD = [2, 4, 8, 16, 32, 64]                             # and their threads
DEAR = ["invalidate-hits", "phases"]  # many runs a program: asked of the set for testing only, and on no other machine
SOME = 12  # programs that share falsely, which are run on other machines, too

VARIANTS = [
    Variant("line-32", "lines of 32 bytes", ("--set", "l2.line=32B")),
    Variant("line-128", "lines of 128 bytes", ("--set", "l2.line=128B")),
    Variant("fewest", "the least number of threads of the program's row", threads="least"),
    Variant("most", "the greatest number of threads of the program's row", threads="most"),
    Variant("ring-16", "one ring, 16 processors", ("-m", "ring-16"), most_threads=16),
    Variant("station-4", "one station, 4 processors", ("-m", "station-4"), threads="least", most_threads=4),
    Variant("exclusive", "protocol numachine-ce: a lone reader owns the line", ("--set", "protocol=numachine-ce")),
    Variant("flat", "protocol flat: no network caches", ("--set", "protocol=flat")),
    Variant("unoptimised", "compiled with -O0", flags=("-O0",)),
]


# Patterns of which papers say what mending gained them: (program, pattern, what was published)
PUBLISHED = [
    ("second/regress00", "linear regression, records at offset 0", "Predator: nothing"),
    ("second/regress24", "linear regression, records at offset 24", "Predator: 15 times slower; 1,207 % gained"),
    ("second/lockpool", "a pool of spinlocks", "Predator: Boost's, 40 % gained"),
    ("second/rgbhist", "histogram of three colours", "Predator: 46.2 % gained"),
    ("second/clusters", "stream clustering", "Predator: 7.5 and 4.8 %, Sheriff: 5.4 %"),
    ("second/revindex", "reverse index", "Sheriff: 2.4 %, Predator: 0.1 %"),
    ("second/wordcount", "word count", "Sheriff: 1 %, Predator: 0.1 %"),
    ("second/refcounts", "an array of reference counts", "Huron and TMI: mended, within means of 3.8 and 5.2 times"),
    ("second/oddeven", "a lockless array", "Huron: mended, within a mean of 3.8 times"),
    ("second/stripes", "an array of locks with their data", "Huron: mended, within a mean of 3.8 times"),
]


@dataclasses.dataclass(frozen=True)
class Detector:
    """A shipped detector, or a file of one."""
    name: str      # as `numachine detect` takes it
    model: bool    # in C: all models look in one run
    paper: str = ""
    seeded: bool = False

    @property
    def short(self):
        return pathlib.Path(self.name).stem if self.name.endswith(".yaml") else self.name


def shipped(numachine):
    """All detectors that the simulator has."""
    rows = json.loads(subprocess.run([numachine, "list", "--json", "detectors"], capture_output=True, check=True).stdout)
    return [Detector(row["name"], not row.get("file"), row.get("paper", ""),
                     any(p["name"] == "seed" for p in row.get("parameters", []))) for row in rows]


class Account:
    """What all detectors said of all subjects, and the tables that follow."""

    def __init__(self, bench, rows, detectors):
        self.bench = bench
        self.rows = rows
        self.detectors = detectors

    # ---- runs --------------------------------------------------------------------------------------------------

    def _said(self, names, subject):
        """[look] of detectors that look in one run."""
        said = self.bench.said(names, subject)
        truth = self.bench.truth(subject)
        looks = []
        for name in names:
            of = said[name]
            lines = [{"virtual": int(line["virtual"], 16) if line["virtual"] else None, "suspect": line["suspect"],
                      "score": line["score"], "when": line.get("when")} for line in of["lines"]]
            looks.append((name, scores.Look(subject, truth, lines, {k: v for k, v in of.items() if isinstance(v, (int, float))})))
        return looks

    def looks(self, subjects, detectors=None):
        """{detector: [its look at each subject]}"""
        detectors = detectors or self.detectors
        models = [d.name for d in detectors if d.model]
        groups = ([models] if models else []) + sorted(([d.name] for d in detectors if not d.model), key=lambda g: g[0] in DEAR)
        done = self.bench.each(lambda key: self._said(*key),
                               [(group, subject) for group in groups for subject in subjects
                                if group[0] not in DEAR or subject.program.set == "test"])
        found = {d.name: [] for d in detectors}
        for looks in done:
            for name, look in looks:
                found[name].append(look)
        return {d.short: found[d.name] for d in detectors}

    def subjects(self, variant=PLAIN, twins=True, of=None):
        return [Subject(row, padded, variant) for row in self.rows if (of is None or row.set == of) and variant.fits(row)
                for padded in ((False, True) if twins else (False,))]

    # ---- tables ------------------------------------------------------------------------------------------------

    def quality(self, looks, of):
        """How good all are on the programs of a set, and what they cost."""
        rows = []
        for name, all_of in looks.items():
            here = [look for look in all_of if look.subject.program.set == of]
            if not here:
                continue
            line, thing, cost, cheap = (scores.quality(here, by) for by in ("line", "object", "cost", "any cost"))
            work = sum(look.cost["pcycles"] * int(look.subject.variant.arguments(look.subject.program)[0]) for look in here)
            handled = sum(look.cost.get("handler_pcycles", look.cost.get("interrupts", 0) * HANDLER) for look in here)
            rows.append([f"`{name}`", line.precision, line.recall, cheap.precision, thing.precision, thing.recall, cost.precision, cost.recall,
                         statistics.mean(scores.moments(here) or [1.0]), *(statistics.mean(look.cost.get(key, 0) for look in here) for key in ("runs", "events", "interrupts")),
                         handled / work, max(look.cost.get("bits", 0) for look in here) / 8192 or None])
        n = len({look.subject for all_of in looks.values() for look in all_of if look.subject.program.set == of})
        return Table(f"quality-{of}", f"How good the detectors are, on the set for {NAMES[of]}",
                     f"{n} subjects: programs and their mended twins. By line, by object, and lines weighted by what sharing them "
                     "cost; of any cost: a named line that is shared falsely for less than counts is not wrong. When: the part of the run after which a line that "
                     "was found could have been named, in the mean. Runs, events and interrupts are per program; kilobytes are of the whole machine, beyond the card.",
                     [text("detector"), share("precision, lines"), share("recall, lines"), share("precision, lines of any cost"),
                      share("precision, objects"), share("recall, objects"), share("precision, cost"), share("recall, cost"), share("when"), count("runs"), count("events"),
                      count("interrupts"), share("handler's time"), count("kilobytes")], rows)

    def transfer(self, looks):
        """The score from which on a line is named, chosen on one hand's programs and used on the others'."""
        rows = []
        for name, all_of in looks.items():
            own, others = scores.transfer(all_of)
            own_objects, others_objects = scores.transfer(all_of, "object")
            rows.append([f"`{name}`", others, own, others_objects, own_objects])
        return Table("transfer", "What is left on programs of another hand",
                     "F1, the harmonic mean of precision and recall, when the least score to be named is chosen on all programs of "
                     "one hand and used on those of the others; beside it, on the very programs that it was chosen on.",
                     [text("detector"), share("lines, others'"), share("lines, own (flattering)"), share("objects, others'"),
                      share("objects, own (flattering)")], rows)

    def hands(self, looks):
        """Precision and recall by line of each hand's programs, tuned on or not."""
        rows = []
        hands = sorted({row.hand for row in self.rows}, key=programs.HANDS.index)
        for name, all_of in looks.items():
            row = [f"`{name}`"]
            for hand in hands:
                q = scores.quality([look for look in all_of if look.subject.program.hand == hand])
                row += [q.precision, q.recall]
            few = scores.quality([look for look in all_of if look.subject.program.threads[0] == 2])
            row += [few.precision, few.recall]
            rows.append(row)
        return Table("hands", "By whose programs they are, and with two threads only", "By line, all sets.",
                     [text("detector"), *(share(f"{what}, {of}") for of in [*hands, "two threads"] for what in ("precision", "recall"))], rows)

    def sensitivity(self, variants):
        """Recall and precision by object on other machines."""
        detectors = [d for d in self.detectors if d.name not in DEAR]
        table = {d.short: [f"`{d.short}`"] for d in detectors}
        for variant in [PLAIN, *variants]:
            subjects = [s for s in self.subjects(variant, twins=False, of="test") if s.program.falsely][:SOME]
            looks = self.looks(subjects, detectors)
            for name, all_of in looks.items():
                q = scores.quality(all_of, "object")
                table[name] += [q.precision if all_of else None, q.recall if all_of else None]
        return Table("sensitivity", "On other machines", f"By object, on the first {SOME} programs of the set for testing that share "
                     "falsely. " + "; ".join(f"{v.name}: {v.sentence}" for v in [PLAIN, *variants]) + ".",
                     [text("detector"), *(share(f"{what}, {v.name}") for v in [PLAIN, *variants] for what in ("precision", "recall"))],
                     list(table.values()))

    def seeds(self):
        """How much the answer of one that samples depends on where it happens to sample."""
        seeded = [d for d in self.detectors if d.seeded]
        if not seeded:
            return None
        subjects = self.subjects(twins=False, of="test")
        rows = []
        for d in seeded:
            drawn = [Detector(f"{d.name}:seed={seed}", True) for seed in SEEDS]
            got = [scores.quality(looks, "line") for looks in self.looks(subjects, drawn).values()]
            rows.append([f"`{d.short}`", *(f([getattr(q, what) for q in got]) for what in ("precision", "recall")
                                          for f in (min, statistics.median, max))])
        return Table("seeds", "Those that sample, with five seeds", "By line, on the set for testing, without the twins.",
                     [text("detector"), *(share(f"{f} {what}") for what in ("precision", "recall") for f in ("least", "median", "greatest"))], rows)

    def gain(self, looks):
        """What mending the lines that a detector names gains, against mending those that the truth names."""
        rows, subjects = [], [s for s in self.subjects(twins=False, of="test") if self.bench.truth(s).falsely]
        truly = self.bench.each(lambda s: self.bench.parted(s, self.bench.truth(s).falsely), subjects)
        best = dict(zip(subjects, truly))
        for name, all_of in looks.items():
            here = [look for look in all_of if look.subject in best]
            if not here:
                continue
            taken = self.bench.each(lambda look: self.bench.parted(look.subject, [at for at in look.named if at is not None]), here)
            gains = [look.truth.pcycles / pcycles for look, pcycles in zip(here, taken)]
            possible = [look.truth.pcycles / best[look.subject] for look in here]
            rows.append([f"`{name}`", statistics.geometric_mean(gains), statistics.geometric_mean(possible), min(gains)])
        return Table("gain", "What mending the named lines would gain",
                     f"Measured: the {len(subjects)} programs of the set for testing that share falsely run again, with the named lines "
                     "parted by who touches which bytes (the dearest lines first, up to 2,000 ranges of bytes). How many times faster, geometric mean; beside it, mending what the truth names; "
                     "and the worst of all programs.",
                     [text("detector"), ratio("named"), ratio("by the truth"), ratio("worst")], rows)

    def errors(self, looks, of):
        """Where they are wrong."""
        rows = []
        for name, all_of in looks.items():
            here = [look for look in all_of if look.subject.program.set == of]
            if not here:
                continue
            wrong = sorted({f"{look.subject.program.label}{' (mended)' if look.subject.padded else ''}" for look in here if look.wrong})
            missed = sorted({look.subject.program.label for look in here if look.missed})
            rows.append([f"`{name}`", ", ".join(wrong) or "-", ", ".join(missed) or "-"])
        return Table(f"errors-{of}", f"Wrong and missed, on the set for {NAMES[of]}", "Programs in which a line is named that is not shared "
                     "falsely, and those in which a line that is was not named.", [text("detector"), text("names wrongly in"), text("misses")], rows)

    def definitions(self):
        """Of the misses that sharing made, the part that is false by each definition."""
        kinds = {"shared falsely": lambda s: s.program.kind == "false",
                 "both": lambda s: s.program.kind == "mixed",
                 "shared truly": lambda s: not s.program.falsely}
        subjects = self.subjects(twins=False)
        truths = dict(zip(subjects, self.bench.each(self.bench.truth, subjects)))
        of = {name: [truths[s].false_misses for s in subjects if fits(s) and truths[s].false_misses] for name, fits in kinds.items()}
        return Table("definitions", "What is false by whose definition", "Of the misses that sharing made, the part that is false: the mean of "
                     "the programs that are labelled so, of all sets.", [text("definition"), *(share(name) for name in kinds)],
                     [[name, *(statistics.mean(p[name] for p in parts) if parts else None for parts in of.values())]
                      for name in looks_at.DEFINITIONS])

    def published(self):
        """Patterns with published gains, here by the mended twin."""
        there = {row.label: row for row in self.rows}
        rows = []
        for label, pattern, said in PUBLISHED:
            if label in there:
                plain, padded = (self.bench.truth(Subject(there[label], twin)) for twin in (False, True))
                share_false = sum(plain.falsely.values()) / (plain.pcycles * there[label].threads[0])
                rows.append([pattern, said, label, plain.pcycles / padded.pcycles - 1, share_false])
        return Table("published", "Patterns with published figures", "What mending gained the papers' programs, and the mended twin of a "
                     "program of the same pattern here; beside it the part of the threads' time that false sharing of lines cost.",
                     [text("pattern"), text("published"), text("program"), share("gained here"), share("cost")], rows)

    def masks(self):
        """How many invalidates find a copy, by how many threads there are."""
        asked = [(row, threads) for row in self.rows if row.label in MASKED for threads in SPREAD]
        found = self.bench.each(lambda key: self.bench.invalidates(Subject(key[0]), key[1]), asked)
        return Table("masks", "How many invalidates find a copy", "Those that a card sends for itself are left out.",
                     [text("program"), count("threads"), count("invalidates of others"), count("hit a copy"), share("part"),
                      count("rereferences")],
                     [[f"`{row.name}`", threads, came, hits, hits / came if came else None, again]
                      for (row, threads), (came, hits, again) in zip(asked, found)])

    def corpus(self, looks):
        """Each program: label, truth, twin."""
        subjects = self.subjects()
        truths = dict(zip(subjects, self.bench.each(self.bench.truth, subjects)))
        rows, links = [], {}
        for row in self.rows:
            plain, padded = truths[Subject(row)], truths[Subject(row, True)]
            found = plain.false_objects
            right = found == set(row.falsely) and not padded.false_objects
            named = [name for name, all_of in looks.items()
                     if any(look.subject == Subject(row) and (look.missed or look.wrong) for look in all_of)]
            rows.append([row.label, row.set, row.kind, row.when, row.threads[0], sum(plain.falsely.values()), plain.pcycles / padded.pcycles,
                         "yes" if right else self.disagreement(row, found, padded), ", ".join(named) or "-"])
            links[row.label] = f"pages/{Subject(row).key}.html"
        return Table("programs", "Programs", "Cost: PCycles of all processors that false sharing of lines cost. Twin: how many times as fast "
                     "the mended program is. Agree: author's label, truth and twin say the same. Last: detectors that miss a line of it, or name a wrong one.",
                     [text("program"), text("set"), text("kind"), text("when"), count("threads"), count("cost"), ratio("twin"),
                      text("agree"), text("wrong or missed by")], rows, links)

    @staticmethod
    def disagreement(row, found, padded):
        """What label, truth and twin do not agree in."""
        said = []
        if found - set(row.falsely):
            said.append(f"the truth has {', '.join(sorted(found - set(row.falsely)))}, too")
        if set(row.falsely) - found:
            said.append(f"{', '.join(sorted(set(row.falsely) - found))} costs less than is counted")
        if padded.false_objects:
            said.append("the twin still shares " + ", ".join(sorted(padded.false_objects)))
        return "; ".join(said)

    # ---- figures -----------------------------------------------------------------------------------------------

    @staticmethod
    def figures(quality):
        """Precision against recall, and recall against what the detector costs, from the table of a set."""
        column = {c.name: i for i, c in enumerate(quality.columns)}
        points = [(row[0].strip("`"), row) for row in quality.rows]
        return [Scatter("precision-recall", "Precision against recall, by object", "recall", "precision",
                        [(name, row[column["recall, objects"]], row[column["precision, objects"]]) for name, row in points]),
                Scatter("recall-storage", "Recall by object against storage", "bytes of the whole machine beyond the card", "recall",
                        [(name, (row[column["kilobytes"]] or 0) * 1024, row[column["recall, objects"]]) for name, row in points], True),
                Scatter("recall-interrupts", "Recall by object against interrupts", "interrupts per program", "recall",
                        [(name, row[column["interrupts"]], row[column["recall, objects"]]) for name, row in points], True)]


NAMES = {"tune": "tuning", "choose": "choosing", "test": "testing"}
