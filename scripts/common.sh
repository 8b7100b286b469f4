# shellcheck shell=bash
# Shared by run.sh and test.sh, which source it: installs what is missing, configures and builds.
# Everything here reports on stderr, so that stdout belongs to the program.

root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"

# What one clone compiled serves another: paths below the root do not count, nor does the time, which
# a header of pcg tells and which would else make every compilation a new one.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros

say() {
  printf '%s\n' "$*" >&2
}

die() {
  say "error: $*"
  exit 3
}

# Fails unless this is Debian 12: the project is written for its versions of the libraries.
require_debian() {
  local release=unknown
  if [[ -r /etc/os-release ]]; then
    # shellcheck disable=SC1091
    release="$(. /etc/os-release && printf '%s %s' "${ID:-}" "${VERSION_ID:-}")"
  fi
  [[ "$release" == "debian 12" ]] ||
    die "this script needs Debian 12, and this is '$release': use a Debian 12 container."
  local tool
  for tool in apt-get dpkg-query; do
    command -v "$tool" > /dev/null || die "$tool is needed to install packages, and is not here."
  done
}

# packages_of GROUP...: the names in these groups of packages.txt.
packages_of() {
  local line group=none wanted=" $* "
  while IFS= read -r line || [[ -n "$line" ]]; do
    if [[ "$line" =~ ^#\ \[([a-z]+)\] ]]; then
      group="${BASH_REMATCH[1]}"
    elif [[ -n "$line" && "$line" != \#* && "$wanted" == *" $group "* ]]; then
      printf '%s\n' "$line"
    fi
  done < "$root/scripts/packages.txt"
}

# quietly LOG COMMAND...: keeps the output in LOG, and shows it whole when the command fails. The end of it
# goes to build/logs/failures.txt too, for a summary to repeat, unless it only says that it could not be tried (77).
quietly() {
  local log="$1" code=0
  shift
  mkdir -p -- "$(dirname -- "$log")"
  "$@" > "$log" 2>&1 < /dev/null || code=$?
  if ((code != 0)); then
    cat -- "$log" >&2
    say "ended with code $code: $*"
    mkdir -p -- "$root/build/logs"
    ((code == 77)) || { printf '\n-- code %s: %s\n' "$code" "$*"; tail -n 20 -- "$log"; } >> "$root/build/logs/failures.txt"
  fi
  return "$code"
}

# ensure_packages GROUP...: installs what is missing; calls apt only if something is.
ensure_packages() {
  require_debian
  local package missing=() as_root=()
  while IFS= read -r package; do
    [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null)" == installed ]] ||
      missing+=("$package")
  done < <(packages_of "$@")
  ((${#missing[@]} == 0)) && return 0

  if ((EUID != 0)); then
    command -v sudo > /dev/null ||
      die "to install ${missing[*]}, run this as root or install sudo."
    as_root=(sudo)
  fi
  say "installing ${#missing[@]} packages: ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
  quietly "$root/build/logs/apt-update.log" "${apt[@]}" update ||
    die "apt-get update failed."
  quietly "$root/build/logs/apt-install.log" \
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
    die "apt-get install failed."
}

# How many compilers to run at once: one a processor, and 1.5 GB of memory for each.
jobs_count() {
  if [[ -n "${SPILLOVER_JOBS:-}" ]]; then
    printf '%s\n' "$SPILLOVER_JOBS"
    return
  fi
  local count by_memory
  count="$(nproc)"
  by_memory="$(awk '/^MemAvailable:/ {print int($2 / 1500000)}' /proc/meminfo)"
  ((by_memory >= count)) || count="$by_memory"
  ((count >= 1)) || count=1
  printf '%s\n' "$count"
}

# is_configured PRESET: whether build/PRESET belongs to this tree. A tree that was moved or copied
# keeps the old path in its cache, which CMake refuses.
is_configured() {
  [[ -f "$root/build/$1/build.ninja" ]] &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$root/build/$1/CMakeCache.txt"
}

# configure PRESET [-D...]: makes build/PRESET ready.
configure() {
  local preset="$1" fresh=()
  shift
  is_configured "$preset" || fresh=(--fresh)
  quietly "$root/build/logs/configure-$preset.log" \
    cmake "${fresh[@]}" -S "$root" --preset "$preset" "$@"
}

# build PRESET [TARGET...]: builds the targets, or everything.
build() {
  local preset="$1" targets=()
  shift
  (($# == 0)) || targets=(--target "$@")
  quietly "$root/build/logs/build-$preset.log" \
    cmake --build "$root/build/$preset" --parallel "$(jobs_count)" "${targets[@]}"
}
