"""What people hear of the real system: a headset that is pulled, calls of other programs, a server
that crashes and comes back. The music is a constant on the left channel, so that its level can be
read off every sample; other programs play silence."""

import os
import re
import signal
import subprocess
import threading
import time

import lab
from lab import Lab, Monitor, Running, now
from situations import Ear, Failed, KINDS, PipeWireLab, RATE, made, player

HEADSET = "sink_properties=\"device.form_factor='headset' device.bus='usb'\""


class Watcher:
    """`pactl subscribe`, with the moment at which each line came."""

    def __init__(self, room):
        self.lines, self.changed = [], threading.Condition()
        self.process = subprocess.Popen(["pactl", "subscribe"], env=room.env,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append((now(), line.decode()))
                self.changed.notify_all()

    def mark(self):
        with self.changed:
            return len(self.lines)

    def first(self, pattern, mark, seconds=5):
        """When the first line from the mark on came that matches."""
        def found():
            return [at for at, line in self.lines[mark:] if re.search(pattern, line)]
        with self.changed:
            if not self.changed.wait_for(found, seconds):
                raise Failed(f"the server did not tell {pattern}")
            return found()[0]

    def stop(self):
        lab.end(self.process)


def pactl(room, *words):
    done = subprocess.run(["pactl", *words], env=room.env, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"pactl {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def until(holds, what, seconds=10):
    limit = now() + seconds
    while not holds():
        if now() > limit:
            raise Failed(f"waited in vain for {what}")
        time.sleep(0.02)


def calls(room, ear, monitor, watcher, turns):
    """Milliseconds from the stream's appearance to silence, and from its end to sound."""
    found = {name: [] for name in (
        "tagged call, silent", "tagged call ends, music rises", "untagged call, silent",
        "untagged call ends, music rises")}

    def ms(frame, moment):
        return (monitor.time_of(frame) - moment) * 1000

    for turn in range(turns):
        time.sleep(0.3 + 0.013 * (turn % 17))
        for kind in ("tagged", "untagged"):
            mark = watcher.mark()
            guests = []
            if kind == "tagged":
                guests.append(room.spawn(
                    "pacat", "--raw", "--property=media.role=phone", "/dev/zero"))
            else:
                guests.append(room.spawn("parec", "--raw", "-d", "mic"))
                watcher.first("'new' on source-output", mark)
                mark = watcher.mark()
                before = dict(room.env)
                room.env["PULSE_PROP_application.process.id"] = str(guests[0].pid)
                guests.append(room.spawn("pacat", "--raw", "/dev/zero"))
                room.env = before
            moment = watcher.first("'new' on sink-input", mark)
            quiet = ear.first(monitor.frame_at(moment), lambda level: level == 0, 6, run=2400)
            found[f"{kind} call, silent"].append(ms(quiet, moment))
            time.sleep(0.3)
            mark = watcher.mark()
            for guest in reversed(guests):
                lab.end(guest)
            moment = watcher.first("'remove' on sink-input", mark)
            rise = ear.first(monitor.frame_at(moment), lambda level: level > 0, 8)
            found[f"{kind} call ends, music rises"].append(ms(rise, moment))
            ear.is_full(rise)
        monitor.forget()
    return found


def unplugged(room, ear, speakers, running, turns):
    """Milliseconds from the removal of a headset to its last sample, and samples on the speakers."""
    silent, leaked = [], 0
    for turn in range(turns):
        module = pactl(room, "load-module", "module-null-sink", "sink_name=headset",
                       f"rate={RATE}", "channels=2", HEADSET)
        headset = Monitor(room, 22 if isinstance(room, PipeWireLab) else 5, "headset.monitor")
        pactl(room, "set-default-sink", "headset")
        heard = Ear(headset)
        heard.is_full(0)
        # The stream is guarded within a second.
        time.sleep(1.5)
        start = speakers.frame_at(now())
        moment = now()
        pactl(room, "unload-module", module)
        time.sleep(1.0)
        headset.stop()
        chunks = [c for c in headset.chunks if (c[2][:, 0] != 0).any()]
        arrived, first, samples = chunks[-1]
        last = first + int((samples[:, 0] != 0).nonzero()[0][-1])
        silent.append((headset.time_of(last) - moment) * 1000)
        with speakers.changed:
            for _, first, samples in speakers.chunks:
                if first + len(samples) > start:
                    leaked += int((samples[max(0, start - first):, 0] != 0).sum())
        pactl(room, "set-default-sink", "speakers")
        running.do("key: ")
        ear.is_full(speakers.frame_at(now()))
        speakers.forget()
    return silent, leaked


def crashes(room, kind, running, turns):
    """Milliseconds from the moment at which a server that crashed answers again to sound."""
    found = []
    for _ in range(turns):
        for monitor in room.monitors:
            monitor.stop()
        room.monitors = []
        os.kill(room.server.pid, signal.SIGKILL)
        room.server.wait()
        time.sleep(0.5)
        room.server = room.serve(RATE) if kind == "PulseAudio" else room.spawn("pipewire-pulse")
        until(lambda: not subprocess.run(["pactl", "info"], env=room.env,
                                         capture_output=True).returncode, "the server", 10)
        # PipeWire's null sink ends with the server that made it.
        room.ready(RATE)
        moment = now()
        until(room.playing, "the music", 10)
        found.append((now() - moment) * 1000)
        time.sleep(1)
    return found


def rows(scratch, binary, turns, seconds):
    music = made(f"{scratch}/situations")
    result = []
    before, lab.RATE = lab.RATE, RATE
    try:
        for kind in KINDS:
            load = os.getloadavg()[0]
            with (PipeWireLab if kind == "PipeWire" else Lab)(scratch, RATE) as room:
                if kind == "PipeWire":
                    pactl(room, "load-module", "module-null-sink", "sink_name=mic",
                          "media.class=Audio/Source/Virtual", "channel_map=front-left,front-right")
                else:
                    pactl(room, "load-module", "module-null-source", "source_name=mic")
                pactl(room, "set-default-source", "mic")
                monitor = room.monitor(KINDS[kind])
                ear, watcher = Ear(monitor), Watcher(room)
                with Running(player(binary), room, [music]) as running:
                    ear.is_full(0)
                    time.sleep(1)
                    found = calls(room, ear, monitor, watcher, turns)
                    silent, leaked = unplugged(room, ear, monitor, running, max(turns // 4, 2))
                    found["headset pulled, its last sample"] = silent
                    found["server back, sound"] = crashes(room, kind, running, max(turns // 4, 2))
                watcher.stop()
            for name, values in found.items():
                row = dict(server=kind, measure=name, ms=values, load=load)
                if name.startswith("headset"):
                    row["leaked"] = leaked
                result.append(row)
    finally:
        lab.RATE = before
    return result
