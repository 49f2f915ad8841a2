"""
How good a detector is: what it named against what was there, counted by lines, by objects and by what they cost.
"""
import collections
import dataclasses


@dataclasses.dataclass
class Look:
    """What a detector said of a subject, and what was there."""
    subject: object
    truth: object
    lines: list  # all that the detector speaks of: {"virtual": address or None, "suspect", "score", ...}
    cost: dict   # runs, events, interrupts, pcycles, and what else a detector of its kind has

    @property
    def named(self):
        """Suspect lines: virtual addresses. One that has none (no page of the program) is named wrongly."""
        return [line["virtual"] for line in self.lines if line["suspect"]]

    @property
    def wrong(self):
        return [at for at in self.named if at not in self.truth.falsely]

    @property
    def missed(self):
        return sorted(set(self.truth.falsely) - set(self.named))

    def at_least(self, score):
        """The look of a detector that names what has this score, whatever its own rule says."""
        return Look(self.subject, self.truth, [{**line, "suspect": line["score"] >= score} for line in self.lines], self.cost)


@dataclasses.dataclass
class Quality:
    """Of some looks: numbers of things named, right among them, there, and found among these."""
    named: float = 0
    right: float = 0
    there: float = 0
    found: float = 0

    def __add__(self, other):
        return Quality(self.named + other.named, self.right + other.right, self.there + other.there, self.found + other.found)

    @property
    def precision(self):
        return self.right / self.named if self.named else 1.0

    @property
    def recall(self):
        return self.found / self.there if self.there else 1.0

    @property
    def f1(self):
        return 2 * self.precision * self.recall / (self.precision + self.recall) if self.right else 0.0


def by_line(look):
    falsely = look.truth.falsely
    return Quality(len(look.named), len(look.named) - len(look.wrong), len(falsely), len(falsely) - len(look.missed))


def by_line_of_any_cost(look):
    """A line is shared falsely if that costs more than sharing it truly, be it ever so little."""
    lines = look.truth.lines
    right = sum(at in lines and lines[at].false > lines[at].true for at in look.named)
    return by_line(look) + Quality(0, right - by_line(look).right)


def by_object(look):
    """An object is named if one of its lines is."""
    there = look.truth.false_objects
    named = {name for at in look.named for name in (look.truth.objects_of(at) if at is not None else ["no page"])}
    return Quality(len(named), len(named & there), len(there), len(named & there))


def by_cost(look):
    """Recall weighs lines by what sharing them falsely costs; precision by what sharing them costs at all."""
    falsely, lines = look.truth.falsely, look.truth.lines
    named = set(look.named) - {None}
    weight = {at: lines[at].false + lines[at].true for at in named if at in lines}
    return Quality(sum(weight.values()), sum(weight[at] for at in weight if at in falsely), sum(falsely.values()),
                   sum(falsely[at] for at in named if at in falsely))


def moments(looks):
    """Of each line that was found: the part of its run after which it could have been named."""
    return [line["when"] / look.cost["pcycles"] if line.get("when") else 1.0
            for look in looks for line in look.lines if line["suspect"] and line["virtual"] in look.truth.falsely]


COUNTED = {"line": by_line, "any cost": by_line_of_any_cost, "object": by_object, "cost": by_cost}


def quality(looks, by="line"):
    return sum((COUNTED[by](look) for look in looks), Quality())


def best_score(looks, by="line"):
    """The least score to be named by that makes F1 best on these looks. None: no score does any good."""
    scores = sorted({line["score"] for look in looks for line in look.lines if line["score"] > 0}, reverse=True)
    step = max(1, len(scores) // 64)  # more choices would only fit better what they are chosen on
    best = max(((quality([look.at_least(score) for look in looks], by).f1, score) for score in scores[::step]), default=(0, None))
    return best[1] if best[0] else None


def transfer(looks, by="line"):
    """(flattering, honest): F1 with the least score chosen on a hand's programs, on these themselves, and on all other hands'.
    (None, None) of one hand's programs only."""
    hands = collections.defaultdict(list)
    for look in looks:
        hands[look.subject.program.hand].append(look)
    if len(hands) < 2:
        return None, None
    own, others = [], []
    for hand, these in hands.items():
        score = best_score(these, by)
        if score is None:
            continue
        own += [look.at_least(score) for look in these]
        others += [look.at_least(score) for other, rest in hands.items() if other != hand for look in rest]
    return quality(own, by).f1, quality(others, by).f1
