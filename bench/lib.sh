# Helpers that the parts of bench/run share: samples, timed commands, facts about the machine and
# its load; sourced by bench/run.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # variables of bench/run

build_tools() {
  local log=$top/build/bench.log
  mkdir -p "$top/build"
  { [ -f build/bench/build.ninja ] || cmake --preset release -B build/bench -DKW_BENCH=ON; } >"$log" 2>&1 &&
    ninja -C build/bench bench-tools >>"$log" 2>&1 && return
  tail -n 20 "$log" >&2
  echo "bench/run: the helpers did not build (log: $log)" >&2
  return 1
}

# reps FULL QUICK: prints the number of repetitions, QUICK if the run is a quick one.
reps() { if [ "$quick" = 1 ]; then echo "$2"; else echo "${repetitions:-$1}"; fi; }

# figure ID UNIT STATISTIC BOUND LIMIT ANCHOR TITLE METHOD: declares a figure of the part; results.h has the words.
figure() {
  local IFS=$'\t'
  printf '%s\n' "$*" >>"$dir/figures.tsv"
}
# sample ID VALUE: records one sample of a figure.
sample() { printf '%s\t%s\n' "$1" "$2" >>"$dir/samples.tsv"; }
note() { printf '%s\n' "$*" >>"$dir/notes.txt"; }
progress() { printf '\r\033[K%s: %s' "$part" "$*" >&2; }

# timed COMMAND...: sets wall, cpu (ns), rss (bytes) and code; the command's output is in $out.
timed() { read -r wall cpu rss code < <("$tools/bench-time" --out "$out" -- "$@"); }
# time_into ID COMMAND...: records the command's wall time as one sample.
time_into() {
  timed "${@:2}"
  sample "$1" "$wall"
}
# got POINTER...: prints the values at JSON pointers in the last command's output, one on each line.
# Where a pointer names a list, prints fields of its first matching element.
got() { "$tools/bench-report" get "$out" "$@"; }
found() { "$tools/bench-report" find "$out" "$@"; }
# each POINTER...: prints fields of every matching element of a list: one line for each element,
# with tabs between fields.
each() { "$tools/bench-report" each "$out" "$@"; }

# has_time SECONDS ROUND: whether a part that may take SECONDS in all has time for another round of
# at most ROUND seconds.
has_time() { [ $((SECONDS - part_began + $2)) -le "$1" ]; }

# Prints the share of the processors' time that other programs use during two seconds in which this
# program waits.
busy_share() {
  { grep '^cpu ' /proc/stat && sleep 2 && grep '^cpu ' /proc/stat; } | awk '
    { sum = 0; for (i = 2; i <= 9; ++i) sum += $i; total[NR] = sum; idle[NR] = $5 + $6 }
    END { d = total[2] - total[1]; share = 0; if (d > 0) share = 1 - (idle[2] - idle[1]) / d; printf "%.2f\n", share }'
}
load() { cut -d ' ' -f 1 /proc/loadavg; }

machine_model() { awk -F ': *' '/^model name/ { print $2; exit }' /proc/cpuinfo; }
machine_slug() { printf '%s-%s-cores' "$(machine_model)" "$(nproc)" | tr '[:upper:]' '[:lower:]' | tr -cs 'a-z0-9-' - ; }

# write_machine FILE: describes the machine, one fact on each line.
write_machine() {
  {
    printf 'processor\t%s\n' "$(machine_model)"
    lscpu | awk -F ': *' '/^CPU family|^Model:|^L1d cache|^L2 cache|^L3 cache|^Hypervisor vendor/ { print $1 "\t" $2 }'
    printf 'cores\t%s\n' "$(nproc)"
    printf 'memory\t%s\n' "$(awk '/^MemTotal/ { printf "%.1f GiB", $2 / 1048576 }' /proc/meminfo)"
    printf 'kernel\t%s\n' "$(uname -r)"
    printf 'system\t%s\n' "$(. /etc/os-release && echo "$PRETTY_NAME")"
    printf 'compiler\t%s\n' "$(c++ --version 2>/dev/null | head -n 1)"
    ! command -v nvidia-smi >/dev/null || nvidia-smi \
      --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem,power.limit,ecc.mode.current \
      --format=csv,noheader | head -n 1 | awk -F ', ' '{ printf "GPU\t%s, driver %s, %s, at most %s and memory %s, %s, ECC %s\n", $1, $2, $3, $4, $5, $6, $7 }'
  } >"$1"
}

# measure_part NAME: runs part_NAME with its folder in $dir, keeps its figures and prints its table.
measure_part() {
  part_began=$SECONDS
  dir=$work/$1.part out=$work/$1.out
  mkdir -p "$dir"
  : >"$dir/figures.tsv"
  : >"$dir/samples.tsv"
  : >"$dir/notes.txt"
  {
    printf 'at\t%s\n' "$(date -u +%FT%TZ)"
    printf 'commit\t%s\n' "$(git -c safe.directory='*' describe --always --dirty --abbrev=12 --exclude='*')"
    printf 'program\t%s\n' "$("$kw" --version)"
    printf 'load_before\t%s\n' "$(load)"
    printf 'busy_before\t%s\n' "$(busy_share)"
    [ "$quick" = 0 ] || printf 'quick\tyes\n'
  } >"$dir/facts.tsv"
  "part_$1" || return 1
  finish_part "$1"
}
finish_part() { # NAME
  printf '\r\033[K' >&2
  {
    printf 'load_after\t%s\n' "$(load)"
    printf 'busy_after\t%s\n' "$(busy_share)"
    printf 'seconds\t%s\n' "$((SECONDS - part_began))"
  } >>"$dir/facts.tsv"
  "$tools/bench-report" add "$results" "$work/machine.tsv" "$1" "$dir" && "$tools/bench-report" table "$results" "$1"
}
