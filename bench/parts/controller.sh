# What the controller itself costs per attempt, and whether its memory grows: searches on a synthetic landscape that
# has more points than the longest of them tries.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

over() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4f", a / b }'; }

part_controller() {
  local i n how='`kw optimize synthetic:7:64 --strategy random --attempts N --json`, workspace on '
  how+="$(stat -f -c %T "$work"); process start, report and plots included"
  figure controller.attempt ns median at_most 5e6 controller.short 'controller per attempt, N = 1,000' "$how; wall time over attempts"
  figure controller.cpu ns median none 0 - 'processor time per attempt, N = 1,000' "$how"
  figure controller.short ns median none 0 - 'controller per attempt, N = 100' "$how"
  figure controller.growth ratio median at_most 1.03 controller.rss_100 'peak memory, N = 1,000 over N = 100' \
    'flat is read as: ten times the attempts, at most 3 % more memory'
  figure controller.growth_long ratio median at_most 1.03 controller.rss_100 'peak memory, N = 10,000 over N = 100' \
    'the same'
  figure controller.rss_100 bytes median none 0 - 'peak memory, N = 100' "$how; resident, of the process"
  figure controller.rss_1000 bytes median none 0 - 'peak memory, N = 1,000' "$how; resident, of the process"
  figure controller.rss_10000 bytes median none 0 - 'peak memory, N = 10,000' "$how; resident, of the process"
  for ((i = 0; i < $(reps 10 2); ++i)); do
    local -A peak=()
    for n in 100 1000 10000; do
      progress "round $i, $n attempts"
      timed "$kw" --json --workspace "$work/synthetic.$i.$n" optimize synthetic:7:64 --strategy random --attempts "$n"
      local attempts
      attempts=$(got /spent/attempts)
      [ "${attempts:-0}" = "$n" ] || { note "a run of $n attempts made ${attempts:-none} (exit code $code)"; continue; }
      peak[$n]=$rss
      sample "controller.rss_$n" "$rss"
      case $n in
        100) sample controller.short $((wall / n)) ;;
        1000) sample controller.attempt $((wall / n)) && sample controller.cpu $((cpu / n)) ;;
      esac
      rm -rf "$work/synthetic.$i.$n"
    done
    [ ${#peak[@]} = 3 ] || continue
    sample controller.growth "$(over "${peak[1000]}" "${peak[100]}")"
    sample controller.growth_long "$(over "${peak[10000]}" "${peak[100]}")"
  done
  return 0
}
