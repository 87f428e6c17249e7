"""What a collection costs: reading it for the first time and again, starting with it, finding in it,
and its memory; beside the players that have a collection."""

import os
import shutil
import sqlite3
import subprocess
import time
import wave

from lab import Lab, Running, end, now
from players import Player
from screen import Terminal

HERE = os.path.dirname(os.path.abspath(__file__))
SMALL, LARGE = (5_000, 6), (100_000, 0.3)  # files, seconds of each
TIMES = 5  # the largest index is that of the large collection as often
QUEUED = 50_000  # tracks


def made(scratch, count, seconds):
    """The folder of a made collection; it stays for the next time."""
    folder = f"{scratch}/collection/{count}"
    if not os.path.exists(f"{folder}.made"):
        shutil.rmtree(folder, ignore_errors=True)
        print(f"library: making {count:,} files", flush=True)
        subprocess.run(["/usr/bin/python3", f"{HERE}/collection.py", folder, str(count), str(seconds)],
                       check=True)
        with open(f"{folder}.made", "w"):
            pass
    return folder


def evict(folder):
    """Takes the files out of the page cache, as far as one process may."""
    os.sync()
    for place, _, names in os.walk(folder):
        for name in names:
            descriptor = os.open(os.path.join(place, name), os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def run(command, env):
    """Seconds, processor seconds and peak MB of one program."""
    began = now()
    child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             text=True)
    # What wait4 tells of memory would be ours, from before the exec.
    most, ended = 0, 0
    while not ended:
        most = max(most, peak([child.pid]))
        time.sleep(0.002)
        ended, status, used = os.wait4(child.pid, os.WNOHANG)
    took = now() - began
    said = child.stderr.read()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)}: {child.returncode}: {said.strip()[-200:]}")
    return dict(s=took, cpu=used.ru_utime + used.ru_stime, peak=most)


def own(room):
    return {**room.env, "XDG_STATE_HOME": f"{room.home}/state"}


# MARK: sotto

def scans(room, binary, folder):
    env = own(room)
    shutil.rmtree(env["XDG_STATE_HOME"], ignore_errors=True)
    evict(folder)
    found = {"first scan, cold": run([binary, "scan", folder], env)}
    found["nothing changed"] = run([binary, "scan", folder], env)
    shutil.rmtree(env["XDG_STATE_HOME"])
    found["first scan, warm"] = run([binary, "scan", folder], env)
    return found


def grown(path, times):
    """Makes an index as many times as large, row by row: what was read stands there again in other
    folders and with other titles. Files of it are not there."""
    index = sqlite3.connect(path)

    def most(table):
        return index.execute(f"SELECT max(rowid) FROM {table}").fetchone()[0]

    folders, files, tracks = most("folder"), most("file"), most("track")
    for copy in range(1, times):
        changed = {
            ("folder", "id"): f"id + {copy * folders}",
            ("folder", "path"): f"CAST(path || ' {copy}' AS BLOB)",
            ("file", "id"): f"id + {copy * files}", ("file", "folder"): f"folder + {copy * folders}",
            ("track", "id"): f"id + {copy * tracks}", ("track", "file"): f"file + {copy * files}",
            ("track", "title"): f"'{copy}' || title",
            ("search", "track"): f"track + {copy * tracks}",
            ("search", "folder"): f"folder + {copy * folders}",
            ("search", "text"): f"CAST('{copy}' || text AS BLOB)",
        }
        for table, last in (("folder", folders), ("file", files), ("track", tracks),
                            ("search", tracks)):
            columns = [row[1] for row in index.execute(f"PRAGMA table_info({table})")]
            values = ", ".join(changed.get((table, name), f'"{name}"') for name in columns)
            names = ", ".join(f'"{name}"' for name in columns)
            index.execute(f"INSERT INTO {table}({names}) SELECT {values} FROM {table}"
                          f" WHERE rowid <= {last}")
    index.commit()
    index.close()


