#!/usr/bin/env bash
# Tries sweeps in parts: see usage below.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat << 'END'
usage: scripts/test-sweep-shards.sh

Divides a small sweep into parts by --shard, lets others run them, joins the files by `sweep merge`, and
compares with the sweep as a whole. Installs what is missing.

  parallel  GNU parallel, which reaches this machine over ssh, by an sshd of its own on the loopback
  slurm     a job array of a Slurm of its own, with one node

SPILLOVER_PROGRAM names a program that is built already. Takes less than a minute. Exit code 0 when both were
tried and passed, 1 when one failed, 77 when one could not be tried here, which is said. What it started it
ends again; it listens on the loopback only, and leaves nothing behind but the packages.
END
}

for argument in "$@"; do
  case "$argument" in
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

program="${SPILLOVER_PROGRAM:-$root/build/release/spillover}"
[[ -x "$program" ]] || die "$program is not there; build it, or name one in SPILLOVER_PROGRAM."
logs="$root/build/logs"
work="$(mktemp -d -t spillover-shards-XXXXXX)"
# Others must reach what they run, and nothing else.
chmod 0755 "$work"
# A file, because each part is a process of its own.
: > "$work/started"
failed=() not_tried=()

cleanup() {
  local code=$? started=() process
  trap - EXIT
  mapfile -t started < "$work/started"
  for process in "${started[@]}"; do
    kill "$process" 2> /dev/null || true
  done
  for process in "${started[@]}"; do
    within 10 ended "$process" || kill -9 "$process" 2> /dev/null || true
  done
  ((code == 0 || code == 77)) || say "kept for a look: $work"
  ((code != 0 && code != 77)) || rm -rf -- "$work"
  exit "$code"
}

ended() {
  ! kill -0 "$1" 2> /dev/null
}

# begin NAME COMMAND...: starts a process that belongs to this script.
begin() {
  local log="$work/$1.log"
  shift
  "$@" > "$log" 2>&1 < /dev/null &
  printf '%s\n' "$!" >> "$work/started"
}

# within SECONDS COMMAND...: waits until a command succeeds.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    ((SECONDS < end)) || return 1
    sleep 0.2
  done
}

# free_port: a port of the loopback that nobody has.
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

parts=4
sweep=(sweep "$work/short.yaml" --seeds "1..6" --quiet --vary "faults.0.for=10s,20s,30s")

write_scenario() {
  cat > "$work/short.yaml" << 'END'
name: short
seed: 3
duration: 90s
network:
  default: {latency: 5ms}
producers:
  checkout:
    regions: [east, west]
    backend_services:
      web:
        instance: {service_time: 20ms}
        autoscaling: {policy: fixed, instances: 2}
    composite_health: {sources: [{backend_service: web, healthy_percent_threshold: 50}]}
consumers:
  shop:
    load_balancer: {regions: [east, west]}
    traffic: [{open_loop: {rate: [{at: 0s, rps: 20}]}}]
faults:
  - {at: 30s, for: 30s, region: {name: east}}
expect:
  - failover: {from: east, within: 20s}
END
}

# compare NAME: joins the parts in a folder, which must hold what the whole sweep does, run by run.
compare() {
  local folder="$work/$1" said
  said="$("$program" sweep merge "$folder/all.sqlite" "$folder"/part-*.sqlite)"
  say "$said"
  # No run is in two parts.
  [[ "$said" == "18 runs added to "*"; 0 runs there already" ]] || return 1
  cp -- "$work/whole.sqlite" "$folder/both.sqlite"
  said="$("$program" sweep merge "$folder/both.sqlite" "$folder/all.sqlite")"
  say "$said"
  [[ "$said" == "0 runs added to "*"; 18 runs there already" ]]
}

# With keys of its own, for nobody but the user who runs this.
by_parallel() {
  local ssh="$work/ssh" port user
  user="$(id -un)"
  port="$(free_port)"
  mkdir -m 0700 "$ssh"
  mkdir "$work/parallel"
  ssh-keygen -q -t ed25519 -N '' -f "$ssh/host"
  ssh-keygen -q -t ed25519 -N '' -f "$ssh/user"
  cp -- "$ssh/user.pub" "$ssh/authorized"
  # Where sshd wants to leave its privileges.
  ((EUID != 0)) || mkdir -p /run/sshd
  begin sshd /usr/sbin/sshd -D -e -f /dev/null -p "$port" -h "$ssh/host" \
    -o ListenAddress=127.0.0.1 -o PidFile=none -o UsePAM=no -o StrictModes=no \
    -o PasswordAuthentication=no -o KbdInteractiveAuthentication=no -o PermitRootLogin=prohibit-password \
    -o AuthorizedKeysFile="$ssh/authorized"
  cat > "$ssh/login" << END
#!/bin/sh
exec ssh -F none -p $port -i $ssh/user -o IdentitiesOnly=yes -o BatchMode=yes -o ConnectTimeout=5 \\
  -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=$ssh/known -o LogLevel=ERROR "\$@"
END
  chmod 0700 "$ssh/login"
  within 10 "$ssh/login" "$user@127.0.0.1" true || { cat -- "$work/sshd.log" >&2; return 1; }
  # The way of docs/sweeps.md, but for the port and the keys.
  seq "$parts" | PARALLEL_SSH="$ssh/login" HOME="$work" timeout 60 parallel --will-cite -S "2/$user@127.0.0.1" \
    "$program" "${sweep[@]}" --jobs 1 --shard "{}/$parts" --out "$work/parallel/part-{}.sqlite"
  compare parallel
}

