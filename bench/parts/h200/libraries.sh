# Measures kernels of the playbook in pairs with NVIDIA's libraries: cuBLAS, cuBLASLt, CUB, cuDNN.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# Each line: TASK LIBRARY LIMITS FILE [SUSTAINED]. LIMITS are the goals of the speedup over the
# library in pairs; SUSTAINED, if given, are those of the speedup with calls back to back.
# limit_of() reads both.
library_lines=(
  'matmul_padded cublas 0.95 40_gpu_fma' 'matmul_padded cublas 1.5 60_gpu_cute_tf32x3' 'matmul_bf16_padded cublaslt square_4096=0.95,square_8192=0.95 60_gpu_cute square_4096=0.95,square_8192=0.95'
  'matmul_f16_padded cublaslt - 60_gpu_cute -'
)
other_library_lines=(
  'scan_padded cub 1.0 40_gpu_lookback' 'reduce_sum_padded cub - 40_gpu_pieces' 'histogram cub - 40_gpu_lanes'
  'transpose_padded cublas - 50_gpu_vectors' 'conv2d cudnn - 60_gpu_cute_tf32x3'
)

# conv2d's workload three_by_three_large as a product of matrices: a row for each of the `co`
# outputs, a column for each pixel, and sums of ci * kh * kw products.
equivalent='{ name: equivalent, batch: 1, m: 256, n: 100352, k: 2304, pad_a: 0, pad_b: 0, pad_c: 0 }'
equivalent_file=60_gpu_cute_tf32x3

# equivalent_round: measures the convolution's rate divided by the rate of cuBLASLt's product of the
# same size, one after the other.
equivalent_round() {
  local task=$work/equivalent/matmul_padded convolution product
  if [ ! -d "$task" ]; then
    mkdir -p "$work/equivalent" && cp -r "$top/tasks/matmul_padded" "$task" || return
    sed -i "/^time:/,\$ d" "$task/shapes.yaml" && printf 'time:\n  - %s\n' "$equivalent" >>"$task/shapes.yaml"
  fi
  gpu_judge "$top/playbook/conv2d/$equivalent_file.cu" conv2d naive --only three_by_three_large || return
  convolution=$(each /workloads group=time flops_per_s | head -n 1)
  gpu_judge "$task/baselines/cublaslt.cu" "$task" naive || return
  product=$(each /workloads group=time flops_per_s | head -n 1)
  sample_if libraries.conv2d.equivalent "$(ratio "$convolution" "$product")"
}

# library_figures LINES...: declares the figures of the lines.
library_figures() {
  local line task library limits file sustained stem shape
  for line in "$@"; do
    read -r task library limits file sustained <<<"$line"
    stem=libraries.$task.$file
    figure "$stem" ratio median none 0 - "$task, $file: speedup over $library" \
      "geometric mean over the timed workloads, in pairs, of \`kw judge $(kernel_of "$task" "$file.cu") --task $task --baseline $library --target cuda --json\`, a process each round"
    goal_figure "$(limit_of "$limits" '')" "$stem.worst" ratio "$stem" "$task, $file: its worst workload over $library" 'the same judgements'
    for shape in $(timed_shapes "$task"); do
      goal_figure "$(limit_of "$limits" "$shape")" "$stem.at.$shape" ratio "$stem" "$task, $file: $shape over $library" 'the same judgements'
      [ -n "$sustained" ] || continue
      goal_figure "$(limit_of "$sustained" "$shape")" "$stem.sustained.at.$shape" ratio "$stem" "$task, $file: $shape back to back over $library" \
        'a second and more of calls without a flush between them (`--sustained`), by each in turn, in the same judgements'
    done
  done
}
# sustained_samples ID: records for each shape of the judgement in $out the library's time divided
# by the kernel's, for calls back to back.
sustained_samples() {
  each /workloads group=time name sustained | awk -F '\t' '
    function call_ns(role, parts, n, i) {
      n = split($2, parts, "}")
      for (i = 1; i <= n; ++i)
        if (index(parts[i], "\"role\":\"" role "\"") && match(parts[i], /"call_ns":[-+0-9.e]+/))
          return substr(parts[i], RSTART + 10, RLENGTH - 10) + 0
      return 0
    }
    { ours = call_ns("candidate"); theirs = call_ns("opponent"); if (ours > 0 && theirs > 0) print $1 "\t" theirs / ours }' >"$work/sustained"
  shape_samples "$1" <"$work/sustained"
}
# library_round LINES...: judges each line once; returns false if no time is left.
library_round() {
  local line task library file sustained
  for line in "$@"; do
    read -r task library _ file sustained <<<"$line"
    has_room 60 || { note "no time for $task, $file in round $i"; return 1; }
    progress "round $i: $task $file against $library"
    gpu_judge "$top/$(kernel_of "$task" "$file.cu")" "$task" "$library" ${sustained:+--sustained} || continue
    sample_if "libraries.$task.$file" "$(number /speedup/value)"
    each /workloads group=time name speedup | awk -F '\t' '
      match($2, /"value":[-+0-9.e]+/) { value = substr($2, RSTART + 8, RLENGTH - 8); if (value > 0) print $1 "\t" value }' >"$work/speedups"
    shape_samples "libraries.$task.$file" <"$work/speedups"
    [ -z "$sustained" ] || sustained_samples "libraries.$task.$file.sustained"
    sample_if "libraries.$task.$file.worst" "$(cut -f 2 "$work/speedups" | sort -g | head -n 1)"
  done
}

part_libraries() {
  local i
  library_figures "${library_lines[@]}"
  figure libraries.conv2d.equivalent ratio median at_least 0.8 - "conv2d, $equivalent_file: rate over cuBLASLt's of the equivalent product" \
    "rate of three_by_three_large by \`kw judge playbook/conv2d/$equivalent_file.cu\` over that of tasks/matmul_padded/baselines/cublaslt.cu for 256 x 100352 x 2304, a process each, one after the other"
  for ((i = 1; i <= $(reps 5 1); ++i)); do
    has_room 60 && progress "round $i: the equivalent product" && equivalent_round
    library_round "${library_lines[@]}" || break
  done
}