WORDS = [b"river", b"bjork", b"love", b"paper moon", b"river stone glass winter", b"artist:ember",
         b"year:1990..1999"]


def screen(room, binary, scratch):
    """Start, search and memory of the full screen, with the index that is there."""
    state = {"XDG_STATE_HOME": f"{room.home}/state"}
    found = {"exec to first frame": dict(ms=[]), "exec to the first search, answered": dict(ms=[]),
             "search, a keystroke": dict(ms=[])}
    # Nothing is compared with the files meanwhile, as with a player that runs for long.
    with open(f"{room.home}/settings", "w") as file:
        file.write("library-watch = off\n")
    command = ["play", "--output", "null", "--no-resume", "--config", f"{room.home}/settings"]
    for _ in range(5):
        with Terminal(scratch, binary, command, state) as terminal:
            shown = terminal.until(b"Library")
            found["exec to first frame"]["ms"].append((shown - terminal.started) * 1000)
            os.write(terminal.master, b"8/river")
            terminal.until(b" of ")
            found["exec to the first search, answered"]["ms"].append(
                (now() - terminal.started) * 1000)
    with Terminal(scratch, binary, command, state) as terminal:
        terminal.until(b"Library")
        terminal.settled(b"8")
        for words in WORDS:
            terminal.settled(b"/")
            for letter in words:
                found["search, a keystroke"]["ms"].append(terminal.settled(bytes([letter])))
            terminal.settled(b"\x15")
            terminal.settled(b"\x1b", 0.3)
        found["memory with it"] = dict(mb=terminal.resident())
    return found


def queued(room, binary, count):
    """All tracks of the index into the queue of a player that runs, by a command of its own."""
    env = {**own(room), "XDG_RUNTIME_DIR": room.run}
    track = f"{room.home}/silence.wav"
    with wave.open(track, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(8000 * 2 * 600))
    player = subprocess.Popen([binary, "play", "--output", "null", "--plain", track],
                              env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        limit = now() + 10
        while subprocess.run([binary, "ctl", "status"], env=env, capture_output=True).returncode:
            if now() > limit:
                raise RuntimeError("the player does not answer")
            time.sleep(0.05)
        found = {}
        wishes = {"all tracks into the queue": "search:track:>0"}
        # Every second track: five of the ten of an album.
        if count == 2 * QUEUED:
            wishes = {f"{QUEUED:,} tracks into the queue": "search:track:1..5", **wishes}
        for name, wish in wishes.items():
            began = now()
            subprocess.run([binary, "ctl", "add", wish], env=env, check=True, capture_output=True)
            found[name] = dict(ms=[(now() - began) * 1000])
        return found
    finally:
        end(player)


# MARK: Peers

def clock(processes):
    ticks = 0
    for process in processes:
        try:
            with open(f"/proc/{process}/stat") as file:
                words = file.read().rsplit(")", 1)[1].split()
            ticks += int(words[11]) + int(words[12])
        except OSError:
            pass
    return ticks / os.sysconf("SC_CLK_TCK")


def peak(processes, name="VmHWM"):
    total = 0
    for process in processes:
        try:
            with open(f"/proc/{process}/status") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith(name))
        except OSError:
            pass
    return total / 1024


def until_idle(processes, began, quiet=0.6, limit=600):
    """The end of the last moment at which the program used more than a tenth of a processor."""
    last, seen = now(), [(now(), clock(processes))]
    while now() - began < limit:
        time.sleep(0.02)
        seen.append((now(), clock(processes)))
        seen = [entry for entry in seen if entry[0] > now() - 0.1]
        if (seen[-1][1] - seen[0][1]) > 0.1 * (seen[-1][0] - seen[0][0]):
            last = now()
        if now() - last > quiet:
            break
    return last


