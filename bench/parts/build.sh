# Measures what a clean clone costs: building, the first kernel, and all checks.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154

part_build() {
  local i tree
  figure build.release ns median none 0 - 'release build of a clean clone' '`./kw --version` with ccache off; packages installed'
  figure build.optimize ns median at_most 300e9 build.release 'from the clone to a confirmed kernel' \
    'the build and `./kw optimize tasks/fctd3d` after it, defaults; packages installed'
  figure build.check ns median at_most 600e9 build.release 'scripts/check, clean clone' 'with ccache off; packages installed'
  figure build.check_again ns median at_most 120e9 build.check 'scripts/check after an edit' 'one line appended to `src/base/text.cc`'
  export CCACHE_DISABLE=1
  for ((i = 0; i < $(reps 2 1); ++i)); do
    tree=$work/clone.$i
    git -c safe.directory='*' clone -q "$top" "$tree" || return 1
    progress "round $i: release build"
    timed "$tree/kw" --version
    [ "$code" = 0 ] || { note "the release build ended with exit code $code"; continue; }
    local built=$wall
    sample build.release "$built"
    progress "round $i: optimize"
    timed "$tree/kw" --workspace "$work/first.$i" optimize "$tree/tasks/fctd3d"
    sample build.optimize $((built + wall))
    [ "$code" = 0 ] || note "optimize ended with exit code $code"
    if [ "$quick" = 0 ]; then
      progress "round $i: scripts/check"
      time_into build.check "$tree/scripts/check"
      [ "$code" = 0 ] || note "scripts/check ended with exit code $code"
      echo '// an edit' >>"$tree/src/base/text.cc"
      time_into build.check_again "$tree/scripts/check"
      [ "$code" = 0 ] || note "scripts/check after an edit ended with exit code $code"
    fi
    rm -rf "$tree" "$work/first.$i"
  done
  unset CCACHE_DISABLE
}
