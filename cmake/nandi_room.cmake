# The one place that says how a room, its tests, tools, benches and fuzz targets are built.
#
#   nandi_room(NAME [SOURCES file...] [PUBLIC lib...] [PRIVATE lib...])
#   nandi_test(NAME file.cc [LABELS label...] [LINK lib...] [SOURCES file...] [TIMEOUT seconds])
#   nandi_tool(NAME file.cc [LINK lib...] [SOURCES file...])
#   nandi_bench(NAME file.cc [LINK lib...] [SOURCES file...])
#   nandi_fuzz(NAME file.cc CORPUS directory [LINK lib...] [SOURCES file...])
#
# Paths are relative to the room. Lists are edited by several people at once: one file per line,
# in alphabetical order. Labels: unit property scenario negative check redis, and the marks
# concurrency (runs under ThreadSanitizer too) and long (left out except by ./test --full). Tests of
# whole programs on several ranks have the label mpi besides.
include_guard(GLOBAL)

set(NANDI_TEST_LABELS unit property scenario negative check redis concurrency long)

# A room is a static library nandi_<room> (alias nandi::<room>) with its own include root; it is an
# interface library as long as it has no sources. Private headers are found from src/ and test/.
function(nandi_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PUBLIC;PRIVATE")
  nandi_refuse_leftovers("nandi_room(${name})" "${arg_UNPARSED_ARGUMENTS}")
  set(target nandi_${name})
  set(room_dir "${CMAKE_CURRENT_SOURCE_DIR}")
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    nandi_target_defaults(${target})
    target_include_directories(${target} PRIVATE "${room_dir}/src")
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PRIVATE})
  endif()
  add_library(nandi::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${room_dir}/include>
                                                $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} ${scope} ${arg_PUBLIC})
  set_property(GLOBAL APPEND PROPERTY NANDI_ROOMS ${name})
  set(NANDI_ROOM ${name} PARENT_SCOPE)
  if(NANDI_TESTS)
    nandi_header_check(${name})
  endif()
endfunction()

# Compiles every public header of the room alone, as the only include of a file.
function(nandi_header_check name)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/include"
       "${CMAKE_CURRENT_SOURCE_DIR}/include/*.h"
       "${CMAKE_CURRENT_SOURCE_DIR}/include/*.hpp")
  if(NOT headers)
    return()
  endif()
  set(units "")
  foreach(header IN LISTS headers)
    string(REPLACE "/" "_" unit "${header}")
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/header_check/${unit}.cc")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "#include <${header}>\n")
    list(APPEND units "${unit}")
  endforeach()
  add_library(nandi_${name}_header_check OBJECT ${units})
  nandi_target_defaults(nandi_${name}_header_check)
  target_compile_options(nandi_${name}_header_check PRIVATE -O0 -g0)
  target_link_libraries(nandi_${name}_header_check PRIVATE nandi::${name})
endfunction()

