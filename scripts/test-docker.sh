#!/usr/bin/env bash
# Tries the containers: see usage below.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat << 'END'
usage: scripts/test-docker.sh [--full] [--keep]

Tries the image, docker-compose.yml and deploy/ on this machine: installs docker.io and
docker-compose if missing, starts a Docker daemon of its own in build/docker if none runs, makes a base
image by debootstrap where no registry can be reached, and then

  schemas   docker-compose.yml and deploy/ against the schemas of Compose and Kubernetes (npm)
  image     the image, with the program that this machine builds
  verdict   brings docker-compose.yml up: its verdict, the five clocks against those of
            `spillover run`, the books, the health checks, the exit code
  outages   kills, pauses and disconnects containers of a second deployment, and brings them back

  --full    builds the program inside the image, as `docker build` does; minutes more
  --keep    leaves the containers of the last deployment for a look
  --help    prints this

SPILLOVER_PROGRAM names a program that is built already. Takes about 6 minutes. Exit code 0 when everything
was tried and passed, 1 when something failed, 77 when something could not be tried here, which is said. What
it started and made is removed again, and nothing else; the base image of its own daemon stays in build/docker.
END
}

full=false keep=false
for argument in "$@"; do
  case "$argument" in
    --full) full=true ;;
    --keep) keep=true ;;
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

work="$root/build/docker"
logs="$root/build/logs"
tests="$root/tests/containers"
scenario="$root/configs/three-regions-two-consumers.yaml"
program="${SPILLOVER_PROGRAM:-$root/build/release/spillover}"
name="spillover-test-$$"
export SPILLOVER_IMAGE="$name:latest" SPILLOVER_NET="${SPILLOVER_NET:-172.28.77}"
compose=(docker-compose)
daemon=''
failed=() not_tried=()

# Programs of this machine must not decide what is tried.
unset SPILLOVER_FOLDER SPILLOVER_SCENARIO SPILLOVER_SPEED COMPOSE_FILE COMPOSE_PROJECT_NAME COMPOSE_PROFILES

skip() {
  say "SKIPPED, not tried here: $1"
  exit 77
}

ours() {
  docker "$1" ls -q --filter "label=com.docker.compose.project=$name" "${@:2}"
}

down() {
  # A paused container cannot be stopped.
  ours container --filter status=paused | xargs -r docker unpause > /dev/null || true
  quietly "$logs/docker-down.log" timeout 120 "${compose[@]}" down --volumes --timeout 3 || true
}

cleanup() {
  local code=$?
  trap - EXIT
  if $keep && [[ -n "$(ours container -a 2> /dev/null)" ]]; then
    say "kept: ${compose[*]} ps; DOCKER_HOST=${DOCKER_HOST:-}"
    exit "$code"
  fi
  [[ -z "$(ours container -a 2> /dev/null)$(ours network 2> /dev/null)" ]] || down
  docker image rm -f "$SPILLOVER_IMAGE" "$name:base" > /dev/null 2>&1 || true
  if [[ -n "$daemon" ]]; then
    kill "$daemon" 2> /dev/null || true
    wait "$daemon" 2> /dev/null || true
  fi
  exit "$code"
}

# within SECONDS COMMAND...: until it succeeds.
within() {
  local last=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    ((SECONDS < last)) || return 1
    sleep 0.5
  done
}

# Starts a daemon of our own where none runs: with its own socket and its own images, so that it disturbs nobody's.
start_daemon() {
  command -v docker > /dev/null && docker info > /dev/null 2>&1 && return 0
  command -v dockerd > /dev/null || skip "there is no Docker daemon, and none to start"
  ((EUID == 0)) || skip "no Docker daemon runs, and only root can start one"
  export DOCKER_HOST="unix://$work/docker.sock"
  mkdir -p -- "$work"
  say "starting a Docker daemon in build/docker"
  setsid dockerd --data-root "$work/data" --exec-root "$work/exec" --pidfile "$work/docker.pid" \
    -H "$DOCKER_HOST" > "$logs/dockerd.log" 2>&1 < /dev/null &
  daemon=$!
  within 60 docker info && return 0
  tail -n 20 -- "$logs/dockerd.log" >&2
  skip "no Docker daemon can be started; build/logs/dockerd.log says why"
}

