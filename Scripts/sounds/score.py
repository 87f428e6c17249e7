"""Notes: a small notation, tempo curves, and standard MIDI files made from them.

A line of music is text: `F#5/2` is a note of two beats, `B3+D4+F#4/2` a chord, `R/1` a rest.
A bar line `|` is only for the eye. What a beat is (quarter or eighth) is the piece's decision;
its tempo curve says how many of them pass in a minute.
"""

import math
import random
from dataclasses import dataclass, field

STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}

# One tick is half a millisecond: finer than the 64 frames at which the synthesiser takes events.
TICKS_PER_SECOND = 2000


@dataclass
class Note:
    start: float  # beats from the beginning of the piece
    length: float  # beats
    pitch: int  # MIDI key number, middle C is 60
    velocity: float


@dataclass
class Part:
    """One instrument. `pan` and `reverb` are MIDI controller values, 0 to 127."""

    program: int
    volume: int = 100
    pan: int = 64
    reverb: int = 50
    notes: list = field(default_factory=list)
    # (beat, controller, value): pedal and expression.
    controls: list = field(default_factory=list)

    def swell(self, start, end, low, high):
        """Expression rises from `low` to `high` and falls back, as one breath or bow does."""
        steps = 24
        for step in range(steps + 1):
            share = step / steps
            value = low + (high - low) * math.sin(math.pi * min(1.0, share * 1.1) ** 0.8)
            self.controls.append((start + (end - start) * share, 11, round(max(low * 0.8, value))))


@dataclass
class Piece:
    name: str
    rate: int
    seconds: float  # length of the finished track, with its last chord dying away
    fade: float  # seconds at the end over which it reaches silence
    loudness: float  # LUFS
    tempo: list  # (beat, beats per minute), straight lines between
    parts: list
    seed: int
    gain: float = 0.5  # of the synthesiser; the level is set afterwards
    room: float = 0.62

    def second(self, beat):
        """The time of a beat: the integral of 60 / tempo along the curve."""
        total = 0.0
        for (b0, t0), (b1, t1) in zip(self.tempo, self.tempo[1:] + [(math.inf, self.tempo[-1][1])]):
            if beat <= b0:
                break
            end = min(beat, b1)
            if t0 == t1:
                total += (end - b0) * 60.0 / t0
            else:
                slope = (t1 - t0) / (b1 - b0)
                total += 60.0 / slope * math.log((t0 + slope * (end - b0)) / t0)
        return total


def pitch(name):
    key = STEPS[name[0]]
    rest = name[1:]
    while rest[0] in "#b":
        key += 1 if rest[0] == "#" else -1
        rest = rest[1:]
    return key + 12 * (int(rest) + 1)


def line(text, start=0.0, velocity=70.0, to=None, legato=0.97, transpose=0):
    """The notes of a written line. Loudness goes from `velocity` to `to` along the line;
    within it, higher notes are played a little louder, as singers do."""
    tokens = [token for token in text.split() if token != "|"]
    lengths = [float(token.split("/")[1]) for token in tokens]
    whole = sum(lengths)
    pitches = [
        pitch(name) for token in tokens for name in token.split("/")[0].split("+") if name != "R"
    ]
    middle = sum(pitches) / len(pitches)
    notes, at = [], 0.0
    for token, length in zip(tokens, lengths):
        loud = velocity + ((to if to is not None else velocity) - velocity) * at / whole
        for name in token.split("/")[0].split("+"):
            if name == "R":
                continue
            key = pitch(name)
            lean = 0.6 * (key - middle)
            notes.append(Note(start + at, length * legato, key + transpose, loud + lean))
        at += length
    return notes


def midi(piece):
    """A standard MIDI file (format 1) of the piece, with the small unevenness of hands:
    a few milliseconds and a few steps of velocity, from the piece's own seed."""
    chance = random.Random(piece.seed)
    tempo = b"\x00\xff\x51\x03" + (1_000_000).to_bytes(3, "big")
    end_tick = round((piece.seconds + 0.5) * TICKS_PER_SECOND)
    tracks = [tempo + varying(end_tick) + b"\xff\x2f\x00"]
    for channel, part in enumerate(piece.parts):
        assert channel < 9, "channel 10 is the drum kit"
        events = [
            (0, 0, bytes([0xC0 | channel, part.program])),
            (0, 0, bytes([0xB0 | channel, 7, part.volume])),
            (0, 0, bytes([0xB0 | channel, 10, part.pan])),
            (0, 0, bytes([0xB0 | channel, 91, part.reverb])),
            (0, 0, bytes([0xB0 | channel, 93, 0])),
        ]
        for beat, controller, value in part.controls:
            tick = round(piece.second(beat) * TICKS_PER_SECOND)
            events.append((tick, 1, bytes([0xB0 | channel, controller, value])))
        following = {}
        ends = {}
        for note in sorted(part.notes, key=lambda n: -n.start):
            # A key has one string: striking it again ends the note before.
            ends[id(note)] = min(note.start + note.length, following.get(note.pitch, math.inf))
            following[note.pitch] = note.start
        for note in part.notes:
            late = abs(chance.gauss(0, 0.004))
            velocity = max(1, min(127, round(note.velocity + chance.gauss(0, 2))))
            on = round((piece.second(note.start) + late) * TICKS_PER_SECOND)
            off = round((piece.second(ends[id(note)]) + late) * TICKS_PER_SECOND)
            events.append((on, 3, bytes([0x90 | channel, note.pitch, velocity])))
            # Ends come before beginnings of the same instant, so that a repeated note sounds.
            events.append((max(off, on + 1), 2, bytes([0x80 | channel, note.pitch, 64])))
        events.sort()
        body, now = b"", 0
        for tick, _, message in events:
            body += varying(tick - now) + message
            now = tick
        tracks.append(body + varying(max(0, end_tick - now)) + b"\xff\x2f\x00")
    head = b"MThd" + (6).to_bytes(4, "big") + (1).to_bytes(2, "big")
    head += len(tracks).to_bytes(2, "big") + TICKS_PER_SECOND.to_bytes(2, "big")
    return head + b"".join(b"MTrk" + len(t).to_bytes(4, "big") + t for t in tracks)


def varying(number):
    """MIDI's variable-length number: seven bits a byte, the high bit on all but the last."""
    out = [number & 0x7F]
    while number := number >> 7:
        out.append(0x80 | (number & 0x7F))
    return bytes(reversed(out))
