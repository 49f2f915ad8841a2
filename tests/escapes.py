#!/usr/bin/env -S python3 -S
"""
A guest tries to get out of its file view (escapes_guest.c), with all that the kernel has to hold it
and with nothing but the view: nothing outside may be read or changed, and both must end the same.

    escapes.py NUMACHINE GUEST
"""
import ctypes
import ctypes.util
import errno
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading

import simulator

RACES = "600"
TIMEOUT = 240  # processor seconds

# Where links in the guest's directory lead. {out}: the directory it must not reach.
LINKS = {
    "link-relative": "../outside/secret", "link-absolute": "{out}/secret",
    "link-directory": "../outside", "link-absolute-directory": "{out}",
    "link-chain": "chain-1", "chain-1": "sub/chain-2", "sub/chain-2": "../../outside/secret",
    "link-proc": "/proc/self/mem", "link-proc-slashes": "//proc/self/mem", "link-root": "/",
    "link-up": "..", "link-mem": "/proc/self/./mem", "link-fd": "/proc/self/fd/3",
    "link-device": "/dev/mem", "link-self": "link-self", "link-loop": "link-loop-2",
    "link-loop-2": "link-loop", "sub/link-up-up": "../../outside/secret", "link-null": "/dev/null",
    "link-exe": "/proc/self/exe", "link-long": "sub/../" * 500 + "../outside/secret",
    "link-cwd": "/proc/self/cwd/../outside", "link-mounts": "/proc/self/mountinfo",
}

# Starts a command without a standard error.
CLOSED = ["sh", "-c", 'exec "$0" "$@" 2>&-']

# Calls made to look as if the kernel had none: openat2, and Landlock's.
MISSING = ["openat2", "landlock_create_ruleset"]


class World:
    """A directory for the guest, one it may read, and one it must not reach."""

    def __init__(self, directory):
        self.top = pathlib.Path(directory).resolve()
        self.home, self.out = self.top / "home", self.top / "outside"
        self.read_only, self.results = self.top / "readonly", self.top / "results"
        for path in self.home / "sub", self.out / "deep", self.read_only / "deep":
            path.mkdir(parents=True)
        for path in self.out / "secret", self.out / "deep" / "secret":
            path.write_text("SECRET\n")
        for path in self.read_only / "text", self.read_only / "deep" / "text":
            path.write_text("to be read\n")
        (self.read_only / "link-home").symlink_to(self.home)
        for name, to in LINKS.items():
            (self.home / name).symlink_to(to.format(out=self.out))
        os.mkfifo(self.home / "fifo")
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(str(self.home / "socket"))
        (self.home / "real").mkdir()
        (self.home / "real" / "secret").write_text("harmless\n")
        shutil.copytree(self.home / "real", self.home / "swap")
        (self.home / "swap-file").write_text("harmless\n")
        if os.geteuid() == 0:
            os.mknod(self.home / "device", 0o666 | stat.S_IFCHR, os.makedev(1, 1))
        for path in [self.out, *self.out.rglob("*"), *self.read_only.rglob("*")]:
            os.utime(path, (1e9, 1e9), follow_symlinks=False)

    def stream(self, name):
        """A file behind a standard stream, with something in it."""
        file = open(self.top / name, "a+", encoding="ascii", opener=lambda path, flags:
                    os.open(path, flags, 0o600))
        file.write("before\n")
        file.flush()
        return file

    def protected(self):
        """All that a guest must not change."""
        seen = {}
        for root in self.out, self.read_only:
            for path in [root, *sorted(root.rglob("*"))]:
                now = path.lstat()
                text = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
                seen[str(path)] = (now.st_mode, now.st_uid, now.st_mtime, now.st_nlink, text)
        return seen


