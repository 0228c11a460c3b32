# Measures how long decisions take: ask() and tell() of every strategy, attempts of a synthetic
# suite, and lookups in memory.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# shellcheck source=bench/parts/memory.sh
. "$folder/memory.sh"

part_strategies() {
  local i name slug how worlds spec
  how="\`bench-strategies time\`: 10,000 attempts in synthetic worlds of 14 techniques, searches of strategies that end by "
  how+="themselves one after the other; processor time"
  for ((i = 0; i < $(reps 5 1); ++i)); do
    progress "round $i, ask and tell"
    "$tools/bench-strategies" time >"$work/ask.tsv" || return 1
    while IFS=$'\t' read -r name longest mean late; do
      slug=$(tr -cs 'a-z' _ <<<"$name")
      [ "$i" != 0 ] || {
        figure "strategies.mean_$slug" ns median at_most 100e3 - "ask and tell, mean: \`$name\`" "$how"
        figure "strategies.late_$slug" ns median at_most 1e6 "strategies.mean_$slug" \
          "the same, the last 100 of $longest attempts: \`$name\`" "the same; the longest of its searches"
      }
      sample "strategies.mean_$slug" "$mean"
      sample "strategies.late_$slug" "$late"
    done <"$work/ask.tsv"
  done
  worlds=40
  [ "$quick" = 0 ] || worlds=4
  spec=$work/worlds.yaml
  {
    printf 'name: worlds\nabout: Every strategy at equal budget.\ntasks: [saxpy]\nbudget: { evaluations: 200 }\n'
    printf 'strategies: [%s]\n' "$(cut -f 1 "$work/ask.tsv" | cut -d ' ' -f 1 | sort -u | paste -sd, | sed 's/,/, /g')"
  } >"$spec"
  figure strategies.suite count median at_least 10e3 - 'attempts a second of a synthetic suite, two cores, store off' \
    "\`kw suite --landscape $worlds --jobs 2\`, all strategies, 200 evaluations a cell: attempts over wall time, process \
start and tables included"
  for ((i = 0; i < $(reps 10 2); ++i)); do
    progress "round $i, a suite"
    timed "$kw" --workspace "$work/worlds.$i" suite "$spec" --landscape "$worlds" --jobs 2 --csv "$work/cells.csv"
    [ "$code" = 0 ] || return 1
    awk -F, -v wall="$wall" 'NR == 1 { for (f = 1; f <= NF; ++f) if ($f == "attempts") at = f; next }
      { sum += $at } END { if (sum > 0) printf "strategies.suite\t%.0f\n", sum / (wall / 1e9) }' \
      "$work/cells.csv" >>"$dir/samples.tsv"
  done
  measure_memory strategies
}
