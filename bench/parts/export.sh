# Measures whether 100,000 trajectories are exported quickly and in memory that does not grow with
# them.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_export() {
  local i format few many how
  many=$(reps 100000 5000) few=$((many / 10))
  how="wall time of \`kw export bench-1 --format F --out FILE\`; filled by \`bench-store\` through the program's own writer"
  figure export.jsonl ns median at_most 10e9 export.csv "$many trajectories as JSONL" "$how"
  figure export.csv ns median none 0 - "the same as CSV" "$how"
  figure export.chrome ns median none 0 export.csv "the same as a Chrome trace" "$how"
  figure export.page ns median none 0 export.csv "\`kw report\` of that run" 'wall time; the page is bounded'
  figure export.page_bytes bytes median none 0 - 'size of that page' 'of the file'
  figure export.growth ratio median at_most 1.05 export.rss_few "peak memory of the JSONL export, $many over $few" \
    'flat is read as: ten times the attempts, at most 5 % more memory'
  figure export.rss_few bytes median none 0 - "peak memory of the JSONL export, $few" 'resident, of the process'
  figure export.rss_many bytes median none 0 - "peak memory of the JSONL export, $many" 'resident, of the process'
  progress "filling two stores"
  "$tools/bench-store" "$work/many" 1 "$many" && "$tools/bench-store" "$work/few" 1 "$few" || return 1
  for ((i = 0; i < $(reps 10 2); ++i)); do
    progress "round $i"
    timed "$kw" --workspace "$work/few" export bench-1 --format jsonl --out "$work/few.jsonl"
    local small=$rss
    sample export.rss_few "$rss"
    for format in csv chrome jsonl; do
      time_into "export.$format" "$kw" --workspace "$work/many" export bench-1 --format "$format" --out "$work/many.$format"
      [ "$code" = 0 ] || { note "the export as $format ended with exit code $code"; return 1; }
    done
    sample export.rss_many "$rss"
    sample export.growth "$(awk -v a="$rss" -v b="$small" 'BEGIN { printf "%.4f", a / b }')"
    [ "$(wc -l <"$work/many.jsonl")" = "$many" ] || note "the export has not $many lines"
    time_into export.page "$kw" --workspace "$work/many" report bench-1 --out "$work/page.html"
    sample export.page_bytes "$(stat -c %s "$work/page.html")"
  done
  note "the JSONL export holds $(stat -c %s "$work/many.jsonl") bytes"
  rm -rf "$work/many" "$work/few" "$work"/many.* "$work"/few.jsonl "$work/page.html"
}
