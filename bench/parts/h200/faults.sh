# Runs a thousand evaluations in one run, a tenth of them faulty. Measures what faults leave behind,
# and whether the honest evaluations keep their results.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

worker_pid() { pgrep -n -x kw-worker; }

# left_behind: prints the GPU's memory in use, processes on it, this program's processes, and the
# worker's open files and resident memory.
left_behind() {
  local memory=0 contexts=0 pid
  if command -v nvidia-smi >/dev/null; then
    memory=$(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | head -n 1)
    contexts=$(nvidia-smi --query-compute-apps=pid --format=csv,noheader | grep -c .)
  fi
  pid=$(worker_pid) || return 1
  printf '%s %s %s %s %s\n' "$((memory * 1048576))" "$contexts" "$(pgrep -c '^kw-')" \
    "$(find "/proc/$pid/fd" -maxdepth 1 -type l | wc -l)" "$(awk '/^VmRSS/ { print $2 * 1024 }' "/proc/$pid/status")"
}
in_temporary() { find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'kw-*' ! -path "$work" | wc -l; }

# median: prints the median of the numbers on standard input, one on each line.
median() { sort -g | awk '{ v[NR] = $1 } END { if (NR > 0) print v[int((NR + 1) / 2)] }'; }

part_faults() {
  local k n run folders names=(memory contexts processes files resident) task=$work/points csv
  cp -r "$top/tasks/saxpy" "$task"
  awk '/^time:/ { print; print "  - { name: small, n: 4194304 }"; exit } { print }' "$top/tasks/saxpy/shapes.yaml" >"$task/shapes.yaml"
  # The task's goals are removed, since on a faster GPU a goal would be reached by the cache and end
  # the run after two evaluations.
  sed '/^goals:/d' "$top/tasks/saxpy/task.yaml" >"$task/task.yaml"
  mkdir -p "$task/candidates"
  n=$(reps 1000 50)
  cp "$top/bench/kernels/faulty_tenth.cu" "$task/candidates/010_points.cu"
  figure faults.evaluations count median at_least 1000 - 'evaluations in a row' \
    "\`kw optimize (saxpy with a timed shape of 4 Mi elements and 1,000 points of bench/kernels/faulty_tenth.cu) --target cuda --tuner exhaustive --attempts $n\`, one process, one worker"
  figure faults.honest ratio share at_least 1 faults.evaluations 'honest points that end correct' 'results.csv of the run'
  figure faults.caught ratio share at_least 1 faults.evaluations 'faulty points that do not' 'trap, write far behind, misaligned write, wrong values, endless loop'
  figure faults.late ratio median none 0 faults.evaluations 'honest points: time late in the run over time early in it' 'median_ns of the last fifth over that of the first'
  figure faults.memory_grown bytes median at_most 67108864 - 'memory of the GPU in use: growth' 'nvidia-smi every second: median of the last fifth less that of the first'
  figure faults.contexts_grown count median at_most 0 - 'processes on the GPU: growth' 'likewise'
  figure faults.processes_grown count median at_most 2 - 'our processes: growth' 'likewise; players come and go'
  figure faults.files_grown count median at_most 8 - "the worker's open files: growth" 'likewise, /proc'
  figure faults.resident_grown bytes median at_most 33554432 - "the worker's resident memory: growth" 'likewise, /proc'
  figure faults.folders_grown count median at_most 0 - 'folders in the temporary folder: growth' 'kw-*, after the run less before'
  folders=$(in_temporary)
  # A run keeps a fifth of its time for the confirmation. At 2.2 evaluations a second a thousand
  # take 470 s, so this part may take longer than others.
  "$kw" --json --workspace "$work/gpu.faults" optimize "$task" --target cuda --baseline naive --strategy greedy --tuner exhaustive \
    --attempts "$n" --time "$(((part_seconds + 50) * 5 / 4))s" >"$out" 2>"$work/faults.log" &
  run=$!
  : >"$work/left"
  while kill -0 "$run" 2>/dev/null; do
    left_behind >>"$work/left" 2>/dev/null
    progress "$(wc -l <"$work/left") s"
    sleep 1
  done
  wait "$run" || note "kw optimize ended with code $?: $(tail -n 1 "$work/faults.log")"
  sample faults.folders_grown "$(($(in_temporary) - folders))"
  csv=$(find "$work/gpu.faults" -name results.csv | head -n 1)
  [ -n "$csv" ] || { note "no results: $(head -c 300 "$out")"; return; }
  awk -F ',' '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    seen[$at["attempt"]]++ { next }
    {
      bad = $at["knobs"] ~ /ONES=3([^0-9]|$)/; right = $at["outcome"] == "correct"; ++n
      if (bad) printf "faults.caught\t%d\n", !right; else printf "faults.honest\t%d\n", right
    }
    END { printf "faults.evaluations\t%d\n", n }' "$csv" >>"$dir/samples.tsv"
  awk -F ',' 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    $at["outcome"] == "correct" && $at["median_ns"] > 0 { print $at["median_ns"] }' "$csv" >"$work/times"
  k=$(($(wc -l <"$work/times") / 5))
  sample_if faults.late "$(ratio "$(tail -n "$k" "$work/times" | median)" "$(head -n "$k" "$work/times" | median)")"
  k=$(($(wc -l <"$work/left") / 5))
  [ "$k" -ge 1 ] || { note 'the run was too short for a growth'; return; }
  for n in 1 2 3 4 5; do
    sample "faults.${names[n - 1]}_grown" "$(($(tail -n "$k" "$work/left" | cut -d ' ' -f "$n" | median) - $(head -n "$k" "$work/left" | cut -d ' ' -f "$n" | median)))"
  done
}
