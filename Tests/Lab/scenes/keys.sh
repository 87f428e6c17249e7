#!/usr/bin/env bash
# Media keys of a keyboard and the buttons of a headset reach the kernel's input devices. No desktop
# is here that would give them to a player: sotto reads them itself, and obeys.
# shellcheck source=SCRIPTDIR/../guest/scene.sh
. "$LAB/guest/scene.sh"
device() { grep -A5 "Name=\"$1\"" /proc/bus/input/devices | grep -om1 'event[0-9]*'; }
watchers=()
watch_keys() {
  stdbuf -oL evtest "/dev/input/$(device "$1")" >"$2" &
  watchers+=($!)
  wait-for 30 "grep -q Testing $2"
}
presses() { grep -c 'EV_KEY.*value 1$' "$1"; }

sound-up
mkfifo /run/buttons
headset-keys </run/buttons &
exec 8>/run/buttons
wait-for 30 'grep -q "lab headset" /proc/bus/input/devices'
play --output alsa --device hw:0
check "the music is heard" sounds "$HDA"
watch_keys "lab headset" /run/headset.txt
watch_keys "AT Raw Set 2 keyboard" /run/keyboard.txt

for name in playpause nextsong previoussong volumeup volumedown media; do echo "press $name" >&8; done
for name in audioplay audionext audioprev volumeup volumedown audiomute audiostop mediaselect; do
  lab press "$name"
done
wait-for 30 "grep -q 'KEY_MEDIA), value 0' /run/headset.txt && grep -q 'KEY_MEDIA), value 0' /run/keyboard.txt"
check "six buttons of the headset arrive" test "$(presses /run/headset.txt)" = 6
check "eight keys of the keyboard arrive" test "$(presses /run/keyboard.txt)" = 8
check "play and pause are obeyed" said 'Paused\.'
check "stop is obeyed" said 'Stopped\.'
check "the volume keys change the level" said 'own level 95 percent'
check "the mute key mutes" said 'sotto is muted'
kill "${watchers[@]}"
check "q ends it with status 0" ends 0
finish
