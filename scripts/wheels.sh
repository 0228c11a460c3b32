# Unpacks Python wheels of libraries and headers without a Python environment; sourced by scripts/install-*.
# SPDX-License-Identifier: Apache-2.0

# kw_data_home: prints the folder in which Kernelwright keeps data that it installed for this user.
kw_data_home() {
  echo "${XDG_DATA_HOME:-$HOME/.local/share}/kernelwright"
}

# kw_unpack_wheels FOLDER PACKAGE...: unpacks the packages' files into FOLDER, with any installer
# that is there. The installer's own settings decide where packages come from. Executes nothing and
# follows no dependencies.
kw_unpack_wheels() {
  local folder=$1 tool
  shift
  if command -v uv >/dev/null; then
    tool=(uv pip install --quiet --no-deps --only-binary :all: --target)
  elif python3 -m pip --version >/dev/null 2>&1; then
    tool=(python3 -m pip install --quiet --no-deps --only-binary :all: --no-compile --disable-pip-version-check --target)
  elif command -v pip3 >/dev/null; then
    tool=(pip3 install --quiet --no-deps --only-binary :all: --no-compile --disable-pip-version-check --target)
  else
    cat >&2 <<END
${0##*/}: neither uv nor pip is here. Install one of them (Debian: apt-get install python3-pip) and run this again,
or unpack these wheels yourself: $*
END
    return 3
  fi
  "${tool[@]}" "$folder" "$@" || {
    echo "${0##*/}: ${tool[0]} could not install the Python wheels: $*" >&2
    return 1
  }
}

# kw_replace_folder FROM TO: replaces TO by FROM. Other processes see the old folder, the new one,
# or for an instant none.
kw_replace_folder() {
  local old
  mkdir -p "$(dirname "$2")" || return 1
  if [ -e "$2" ]; then
    old=$(mktemp -d "$2.old.XXXXXX") && mv "$2" "$old/" || return 1
  fi
  mv "$1" "$2" && { [ -z "${old:-}" ] || rm -rf "$old"; }
}
