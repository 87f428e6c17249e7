#!/usr/bin/env bash
# Music on the built-in card first; then a USB card comes that does not tell what it is, the music
# moves there, and the card is pulled.
export SOTTO_LAB_NAMELESS=1
# shellcheck source=SCRIPTDIR/guard-pulse.sh
. "$LAB/scenes/guard-pulse.sh"
