# shellcheck shell=bash
# What the scripts share. Sourced, never run; the sourcing script has set -euo pipefail. Every
# script works from the top of the source tree.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# A message to the user on standard error, as sotto itself writes them.
say() { printf 'sotto: %s\n' "$*" >&2; }

# The same, and the script ends with status 1.
fail() {
  say "$@"
  exit 1
}

# Prints the version of the swift in PATH as MAJOR.MINOR, nothing if it does not run.
swift_version() {
  swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1
}

# Where Swift comes from, for the messages below.
swift_source='Get it from https://swift.org/install: swiftly, described there, installs it in one command.'

# Ends with a sentence unless a Swift of 6.2 or later is there. With --installed-only it asks
# only whether there is one: on a bare machine swift may need packages before it can say its
# version.
require_swift() {
  command -v swift >/dev/null || fail "Swift 6.2 or later is needed and there is none in PATH. $swift_source"
  local version
  version=$(swift_version)
  if [[ -z $version ]]; then
    [[ ${1:-} == --installed-only ]] && return
    fail "$(command -v swift) does not run: $(swift --version 2>&1 | head -n 1 || true)"
  fi
  if ((${version%.*} < 6 || (${version%.*} == 6 && ${version#*.} < 2))); then
    fail "Swift 6.2 or later is needed and $(command -v swift) is $version. $swift_source"
  fi
}
