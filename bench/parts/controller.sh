# What the controller itself costs per attempt, and whether its memory grows: searches on a synthetic landscape.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_controller() {
  local i n how='`kw optimize synthetic:7:16 --strategy random --attempts N --json`, workspace on '
  how+="$(stat -f -c %T "$work"); process start, report and plots included"
  figure controller.attempt ns median at_most 5e6 controller.short 'controller per attempt, N = 1,000' "$how; wall time over attempts"
  figure controller.cpu ns median none 0 - 'processor time per attempt, N = 1,000' "$how"
  figure controller.short ns median none 0 - 'controller per attempt, N = 100' "$how"
  figure controller.growth ratio median at_most 1.1 controller.rss_100 'peak memory, N = 1,000 over N = 100' \
    'flat is read as: ten times the attempts, at most a tenth more memory'
  figure controller.rss_100 bytes median none 0 - 'peak memory, N = 100' "$how; resident, of the process"
  figure controller.rss_1000 bytes median none 0 - 'peak memory, N = 1,000' "$how; resident, of the process"
  for ((i = 0; i < $(reps 10 2); ++i)); do
    local -A peak=()
    for n in 100 1000; do
      progress "round $i, $n attempts"
      timed "$kw" --json --workspace "$work/synthetic.$i.$n" optimize synthetic:7:16 --strategy random --attempts "$n"
      local attempts
      attempts=$(got /spent/attempts)
      [ "${attempts:-0}" = "$n" ] || { note "a run of $n attempts made ${attempts:-none} (exit code $code)"; continue; }
      peak[$n]=$rss
      sample "controller.rss_$n" "$rss"
      if [ "$n" = 100 ]; then
        sample controller.short $((wall / n))
      else
        sample controller.attempt $((wall / n))
        sample controller.cpu $((cpu / n))
      fi
      rm -rf "$work/synthetic.$i.$n"
    done
    [ ${#peak[@]} = 2 ] && sample controller.growth "$(awk -v a="${peak[1000]}" -v b="${peak[100]}" 'BEGIN { printf "%.4f", a / b }')"
  done
  return 0
}
