#!/bin/sh
# Runs the platform's tests as root and as a user, outside and inside a container-like setting.
# SPDX-License-Identifier: Apache-2.0
#
# usage: jail_matrix.sh TEST_BINARY (not sanitised: AddressSanitizer errs without /proc)
# KW_REQUIRE_JAIL=1 makes a missing jail level a failure; in the container-like setting, where no
# namespace can be nested, only landlock is required.
set -u

# The folder is in /var/tmp: a user may not enter a checkout that belongs to root, and the container
# hides /tmp.
place=$(mktemp -d /var/tmp/kw-jail-matrix.XXXXXX) || exit 1
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
cp "$1" "$(dirname "$1")/kw-jail" "$(dirname "$1")/platform_attack" "$(dirname "$1")/as_container" \
  "$place" || exit 1
test_binary=$place/$(basename "$1")
filter=${KW_JAIL_FILTER:-Jail*:*/Jail*:Subprocess*:Lease*:FileLock*}
failed=0

# An unprivileged user id without an account; Debian policy 9.2.2 reserves the number.
user=65050
as_user="setpriv --reuid $user --regid $user --clear-groups"
# As in a container, all namespaces are new and nothing is mounted on /proc, so bubblewrap cannot
# nest its own.
container="bwrap --unshare-all --ro-bind / / --dev /dev --tmpfs /tmp --tmpfs /proc"

run() {
  name=$1
  shift
  echo "== $name"
  log=$(mktemp)
  if "$@" "$test_binary" --gtest_filter="$filter" --gtest_brief=1 >"$log" 2>&1; then
    grep -E '^(SKIPPED|NOTE|namespace:|landlock:|\[  PASSED)' "$log"
  else
    cat "$log"
    echo "== $name: FAILED"
    failed=1
  fi
  rm -f "$log"
}

run "here, as $(id -un)" env
if [ "$(id -u)" = 0 ]; then
  run "here, as a user" $as_user
fi
if $container true 2>/dev/null; then
  run "container-like, as $(id -un)" env KW_JAIL_EXCUSED=namespace $container
  if [ "$(id -u)" = 0 ]; then
    run "container-like, as a user" env KW_JAIL_EXCUSED=namespace $as_user $container
  fi
  run "as Docker would, as $(id -un)" env KW_JAIL_EXCUSED=namespace "$place/as_container"
  if [ "$(id -u)" = 0 ]; then
    run "as Docker would, as a user" env KW_JAIL_EXCUSED=namespace $as_user "$place/as_container"
  fi
else
  echo "SKIPPED: no container-like setting here (bubblewrap does not work)"
  [ "${KW_REQUIRE_JAIL:-0}" = 1 ] && failed=1
fi
exit $failed
