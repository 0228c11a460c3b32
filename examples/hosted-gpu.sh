#!/usr/bin/env bash
# Optimises a task on a GPU of another machine: kernels to be judged go there as a bundle, and
# results come back.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: examples/hosted-gpu.sh run HOST TASK [FLAG]...
       examples/hosted-gpu.sh pack TASK [FLAG]...
       examples/hosted-gpu.sh take TASK RESULTS [FLAG]...

run goes back and forth with HOST, which is reached by ssh, until the run has ended. `here` is this machine.
pack writes the next bundle and the worker's programs into TASK.hosted.tar.gz, for hosted-gpu.ipynb; take reads the
results that the notebook made and packs what waits next, until nothing does.
FLAGs are those of kw optimize; without any --target cuda --arch sm_75, a T4, and for take those of pack. TASK is a folder
or a shipped task.

KW_JAIL and KW_WORKSPACE hold for every step: a hosted container that allows no namespaces needs KW_JAIL=landlock.
KW: the program (default: ./kw). KW_BIN: the folder of kw-worker, kw-jail and the players; default: those of a portable
build, which is made where it is missing (scripts/packages.sh says what that needs). The other machine needs a driver
and bubblewrap, but neither compiler nor network.
Exit status: that of kw optimize; 3 after pack and take while results are awaited.
TEXT
}

top=$(cd "$(dirname "$0")/.." && pwd)
kw=${KW:-$top/kw}
programs=(kw-worker kw-jail kw-player-cpu kw-player-cuda)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the folder that contains the worker's programs.
bin_folder() {
  local bin=${KW_BIN:-$top/build/portable/bin}
  if [ -z "${KW_BIN-}" ] && [ ! -x "$bin/kw-worker" ]; then
    (cd "$top" && cmake --preset portable && cmake --build build/portable) >&2
  fi
  [ -x "$bin/kw-worker" ] || { echo "hosted-gpu: no kw-worker in $bin" >&2; return 3; }
  echo "$bin"
}

# Runs kw optimize or kw resume. Sets `bundle` to the file with kernels to be judged, empty if there
# are none, and `run` to the run that continues with the results, empty as long as only baselines
# are to be judged.
step() { # WORD...
  local status
  set +e
  { "$kw" "$@" 2>&1 >&3 3>&- | tee "$work/said" >&2; status=${PIPESTATUS[0]}; } 3>&1
  set -e
  bundle=$(sed -n 's/.* waits\{0,1\} in \(.*\): take it to the machine.*/\1/p' "$work/said" | tail -n 1)
  run=$(sed -n 's/.*go on with: kw resume //p' "$work/said" | tail -n 1)
  [ -n "$bundle" ] || exit "$status"
}

# Continues the run with a file of results.
take() { # TASK RESULTS FLAG...
  local task=$1 results=$2
  shift 2
  if [ -n "$run" ]; then
    step resume "$run" --results "$results"
  else
    step optimize "$task" --carrier bundle "$@" --results "$results"
  fi
}

judge() { # HOST BUNDLE RESULTS BIN
  local host=$1 there=kernelwright-bundle
  if [ "$host" = here ]; then
    "$4/kw-worker" --bundle "$2" --out "$3"
    return
  fi
  ssh "$host" mkdir -p "$there/bin"
  (cd "$4" && tar -cz "${programs[@]}") | ssh "$host" tar -xz -C "$there/bin"
  scp -q "$2" "$host:$there/work.bundle"
  # A connection that broke left results on the host, and the worker continues after them: it writes
  # each result at once.
  ssh "$host" "cd $there && ./bin/kw-worker --bundle work.bundle --out $(basename "$3")"
  scp -q "$host:$there/$(basename "$3")" "$3"
}

pack() { # TASK BIN FLAG...
  local name
  name=$(basename "$1")
  mkdir -p "$work/hosted/bin"
  (cd "$2" && cp "${programs[@]}" "$work/hosted/bin/")
  cp "$bundle" "$work/hosted/$name.bundle"
  tar -czf "$name.hosted.tar.gz" -C "$work/hosted" .
  # Keeps the name of the run and its flags for `take`.
  { echo "$run"; printf '%s\n' "${@:3}"; } >"$name.hosted.run"
  echo "hosted-gpu: upload $name.hosted.tar.gz to hosted-gpu.ipynb; then: hosted-gpu.sh take $1 RESULTS" >&2
  exit 3
}

[ $# -ge 2 ] || { usage >&2; exit 2; }
way=$1 host='' results='' run='' bundle=''
shift
case $way in
  run) host=$1; shift ;;
  pack) ;;
  take) results=${2-}; set -- "$1" "${@:3}" ;;
  *) usage >&2; exit 2 ;;
esac
if [ $# = 0 ] || { [ "$way" = take ] && [ -z "$results" ]; }; then usage >&2; exit 2; fi
task=$1
shift
kept=$(basename "$task").hosted.run
if [ "$way" = take ] && [ -f "$kept" ]; then
  { read -r run; mapfile -t flags; } <"$kept"
  [ $# -gt 0 ] || set -- "${flags[@]}"
fi
[ $# -gt 0 ] || set -- --target cuda --arch sm_75
bin=$(bin_folder)

case $way in
  run)
    step optimize "$task" --carrier bundle "$@"
    for ((round = 1; ; ++round)); do
      results=${bundle%.bundle}.$round.results
      judge "$host" "$bundle" "$results" "$bin"
      take "$task" "$results" "$@"
    done
    ;;
  pack)
    step optimize "$task" --carrier bundle "$@"
    pack "$task" "$bin" "$@"
    ;;
  take)
    take "$task" "$results" "$@"
    # Without new results the same bundle would go to the host again and again.
    ! grep -q '0 new results read from' "$work/said" || {
      echo "hosted-gpu: $results holds nothing new; judge the bundle packed last (again, where a busy machine timed nothing)" >&2
      exit 2
    }
    pack "$task" "$bin" "$@"
    ;;
esac
