"""scripts/packages.txt names what CMake looks for and what the scripts call, and nothing else."""

import re

from tidy_common import files, line_of, main, read, without_hash_comments

LIST = "scripts/packages.txt"

# What CMake looks for, and the Debian packages that bring it; none: it comes with the compiler.
FOUND_BY_CMAKE = {
    "Boost": ["libboost-dev"],
    "CAF": ["libcaf-dev"],
    "CLI11": ["libcli11-dev"],
    "GTest": ["libgtest-dev", "libgmock-dev"],
    "PkgConfig": ["pkg-config"],
    "Protobuf": ["libprotobuf-dev", "protobuf-compiler"],
    "Python3": ["python3"],
    "Threads": [],
    "SQLiteCpp": ["libsqlitecpp-dev", "libsqlite3-dev"],
    "absl": ["libabsl-dev"],
    "benchmark": ["libbenchmark-dev"],
    "caf/config.hpp": ["libcaf-dev"],
    "ccache": ["ccache"],
    "cppzmq": ["cppzmq-dev", "libzmq3-dev"],
    "fmt": ["libfmt-dev"],
    "libfyaml": ["libfyaml-dev"],
    "mold": ["mold"],
    "nlohmann_json": ["nlohmann-json3-dev"],
    "pcg_random.hpp": ["libpcg-cpp-dev"],
    "rapidcheck": ["librapidcheck-dev"],
    "spdlog": ["libspdlog-dev"],
    "valijson": ["libvalijson-dev"],
}

# Packages that the program is linked to, and those with which it is built.
RUN_WITH = {
    "libabsl20220623": "libabsl-dev",
    "libcaf-core0.17": "libcaf-dev",
    "libfmt9": "libfmt-dev",
    "libfyaml0": "libfyaml-dev",
    "libprotobuf-lite32": "libprotobuf-dev",
    "libspdlog1.10": "libspdlog-dev",
    "libsqlite3-0": "libsqlite3-dev",
    "libzmq5": "libzmq3-dev",
}

# Packages of tools: a file that uses the tool, and the text by which it does.
TOOLS = {
    "chromium": ("tests/browser/browser.mjs", "/usr/bin/chromium"),
    "clang-14": ("CMakePresets.json", "clang++-14"),
    "clang-format-14": ("scripts/test.sh", "clang-format-14"),
    "clang-tidy-14": ("scripts/test.sh", "clang-tidy-14"),
    "cmake": ("scripts/common.sh", "cmake --build"),
    "g++": ("CMakeLists.txt", "LANGUAGES CXX"),
    "debootstrap": ("scripts/test-docker.sh", "debootstrap --variant"),
    "docker-compose": ("scripts/test-docker.sh", "docker-compose"),
    "docker.io": ("scripts/test-docker.sh", "dockerd"),
    "git": ("scripts/test.sh", "git diff"),
    "iptables": ("scripts/test-docker.sh", "iptables"),
    "libclang-rt-14-dev": ("CMakePresets.json", "SPILLOVER_FUZZ"),
    "munge": ("scripts/test-sweep-shards.sh", "munged --foreground"),
    "nodejs": ("scripts/test.sh", "node --test"),
    "npm": ("scripts/test.sh", "npm ci"),
    "openssh-client": ("scripts/test-sweep-shards.sh", "ssh-keygen"),
    "openssh-server": ("scripts/test-sweep-shards.sh", "/usr/sbin/sshd"),
    "parallel": ("scripts/test-sweep-shards.sh", " parallel --will-cite"),
    "ninja-build": ("CMakePresets.json", '"Ninja"'),
    "slurm-client": ("scripts/test-sweep-shards.sh", "sbatch --wait"),
    "slurmctld": ("scripts/test-sweep-shards.sh", "slurmctld -D"),
    "slurmd": ("scripts/test-sweep-shards.sh", "slurmd -D"),
    "shellcheck": ("scripts/test.sh", "shellcheck"),
}

_CALL = re.compile(
    r"\b(find_package|pkg_check_modules|pkg_search_module|find_path|find_program)\s*\(([^()]*)\)"
)
_NO_MODULE = {"REQUIRED", "QUIET", "IMPORTED_TARGET", "GLOBAL", "NO_CMAKE_PATH"}
_END = {"REQUIRED", "DOC", "PATHS", "HINTS", "PATH_SUFFIXES", "NO_CACHE"}


def _wanted(function, arguments):
    """The names that a call looks for."""
    words = [x.strip('"') for x in re.findall(r'"[^"]*"|[^\s"]+', arguments)]
    if function == "find_package":
        return words[:1]
    if function.startswith("pkg_"):
        return [re.split(r"[<>=]", x)[0] for x in words[1:] if x not in _NO_MODULE]
    names = []
    for word in words[1:]:
        if word in _END:
            break
        if word not in ("NAMES", "NAMES_PER_DIR"):
            names.append(word)
    return names


def looked_for(root):
    """Yields (path, line, name) for all that the CMake files look for."""
    for path in files(root, suffixes=(".cmake", "CMakeLists.txt")):
        text = without_hash_comments(read(root, path))
        for match in _CALL.finditer(text):
            for name in _wanted(*match.groups()):
                yield path, line_of(text, match.start()), name


def _listed(root):
    """Yields (line, package, whether it stands in a group)."""
    grouped = False
    for number, line in enumerate((read(root, LIST) or "").splitlines(), 1):
        grouped = grouped or line.startswith("# [")
        if line.strip() and not line.startswith("#"):
            yield number, line, grouped


def check(root):
    listed = {}
    for line, package, grouped in _listed(root):
        if not grouped:
            yield LIST, line, f"{package} stands in no group (begin one with `# [build]`)"
        if package in listed:
            yield LIST, line, f"{package} is listed twice (first in line {listed[package]})"
        listed.setdefault(package, line)

    used = set()
    for path, line, name in looked_for(root):
        if name not in FOUND_BY_CMAKE:
            yield path, line, (
                f"{name} has no Debian package (add it to FOUND_BY_CMAKE in"
                " tests/tidy/check_packages.py)"
            )
        for package in FOUND_BY_CMAKE.get(name, []):
            used.add(package)
            if package not in listed:
                yield path, line, f"{name} needs {package}, which is not listed (add it to {LIST})"

    for package, (path, text) in TOOLS.items():
        if text in (read(root, path) or ""):
            used.add(package)
            if package not in listed:
                yield path, 1, f"{text} needs {package}, which is not listed (add it to {LIST})"
    used.update(x for x, built_with in RUN_WITH.items() if built_with in used)
    for package, line in listed.items():
        if package not in used:
            yield LIST, line, (
                f"{package} is not used (remove it, or add it to FOUND_BY_CMAKE, RUN_WITH or"
                " TOOLS in tests/tidy/check_packages.py)"
            )


if __name__ == "__main__":
    main(check)
