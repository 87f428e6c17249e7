"""The tables of Docs/Benchmarks.md from the results that bench.py left."""

import json
import os
import platform
import statistics
import subprocess

import players

HEAD = """# Benchmarks

Made by `make bench` on {date}, on {machine}. {versions}.

Every run has its own home, runtime folder, session bus and PulseAudio, whose null sink takes the place of a device. Players run on a terminal of 100 by 30. Numbers are medians; where two are given, the second is the worst. The machine is shared and small: compare within a table, not between days.

Sound is recorded from the sink's monitor in pieces of 5 ms, and an event is placed within its piece: **differences below 5 ms mean nothing**. What is commanded by a key (sotto, cmus, mpv, mpg123) or a line on a socket (MPD) costs no program's start; MOC's remote takes 2 to 5 ms. cmus and MPD have no argument for what to play: for the start a shell loop asks their sockets every 3 ms. MOC plays through ALSA's plug-in, having no PulseAudio output. All else is each player's default.
"""

NOTES = {
    "cpu44100": ("Processor time while playing, device at 44.1 kHz",
                 "Milliseconds a second: the player's own, then what it costs the sound server. "
                 "No recorder is attached. 96k24 is FLAC of 96 kHz and 24 bit."),
    "cpu48000": ("Processor time while playing, device at 48 kHz", "As above."),
    "peak": ("Peak memory", "Resident, in MB, from the same runs."),
    "wakeups": ("Wake-ups a second",
                "Voluntary context switches of all threads of the player, over {seconds} s. sotto "
                "shows its clock; with `--plain` it does not."),
    "start": ("Start", "From exec to the first sound on the monitor, ms."),
    "pause": ("Pause and resume",
              "From the command to silence and from the command to sound, ms; samples lost (+) or "
              "repeated (-) over the pause, which the recording tells to within about 44 (1 ms); and "
              "the height of the last sample before the silence, in percent of full scale: a high "
              "one is heard as a click."),
    "seek": ("Seek",
             "From the command to the first sound of the new place, ms; after the semicolon the "
             "silence in between. sotto steps five seconds by key, the others jump to a place 86 s "
             "away."),
    "join": ("Join",
             "Samples too many (+) or missing (-) where the second file of a pair, cut from one "
             "sweep, follows the first. 0 is less than half a sample. lavf.mp3 is MP3 whose tag "
             "says Lavf instead of LAME."),
    "heard": ("Calls, prompts, unplugged headphones",
              "From the key to what sotto's null sink is heard to do, ms: the median, and what 95 of "
              "100 do not exceed, over some dozens of turns with two seconds queued (one wake-up a "
              "second). A call falls for 100 ms and a duck for as long; pause and unplug fall for 10 "
              "ms and 0. PipeWire's recording comes in pieces of 21 ms, which is how far its figures "
              "may be off. Below, processor time with an MP3 alone, and with a game, a prompt and a "
              "message tone mixed into it, on the null output with `--plain`."),
    "around": ("The real system",
               "What is heard on the null sinks' monitors, ms: the median, and what 95 of 100 do not "
               "exceed. A call counts from the moment at which the server tells of its stream (one "
               "without a role has to play and record for 500 ms before it is one, and to be gone for "
               "2000 ms before it is over); a pulled headset from the order to unload it; a server "
               "that crashed from its first answer until the music's stream plays again, asked every "
               "50 ms."),
    "remote": ("By remote",
               "From the call of MPRIS Pause to silence and of Play to sound on the null sink's "
               "monitor, and until the call is answered, ms: the median, and what 95 of 100 do not "
               "exceed. Below, processor time of sotto with `--plain` without and with a client that "
               "asks for the position ten times a second."),
    "library": ("The collection",
                "A made collection: ten tracks an album, ten albums an artist, MP3, FLAC, Vorbis, Opus "
                "and AAC in turn, all with tags (`Benchmarks/collection.py`); 5,000 files of 6 s, and "
                "100,000 of 0.3 s; 500,000 is the index of 100,000 with each row five times, in other "
                "folders. Cold: no index, and the files out of the page cache. cmus and MOC "
                "do not tell when they are done: that is when they use no processor any more. MOC has "
                "a playlist, and no collection. Seconds, then processor seconds, then the peak of "
                "memory in MB; at load {load}."),
    "session": ("Session rules",
                "Nanoseconds for an event, with the deadlines that were due before it, on a desk's "
                "day: messages, a video, a call, a headset (`Benchmarks/session`). The last two rows "
                "are processor time of the whole mix, after a thousand and after a million events: a "
                "history must cost nothing."),
    "painter": ("Painter",
                "Microseconds of processor time and bytes for a frame, from the grid to what is "
                "written, on a terminal of today (`Benchmarks/painter`)."),
    "screen": ("Screen",
               "The full screen on a terminal of 100 by 30, on silence in real time: medians, with "
               "the worst where there are several (`Benchmarks/screen.py`). Memory is what the "
               "process has for itself, over that with one track. The machine's load when this was "
               "taken was {load} on {processors} processors."),
}


