#!/usr/bin/env bash
# Headphones in and out by PulseAudio: another port of one sink, no sink goes and no stream moves.
# shellcheck source=SCRIPTDIR/../guest/scene.sh
. "$LAB/guest/scene.sh"
port_is() { wait-for 60 "pactl list sinks | grep -q 'Active Port: analog-output-$1'"; }
sound-up pulse
lab plug headphones
port_is headphones
play --output pulse
check "the music is heard" sounds "$HDA"

worst=0 pauses=0
for _ in 1 2 3 4 5; do
  mark=$(spoken)
  from=$(frames "$HDA")
  lab unplug headphones
  port_is speaker
  said 'Paused' "$mark" || break
  settled "$HDA" || break
  pauses=$((pauses + 1))
  leaked=$(heard last "$HDA" "$from")
  if ((leaked > worst)); then worst=$leaked; fi
  from=$(frames "$HDA")
  lab plug headphones
  port_is headphones
  sleep 2
  is_silent "$HDA" "$from" || break
  key ' '
  sounds "$HDA" "$from" || break
done
check "headphones out, 5 times: paused each time, and in again starts nothing" test "$pauses" = 5
figure "longest from before the pull to silence, with the time that the shell takes: $((worst / 48)) ms"
check "each pull is heard as silence within 2 seconds" eval "((pauses == 5 && worst < 96000))"
check "sotto lives on" lives
check "q ends it with status 0" ends 0
finish
