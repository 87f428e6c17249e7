"""The four pieces, written as notes for this project. All their composers are dead for more
than a hundred years; the arrangements are the project's own.

Programs are General MIDI numbers less one, as the wire carries them.
"""

from score import Note, Part, Piece, line, pitch

PIANO, GUITAR, CELLO, BASS, PIZZICATO, HARP, TIMPANI = 0, 24, 42, 43, 45, 46, 47
STRINGS, SLOW_STRINGS, TRUMPET, HORNS, OBOE, BASSOON, FLUTE = 48, 49, 56, 60, 68, 70, 73


def prelude():
    """Johann Sebastian Bach, Prelude in C major, BWV 846 (1722): bars 1 to 4, then the last
    four, the last ones an octave up so that the hand does not jump. A beat is a quarter."""
    piano = Part(PIANO, volume=104, reverb=44)
    broken = [
        ("C4 E4 G4 C5 E5", 60),
        ("C4 D4 A4 D5 F5", 64),
        ("B3 D4 G4 D5 F5", 67),
        ("C4 E4 G4 C5 E5", 63),
        ("C3 C4 G4 Bb4 E5", 66),
    ]
    for bar, (names, loud) in enumerate(broken):
        keys = [pitch(name) for name in names.split()]
        for half in range(2):
            start = bar * 4 + half * 2
            soft = loud - (3 if half else 0)
            piano.notes.append(Note(start, 2, keys[0], soft + 4))
            piano.notes.append(Note(start + 0.25, 1.75, keys[1], soft - 3))
            for step, key in enumerate([2, 3, 4, 2, 3, 4]):
                accent = 3 if key == 4 else -2
                piano.notes.append(Note(start + 0.5 + step * 0.25, 0.3, keys[key], soft + accent))
    close = [
        ("C3 C4 F4 A4 C5 F5 C5 A4 C5 A4 F4 A4 F4 D4 F4 D4", 66, 58),
        ("C3 B3 G4 B4 D5 F5 D5 B4 D5 B4 G4 B4 D4 F4 E4 D4", 62, 50),
    ]
    for bar, (names, loud, to) in enumerate(close):
        start = 20 + bar * 4
        keys = [pitch(name) for name in names.split()]
        piano.notes.append(Note(start, 4, keys[0], loud + 3))
        piano.notes.append(Note(start + 0.25, 3.75, keys[1], loud - 3))
        for step, key in enumerate(keys[2:], 2):
            share = step / 16
            piano.notes.append(Note(start + step * 0.25, 0.3, key, loud + (to - loud) * share))
    for step, name in enumerate("C2 C3 G3 C4 E4 G4 C5".split()):
        piano.notes.append(Note(28 + step * 0.07, 6, pitch(name), 52 + (4 if step == 6 else 0)))
    for bar in range(8):
        piano.controls += [(bar * 4, 64, 0), (bar * 4 + 0.12, 64, 100)]
    return Piece(
        name="prelude", rate=44100, seconds=18.6, fade=1.6, loudness=-19.0, seed=846,
        tempo=[(0, 100), (2, 108), (24, 108), (27, 94), (28, 72), (40, 72)], parts=[piano],
    )  # fmt: skip


