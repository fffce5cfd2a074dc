# Sourced by ./run and ./test: installs the Debian packages that are missing.
# Everything it prints goes to stderr, stdout belongs to the programs.

# Package alternatives of the named sections of packages.txt, one line each.
nandi_wanted_packages() {
  local section line wanted=" $* "
  while IFS= read -r line; do
    line="${line%%#*}"
    line="${line//[[:space:]]/}"
    [ -n "$line" ] || continue
    case "$line" in
      \[*\]) section="${line:1:-1}" ;;
      *) case "$wanted" in *" $section "*) printf '%s\n' "$line" ;; esac ;;
    esac
  done < "$nandi_root/cmake/packages.txt"
}

# Those of the named sections that are not installed, the first of each line of alternatives.
nandi_missing_packages() {
  local wanted line name found installed
  wanted="$(nandi_wanted_packages "$@")"
  # shellcheck disable=SC2086
  installed=" $(dpkg-query -W -f '${Package} ${db:Status-Status}\n' ${wanted//|/ } 2>/dev/null |
    sed -n 's/ installed$//p' | tr '\n' ' ')"
  for line in $wanted; do
    found=no
    for name in ${line//|/ }; do
      case "$installed" in *" $name "*) found=yes ;; esac
    done
    [ $found = yes ] || printf '%s ' "${line%%|*}"
  done
}

# nandi_install SECTION...: exits with 69 when packages are missing and cannot be installed.
nandi_install() {
  local missing
  if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: cmake/packages.txt names what has to be installed" >&2
    return 0
  fi
  missing="$(nandi_missing_packages "$@")"
  [ -n "$missing" ] || return 0
  local command="apt-get install --no-remove --no-install-recommends -y ${missing% }"
  if [ "$(id -u)" != 0 ]; then
    printf 'missing packages; install them with\n  sudo %s\n' "$command" >&2
    exit 69
  fi
  printf 'installing: %s\n' "$missing" >&2
  # Package lists may be absent or older than the archive: then fetch them and try once more.
  if ! nandi_apt $command 2>/dev/null; then
    nandi_apt apt-get update || true
    if ! nandi_apt $command; then
      printf 'could not install the missing packages; the command was\n  %s\n' "$command" >&2
      exit 69
    fi
  fi
}

nandi_apt() {
  DEBIAN_FRONTEND=noninteractive "$@" -q </dev/null >&2
}
