# Lists the parts of bench/h200 in their order, with helpers; sourced by bench/run.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # read by bench/run
program=bench/h200 folder=bench/parts/h200 name=h200
parts=(ceilings nvrtc kernels_elementwise kernels_rows kernels_blocks kernels_stencil kernels_half libraries libraries_others judge clock aa throughput
  faults soak)
took='Each part ends within eight minutes; what it had no time for it says in a note.'

# Seconds that a part may take. The rest of eight minutes is left to finish the round that was
# begun.
part_seconds=440

# has_room SECONDS: whether the part has time for a round that takes at most SECONDS. A part with a
# shorter limit (--seconds) reserves less for it.
has_room() { has_time "$part_seconds" $((part_seconds / 8 < $1 ? part_seconds / 8 : $1)); }

# on_gpu WORKSPACE COMMAND...: runs kw for target cuda; the JSON output is in $out.
on_gpu() { timed "$kw" --json --workspace "$1" "${@:2}" --target cuda; }

# number POINTER: prints the number at a JSON pointer of the last output; prints nothing if there is
# none.
number() { got "$1" | awk '/^-?[0-9.]+([eE][-+]?[0-9]+)?$/ { print; exit }'; }
# ratio A B: prints A divided by B; prints nothing if B is 0.
ratio() { awk -v a="${1:-0}" -v b="${2:-0}" 'BEGIN { if (b + 0 > 0) printf "%.5g\n", a / b }'; }
sample_if() { [ -z "${2-}" ] || sample "$1" "$2"; }

# gpu_ceilings: sets ceiling[LEVEL_KIND] by kw device --measure. A ceiling that kw refused is left
# out, with a note.
gpu_ceilings() {
  local level kind rate
  on_gpu "$work/gpu" device --measure
  while IFS=$'\t' read -r level kind rate; do
    ceiling["${level}_$kind"]=$rate
  done < <(each /ceilings level kind per_second)
  [ "$(got /notes)" = '[]' ] || note "kw device: $(got /notes)"
}

# gpu_judge FILE TASK BASELINE FLAG...: judges a kernel; the judgement is in $out. Returns false if
# it is not "correct".
gpu_judge() {
  on_gpu "$work/gpu" judge "$1" --task "$2" --baseline "$3" "${@:4}"
  local outcome
  outcome=$(got /verdict/outcome)
  [ "$outcome" = correct ] && return
  note "${1#"$top"/} ended ${outcome:-without a verdict}: $(got /verdict/evidence)$(got /error/what)"
  return 1
}

# kernel_of TASK FILE: prints the kernel's path in the playbook, under the task's name or under the
# task that its `like` names.
kernel_of() {
  local folder=$1
  [ -f "$top/playbook/$1/$2" ] || folder=$(sed -n 's/^like: *//p' "$top/tasks/$1/task.yaml")
  echo "playbook/$folder/$2"
}

# timed_shapes TASK: prints the names of the task's timed workloads on a GPU, one on each line.
# Shipped tasks have each workload on a line of its own. A task without shapes uses those of the
# task that its `like` names.
timed_shapes() {
  local folder=$top/tasks/$1
  [ -f "$folder/shapes.yaml" ] || folder=$top/tasks/$(sed -n 's/^like: *//p' "$folder/task.yaml")
  awk '/^[a-z]/ { on = /^time:/ } on && match($0, /name: *[A-Za-z0-9_]+/) && !/for: *\[cpu\]/ {
    name = substr($0, RSTART, RLENGTH); sub(/name: */, "", name); print name }' "$folder/shapes.yaml"
}

# limit_of LIMITS SHAPE: prints the goal of a shape, or - for none. LIMITS are separated by commas:
# LIMIT for every shape, SHAPE=LIMIT for one, or - for none; an empty SHAPE asks for the goal of
# every shape.
limit_of() {
  local one all=- limits
  IFS=, read -ra limits <<<"$1"
  for one in "${limits[@]}"; do
    case $one in
      "${2:-=}"=*) echo "${one#*=}" && return ;;
      *=*) ;;
      *) all=$one ;;
    esac
  done
  echo "$all"
}
# goal_figure LIMIT ID UNIT ANCHOR TITLE METHOD: declares a figure that must be at least LIMIT; -
# means no goal.
goal_figure() {
  if [ "$1" = - ]; then figure "$2" "$3" median none 0 "${@:4}"; else figure "$2" "$3" median at_least "$1" "${@:4}"; fi
}

