"""Calls players by MPRIS on the session bus, for remote.py: a command a line, an answer a line.
A process of its own, with the distribution's Python, which has the bindings. Times are of the
monotonic clock, so that they can be compared with the recording's."""

import sys
import time

import dbus

bus = dbus.SessionBus()
PREFIX = "org.mpris.MediaPlayer2."
PLAYER = PREFIX + "Player"
target = None


def answer(*words):
    print(*words, flush=True)


for line in sys.stdin:
    command, _, argument = line.strip().partition(" ")
    try:
        if command == "find":
            names = [str(n) for n in bus.list_names() if str(n).startswith(PREFIX)]
            if not names:
                answer("none")
                continue
            target = bus.get_object(names[0], "/org/mpris/MediaPlayer2", introspect=False)
            answer(names[0])
        elif command == "poll":
            # So many questions, ten a second: how long the longest answer took, in ms.
            longest = 0.0
            for _ in range(int(argument)):
                began = time.monotonic()
                target.Get(PLAYER, "Position", dbus_interface=dbus.PROPERTIES_IFACE)
                longest = max(longest, time.monotonic() - began)
                time.sleep(0.1)
            answer(longest * 1000)
        else:
            before = time.monotonic()
            target.get_dbus_method(command, PLAYER)()
            answer(before, time.monotonic())
    except dbus.DBusException as error:
        answer("failed", error.get_dbus_name())
