"""
The NUMAchine simulator in Python: what runs and sweeps have left, and machines in this process.

    import numachine
    run = numachine.load("results/first-light-001")
    run.value("truth.l2_misses", region="padded")
    sweep = numachine.load("speed-up")
    sweep.curve("elapsed", over="program.processors", region="sum").plot()

    machine = numachine.Machine(["./prog"], machine="station-4")
    machine.run(until=lambda m: m.total("nacks") > 1000)
    machine.frame()

Tables are pandas' where it is there, and dictionaries of lists elsewhere. docs/python.md has the rest.
"""
from .machine import Machine
from .results import MACHINE, WHOLE, Run, Sweep, load
from .tables import FIELDS, VERSION

__version__ = VERSION
__all__ = ["FIELDS", "MACHINE", "Machine", "Run", "Sweep", "VERSION", "WHOLE", "load"]