# shape_samples STEM: records samples for each shape from lines of SHAPE tab VALUE on standard
# input.
shape_samples() {
  local shape value
  while IFS=$'\t' read -r shape value; do
    if grep -q "^$1\.at\.$shape"$'\t' "$dir/figures.tsv"; then sample "$1.at.$shape" "$value"; else note "$1 has no figure of shape $shape"; fi
  done
}

# kernel_figures LINES...: declares the figures of a part with kernels. Each line is TASK KIND
# LIMITS FILE...: kernels are compared with the naive baseline, and each timed workload with the
# ceiling of its own mix, measured before the round. A goal holds for every shape that it names, so
# the worst shape decides. It applies to a line's first file; the other files show alternatives.
kernel_figures() { # LINES...
  local line task kind limits files file stem shape kernel
  for line in "$@"; do
    read -r task kind limits files <<<"$line"
    for file in $files; do
      stem=$task.$(basename "$file" .cu)
      kernel=$(kernel_of "$task" "$file")
      [ -f "$top/$kernel" ] || { note "$kernel is missing"; continue; }
      goal_figure "$(limit_of "$limits" '')" "$stem.worst" ratio "$stem.speedup" "$task, $file: worst workload over its roof" \
        "lowest roofline fraction of the timed workloads of \`kw judge $kernel --task $task --baseline naive --target cuda --json\`, a process each round, whose ceilings ($kind) are those of \`kw device --measure\` before each round"
      figure "$stem.roof" ratio median none 0 "$stem.worst" "$task, $file: best workload over its roof" 'the same judgements'
      for shape in $(timed_shapes "$task"); do
        goal_figure "$(limit_of "$limits" "$shape")" "$stem.at.$shape" ratio "$stem.worst" "$task, $file: $shape over its roof" 'the same judgements'
      done
      figure "$stem.speedup" ratio median none 0 - "$task, $file: speedup over naive" 'paired, geometric mean over the timed workloads of the same judgements'
      [ "$kind" != core ] || figure "$stem.matrix" ratio median none 0 "$stem.speedup" "$task, $file: best workload under 3xTF32" 'highest matrix_fraction of the same judgements; products of f32 alone'
      figure "$stem.rate" "$([ "$kind" = core ] && echo flops_per_s || echo bytes_per_s)" median none 0 - "$task, $file: nominal rate of the best workload" 'the same judgements'
      limits=-
    done
  done
}

# kernel_round LINES...: judges every file of the lines once.
kernel_round() { # LINES...
  local line task kind files file stem kernel
  local -A ceiling=()  # filled by gpu_ceilings, so that kw remembers the ceilings
  gpu_ceilings
  for line in "$@"; do
    read -r task kind _ files <<<"$line"
    for file in $files; do
      kernel=$(kernel_of "$task" "$file")
      [ -f "$top/$kernel" ] || continue
      has_room 60 || { note "no time for $task, $file in round $round"; continue; }
      progress "round $round: $task $file"
      stem=$task.$(basename "$file" .cu)
      gpu_judge "$top/$kernel" "$task" naive || continue
      sample_if "$stem.speedup" "$(number /speedup/value)"
      each /workloads group=time name roofline_fraction | awk -F '\t' '$2 + 0 > 0' | shape_samples "$stem"
      each /workloads group=time roofline_fraction bytes_per_s flops_per_s matrix_fraction | sort -g | awk -v id="$stem" -v kind="$kind" '
        $1 + 0 > 0 { if (!n++) printf "%s.worst\t%s\n", id, $1; roof = $1; rate = kind == "core" ? $3 : $2 }
        $4 + 0 > matrix { matrix = $4 }
        END { if (matrix > 0) printf "%s.matrix\t%s\n", id, matrix; if (n) printf "%s.roof\t%s\n%s.rate\t%s\n", id, roof, id, rate }' >>"$dir/samples.tsv"
    done
  done
}

# part_of_kernels PART LINES...: declares the figures, then makes at least three rounds, and more
# while there is time.
part_of_kernels() {
  local round
  kernel_figures "${@:2}"
  for ((round = 1; round <= $(reps 5 1); ++round)); do
    [ "$round" = 1 ] || has_time "$part_seconds" $(((SECONDS - part_began) / (round - 1))) || break
    kernel_round "${@:2}"
  done
  [ "$round" -gt 3 ] || [ "$quick" = 1 ] || note "only $((round - 1)) rounds fit into the time of a part"
}
