#!/usr/bin/env bash
# Headphones into the jack of the card that sotto plays on by ALSA, and out of it. The card itself
# sends the sound to them, so one file has all that is heard.
# shellcheck source=SCRIPTDIR/../guest/scene.sh
. "$LAB/guest/scene.sh"
sound-up
lab plug headphones
lab unplug headphones
play --output alsa --device hw:0
check "the music is heard" sounds "$HDA"

mark=$(spoken)
lab plug headphones
check "headphones in: sotto says where sound goes" said 'Headphone' "$mark"
check "the music goes on" sounds "$HDA" "$(frames "$HDA")"

worst=0 pauses=0
for _ in 1 2 3 4 5; do
  mark=$(spoken)
  from=$(frames "$HDA")
  lab unplug headphones
  said 'headphones were unplugged' "$mark" || break
  settled "$HDA" || break
  pauses=$((pauses + 1))
  leaked=$(heard last "$HDA" "$from")
  if ((leaked > worst)); then worst=$leaked; fi
  from=$(frames "$HDA")
  lab plug headphones
  sleep 2
  is_silent "$HDA" "$from" || break
  key ' '
  sounds "$HDA" "$from" || break
done
check "headphones out, 5 times: paused each time, and in again starts nothing" test "$pauses" = 5
figure "longest from before the pull to silence, with the time that the shell takes: $((worst / 48)) ms"
check "each pull is heard as silence within a second" eval "((pauses == 5 && worst < 48000))"
check "q ends it with status 0" ends 0
finish
