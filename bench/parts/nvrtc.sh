# Measures how long compiling device code takes: NVRTC in its warm server compared with nvcc, and
# kernels a second on all cores.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_nvrtc() {
  local i cores source=$top/tests/cuda/cute
  local knobs=(STAGES=4 BM=128 BN=128 BK=64 THREADS=384)
  cores=$(nproc)
  figure nvrtc.plain ns median at_most 100e6 nvcc.plain 'a plain kernel, NVRTC' 'saxpy for sm_90a, kw-nvrtc warm, no cache'
  figure nvcc.plain ns median none 0 - 'the same, nvcc' 'jailed alike'
  figure nvrtc.cute ns median at_most 1e9 nvrtc.plain 'an elementwise kernel in CuTe, NVRTC' 'header precompiled before'
  figure nvrtc.gemm ns median none 0 nvcc.gemm 'a CuTe product with TMA and wgmma, NVRTC' 'tests/cuda/cute/gemm.cu, header precompiled before'
  figure nvcc.gemm ns median none 0 - 'the same, nvcc' 'jailed alike'
  figure nvrtc.rate ns median at_most 5e6 nvrtc.plain 'one of many plain kernels on all cores' \
    "wall time of $((cores * 20)) builds by $cores threads over their number; the bound is for 16 cores"
  one_build() {  # FIGURE ARGUMENTS...
    timed "$tools/bench-nvrtc" "${@:2}"
    if [ "$code" = 0 ]; then sample "$1" "$(head -n 1 "$out")"; else note "$1: exit code $code"; fi
  }
  if ! timed "$tools/bench-nvrtc" one nvrtc cuda "$source/plain.cu" saxpy || [ "$code" != 0 ]; then
    note 'no device code can be compiled here: see kw doctor'
    return
  fi
  for ((i = 0; i < $(reps 5 1); ++i)); do
    # The rounds take at most eight minutes in all, as parts of bench/h200 may.
    [ "$i" = 0 ] || has_time 440 $(((SECONDS - part_began) / i)) || break
    progress "round $i"
    one_build nvrtc.plain one nvrtc cuda "$source/plain.cu" saxpy
    one_build nvcc.plain one nvcc cuda "$source/plain.cu" saxpy
    one_build nvrtc.cute one nvrtc cute "$source/scale.cu" scale TILE=1024
    one_build nvrtc.rate many "$cores" $((cores * 20))
    [ "$quick" = 1 ] && continue
    one_build nvrtc.gemm one nvrtc cute "$source/gemm.cu" cute_gemm "${knobs[@]}"
    one_build nvcc.gemm one nvcc cute "$source/gemm.cu" cute_gemm "${knobs[@]}"
  done
}
