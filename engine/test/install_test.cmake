# Installs components into an empty prefix, builds a project outside the tree against them, runs it.
#   cmake -DBUILD=... -DCONSUMER=... -DCOMPILER=... -DFLAGS=... -DGENERATOR=... -DCOMPONENTS=a;b
#         -P install_test.cmake
string(RANDOM LENGTH 12 ALPHABET 0123456789abcdef suffix)
if(DEFINED ENV{TMPDIR})
  set(scratch "$ENV{TMPDIR}/nandi-install-${suffix}")
else()
  set(scratch "/tmp/nandi-install-${suffix}")
endif()

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    file(REMOVE_RECURSE "${scratch}")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

file(COPY "${CONSUMER}/" DESTINATION "${scratch}/source")
foreach(component IN LISTS COMPONENTS)
  step("${CMAKE_COMMAND}" --install "${BUILD}" --component ${component}
       --prefix "${scratch}/prefix")
endforeach()
step("${CMAKE_COMMAND}" -S "${scratch}/source" -B "${scratch}/build" -G "${GENERATOR}"
     "-DCMAKE_PREFIX_PATH=${scratch}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}"
     "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Release)
step("${CMAKE_COMMAND}" --build "${scratch}/build")
step("${scratch}/build/consumer")
file(REMOVE_RECURSE "${scratch}")
