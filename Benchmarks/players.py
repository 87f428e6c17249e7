"""The players: how each is started and told what to do.

A command is `key:TEXT` (typed on its terminal), `socket:PATH:LINE`, `fifo:PATH:LINE` or
`run:COMMAND` (a program of its own, whose start is part of the time that is measured). {files}
(quoted for a shell), {file}, {home}, {run} and {at} (seconds) are filled in."""

import dataclasses
import os
import shutil
import subprocess


@dataclasses.dataclass
class Player:
    name: str
    program: str  # what must be installed
    command: str
    pause: str
    resume: str
    seek: str = ""  # to {at}
    forward: str = ""  # five seconds on
    back: str = ""
    formats: tuple = ()  # empty: all
    files: dict = dataclasses.field(default_factory=dict)
    remote: str = ""  # a command that starts it for `seek`, where that is another
    load: str = ""
    packages: tuple = ()
    measures: tuple = ()  # empty: all

    def plays(self, format):
        return not self.formats or format.split(".")[-1] in self.formats

    @property
    def installed(self):
        return shutil.which(self.program) is not None


def sotto(binary):
    return [
        Player("sotto", binary, f"{binary} play {{files}}", pause="key: ", resume="key: ",
               forward="key:\x1b[C", back="key:\x1b[D"),
        # Without a clock on the screen, and without keys.
        Player("sotto --plain", binary, f"{binary} play --plain {{files}}", pause="", resume="",
               measures=("playing",)),
    ]


PEERS = [
    Player(
        "cmus", "cmus",
        # cmus has no argument for what to play: its remote is asked until it answers.
        "(until cmus-remote -C 'clear -q' 2>/dev/null; do sleep 0.003; done; "
        'for f in {files}; do cmus-remote -q "$f"; done; '
        "until cmus-remote -Q 2>/dev/null | grep -q '^status playing'; "
        "do cmus-remote -n; cmus-remote -p; sleep 0.02; done) & cmus",
        pause="key:c", resume="key:c", seek="run:cmus-remote -k {at}",
        files={"{home}/.config/cmus/rc": "set output_plugin=pulse\n"},
        packages=("cmus", "cmus-plugin-ffmpeg")),
    Player(
        "mpv", "mpv",
        "mpv --no-video --ao=pulse --input-ipc-server={run}/mpv.sock {files}",
        pause="key: ", resume="key: ", seek="socket:{run}/mpv.sock:seek {at} absolute",
        packages=("mpv",)),
    Player(
        "moc", "mocp", "mocp -S && mocp -l {files}",
        pause="run:mocp -P", resume="run:mocp -U", seek="run:mocp -j {at}s",
        # MOC has no PulseAudio output: it plays through ALSA's plug-in.
        files={"{home}/.moc/config": "SoundDriver = ALSA\nALSADevice = default\n",
               "{home}/.asoundrc": "pcm.!default { type pulse }\nctl.!default { type pulse }\n"},
        packages=("moc", "moc-ffmpeg-plugin", "libasound2-plugins")),
    Player(
        "mpd", "mpd",
        "(export MPD_HOST={run}/mpd.sock; until mpc -q clear 2>/dev/null; do sleep 0.003; done; "
        'for f in {files}; do mpc -q add "file://$f"; done; mpc -q play) & '
        "mpd --no-daemon {home}/mpd.conf",
        pause="socket:{run}/mpd.sock:pause 1", resume="socket:{run}/mpd.sock:pause 0",
        seek="socket:{run}/mpd.sock:seekcur {at}",
        files={"{home}/music/.keep": "",
               "{home}/mpd.conf": 'music_directory "{home}/music"\ndb_file "{home}/mpd.db"\n'
               'log_file "{home}/mpd.log"\nbind_to_address "{run}/mpd.sock"\nauto_update "no"\n'
               'audio_output {\n type "pulse"\n name "pulse"\n'
               ' server "unix:{run}/pulse/native"\n}\n'},
        packages=("mpd", "mpc")),
    Player(
        "mpg123", "mpg123", "mpg123 -o pulse {files}", pause="key: ", resume="key: ",
        seek="fifo:{run}/mpg.fifo:JUMP {at}s", remote="mpg123 -o pulse -R --fifo {run}/mpg.fifo",
        load="fifo:{run}/mpg.fifo:LOAD {file}", formats=("mp3",), packages=("mpg123",)),
]


def chosen(names, binary):
    """The players asked for, or all that are installed, sotto first."""
    known = [*sotto(binary), *PEERS]
    if not names:
        return [p for p in known if p.installed]
    wanted = names.split(",")
    unknown = set(wanted) - {p.name for p in known}
    if unknown:
        raise SystemExit(f"bench: no player {', '.join(sorted(unknown))}; "
                         f"there are {', '.join(p.name for p in known)}")
    players = [p for p in known if p.name in wanted]
    for player in players:
        if not player.installed:
            raise SystemExit(f"bench: {player.name} is not installed")
    return players


def versions(players, binary):
    """One line: what was measured."""
    found = []
    if os.access(binary, os.X_OK):
        text = subprocess.run([binary, "--version"], capture_output=True, text=True).stdout
        found.append(text.splitlines()[0] if text else "sotto")
    names = [n for p in players for n in p.packages] + ["pulseaudio", "ffmpeg", "lame"]
    if shutil.which("dpkg-query"):
        found += subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *names],
                                capture_output=True, text=True).stdout.splitlines()
    return ", ".join(found)
