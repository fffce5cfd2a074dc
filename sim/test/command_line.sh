#!/bin/sh
# What `nandi-sim` says of a command line that it does not understand. $1: the program, $2: the
# scenarios.
program=$1
scenarios=$2
failed=0

# expect TEXT ARGUMENTS...: exit status 64, and one line, on standard error, that has the text.
expect() {
  text=$1
  shift
  said=$("$program" "$@" 2>&1 >/dev/null)
  found=$?
  lines=$(printf '%s\n' "$said" | wc -l)
  if [ "$found" -ne 64 ] || [ "$lines" -ne 1 ] ||
    ! printf '%s' "$said" | grep -qF -e "$text"; then
    echo "$*: status $found, expected 64 and '$text' in one line; it said:"
    echo "$said"
    failed=1
  fi
}

scenario=$scenarios/scale-up.yaml
expect "no option '--seedz'; did you mean \`--seed\`?" "$scenario" --seedz 3
expect "did you mean \`--junit\`?" "$scenario" --juint=x
expect "no option '--zzzzzz'; nandi-sim --help names all" "$scenario" --zzzzzz
expect "nandi-sim compare: no option '--owt'; did you mean \`--out\`?" compare a b --out c --owt d
expect "nandi-sim audit: no option '--jsn'; did you mean \`--json\`?" audit --jsn x
expect "'tunes' is neither a file nor a command; did you mean \`tune\`?" tunes "$scenario"
expect "--for: \`60\` has no unit; write \`60ms\` or \`60s\`" "$scenario" --for 60
expect "--for: \`soon\`" "$scenario" --for soon
exit $failed
