# Kernels over rows: softmax, norms, sums, prefix sums, transposition.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
part_kernels_rows() {
  part_of_kernels kernels_rows \
    'softmax copy 0.92 40_gpu_rows.cu 50_gpu_staged.cu' 'rmsnorm copy 0.92 40_gpu_rows.cu 50_gpu_staged.cu' \
    'layernorm copy 0.92 40_gpu_rows.cu 50_gpu_staged.cu' 'transpose copy 0.92 50_gpu_vectors.cu 40_gpu_tiles.cu' \
    'reduce_sum read 0.92 40_gpu_pieces.cu' 'scan copy - 40_gpu_lookback.cu'
}