def gymnopedie():
    """Erik Satie, Gymnopédie No. 1 (1888): its first phrase, for flute, harp and strings.
    A beat is a quarter, three to the bar."""
    harp = Part(HARP, volume=104, pan=44, reverb=70)
    piano = Part(PIANO, volume=72, pan=70, reverb=60)
    strings = Part(SLOW_STRINGS, volume=74, pan=76, reverb=80)
    bass = Part(BASS, volume=88, pan=84, reverb=60)
    flute = Part(FLUTE, volume=104, pan=58, reverb=76)
    for bar in range(6):
        low, chord = ("G2", "B3+D4+F#4") if bar % 2 == 0 else ("D2", "A3+C#4+F#4")
        start = bar * 3
        loud = 54 + (4 if 2 <= bar <= 4 else 0)
        harp.notes += line(f"{low}/3", start, loud + 10, legato=1.6)
        bass.notes += line(f"{low}/2.9", start, loud - 4)
        piano.notes += line(f"{chord}/2", start + 1, loud - 10)
        harp.notes += line(f"{chord}/2", start + 1, loud - 4, legato=1.9)
        strings.notes += line(f"{chord}/2.1", start + 0.9, loud - 2)
        strings.swell(start + 0.9, start + 3, 62, 92)
    melody = "F#5/1 A5/1 | G5/1 F#5/1 C#5/1 | B4/1 C#5/1 D5/1 | A4/3 | F#4/5"
    flute.notes = line(melody, 7, 70, 60, legato=1.0)
    flute.swell(7, 12.05, 74, 116)
    flute.swell(12.1, 17.9, 70, 108)
    flute.swell(18, 23, 60, 88)
    last = 18
    harp.notes += line("D2+A2/5", last, 58) + line("D4/5", last + 1, 48)
    harp.notes += line("F#4/4", last + 1.12, 46) + line("A4/4", last + 1.24, 46)
    harp.notes += line("D5/4", last + 2, 44) + line("F#5/4", last + 2.5, 42)
    bass.notes += line("D2/4.5", last, 50)
    strings.notes += line("A3+D4+F#4/4.2", last + 0.6, 50)
    strings.swell(last + 0.6, last + 4.8, 56, 84)
    return Piece(
        name="gymnopedie", rate=48000, seconds=16.5, fade=2.0, loudness=-21.0, seed=1888,
        tempo=[(0, 88), (7, 93), (15, 93), (18, 84), (20, 72), (30, 72)],
        parts=[harp, piano, strings, bass, flute], room=0.75,
    )  # fmt: skip


def ode():
    """Ludwig van Beethoven, "Ode to Joy" from the Ninth Symphony (1824): the theme twice,
    strings first, then the full orchestra. A beat is a quarter, four to the bar."""
    violins = Part(STRINGS, volume=96, pan=40, reverb=60)
    low = Part(CELLO, volume=96, pan=84, reverb=56)
    basses = Part(BASS, volume=96, pan=88, reverb=50)
    inner = Part(STRINGS, volume=78, pan=78, reverb=60)
    bassoon = Part(BASSOON, volume=76, pan=70, reverb=60)
    trumpets = Part(TRUMPET, volume=76, pan=72, reverb=70)
    horns = Part(HORNS, volume=88, pan=48, reverb=74)
    timpani = Part(TIMPANI, volume=92, pan=58, reverb=60)
    first = "F#4/1 F#4/1 G4/1 A4/1 | A4/1 G4/1 F#4/1 E4/1 | D4/1 D4/1 E4/1 F#4/1 | "
    half, full = first + "F#4/1.5 E4/.5 E4/2", first + "E4/1.5 D4/.5 D4/3"
    upper = "D4/1 D4/1 E4/1 F#4/1 | D4/1 C#4/1 D4/1 C#4/1 | B3/1 B3/1 C#4/1 D4/1 | "
    tenor = "A3/1 A3/1 A3/1 A3/1 | A3/1 A3/1 A3/1 A3/1 | F#3/1 G3/1 A3/1 A3/1 | "
    ground = "D3/1 D3/1 C#3/1 D3/1 | F#3/1 E3/1 D3/1 A2/1 | B2/1 G2/1 C#3/1 D3/1 | "

    violins.notes = line(half, 0, 76, 86, legato=1.0)
    inner.notes = line(upper + "D4/1.5 C#4/.5 C#4/2", 0, 66, 74, legato=1.0)
    bassoon.notes = line(tenor + "A3/1.5 A3/.5 G3/2", 0, 62, 72)
    low.notes = line(ground + "A2/2 A2/1 A2/1", 0, 72, 84)

    violins.notes += line(full, 16, 92, 104, legato=1.0, transpose=12)
    violins.notes += line(full, 16, 80, 92, legato=1.0)
    trumpets.notes = line(full, 16, 86, 100, legato=0.92)
    inner.notes += line(upper + "C#4/1.5 A3/.5 D4/3", 16, 84, 96, legato=1.0)
    horns.notes = line(upper + "C#4/1.5 A3/.5 A3+F#4/3", 16, 78, 92)
    horns.notes += line(tenor + "G3/1.5 G3/.5 F#3/3", 16, 74, 88)
    bassoon.notes += line(tenor + "G3/1.5 G3/.5 F#3/3", 16, 78, 90)
    low.notes += line(ground + "A2/1 A2/1 D3/3", 16, 88, 100)
    basses.notes = line(ground + "A2/1 A2/1 D3/3", 16, 88, 100, transpose=-12)
    basses.notes = [note for note in basses.notes if note.pitch >= 28]  # its lowest string is E1
    timpani.notes = line("R/2 A2/.5 A2/.5 A2/1", 12, 54, 80)
    timpani.notes += line("D3/2 A2/1 D3/1 | D3/2 D3/1 A2/1 | D3/2 A2/1 D3/1", 16, 80, 90)
    timpani.notes += line("A2/.5 A2/.5 A2/.5 A2/.5 D3/.01", 28, 84, 100)
    for step in range(18):  # a roll under the last chord, dying away
        timpani.notes.append(Note(30.12 + step * 0.125, 0.12, pitch("D3"), 70 - step * 2.4))
    return Piece(
        name="ode", rate=44100, seconds=15.6, fade=1.0, loudness=-17.0, seed=1824,
        tempo=[(0, 144), (27, 144), (30, 118), (31, 112), (40, 112)],
        parts=[violins, low, basses, inner, bassoon, trumpets, horns, timpani], gain=0.35,
    )  # fmt: skip


