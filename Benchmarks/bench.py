#!/usr/bin/env python3
"""Measures sotto beside the other terminal players that are installed, in one run.

Every run has a home, runtime folder, session bus and PulseAudio of its own; nothing reaches a real
device. Without options everything is measured (about 40 minutes) and Docs/Benchmarks.md is written
anew. With --only or --players the tables are printed, and written with --write; measures that were
not taken again keep their last numbers. `--only session,painter,screen --write` needs no player and changes
nothing but those sections."""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import library
import measure
import players
import remote
import report
import screen
import situations
import surroundings
from lab import Lab
from tracks import Tracks

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MEASURES = ["cpu", "wakeups", "start", "pause", "seek", "join", "heard", "around", "remote",
            "library", "session", "painter", "screen"]
CPU_FORMATS = ["flac", "mp3", "ogg", "opus", "m4a", "wav", "96k24"]


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAMES", help=f"some of {','.join(MEASURES)}")
    parser.add_argument("--players", metavar="NAMES", help="some players, as sotto,mpv")
    parser.add_argument("--formats", metavar="NAMES", help="some formats, as flac,mp3")
    parser.add_argument("-n", type=int, default=3, help="runs of each (default 3; start takes 3 n)")
    parser.add_argument("--turns", type=int, default=50, help="of each event heard (default 50)")
    parser.add_argument("--seconds", type=float, default=20, help="of steady playing (default 20)")
    parser.add_argument("-j", type=int, default=5,
                        help="cpu runs at once (default 5); runs that take times go two at once")
    parser.add_argument("--binary", default=f"{TOP}/.build/release/sotto", help="sotto's program")
    parser.add_argument("--scratch", default=f"{TOP}/.build/bench", help="for tracks and results")
    parser.add_argument("--write", action="store_true", help="write Docs/Benchmarks.md")
    parser.add_argument("--report", action="store_true", help="measure nothing, write the tables")
    return parser.parse_args()


