# The Debian packages that each purpose needs, and how to get them; sourced by kw, scripts/check and scripts/fresh-machine.
# SPDX-License-Identifier: Apache-2.0

# kw_packages PURPOSE: prints the packages of one purpose, on one line.
# docs/contributing/dependencies.md gives the reason of each.
kw_packages() {
  case $1 in
    run)  # what ./kw needs to build itself, and to compile and jail candidates
      echo g++ cmake ninja-build bubblewrap \
        libcli11-dev nlohmann-json3-dev libyaml-cpp-dev libfmt-dev \
        libsqlite3-dev libsqlitecpp-dev libzstd-dev libssl-dev libseccomp-dev libcurl4-openssl-dev libeigen3-dev \
        libzydis-dev libkainjow-mustache-dev ;;
    optional)  # a baseline for matmul; everything else works without it
      echo libopenblas-dev ;;
    check)  # scripts/check, on top of run and optional
      echo git clang-format-19 mold libgtest-dev libgmock-dev librapidcheck-dev pkgconf libcpp-httplib-dev ;;
    full)  # scripts/check --full, on top of check
      echo clang-19 clang-tidy-19 lld-19 libc++-19-dev libc++abi-19-dev libunwind-19-dev libomp-19-dev \
        libclang-rt-19-dev binutils ;;
    portable)  # the worker and the players for other machines
      echo g++ cmake ninja-build clang-19 lld-19 libc++-19-dev libc++abi-19-dev libunwind-19-dev \
        nlohmann-json3-dev libfmt-dev libssl-dev libseccomp-dev libzstd-dev libzydis-dev binutils ;;
    release)  # scripts/release, on top of run
      echo dpkg-dev binutils libcap-dev ;;
    *) echo "kw_packages: unknown purpose '$1' of packages" >&2; return 2 ;;
  esac
}

# kw_why_not_built_here: prints why this system cannot build the program from its own packages;
# prints nothing if it can.
kw_why_not_built_here() {
  local ID='' VERSION_ID=''
  # shellcheck source=/dev/null
  [ ! -r "${KW_OS_RELEASE:-/etc/os-release}" ] || . "${KW_OS_RELEASE:-/etc/os-release}"
  case $ID-$VERSION_ID in
    ubuntu-22.04) echo 'Ubuntu 22.04 has no package libsqlitecpp-dev, and its g++ 11 lacks std::expected' ;;
  esac
}

# kw_missing PACKAGE...: prints the packages that are not installed, on one line.
kw_missing() {
  dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    awk -v wanted="$*" '
      $1 == "installed" { have[$2] }
      END {
        n = split(wanted, want, " ")
        for (i = 1; i <= n; i++) if (!(want[i] in have)) missing = missing " " want[i]
        print substr(missing, 2)
      }'
}

# kw_apt PACKAGE...: installs packages as root. Fetches the package lists only if the first try
# fails, since they may be missing or old. apt's output goes to the file KW_APT_LOG.
kw_apt() {
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  {
    kw_apt_install "$@" || { "${as_root[@]}" apt-get -q update && kw_apt_install "$@"; }
  } </dev/null >>"${KW_APT_LOG:-/dev/null}" 2>&1
}

kw_apt_install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@"
}

# kw_ensure PURPOSE...: installs the packages that are missing for the purposes. On a terminal it
# asks once. Without a terminal, it installs as root with a message; other users get the command to
# run. Returns 3 if a package is still missing.
kw_ensure() {
  local purpose wanted=() missing answer reason
  reason=$(kw_why_not_built_here)
  if [ -n "$reason" ]; then
    echo "kw: $reason: use the release file, which runs here (docs/release.md)" >&2
    return 3
  fi
  for purpose in "$@"; do
    # shellcheck disable=SC2207  # package names hold no blanks
    wanted+=($(kw_packages "$purpose")) || return 3
  done
  if ! command -v dpkg-query >/dev/null; then
    echo "kw: this is not a Debian-like system; if the build fails, install what these stand for: ${wanted[*]}" >&2
    return 0
  fi
  missing=$(kw_missing "${wanted[@]}")
  [ -n "$missing" ] || return 0

  local command="apt-get install --no-install-recommends $missing"
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      printf '%s\n  %s\n%s\n' 'kw: some packages are missing, and without sudo only an administrator can install them; ask for' \
        "$command" 'or use the release file, which needs no package but g++ (docs/release.md)' >&2
      return 3
    fi
    command="sudo $command"
  fi
  if [ -t 0 ] && [ -t 2 ]; then
    printf 'kw needs these packages: %s\nInstall them now with\n  %s ? [Y/n] ' "$missing" "$command" >&2
    read -r answer || return 3
    case $answer in [nN]*) return 3 ;; esac
    [ "$(id -u)" = 0 ] || sudo -v || return 3
  elif [ "$(id -u)" = 0 ]; then
    echo "kw: installing $missing" >&2
  else
    printf 'kw: some packages are missing; run\n  %s\n' "$command" >&2
    return 3
  fi

  KW_APT_LOG=${KW_APT_LOG:-$(mktemp)}
  # shellcheck disable=SC2086  # a list of names
  if ! kw_apt $missing; then
    tail -n 20 "$KW_APT_LOG" >&2
    printf 'kw: the installation failed (log: %s); the command was\n  %s\n' "$KW_APT_LOG" "$command" >&2
    return 3
  fi
}
