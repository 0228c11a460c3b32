# Verdicts a minute in one run on a small task, and where their time goes.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
part_throughput() {
  local i n name total stage task=$work/small
  # The shipped saxpy with a timed shape of 16 MiB: small, and long enough to be timed.
  cp -r "$top/tasks/saxpy" "$task"
  awk '/^time:/ { print; print "  - { name: small, n: 2097152 }"; exit } { print }' "$top/tasks/saxpy/shapes.yaml" >"$task/shapes.yaml"
  figure throughput.verdicts count median at_least 120 throughput.attempts 'verdicts a minute' \
    '`kw optimize (saxpy with a timed shape of 2 Mi elements) --target cuda --strategy tune --time 60s --json`: attempts with a verdict over the wall time of the process'
  figure throughput.attempts count median none 0 - 'attempts of a run' 'of the same run'
  figure throughput.timed ratio median none 0 - 'time at the device under measurement over wall time' 'stage `measure` of all attempts, over the wall time'
  for stage in compile load check measure; do
    figure "throughput.$stage" ns median none 0 throughput.verdicts "stage $stage of one attempt" "sum of \`stage_ns/$stage\` over the attempts of the run, over their number (\`kw export RUN --format jsonl\`)"
  done
  for ((i = 1; i <= $(reps 4 1); ++i)); do
    has_room 100 || break
    progress "run $i"
    on_gpu "$work/gpu.$i" optimize "$task" --baseline naive --time "$([ "$quick" = 1 ] && echo 15s || echo 60s)"
    total=$wall name=$(got /run)
    [ "$code" = 0 ] && [ -n "$name" ] || { note "kw optimize ended with code $code: $(got /error/what /error)"; continue; }
    out=$work/export timed "$kw" --workspace "$work/gpu.$i" export "$name" --format jsonl
    tr ',{}' '\n\n\n' <"$work/export" | tr -d '" ' | awk -F : -v total="$total" '
      $1 == "verdict" { ++n }
      $1 == "compile" || $1 == "load" || $1 == "check" || $1 == "measure" { if ($2 + 0 > 0) sum[$1] += $2 }
      END {
        if (!n) exit
        printf "throughput.attempts\t%d\nthroughput.verdicts\t%.2f\nthroughput.timed\t%.4f\n", n, n / total * 60e9, sum["measure"] / total
        for (s in sum) printf "throughput.%s\t%.0f\n", s, sum[s] / n
      }' >>"$dir/samples.tsv"
  done
}
