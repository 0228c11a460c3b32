# Kernels over rows: softmax, norms, sums, prefix sums, transposition.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
part_kernels_rows() {
  part_of_kernels kernels_rows \
    'softmax copy at_least 0.92 40_gpu_rows.cu 50_gpu_staged.cu' 'rmsnorm copy at_least 0.92 40_gpu_rows.cu 50_gpu_staged.cu' \
    'layernorm copy at_least 0.92 40_gpu_rows.cu 50_gpu_staged.cu' 'transpose copy at_least 0.92 40_gpu_tiles.cu 50_gpu_vectors.cu' \
    'reduce_sum read at_least 0.92 40_gpu_pieces.cu' 'scan copy none 0 40_gpu_lookback.cu'
}
