# Measures how long building a prompt takes, compared with the seconds in which a model answers it.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_prompt() {
  local how
  how='`bench-prompt`: an improvement of softmax'"'"'s staged kernel with 200 attempts of history, a difference, findings and '
  how+='two examples, over its budget, so that it is rendered twice'
  figure prompt.build ns median at_most 5e6 - 'a prompt, 200 attempts of history' "$how"
  figure prompt.tokens count median none 0 - 'tokens of that prompt, at 3.5 bytes each' "$how"
  "$tools/bench-prompt" "$(reps 200 20)" >"$work/prompt.tsv" || return 1
  awk -F '\t' -v OFS='\t' '{ print "prompt.build", $1; print "prompt.tokens", $2 }' "$work/prompt.tsv" >>"$dir/samples.tsv"
}
