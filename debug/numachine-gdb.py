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


def plain(value):
    if value.type.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY):
        return hex(int(value.cast(gdb.lookup_type("unsigned long")) if value.type.code == gdb.TYPE_CODE_PTR
                       else value.address))
    try:
        return hex(int(value))
    except gdb.error:
        return value.string()


Function("cycle", "cycle", int)  # $numachine_cycle()
Function("line", "line")  # $numachine_line(&counter)
Function("who", "who")  # $numachine_who()
Function("counters", "counters")  # $numachine_counters(3)


class Prefix(gdb.Command):
    """What `numachine gdb` has beside gdb: line, who, counters, pipeline, until, goto, when."""

    def __init__(self):
        super().__init__("numachine", gdb.COMMAND_USER, prefix=True)


class Ask(gdb.Command):
    """Asks the simulator: see `monitor help`."""

    def __init__(self, name):
        super().__init__(f"numachine {name}", gdb.COMMAND_DATA)
        self.name = name

    def invoke(self, text, from_tty):
        words = [plain(gdb.parse_and_eval(w)) for w in gdb.string_to_argv(text)]
        print(monitor(" ".join([self.name, *words])))


class Until(gdb.Command):
    """numachine until miss|nack|invalidate|loss EXPRESSION [CARD]: continues until that happens to the line of an
    address."""

    def __init__(self):
        super().__init__("numachine until", gdb.COMMAND_RUNNING)

    def invoke(self, text, from_tty):
        what, *words = gdb.string_to_argv(text)
        answer = monitor(" ".join(["until", what, *(plain(gdb.parse_and_eval(w)) for w in words)]))
        if answer:
            raise gdb.GdbError(answer)
        gdb.execute("continue", from_tty)


class Goto(gdb.Command):
    """numachine goto CYCLE: goes there, forwards or backwards."""

    def __init__(self):
        super().__init__("numachine goto", gdb.COMMAND_RUNNING)

    def invoke(self, text, from_tty):
        cycle = int(gdb.parse_and_eval(text))
        answer = monitor(f"goto {cycle}")
        if answer:
            raise gdb.GdbError(answer)
        gdb.execute("continue", from_tty)


Prefix()
for name in ("line", "who", "counters", "pipeline", "cycle", "when"):
    Ask(name)
Until()
Goto()
