# Down to which time a call can be measured: one kernel against itself, call after call shorter.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# shellcheck source=bench/parts/aa.sh
. bench/parts/aa.sh

part_short() {
  local i n length task=$top/bench/tasks/short
  local -A odd=()
  n=$(reps 10 2)
  for length in 3000 30000 100000 300000 1000000; do
    compare_figures "short_$length" none 0 - "saxpy of $length against itself" \
      "kw judge bench/tasks/short/baselines/omp.cpp --task bench/tasks/short --baseline omp --only n_$length --json"
    figure "short_$length.call" ns median none 0 - "saxpy of $length: a call" 'median of the candidate, cold'
  done
  timed "$kw" --json --workspace "$work/short" judge "$task/baselines/omp.cpp" --task "$task" --baseline omp --only n_1000000
  for ((i = 1; i <= n; ++i)); do
    for length in 3000 30000 100000 300000 1000000; do
      progress "comparison $i of $n at $length"
      compare_into "short_$length" "$work/short" "$task/baselines/omp.cpp" --task "$task" --baseline omp --only "n_$length"
      sample "short_$length.call" "$(found /workloads "name=n_$length" median_ns)"
    done
  done
  note_odd
}
