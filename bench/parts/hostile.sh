# Measures how much a hostile candidate slows down the baseline that is timed in turn with it.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# opponent_beside FILE: sets opponent_ns, the median time of saxpy's baseline when it is timed in
# turn with that candidate.
opponent_beside() {
  timed "$kw" --json --workspace "$work/hostile" judge "$1" --task saxpy --baseline omp --pairs 30
  opponent_ns=$(found /workloads group=time baseline_ns)
}

part_hostile() {
  local i n beside_hostile opponent_ns hostile=$top/bench/kernels/hostile.cpp itself=$top/tasks/saxpy/baselines/omp.cpp
  local command='kw judge FILE --task saxpy --baseline omp --pairs 30 --json'
  n=$(reps 20 3)
  figure hostile.opponent ratio median none 0 hostile.again 'the opponent beside a hostile candidate' \
    "its median of \`$command\` with bench/kernels/hostile.cpp, over that with itself, in turn"
  figure hostile.again ratio median none 0 hostile.opponent 'the opponent beside itself' 'the same twice with itself'
  opponent_beside "$itself"
  for ((i = 1; i <= n; ++i)); do
    progress "round $i of $n"
    opponent_beside "$hostile" && beside_hostile=$opponent_ns
    opponent_beside "$itself" && sample hostile.opponent "$(awk -v a="$beside_hostile" -v b="$opponent_ns" 'BEGIN { print a / b }')"
    beside_hostile=$opponent_ns
    opponent_beside "$itself" && sample hostile.again "$(awk -v a="$beside_hostile" -v b="$opponent_ns" 'BEGIN { print a / b }')"
  done
}