def load(scratch, name):
    try:
        with open(f"{scratch}/{name}.json") as file:
            return json.load(file)
    except FileNotFoundError:
        return []


def unique(values):
    return list(dict.fromkeys(values))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, r)) + " |" for r in rows]) + "\n"


def grid(rows, cell):
    """Players down, formats across; cell makes the text from the rows of one place."""
    formats = unique(r["format"] for r in rows)
    body = []
    for player in unique(r["player"] for r in rows):
        line = [player]
        for format in formats:
            here = [r for r in rows if (r["player"], r["format"]) == (player, format)]
            good = [r for r in here if "failed" not in r]
            line.append(cell(good) if good else "fails" if here else "–")
        body.append(line)
    return table(["player", *formats], body)


def median(rows, key):
    return statistics.median(r[key] for r in rows)


def joined(rows, key):
    return [v for r in rows for v in r[key]]


def two(values):
    return f"{statistics.median(values):.0f} ({max(values):.0f})"


def section(name, body, **words):
    title, note = NOTES[name]
    return f"## {title}\n\n{note.format(**words)}\n\n{body}"


def machine():
    def shell(command):
        return subprocess.run(["sh", "-c", command], capture_output=True, text=True).stdout.strip()

    system = shell(". /etc/os-release; echo $PRETTY_NAME")
    model = shell("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1")
    return f"{os.cpu_count()} processors ({model or platform.machine()}), {system}"


def pauses(rows):
    body = []
    for player in unique(r["player"] for r in rows):
        good = [r for r in rows if r["player"] == player and "failed" not in r]
        if not good:
            body.append([player, "fails", "", "", ""])
            continue
        lost = joined(good, "lost")
        worst = max(lost, key=abs)
        body.append([player, two(joined(good, "silence")), two(joined(good, "sound")),
                     f"{statistics.median(lost):+.0f} ({worst:+.0f})",
                     f"{100 * statistics.median(joined(good, 'cut')):.0f}"])
    return table(["player", "silent after", "sounds after", "samples lost", "last sample, %"], body)


def wakeups(playing, rest):
    body = []
    for player in unique(r["player"] for r in playing + rest):
        line = [player]
        for rows in (playing, rest):
            here = [r for r in rows if r["player"] == player]
            good = [r for r in here if "failed" not in r]
            line.append(f"{median(good, 'wakeups'):.1f}" if good else "fails" if here else "–")
        body.append(line)
    return table(["player", "playing", "paused"], body)


def session(rows):
    events = unique(r["event"] for r in rows)
    return table(["event", "ns"], [[e, f"{median([r for r in rows if r['event'] == e], 'ns'):.0f}"]
                                   for e in events])


def document(top):
    try:
        with open(f"{top}/Docs/Benchmarks.md") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def in_document(top, name):
    """The section as it stands in the document, or nothing."""
    head = f"## {NOTES[name][0]}\n"
    before, found, rest = document(top).partition(head)
    return found and found + rest.split("\n## ")[0].rstrip("\n") + "\n"


def painter(rows):
    frames = unique(r["frame"] for r in rows)
    here = {f: [r for r in rows if r["frame"] == f] for f in frames}
    return table(["frame", "µs", "bytes"],
                 [[f, f"{median(here[f], 'us'):.0f}", here[f][0]["bytes"]] for f in frames])


def heard(rows):
    timed = [r for r in rows if r["server"]]
    servers = unique(r["server"] for r in timed)

    def cell(server, measure):
        for row in timed:
            if (row["server"], row["measure"]) == (server, measure):
                values = sorted(row["ms"])
                return (f"{statistics.median(values):.0f} "
                        f"({values[min(len(values) - 1, int(0.95 * len(values)))]:.0f})")
        return "–"

    body = [[m, *[cell(s, m) for s in servers]] for m in unique(r["measure"] for r in timed)]
    turns = unique(f"{len(r['ms'])} turns, load {r['load']:.1f}" for r in timed)
    text = table(["event", *servers], body) + "\nTaken with " + "; ".join(turns) + ".\n"
    for row in (r for r in rows if r["measure"] == "mixing"):
        one, four = statistics.median(row["one"]), statistics.median(row["four"])
        text += "\n" + table(
            ["sources", "ms a second"],
            [["one", f"{one:.2f}"], ["four", f"{four:.2f} ({four / one:.1f} times)"]])
        text += f"\nTaken at load {row['load']:.1f}.\n"
    return text


def around(rows):
    text = heard(rows)
    leaked = ", ".join(f"{r['leaked']} on {r['server']}" for r in rows if "leaked" in r)
    return text + f"\nSamples on the speakers after a headset was pulled: {leaked}.\n"


