# Measures kernels that are bound by matrix units, FMA units or shared memory.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
part_kernels_blocks() {
  part_of_kernels kernels_blocks \
    'matmul_padded core - 40_gpu_fma.cu 50_gpu_tf32x3.cu 60_gpu_cute_tf32x3.cu' 'histogram read - 40_gpu_lanes.cu 50_gpu_private.cu' \
    'conv2d core - 40_gpu_implicit.cu 60_gpu_cute_tf32x3.cu' 'attention core - 50_gpu_tf32x3.cu'
}