# Sets base to an image of Debian 12: the registry's, or one of what Debian's mirror has.
find_base() {
  base=debian:bookworm-slim
  docker image inspect "$base" > /dev/null 2>&1 && return 0
  timeout 120 docker pull -q "$base" > "$logs/docker-pull.log" 2>&1 && return 0
  base=spillover-test-base:bookworm
  docker image inspect "$base" > /dev/null 2>&1 && return 0
  ((EUID == 0)) || skip "no registry can be reached, and only root can make a base image"
  say "no registry can be reached: making a base image by debootstrap"
  rm -rf -- "$work/rootfs"
  quietly "$logs/debootstrap.log" timeout 300 debootstrap --variant=minbase bookworm "$work/rootfs" ||
    skip "no base image can be had, neither from a registry nor by debootstrap"
  rm -rf -- "$work"/rootfs/var/cache/apt/archives/*.deb "$work"/rootfs/var/lib/apt/lists/*
  tar -C "$work/rootfs" -c . | docker import - "$base" > /dev/null
  rm -rf -- "$work/rootfs"
}

build_image() {
  if $full; then
    quietly "$logs/docker-build.log" docker build --build-arg "BASE=$base" -t "$SPILLOVER_IMAGE" "$root"
    return
  fi
  # The program of this machine, which is the same Debian; what the Dockerfile adds to it is the last stage.
  if [[ -z "${SPILLOVER_PROGRAM:-}" ]]; then
    is_configured release || configure release -DSPILLOVER_TESTS=OFF -DSPILLOVER_BENCH=OFF
    build release spillover
  fi
  quietly "$logs/docker-base.log" \
    docker build --build-arg "BASE=$base" --target base -t "$name:base" "$root" || {
    grep -qE 'Temporary failure resolving|Could not connect|Unable to connect|Could not resolve' \
      "$logs/docker-base.log" || return 1
    say "no packages can be had inside of containers"
    return 77
  }
  rm -rf -- "$work/context"
  mkdir -p -- "$work/context"
  strip -o "$work/context/spillover" "$program"
  printf 'FROM %s\nCOPY spillover /usr/local/bin/spillover\n' "$name:base" > "$work/context/Dockerfile"
  quietly "$logs/docker-build.log" docker build -t "$SPILLOVER_IMAGE" "$work/context"
}

# docker-compose.yml and deploy/ are what others' schemas allow.
schemas() {
  quietly "$logs/compose-config.log" "${compose[@]}" config
  command -v npm > /dev/null || (ensure_packages npm) || return 77
  (cd -- "$tests" && quietly "$logs/npm-containers.log" npm ci --no-audit --no-fund) || return 77
  quietly "$logs/manifests.log" node --test "$tests/manifests_test.mjs"
  grep -E '^# (pass|fail)' "$logs/manifests.log"
}

image() {
  build_image || return $?
  local size user
  size="$(docker image inspect -f '{{.Size}}' "$SPILLOVER_IMAGE")"
  user="$(docker image inspect -f '{{.Config.User}}' "$SPILLOVER_IMAGE")"
  say "image: $((size / 1000000)) MB, user $user"
  [[ -n "$user" && "$user" != root && "$user" != 0 ]]
  # It runs without a network, a writable file system, or any right.
  docker run --rm --network none --read-only --cap-drop ALL "$SPILLOVER_IMAGE" \
    check /configs/three-regions-two-consumers.yaml > /dev/null
}

container_of() { "${compose[@]}" ps -q "$1"; }

healthy() {
  local site
  for site in director us-east1 us-central1 us-west1 clients-east clients-west; do
    [[ "$(docker inspect -f '{{.State.Health.Status}}' "$(container_of "$site")")" == "${1:-healthy}" ]] ||
      return 1
  done
}

# The run has begun: the director says how far it is.
runs() { docker logs "$(container_of director)" 2>&1 | grep -q ' of 0:'; }

# Ends with the director's exit code, and leaves what it wrote in build/docker/NAME.
result_of_director() {
  local folder="$work/$1" director code
  director="$(container_of director)"
  code="$(timeout "$2" docker wait "$director")" || code=none
  rm -rf -- "$folder"
  docker cp "$director:/runs/last" "$folder" > /dev/null || true
  "${compose[@]}" logs --no-color > "$logs/docker-$1.log" 2>&1 || true
  docker logs "$director" 2>&1 | tail -n 25 >&2
  [[ "$code" != none ]] || { say "the director did not end in time"; return 1; }
  say "the director's exit code is $code"
  return "$code"
}

# too_slow FOLDER: the run there is no result only because this machine was too slow for its clocks.
too_slow() {
  python3 - "$1/summary.json" << 'END' || return 1
import json, sys
found = json.load(open(sys.argv[1], encoding="utf-8"))["imbalances"]
sys.exit(0 if found and all("is spoiled" in x for x in found) else 1)
END
  say "this machine is too slow, or too busy, for the clocks of so many processes"
}

# What the first lines of docker-compose.yml say, word for word.
verdict() {
  local folder="$work/verdict" director code=0
  rm -rf -- "$folder"
  quietly "$logs/docker-alone.log" "$program" run "$scenario" --quiet --out "$work/alone"
  timeout 240 "${compose[@]}" up --exit-code-from director director > "$logs/docker-verdict.log" 2>&1 &
  local up=$!
  within 60 healthy || { say "not all containers are healthy"; code=1; }
  wait "$up" || code=$?
  director="$(container_of director)"
  docker logs "$director" 2>&1 | tail -n 25 >&2
  docker cp "$director:/runs/last" "$folder" > /dev/null
  ((code != 3)) || ! too_slow "$folder" || return 77
  ((code == 0)) || { say "exit code $code; build/logs/docker-verdict.log has it all"; return 1; }
  python3 "$tests/check_run.py" "$folder/summary.json" --like "$work/alone/summary.json" >&2
  # Containers see the traces that stand below the scenario's folder, too.
  quietly "$logs/docker-trace.log" "${compose[@]}" run --rm --no-deps keys check /scenario/replayed-trace.yaml
  grep -q 'trace traces/checkout-friday.csv: [0-9]* requests' "$logs/docker-trace.log"
  down
}

# cut SITE -A|-D ADDRESS: begins or ends to drop what a site sends there, by the firewall of its network namespace.
cut() {
  nsenter -t "$(docker inspect -f '{{.State.Pid}}' "$(container_of "$1")")" -n iptables "$2" OUTPUT -d "$3" -j DROP
}

# One deployment, in which sites are away one after the other and come back.
outages() {
  local code=0
  # Slower than by default: the containers are away for a while, and docker takes its time on a busy machine.
  export SPILLOVER_FOLDER="$tests" SPILLOVER_SCENARIO=outages.yaml SPILLOVER_SPEED=5
  quietly "$logs/docker-up.log" timeout 120 "${compose[@]}" up -d
  within 60 runs || { say "the run does not begin"; return 1; }
  say "kill us-central1"
  docker kill "$(container_of us-central1)" > /dev/null
  sleep 4
  docker start "$(container_of us-central1)" > /dev/null
  say "pause us-west1"
  docker pause "$(container_of us-west1)" > /dev/null
  sleep 4
  docker unpause "$(container_of us-west1)" > /dev/null
  say "disconnect clients-west"
  docker network disconnect "${name}_sites" "$(container_of clients-west)"
  sleep 4
  docker network connect --ip "$SPILLOVER_NET.22" "${name}_sites" "$(container_of clients-west)"
  if ((EUID == 0)) && command -v nsenter > /dev/null && command -v iptables > /dev/null; then
    say "cut the way from us-east1 to clients-east, and no other"
    cut us-east1 -A "$SPILLOVER_NET.21"
    sleep 4
    cut us-east1 -D "$SPILLOVER_NET.21"
  fi
  result_of_director outages 180 || code=$?
  ((code != 3)) || ! too_slow "$work/outages" || return 77
  ((code <= 1)) || return 1
  python3 "$tests/check_run.py" "$work/outages/summary.json" --code 0 --code 1 >&2
  ((code <= 1))
}

part() {
  local begin=$SECONDS code
  say "== $1"
  # Not `if "$1"`: bash would ignore errexit inside.
  set +e
  (
    set -euo pipefail
    trap - EXIT
    "$1"
  )
  code=$?
  set -e
  case "$code" in
    0) say "   passed, $((SECONDS - begin)) s" ;;
    77) not_tried+=("$1") ;;
    *)
      say "   FAILED, $((SECONDS - begin)) s"
      failed+=("$1")
      ;;
  esac
}

can_compose() { command -v docker-compose || docker compose version; }

{ docker info && can_compose; } > /dev/null 2>&1 || (ensure_packages docker) || skip "Docker cannot be installed"
command -v docker-compose > /dev/null || compose=(docker compose)
compose+=(-f "$root/docker-compose.yml" -p "$name")
mkdir -p -- "$work" "$logs"
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
start_daemon
find_base
part schemas
part image
if ((${#failed[@]} == 0)) && [[ " ${not_tried[*]} " != *" image "* ]]; then
  part verdict
  part outages
fi
if ((${#failed[@]} > 0)); then
  say "failed: ${failed[*]}"
  exit 1
fi
((${#not_tried[@]} == 0)) || skip "${not_tried[*]}; all else passed"
