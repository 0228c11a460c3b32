# KernelBench's ReLU (4096 x 393216, float32): how long a verdict takes, and on what.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
part_judge() {
  local i stage sum line names task=$work/relu file=$top/playbook/relu/40_gpu_streamed.cu
  local -A known=()
  # The shipped task with that one timed shape and five that are checked in full.
  cp -r "$top/tasks/relu" "$task"
  cat >"$task/shapes.yaml" <<'TEXT'
# KernelBench's shape, and five to check.
# SPDX-License-Identifier: Apache-2.0
show:
  - { name: thousand, n: 1000 }
check:
  - { name: one, n: 1, values: { x: { kind: uniform, lo: 0.5, hi: 2 } } }
  - { name: prime, n: 10007, values: { x: { kind: mixed, lo_exp: -20, hi_exp: 4 } } }
  - { name: odd, n: 65537 }
  - { name: whole_blocks, n: 1048576 }
  - { name: several_blocks, n: 1000003 }
time:
  - { name: kernelbench, n: 1610612736 }
TEXT
  figure judge.verdict ns median at_most 2e9 judge.wall 'ReLU 4096 × 393216 judged, the stages of a warm worker' \
    'sum of `stage_ns` of `kw judge playbook/relu/40_gpu_streamed.cu --task (relu with that shape) --baseline naive --target cuda --json` but compile; build, ceilings and baseline remembered'
  figure judge.wall ns median none 0 - 'the whole process' 'wall time: worker and CUDA context begin anew in each'
  figure judge.pairs count median at_least 100 - 'timed pairs' 'of the same judgement'
  figure judge.share ratio median at_least 0.0625 - 'share of each output that was checked' '`checked_share`'
  figure judge.miss ratio median none 0 - 'probability that one wrong block escapes all checks' '`miss_probability`'
  figure judge.median ns median none 0 - 'median of the kernel' '`median_ns`'
  figure judge.roof ratio median at_least 0.92 - 'of the roofline' '`roofline_fraction`'
  for stage in compile load truth check measure retime; do
    figure "judge.$stage" ns median none 0 judge.verdict "stage $stage" "\`stage_ns/$stage\`; no samples where there is no such stage"
    known[$stage]=1
  done
  progress 'building and measuring the baseline'
  gpu_judge "$file" "$task" naive || true
  : >"$dir/notes.txt"
  for ((i = 1; i <= $(reps 25 1); ++i)); do
    has_time "$part_seconds" 20 || break
    progress "round $i"
    gpu_judge "$file" "$task" naive || continue
    sample judge.wall "$wall"
    sum=$(got /stage_ns | tr ',{}' '\n\n\n' | tr -d '" ' | awk -F : 'NF == 2 { if ($1 != "compile") sum += $2 } END { printf "%.0f", sum }')
    sample judge.verdict "$sum"
    names=$(got /stage_ns | tr ',{}' '\n\n\n' | tr -d '" ')
    while IFS=: read -r stage line; do
      [ -z "${line-}" ] || [ -z "${known[$stage]-}" ] || sample "judge.$stage" "$line"
    done <<<"$names"
    { read -r line && sample judge.median "$line" && read -r line && sample judge.roof "$line" && read -r line && sample judge.pairs "$line" &&
      read -r line && sample judge.share "$line" && read -r line && sample judge.miss "$line"; } < <(
      found /workloads group=time median_ns roofline_fraction samples checked_share miss_probability)
  done
}
