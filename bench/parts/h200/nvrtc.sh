# What compiling device code costs beside a GPU: the part of bench/run, on this machine's cores.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# shellcheck source=bench/parts/nvrtc.sh
. bench/parts/nvrtc.sh
