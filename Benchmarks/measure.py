"""The measures. Each takes a player and a setting and returns numbers, or says why it has none."""

import time

import numpy as np

import tracks
from lab import BLOCK, RATE, Lab, Running, now, spent, usage


class Failed(Exception):
    """The player did not do what was asked: a result of its own, not a number."""


def locate(piece, whole):
    """Where piece lies in whole, to a fraction of a sample, and how well it fits (0 to 1)."""
    size = 1 << (len(whole) + len(piece) - 1).bit_length()
    match = np.fft.irfft(np.fft.rfft(whole, size) * np.conj(np.fft.rfft(piece, size)), size)
    match = match[: len(whole) - len(piece) + 1]
    energy = np.concatenate([[0], np.cumsum(whole**2)])
    energy = energy[len(piece):] - energy[: -len(piece)]
    fit = match / np.sqrt(np.maximum(energy, 1e-6) * max(1e-12, (piece**2).sum()))
    best, part = int(fit.argmax()), 0.0
    if 0 < best < len(fit) - 1:
        left, top, right = fit[best - 1: best + 2]
        bend = left - 2 * top + right
        part = 0.5 * (left - right) / bend if abs(bend) > 1e-12 else 0.0
    return best + part, float(fit[best])


def begin(player, lab, files, remote=False, block=BLOCK):
    """A player that sounds, its monitor, and the frame of its first sound."""
    monitor = lab.monitor(block)
    if remote and player.remote:
        running = Running(player, lab, files, player.remote)
        time.sleep(0.6)
        running.do(player.load)
    else:
        running = Running(player, lab, files)
    first = monitor.sound(0)
    if first is None:
        said = running.said[-200:]
        running.stop()
        raise Failed(f"no sound within 8 s: {said!r}")
    return running, monitor, first


def steady(scratch, player, made, format, rate, warm, seconds):
    """Processor time and wake-ups while playing, with no recorder attached."""
    with Lab(scratch, rate) as lab, Running(player, lab, [made.music(format)]) as running:
        time.sleep(warm)
        before, own, server = now(), running.own(), [lab.server.pid]
        first, first_server = usage(own), usage(server)
        time.sleep(seconds)
        elapsed = now() - before
        last, last_server, stream = usage(own), usage(server), lab.stream()
        if stream is None or running.own() != own:
            raise Failed(f"it did not play on: {running.said[-200:]!r}")
        cpu, wakeups = spent(first, last, elapsed)
        return dict(own=cpu, server=spent(first_server, last_server, elapsed)[0], wakeups=wakeups,
                    peak=last[1], stream=stream)


def paused(scratch, player, made, format, seconds):
    """Wake-ups a second while paused."""
    with Lab(scratch) as lab, Running(player, lab, [made.music(format)]) as running:
        if not lab.playing():
            raise Failed(f"it did not play: {running.said[-200:]!r}")
        time.sleep(3)
        running.do(player.pause)
        time.sleep(4)
        own, before = running.own(), now()
        first = usage(own)
        time.sleep(seconds)
        last, elapsed = usage(own), now() - before
        if lab.stream() is not None or running.own() != own:
            raise Failed("it did not stay paused")
        return dict(wakeups=spent(first, last, elapsed)[1])


def start(lab, monitor, player, made, format):
    """From exec to the first sound, in ms."""
    monitor.forget()
    since = monitor.frames
    with Running(player, lab, [made.music(format)]) as running:
        frame = monitor.sound(since)
        if frame is None:
            raise Failed(f"no sound within 8 s: {running.said[-200:]!r}")
        return (monitor.time_of(frame) - running.started) * 1000


def pause(scratch, player, made, format, times):
    """For each pause: command to silence, command to sound (ms), the height of the last sample
    before the silence (a click when it is not near nothing), and samples lost (+) or repeated (-).
    The last are counted in turns of their own, with the finest blocks."""
    timed = turns(scratch, player, made, format, times, BLOCK)
    counted = turns(scratch, player, made, format, times, 1)
    if not counted["lost"]:
        raise Failed("the recording does not fit the track")
    return dict(timed, lost=counted["lost"])


