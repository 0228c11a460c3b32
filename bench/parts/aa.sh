# Measures how often a kernel is called faster than itself.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# compare_into PREFIX WORKSPACE FILE FLAG...: makes one comparison; records a sample for each
# PREFIX.{faster,value,floor,width,wall,pairs}.
compare_into() {
  timed "$kw" --json --workspace "$2" judge "$3" "${@:4}"
  local outcome faster value low high floor pairs
  { read -r outcome; read -r faster; read -r value; read -r low; read -r high; read -r floor; } < <(
    got /verdict/outcome /speedup/is_faster /speedup/value /speedup/low /speedup/high /speedup/noise_floor)
  pairs=$(found /workloads group=time samples)
  sample "$1.wall" "$wall"
  [ "$faster" = true ] && sample "$1.faster" 1 || sample "$1.faster" 0
  [ "$outcome" = correct ] || odd[$outcome]=$((${odd[$outcome]-0} + 1))
  case $value in '' | 0 | 0.0) return 0 ;; esac # unmeasurable: neither "faster" nor a figure
  sample "$1.value" "$value"
  # The noise floor is measured only if a verdict "faster" depends on it.
  [ "$floor" = null ] || sample "$1.floor" "$floor"
  sample "$1.width" "$(awk -v l="$low" -v h="$high" -v v="$value" 'BEGIN { print (h - l) / (2 * v) }')"
  sample "$1.pairs" "${pairs:-0}"
}

# compare_figures PREFIX BOUND LIMIT ANCHOR TITLE COMMAND: declares the figures of comparisons.
compare_figures() {
  figure "$1.faster" ratio share "$2" "$3" "$4" "$5: called faster" "\`speedup.is_faster\` of \`$6\`, a process each, default budget"
  figure "$1.value" ratio median none 0 - "$5: speedup" 'as reported'
  figure "$1.width" ratio median none 0 - "$5: half-width of the interval" 'over the speedup, at 0.995'
  figure "$1.floor" ratio median none 0 - "$5: noise floor" 'measured anew by each comparison in which a win depends on it'
  figure "$1.pairs" count median none 0 - "$5: pairs" 'timed before it ended'
  figure "$1.wall" ns median none 0 - "$5: time of one comparison" 'wall time of the process'
}

note_odd() {
  local outcome
  for outcome in "${!odd[@]}"; do note "${odd[$outcome]} comparisons ended $outcome, which counts as not faster"; done
}

part_aa() {
  local i n file=$top/tasks/saxpy/baselines/omp.cpp
  local -A odd=()
  n=$(reps 200 3)
  compare_figures aa at_most 0.01 aa.value 'saxpy against itself' 'kw judge tasks/saxpy/baselines/omp.cpp --task saxpy --baseline omp --json'
  # After this call the workspace knows baselines and ceilings, so that later calls do not measure
  # them.
  timed "$kw" --json --workspace "$work/aa" judge "$file" --task saxpy --baseline omp
  for ((i = 1; i <= n; ++i)); do
    progress "comparison $i of $n"
    compare_into aa "$work/aa" "$file" --task saxpy --baseline omp
  done
  note_odd
}
