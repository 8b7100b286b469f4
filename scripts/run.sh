#!/usr/bin/env bash
# Builds Spillover if needed and runs a scenario. See usage below.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat << 'END'
usage: scripts/run.sh [SCENARIO] [OPTION...]

Runs a scenario in virtual time: installs the Debian packages that are missing, builds
build/release/spillover, and calls `spillover run SCENARIO OPTION...`.

  SCENARIO   a scenario file; configs/us-east1-brownout.yaml when left out
  OPTION     options of `spillover run`, for example --seed N, --out DIR, --quiet, --json
  --help     prints this

The exit code is the program's: 0 all expectations met, 1 one failed, 2 bad input, 3 the run or
the build failed.
END
}

for argument in "$@"; do
  if [[ "$argument" == --help || "$argument" == -h ]]; then
    usage
    exit 0
  fi
done

scenario="$root/configs/us-east1-brownout.yaml"
if (($# > 0)) && [[ "$1" != -* ]]; then
  scenario="$1"
  shift
fi

program="$root/build/release/spillover"
prepare() {
  ensure_packages build
  mkdir -p -- "$root/build"
  # Two runs started at once must not build in the same directory at the same time.
  exec 9> "$root/build/.lock"
  flock 9
  # A tree that test.sh configured stays as it is, and builds its tests next time.
  is_configured release ||
    configure release -DSPILLOVER_TESTS=OFF -DSPILLOVER_BENCH=OFF || die "the build failed."
  if [[ ! -x "$program" ]]; then
    say "building (the first time takes about 5 minutes)"
  elif ! cmake --build "$root/build/release" --target spillover -- -n < /dev/null 2> /dev/null |
    grep -q 'no work to do'; then
    say "building what has changed"
  fi
  build release spillover || die "the build failed."
  exec 9>&-
}
prepare

exec "$program" run "$scenario" "$@"
