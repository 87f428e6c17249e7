"""The test tracks, made here and nowhere else: a mix like music, sweeps that never repeat (so that
a piece of a recording tells its place), and a track that changes sides every five seconds."""

import os
import subprocess
import threading
import wave

import numpy as np

RATE = 44100
CUT = 4 * RATE + 123  # where the gapless pair is cut
SIDE = 5  # seconds on each side in the seek track
ENCODERS = {
    "flac": ["-c:a", "flac"],
    "ogg": ["-c:a", "libvorbis", "-q:a", "6"],
    "opus": ["-c:a", "libopus", "-b:a", "160k"],
    "m4a": ["-c:a", "aac", "-b:a", "256k", "-movflags", "+faststart"],
    "lavf.mp3": ["-c:a", "libmp3lame", "-b:a", "320k"],
}


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *arguments], check=True)


def sweep(seconds):
    """A tone whose height wanders in three rhythms that have no common period."""
    t = np.arange(seconds * RATE) / RATE
    height = (700 + 500 * np.sin(2 * np.pi * 0.031 * t) + 250 * np.sin(2 * np.pi * 0.377 * t + 1)
              + 120 * np.sin(2 * np.pi * 1.713 * t + 0.4))
    return 0.5 * np.sin(2 * np.pi * np.cumsum(height) / RATE)


def music(seconds):
    """Plucked chords, a bass, a beat and some noise: enough for an encoder to work on."""
    random, length = np.random.default_rng(2), seconds * RATE
    out = random.standard_normal((length, 2)) * 0.004
    t = np.arange(2 * RATE) / RATE
    chords = [[57, 60, 64, 69], [53, 57, 60, 65], [48, 55, 60, 64], [55, 59, 62, 67]]

    def pluck(key):
        pitch = 440 * 2 ** ((key - 69) / 12)
        tones = [np.sin(2 * np.pi * pitch * h * t) / h * np.exp(-t * (1.2 + 0.7 * h))
                 for h in range(1, 9) if pitch * h < 20000]
        return sum(tones) * np.minimum(1, t / 0.003)

    plucked = {}
    for beat in range(0, length // (RATE // 2)):
        start, chord = beat * (RATE // 2), chords[(beat // 8) % 4]
        notes = [(chord[random.integers(4)] + 12 * random.integers(2), 0.18) for _ in range(2)]
        for key, gain in [*notes, (chord[0] - 24, 0.25)]:
            tone = plucked.setdefault(key, pluck(key))[: length - start]
            side = random.uniform(0.2, 0.8)
            out[start:start + len(tone), 0] += tone * gain * (1 - side)
            out[start:start + len(tone), 1] += tone * gain * side
        drum = (random.standard_normal(RATE // 5) * np.exp(-np.arange(RATE // 5) / RATE * 22))
        drum = drum[: length - start]
        out[start:start + len(drum)] += 0.12 * drum[:, None]
    out /= max(1, np.abs(out).max() / 0.9)
    out[:441] += 0.3 * (1 - np.abs(out[:441]))  # heard from the first sample
    return out


def seek_track(seconds):
    """A tone on the left for five seconds, on the right for five, and so on."""
    t = np.arange(seconds * RATE)
    tone = 0.6 * np.sin(2 * np.pi * 441 * t / RATE)
    right = (t // (SIDE * RATE)) % 2 == 1
    return np.stack([np.where(right, 0, tone), np.where(right, tone, 0)], 1)


def both(mono):
    return np.stack([mono, 0.9 * mono], 1)


class Tracks:
    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.RLock()  # several runs may ask for one track at once
        os.makedirs(folder, exist_ok=True)

    def _wave(self, name, make):
        path = f"{self.folder}/{name}.wav"
        if not os.path.exists(path):
            samples = np.clip(np.round(make() * 32767), -32768, 32767).astype("<i2")
            with wave.open(path + ".part", "wb") as file:
                file.setnchannels(2)
                file.setsampwidth(2)
                file.setframerate(RATE)
                file.writeframes(samples.tobytes())
            os.rename(path + ".part", path)
        return path

    def _encode(self, name, format, make):
        with self.lock:
            return self._encoded(name, format, make)

    def _encoded(self, name, format, make):
        source = self._wave(name, make)
        if format == "wav":
            return source
        path = f"{self.folder}/{name}.{format}"
        if not os.path.exists(path):
            part = f"{self.folder}/part-{name}.{format}"
            if format == "mp3":  # lame itself, whose tag says LAME
                subprocess.run(["lame", "--quiet", "-b", "320", source, part], check=True)
            else:
                ffmpeg("-i", source, "-map_metadata", "-1", *ENCODERS[format], part)
            os.rename(part, path)
        return path

    def music(self, format):
        if format != "96k24":
            return self._encode("music", format, lambda: music(180))
        with self.lock:
            return self._high()

    def _high(self):
        """96 kHz and 24 bit."""
        path = f"{self.folder}/music-96k24.flac"
        if not os.path.exists(path):
            part = f"{self.folder}/part-96k24.flac"
            ffmpeg("-i", self._wave("music", lambda: music(180)), "-af",
                   "aresample=96000:osf=s32", "-sample_fmt", "s32", "-bits_per_raw_sample", "24",
                   part)
            os.rename(part, path)
        return path

    def place(self, format):
        """A sweep of 150 s: any piece of it tells the position."""
        return self._encode("place", format, lambda: both(sweep(150)))

    def sides(self, format):
        return self._encode("sides", format, lambda: seek_track(150))

    def pair(self, format):
        """Eight seconds of sweep in two files."""
        whole = both(sweep(8))
        return [self._encode("join-1", format, lambda: whole[:CUT]),
                self._encode("join-2", format, lambda: whole[CUT:])]
