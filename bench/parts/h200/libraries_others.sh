# Measures more kernels of the playbook in pairs with NVIDIA's libraries: CUB's, cuBLAS's
# transposition, cuDNN's convolution.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# shellcheck source=bench/parts/h200/libraries.sh
. bench/parts/h200/libraries.sh

part_libraries_others() {
  local i
  library_figures "${other_library_lines[@]}"
  for ((i = 1; i <= $(reps 5 1); ++i)); do library_round "${other_library_lines[@]}" || break; done
}
