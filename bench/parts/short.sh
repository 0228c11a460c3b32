# Finds the shortest call that can be measured: judges one kernel against itself, with shorter and
# shorter calls.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# shellcheck source=bench/parts/aa.sh
. bench/parts/aa.sh

part_short() {
  local i n kernel length case call task
  # The kernel shares its loop among threads (omp), or runs on one thread, which wakes no other
  # thread (loop). The latter has a task of its own, because calls below 45 us are too short for its
  # baseline.
  local -A tasks=([omp]=$top/bench/tasks/short [loop]=$top/bench/tasks/short_alone)
  local cases=(omp:3000 omp:30000 omp:100000 omp:300000 omp:1000000 loop:100000 loop:300000 loop:1000000)
  local -A odd=()
  n=$(reps 10 2)
  for case in "${cases[@]}"; do
    kernel=${case%:*} length=${case#*:}
    compare_figures "short_${kernel}_$length" none 0 - "saxpy of $length by $kernel against itself" \
      "kw judge baselines/$kernel.cpp --task ${tasks[$kernel]#"$top/"} --baseline $kernel --only n_$length --json"
    figure "short_${kernel}_$length.call" ns median none 0 - "saxpy of $length by $kernel: a call" 'median of the candidate, cold'
  done
  for kernel in omp loop; do
    task=${tasks[$kernel]}
    timed "$kw" --json --workspace "$work/short" judge "$task/baselines/$kernel.cpp" --task "$task" --baseline "$kernel" --only n_1000000
  done
  for ((i = 1; i <= n; ++i)); do
    for case in "${cases[@]}"; do
      kernel=${case%:*} length=${case#*:} task=${tasks[${case%:*}]}
      progress "comparison $i of $n of $kernel at $length"
      compare_into "short_${kernel}_$length" "$work/short" "$task/baselines/$kernel.cpp" --task "$task" --baseline "$kernel" \
        --only "n_$length"
      call=$(found /workloads "name=n_$length" median_ns)
      case $call in '' | 0 | 0.0) ;; *) sample "short_${kernel}_$length.call" "$call" ;; esac # unmeasurable: no figure
    done
  done
  note_odd
}
