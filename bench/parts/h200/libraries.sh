# Kernels of the playbook in pairs with NVIDIA's libraries: cuBLAS, cuBLASLt, CUB, cuDNN.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# TASK LIBRARY LIMIT FILE: LIMIT is what was asked of the speedup over the library; 0: nothing.
library_lines=(
  'matmul cublas 0.95 40_gpu_fma' 'matmul cublas 1.5 50_gpu_tf32x3' 'matmul_bf16 cublaslt 0.95 60_gpu_cute'
  'matmul_f16 cublaslt 0 60_gpu_cute' 'scan cub 1.0 40_gpu_lookback' 'reduce_sum cub 0 40_gpu_pieces'
  'histogram cub 0 40_gpu_lanes' 'transpose cublas 0 50_gpu_vectors'
  'conv2d cudnn 0.8 50_gpu_tf32x3'
)

part_libraries() {
  local i line task library limit file bound
  for line in "${library_lines[@]}"; do
    read -r task library limit file <<<"$line"
    bound=at_least
    [ "$limit" != 0 ] || bound=none
    figure "libraries.$task.$file" ratio median "$bound" "$limit" - "$task, $file: speedup over $library" \
      "geometric mean over the timed workloads, in pairs, of \`kw judge playbook/$task/$file.cu --task $task --baseline $library --target cuda --json\`, a process each round"
    figure "libraries.$task.$file.worst" ratio median none 0 "libraries.$task.$file" 'its worst workload' 'the same judgements'
  done
  for ((i = 1; i <= $(reps 5 1); ++i)); do
    for line in "${library_lines[@]}"; do
      read -r task library limit file <<<"$line"
      has_room 60 || { note "no time for $task, $file in round $i"; continue; }
      progress "round $i: $task $file against $library"
      gpu_judge "$top/playbook/$task/$file.cu" "$task" "$library" || continue
      sample_if "libraries.$task.$file" "$(number /speedup/value)"
      sample_if "libraries.$task.$file.worst" "$(each /workloads group=time speedup | tr "," "\n" | sed -n "s/.*\"value\"://p" | tr -d "}" | sort -g | head -n 1)"
    done
  done
}
