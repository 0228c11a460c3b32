# Measures what the program adds to the time in which a model's server streams a reply.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_stream() {
  local how
  how='`bench-stream`: a local server sends 400 pieces, one a millisecond; from before the call to its return, with budget, '
  how+='prices, retry and the synced record of the exchange, less the time from the arrival of the request at the server to its '
  how+='last byte; connection and request included'
  figure stream.added ns median at_most 20e6 stream.server 'added to a streamed reply' "$how"
  figure stream.server ns median none 0 - 'the server'"'"'s own time for it' 'by its own clock'
  figure stream.first ns median none 0 - 'from a piece sent to the piece seen' 'median over the pieces of a reply'
  "$tools/bench-stream" "$(reps 50 5)" >"$work/stream.tsv" || return 1
  awk -F '\t' -v OFS='\t' '{ print "stream.added", $1; print "stream.server", $2; print "stream.first", $3 }' \
    "$work/stream.tsv" >>"$dir/samples.tsv"
}
