# Evaluations in a row of which a tenth are faulty: what is left behind, and whether the honest ones stay as they were.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# left_behind: memory of the GPU in use, its processes, ours, open files of the machine, files in temporary folders.
left_behind() {
  local memory=0 contexts=0
  if command -v nvidia-smi >/dev/null; then
    memory=$(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | head -n 1)
    contexts=$(nvidia-smi --query-compute-apps=pid --format=csv,noheader | grep -c .)
  fi
  printf '%s %s %s %s %s\n' "$((memory * 1048576))" "$contexts" "$(ps -e -o comm= | grep -c '^kw-')" \
    "$(cut -f 1 /proc/sys/fs/file-nr)" "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'kw-*' ! -path "$work" | wc -l)"
}

part_faults() {
  local i n outcome file before after k names=(memory contexts processes files folders)
  local honest=$top/playbook/saxpy/40_gpu_streamed.cu faulty=() wrong=0 done=0 bad=0
  mapfile -t faulty < <(grep -l '^// task: saxpy' "$top"/tests/exploits/cuda/0[35]*.cu | xargs grep -L '^// expect:.*check/correct')
  n=$(reps 1000 10)
  figure faults.evaluations count median none 0 - 'evaluations in a row' 'of `kw judge FILE --task saxpy --until check --target cuda --json`, every tenth one of tests/exploits/cuda that faults, hangs or traps'
  figure faults.honest ratio share at_least 1 faults.evaluations 'honest ones that end correct' 'playbook/saxpy/40_gpu_streamed.cu'
  figure faults.caught ratio share at_least 1 faults.evaluations 'faulty ones that do not' 'one after the other'
  figure faults.wall ns median none 0 - 'an honest evaluation' 'wall time of the process'
  figure faults.memory_grown bytes median at_most 67108864 - 'memory of the GPU in use: growth' 'nvidia-smi, after less before'
  figure faults.contexts_grown count median at_most 0 - 'processes on the GPU: growth' 'nvidia-smi, after less before'
  figure faults.processes_grown count median at_most 0 - 'our processes: growth' 'ps, after less before'
  figure faults.files_grown count median at_most 64 - 'open files of the machine: growth' '/proc/sys/fs/file-nr, after less before'
  figure faults.folders_grown count median at_most 0 - 'folders in the temporary folder: growth' 'kw-*, after less before'
  on_gpu "$work/gpu" judge "$honest" --task saxpy --until check # builds
  before=$(left_behind)
  for ((i = 1; i <= n; ++i)); do
    has_room 15 || { note "time for $((i - 1)) of $n evaluations; --part faults again goes on with as many"; break; }
    [ $((i % 25)) != 1 ] || progress "$i of $n"
    file=$honest
    [ $((i % 10)) != 0 ] || file=${faulty[$((i / 10 % ${#faulty[@]}))]}
    on_gpu "$work/gpu" judge "$file" --task saxpy --until check
    outcome=$(got /verdict/outcome)
    ((++done))
    if [ "$file" = "$honest" ]; then
      sample faults.wall "$wall"
      [ "$outcome" = correct ] && sample faults.honest 1 || { sample faults.honest 0; ((++wrong)); }
    else
      [ -n "$outcome" ] && [ "$outcome" != correct ] && sample faults.caught 1 || { sample faults.caught 0; ((++bad)); note "$(basename "$file") ended ${outcome:-without a verdict}"; }
    fi
  done
  sleep 1
  after=$(left_behind)
  sample faults.evaluations "$done"
  for k in 1 2 3 4 5; do
    sample "faults.${names[$((k - 1))]}_grown" "$(awk -v a="$(cut -d ' ' -f $k <<<"$after")" -v b="$(cut -d ' ' -f $k <<<"$before")" 'BEGIN { print a - b }')"
  done
}
