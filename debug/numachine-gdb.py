"""gdb's side of `numachine gdb`, which has gdb read this file: functions for expressions and conditions, and commands
whose names begin with `numachine`. Everything is asked with `monitor`."""

import gdb


def monitor(command):
    return gdb.execute(f"monitor {command}", to_string=True).strip()


class Function(gdb.Function):
    """A convenience function whose value a monitor command says."""

    def __init__(self, name, ask, of=str):
        super().__init__(f"numachine_{name}")
        self.ask, self.of = ask, of

    def invoke(self, *words):
        return self.of(monitor(" ".join([self.ask, *map(plain, words)])))


WHOLE = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR)
PLACES = (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_FUNC)  # whose value is where they are


def plain(value):
    """A value as a word of a monitor command, which takes whole numbers."""
    if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
    address = value.address if value.type.strip_typedefs().code in PLACES else value
    code = address.type.strip_typedefs().code
    if code == gdb.TYPE_CODE_PTR:
        return hex(int(address.cast(gdb.lookup_type("unsigned long"))))
    if code not in WHOLE:
        raise gdb.GdbError(f"neither an address nor a whole number: {value}")
    return hex(int(value))


def evaluated(text):
    try:
        return gdb.parse_and_eval(text)
    except gdb.error as wrong:
        raise gdb.GdbError(str(wrong)) from None


Function("cycle", "cycle", int)  # $numachine_cycle()
Function("line", "line")  # $numachine_line(&counter)
Function("who", "who")  # $numachine_who()
Function("counters", "counters")  # $numachine_counters(3)


class Prefix(gdb.Command):
    """What `numachine gdb` has beside gdb: line, who, counters, pipeline, until, goto, when."""

    def __init__(self):
        super().__init__("numachine", gdb.COMMAND_USER, prefix=True)


class Ask(gdb.Command):
    """Asks the simulator: see `monitor help`. What stands behind the name is one expression."""

    def __init__(self, name):
        super().__init__(f"numachine {name}", gdb.COMMAND_DATA)
        self.name = name

    def invoke(self, text, from_tty):
        words = [plain(evaluated(text))] if text.strip() else []
        print(monitor(" ".join([self.name, *words])))


class Until(gdb.Command):
    """numachine until miss|nack|invalidate|loss EXPRESSION [CARD]: continues until that happens to the line of an
    address."""

    def __init__(self):
        super().__init__("numachine until", gdb.COMMAND_RUNNING)

    def invoke(self, text, from_tty):
        what, *words = gdb.string_to_argv(text) or [""]
        if not words:
            raise gdb.GdbError("numachine until miss|nack|invalidate|loss EXPRESSION [CARD]")
        answer = monitor(" ".join(["until", what, *(plain(evaluated(w)) for w in words)]))
        if answer:
            raise gdb.GdbError(answer)
        gdb.execute("continue", from_tty)


class Goto(gdb.Command):
    """numachine goto CYCLE: goes there, forwards or backwards."""

    def __init__(self):
        super().__init__("numachine goto", gdb.COMMAND_RUNNING)

    def invoke(self, text, from_tty):
        cycle = evaluated(text) if text.strip() else None
        if cycle is None or cycle.type.strip_typedefs().code not in WHOLE:
            raise gdb.GdbError("numachine goto CYCLE, which is a whole number")
        answer = monitor(f"goto {int(cycle)}")
        if answer:
            raise gdb.GdbError(answer)
        gdb.execute("continue", from_tty)


Prefix()
for name in ("line", "who", "counters", "pipeline", "cycle", "when"):
    Ask(name)
Until()
Goto()
