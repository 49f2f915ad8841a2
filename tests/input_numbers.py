#!/usr/bin/env -S python3 -S
"""
Every kind of number that files, the command line and formulas hold, against Python's exact
fractions: what is read must be the number that was written, and what is refused must deserve it.

    input_numbers.py INPUT_NUMBERS [COUNT [SEED]]
"""
import random
import re
import sys

import simulator
from fractions import Fraction

UNITS = {
    "int": {"": 1},
    "cycles": {"cy": 1},
    "bytes": {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30},
    "freq": {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9},
}
TIMES = {"ns": Fraction(1, 10**9), "us": Fraction(1, 10**6), "ms": Fraction(1, 10**3), "s": Fraction(1)}
U64 = 2**64 - 1
DIGITS = 38  # that count, at least


def digits(lot, most):
    """Digits of the kinds that go wrong: few, many, zeros, powers of two and five."""
    way = lot.randrange(7)
    if way == 0:
        return "0" * lot.randrange(most) + str(lot.randrange(100))
    if way == 1:
        return str(2 ** lot.randrange(4 * most))
    if way == 2:
        return str(5 ** lot.randrange(int(1.4 * most) + 1))
    if way == 3:
        return str(lot.randrange(10)) + "0" * lot.randrange(most)
    if way == 4:
        return str(U64 + lot.randrange(-2, 3))
    return "".join(lot.choices("0123456789", k=lot.randrange(1, most)))


def written(lot):
    """A decimal number, mostly well-formed."""
    text = str(int(digits(lot, lot.choice((4, 25, 45)))))
    if lot.random() < 0.6:
        text += "." + digits(lot, lot.choice((3, 12, 40, 80)))
    if lot.random() < 0.03:
        where = lot.randrange(len(text) + 1)
        text = text[:where] + lot.choice(".0-+_e,x") + text[where:]
    return text


def exact(lot, scale):
    """A whole number of `scale`s written in full, however long that is."""
    value = Fraction(lot.choice((lot.randrange(1 << lot.randrange(1, 65)), U64, U64 + 1)), scale)
    places = 0
    while (value * 10**places).denominator > 1 and places < 120:
        places += 1
    if (value * 10**places).denominator > 1:
        return written(lot)
    text = str((value * 10**places).numerator).rjust(places + 1, "0")
    return text[:-places] + "." + text[-places:] if places else text


def decimal(text):
    """The number and how many digits of it count, or None."""
    if not re.fullmatch(r"(0|[1-9][0-9]*)([.][0-9]+)?", text):
        return None
    return Fraction(text), len(text.replace(".", "").rstrip("0" if "." in text else "").lstrip("0"))


def expected(text, scale, most):
    """(value or None, what the refusal says); both where either will do."""
    number = decimal(text)
    if number is None:
        return None, None
    value = number[0] * scale
    if value.denominator == 1 and value <= most:
        return int(value), "too many digits" if number[1] > DIGITS else None
    if number[1] > DIGITS:
        return None, "too many digits|too large|not a whole"
    return None, "not a whole number" if value.denominator > 1 else "too large|out of range"


def number_case(lot):
    kind = lot.choice(list(UNITS))
    unit, scale = lot.choice(list(UNITS[kind].items()))
    text = exact(lot, scale) if lot.random() < 0.4 else written(lot)
    if expected(text, scale, U64)[0] == 0 and lot.random() < 0.5:
        unit = ""  # 0 needs none
    return f"{kind} {text}{unit}", expected(text, scale, U64)


def time_case(lot):
    hz = lot.choice((1, 150_000_000, 10**9, 33_333_333, 4_000_000_000, 1 << 30, 3 * 5**9))
    unit, scale = lot.choice(list(TIMES.items()))
    text = exact(lot, scale * hz) if lot.random() < 0.4 else written(lot)
    value, why = expected(text, scale * hz, 2**63 - 1)
    return f"time {hz} {text}{unit}", (value, why) if value != 0 else (None, "no time at all")


def whole_case(lot):
    value = lot.randrange(1 << lot.randrange(1, 68))
    text = lot.choice((f"{value}", f"{value:#x}", f"0x{value:X}", f"0{value}", f"{value}.0", f"0x{value}g"))
    good = re.fullmatch(r"0|[1-9][0-9]*|0x[0-9a-fA-F]+", text)
    return f"whole {text}", (int(text, 0) if good and int(text, 0) <= U64 else None, None)


def formula_case(lot):
    text = written(lot)
    if lot.random() < 0.5:
        text += f"{lot.choice('eE')}{lot.choice(('', '+', '-'))}{lot.randrange(lot.choice((4, 330, 5000)))}"
    good = re.fullmatch(r"[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?", text)
    if not good:
        return "formula 1", (float(1), None)
    value = float(text)
    return f"formula {text}", (None, "too large") if value == float("inf") else (value, None)


def show_case(lot):
    kind = lot.choice(list(UNITS))
    value = lot.randrange(1 << lot.randrange(1, 65)) << lot.choice((0, 10, 20, 30)) & U64
    return f"show {kind} {value}", ((kind, value), None)


def is_right(answer, want, why):
    if isinstance(want, tuple):  # shown: the same number, in the largest unit that divides it
        kind, value = want
        number, unit = re.fullmatch(r"([0-9]+)([A-Za-z]*)", answer).groups()
        larger = [s for s in UNITS[kind].values() if s > UNITS[kind][unit]]
        return int(number) * UNITS[kind][unit] == value and not any(value and value % s == 0 for s in larger)
    if answer.startswith("refused: ") and why and re.search(why, answer):
        return True
    if want is None:
        return answer.startswith("refused: ") and bool(re.search(why or "", answer))
    return not answer.startswith("refused") and \
        (float.fromhex(answer) if isinstance(want, float) else int(answer)) == want


def main():
    program, count, seed = sys.argv[1], int((sys.argv + ["", "60000"])[2] or 60000), int((sys.argv[3:] or [1])[0])
    lot = random.Random(seed)
    cases = [("bytes 0." + "0" * 64 + "1GB", (None, "not a whole")),
             ("bytes 0." + "0" * 46 + "20000000000000000001GB", (None, "not a whole"))]
    makers = number_case, number_case, time_case, whole_case, formula_case, show_case
    cases += [lot.choice(makers)(lot) for _ in range(count)]
    done = simulator.bounded([program], 600, input="".join(f"{ask}\n" for ask, _ in cases), text=True, capture_output=True)
    answers = done.stdout.splitlines()
    wrong = [(case, answer) for case, answer in zip(cases, answers) if not is_right(answer, *case[1])]
    for (ask, want), answer in wrong[:20]:
        print(f"FAILED: {ask[:150]}: wants {want}, got {answer[:200]}")
    read = sum(not a.startswith("refused") for a in answers)
    print(f"{len(answers)} of {len(cases)} answered, {read} with a number, {len(wrong)} wrong; "
          f"exit status {done.returncode}")
    return 0 if done.returncode == 0 and len(answers) == len(cases) and not wrong and read > count / 5 else 1


if __name__ == "__main__":
    sys.exit(main())
