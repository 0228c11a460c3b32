# Elementwise kernels of the playbook, against the ceiling of copying and a thread per element.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
part_kernels_elementwise() {
  part_of_kernels kernels_elementwise \
    'relu copy at_least 0.92 40_gpu_streamed.cu 60_gpu_cute.cu' 'gelu copy at_least 0.92 40_gpu_streamed.cu' \
    'swish copy at_least 0.92 40_gpu_streamed.cu' 'softsign copy at_least 0.92 40_gpu_streamed.cu' \
    'saxpy triad none 0 40_gpu_streamed.cu'
}
