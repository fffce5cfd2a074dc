# Everything comes from the distribution's packages: cmake/packages.txt names them.
include_guard(GLOBAL)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# Headers only. 1.81 is preferred (packages.txt), 1.74 is accepted: the two cannot be installed
# together, and whichever is there is the one that is found.
find_package(Boost 1.74 REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenSSL REQUIRED)
pkg_check_modules(hiredis REQUIRED IMPORTED_TARGET GLOBAL hiredis)
pkg_check_modules(z3 REQUIRED IMPORTED_TARGET GLOBAL z3)

# Optional: what uses it asks `if(TARGET MPI::MPI_CXX)`. Not under a sanitizer, which would report
# what the MPI library does.
if(NANDI_MPI AND NOT NANDI_SANITIZE)
  set(MPI_CXX_SKIP_MPICXX ON CACHE BOOL "Without MPI's own C++ bindings")
  find_package(MPI QUIET COMPONENTS CXX)
endif()

find_package(benchmark QUIET)

if(NANDI_TESTS)
  set(required REQUIRED)
  if(NANDI_TESTS STREQUAL "AUTO")
    set(required QUIET)
  endif()
  find_package(GTest ${required})
  find_package(rapidcheck ${required})
  find_package(Python3 ${required} COMPONENTS Interpreter)
  if(NANDI_TESTS STREQUAL "AUTO")
    if(GTest_FOUND AND rapidcheck_FOUND AND Python3_FOUND)
      set(NANDI_TESTS ON)
    else()
      set(NANDI_TESTS OFF)
      message(STATUS "tests are left out: GTest, rapidcheck or Python 3 is missing")
    endif()
  endif()
endif()
