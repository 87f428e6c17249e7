"""What the full screen costs: from exec to the first frame, from a key to what it paints, processor
time and wake-ups, and memory. The player is alone on a terminal of 100 by 30, on silence in real time
(--output null): no server is asked."""

import fcntl
import os
import pty
import resource
import select
import shutil
import statistics
import struct
import subprocess
import termios
import time
import uuid

from lab import end, spent, usage

now = time.monotonic
ROWS = 50_000


class Terminal:
    """The player on a terminal whose screen is read here and nowhere shown."""

    def __init__(self, scratch, binary, arguments, more=None):
        self.folder = os.path.join(scratch, "run", uuid.uuid4().hex[:12])
        os.makedirs(self.folder)
        keep = {k: v for k, v in os.environ.items() if k in ("PATH", "LD_LIBRARY_PATH")}
        env = dict(keep, HOME=self.folder, XDG_RUNTIME_DIR=self.folder, LANG="C.UTF-8",
                   TERM="xterm-256color", PULSE_SERVER="unix:/nonexistent",
                   ALSA_CONFIG_PATH="/dev/null", **(more or {}))
        self.master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.started = now()
        self.process = subprocess.Popen([binary, *arguments], env=env, stdin=terminal,
                                        stdout=terminal, stderr=terminal, start_new_session=True)
        os.close(terminal)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.process)
        os.close(self.master)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self, seconds):
        """What was painted within this time, or nothing."""
        if not select.select([self.master], [], [], max(seconds, 0))[0]:
            return b""
        try:
            return os.read(self.master, 1 << 16)
        except OSError as error:
            raise RuntimeError("the player has ended") from error

    def until(self, wanted, timeout=20):
        """The moment at which a text was painted."""
        text, limit = b"", now() + timeout
        while now() < limit:
            text += self.read(limit - now())
            if wanted in text:
                return now()
        raise RuntimeError(f"{wanted!r} was not painted: {text[-300:]!r}")

    def quiet(self, seconds=0.3):
        """Waits until nothing is painted for so long: only while it is paused."""
        limit = now() + 20
        while self.read(seconds):
            if now() > limit:
                raise RuntimeError("it does not come to rest")

    def key(self, key):
        """From a key to the first byte that is painted, in ms."""
        moment = now()
        os.write(self.master, key)
        if not self.read(5):
            raise RuntimeError(f"nothing was painted after {key!r}")
        return (now() - moment) * 1000

    def settled(self, key, quiet=0.15):
        """From a key to the last byte that is painted because of it, in ms: a search answers later
        than the key."""
        moment = last = now()
        os.write(self.master, key)
        while self.read(quiet if last > moment else 5):
            last = now()
        return (last - moment) * 1000

    def spent(self):
        """The processor time of its first thread so far, in ms."""
        with open(f"/proc/{self.process.pid}/schedstat") as file:
            return int(file.read().split()[0]) / 1e6

    def watch(self, seconds):
        """Processor ms and wake-ups a second; what is painted is read away."""
        first, before = usage([self.process.pid]), now()
        while now() < before + seconds:
            self.read(before + seconds - now())
        return spent(first, usage([self.process.pid]), now() - before)

    def resident(self):
        """The memory that is its own, in MB."""
        with open(f"/proc/{self.process.pid}/smaps_rollup") as file:
            return sum(int(line.split()[1]) for line in file
                       if line.startswith("Private_")) / 1024


def queue(scratch, track):
    """A playlist of many rows with titles of their own, all of one file."""
    path = os.path.join(scratch, "tracks", f"{ROWS}.m3u8")
    with open(path, "w") as file:
        file.write("#EXTM3U\n")
        for row in range(ROWS):
            file.write(f"#EXTINF:{60 + row % 300},Artist {row % 977} - Title {row}\n{track}\n")
    return path


def play(*paths):
    return ["play", "--output", "null", "--no-resume", *paths]


def measure(scratch, binary, track, runs, seconds):
    """Rows of name, value, unit, and the aim where there is one."""
    many = queue(scratch, track)
    rows = []

    def row(name, values, unit, aim=None):
        rows.append(dict(name=name, value=statistics.median(values), worst=max(values), unit=unit,
                         aim=aim))

    def first(paths):
        times, spent = [], []
        for _ in range(5 * runs):
            with Terminal(scratch, binary, play(*paths)) as terminal:
                times.append((terminal.until(b"Playing") - terminal.started) * 1000)
                spent.append(terminal.spent())
        return times, spent

    times, own = first([track])
    row("exec to first frame", times, "ms", 20)
    row("of this its processor time, without what it waits for others", own, "ms")
    row(f"exec to first frame, {ROWS:,} rows", first([many])[0], "ms", 20)

    with Terminal(scratch, binary, play(track)) as terminal:
        terminal.until(b"playing")
        terminal.watch(3)
        os.write(terminal.master, b" 2")
        terminal.quiet(1.5)
        small = terminal.resident()
    keys = []
    with Terminal(scratch, binary, play(many)) as terminal:
        terminal.until(b"playing")
        terminal.watch(3)
        os.write(terminal.master, b" 2")
        terminal.quiet(1.5)
        # All rows are there: the last one is shown.
        os.write(terminal.master, b"G")
        terminal.until(str(ROWS).encode())
        terminal.quiet()
        large = terminal.resident()
        for key in [b"k", b"g", b"j", b"\x1b[6~", b"\x1b[5~", b"G"] * 20:
            keys.append(terminal.key(key))
            terminal.quiet(0.05)
    row(f"key to painted, {ROWS:,} rows", keys, "ms", 8)
    row(f"memory of {ROWS:,} rows", [large - small], "MB", 20)

    with Terminal(scratch, binary, play(track)) as terminal:
        terminal.until(b"playing")
        terminal.watch(4)
        states = [("playing, with level meter and spectrum", b"", 20),
                  ("playing", b":set meter off\r:set spectrum off\r", 5),
                  ("playing, window not looked at", b"\x1b[O", None),
                  ("paused", b"\x1b[I ", 0)]
        for name, typed, aim in states:
            os.write(terminal.master, typed)
            terminal.watch(6)
            cpu, wakeups = terminal.watch(seconds)
            row(f"{name}: processor", [cpu], "ms/s", aim)
            row(f"{name}: wake-ups", [wakeups], "/s", 0 if aim == 0 else None)
    return rows