class Bench:
    def __init__(self, chosen):
        self.options = chosen
        self.scratch = os.path.abspath(chosen.scratch)
        os.makedirs(self.scratch, exist_ok=True)
        chosen.binary = os.path.abspath(chosen.binary)
        self.made = Tracks(f"{self.scratch}/tracks")
        self.players = players.chosen(chosen.players, chosen.binary)

    def formats(self, default):
        asked = self.options.formats
        return [f for f in default if f in asked.split(",")] if asked else default

    def rows(self, name, jobs, work, at_once=1):
        """Does the jobs, each a tuple that begins with a player, and keeps what they gave."""
        def one(job):
            row = dict(player=job[0].name)
            try:
                row.update(work(*job))
            except Exception as error:  # a player that fails costs its own row only
                row["failed"] = f"{type(error).__name__}: {error}"
            label = " ".join(str(part) for part in job[1:])
            print(f"{name}: {job[0].name} {label}: {row.get('failed', 'ok')}", file=sys.stderr)
            return dict(zip(("format", "run"), job[1:]), **row)

        jobs = [job for job in jobs if not job[0].measures or name in job[0].measures]
        with ThreadPoolExecutor(at_once) as pool:
            rows = list(pool.map(one, jobs))
        with open(f"{self.scratch}/{name}.json", "w") as file:
            json.dump(rows, file, indent=1)

    def jobs(self, formats, runs):
        # The players take turns, so that what else the machine does falls on all alike.
        return [(p, f, r) for r in range(runs) for f in self.formats(formats)
                for p in self.players if p.plays("flac" if f == "96k24" else f)]

    def cpu(self):
        o = self.options
        for rate, formats in ((44100, CPU_FORMATS), (48000, ["flac", "mp3", "opus"])):
            self.rows(f"cpu{rate}", self.jobs(formats, o.n),
                      lambda p, f, r, rate=rate: measure.steady(
                          self.scratch, p, self.made, f, rate, 5, o.seconds), o.j)

    def wakeups(self):
        seconds = 3 * self.options.seconds
        jobs = [(p, "wav" if p.plays("wav") else "mp3", 0) for p in self.players]
        self.rows("playing", jobs, lambda p, f, r: measure.steady(
            self.scratch, p, self.made, f, 44100, 5, seconds), self.options.j)
        self.rows("paused", jobs, lambda p, f, r: measure.paused(
            self.scratch, p, self.made, f, seconds), self.options.j)

    def start(self):
        with Lab(self.scratch) as lab:
            monitor = lab.monitor()
            self.rows("start", self.jobs(["flac", "mp3", "wav"], 3 * self.options.n),
                      lambda p, f, r: dict(ms=measure.start(lab, monitor, p, self.made, f)))

    def pause(self):
        jobs = [(p, "flac" if p.plays("flac") else "mp3", r)
                for r in range(self.options.n) for p in self.players]
        self.rows("pause", jobs, lambda p, f, r: measure.pause(
            self.scratch, p, self.made, f, 3), 2)

    def seek(self):
        runs = min(2, self.options.n)
        self.rows("seek", self.jobs(["flac", "mp3", "ogg", "opus", "m4a"], runs),
                  lambda p, f, r: measure.seek(self.scratch, p, self.made, f, 6), 2)

    def join(self):
        formats = ["flac", "mp3", "lavf.mp3", "ogg", "opus", "m4a", "wav"]
        self.rows("join", self.jobs(formats, min(2, self.options.n)),
                  lambda p, f, r: dict(samples=measure.join(self.scratch, p, self.made, f)),
                  self.options.j)

    def heard(self):
        """What is heard of calls, prompts and unplugged headphones, and what mixing costs."""
        o = self.options
        rows = situations.rows(
            self.scratch, o.binary, self.made.music("mp3"), o.turns, o.seconds)
        with open(f"{self.scratch}/heard.json", "w") as file:
            json.dump(rows, file, indent=1)
        print("heard: ok", file=sys.stderr)

    def around(self):
        """What is heard of devices, of other programs and of servers that come and go."""
        o = self.options
        rows = surroundings.rows(self.scratch, o.binary, max(o.turns // 2, 2), o.seconds)
        with open(f"{self.scratch}/around.json", "w") as file:
            json.dump(rows, file, indent=1)
        print("around: ok", file=sys.stderr)

    def remote(self):
        """What media keys of a desktop get, beside the players that have MPRIS."""
        o = self.options
        rows = remote.rows(self.scratch, o.binary, max(o.turns // 2, 2), o.seconds)
        with open(f"{self.scratch}/remote.json", "w") as file:
            json.dump(rows, file, indent=1)
        print("remote: ok", file=sys.stderr)

    def library(self):
        """What a collection of 5,000 and of 100,000 files costs, beside the players that have one."""
        rows = library.rows(self.scratch, self.options.binary, self.options.n)
        with open(f"{self.scratch}/library.json", "w") as file:
            json.dump(rows, file, indent=1)
        print("library: ok", file=sys.stderr)

    def session(self):
        """What an event costs in the session's rules, without a player around them."""
        self.alone("session")

    def painter(self):
        """What a frame costs in the painter, without a terminal."""
        self.alone("painter", "screen")

    def screen(self):
        """What the full screen costs, without a sound server."""
        rows = screen.measure(self.scratch, self.options.binary, self.made.music("wav"),
                              self.options.n, self.options.seconds)
        load = os.getloadavg()[0]
        print("screen: ok", file=sys.stderr)
        with open(f"{self.scratch}/screen.json", "w") as file:
            json.dump([dict(row, load=load) for row in rows], file, indent=1)

    def alone(self, name, *kind):
        folder = f"{self.scratch}/{name}"
        subprocess.run([f"{TOP}/Scripts/pure-package", folder, *kind], check=True)
        subprocess.run(["swift", "build", "-c", "release", "--product", f"{name}-bench",
                        "--package-path", folder], check=True, stdout=sys.stderr)
        rows = []
        for run in range(self.options.n):
            output = subprocess.run([f"{folder}/.build/release/{name}-bench"], check=True,
                                    capture_output=True, text=True).stdout
            rows += [dict(row, run=run) for row in json.loads(output)]
            print(f"{name}: ok", file=sys.stderr)
        with open(f"{self.scratch}/{name}.json", "w") as file:
            json.dump(rows, file, indent=1)


def main():
    chosen = options()
    only = chosen.only.split(",") if chosen.only else MEASURES
    if set(only) - set(MEASURES):
        raise SystemExit(f"bench: the measures are {','.join(MEASURES)}")
    bench = Bench(chosen)
    if not chosen.report:
        if set(only) - set(report.ALONE):
            for format in CPU_FORMATS:  # made before anything is timed
                bench.made.music(format)
        for name in only:
            getattr(bench, name)()
    whole = not (chosen.only or chosen.players or chosen.formats)
    if not set(only) - set(report.ALONE) and not chosen.report:
        text = report.with_alone(bench.scratch, TOP, only)
    else:
        text = report.text(bench.scratch, TOP, bench.players, chosen.binary)
    if whole or chosen.write or chosen.report:
        with open(f"{TOP}/Docs/Benchmarks.md", "w") as file:
            file.write(text)
        print("wrote Docs/Benchmarks.md", file=sys.stderr)
    print(text)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
