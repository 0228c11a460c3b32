# Measures what a jailed player costs: starting it without spare processes at each level of the
# jail, starting it with spare processes, and one empty call.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_jail() {
  local how='`bench-jail`: Device::start_player with one buffer of 1 MiB, from the request until the player is locked down'
  figure jail.namespace ns median at_most 25e6 jail.anchor_bwrap 'jail and player, namespace, empty pool' "$how"
  figure jail.landlock ns median none 0 jail.anchor_process 'jail and player, landlock, empty pool' "$how"
  figure jail.none ns median none 0 jail.anchor_process 'player without a jail, empty pool' "$how"
  figure jail.pool_first ns median none 0 jail.anchor_bwrap 'first request of a pool' "$how"
  figure jail.pool_hit ns median none 0 jail.anchor_bwrap 'jail and player, namespace, pool filled' "$how; the pool had 0.1 s to refill"
  figure jail.empty_call ns median none 0 - 'empty call' 'Player::call_empty, by the referee: resume, request, answer'
  figure jail.anchor_bwrap ns median none 0 - 'bubblewrap alone' '`bwrap --unshare-all --ro-bind / / /bin/true` to its end'
  figure jail.anchor_process ns median none 0 - 'a process alone' '`/bin/true` to its end'
  progress 'players'
  "$tools/bench-jail" "$(reps 100 5)" >>"$dir/samples.tsv"
}
