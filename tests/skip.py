"""
What a test leaves out for want of something of the host's, and which Debian packages would cure that. `numachine test`
repeats it at its end.
"""
import shutil
import sys

SKIPPED = 77  # to meson


def left_out(why, *packages):
    print("skipped:", why, *(["(Debian: " + " ".join(packages) + ")"] if packages else []))


def skip(why, *packages):
    """Ends the test: it cannot run here at all."""
    left_out(why, *packages)
    sys.exit(SKIPPED)


def have(package, *programs):
    """Whether all of the programs are in the path, or the one that is called as its package; if not, that is said."""
    missing = [program for program in programs or (package,) if not shutil.which(program)]
    if missing:
        left_out(f"no {missing[0]}", package)
    return not missing


def need(package, *programs):
    """Skips the test unless all of the programs are in the path."""
    if not have(package, *programs):
        sys.exit(SKIPPED)
