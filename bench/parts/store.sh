# Measures how fast a large store opens and lists its runs.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_store() {
  local i runs per
  runs=$(reps 100 10) per=1000
  figure store.list ns median at_most 100e6 store.empty "\`kw runs\`, $((runs * per)) attempts in $runs runs" \
    'wall time of the process; filled by `bench-store` through the program'"'"'s own writer'
  figure store.one ns median none 0 store.empty "\`kw runs\`, $((runs * per)) attempts in one run" 'the same'
  figure store.show ns median none 0 store.empty "\`kw show\` of a run of $per attempts there" 'the same'
  figure store.empty ns median none 0 - '`kw runs`, empty store' 'the same'
  progress "filling two stores with $((runs * per)) attempts each"
  "$tools/bench-store" "$work/many" "$runs" "$per" && "$tools/bench-store" "$work/one" 1 "$((runs * per))" || return 1
  note "the database of the first store holds $(stat -c %s "$work/many/runs/kernelwright.sqlite") bytes"
  for ((i = 0; i < $(reps 50 5); ++i)); do
    progress "round $i"
    time_into store.empty "$kw" --workspace "$work/empty" runs
    time_into store.list "$kw" --workspace "$work/many" runs
    time_into store.one "$kw" --workspace "$work/one" runs
    time_into store.show "$kw" --workspace "$work/many" show bench-1
  done
  rm -rf "$work/many" "$work/one"
}
