# Measures how many evaluations each tuner needs on recorded and synthetic tuning spaces, for the
# table of docs/search.md.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_tuners() {
  local seeds how tuner
  seeds=$(reps 50 5)
  how="\`bench-tuners\`, $seeds seeds on each of bench/landscapes/ and of seven synthetic families; evaluations until a "
  how+='point within 2 % of the best was measured in full; 201: not within 200'
  progress "$seeds seeds"
  "$tools/bench-tuners" "$seeds" bench/landscapes/*.json >"$work/tuners.tsv" || return 1
  for tuner in $(cut -f 2 "$work/tuners.tsv" | sort -u); do
    figure "tuners.$tuner" count median none 0 tuners.random "evaluations, all landscapes: $tuner" "$how"
  done
  figure tuners.plan ns median at_most 5e6 - 'slowest plan of a search: bayesian' 'the same searches; from a tell to the ask after it'
  awk -F '\t' -v OFS='\t' '{ print "tuners." $2, $4 ? $4 : 201 } $2 == "bayesian" { print "tuners.plan", $7 }' \
    "$work/tuners.tsv" >>"$dir/samples.tsv"
  [ "$results" != "bench/results/$(machine_slug)-$(date -u +%F).json" ] || put_table
}

# put_table: replaces the lines between the marks in docs/search.md.
put_table() {
  "$tools/bench-tuners" table "$work/tuners.tsv" >"$work/tuners.md" || return 1
  sed -i -e '/<!-- bench-tuners -->/,/<!-- end -->/{/<!--/!d}' -e "/<!-- bench-tuners -->/r $work/tuners.md" docs/search.md
}