# A controller, a node and their authentication, as the user who runs this.
start_slurm() {
  local slurm="$work/slurm" host control node
  host="$(hostname -s)"
  control="$(free_port)"
  node="$(free_port)"
  mkdir "$slurm" "$slurm/state" "$slurm/spool" "$slurm/munge"
  dd if=/dev/urandom of="$slurm/munge/key" bs=1024 count=1 status=none
  chmod 0600 "$slurm/munge/key"
  begin munged munged --foreground --force --key-file="$slurm/munge/key" --socket="$slurm/munge/socket" \
    --pid-file="$slurm/munge/pid" --seed-file="$slurm/munge/seed" --log-file="$slurm/munge/log"
  within 10 test -S "$slurm/munge/socket" || return 1
  cat > "$slurm/slurm.conf" << END
ClusterName=spillover
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$control
SlurmdPort=$node
CommunicationParameters=NoInAddrAny
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/controller.pid
SlurmdPidFile=$slurm/node.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=30
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=5 State=UP
END
  export SLURM_CONF="$slurm/slurm.conf"
  begin controller slurmctld -D
  begin node slurmd -D
  within 30 sh -c "sinfo -h -o %T | grep -qx idle"
}

# documented_job: the script that docs/sweeps.md has for Slurm, of which only the sweep's size and the local disk are
# other ones.
documented_job() {
  local seeds="1..2000" values="2m,4m,6m" disk=/tmp/part-
  local text word
  # shellcheck disable=SC2016
  text="$(sed -n '/^As a \*\*Slurm job array/,/^```$/ { /^```/d; /^As a/d; p }' "$root/docs/sweeps.md" | sed '/./,$!d')"
  for word in '#!/bin/bash' srun "$seeds" "$values" "$disk"; do
    [[ "$text" == *"$word"* ]] || { say "the script for Slurm in docs/sweeps.md has no $word"; return 1; }
  done
  text="${text//"$seeds"/1..6}"
  text="${text//"$values"/10s,20s,30s}"
  printf '%s\n' "${text//"$disk"/"$work/local/part-"}"
}

by_slurm() {
  mkdir -p "$work/parts"
  start_slurm || { tail -n 20 "$work/controller.log" "$work/node.log" >&2; return 77; }
  documented_job > "$work/parts/job.sh" || return 1
  mkdir "$work/bin" "$work/local"
  ln -s -- "$(realpath -- "$program")" "$work/bin/spillover"
  cp -- "$work/short.yaml" "$work/parts/scenario.yaml"
  cd -- "$work/parts"
  # Options of the command go before those in the script.
  PATH="$work/bin:$PATH" timeout 90 sbatch --wait --array="1-$parts" --cpus-per-task=1 --time=2 job.sh >&2 ||
    { tail -n 20 "$work"/parts/*.out "$work/controller.log" "$work/node.log" >&2; return 1; }
  compare parts
}

# part NAME FUNCTION TOOL...: tries one way, when its tools are here.
part() {
  local name="$1" function="$2" code=0 tool begin=$SECONDS
  shift 2
  say "== $name"
  for tool in "$@"; do
    command -v "$tool" > /dev/null || { not_tried+=("$name"); return; }
  done
  # Not `if "$function"`: bash would ignore errexit inside.
  set +e
  (
    set -euo pipefail
    trap - EXIT
    "$function"
  )
  code=$?
  set -e
  case "$code" in
    0) say "   passed, $((SECONDS - begin)) s" ;;
    77) not_tried+=("$name") ;;
    *)
      say "   FAILED, $((SECONDS - begin)) s"
      failed+=("$name")
      ;;
  esac
}

# Programs of packages for administrators are not in everybody's path.
export PATH="$PATH:/usr/sbin:/sbin"
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -p -- "$logs"
(ensure_packages sweep) || say "not everything could be installed; what is missing is not tried"
write_scenario
"$program" "${sweep[@]}" --out "$work/whole.sqlite" || die "the sweep as a whole failed."
part parallel by_parallel parallel sshd ssh
part slurm by_slurm slurmctld slurmd sbatch munged
if ((${#failed[@]} > 0)); then
  say "failed: ${failed[*]}"
  exit 1
fi
if ((${#not_tried[@]} > 0)); then
  say "SKIPPED, cannot be tried here: ${not_tried[*]}; all else passed"
  exit 77
fi
