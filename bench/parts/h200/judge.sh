# Measures how long a verdict on KernelBench's ReLU (4096 x 393216, float32) takes, and which steps
# take the time.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
part_judge() {
  local i stage step line task=$work/relu file=$top/playbook/relu/40_gpu_streamed.cu
  local stages=(load truth check measure) steps=(sets opponent place forget flush queue call stop check)
  local how=(--pairs 100 --checked-share 1/16)
  # Makes the shipped task with KernelBench's timed shape and five shapes that are checked in full.
  cp -r "$top/tasks/relu" "$task"
  cat >"$task/shapes.yaml" <<'TEXT'
# KernelBench's shape is timed; five more shapes are checked.
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
    'sum of `stage_ns` but compile, truth and retime, less the steps `sets` and `opponent` of `account_ns`, which a referee has done once for a run, of `kw judge playbook/relu/40_gpu_streamed.cu --task (relu with that shape) --baseline naive --target cuda --pairs 100 --checked-share 1/16 --json`; build, ceilings, noise floor and baseline remembered'
  figure judge.wall ns median none 0 - 'the whole process' 'wall time: worker and CUDA context begin anew in each'
  figure judge.pairs count median at_least 100 - 'timed pairs' 'of the same judgement'
  figure judge.share ratio median at_least 0.0625 - 'share of each output that was checked' '`checked_share`'
  figure judge.miss ratio median none 0 - 'probability that one wrong block escapes all checks' '`miss_probability`'
  figure judge.median ns median none 0 - 'median of the kernel' '`median_ns`'
  figure judge.roof ratio median at_least 0.92 - 'of the roofline' '`roofline_fraction`'
  figure judge.cold ns median none 0 judge.wall 'all stages but compile and retime' 'of the same judgement: inputs, truths and opponent made anew'
  figure judge.retime ns median none 0 judge.verdict 'timed once more: stage retime' '200 calls and as many empty ones, which a new best costs beside'
  for stage in "${stages[@]}"; do figure "judge.$stage" ns median none 0 judge.verdict "stage $stage" "\`stage_ns/$stage\`"; done
  for step in "${steps[@]}"; do
    figure "judge.step_$step" ns median none 0 judge.measure "of it: $step" "\`account_ns/$step\`, by the host's clock; the 200 calls themselves are in \`call\`"
  done
  progress 'building and measuring the baseline'
  gpu_judge "$file" "$task" naive "${how[@]}" || true
  : >"$dir/notes.txt"
  for ((i = 1; i <= $(reps 25 1); ++i)); do
    has_room 15 || break
    progress "round $i"
    gpu_judge "$file" "$task" naive "${how[@]}" || continue
    sample judge.wall "$wall"
    for stage in "${stages[@]}"; do sample_if "judge.$stage" "$(number "/stage_ns/$stage")"; done
    sample_if judge.retime "$(number /stage_ns/retime)"
    for step in "${steps[@]}"; do sample_if "judge.step_$step" "$(number "/account_ns/$step")"; done
    awk -F '\t' '{ last[$1] = $2 } END {
      cold = last["judge.load"] + last["judge.truth"] + last["judge.check"] + last["judge.measure"]
      printf "judge.cold\t%.0f\njudge.verdict\t%.0f\n", cold, cold - last["judge.truth"] - last["judge.step_sets"] - last["judge.step_opponent"]
    }' "$dir/samples.tsv" >"$work/sums" && cat "$work/sums" >>"$dir/samples.tsv"
    { read -r line && sample judge.median "$line" && read -r line && sample judge.roof "$line" && read -r line && sample judge.pairs "$line" &&
      read -r line && sample judge.share "$line" && read -r line && sample judge.miss "$line"; } < <(
      found /workloads group=time median_ns roofline_fraction samples checked_share miss_probability)
  done
}
