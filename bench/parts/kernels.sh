# Measures the speed of the playbook's kernels against OpenBLAS, and against ceilings measured just
# before and after.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# measure_ceilings: sets ceiling[KIND] to DRAM's rate with all threads, by kw device --measure. A
# ceiling that kw refuses as implausible is measured again, at most twice, and then set to 0.
measure_ceilings() {
  local kind try
  for try in 1 2 3; do
    timed "$kw" --json --workspace "$work/kernels" device --measure
    for kind in copy triad mix_3r1w read; do
      ceiling[$kind]=$(found /ceilings level=DRAM "kind=$kind" "threads=$(nproc)" per_second || echo 0)
    done
    case " ${ceiling[*]} " in *' 0 '*) note "ceilings, try $try: $(got /notes)" ;; *) return 0 ;; esac
  done
}

# judge_kernel FILE TASK BASELINE: judges a kernel; the judgement is in $out.
judge_kernel() {
  timed "$kw" --json --workspace "$work/kernels" judge "$top/playbook/$1" --task "$2" --baseline "$3"
  local outcome
  outcome=$(got /verdict/outcome)
  [ "$outcome" = correct ] || note "playbook/$1 ended $outcome: $(got /verdict/evidence)"
}

# kernel_under_ceiling ID FILE TASK WORKLOAD KIND: records the rate of one workload divided by the
# mean of the ceilings measured before and after.
kernel_under_ceiling() {
  local before after rate speedup
  before=${ceiling[$5]}
  judge_kernel "$2" "$3" omp
  { read -r rate; read -r speedup; } < <(found /workloads group=time "name=$4" bytes_per_s speedup)
  measure_ceilings
  after=${ceiling[$5]}
  if [ "$before" = 0 ] || [ "$after" = 0 ]; then
    note "kw device --measure gave no ceiling $5 beside $4"
    return 0
  fi
  sample "$1.ceiling" "$after"
  case ${rate:-0} in 0 | 0.0 | null) return 0 ;; esac
  sample "$1.rate" "$rate"
  sample "$1.roof" "$(awk -v r="$rate" -v a="$before" -v b="$after" 'BEGIN { printf "%.4f", 2 * r / (a + b) }')"
  sample "$1.omp" "$(printf '%s' "$speedup" | tr ',{' '\n\n' | awk -F ': *' '/"value"/ { print $2 + 0 }')"
}

# ceiling_figures ID BOUND LIMIT TITLE FILE TASK WORKLOAD MIX: declares the figures of
# kernel_under_ceiling.
ceiling_figures() {
  figure "$1.roof" ratio median "$2" "$3" "$1.ceiling" "$4 over the ceiling of its mix" \
    "bytes_per_s of workload \`$7\` of \`kw judge playbook/$5 --task $6 --baseline omp --json\` over the mean of the DRAM ceilings ($8) before and after it"
  figure "$1.rate" bytes_per_s median none 0 "$1.ceiling" "$4: rate" 'nominal bytes over the median time, cold'
  figure "$1.ceiling" bytes_per_s median none 0 - "$4: ceiling of its mix" "\`kw device --measure\`, $8, DRAM, all threads"
  figure "$1.omp" ratio median none 0 - "$4: speedup over omp" 'paired, the same judgement'
}

# Memory-bound kernels: ID FILE WORKLOAD KIND WORDS; the file's folder names the task.
streams=(
  'relu relu/20_streamed.cpp dram copy one read to one write'
  'gelu gelu/20_streamed.cpp dram copy one read to one write'
  'swish swish/20_streamed.cpp dram copy one read to one write'
  'softsign softsign/20_streamed.cpp dram copy one read to one write'
  'transpose_padded transpose_padded/20_staged.cpp power_of_two copy one read to one write'
  'reduce_sum_padded reduce_sum_padded/20_pieces.cpp square read reads'
  'rmsnorm_padded rmsnorm_padded/20_streamed.cpp square copy one read to one write'
  'layernorm_padded layernorm_padded/20_streamed.cpp square copy one read to one write'
  'scan_padded scan_padded/20_chained.cpp vector copy one read to one write'
)
# Kernels that are bound by arithmetic or the nearest cache: ID FILE WORKLOAD
bound_by_core=(
  'conv2d conv2d/20_implicit_product.cpp three_by_three'
  'attention attention/20_blocked.cpp square'
  'histogram histogram/10_tables.cpp even'
)

