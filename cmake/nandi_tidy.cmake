# Repository-level tests: what the house rules ask of text, checked mechanically.
include_guard(GLOBAL)

add_test(NAME tidy.runner_closing_line
         COMMAND bash "${PROJECT_SOURCE_DIR}/cmake/tidy/closing_line_test.sh")
set_tests_properties(tidy.runner_closing_line PROPERTIES LABELS unit TIMEOUT 60)
