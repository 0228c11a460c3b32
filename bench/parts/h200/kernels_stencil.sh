# fctd3d, a pass per step and with steps fused.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
part_kernels_stencil() {
  # Two steps a pass are asked 1.25 times what one is.
  part_of_kernels kernels_stencil 'fctd3d mix_3r1w at_least 0.90 40_gpu_march.cu 50_gpu_tma.cu' \
    'fctd3d mix_3r1w at_least 1.125 60_gpu_two_steps.cu'
}
