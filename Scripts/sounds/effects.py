"""Short sounds that interrupt or accompany music, made of decaying sine waves and a little noise.
All are mono at 48 kHz and begin and end in silence, so that a ringtone or alarm can repeat."""

import math
import random
from array import array

from audio import Sound, high_pass, low_pass
from score import pitch

RATE = 48000

# (ratio to the fundamental, strength, seconds until a tenth of it is left)
BAR = [(1, 1.0, 0.55), (3.98, 0.28, 0.16), (9.1, 0.08, 0.05)]
BELL = [(1, 1.0, 1.1), (2.0, 0.36, 0.8), (2.99, 0.2, 0.45), (5.41, 0.07, 0.2)]
CHIP = [(1, 1.0, 9.0), (2, 0.22, 9.0), (3, 0.12, 9.0)]


def silence(seconds):
    return Sound(RATE, [array("d", bytes(8 * round(seconds * RATE)))])


def add(sound, at, hertz, strength, partials, attack=0.003, length=None, release=0.01):
    """Adds one tone; it rises over `attack` and, if it has a length, falls over `release`."""
    out = sound.channels[0]
    first = round(at * RATE)
    last = len(out) if length is None else min(len(out), first + round((length + release) * RATE))
    for ratio, share, tenth in partials:
        if hertz * ratio > RATE * 0.45:
            continue
        turn = 2 * math.pi * hertz * ratio / RATE
        decay = math.log(10) / (tenth * RATE)
        for i in range(last - first):
            rise = min(1.0, i / (attack * RATE))
            level = strength * share * (0.5 - 0.5 * math.cos(math.pi * rise)) * math.exp(-decay * i)
            if length is not None:
                over = (i / RATE - length) / release
                level *= 1.0 if over <= 0 else 0.5 + 0.5 * math.cos(math.pi * min(1.0, over))
            out[first + i] += level * math.sin(turn * i)


def hertz(name):
    return 440.0 * 2 ** ((pitch(name) - 69) / 12)


def echo(sound, seconds, strength):
    out = sound.channels[0]
    delay = round(seconds * RATE)
    for i in range(delay, len(out)):
        out[i] += strength * out[i - delay]


def ringtone():
    """A turn on a wooden bar instrument, asked twice, the second time answered."""
    sound = silence(3.2)
    step = 0.14
    tune = [
        (0, "A5"), (1, "D6"), (2, "F#6"), (3, "E6"), (5, "D6"),
        (8, "A5"), (9, "D6"), (10, "F#6"), (11, "A6"), (13, "F#6"), (15, "D6"),
    ]  # fmt: skip
    for place, name in tune:
        add(sound, 0.01 + place * step, hertz(name), 0.9 if place % 8 == 0 else 0.75, BAR)
    for place, name in [(0, "D5"), (5, "A4"), (8, "B4"), (13, "D5")]:
        add(sound, 0.01 + place * step, hertz(name), 0.5, BAR)
    echo(sound, 0.21, 0.18)
    return finish(sound, peak=-4.0, fade=0.3)


def message():
    """Two bell notes, rising."""
    sound = silence(1.3)
    add(sound, 0.005, hertz("E6"), 0.8, BELL)
    add(sound, 0.125, hertz("B6"), 0.7, BELL)
    return finish(sound, peak=-6.0, fade=0.5)


def alarm():
    """Twice four quick pulses of a fourth: urgent without being shrill."""
    sound = silence(2.4)
    for group in (0.0, 1.2):
        for pulse in range(4):
            at = 0.02 + group + pulse * 0.17
            add(sound, at, hertz("E5"), 0.6, CHIP, attack=0.006, length=0.09, release=0.025)
            add(sound, at, hertz("A5"), 0.6, CHIP, attack=0.006, length=0.09, release=0.025)
    return finish(sound, peak=-3.0, fade=0.05)


def key_click():
    """A press and, 38 ms later, a fainter release: bursts of noise on a small resonance."""
    sound = silence(0.09)
    chance = random.Random(7).uniform
    out = sound.channels[0]
    for at, strength in [(0.001, 1.0), (0.039, 0.35)]:
        first = round(at * RATE)
        for i in range(round(0.02 * RATE)):
            shape = min(1, i / 12) * math.exp(-i / (0.0013 * RATE))
            out[first + i] += strength * chance(-1, 1) * shape
        add(sound, at, 1850, strength * 0.5, [(1, 1, 0.012), (2.3, 0.4, 0.006)], attack=0.0004)
    sound.filter(*high_pass(RATE, 300))
    sound.filter(*low_pass(RATE, 7500))
    return finish(sound, peak=-9.0, fade=0.02)


def finish(sound, peak, fade):
    sound.remove_offset()
    sound.fade_out(fade)
    sound.scale(10 ** (peak / 20) / sound.peak())
    return sound


EFFECTS = [
    ("ringtone", "Ringtone", ringtone),
    ("message", "Message tone", message),
    ("alarm", "Alarm", alarm),
    ("key-click", "Key click", key_click),
]
