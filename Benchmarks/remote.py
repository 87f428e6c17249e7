"""What a desktop's media keys get: MPRIS Pause to silence and Play to sound, for each player that
has MPRIS; and what a client that asks for the position ten times a second costs."""

import os
import socket
import subprocess
import time

import lab
from lab import Lab, Running, now, spent, usage
from players import Player
from situations import Ear, Failed, RATE, made, player

HERE = os.path.dirname(os.path.abspath(__file__))


class Caller:
    def __init__(self, room):
        self.process = subprocess.Popen(
            ["/usr/bin/python3", f"{HERE}/caller.py"], env=room.env, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        words = self.process.stdout.readline().split()
        if not words or words[0] == "failed":
            raise Failed(f"{line}: {' '.join(words)}")
        return words

    def find(self, seconds=10):
        limit = now() + seconds
        while self.ask("find") == ["none"]:
            if now() > limit:
                raise Failed("no player on the bus")
            time.sleep(0.05)

    def call(self, method):
        before, after = map(float, self.ask(method))
        return before, (after - before) * 1000

    def stop(self):
        lab.end(self.process)


def players(binary):
    return [
        player(binary),
        Player("cmus", "cmus",
               "(until cmus-remote -C 'clear -q' 2>/dev/null; do sleep 0.003; done; "
               'for f in {files}; do cmus-remote -q "$f"; done; '
               "until cmus-remote -Q 2>/dev/null | grep -q '^status playing'; "
               "do cmus-remote -n; cmus-remote -p; sleep 0.02; done) & cmus",
               pause="", resume="",
               files={"{home}/.config/cmus/rc": "set output_plugin=pulse\nset mpris=true\n"}),
        Player("mpv", "mpv", "mpv --no-config --no-video --ao=pulse --audio-buffer=0.2 "
               "--script=/etc/mpv/scripts/mpris.so {files}", pause="", resume=""),
    ]


def measure(scratch, chosen, music, turns):
    """Milliseconds of each."""
    found = {"silent": [], "sounds": [], "answer": []}
    with Lab(scratch, RATE) as room:
        monitor = room.monitor(5)
        ear = Ear(monitor)
        with Running(chosen, room, [music]) as running:
            caller = Caller(room)
            try:
                ear.first(0, lambda level: level > 0.1, seconds=10)
                caller.find()
                time.sleep(1)
                for turn in range(turns):
                    time.sleep(0.3 + 0.013 * (turn % 17))
                    moment, answer = caller.call("Pause")
                    frame = monitor.frame_at(moment)
                    quiet = ear.first(frame, lambda level: level == 0, run=2400)
                    found["silent"].append((monitor.time_of(quiet) - moment) * 1000)
                    found["answer"].append(answer)
                    time.sleep(0.3)
                    moment, answer = caller.call("Play")
                    frame = monitor.frame_at(moment)
                    rise = ear.first(frame, lambda level: level > 0.1)
                    found["sounds"].append((monitor.time_of(rise) - moment) * 1000)
                    found["answer"].append(answer)
                    monitor.forget()
            finally:
                caller.stop()
    return found


def polling(scratch, binary, music, seconds):
    """Processor ms a second of the player without and with a client that asks for the position ten
    times a second, and the longest answer in ms; and round trips on the socket."""
    with Lab(scratch, RATE) as room:
        with Running(player(binary, "--plain"), room, [music]) as running:
            caller = Caller(room)
            caller.find()
            time.sleep(2)
            own = running.own()
            first, began = usage(own), now()
            time.sleep(seconds)
            without = spent(first, usage(own), now() - began)[0]
            first, began = usage(own), now()
            longest = float(caller.ask(f"poll {int(seconds * 10)}")[0])
            asked = spent(first, usage(own), now() - began)[0]
            caller.stop()
            trips = {line: socket_trips(room, line) for line in ("level 100", "status --json")}
    return dict(without=without, asked=asked, longest=longest, trips=trips)


def socket_trips(room, line, count=200):
    """Milliseconds from a line on the control socket to its whole answer, each on a connection of
    its own, as scripts do it."""
    found = []
    for turn in range(count):
        time.sleep(0.005 + 0.001 * (turn % 7))
        began = now()
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(f"{room.run}/sotto/sotto")
            link.sendall(line.encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n"):
                more = link.recv(65536)
                if not more:
                    raise Failed(f"{line}: no answer")
                answer += more
        found.append((now() - began) * 1000)
    return found


def rows(scratch, binary, turns, seconds):
    music = made(f"{scratch}/situations")
    result = []
    before, lab.RATE = lab.RATE, RATE
    try:
        for chosen in players(binary):
            if not chosen.installed:
                continue
            load = os.getloadavg()[0]
            try:
                found = measure(scratch, chosen, music, turns)
                result.append(dict(player=chosen.name, load=load, **found))
            except Failed as error:
                result.append(dict(player=chosen.name, load=load, failed=str(error)))
        result.append(dict(player="", **polling(scratch, binary, music, seconds)))
    finally:
        lab.RATE = before
    return result
