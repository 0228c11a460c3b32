# Measures how long compiling device code takes on the cores of a machine with a GPU, with the part
# nvrtc of bench/run.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# shellcheck source=bench/parts/nvrtc.sh
. bench/parts/nvrtc.sh
