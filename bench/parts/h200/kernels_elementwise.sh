# Measures elementwise kernels of the playbook against the ceiling of copying and against one thread
# per element.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
part_kernels_elementwise() {
  part_of_kernels kernels_elementwise \
    'relu copy 0.92 40_gpu_streamed.cu' 'relu copy 0.92 60_gpu_cute.cu' 'gelu copy 0.92 40_gpu_streamed.cu' \
    'swish copy 0.92 40_gpu_streamed.cu' 'softsign copy 0.92 40_gpu_streamed.cu' \
    'saxpy triad - 40_gpu_streamed.cu'
}
