#!/usr/bin/env bash
# Builds and tests Spillover in every way it is meant to work. See usage below.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat << 'END'
usage: scripts/test.sh [--quick] [--long] [--docker]

Installs the Debian packages that are missing, then builds and tests. A part that fails does not
keep the others from running; the failed ones are named at the end, and the exit code is 1.

  release       all tests, optimised build
  asan          all tests, address and undefined behaviour sanitizers
  clang, debug  the tests labelled determinism: another compiler, another build type
  tsan          the tests labelled tsan, thread sanitizer
  format        clang-format, and shellcheck for the scripts
  clang-tidy    the pure directories, and what has changed elsewhere
  bench         short form of the benchmarks
  deployment    runs with a process for each site: verdicts as of `run`, what other commands make of their
                folders, traces as traffic, operators, three minutes of random kills, stops and cuts
  fuzz          20 seconds of random texts for the loader of scenarios, and of bytes for the wire
  sweep         a sweep of 20 seeds and 3 settings beside plain runs (rate, memory), and sweeps in parts by GNU
                parallel and Slurm, which are installed if missing
  mutation      three changes to the code, one at a time, which the tests must notice, and two to
                Knative's rules, which the vectors must notice
  web           rebuilds web/dist, which must not differ from what is committed, and tries a report, a comparison
                and an exported trace in speedscope in Chromium; screenshots are in build/web/screenshots

  --quick       release, format and clang-tidy of what has changed only
  --long        also the tests labelled long, and a sweep of 200 seeds and 9 settings; all tests in clang and
                debug; clang-tidy of all files; fuzz for 5 minutes; mutation with all changes
  --docker      also scripts/test-docker.sh, which tries the containers: it installs Docker if missing, and
                starts a daemon of its own if none runs
  --help        prints this

Takes more than an hour on two processors with an empty compiler cache, of which deployment takes seven minutes
and the containers six. Logs are in build/logs.
END
}

quick=false long=false docker=false
for argument in "$@"; do
  case "$argument" in
    --quick) quick=true ;;
    --long) long=true ;;
    --docker) docker=true ;;
    --help | -h)
      usage
      exit 0
      ;;
    *)
      say "error: unknown option $argument"
      usage >&2
      exit 2
      ;;
  esac
done

logs="$root/build/logs"
pure=(model producers regions lb consumers report)
ours=("${pure[@]}" exports scenario actors sweeps net sites app tests bench)
names=() seconds=() results=() failed=()

# How a part ends that cannot be run here; it does not count as passed.
not_run=77
skipped=()

# out_of_reach WHAT: ends a part that needs what this machine cannot have.
out_of_reach() {
  say "SKIPPED: $1 cannot be had here; the log above says why"
  exit "$not_run"
}

# part NAME FUNCTION [ARGUMENT...]: runs one part and remembers how it went.
part() {
  local name="$1" start=$SECONDS code
  shift
  say "== $name"
  # Not `if "$@"`: bash would ignore errexit inside, and a part would go on after a failure.
  set +e
  (
    set -euo pipefail
    "$@"
  )
  code=$?
  set -e
  names+=("$name")
  seconds+=($((SECONDS - start)))
  if ((code == 0)); then
    results+=(passed)
  elif ((code == not_run)); then
    results+=(SKIPPED)
    skipped+=("$name")
  else
    results+=(FAILED)
    failed+=("$name")
  fi
}

# run_tests LOG COMMAND...: shows ctest's summary, and all of its output when a test fails.
run_tests() {
  local log="$logs/$1.log"
  shift
  quietly "$log" "$@" --no-tests=error
  grep -E '^[0-9]+% tests passed' "$log"
}

# tested_by PRESET [CTEST_OPTION...]
tested_by() {
  local preset="$1"
  shift
  # Presets are looked up in the working directory.
  cd -- "$root"
  run_tests "test-$preset" ctest --preset "$preset" --parallel "$(jobs_count)" "$@"
}

# labelled LABEL: the tests of the release build that its preset leaves to a part of their own.
labelled() {
  run_tests "test-$1" ctest --test-dir "$root/build/release" --output-on-failure -L "^$1\$"
}

# whole PRESET: builds everything and runs all tests.
whole() {
  configure "$1" -DSPILLOVER_TESTS=ON -DSPILLOVER_BENCH=ON
  build "$1"
  tested_by "$1"
}

# only PRESET LABEL: builds what the tests of a label need and runs them.
only() {
  configure "$1" -DSPILLOVER_TESTS=ON -DSPILLOVER_BENCH=OFF
  build "$1" "label_$2"
  tested_by "$1" -L "^$2\$"
}

# our_files DIRECTORY... -- PATTERN...: files below these directories of ours, one a line.
our_files() {
  local directories=() patterns=() pattern
  while [[ "$1" != -- ]]; do
    [[ ! -d "$root/$1" ]] || directories+=("$1")
    shift
  done
  shift
  for pattern in "$@"; do
    patterns+=(-o -name "$pattern")
  done
  cd -- "$root"
  find "${directories[@]}" -type f \( "${patterns[@]:1}" \) | LC_ALL=C sort
}

