"""Spoken sounds: espeak-ng reads the lines, this file sets them in time and level.

espeak-ng speaks at 22050 Hz; every line is doubled to 44.1 kHz by a half-band filter."""

import math
import os
import subprocess
import wave
from array import array
from pathlib import Path

from audio import Sound, high_pass

RATE = 44100

PROMPT = ("en-gb-x-rp+f3", 158, "In three hundred metres, turn right.")

# Who speaks, how long after the line before it, and what. A negative pause talks over the end.
CALL = [
    ("callee", 0.3, "Hello?"),
    ("caller", 0.2, "Hi, it's me. Am I interrupting?"),
    ("callee", 0.2, "Only some music. It paused by itself."),
    ("caller", -0.12, "Nice! Then I'll be quick."),
]
VOICES = {"caller": ("en-us", 172, 42), "callee": ("en-gb-x-rp+f4", 168, 55)}


def say(voice, speed, text, folder, key=50):
    """One line, from its first sound to its last."""
    path = Path(folder) / "line.wav"
    command = ["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(key), "-w", str(path), text]
    subprocess.run(command, check=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (22050, 1, 2)
        values = array("h", file.readframes(file.getnframes()))
    sounding = [i for i, v in enumerate(values) if abs(v) > 60]
    values = values[max(0, sounding[0] - 220) : sounding[-1] + 660]
    sound = Sound(RATE, [double(array("d", (v / 32768 for v in values)))])
    sound.filter(*high_pass(RATE, 90))
    edge = 300
    for i in range(edge):
        sound.channels[0][i] *= i / edge
    sound.fade_out(0.012)
    return sound


def double(samples):
    """Twice the rate. The even frames are the samples themselves; the odd ones lie between
    them on a windowed sinc of 64 taps."""
    taps = []
    for n in range(32):
        x = n + 0.5
        window = 0.5 + 0.5 * math.cos(math.pi * x / 32)
        taps.append(math.sin(math.pi * x) / (math.pi * x) * window)
    unit = 2 * math.fsum(taps)
    taps = [t / unit for t in taps]
    padded = array("d", bytes(8 * 32)) + samples + array("d", bytes(8 * 32))
    out = array("d", bytes(16 * len(samples)))
    for i in range(len(samples)):
        at = i + 32
        between = 0.0
        for n, t in enumerate(taps):
            between += t * (padded[at - n] + padded[at + 1 + n])
        out[2 * i] = samples[i]
        out[2 * i + 1] = between
    return out


def level(sound, peak):
    sound.scale(10 ** (peak / 20) / sound.peak())
    return sound


def prompt(folder):
    voice, speed, text = PROMPT
    line = say(voice, speed, text, folder)
    out = array("d", bytes(8 * (RATE // 10))) + line.channels[0]
    return level(Sound(RATE, [out + array("d", bytes(8 * (RATE // 5)))]), -3.0)


def call(folder):
    """Both sides of one call, equally long, each silent while the other speaks."""
    placed, at = [], 0
    for who, pause, text in CALL:
        voice, speed, key = VOICES[who]
        line = level(say(voice, speed, text, folder, key), -4.0)
        at += round(pause * RATE)
        placed.append((who, at, line.channels[0]))
        at += line.frames
    sides = {}
    for side in VOICES:
        out = array("d", bytes(8 * (at + round(0.3 * RATE))))
        for who, first, values in placed:
            if who == side:
                for i, v in enumerate(values):
                    out[first + i] += v
        sides[side] = Sound(RATE, [out])
    return sides