# One executable per test file, one CTest test per TEST in it, named <room>.<Suite>.<test>.
function(nandi_test name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "ROOM;TIMEOUT" "LABELS;LINK;SOURCES")
  nandi_refuse_leftovers("nandi_test(${name})" "${arg_UNPARSED_ARGUMENTS}")
  if(NOT NANDI_TESTS)
    return()
  endif()
  nandi_default(arg_ROOM "${NANDI_ROOM}")
  nandi_default(arg_TIMEOUT 300)
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
    if(file MATCHES "_property_test\\.cc$")
      set(arg_LABELS property)
    endif()
  endif()
  foreach(label IN LISTS arg_LABELS)
    if(NOT label IN_LIST NANDI_TEST_LABELS)
      message(FATAL_ERROR "nandi_test(${name}): no label '${label}'; known: ${NANDI_TEST_LABELS}")
    endif()
  endforeach()
  nandi_program(${name} ${file} "${arg_SOURCES}" "nandi::${arg_ROOM};${arg_LINK}" test)
  target_link_libraries(${name} PRIVATE GTest::gmock GTest::gtest_main fmt::fmt)
  if(file MATCHES "_property_test\\.cc$")
    target_link_libraries(${name} PRIVATE rapidcheck rapidcheck_gtest)
  endif()
  set_property(GLOBAL APPEND PROPERTY NANDI_REGISTERED "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  if("concurrency" IN_LIST arg_LABELS)
    add_dependencies(nandi_concurrency_tests ${name})
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
                       TEST_PREFIX "${arg_ROOM}." PROPERTIES TIMEOUT ${arg_TIMEOUT})
  # gtest_discover_tests takes a list of labels apart; this runs after it, once the names are known.
  set(labels_file "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
  file(CONFIGURE OUTPUT "${labels_file}" @ONLY CONTENT
       "foreach(test IN LISTS @name@_TESTS)
  set_tests_properties(\"\${test}\" PROPERTIES LABELS \"@arg_LABELS@\")
endforeach()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels_file}")
endfunction()

# A program that users run: build/<preset>/bin/<name>. It may link any room.
function(nandi_tool name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LINK;SOURCES")
  nandi_refuse_leftovers("nandi_tool(${name})" "${arg_UNPARSED_ARGUMENTS}")
  nandi_program(${name} ${file} "${arg_SOURCES}" "nandi::${NANDI_ROOM};${arg_LINK}" bin)
  install(TARGETS ${name} RUNTIME COMPONENT tools)
endfunction()

# A Google Benchmark program: build/<preset>/bench/<name>.
function(nandi_bench name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LINK;SOURCES")
  nandi_refuse_leftovers("nandi_bench(${name})" "${arg_UNPARSED_ARGUMENTS}")
  set_property(GLOBAL APPEND PROPERTY NANDI_REGISTERED "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  if(NOT TARGET benchmark::benchmark)
    return()
  endif()
  nandi_program(${name} ${file} "${arg_SOURCES}"
                "nandi::${NANDI_ROOM};benchmark::benchmark;${arg_LINK}" bench)
endfunction()

# A libFuzzer entry point (LLVMFuzzerTestOneInput). With NANDI_FUZZ it becomes a fuzzer,
# build/<preset>/fuzz/<name>; otherwise a driver that replays the corpus, registered as a test.
function(nandi_fuzz name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "CORPUS" "LINK;SOURCES")
  nandi_refuse_leftovers("nandi_fuzz(${name})" "${arg_UNPARSED_ARGUMENTS}")
  set_property(GLOBAL APPEND PROPERTY NANDI_REGISTERED "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  set(corpus "${CMAKE_CURRENT_SOURCE_DIR}/${arg_CORPUS}")
  file(GLOB seeds "${corpus}/*")
  if(NOT seeds)
    message(FATAL_ERROR "nandi_fuzz(${name}): the corpus ${corpus} is empty")
  endif()
  if(NOT NANDI_TESTS)
    return()
  endif()
  if(NANDI_FUZZ)
    nandi_program(${name} ${file} "${arg_SOURCES}" "nandi::${NANDI_ROOM};${arg_LINK}" fuzz)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(nandi_fuzzers ${name})
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/fuzz/${name}.corpus" CONTENT "${corpus}\n")
  else()
    set(driver "${PROJECT_SOURCE_DIR}/cmake/fuzz_replay.cc")
    nandi_program(${name} ${file} "${arg_SOURCES};${driver}" "nandi::${NANDI_ROOM};${arg_LINK}"
                  test)
    add_test(NAME ${NANDI_ROOM}.fuzz_corpus.${name} COMMAND ${name} "${corpus}")
    set_tests_properties(${NANDI_ROOM}.fuzz_corpus.${name} PROPERTIES LABELS unit TIMEOUT 300)
  endif()
endfunction()

function(nandi_program name file sources libraries directory)
  add_executable(${name} ${file} ${sources})
  nandi_target_defaults(${name})
  target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src"
                                             "${CMAKE_CURRENT_SOURCE_DIR}/test")
  target_link_libraries(${name} PRIVATE ${libraries} Threads::Threads)
  set_target_properties(${name} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/${directory}")
endfunction()

# A test, bench or fuzz file that no CMakeLists.txt names is an error, not a silent omission.
function(nandi_require_registration)
  get_property(rooms GLOBAL PROPERTY NANDI_ROOMS)
  get_property(registered GLOBAL PROPERTY NANDI_REGISTERED)
  set(patterns "${PROJECT_SOURCE_DIR}/scenarios/*.yaml" "${PROJECT_SOURCE_DIR}/scenarios/*.yml")
  foreach(room IN LISTS rooms)
    foreach(kind IN ITEMS test bench fuzz)
      list(APPEND patterns "${PROJECT_SOURCE_DIR}/${room}/*_${kind}.cc")
    endforeach()
  endforeach()
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${patterns})
  foreach(file IN LISTS found)
    if(NOT file IN_LIST registered)
      file(RELATIVE_PATH shown "${PROJECT_SOURCE_DIR}" "${file}")
      message(SEND_ERROR "${shown} is registered nowhere: name it in its room's CMakeLists.txt "
                         "(nandi_test, nandi_bench, nandi_fuzz or nandi_scenario)")
    endif()
  endforeach()
endfunction()

function(nandi_refuse_leftovers call leftovers)
  if(leftovers)
    message(FATAL_ERROR "${call}: unknown arguments: ${leftovers}")
  endif()
endfunction()

function(nandi_default variable value)
  if(NOT ${variable})
    set(${variable} "${value}" PARENT_SCOPE)
  endif()
endfunction()

if(NANDI_TESTS)
  include(GoogleTest)
  # What the ThreadSanitizer build is for; the rest of the tests starts no thread of ours.
  add_custom_target(nandi_concurrency_tests)
endif()

if(NANDI_FUZZ)
  add_custom_target(nandi_fuzzers)
endif()