def without_kernel_help():
    """In the child: what this kernel has shall look as if it had not."""
    library = ctypes.CDLL(ctypes.util.find_library("seccomp"))
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(0x7FFF0000))
    for name in MISSING:
        number = library.seccomp_syscall_resolve_name(name.encode())
        number = {"openat2": 437, "landlock_create_ruleset": 444}[name] if number < 0 else number
        if library.seccomp_rule_add(context, 0x00050000 | errno.ENOSYS, number, 0):
            os._exit(99)
    if library.seccomp_load(context):
        os._exit(99)


class Swapper(threading.Thread):
    """Swaps a directory and a file of the guest with links that lead out, as fast as it can."""

    def __init__(self, world):
        super().__init__()
        self.world, self.stop = world, False
        (world.home / "out-swap").symlink_to("../outside")
        (world.home / "out-file").symlink_to("../outside/secret")

    def run(self):
        home, renameat2 = self.world.home, ctypes.CDLL(None).renameat2
        while not self.stop:
            for one, two in ("swap", "out-swap"), ("swap-file", "out-file"):
                renameat2(-100, bytes(home / one), -100, bytes(home / two), 2)


def run(numachine, guest, directory, plain, races, closed=False):
    """@return complaints, result hash"""
    world = World(directory)
    before = world.protected()
    swapper = Swapper(world) if races != "0" else None
    if swapper:
        swapper.start()
    try:
        done = simulator.bounded(
            [*(CLOSED if closed else []), numachine, "stat", "--quiet", "--functional", "-o",
             world.results, "--allow", f"{world.read_only}:ro", "--", guest, world.out,
             world.read_only, races],
            TIMEOUT, cwd=world.home, stdin=world.stream("stdin"), stdout=world.stream("stdout"),
            stderr=world.stream("stderr"), preexec_fn=without_kernel_help if plain else simulator.no_core)
    except subprocess.TimeoutExpired:
        return ["no end: something blocks the simulator"], ""
    finally:
        if swapper:
            swapper.stop = True
            swapper.join()
    before_it, _, output = (world.top / "stdout").read_text(errors="replace").partition("\n")
    complaints = []
    if done.returncode != 0:
        complaints.append(f"exit status {done.returncode}: {(world.top / 'stderr').read_text()}")
    for name in "stdin", "stdout", "stderr":
        if stat.S_IMODE((world.top / name).stat().st_mode) != 0o600 or before_it != "before":
            complaints.append(f"changed: the file behind {name}")
    for line in output.splitlines():
        if not line.startswith("refused"):
            complaints.append(line)
    if "refused" not in output:
        complaints.append("the guest did not come to its end")
    after = world.protected()
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            complaints.append(f"changed: {path}: {before.get(path)} {after.get(path)}")
    for path in world.home.rglob("*"):
        if not path.is_symlink() and path.is_file() and b"SECRET" in path.read_bytes():
            complaints.append(f"stolen: {path}")
    result = simulator.end_of(world.results)[0] if (world.results / "manifest.json").exists() else ""
    return complaints, result


def main():
    numachine, guest = map(os.path.abspath, sys.argv[1:])
    failed, hashes = False, {}
    ways = {"with openat2 and Landlock": False}
    if ctypes.util.find_library("seccomp"):
        ways["without"] = True
    for way, plain in ways.items():
        # The same path each time: it is on the guest's stack.
        for races, closed in ("0", False), ("0", True), (RACES, False):
            directory = pathlib.Path(tempfile.gettempdir(), f"escapes-{os.getpid()}")
            directory.mkdir()
            try:
                complaints, result = run(numachine, guest, directory, plain, races, closed)
            finally:
                shutil.rmtree(directory)
            name = way + (", stderr closed" if closed else "")
            print(f"{'FAILED' if complaints else 'ok'}: {name}, {races} races", result)
            for complaint in complaints[:40]:
                print("   ", complaint)
            failed |= bool(complaints)
            if races == "0":
                hashes[name] = result
    if len(set(hashes.values())) != 1:
        print("FAILED: the result depends on the kernel:", hashes)
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
