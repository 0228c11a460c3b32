# Measures kernels over rows: softmax, norms, sums, prefix sums, transposition.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
part_kernels_rows() {
  part_of_kernels kernels_rows \
    'softmax_padded copy 0.92 40_gpu_rows.cu 50_gpu_staged.cu' 'rmsnorm_padded copy 0.92 40_gpu_rows.cu 50_gpu_staged.cu' \
    'layernorm_padded copy 0.92 40_gpu_rows.cu 50_gpu_staged.cu' 'transpose_padded copy 0.92 50_gpu_vectors.cu 40_gpu_tiles.cu' \
    'reduce_sum_padded read 0.92 40_gpu_pieces.cu' 'scan_padded copy - 40_gpu_lookback.cu'
}