def peers():
    mpd = ('music_directory "{music}"\ndb_file "{home}/mpd.db"\nlog_file "{home}/mpd.log"\n'
           'pid_file "{home}/mpd.pid"\nbind_to_address "{run}/mpd.sock"\nauto_update "no"\n'
           'audio_output {\n type "null"\n name "null"\n}\n')
    # Without a database MPD reads its folder by itself when it starts: it is made one of an empty
    # folder first. MPD lets go of its terminal before it heeds SIGHUP, which would end it when the
    # terminal closes: the shell stays and holds it.
    start = ("mpd {home}/empty.conf; until [ -s {home}/mpd.db ]; do sleep 0.05; done; "
             "mpd --kill {home}/empty.conf; mpd --no-daemon {home}/mpd.conf; true")
    return [
        (Player("cmus", "cmus", "cmus", pause="", resume="",
                files={"{home}/.config/cmus/rc": "set output_plugin=pulse\n"}),
         "cmus-remote -Q", {"first scan, cold": "cmus-remote -C 'add -l {collection}'",
                            "nothing changed": "cmus-remote -C update-cache",
                            "first scan, warm": None}, True),
        (Player("mpd", "mpd", start, pause="", resume="",
                files={"{home}/empty/.keep": "",
                       "{home}/empty.conf": mpd.replace("{music}", "{home}/empty"),
                       "{home}/mpd.conf": mpd.replace("{music}", "{collection}")}),
         "mpc -h {run}/mpd.sock status",
         {"first scan, cold": "mpc -q -h {run}/mpd.sock update --wait",
          "nothing changed": "mpc -q -h {run}/mpd.sock update --wait",
          "first scan, warm": "mpc -q -h {run}/mpd.sock rescan --wait"}, False),
        (Player("moc", "mocp", "mocp -S", pause="", resume="",
                files={"{home}/.moc/config": "SoundDriver = null\n"}),
         "mocp -i", {"first scan, cold": "mocp -c -a {collection}"}, True),
    ]


def peer(room, player, ready, steps, is_idle, folder):
    def filled(text):
        for name, value in (("{home}", room.home), ("{run}", room.run), ("{collection}", folder)):
            text = text.replace(name, value)
        return text

    def shell(text):
        return subprocess.run(["sh", "-c", filled(text)], env=room.env, capture_output=True)

    player.files = {path: text.replace("{collection}", folder)
                    for path, text in player.files.items()}
    found = {}
    with Running(player, room, [folder]) as running:
        limit = now() + 20
        while shell(ready).returncode:
            if now() > limit:
                raise RuntimeError(f"{player.name} does not answer")
            time.sleep(0.01)
        time.sleep(0.5)
        for name, command in steps.items():
            if command is None:
                continue
            if name == "first scan, cold":
                evict(folder)
            before, began = clock(running.own()), now()
            shell(command)
            done = until_idle(running.own(), began) if is_idle else now()
            found[name] = dict(s=done - began, cpu=clock(running.own()) - before,
                               peak=peak(running.own()))
        found["memory with it"] = dict(mb=peak(running.own(), "VmRSS"))
        if player.name == "cmus":
            shell("cmus-remote -C 'save -l'")
    return found


# MARK: All

def rows(scratch, binary, runs):
    result = []

    def note(player, count, found):
        for step, values in found.items():
            result.append(dict(player=player, files=count, step=step, load=load, **values))

    for count, seconds in (SMALL, LARGE):
        folder = made(scratch, count, seconds)
        for _ in range(runs if count == SMALL[0] else 1):
            load = os.getloadavg()[0]
            with Lab(scratch) as room:
                found = scans(room, binary, folder)
                found.update(screen(room, binary, scratch))
                found.update(queued(room, binary, count))
                note("sotto", count, found)
                if count == LARGE[0]:
                    grown(f"{room.home}/state/sotto/library.db", TIMES)
                    note("sotto", count * TIMES, screen(room, binary, scratch))
            for one in peers():
                if not one[0].installed:
                    continue
                with Lab(scratch) as room:
                    try:
                        note(one[0].name, count, peer(room, *one, folder))
                    except RuntimeError as error:
                        print(f"library: {error}", flush=True)
            print(f"library: {count:,} at load {load:.1f}", flush=True)
    return result
