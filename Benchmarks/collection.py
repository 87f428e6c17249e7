"""Makes a collection of tagged files: one short sound in each of five formats, copied under names and
tags of its own. Run by the system's Python, whose mutagen (no library that sotto reads tags with)
writes the tags.

usage: collection.py FOLDER FILES SECONDS"""

import os
import random
import subprocess
import sys

import mutagen
from mutagen.easyid3 import EasyID3
from mutagen.easymp4 import EasyMP4
from mutagen.id3 import ID3NoHeaderError

FORMATS = {
    "mp3": ["-c:a", "libmp3lame", "-b:a", "128k"], "flac": ["-c:a", "flac"],
    "ogg": ["-c:a", "libvorbis", "-q:a", "3"], "opus": ["-ar", "48000", "-c:a", "libopus", "-b:a", "96k"],
    "m4a": ["-c:a", "aac", "-b:a", "128k"],
}
TRACKS, ALBUMS = 10, 10  # of an album, of an artist
WORDS = ("night river stone Björk glass winter house fire Señor road silver moon Łódź garden ghost "
         "summer machine ocean paper crow Straße window dust train hollow 東京 ember signal 音楽 salt "
         "mirror valley tide carbon velvet echo prairie lantern Ångström copper thunder orchid").split()
GENRES = ["Rock", "Jazz", "Electronic", "Folk", "Classical", "Hip-Hop", "Ambient"]


def base(folder, seconds):
    made = {}
    os.makedirs(folder, exist_ok=True)
    for suffix, words in FORMATS.items():
        made[suffix] = f"{folder}/base.{suffix}"
        subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i",
             f"anoisesrc=d={seconds}:c=pink:a=0.2:seed=1:r=44100", "-ac", "2", "-bitexact",
             *words, made[suffix]], check=True)
    sounds = {}
    for suffix, path in made.items():
        with open(path, "rb") as file:
            sounds[suffix] = file.read()
        os.unlink(path)
    return sounds


def tag(path, suffix, tags):
    if suffix == "mp3":
        try:
            file = EasyID3(path)
        except ID3NoHeaderError:
            file = EasyID3()
    else:
        file = EasyMP4(path) if suffix == "m4a" else mutagen.File(path)
    for name, value in tags.items():
        file[name] = [value]
    if suffix == "mp3":
        file.save(path)
    else:
        file.save()


def make(folder, count, seconds):
    chance = random.Random(1)
    sounds = base(folder, seconds)

    def words(most):
        return " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, most)))

    artist = album = place = ""
    for number in range(count):
        if number % (TRACKS * ALBUMS) == 0:
            artist = f"{words(2)} {number // (TRACKS * ALBUMS)}"
        if number % TRACKS == 0:
            album, year = f"{words(3)} {number // TRACKS}", chance.randint(1960, 2026)
            genre = chance.choice(GENRES)
            place = os.path.join(folder, artist, album)
            os.makedirs(place)
        suffix = list(FORMATS)[number % len(FORMATS)]
        title = f"{words(4)} {number}"
        path = os.path.join(place, f"{number % TRACKS + 1:02} {title}.{suffix}")
        with open(path, "wb") as file:
            file.write(sounds[suffix])
        tag(path, suffix, {"title": title, "artist": artist, "albumartist": artist, "album": album,
                           "tracknumber": f"{number % TRACKS + 1}", "date": str(year),
                           "genre": genre})


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
