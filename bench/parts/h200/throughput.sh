# Measures verdicts a minute in one run on a small task, and which steps take the time.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
part_throughput() {
  local i n at first last name total values task=$work/small stages=(compile load truth check measure retime) steps=(place forget flush queue call stop check)
  local names=("${stages[@]}" "${steps[@]/#/step_}")
  # Makes the shipped saxpy with a timed shape of 48 MiB: small, but above the shortest time that
  # can be measured.
  cp -r "$top/tasks/saxpy" "$task"
  awk '/^time:/ { print; print "  - { name: small, n: 4194304 }"; exit } { print }' "$top/tasks/saxpy/shapes.yaml" >"$task/shapes.yaml"
  mkdir -p "$task/candidates"
  # Makes the playbook's kernel with 120 combinations of knob values.
  sed -e 's|^// kw: tune VECTORS =.*|// kw: tune VECTORS = 1, 2, 3, 4|' \
    -e "s|^// kw: tune THREADS =.*|// kw: tune THREADS = $(seq -s ', ' 96 32 1024)|" \
    "$top/playbook/saxpy/40_gpu_streamed.cu" >"$task/candidates/010_points.cu"
  figure throughput.verdicts count median at_least 120 throughput.attempts 'verdicts a minute' \
    '`kw optimize (saxpy with a timed shape of 4 Mi elements and 120 points of its streamed kernel) --target cuda --tuner exhaustive --time 60s`: attempts over the time between the first verdict of the run and the last'
  figure throughput.attempts count median none 0 - 'attempts of a run' 'of the same run'
  figure throughput.whole count median none 0 throughput.attempts 'verdicts a minute, start and confirmation included' 'attempts over the wall time of the process'
  figure throughput.timed ratio median none 0 - 'time at the device under measurement over wall time' 'stage `measure` of all attempts but the first, over the time between the first verdict and the last'
  for stage in "${stages[@]}"; do
    figure "throughput.$stage" ns median none 0 throughput.verdicts "stage $stage of one attempt" "\`stage_ns/$stage\`, mean over the attempts but the first (\`kw show RUN --attempt N --json\`)"
  done
  for step in "${steps[@]}"; do
    figure "throughput.step_$step" ns median none 0 throughput.measure "of its measuring: $step" "\`account_ns/$step\`, likewise"
  done
  for ((i = 1; i <= $(reps 4 1); ++i)); do
    has_room 100 || break
    progress "run $i"
    on_gpu "$work/gpu.$i" optimize "$task" --baseline naive --tuner exhaustive --time "$([ "$quick" = 1 ] && echo 15s || echo 60s)"
    total=$wall name=$(got /run)
    [ "$code" = 0 ] && [ -n "$name" ] || { note "kw optimize ended with code $code: $(got /error/what /error)"; continue; }
    : >"$work/each"
    for ((n = 1; ; ++n)); do
      timed "$kw" --workspace "$work/gpu.$i" --json show "$name" --attempt "$n"
      [ "$code" = 0 ] || break
      mapfile -t values < <(got /at_ns "${stages[@]/#//evaluation/stage_ns/}" "${steps[@]/#//evaluation/account_ns/}")
      last=${values[0]}
      [ "$n" -gt 1 ] || { first=$last && continue; }
      for ((at = 1; at < ${#values[@]}; ++at)); do printf '%s\t%s\n' "${names[at - 1]}" "${values[at]:-0}"; done >>"$work/each"
    done
    awk -F '\t' -v n="$((n - 1))" -v span="$(awk -v a="${first:-0}" -v b="${last:-0}" 'BEGIN { print b - a }')" -v total="$total" '
      { sum[$1] += $2 }
      END {
        if (n < 2 || span <= 0) exit
        printf "throughput.attempts\t%d\nthroughput.verdicts\t%.2f\nthroughput.whole\t%.2f\nthroughput.timed\t%.4f\n", n, (n - 1) / span * 60e9, n / total * 60e9, sum["measure"] / span
        for (s in sum) printf "throughput.%s\t%.0f\n", s, sum[s] / (n - 1)
      }' "$work/each" >>"$dir/samples.tsv"
  done
}
