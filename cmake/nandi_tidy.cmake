# Repository-level tests: what the house rules ask of text, scripts and build, checked mechanically.
# Each check has a partner that plants violations and expects them to be found.
include_guard(GLOBAL)

set(tidy "${PROJECT_SOURCE_DIR}/cmake/tidy")

function(nandi_tidy_test name)
  add_test(NAME tidy.${name} COMMAND ${ARGN})
  set_tests_properties(tidy.${name} PROPERTIES LABELS unit TIMEOUT 120 SKIP_RETURN_CODE 77
                       ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endfunction()

execute_process(COMMAND "${Python3_EXECUTABLE}" -B "${tidy}/tidy.py" --list
                OUTPUT_VARIABLE checks COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[a-z_]+" checks "${checks}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${tidy}/checks.py")
foreach(check IN LISTS checks)
  nandi_tidy_test(${check} Python3::Interpreter "${tidy}/tidy.py" ${check} "${PROJECT_SOURCE_DIR}")
  nandi_tidy_test(${check}.catches_planted_violations
                  Python3::Interpreter "${tidy}/tidy.py" --catches ${check})
endforeach()

nandi_tidy_test(clang_format bash "${tidy}/clang_format_test.sh" tree)
nandi_tidy_test(clang_format.catches_planted_violations bash "${tidy}/clang_format_test.sh" catches)

foreach(case IN ITEMS build_failure_ends_with_the_closing_line counts_add_up
                      missing_packages_are_named nothing_run_is_no_pass
                      run_builds_only_when_something_changed unknown_argument_is_refused
                      unknown_program_is_refused without_root_the_command_is_printed)
  nandi_tidy_test(scripts.${case} bash "${tidy}/scripts_test.sh" ${case})
endforeach()

foreach(case IN ITEMS header_that_needs_another_is_refused
                      scenario_with_another_verdict_is_refused tests_and_mpi_can_be_left_out
                      unregistered_scenario_is_refused unregistered_test_is_refused
                      warning_is_an_error)
  nandi_tidy_test(build_rules.${case} bash "${tidy}/build_rules_test.sh" ${case})
endforeach()

# `cmake --build build/release --target format` rewrites every source file in place.
find_program(NANDI_CLANG_FORMAT clang-format)
if(NANDI_CLANG_FORMAT)
  add_custom_target(format
    COMMAND find engine sim checker reports cmake -name "*.cc" -exec ${NANDI_CLANG_FORMAT} -i {} +
    COMMAND find engine sim checker reports cmake -name "*.h" -exec ${NANDI_CLANG_FORMAT} -i {} +
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM)
endif()
