# Sourced by ./test: sums what every CTest run and every other check counted.
passed=0
failed=0
skipped=0

# The closing line, and the exit status that goes with it: nothing failed and something was run.
finish() {
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
  exit
}

# add_counts JUNIT-FILE: adds the counts of one CTest run. A run that matched no test adds nothing.
add_counts() {
  local suite total bad off
  suite="$(tr '\n' ' ' <"$1" | sed 's/<testcase.*//')"
  total="$(attribute tests "$suite")"
  bad="$(attribute failures "$suite")"
  off=$(($(attribute disabled "$suite") + $(attribute skipped "$suite")))
  passed=$((passed + total - bad - off))
  failed=$((failed + bad))
  skipped=$((skipped + off))
}

attribute() {
  printf '%s' "$2" | sed -n "s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p"
}