format() {
  local files code=0
  mapfile -t files < <(our_files "${ours[@]}" -- '*.hpp' '*.cpp')
  ((${#files[@]} > 0)) || die "no sources found to check."
  cd -- "$root"
  clang-format-14 --dry-run --Werror "${files[@]}" || code=1
  mapfile -t files < <(our_files scripts tests -- '*.sh')
  shellcheck "${files[@]}" .ci/run || code=1
  return "$code"
}

# Sources that differ from the last commit or came with it.
changed_sources() {
  cd -- "$root"
  git rev-parse --verify -q HEAD > /dev/null 2>&1 || return 0
  {
    git diff --name-only --diff-filter=d HEAD
    git ls-files --others --exclude-standard
    if git rev-parse --verify -q HEAD~1 > /dev/null; then
      git diff --name-only --diff-filter=d HEAD~1 HEAD
    fi
  } | grep -E "^($(IFS='|' && printf '%s' "${ours[*]}"))/.*\.cpp$" || true
}

# A source that includes CAF takes clang-tidy 20 to 30 seconds: the bounded set holds this many.
changed_limit=16

tidy() {
  local files
  if $long; then
    mapfile -t files < <(our_files "${ours[@]}" -- '*.cpp')
  elif $quick; then
    mapfile -t files < <(changed_sources | LC_ALL=C sort -u)
  else
    mapfile -t files < <({
      our_files "${pure[@]}" -- '*.cpp'
      changed_sources | LC_ALL=C sort -u | head -n "$changed_limit"
    } | LC_ALL=C sort -u)
  fi
  if ((${#files[@]} == 0)); then
    $quick || die "no sources found to check."
    say "nothing has changed"
    return 0
  fi
  say "${#files[@]} files"
  cd -- "$root"
  local log="$logs/clang-tidy"
  printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$(jobs_count)" clang-tidy-14 -p build/release --quiet \
      > "$log.log" 2> "$log-errors.log" || {
    cat -- "$log.log"
    grep -E 'error:' "$log-errors.log" || true
    return 1
  }
}

# tried LOG COMMAND...: runs a test, and remembers how it went, so that the others run as well.
tried() {
  local log="$logs/$1.log" code=0
  shift
  quietly "$log" "$@" || code=$?
  if ((code == not_run)); then
    deployment_skipped+=("$*")
  elif ((code != 0)); then
    deployment_failed+=("$*")
  fi
}

# Processes of the release build, killed and started again. They need the machine for themselves; where it is too
# busy for a clock, that is not tried.
deployment() {
  local chaos=180 short=()
  ! $long || chaos=1800
  $long || short=(--runs 2 --speed 60 --duration 8m)
  deployment_failed=() deployment_skipped=()
  configure release -DSPILLOVER_TESTS=ON -DSPILLOVER_BENCH=ON
  build release spillover
  cd -- "$root"
  export SPILLOVER="$root/build/release/spillover"
  tried deployment-up python3 tests/deployment/up_test.py
  tried deployment-folder python3 tests/deployment/folder_test.py
  tried deployment-control python3 tests/deployment/control_test.py
  tried deployment-chaos python3 tests/deployment/chaos_test.py --seconds "$chaos" \
    --seed "$(git rev-list --count HEAD 2> /dev/null || printf 1)"
  tail -n 1 "$logs/deployment-chaos.log"
  tried deployment-calm python3 tests/deployment/chaos_test.py --seconds 45 --without-kills
  tried fidelity scripts/fidelity.py configs/us-east1-brownout.yaml "${short[@]}"
  grep '^|' "$logs/fidelity.log" || true
  ((${#deployment_failed[@]} == 0)) || { say "FAILED: ${deployment_failed[*]}"; return 1; }
  ((${#deployment_skipped[@]} == 0)) || out_of_reach "a machine that is free enough for these clocks"
}

# The decoder of the wire begins with nothing. The loader gets the scenarios of configs/, and what the tests of bad files make of theirs.
fuzz() {
  local folder="$root/build/fuzz" limit=20 fuzzer code=0
  ! $long || limit=300
  fuzzer="$folder/tests/fuzz/fuzz_scenario"
  configure fuzz
  build fuzz fuzz_scenario fuzz_wire
  mkdir -p -- "$folder/seeds" "$folder/corpus" "$folder/wire_corpus"
  quietly "$logs/fuzz-wire.log" "$folder/tests/fuzz/fuzz_wire" -max_total_time="$limit" -timeout=10 \
    -rss_limit_mb=2048 -max_len=4096 -artifact_prefix="$folder/wire-" "$folder/wire_corpus"
  grep -E '^Done [0-9]+ runs' "$logs/fuzz-wire.log"
  cp -- "$root"/configs/*.yaml "$folder/seeds"
  # The tests look for files in the project's root.
  cd -- "$root"
  SPILLOVER_FUZZ_SEEDS="$folder/seeds" quietly "$logs/fuzz-seeds.log" \
    "$root/build/release/tests/scenario/test_scenario" --gtest_filter='ParseScenario.Says*'
  quietly "$logs/fuzz.log" "$fuzzer" -max_total_time="$limit" -timeout=10 -rss_limit_mb=2048 \
    -max_len=8192 -dict="$folder/tests/fuzz/scenario.dict" -artifact_prefix="$folder/" \
    "$folder/corpus" "$folder/seeds" || code=$?
  if ((code != 0)); then
    sed -n "s|.*Test unit written to \(.*\)|replay it: $fuzzer \1|p" "$logs/fuzz.log" >&2
    return "$code"
  fi
  grep -E '^Done [0-9]+ runs' "$logs/fuzz.log"
}

# A sweep beside plain runs, and in parts.
sweep() {
  local size=(--seeds 20 --settings 3)
  ! $long || size=(--seeds 200 --settings 9 --blocks 4)
  configure release -DSPILLOVER_TESTS=ON -DSPILLOVER_BENCH=ON
  build release spillover
  cd -- "$root"
  quietly "$logs/sweep-bench.log" bench/sweep.py "${size[@]}"
  tail -n 1 "$logs/sweep-bench.log"
  scripts/test-sweep-shards.sh
}

# Three changes that tests must notice and two that the vectors must, others with each commit, or all.
mutation() {
  local which=() of_knative=() seed
  cd -- "$root"
  if ! $long; then
    seed="$(git rev-list --count HEAD 2> /dev/null || printf 1)"
    which=(--sample 3 --seed "$seed")
    of_knative=(--sample 2 --seed "$seed")
  fi
  tests/oracle/mutate_kpa.py --jobs "$(jobs_count)" "${of_knative[@]}"
  scripts/mutate.py --jobs "$(jobs_count)" "${which[@]}"
}

# Node packages come from the registry, by the lock file.
web() {
  local log="$logs/web" run="$root/build/web/run"
  (ensure_packages web) || out_of_reach "a browser and Node.js"
  command -v npm > /dev/null || (ensure_packages npm) || out_of_reach npm
  cd -- "$root/web"
  quietly "$log-npm.log" npm ci --no-audit --no-fund || out_of_reach "what the lock file of web/ names"
  quietly "$log-test.log" npm test
  cp -- dist/report.html "$root/build/web-report-before.html"
  quietly "$log-build.log" npm run build
  cmp -- dist/report.html "$root/build/web-report-before.html" ||
    { say "web/dist is not what web/src makes: commit what 'npm run build' wrote there"; return 1; }
  cd -- "$root"
  configure release -DSPILLOVER_TESTS=ON -DSPILLOVER_BENCH=ON
  build release spillover
  build/release/spillover run configs/us-east1-brownout.yaml --quiet --out "$run"
  build/release/spillover run configs/us-east1-brownout-min-2.yaml --quiet --no-report --out "$run-b" || true
  build/release/spillover compare "$run" "$run-b" --html "$root/build/web/compare.html" > /dev/null
  build/release/spillover export "$run" --quiet --chrome-trace "$root/build/web/trace.json" --csv "$root/build/web/tables"
  quietly "$log-browser.log" node --test tests/browser/report_test.mjs tests/browser/compare_test.mjs \
    tests/browser/trace_test.mjs
  grep -E '^# (pass|fail)' "$log-browser.log"
}

report() {
  local i
  printf '\n%-12s %8s  %s\n' part minutes result
  for i in "${!names[@]}"; do
    printf '%-12s %8s  %s\n' "${names[i]}" \
      "$((seconds[i] / 60)).$((seconds[i] % 60 * 10 / 60))" "${results[i]}"
  done
  printf '%-12s %8s\n\n' total "$((SECONDS / 60)).$((SECONDS % 60 * 10 / 60))"
  # The same summary as above, again: it belongs to the end.
  if [[ -f "$logs/test-release.log" ]]; then
    sed -n '/% tests passed/,$p' "$logs/test-release.log"
  fi
  if ((${#failed[@]} > 0)); then
    [[ ! -s "$logs/failures.txt" ]] || cut -c -300 -- "$logs/failures.txt"
    printf '\nfailed: %s\n' "${failed[*]}"
    return 1
  fi
  if ((${#skipped[@]} > 0)); then
    printf '\nNOT RUN: %s; all other parts passed\n' "${skipped[*]}"
    return 0
  fi
  printf '\nall parts passed\n'
}

ensure_packages build test checks
mkdir -p -- "$logs"
rm -f -- "$logs"/test-*.log "$logs/failures.txt"
if $long; then
  # Property tests try ten times as many cases.
  export RC_PARAMS="${RC_PARAMS:-max_success=1000}"
fi

part release whole release
if ! $quick; then
  part asan whole asan
  if $long; then
    part clang whole clang
    part debug whole debug
  else
    part clang only clang determinism
    part debug only debug determinism
  fi
  part tsan only tsan tsan
fi
part format format
part clang-tidy tidy
$quick || part bench labelled bench
$quick || part deployment deployment
$quick || part fuzz fuzz
$quick || part sweep sweep
$quick || part mutation mutation
$quick || part web web
! $long || part long labelled long
! $docker || part docker "$root/scripts/test-docker.sh"
report
