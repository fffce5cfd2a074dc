# Registers scenario files as tests.
#
#   nandi_scenario(FILE EXPECT holds|violated|unknown [PROGRAM nandi-sim|nandi-check]
#                  [ARGS argument...] [LABELS label...] [TIMEOUT seconds])
#
# Runs `PROGRAM --as-expected ARGS FILE`, which exits with 0 only when the verdict is exactly the
# one that the file declares. EXPECT repeats that declaration where the list of scenarios is read,
# and configuring refuses a file that says otherwise. Label: scenario, or negative where the
# expected verdict is violated; check is added for nandi-check.
include_guard(GLOBAL)

function(nandi_scenario file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPECT;PROGRAM;TIMEOUT" "ARGS;LABELS")
  nandi_refuse_leftovers("nandi_scenario(${file})" "${arg_UNPARSED_ARGUMENTS}")
  if(NOT arg_EXPECT MATCHES "^(holds|violated|unknown)$")
    message(FATAL_ERROR "nandi_scenario(${file}): EXPECT holds, violated or unknown")
  endif()
  set(path "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  set_property(GLOBAL APPEND PROPERTY NANDI_REGISTERED "${path}")
  nandi_declared_verdict("${path}" declared)
  if(NOT declared STREQUAL arg_EXPECT)
    message(SEND_ERROR "scenarios/${file} declares ${declared}, "
                       "scenarios/CMakeLists.txt expects ${arg_EXPECT}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
  if(NOT NANDI_TESTS)
    return()
  endif()
  nandi_default(arg_PROGRAM nandi-sim)
  nandi_default(arg_TIMEOUT 300)
  set(labels scenario)
  if(arg_EXPECT STREQUAL "violated")
    set(labels negative)
  endif()
  if(arg_PROGRAM STREQUAL "nandi-check")
    list(APPEND labels check)
  endif()
  list(APPEND labels ${arg_LABELS})
  string(REGEX REPLACE "\\.ya?ml$" "" name "scenarios.${file}")
  if(arg_PROGRAM STREQUAL "nandi-check")
    string(APPEND name ".check")
  endif()
  if(TARGET ${arg_PROGRAM})
    add_test(NAME ${name} COMMAND ${arg_PROGRAM} --as-expected ${arg_ARGS} "${path}")
  else()
    add_test(NAME ${name} COMMAND ${arg_PROGRAM})
    set_tests_properties(${name} PROPERTIES DISABLED TRUE)
    message(WARNING "scenarios/${file} is not run: there is no program ${arg_PROGRAM}")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# The verdict that the file's `expect:` declares; a file that names none must hold.
function(nandi_declared_verdict path result)
  file(STRINGS "${path}" lines REGEX "^[^#]*verdict:")
  set(${result} holds PARENT_SCOPE)
  foreach(line IN LISTS lines)
    if(line MATCHES "verdict:[ ]*\"?(holds|violated|unknown)")
      set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
