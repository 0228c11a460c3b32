# Measures how often a kernel is called faster than itself, and how often 3 % less work is found.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# shellcheck source=bench/parts/aa.sh
. bench/parts/aa.sh

part_aa() {
  local i n task=$top/bench/tasks/threepercent
  local -A odd=()
  n=$(reps 60 2)
  compare_figures threepercent at_least 0.95 same.faster '3 % less work' \
    'kw judge bench/kernels/threepercent.cu --task bench/tasks/threepercent --baseline slower --target cuda --json'
  compare_figures same at_most 0.01 threepercent.faster 'the slower one against itself' \
    'kw judge bench/tasks/threepercent/baselines/slower.cu --task bench/tasks/threepercent --baseline slower --target cuda --json'
  timed "$kw" --json --workspace "$work/gpu" judge "$top/bench/kernels/threepercent.cu" --task "$task" --baseline slower --target cuda
  for ((i = 1; i <= n; ++i)); do
    has_room 30 || { note "time for $((i - 1)) of $n rounds"; break; }
    progress "comparison $i of $n"
    compare_into threepercent "$work/gpu" "$top/bench/kernels/threepercent.cu" --task "$task" --baseline slower --target cuda
    compare_into same "$work/gpu" "$task/baselines/slower.cu" --task "$task" --baseline slower --target cuda
  done
  note_odd
}
