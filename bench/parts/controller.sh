# Measures the controller's own time per attempt, and whether its memory grows: searches on a
# synthetic landscape that has more points than the longest search tries.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

over() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4f", a / b }'; }

# replies_of ATTEMPTS: prints a script of so many replies. Every twenty-fifth reply is a new kernel,
# because a run ends after fifty replies without one; all others repeat the first.
replies_of() {
  awk -v n="$1" -v head='void saxpy(int n, float a, const float* x, float* y) {' \
    -v loop='for (int i = 0; i < n; ++i) y[i] += a * x[i]; }' 'BEGIN {
    for (i = 0; i < n; i += 25) {
      printf "===\nA number of its own.\n\n```cpp\n%s volatile int own = %d; (void)own; %s\n```\n", head, i, loop
      printf "===\n!repeat 24\nThe plain loop.\n\n```cpp\n%s %s\n```\n", head, loop
    }
  }'
}

# own_peak WORKSPACE ATTEMPTS: prints the controller's own peak of memory, in bytes, in a run whose
# model mostly sends the same kernel. Prompts, replies, history and report are as in a real run, but
# few kernels are judged.
own_peak() {
  local pid kib='' seen
  replies_of "$2" >"$work/replies.txt"
  "$kw" --json --workspace "$1" optimize saxpy --model "scripted:$work/replies.txt" --from-scratch --goal 1000x --attempts "$2" \
    >"$out" 2>/dev/null &
  pid=$!
  # VmHWM is the peak of the process alone; wait4 gives the larger peak of the process and its
  # worker.
  while kill -0 "$pid" 2>/dev/null; do
    seen=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null)
    [ -z "$seen" ] || kib=$seen
    sleep 0.02
  done
  wait "$pid"
  [ "$(got /attempts)" = "$2" ] && [ -n "$kib" ] && echo $((kib * 1024))
}

# Measures how much memory grows between 100 and 1,000 attempts in a run with a model.
scripted_growth() {
  local n peak
  local -A own=()
  for n in 100 1000; do
    progress "$n scripted attempts"
    peak=$(own_peak "$work/scripted.$n" "$n") || { note "a scripted run of $n attempts did not end as it should"; return; }
    own[$n]=$peak
    sample "controller.scripted_rss_$n" "$peak"
    rm -rf "$work/scripted.$n"
  done
  sample controller.scripted_growth "$(over "${own[1000]}" "${own[100]}")"
}

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
  local model='`kw optimize saxpy --model scripted:FILE --from-scratch --goal 1000x --attempts N`, FILE with a new kernel in each twenty-fifth reply; the largest VmHWM seen'
  figure controller.scripted_growth ratio median at_most 1.03 controller.scripted_rss_100 \
    'peak memory of a scripted run, N = 1,000 over N = 100' 'prompts, exchanges, lessons and history included; flat is read as above'
  figure controller.scripted_rss_100 bytes median none 0 - 'peak memory of a scripted run, N = 100' "$model"
  figure controller.scripted_rss_1000 bytes median none 0 - 'peak memory of a scripted run, N = 1,000' "$model"
  for ((i = 0; i < $(reps 3 1); ++i)); do scripted_growth; done
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