def remote(rows):
    def cell(values):
        values = sorted(values)
        return (f"{statistics.median(values):.1f} "
                f"({values[min(len(values) - 1, int(0.95 * len(values)))]:.1f})")

    timed = [r for r in rows if r["player"]]
    text = table(["player", "Pause, silent", "Play, sounds", "answered"],
                 [[r["player"], *([r["failed"], "–", "–"] if "failed" in r else
                   [cell(r["silent"]), cell(r["sounds"]), cell(r["answer"])])] for r in timed])
    for row in (r for r in rows if not r["player"]):
        text += "\n" + table(["", "ms a second"], [
            ["not asked", f"{row['without']:.2f}"],
            ["asked ten times a second", f"{row['asked']:.2f}"]])
        text += f"\nThe longest answer took {row['longest']:.1f} ms.\n\n"
        text += table(["a line on the socket of `sotto ctl`, connecting included", "ms"],
                      [[f"`{line}`", cell(values)] for line, values in row["trips"].items()])
    return text


def collection(rows):
    text = ""
    for count in unique(r["files"] for r in rows):
        here = [r for r in rows if r["files"] == count]
        names = unique(r["player"] for r in here)

        def cell(player, step):
            found = [r for r in here if (r["player"], r["step"]) == (player, step)]
            if not found:
                return "–"
            if "mb" in found[0]:
                return f"{statistics.median(r['mb'] for r in found):.0f} MB"
            if "ms" in found[0]:
                values = sorted(v for r in found for v in r["ms"])
                return f"{statistics.median(values):.1f} ({values[-1]:.1f}) ms"
            return ", ".join(f"{statistics.median(r[key] for r in found):{form}}"
                             for key, form in (("s", ".2f"), ("cpu", ".2f"), ("peak", ".0f")))

        steps = unique(r["step"] for r in here if r["step"] != "failed")
        text += f"\n{count:,} files:\n\n" + table(
            ["", *names], [[s, *[cell(n, s) for n in names]] for s in steps])
    return text.lstrip("\n")


def screen(rows):
    def number(value, unit):
        return f"{value:.1f} {unit}"

    return table(["what", "is", "worst", "aim"],
                 [[r["name"], number(r["value"], r["unit"]),
                   number(r["worst"], r["unit"]) if r["worst"] != r["value"] else "",
                   "" if r["aim"] is None else f"{r['aim']} {r['unit']}"] for r in rows])


def alone(name, rows):
    """A section of its own, from results."""
    words = dict(load=f"{rows[0]['load']:.1f}", processors=os.cpu_count()) if "load" in rows[0] else {}
    return section(name, ALONE[name](rows), **words)


# What is measured without players, and may be measured alone.
ALONE = {"heard": heard, "around": around, "remote": remote,
         "library": collection, "session": session, "painter": painter, "screen": screen}


def with_alone(scratch, top, names):
    """The document with new sections of these, and nothing else changed."""
    whole = document(top)
    for name in names:
        new, old = alone(name, load(scratch, name)), in_document(top, name)
        if old:
            whole = whole.replace(old, new)
        else:
            before, failed, rest = whole.partition("## What failed\n")
            whole = before.rstrip("\n") + "\n\n" + new + ("\n" + failed + rest if failed else "")
    return whole


def text(scratch, top, chosen, binary):
    date = subprocess.run(["date", "-u", "+%F"], capture_output=True, text=True).stdout.strip()
    out = [HEAD.format(date=date, machine=machine(), versions=players.versions(chosen, binary))]
    notes = f"{top}/Benchmarks/notes.md"
    if os.path.exists(notes):
        with open(notes) as file:
            out.append(file.read())

    def add(name, rows, body, **words):
        if rows:
            out.append(section(name, body(rows), **words))

    cpu = load(scratch, "cpu44100")
    cost = lambda rows: grid(
        rows, lambda g: f"{median(g, 'own'):.1f} + {median(g, 'server'):.1f}")
    add("cpu44100", cpu, cost)
    add("cpu48000", load(scratch, "cpu48000"), cost)
    add("peak", cpu, lambda rows: grid(rows, lambda g: f"{median(g, 'peak'):.0f}"))
    playing, rest = load(scratch, "playing"), load(scratch, "paused")
    add("wakeups", playing + rest, lambda _: wakeups(playing, rest), seconds=60)
    add("start", load(scratch, "start"),
        lambda rows: grid(rows, lambda g: two([r["ms"] for r in g])))
    add("pause", load(scratch, "pause"), pauses)
    add("seek", load(scratch, "seek"), lambda rows: grid(
        rows, lambda g: f"{two(joined(g, 'sound'))}; "
                        f"{statistics.median(joined(g, 'hole')):.0f}"))

    def gap(good):
        samples = [r["samples"] for r in good]
        return "0" if all(abs(s) < 0.5 for s in samples) else f"{statistics.median(samples):+.0f}"

    add("join", load(scratch, "join"), lambda rows: grid(rows, gap))
    for name in ALONE:
        # Taken without players, it may not be among the results here.
        rows = load(scratch, name)
        out += [alone(name, rows) if rows else in_document(top, name)]
    failed = [f"- {name}: {r['player']} {r['format']}: {r['failed']}"
              for name in ("cpu44100", "cpu48000", "playing", "paused", "start", "pause", "seek",
                           "join")
              for r in load(scratch, name) if "failed" in r]
    if failed:
        out.append("## What failed\n\n" + "\n".join(unique(failed)) + "\n")
    return "\n".join(out)
