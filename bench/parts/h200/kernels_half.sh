# Measures kernels at bf16 and f16: kernels over rows against the ceiling of copying, products
# against the ceiling of the matrix units.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
part_kernels_half() {
  part_of_kernels kernels_half \
    'matmul_bf16_padded core - 60_gpu_cute.cu 40_gpu_mma.cu' 'attention_bf16 core 0.70 60_gpu_cute.cu 40_gpu_mma.cu' \
    'softmax_bf16_padded copy 0.92 40_gpu_rows.cu 50_gpu_staged.cu' 'rmsnorm_bf16_padded copy 0.92 40_gpu_rows.cu 50_gpu_staged.cu' \
    'layernorm_bf16_padded copy 0.92 40_gpu_rows.cu 50_gpu_staged.cu' 'matmul_bias_gelu_bf16_padded core - 60_gpu_cute.cu' \
    'matmul_f16_padded core - 60_gpu_cute.cu' 'attention_f16 core 0.70 60_gpu_cute.cu' 'matmul_bias_gelu_f16_padded core - 60_gpu_cute.cu' \
    'softmax_f16_padded copy 0.92 40_gpu_rows.cu' 'rmsnorm_f16_padded copy 0.92 40_gpu_rows.cu' 'layernorm_f16_padded copy 0.92 40_gpu_rows.cu'
}
