# shellcheck shell=bash disable=SC2034
# What the scenes share. Sourced in the guest; SOTTO is the program, MUSIC a file with a tone of
# 440 Hz. Each check prints a line, and the scene's status is 1 when one of them failed.
set -u
HDA=/out/hda.wav USB=/out/usb-headset.wav SAID=/out/sotto.txt
failed=0 player=

# check SENTENCE COMMAND...: whether the sentence is true.
check() {
  local sentence=$1
  shift
  if "$@"; then
    printf 'pass  %s\n' "$sentence"
  else
    printf 'FAIL  %s\n' "$sentence"
    failed=1
  fi
}
figure() { printf '      %s\n' "$*"; }
finish() { exit "$failed"; }

# play OPTION...: sotto with the music, on a terminal, telling what happens in lines of words.
play() {
  rm -f /run/keys
  mkfifo /run/keys
  : >"$SAID"
  script -qfec "$SOTTO play --plain $* $MUSIC" "$SAID" </run/keys >/dev/null 2>&1 &
  player=$!
  exec 7>/run/keys
}
key() { printf '%s' "$1" >&7; }
lives() { kill -0 "$player" 2>/dev/null; }

# ends STATUS: the key q ends it with that.
ends() {
  local status=0
  key q
  wait "$player" || status=$?
  exec 7>&-
  [[ $status == "$1" ]]
}

# said TEXT [FROM]: sotto has said it, or does soon, behind byte FROM of what it said.
said() { wait-for 60 "tail -c +$((${2:-0} + 1)) $SAID | grep -qi -- '$1'"; }
spoken() { stat -c %s "$SAID"; }

# Without python, which takes its time to start.
frames() { echo $((($(stat -c %s "$1" 2>/dev/null || echo 44) - 44) / 4)); }
# sounds FILE [FROM]: there is music behind frame FROM, or soon is.
sounds() { wait-for 60 "[[ \$(heard music $1 ${2:-0}) -gt 9600 ]]"; }
is_silent() { [[ $(heard music "$1" "${2:-0}") == 0 ]]; }
is_tone() {
  local pitch
  pitch=$(heard pitch "$1")
  ((pitch > 420 && pitch < 460))
}
# settled FILE: waits until a second has brought no more music; true if that comes within a minute.
settled() {
  local before now tries
  before=$(heard music "$1")
  for ((tries = 0; tries < 60; tries++)); do
    sleep 1
    now=$(heard music "$1")
    if [[ $now == "$before" ]]; then return 0; fi
    before=$now
  done
  return 1
}

plug_headset() { lab plug usb-headset && wait-for 60 '[[ -e /proc/asound/Audio/pcm0p ]]' && udevadm settle; }
unplug_headset() { lab unplug usb-headset && wait-for 60 '[[ ! -e /proc/asound/Audio ]]'; }
# The sink that the server plays on by itself, by a part of its name.
default_sink() { wait-for 60 "pactl get-default-sink | grep -qi -- '$1'"; }

# At the end: what was silent can be heard, so that its silence meant something.
built_in_card_works() {
  local from
  from=$(frames "$HDA")
  timeout 5 aplay -q -D plughw:0 "$MUSIC" 2>/dev/null
  sounds "$HDA" "$from"
}
