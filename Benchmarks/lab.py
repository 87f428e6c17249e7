"""A private place for one run: home, runtime folder, session bus and PulseAudio of its own, a
recorder on the null sink's monitor, and a player on a terminal. Nothing reaches a real device."""

import fcntl
import os
import pty
import shutil
import signal
import socket
import struct
import subprocess
import termios
import threading
import time
import uuid

import numpy as np

now = time.monotonic
RATE = 44100
BLOCK = 5  # ms that the recorder asks for at once


def end(process):
    """Ends a child of ours by its id."""
    if process is None or process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Lab:
    def __init__(self, scratch, rate=RATE):
        self.folder = os.path.join(scratch, "run", uuid.uuid4().hex[:12])
        self.home, self.run = f"{self.folder}/home", f"{self.folder}/run"
        os.makedirs(f"{self.home}/.config/pulse")
        os.makedirs(self.run, mode=0o700)
        with open(f"{self.home}/.config/pulse/client.conf", "w") as file:
            file.write("autospawn = no\n")
        keep = {k: v for k, v in os.environ.items() if k in ("PATH", "LD_LIBRARY_PATH")}
        self.env = dict(
            keep,
            HOME=self.home,
            XDG_RUNTIME_DIR=self.run,
            PULSE_SERVER=f"unix:{self.run}/pulse/native",
            DBUS_SESSION_BUS_ADDRESS=f"unix:path={self.run}/bus",
            TERM="xterm-256color",
            LANG="C.UTF-8",
        )
        self.monitors = []
        self.bus = self.server = None
        self.bus = self.spawn("dbus-daemon", "--session", "--nofork", "--nopidfile",
                              f"--address={self.env['DBUS_SESSION_BUS_ADDRESS']}")
        self.below = []  # what the server needs
        self.server = self.serve(rate)
        limit = now() + 10
        while subprocess.run(["pactl", "info"], env=self.env, capture_output=True).returncode:
            if now() > limit or self.server.poll() is not None:
                self.close()
                raise RuntimeError("the private sound server did not start")
            time.sleep(0.05)
        self.ready(rate)

    def serve(self, rate):
        """Starts the sound server."""
        return self.spawn(
            "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=yes",
            "-L", "module-native-protocol-unix",
            "-L", f"module-null-sink sink_name=speakers rate={rate} channels=2 format=s16le")

    def ready(self, rate):
        """What is to be done once it answers."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def spawn(self, *arguments):
        return subprocess.Popen(arguments, env=self.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stream(self):
        """The sample specification of the first stream that plays, or None."""
        text = subprocess.run(["pactl", "list", "sink-inputs"], env=self.env, capture_output=True,
                              text=True).stdout
        specification = corked = None
        for line in text.splitlines():
            key, _, value = line.strip().partition(": ")
            if key == "Sample Specification":
                specification = value
            elif key == "Corked":
                corked = value
            if specification and corked == "no":
                return specification
        return None

    def playing(self, timeout=8):
        """Waits for a stream that plays."""
        limit = now() + timeout
        while self.stream() is None:
            if now() > limit:
                return False
            time.sleep(0.05)
        return True

    def monitor(self, block=BLOCK):
        monitor = Monitor(self, block)
        self.monitors.append(monitor)
        return monitor

    def close(self):
        for monitor in self.monitors:
            monitor.stop()
        end(self.server)
        for process in reversed(self.below):
            end(process)
        end(self.bus)
        shutil.rmtree(self.folder, ignore_errors=True)


class Monitor:
    """parec on the sink's monitor. Each chunk keeps the time at which it came, so that a frame is
    placed in time to within the block of ms that is asked for. The null sink then renders one
    block before a frame is due. Where it takes a block back and renders it again, the recording
    may lack or repeat up to a block."""

    def __init__(self, lab, block, source="speakers.monitor"):
        self.ahead = block / 1000
        self.chunks, self.frames, self.changed = [], 0, threading.Condition()
        self.process = subprocess.Popen(
            ["parec", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=2",
             f"--latency-msec={block}", "--property=node.dont-reconnect=true", "-d", source],
            env=lab.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        with self.changed:
            self.changed.wait_for(lambda: self.frames > 0, 5)

    def _read(self):
        rest = b""
        while True:
            data = os.read(self.process.stdout.fileno(), 65536)
            arrived = now()
            if not data:
                return
            data = rest + data
            whole = len(data) & ~3
            data, rest = data[:whole], data[whole:]
            if whole:
                samples = np.frombuffer(data, "<i2").reshape(-1, 2)
                with self.changed:
                    self.chunks.append((arrived, self.frames, samples))
                    self.frames += len(samples)
                    self.changed.notify_all()

    def stop(self):
        end(self.process)
        self.thread.join(2)

    def forget(self):
        """Drops what was recorded, the frame numbers go on."""
        with self.changed:
            self.chunks = self.chunks[-1:]

    def recording(self):
        """Every sample since the start, as float, channels apart. Not after forget()."""
        with self.changed:
            parts = [samples for _, _, samples in self.chunks]
        return np.concatenate(parts).astype(np.float64) / 32768

    def time_of(self, frame):
        """When this frame was due on the device."""
        with self.changed:
            chunks = self.chunks
            low, high = 0, len(chunks) - 1
            while low < high:
                middle = (low + high + 1) // 2
                low, high = (middle, high) if chunks[middle][1] <= frame else (low, middle - 1)
            arrived, first, samples = chunks[low]
        return arrived - (first + len(samples) - frame) / RATE + self.ahead

    def frame_at(self, moment):
        moment -= self.ahead
        with self.changed:
            chunks = list(self.chunks)
        for arrived, first, samples in reversed(chunks):
            if arrived - len(samples) / RATE <= moment:
                return first + max(0, len(samples) - max(0, int((arrived - moment) * RATE)))
        return chunks[0][1]

    def _each(self, start, timeout):
        """(first frame, loudness of each frame) of the chunks from start on, as they come."""
        index, limit = 0, now() + timeout
        while now() < limit:
            with self.changed:
                if not self.changed.wait_for(lambda: index < len(self.chunks), limit - now()):
                    return
                _, first, samples = self.chunks[index]
            index += 1
            if first + len(samples) > start:
                skip = max(0, start - first)
                yield first + skip, np.abs(samples[skip:].astype(np.int32))

    def sound(self, start, timeout=8, over=1500, channel=None):
        """The first frame from start on that is louder than over, or None."""
        for first, loudness in self._each(start, timeout):
            loudness = loudness.max(1) if channel is None else loudness[:, channel]
            if (loudness > over).any():
                return first + int((loudness > over).argmax())
        return None

    def silence(self, start, timeout=4, over=0, hold=0.15):
        """The first frame of a silence of hold seconds, from start on, or None."""
        last, need = start, int(hold * RATE)
        for first, loudness in self._each(start, timeout):
            loud = np.nonzero(loudness.max(1) > over)[0]
            if len(loud):
                if first + int(loud[0]) - last >= need:
                    return last
                last = first + int(loud[-1]) + 1
            if first + len(loudness) - last >= need:
                return last
        return None


class Running:
    """A player that was started, on a terminal of 100 by 30."""

    def __init__(self, player, lab, files, command=None):
        self.player, self.lab, self.files = player, lab, files
        self.tag = uuid.uuid4().hex
        self.said, self.sockets = b"", {}
        for path, text in player.files.items():
            path = self.fill(path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(self.fill(text))
            os.chmod(path, 0o600)
        command = self.fill(command or player.command)
        self.master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        shell = command if any(c in command for c in ";&|") else "exec " + command
        self.started = now()
        self.process = subprocess.Popen(
            ["setsid", "-c", "/bin/sh", "-c", shell], env=dict(lab.env, BENCH_RUN=self.tag),
            stdin=terminal, stdout=terminal, stderr=terminal, cwd=lab.home)
        os.close(terminal)
        threading.Thread(target=self._drain, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _drain(self):
        while True:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                data = b""
            if not data:
                os.close(self.master)
                self.master = None
                return
            self.said = (self.said + data)[-4000:]

    def fill(self, text, position=0):
        quoted = " ".join("'" + f.replace("'", "'\\''") + "'" for f in self.files)
        for name, value in (("{home}", self.lab.home), ("{run}", self.lab.run),
                            ("{files}", quoted), ("{file}", self.files[0]),
                            ("{at}", str(position))):
            text = text.replace(name, value)
        return text

    def do(self, command, position=0):
        """Gives a command; the moment just before it was given."""
        kind, _, rest = self.fill(command, position).partition(":")
        if kind == "key":
            moment = now()
            os.write(self.master, rest.encode())
        elif kind == "socket":
            path, _, line = rest.partition(":")
            if path not in self.sockets:
                self.sockets[path] = socket.socket(socket.AF_UNIX)
                self.sockets[path].connect(path)
            moment = now()
            self.sockets[path].sendall(line.encode() + b"\n")
        elif kind == "fifo":
            path, _, line = rest.partition(":")
            descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            moment = now()
            os.write(descriptor, line.encode() + b"\n")
            os.close(descriptor)
        else:
            moment = now()
            subprocess.run(["/bin/sh", "-c", "exec " + rest], env=self.lab.env, timeout=10,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        return moment

    def processes(self):
        """The ids of everything this run started, daemons too, by the mark in its environment."""
        mark, found = f"BENCH_RUN={self.tag}".encode(), []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/environ", "rb") as file:
                        if mark in file.read():
                            found.append(int(entry))
                except OSError:
                    pass
        return found

    def own(self):
        """Of these the player's own, without the shell and the remote that started it."""
        found = []
        for process in self.processes():
            try:
                with open(f"/proc/{process}/comm") as file:
                    if file.read().strip() not in ("sh", "bash", "setsid", "cmus-remote", "mpc"):
                        found.append(process)
            except OSError:
                pass
        return found

    def stop(self):
        for connection in self.sockets.values():
            connection.close()
        for sign in (signal.SIGTERM, signal.SIGKILL):
            for process in self.processes():
                try:
                    os.kill(process, sign)
                except OSError:
                    pass
            limit = now() + 2
            while self.processes() and now() < limit:
                time.sleep(0.02)
        self.process.wait()


def usage(processes):
    """For each thread the processor time in ns and the voluntary switches (wake-ups); and the peak
    memory of all in MB."""
    threads, peak = {}, 0
    for process in processes:
        try:
            with open(f"/proc/{process}/status") as file:
                peak += sum(int(l.split()[1]) for l in file if l.startswith("VmHWM"))
            for thread in os.listdir(f"/proc/{process}/task"):
                base = f"/proc/{process}/task/{thread}"
                with open(f"{base}/schedstat") as file:
                    cpu = int(file.read().split()[0])
                with open(f"{base}/status") as file:
                    wakeups = sum(int(l.split()[1]) for l in file if l.startswith("voluntary"))
                threads[process, thread] = (cpu, wakeups)
        except OSError:
            pass  # it ended meanwhile
    return threads, peak / 1024


def spent(before, after, seconds):
    """Processor ms and wake-ups a second between two usages. A thread that ended in between is
    left out, a new one counts whole."""
    (old, _), (new, _) = before, after
    cpu, wakeups = (sum(counts[i] - old.get(key, (0, 0))[i] for key, counts in new.items())
                    for i in (0, 1))
    return cpu / seconds / 1e6, wakeups / seconds
