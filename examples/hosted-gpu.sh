#!/bin/bash
# Judges a bundle on a hosted GPU that is reached over ssh, and brings the results back:
#   examples/hosted-gpu.sh HOST runs/TASK.bundle BUILD_BIN_FOLDER
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
host=${1:?usage: hosted-gpu.sh HOST BUNDLE BIN}
bundle=${2:?a bundle of kw optimize --carrier bundle}
bin=${3:?the folder of kw-worker and its players}
there=kernelwright-bundle
ssh "$host" mkdir -p "$there/bin"
scp -q "$bin"/kw-worker "$bin"/kw-jail "$bin"/kw-player-* "$host:$there/bin/"
scp -q "$bundle" "$host:$there/work.bundle"
ssh "$host" "cd $there && ./bin/kw-worker --bundle work.bundle --out work.results"
scp -q "$host:$there/work.results" "${bundle%.bundle}.results"
echo "kw resume RUN --results ${bundle%.bundle}.results"
