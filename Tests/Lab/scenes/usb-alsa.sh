#!/usr/bin/env bash
# A USB headset pulled out while sotto plays on it by ALSA, and pushed back.
# shellcheck source=SCRIPTDIR/../guest/scene.sh
. "$LAB/guest/scene.sh"
sound-up
plug_headset
play --output alsa --device hw:Audio
check "the music is heard on the headset" sounds "$USB"
check "it is the tone of the file" is_tone "$USB"

unplug_headset
check "pulled out: sotto says that it paused" said 'Paused'
check "sotto lives on" lives
check "not a sample of music on the other card" is_silent "$HDA"

mark=$(spoken)
plug_headset
check "pushed back: sotto says that it is there" said 'is back\|Sound goes to' "$mark"
sleep 3
check "nothing begins by itself" is_silent "$USB"
key ' '
check "play goes on, on the headset" sounds "$USB"

key ' '
settled "$USB"
mark=$(spoken)
unplug_headset
check "pulled out while paused: sotto says that there is no device" said 'no device' "$mark"
check "sotto still lives" lives
check "not a sample of music on the other card to the end" is_silent "$HDA"
check "q ends it with status 0" ends 0
check "the other card would have been heard" built_in_card_works
finish
