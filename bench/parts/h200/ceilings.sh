# Measures the device's ceilings with kw device --measure, repeatedly.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
part_ceilings() {
  local i level kind unit key
  local -A ceiling=()
  for level in DRAM L2 shared core; do
    for kind in copy triad mix_3r1w read write fma_f32 fma_f64 fma_f16x2 mma_tf32 mma_bf16 mma_f16 mma_f8; do
      case $level.$kind in
        core.fma_* | core.mma_*) unit=flops_per_s ;;
        core.* | *.fma_* | *.mma_* | shared.triad | shared.mix_3r1w) continue ;;
        *) unit=bytes_per_s ;;
      esac
      figure "ceilings.${level}_$kind" "$unit" median none 0 - "$level $kind" '`kw device --measure --target cuda --json`, the median of 31 samples of at least 4 ms; a process each'
    done
  done
  figure ceilings.wall ns median none 0 - 'kw device --measure' 'wall time of the process, CUDA context and build of the kernels included'
  for ((i = 1; i <= $(reps 15 1); ++i)); do
    has_room 30 || break
    progress "round $i"
    ceiling=()
    gpu_ceilings
    sample ceilings.wall "$wall"
    for key in "${!ceiling[@]}"; do sample "ceilings.$key" "${ceiling[$key]}"; done
  done
}