def turns(scratch, player, made, format, times, block):
    """Pauses and resumes, some times."""
    result = dict(silence=[], sound=[], lost=[], cut=[])
    with Lab(scratch) as lab:
        running, monitor, _ = begin(player, lab, [made.place(format)], block=block)
        with running:
            time.sleep(2)
            stretches = []
            for turn in range(times):
                moment = running.do(player.pause)
                stop = monitor.silence(monitor.frame_at(moment))
                if stop is None:
                    raise Failed("no silence within 4 s of the command")
                result["silence"].append((monitor.time_of(stop) - moment) * 1000)
                time.sleep(0.5 + 0.037 * turn)
                moment = running.do(player.resume)
                again = monitor.sound(max(stop, monitor.frame_at(moment)), 6, over=0)
                if again is None:
                    raise Failed("no sound within 6 s of the command")
                result["sound"].append((monitor.time_of(again) - moment) * 1000)
                time.sleep(0.8 + 0.041 * turn)
                stretches.append((stop, again))
            recorded = monitor.recording()[:, 0]
    whole, keep, length = tracks.sweep(60), 1500, 8000  # the fades stay out of the comparison
    for stop, again in stretches:
        result["cut"].append(float(np.abs(recorded[stop - 2: stop]).max()))
        before = recorded[stop - keep - length: stop - keep]
        after = recorded[again + keep: again + keep + length]
        if len(after) < length:
            continue
        (left, fit_left), (right, fit_right) = locate(before, whole), locate(after, whole)
        if min(fit_left, fit_right) > 0.9:
            result["lost"].append((right - keep) - (left + length + keep))
    return result


def seek(scratch, player, made, format, times):
    """From the command to the first sound of the new place, in ms, and the silence between."""
    result = dict(sound=[], hole=[])
    relative = bool(player.forward)
    with Lab(scratch) as lab:
        running, monitor, first = begin(player, lab, [made.sides(format)], remote=not relative)
        with running:
            # When the track changes sides by itself: a seek must be heard before that. A step of
            # five seconds leaves the moment as it is; a jump lands one second after a change.
            change, side = monitor.time_of(first) + tracks.SIDE, 0
            time.sleep(2.5)
            for turn in range(times):
                while change < now() + 1.8:
                    # Too near: wait for the change by itself, and half a second more.
                    time.sleep(max(0, change + 0.5 - now()))
                    change, side = change + tracks.SIDE, 1 - side
                if relative:
                    moment = running.do(player.back if turn % 2 else player.forward)
                else:
                    moment = running.do(player.seek, 11 if side else 96)
                other, given = 1 - side, monitor.frame_at(moment)
                frame = monitor.sound(given, change - 0.2 - now(), over=4000, channel=other)
                if frame is None:
                    raise Failed("a seek had no effect")
                if not relative:
                    change = monitor.time_of(frame) + tracks.SIDE - 1
                result["sound"].append((monitor.time_of(frame) - moment) * 1000)
                old = np.abs(monitor.recording()[given:frame, side])
                heard = np.nonzero(old > 0.05)[0]
                hole = frame - given - (int(heard[-1]) + 1 if len(heard) else 0)
                result["hole"].append(hole / RATE * 1000)
                side = other
                time.sleep(1.0 + 0.05 * turn)
    return result


def join(scratch, player, made, format):
    """Samples too many (+) or missing (-) where one file of a pair follows the other."""
    whole = tracks.sweep(8)
    with Lab(scratch) as lab:
        running, monitor, first = begin(player, lab, made.pair(format))
        with running:
            monitor.silence(first + int(7.5 * RATE), 13, over=200, hold=1.0)
            recorded = monitor.recording()[:, 0]
    length, keep = 22050, 4410
    before = whole[tracks.CUT - keep - length: tracks.CUT - keep]
    after = whole[tracks.CUT + keep: tracks.CUT + keep + length]
    (place_before, fit_before), (place_after, fit_after) = locate(before, recorded), locate(
        after, recorded)
    if min(fit_before, fit_after) < 0.8:
        raise Failed("the recording does not fit the pair")
    return place_after - place_before - (length + 2 * keep)
