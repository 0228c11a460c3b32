# Measures how often a difference of 3 % is found, and how often a difference is found between a
# kernel and itself.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# shellcheck source=bench/parts/aa.sh
. bench/parts/aa.sh

part_threepercent() {
  local i n task=$top/bench/tasks/threepercent
  local -A odd=()
  n=$(reps 100 3)
  compare_figures threepercent at_least 0.95 same.faster '3 % less work' \
    'kw judge bench/kernels/threepercent.cpp --task bench/tasks/threepercent --baseline slower --json'
  compare_figures same none 0 threepercent.faster 'the slower one against itself' \
    'kw judge bench/tasks/threepercent/baselines/slower.cpp --task bench/tasks/threepercent --baseline slower --json'
  timed "$kw" --json --workspace "$work/3" judge "$top/bench/kernels/threepercent.cpp" --task "$task" --baseline slower
  for ((i = 1; i <= n; ++i)); do
    progress "comparison $i of $n"
    compare_into threepercent "$work/3" "$top/bench/kernels/threepercent.cpp" --task "$task" --baseline slower
    # One comparison in four is of the kernel with itself, under the same conditions.
    [ $((i % 4)) != 1 ] || compare_into same "$work/3" "$task/baselines/slower.cpp" --task "$task" --baseline slower
  done
  note_odd
}
