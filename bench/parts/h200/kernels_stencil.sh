# Measures fctd3d with one pass per step, and with several steps fused.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# stencil_median FILE: prints the median time of the workload with 512 points on each axis.
stencil_median() {
  gpu_judge "$top/playbook/fctd3d/$1" fctd3d naive --only cube_512_50 --pairs 20 && each /workloads group=time median_ns | head -n 1
}

part_kernels_stencil() {
  local i one two
  figure fctd3d.two_over_one ratio median at_least 1.25 - 'fctd3d, 512³ and 50 steps: two steps a pass over one' \
    'median_ns of `kw judge playbook/fctd3d/40_gpu_march.cu --task fctd3d --only cube_512_50 --pairs 20` over that of 60_gpu_two_steps.cu, a process each, one after the other'
  for ((i = 1; i <= $(reps 3 1); ++i)); do
    progress "two steps and one, $i"
    one=$(stencil_median 40_gpu_march.cu)
    two=$(stencil_median 60_gpu_two_steps.cu)
    sample_if fctd3d.two_over_one "$(ratio "$one" "$two")"
  done
  part_of_kernels kernels_stencil 'fctd3d mix_3r1w cube_256_50=0.85,cube_384_50=0.90,cube_512_50=0.90,cube_768_50=0.90 40_gpu_march.cu 50_gpu_tma.cu 60_gpu_two_steps.cu'
}
