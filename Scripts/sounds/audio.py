"""Sound as lists of numbers: level, loudness, 16-bit samples, WAV. Nothing here needs a library.

A `Sound` holds one array of doubles per channel, full scale 1.0.
"""

import math
import random
from array import array


class Sound:
    def __init__(self, rate, channels):
        self.rate = rate
        self.channels = channels

    @property
    def frames(self):
        return len(self.channels[0])

    def peak(self):
        return max(max(max(c), -min(c)) for c in self.channels)

    def scale(self, gain):
        self.channels = [array("d", (x * gain for x in c)) for c in self.channels]

    def cut(self, seconds):
        """Exactly this long; what lacks is silence."""
        frames = round(seconds * self.rate)
        for index, c in enumerate(self.channels):
            lacking = max(0, frames - len(c))
            self.channels[index] = c[:frames] + array("d", bytes(8 * lacking))

    def fade_out(self, seconds):
        """Half a cosine, down to nothing at the last frame."""
        length = round(seconds * self.rate)
        for c in self.channels:
            first = len(c) - length
            for i in range(length):
                c[first + i] *= 0.5 + 0.5 * math.cos(math.pi * (i + 1) / length)

    def remove_offset(self, hertz=10.0):
        """A high-pass of one pole, well below hearing: no offset, no slow drift."""
        pole = math.exp(-2 * math.pi * hertz / self.rate)
        for index, c in enumerate(self.channels):
            out, last, y = array("d", bytes(8 * len(c))), 0.0, 0.0
            for i, x in enumerate(c):
                y = x - last + pole * y
                last = x
                out[i] = y
            self.channels[index] = out

    def filter(self, b0, b1, b2, a1, a2):
        for index, c in enumerate(self.channels):
            self.channels[index] = biquad(c, b0, b1, b2, a1, a2)


def biquad(samples, b0, b1, b2, a1, a2):
    out, s1, s2 = array("d", bytes(8 * len(samples))), 0.0, 0.0
    for i, x in enumerate(samples):
        y = b0 * x + s1
        s1 = b1 * x - a1 * y + s2
        s2 = b2 * x - a2 * y
        out[i] = y
    return out


def high_pass(rate, hertz, q=0.7071):
    w = 2 * math.pi * hertz / rate
    alpha, c = math.sin(w) / (2 * q), math.cos(w)
    a0 = 1 + alpha
    return (1 + c) / 2 / a0, -(1 + c) / a0, (1 + c) / 2 / a0, -2 * c / a0, (1 - alpha) / a0


def low_pass(rate, hertz, q=0.7071):
    w = 2 * math.pi * hertz / rate
    alpha, c = math.sin(w) / (2 * q), math.cos(w)
    a0 = 1 + alpha
    return (1 - c) / 2 / a0, (1 - c) / a0, (1 - c) / 2 / a0, -2 * c / a0, (1 - alpha) / a0


def decibels(ratio):
    return 20 * math.log10(ratio) if ratio > 0 else -math.inf


# Loudness by ITU-R BS.1770-4: K-weighting, blocks of 400 ms every 100 ms, two gates.


def blocks(sound):
    """The mean squares of the K-weighted 400 ms blocks, channels added."""
    rate = sound.rate
    gain, q, hertz = 3.999843853973347, 0.7071752369554196, 1681.974450955533
    k = math.tan(math.pi * hertz / rate)
    vh = 10 ** (gain / 20)
    vb = vh**0.4996667741545416
    a0 = 1 + k / q + k * k
    shelf = (
        (vh + vb * k / q + k * k) / a0, 2 * (k * k - vh) / a0, (vh - vb * k / q + k * k) / a0,
        2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0,
    )  # fmt: skip
    q, hertz = 0.5003270373238773, 38.13547087602444
    k = math.tan(math.pi * hertz / rate)
    a0 = 1 + k / q + k * k
    low = (1.0, -2.0, 1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0)
    step = rate // 10
    sums = [0.0] * (sound.frames // step)
    for c in sound.channels:
        weighted = biquad(biquad(c, *shelf), *low)
        for n in range(len(sums)):
            sums[n] += math.fsum(x * x for x in weighted[n * step : (n + 1) * step])
    return [sum(sums[n : n + 4]) / (4 * step) for n in range(len(sums) - 3)]


def loudness(squares):
    """LUFS of one track's blocks, or of an album's laid end to end."""

    def level(mean):
        return -0.691 + 10 * math.log10(mean)

    loud = [m for m in squares if m > 0 and level(m) > -70]
    gate = level(sum(loud) / len(loud)) - 10
    kept = [m for m in loud if level(m) > gate]
    return level(sum(kept) / len(kept))


def master(sound, lufs, ceiling=-1.5):
    """Sets the loudness; refuses, rather than bends, what would pass the ceiling (dBFS)."""
    sound.scale(10 ** ((lufs - loudness(blocks(sound))) / 20))
    peak = decibels(sound.peak())
    if peak > ceiling:
        raise SystemExit(f"make-sounds: {lufs} LUFS needs a peak of {peak:.1f} dB")


def samples(sound, seed):
    """16-bit samples, interleaved, with triangular dither of two steps; no dither in the digital
    silence before and after."""
    chance = random.Random(seed).random
    out = array("h", bytes(2 * sound.frames * len(sound.channels)))
    for index, c in enumerate(sound.channels):
        values = array("h", bytes(2 * len(c)))
        for i, x in enumerate(c):
            values[i] = math.floor(x * 32767 + chance() - chance() + 0.5) if x else 0
        out[index :: len(sound.channels)] = values
    return out


def from_samples(rate, channels, values):
    """The sound that is in a file: 16-bit samples back as numbers."""
    apart = [values[c::channels] for c in range(channels)]
    return Sound(rate, [array("d", (x / 32768 for x in one)) for one in apart])


def wav(rate, channels, values, before=b"", after=b""):
    """A plain WAV file of 16-bit samples; `before` and `after` are finished chunks around the
    data chunk."""
    data = values.tobytes()  # the script refuses big-endian machines at its start
    shape = (1).to_bytes(2, "little") + channels.to_bytes(2, "little") + rate.to_bytes(4, "little")
    shape += (rate * channels * 2).to_bytes(4, "little") + (channels * 2).to_bytes(2, "little")
    body = b"WAVE" + chunk(b"fmt ", shape + (16).to_bytes(2, "little")) + before
    return chunk(b"RIFF", body + chunk(b"data", data) + after)


def chunk(name, body):
    return name + len(body).to_bytes(4, "little") + body + bytes(len(body) & 1)
