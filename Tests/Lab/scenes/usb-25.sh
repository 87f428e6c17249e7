#!/usr/bin/env bash
# The headset pulled 25 times in a row out of one sotto that plays by ALSA.
# shellcheck source=SCRIPTDIR/../guest/scene.sh
. "$LAB/guest/scene.sh"
pulls=25
sound-up
plug_headset
play --output alsa --device hw:Audio
paused=0 resumed=0
for ((pull = 1; pull <= pulls; pull++)); do
  sounds "$USB" || break
  resumed=$((resumed + 1))
  mark=$(spoken)
  unplug_headset
  said 'Paused' "$mark" || break
  lives || break
  paused=$((paused + 1))
  mark=$(spoken)
  plug_headset
  said 'is back\|Sound goes to' "$mark" || break
  key ' '
done
figure "heard on the headset $resumed times, paused by $paused pulls of $pulls"
check "each pull pauses" test "$paused" = "$pulls"
check "each time play goes on" test "$resumed" = "$pulls"
check "sotto lives on" lives
check "not a sample of music on the other card" is_silent "$HDA"
check "q ends it with status 0" ends 0
check "the other card would have been heard" built_in_card_works
finish
