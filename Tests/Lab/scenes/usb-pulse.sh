#!/usr/bin/env bash
# A USB headset pulled out while sotto plays on it by PulseAudio, which moves streams to the other
# card by itself.
# shellcheck source=SCRIPTDIR/../guest/scene.sh
. "$LAB/guest/scene.sh"
sound-up pulse
plug_headset
check "the server plays on the headset" default_sink usb
play --output pulse
check "the music is heard on the headset" sounds "$USB"
check "it is the tone of the file" is_tone "$USB"

unplug_headset
check "pulled out: sotto says that it paused" said 'Paused'
sleep 3
check "sotto lives on" lives
check "not a sample of music on the other card" is_silent "$HDA"

mark=$(spoken)
plug_headset
default_sink usb
sleep 3
check "pushed back: nothing begins by itself" is_silent "$USB"
key ' '
check "play goes on, on the headset" sounds "$USB"
check "still not a sample of music on the other card" is_silent "$HDA"

for pull in 1 2 3; do
  mark=$(spoken)
  unplug_headset
  said 'Paused' "$mark"
  sleep 2
  check "pull $pull more: not a sample on the other card" is_silent "$HDA"
  plug_headset
  default_sink usb
  key ' '
  sounds "$USB"
done

mark=$(spoken)
unplug_headset
said 'Paused' "$mark"
from=$(frames "$HDA")
key ' '
check "play without the headset is the user's wish: heard on the other card" sounds "$HDA" "$from"
check "q ends it with status 0" ends 0
finish
