# Compares the referee's clock with known times, and with nvbench's cold method as
# bench/cuda/cold.cu implements it. Where NVBENCH_DIR names a build of nvbench, also compares that
# implementation with nvbench itself.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

# cuda_nvcc: prints the path of nvcc; fails if there is none.
cuda_nvcc() {
  local nvcc=${CUDA_PATH:-/usr/local/cuda}/bin/nvcc
  if [ -x "$nvcc" ]; then echo "$nvcc"; else command -v nvcc; fi
}
# cold_program: sets cold to bench-cold, which lies beside kw or is built; fails if there is neither
# the program nor nvcc.
cold_program() {
  cold=$bin/bench-cold
  [ -x "$cold" ] && return
  local nvcc
  nvcc=$(cuda_nvcc) || return 1
  cold=$work/bench-cold
  "$nvcc" -O2 -std=c++17 -arch=native -cudart static "$top/bench/cuda/cold.cu" -o "$cold" >"$work/nvcc.log" 2>&1
}
# nvbench_program: sets nvbench to bench-nvbench, which lies beside kw or is built against
# NVBENCH_DIR: an installed nvbench (include/ and lib/) or its build folder, whose cache names the
# sources. NVBENCH_ARCH replaces this GPU's architecture. If there is no bench-nvbench, it prints
# the reason.
nvbench_program() {
  nvbench=$bin/bench-nvbench
  [ -x "$nvbench" ] && return
  local nvcc home=${NVBENCH_DIR:-} library sources
  nvbench=''
  [ -n "$home" ] || { note 'nvbench itself: not compared, NVBENCH_DIR names no build of it'; return 1; }
  nvcc=$(cuda_nvcc) || { note 'nvbench itself: not compared, no nvcc'; return 1; }
  library=$(find -L "$home" -name libnvbench.so -print -quit 2>/dev/null)
  [ -n "$library" ] || { note "nvbench itself: not compared, no libnvbench.so in NVBENCH_DIR ($home)"; return 1; }
  library=$(cd "$(dirname "$library")" && pwd)
  sources=$(sed -n 's/^CMAKE_HOME_DIRECTORY:[A-Z]*=//p' "$home/CMakeCache.txt" 2>/dev/null)
  nvbench=$work/bench-nvbench
  # nvbench is not linked with the driver's library, which exists only on machines with a GPU.
  "$nvcc" -O2 -std=c++17 -arch="${NVBENCH_ARCH:-native}" -cudart static -I"$home/include" -I"$home" ${sources:+"-I$sources"} \
    "$top/bench/cuda/nvbench.cu" "$library"/libnvbench_main.* -L"$library" -lnvbench -Xlinker --allow-shlib-undefined \
    -Xlinker -rpath,"$library" -o "$nvbench" >"$work/nvbench.log" 2>&1 && return
  nvbench=''
  note "nvbench itself: not compared, its benchmark does not build: $(tail -n 1 "$work/nvbench.log")"
  return 1
}
# nvbench_median N SAMPLES: the median of the samples that nvbench took, in ns.
nvbench_median() {
  rm -rf "$work/nvbench.json" "$work/nvbench.json-bin"
  "$nvbench" --device 0 --axis "n=$1" --min-samples "$2" --jsonbin "$work/nvbench.json" >"$work/nvbench.log" 2>&1 || return 1
  od -An -v -w4 -t f4 "$work/nvbench.json-bin/0.bin" | sort -g | awk '
    { v[NR] = $1 * 1e9 } END { if (NR == 0) exit 1; printf "%.1f\n", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}
apart() { awk -v a="${1:-0}" -v b="${2:-0}" 'BEGIN { d = a - b; printf "%.1f\n", d < 0 ? -d : d }'; }

bound_of() { if [ "$1" = - ]; then echo none; else echo at_most; fi; }

part_clock() {
  local i name ns n share task=$top/bench/tasks/clock cold='' nvbench='' theirs itself ours
  local how='`kw judge bench/kernels/clock_copy.cu --task bench/tasks/clock --baseline wait --target cuda --json`, a process each'
  local -A median=() waited=()
  local waits=('wait_10 10000 300' 'wait_100 100000 1000' 'wait_1000 1000000 10000')
  # Each line: NAME ELEMENTS, then the limit of the difference, in ns below 50 us or as a ratio
  # above; on an H200 the copies take 14 to 500 us.
  local copies=('copy_6m 6291456 300 -' 'copy_12m 12582912 300 -' 'copy_32m 33554432 - 0.01' 'copy_256m 268435456 - 0.01')
  figure clock.base ns median none 0 - 'a wait of 20000 ns' "workload \`base\`, median_ns of $how; shorter calls are mostly launch and are refused"
  for i in "${waits[@]}"; do
    read -r name ns n <<<"$i"
    figure "clock.$name" ns median at_most "$n" clock.base "wait of $ns ns more: how far off" \
      "baseline_ns less that of \`base\`, less $ns, without its sign; the baseline waits by %globaltimer; goal: max(1 %, 0.3 us)"
  done
  for i in "${copies[@]}"; do
    read -r name n ns share <<<"$i"
    figure "clock.ours_$name" ns median none 0 "clock.cold_$name" "$name: median" "median_ns of workload \`$name\`; $how"
    figure "clock.cold_$name" ns median none 0 - "$name: cold method" 'bench-cold copy, flush `clean`: median of event pairs, 200 samples, the same kernel after the same flush'
    figure "clock.memset_$name" ns median none 0 - "$name: cold method after a memset alone" 'bench-cold copy, flush `memset`: the L2 is full of lines that have to be written back'
    figure "clock.nvbench_$name" ns median none 0 "clock.memset_$name" "$name: nvbench itself" 'bench/cuda/nvbench.cu with the nvbench of NVBENCH_DIR: median of its cold samples; before each it sets the L2, so the method made anew stands beside it after a memset'
    figure "clock.remade_$name" ratio median none 0 "clock.nvbench_$name" "$name: nvbench itself and the method made anew: difference" 'without its sign, over nvbench; the goal of our own median: 0.01 from 50 us on, 0.3 us below'
    figure "clock.apart_$name" ns median "$(bound_of "$ns")" "${ns/-/0}" "clock.ours_$name" "$name: difference" 'without its sign, of our median and the cold method, one after the other'
    figure "clock.relative_$name" ratio median "$(bound_of "$share")" "${share/-/0}" - "$name: difference over the cold method" 'goal: 0.01 from 50 us on, 0.3 us below'
  done
  cold_program || note "bench-cold cannot be built here ($(tail -n 1 "$work/nvcc.log" 2>/dev/null || echo 'no nvcc')); only our own figures"
  [ -x "$cold" ] || cold=''
  nvbench_program || true
  for ((i = 1; i <= $(reps 15 1); ++i)); do
    has_room 45 || break
    progress "round $i"
    gpu_judge "$top/bench/kernels/clock_copy.cu" "$task" wait || continue
    while IFS=$'\t' read -r name ours theirs; do
      median[$name]=$ours waited[$name]=$theirs
    done < <(each /workloads group=time name median_ns baseline_ns)
    [ -n "${median[base]-}" ] || continue
    sample clock.base "${median[base]}"
    for n in "${waits[@]}"; do
      read -r name ns _ <<<"$n"
      [ -z "${waited[$name]-}" ] || sample "clock.$name" "$(apart "$(awk -v a="${waited[$name]}" -v b="${waited[base]}" 'BEGIN { print a - b }')" "$ns")"
    done
    for n in "${copies[@]}"; do
      read -r name ns _ <<<"$n"
      [ -n "${median[$name]-}" ] || continue
      sample "clock.ours_$name" "${median[$name]}"
      [ -n "$cold" ] || continue
      theirs=$("$cold" copy "$ns" 0 "$(reps 200 20)" memset) && sample "clock.memset_$name" "$theirs"
      if [ -n "$nvbench" ]; then
        if itself=$(nvbench_median "$ns" "$(reps 200 20)"); then
          sample "clock.nvbench_$name" "$itself"
          [ -z "$theirs" ] || sample "clock.remade_$name" "$(ratio "$(apart "$theirs" "$itself")" "$itself")"
        else
          note "nvbench failed on $name: $(tail -n 1 "$work/nvbench.log")" && nvbench=''
        fi
      fi
      theirs=$("$cold" copy "$ns" 0 "$(reps 200 20)" clean) || { note "bench-cold failed on $name"; continue; }
      sample "clock.cold_$name" "$theirs"
      sample "clock.apart_$name" "$(apart "${median[$name]}" "$theirs")"
      sample "clock.relative_$name" "$(ratio "$(apart "${median[$name]}" "$theirs")" "$theirs")"
    done
  done
}