CHORDS = {
    "Am": "A2 E3 A3 C4", "C": "C3 G3 C4 E4", "G": "G2 D3 G3 B3", "E": "E2 B2 E3 G#3",
    "F": "F2 C3 F3 A3", "A": "A2 E3 A3 C#4",
}  # fmt: skip

TURN = "D5/2 B4/1 G4/1.5 A4/.5 B4/1 | "
FALL = "C5/1.5 B4/.5 A4/1 G#4/1.5 F#4/.5 G#4/1 | A4/6"


def plucked(part, chords, start, loud):
    """Broken chords in sixes; each name in `chords` is half a bar (three beats)."""
    for index, name in enumerate(chords.split()):
        keys = [pitch(note) for note in CHORDS[name].split()]
        again = index % 2 == 1 and chords.split()[index - 1] == name
        order = [1, 3, 2] if again else [0, 2, 3]
        for step, key in enumerate(order):
            soft = loud + (8 if step == 0 else 0) - (4 if again else 0)
            part.notes.append(Note(start + index * 3 + step, 3.2 - step, keys[key], soft))


def verse():
    """Greensleeves (traditional, England, about 1580): the verse, for flute, guitar and cello.
    A beat is an eighth, six to the bar, with one before the first bar."""
    flute = Part(FLUTE, volume=100, pan=56, reverb=64)
    guitar = Part(GUITAR, volume=112, pan=74, reverb=44)
    cello = Part(CELLO, volume=62, pan=86, reverb=64)
    melody = "A4/1 | C5/2 D5/1 E5/1.5 F#5/.5 E5/1 | " + TURN
    melody += "C5/2 A4/1 A4/1.5 G#4/.5 A4/1 | B4/2 G#4/1 E4/2 A4/1 | "
    melody += "C5/2 D5/1 E5/1.5 F#5/.5 E5/1 | " + TURN + FALL
    flute.notes = line(melody, 0, 70, 74, legato=0.98)
    flute.swell(0, 12.9, 80, 112)
    flute.swell(13, 23.9, 76, 108)
    flute.swell(24, 36.9, 82, 116)
    flute.swell(37, 49, 72, 108)
    plucked(guitar, "Am Am G G Am Am E E Am Am G G F E", 1, 66)
    for step, name in enumerate("A2 E3 A3 C4 E4 A4".split()):
        guitar.notes.append(Note(43 + step * 0.5, 7 - step * 0.5, pitch(name), 68 - step * 3))
    cello.notes = line("A2/6 G2/6 A2/6 E2/6 A2/6 G2/6 F2/3 E2/3 A2/5.6", 1, 56, legato=1.0)
    cello.swell(1, 24.9, 60, 92)
    cello.swell(25, 49, 60, 96)
    return Piece(
        name="verse", rate=44100, seconds=12.6, fade=1.4, loudness=-18.5, seed=1580,
        tempo=[(0, 264), (4, 276), (37, 276), (43, 236), (44, 210), (60, 210)],
        parts=[flute, guitar, cello],
    )  # fmt: skip


