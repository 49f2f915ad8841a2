"""
What the simulator's tables say: made by tests/monitor_document.py --write, and by nobody else.
"""

VERSION = "1.0.0"

# The fields of each list of a profiled run's documents (docs/results.md).
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
