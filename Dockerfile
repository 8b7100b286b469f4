# Spillover in a container: what one site of a deployment runs.
#
#   docker build -t spillover .                  the first time it compiles for minutes
#   docker run --rm spillover run /configs/region-lost.yaml
#
# Debian's packages are installed before any source is copied, so a change of a source compiles again
# but installs nothing. The stage `base` is everything but the program: scripts/test-docker.sh adds one
# that is built already.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS base
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
COPY scripts/common.sh scripts/packages.txt /tmp/spillover/scripts/
RUN source /tmp/spillover/scripts/common.sh && ensure_packages runtime \
 && rm -rf /tmp/spillover /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb \
 && groupadd --system --gid 7400 spillover \
 && useradd --system --uid 7400 --gid spillover --no-create-home --home-dir /runs spillover \
 # Volumes that Docker makes take owner and mode from these folders.
 && install -d -o spillover -g spillover -m 0700 /keys /state /runs
COPY configs /configs
USER spillover
WORKDIR /runs
# The program is process 1 and gets the signals of `docker stop`.
ENTRYPOINT ["spillover"]
CMD ["--help"]

FROM ${BASE} AS builder
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
COPY scripts/common.sh scripts/packages.txt /src/scripts/
RUN source /src/scripts/common.sh && ensure_packages build
WORKDIR /src
# Only what the program is made of: a change of a document, a test or a scenario compiles nothing.
COPY CMakeLists.txt CMakePresets.json ./
COPY cmake cmake
COPY web/dist web/dist
COPY configs/scenario.schema.json configs/
COPY model model
COPY producers producers
COPY regions regions
COPY lb lb
COPY consumers consumers
COPY report report
COPY exports exports
COPY scenario scenario
COPY actors actors
COPY sweeps sweeps
COPY net net
COPY sites sites
COPY app app
# Compilers at once; as many as the processors and the memory allow when empty.
ARG JOBS=
RUN source scripts/common.sh && export SPILLOVER_JOBS="$JOBS" \
 && configure release -DSPILLOVER_TESTS=OFF -DSPILLOVER_BENCH=OFF && build release spillover \
 && strip -o /spillover build/release/spillover

FROM base
COPY --from=builder /spillover /usr/local/bin/spillover