def refrain():
    """Greensleeves: the refrain, with oboe, harp and strings, ending on a major chord."""
    strings = Part(STRINGS, volume=88, pan=46, reverb=66)
    flute = Part(FLUTE, volume=84, pan=56, reverb=66)
    oboe = Part(OBOE, volume=70, pan=72, reverb=66)
    harp = Part(HARP, volume=110, pan=40, reverb=60)
    cello = Part(CELLO, volume=78, pan=84, reverb=60)
    pizzicato = Part(PIZZICATO, volume=84, pan=88, reverb=54)
    head = "G5/3 G5/1.5 F#5/.5 E5/1 | "
    middle = "C5/2 A4/1 A4/1.5 G#4/.5 A4/1 | B4/2 G#4/1 E4/3 | "
    melody = head + TURN + middle + head + TURN + FALL
    strings.notes = line(melody, 0, 76, 84, legato=1.0)
    flute.notes = line(head + TURN + FALL.replace("A4/6", "A4/5"), 24, 70, 76)
    second = "E5/3 E5/1.5 D5/.5 C5/1 | B4/2 G4/1 D4/1.5 F#4/.5 G4/1 | "
    oboe.notes = line(second + "A4/2 E4/1 E4/3 | G#4/2 E4/1 B3/3 | ", 0, 60, 56)
    oboe.notes += line(second + "A4/1.5 G4/.5 F4/1 E4/1.5 D4/.5 E4/1 | C#4/5.5", 24, 62, 60)
    for start in (0, 12, 24, 36):
        strings.swell(start, start + 11.9, 84, 118)
        oboe.swell(start, start + 11.9, 78, 110)
        cello.swell(start, start + 11.9, 70, 104)
    plucked(harp, "C C G G Am Am E E C C G G F E", 0, 70)
    for step, name in enumerate("A2 E3 A3 C#4 E4 A4 C#5 E5 A5".split()):
        harp.notes.append(Note(42 + step * 0.36, 7, pitch(name), 72 - step * 2))
    cello.notes = line("C3/6 G2/6 A2/6 E2/6 C3/6 G2/6 F2/3 E2/3 A2+E3/5.5", 0, 62, legato=1.0)
    pizzicato.notes = line(
        "C3/3 G2/3 G2/3 D3/3 A2/3 E3/3 E2/3 B2/3 C3/3 G2/3 G2/3 D3/3 F2/3 E2/3 A2/3", 0, 66, 74
    )
    return Piece(
        name="refrain", rate=48000, seconds=12.8, fade=1.6, loudness=-18.0, seed=1584,
        tempo=[(0, 276), (35, 276), (42, 232), (43, 208), (60, 208)],
        parts=[strings, flute, oboe, harp, cello, pizzicato],
    )  # fmt: skip
