#!/usr/bin/env bash
# Music on the built-in card first; then the headset comes, the music moves there, and the headset
# is pulled.
# shellcheck source=SCRIPTDIR/../guest/scene.sh
. "$LAB/guest/scene.sh"
sound-up pulse
play --output pulse
check "the music is heard on the built-in card" sounds "$HDA"
plug_headset
check "the headset comes: the music is heard there" sounds "$USB"
check "it has left the built-in card" settled "$HDA"
sleep 2
from=$(frames "$HDA")
mark=$(spoken)
unplug_headset
check "pulled out: sotto says that it paused" said 'Paused' "$mark"
sleep 3
check "not a sample of music on the built-in card" is_silent "$HDA" "$from"
check "sotto lives on" lives
key ' '
check "play is the user's wish: heard on the built-in card" sounds "$HDA" "$from"
check "q ends it with status 0" ends 0
finish
