"""What people hear of calls, prompts and unplugged headphones, from the key to the recording: the
music is a constant on the left channel, so that its level can be read off every sample, and all
other sound is on the right."""

import os
import subprocess
import time
import wave

import numpy as np

import lab
from lab import Lab, Running, now, spent, usage
from players import Player

RATE = 48000
FULL = 16384
KINDS = {"PulseAudio": 5, "PipeWire": 22}  # and the ms that the recorder asks for at once


class Failed(Exception):
    """A key had no effect: a result of its own, not a number."""


class PipeWireLab(Lab):
    """PipeWire, its session manager and its PulseAudio face, with the same null sink."""

    def serve(self, rate):
        self.env["PULSE_SERVER"] = f"unix:{self.run}/pulse/native"
        self.below = [self.spawn("pipewire"), self.spawn("wireplumber")]
        return self.spawn("pipewire-pulse")

    def ready(self, rate):
        def pactl(*words):
            return subprocess.run(["pactl", *words], env=self.env, capture_output=True, text=True)

        pactl("load-module", "module-null-sink", "sink_name=speakers", f"rate={rate}", "channels=2")
        limit = now() + 10
        # The session manager links streams only after it has chosen a default.
        while not pactl("get-default-sink").stdout.startswith("speakers"):
            if now() > limit:
                raise RuntimeError("the private PipeWire has no default sink")
            pactl("set-default-sink", "speakers")
            time.sleep(0.05)


def made(folder):
    """The music and the sounds; returns the music's path."""
    def write(name, seconds, left, right):
        path = f"{folder}/{name}.wav"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        samples = np.tile(np.array([left, right], "<i2"), (int(seconds * RATE), 1))
        with wave.open(path, "wb") as file:
            file.setnchannels(2)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(samples.tobytes())
        return path

    for name in ("ringtone", "call-caller", "call-callee"):
        write(f"sounds/effects/{name}", 20, 0, 4000)
    write("sounds/effects/navigation", 0.6, 0, 4000)
    write("many/effects/navigation", 55, 0, 4000)
    write("many/effects/message", 55, 0, 4000)
    os.makedirs(f"{folder}/many/music", exist_ok=True)
    game = write("many/music/game", 20, 0, 4000)
    os.replace(game, f"{folder}/many/music/05-greensleeves-verse.ogg")
    return write("music", 600, FULL, 0)


def player(binary, words=""):
    return Player("sotto", binary, f"{binary} play {words} {{files}}", pause="key: ", resume="key: ")


class Ear:
    """The left channel of the recording, as it comes."""

    def __init__(self, monitor):
        self.monitor = monitor

    def first(self, start, holds, seconds=4, run=1):
        """The first frame from start on from which `run` frames hold, or Failed."""
        limit, last, count = now() + seconds, start, 0
        while True:
            with self.monitor.changed:
                chunks = [c for c in self.monitor.chunks if c[1] + len(c[2]) > last]
            for _, first, samples in chunks:
                level = np.abs(samples[max(0, last - first):, 0].astype(int)) / FULL
                good = holds(level)
                for index in np.nonzero(np.diff(np.concatenate([[count > 0], good])))[0]:
                    if good[index]:
                        begin = last + int(index)
                        count = 1
                    elif count and last + int(index) - begin >= run:
                        return begin
                    else:
                        count = 0
                if len(good) and good[0] and count == 0:
                    begin, count = last, 1
                last += len(level)
                if count and last - begin >= run:
                    return begin
            if now() > limit:
                raise Failed("a key had no effect")
            with self.monitor.changed:
                self.monitor.changed.wait(0.05)

    def is_full(self, start):
        return self.first(start, lambda level: level > 0.999, run=2400)


def events(scratch, binary, kind, turns):
    """Milliseconds of each measure, some times each."""
    found = {name: [] for name in (
        "pause, silent", "unplug, silent", "call, fade begins", "call, silent",
        "call ends, music rises", "prompt, duck begins", "prompt, duck complete")}
    music = made(f"{scratch}/situations")
    # The recorder and the device run at one rate here.
    before, lab.RATE = lab.RATE, RATE
    try:
        with (PipeWireLab if kind == "PipeWire" else Lab)(scratch, RATE) as room:
            room.env["SOTTO_SOUNDS"] = f"{scratch}/situations/sounds"
            monitor = room.monitor(KINDS[kind])
            ear = Ear(monitor)
            with Running(player(binary), room, [music]) as running:
                full = ear.is_full(0)

                def key(keys):
                    moment = running.do("key:" + keys)
                    return moment, monitor.frame_at(moment)

                def ms(frame, moment):
                    return (monitor.time_of(frame) - moment) * 1000

                fell = lambda level: level < 0.999
                silent = lambda level: level == 0
                for turn in range(turns):
                    rest = 0.2 + 0.013 * (turn % 17)  # no rhythm of the server's
                    time.sleep(rest)
                    moment, frame = key(" ")
                    found["pause, silent"].append(ms(ear.first(frame, silent, run=2400), moment))
                    time.sleep(rest)
                    full = ear.is_full(key(" ")[1])
                    time.sleep(rest)
                    moment, frame = key("C")
                    found["call, fade begins"].append(ms(ear.first(frame, fell), moment))
                    quiet = ear.first(frame, silent, run=2400)
                    found["call, silent"].append(ms(quiet, moment))
                    time.sleep(rest)
                    moment, frame = key("d")
                    found["call ends, music rises"].append(
                        ms(ear.first(max(frame, quiet + 2400), lambda level: level > 0), moment))
                    full = ear.is_full(frame)
                    time.sleep(rest)
                    moment, frame = key("!p")
                    found["prompt, duck begins"].append(ms(ear.first(frame, fell), moment))
                    low = ear.first(frame, lambda level: level < 0.2005, run=480)
                    found["prompt, duck complete"].append(ms(low, moment))
                    full = ear.is_full(low)
                    key("!h")
                    time.sleep(rest)
                    moment, frame = key("!h")
                    found["unplug, silent"].append(ms(ear.first(frame, silent, run=2400), moment))
                    time.sleep(rest)
                    full = ear.is_full(key(" ")[1])
                    monitor.forget()
    finally:
        lab.RATE = before
    return found


def mixing(scratch, binary, music, seconds):
    """Processor ms a second with the music alone, and with a game, a prompt and a tone over it."""
    made(f"{scratch}/situations")
    result = []
    for keys in ("", "!g!p!m"):
        with Lab(scratch, RATE) as room:
            room.env["SOTTO_SOUNDS"] = f"{scratch}/situations/many"
            with Running(player(binary, "--plain --output null"), room, [music]) as running:
                time.sleep(2)
                if keys:
                    running.do("key:" + keys)
                time.sleep(3)
                own, began = running.own(), now()
                first = usage(own)
                time.sleep(seconds)
                result.append(spent(first, usage(own), now() - began)[0])
                if running.process.poll() is not None:
                    raise Failed(f"it ended: {running.said[-200:]!r}")
    return result


def rows(scratch, binary, music, turns, seconds):
    found = []
    for kind in KINDS:
        load = os.getloadavg()[0]
        for name, values in events(scratch, binary, kind, turns).items():
            found.append(dict(server=kind, measure=name, ms=values, load=load))
    load = os.getloadavg()[0]
    pairs = [mixing(scratch, binary, music, seconds) for _ in range(3)]
    found.append(dict(server="", measure="mixing", one=[p[0] for p in pairs],
                      four=[p[1] for p in pairs], load=load))
    return found
