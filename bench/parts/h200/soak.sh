# Measures one kernel for a minute on new inputs, and how its error grows with the number of time
# steps.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_soak() {
  local i file=40_gpu_march.cu
  local how="\`kw soak playbook/fctd3d/$file --task fctd3d --grow nt --time 60s --target cuda --json\`, all check and show workloads on a fresh seed each time, every element checked"
  figure soak.correct ratio share at_least 1 soak.judgements 'fctd3d for a minute: ended correct' "$how"
  figure soak.judgements count median none 0 - 'judgements in it' 'of the same minute'
  figure soak.tolerance ratio median at_most 1 - 'largest share of the tolerance that an error took' 'largest worst_gate_fraction of its workloads'
  figure soak.late ratio median none 0 - 'relative L2 error, last judgement over first' 'largest last_rel_l2 over first_rel_l2 of its workloads; drift of the device or of state that is kept would show'
  figure soak.growth ratio median none 0 - 'the error grows with the number of steps to the power of' 'growth_exponent: slope of log rel. L2 over log nt, doubled as long as 0.4 of the time allows'
  figure soak.steps count median none 0 soak.growth 'steps of the longest run that was checked' 'the last point of growth'
  for ((i = 1; i <= $(reps 3 1); ++i)); do
    has_room 90 || break
    progress "minute $i"
    on_gpu "$work/gpu" soak "$top/playbook/fctd3d/$file" --task fctd3d --grow nt --time "$([ "$quick" = 1 ] && echo 15s || echo 60s)"
    [ -n "$(got /verdict/outcome)" ] || { note "kw soak ended with code $code: $(got /error/what)"; continue; }
    if [ "$(got /verdict/outcome)" = correct ]; then sample soak.correct 1; else sample soak.correct 0; fi
    sample_if soak.judgements "$(number /judgements)"
    # With a single point there is no slope, and kw writes 0, which must not become a sample.
    [ "$(each /growth outcome=correct value | wc -l)" -lt 2 ] || sample_if soak.growth "$(number /growth_exponent)"
    sample_if soak.steps "$(each /growth outcome=correct value | tail -n 1)"
    each /workloads judgements worst_gate_fraction first_rel_l2 last_rel_l2 | awk -F '\t' '
      $2 + 0 > gate + 0 { gate = $2 }
      $3 + 0 > 0 && $4 / $3 > late { late = $4 / $3 }
      END { if (NR) printf "soak.tolerance\t%.4g\n", gate; if (late > 0) printf "soak.late\t%.4g\n", late }' >>"$dir/samples.tsv"
  done
}
