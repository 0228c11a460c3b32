# Measures how long it takes to search 100,000 knowledge cards, and to load a graph of 10,000
# techniques.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_memory() { measure_memory memory; }

# measure_memory PART: records the figures PART.search and PART.graph.
measure_memory() {
  local cards nodes
  cards=100000
  [ "$quick" = 0 ] || cards=5000
  nodes=10000
  [ "$quick" = 0 ] || nodes=1000
  figure "$1.search" ns median at_most 10e6 - 'knowledge found among 100,000 cards' \
    "\`bench-memory\`: 50 searches for 160 words among $cards cards of 80 words each, words by Zipf's law, through the store"
  figure "$1.graph" ns median at_most 1e9 - 'a graph of 10,000 techniques loaded' \
    "the same program: JSON of $nodes nodes, five edges each, an example with code on each fifth"
  progress "$cards cards"
  "$tools/bench-memory" "$work/memory.$1" "$cards" "$nodes" >"$work/memory.tsv" 2>/dev/null || return 1
  awk -F '\t' -v OFS='\t' -v part="$1" '{ print part ($1 == "search" ? ".search" : ".graph"), $2 * 1e9 }' \
    "$work/memory.tsv" >>"$dir/samples.tsv"
}