# kernel_at_core ID FILE WORKLOAD: records the fraction of the roofline and the speedup over omp of
# one judgement.
kernel_at_core() {
  local roof speedup
  judge_kernel "$2" "${2%%/*}" omp
  { read -r roof; read -r speedup; } < <(found /workloads group=time "name=$3" roofline_fraction speedup)
  case ${roof:-0} in 0 | 0.0 | null) return 0 ;; esac
  sample "$1.roof" "$roof"
  sample "$1.omp" "$(printf '%s' "$speedup" | tr ',{' '\n\n' | awk -F ': *' '/"value"/ { print $2 + 0 }')"
}

part_kernels() {
  local id file workload kind words line
  local i
  local -A ceiling=()
  figure kernels.matmul ratio median at_least 0.95 kernels.openblas 'matmul 1024 over OpenBLAS' \
    'speedup of workload `square` of `kw judge playbook/matmul_padded/20_packed.cpp --task matmul_padded --baseline openblas --json`, in pairs'
  figure kernels.matmul_rate flops_per_s median none 0 kernels.openblas 'matmul 1024: rate' 'nominal operations over the median time, cold'
  figure kernels.openblas flops_per_s median none 0 - 'OpenBLAS, matmul 1024: rate' 'the opponent of the same pairs'
  ceiling_figures fctd3d at_least 0.85 'fctd3d 256, steps fused' fctd3d/30_skewed.cpp fctd3d cube_256 'three reads to one write'
  ceiling_figures fctd3d_pass none 0 'fctd3d 256, a pass per step' fctd3d/20_streamed.cpp fctd3d cube_256 'three reads to one write'
  ceiling_figures softmax at_least 0.85 'softmax 4096' softmax_padded/20_staged.cpp softmax_padded square 'one read to one write'
  ceiling_figures saxpy none 0 'saxpy' saxpy/20_vectors.cpp saxpy dram 'two reads to one write'
  for line in "${streams[@]}"; do
    read -r id file workload kind words <<<"$line"
    ceiling_figures "$id" at_least 0.85 "$id" "$file" "$id" "$workload" "$words"
  done
  for line in "${bound_by_core[@]}"; do
    read -r id file workload <<<"$line"
    figure "$id.roof" ratio median none 0 "$id.omp" "$id over its roofline" \
      "roofline_fraction of workload \`$workload\` of \`kw judge playbook/$file --task $id --baseline omp --json\`"
    figure "$id.omp" ratio median none 0 - "$id: speedup over omp" 'paired, the same judgement'
  done

  # This judgement builds every object and times every baseline; its figures are not recorded.
  progress 'baselines'
  judge_kernel matmul_padded/20_packed.cpp matmul_padded openblas
  judge_kernel fctd3d/30_skewed.cpp fctd3d omp
  judge_kernel softmax_padded/20_staged.cpp softmax_padded omp
  judge_kernel saxpy/20_vectors.cpp saxpy omp
  for line in "${streams[@]}" "${bound_by_core[@]}"; do
    read -r id file workload <<<"$line"
    judge_kernel "$file" "$id" omp
  done
  : >"$dir/notes.txt"

  for ((i = 1; i <= $(reps 7 1); ++i)); do
    progress "round $i"
    measure_ceilings
    kernel_under_ceiling fctd3d fctd3d/30_skewed.cpp fctd3d cube_256 mix_3r1w
    kernel_under_ceiling fctd3d_pass fctd3d/20_streamed.cpp fctd3d cube_256 mix_3r1w
    kernel_under_ceiling softmax softmax_padded/20_staged.cpp softmax_padded square copy
    kernel_under_ceiling saxpy saxpy/20_vectors.cpp saxpy dram triad
    for line in "${streams[@]}"; do
      read -r id file workload kind words <<<"$line"
      kernel_under_ceiling "$id" "$file" "$id" "$workload" "$kind"
    done
    for line in "${bound_by_core[@]}"; do
      read -r id file workload <<<"$line"
      kernel_at_core "$id" "$file" "$workload"
    done
    judge_kernel matmul_padded/20_packed.cpp matmul_padded openblas
    local flops own theirs
    { read -r flops; read -r own; read -r theirs; } < <(found /workloads group=time name=square flops_per_s median_ns baseline_ns)
    case ${theirs:-0} in 0 | 0.0 | null) continue ;; esac
    found /workloads group=time name=square speedup | tr ',{' '\n\n' | awk -F ': *' '/"value"/ { print "kernels.matmul\t" $2 + 0 }' >>"$dir/samples.tsv"
    sample kernels.matmul_rate "$flops"
    sample kernels.openblas "$(awk -v f="$flops" -v a="$own" -v b="$theirs" 'BEGIN { printf "%.0f", f * a / b }')"
  done
}
