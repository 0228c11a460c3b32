# Measures what the launcher ./kw costs on top of the program that it starts, in a copied tree so
# that nothing is built here.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_launcher() {
  figure launcher.through ns median none 0 launcher.program '`./kw --version`' 'in a clone whose build is up to date'
  figure launcher.program ns median none 0 - '`kw --version`' 'the program itself'
  figure launcher.over ns median at_most 10e6 launcher.program 'launcher over the program' \
    'difference of the two runs of each round, the order alternating'
  local tree=$work/tree i through
  git -c safe.directory='*' clone -q "$top" "$tree" || return 1
  mkdir -p "$tree/build/release/bin"
  cp "$bin/kw" "$tree/build/release/bin/kw"
  touch "$tree/build/release/kw-built"
  timed "$tree/kw" --version
  [ "$code" = 0 ] || return 1
  for ((i = 0; i < $(reps 200 10); ++i)); do
    progress "round $i"
    [ $((i % 2)) = 0 ] || time_into launcher.program "$tree/build/release/bin/kw" --version
    [ $((i % 2)) = 0 ] || through=-$wall
    timed "$tree/kw" --version
    sample launcher.through "$wall"
    if [ $((i % 2)) = 0 ]; then
      through=$wall
      time_into launcher.program "$tree/build/release/bin/kw" --version
      sample launcher.over $((through - wall))
    else
      sample launcher.over $((wall + through))
    fi
  done
}
