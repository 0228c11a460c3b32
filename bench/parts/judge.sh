# Measures how long a verdict on a small candidate takes, with empty caches and with warm ones.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# judge_once ID WORKSPACE CACHE FILE [FLAG...]: judges a kernel once and records its times.
judge_once() {
  XDG_CACHE_HOME=$3 timed "$kw" --json --workspace "$2" judge "$4" --task saxpy "${@:5}"
  sample "$1" "$wall"
  local outcome
  outcome=$(got /verdict/outcome)
  [ "$outcome" = correct ] || odd["$1: $outcome"]=$((${odd["$1: $outcome"]-0} + 1))
}

part_judge() {
  local slower=$top/bench/kernels/two_passes.cpp tie=$top/playbook/saxpy/20_vectors.cpp flags i name stage
  local how='wall time of the process `kw judge bench/kernels/two_passes.cpp --task saxpy --json`, a candidate that is clearly slower; '
  local -A odd=()
  figure judge.first ns median none 0 judge.compiler 'judged, all fresh' \
    "${how}empty cache, empty workspace: baselines are timed and ceilings measured as well"
  figure judge.unbuilt ns median at_most 1.5e9 judge.compiler 'judged, nothing built' \
    "${how}empty cache; ceilings and baselines remembered by the workspace"
  figure judge.cached ns median at_most 0.3e9 judge.start 'judged, build cached' "${how}cache and workspace as it left them"
  figure judge.checked_unbuilt ns median none 0 judge.compiler 'checked only, nothing built' "${how}with \`--until check\`, empty cache"
  figure judge.checked ns median none 0 judge.start 'checked only, build cached' "${how}with \`--until check\`"
  figure judge.tie ns median none 0 judge.start 'near-tie judged, build cached' \
    'the same for `playbook/saxpy/20_vectors.cpp`, as fast as the baseline: the pairs go on until the wall limit of a judgement'
  for stage in load check measure; do
    figure "judge.cached_$stage" ns median none 0 - "stage $stage of it, build cached" "\`stage_ns/$stage\` of the same runs"
  done
  figure judge.cached_rest ns median none 0 - 'all else of it, build cached' 'wall time less the three stages: processes, screening, loading of objects'
  figure judge.compiler ns median none 0 - 'the compiler alone' 'c++ with the flags of `docs/measurement.md` on that file, one shared object'
  figure judge.start ns median none 0 - 'the program alone' '`kw --version`'

  read -r -a flags <<<'-std=c++20 -O3 -march=native -fopenmp -fPIC -shared -fvisibility=hidden'
  # This judgement fills the compile cache and the workspace for the later ones.
  judge_once judge.first "$work/known" "$work/built" "$tie" && judge_once judge.first "$work/known" "$work/built" "$slower"
  : >"$dir/samples.tsv"
  for ((i = 0; i < $(reps 25 2); ++i)); do
    progress "round $i"
    judge_once judge.first "$work/fresh.$i" "$work/none.$i" "$slower"
    judge_once judge.unbuilt "$work/known" "$work/none2.$i" "$slower"
    judge_once judge.cached "$work/known" "$work/built" "$slower"
    got /stage_ns/load /stage_ns/check /stage_ns/measure >"$work/stages"
    for stage in load check measure; do
      read -r name
      [ -z "$name" ] || sample "judge.cached_$stage" "$name"
    done <"$work/stages"
    sample judge.cached_rest "$(awk -v wall="$wall" '{ wall -= $1 } END { printf "%.0f", wall }' "$work/stages")"
    judge_once judge.tie "$work/known" "$work/built" "$tie"
    judge_once judge.checked_unbuilt "$work/known" "$work/none3.$i" "$slower" --until check
    judge_once judge.checked "$work/known" "$work/built" "$slower" --until check
    time_into judge.compiler c++ "${flags[@]}" "$slower" -o "$work/anchor.so"
    time_into judge.start "$kw" --version
    rm -rf "$work/fresh.$i" "$work/none.$i" "$work/none2.$i" "$work/none3.$i"
  done
  for name in "${!odd[@]}"; do note "${odd[$name]} verdicts other than correct: $name"; done
}
