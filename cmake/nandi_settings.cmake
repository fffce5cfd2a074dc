# Language, warnings, optimisation and tools of the whole build.
include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# `cmake --compile-no-warning-as-error` lifts it for one configuration.
if(NOT DEFINED CMAKE_COMPILE_WARNING_AS_ERROR)
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

# No NDEBUG in release: the simulator's and the checker's assertions stay on in every build.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_CXX_FLAGS_DEBUG "-g")

set(NANDI_SANITIZE "" CACHE STRING "Sanitizers of the whole build: address,undefined or thread")
set(NANDI_TESTS AUTO CACHE STRING "Build the tests: ON, OFF or AUTO (when their libraries exist)")
option(NANDI_MPI "Campaigns over MPI in nandi-sim, where MPI is found" ON)
option(NANDI_FUZZ "Build the fuzz targets with libFuzzer (needs clang)" OFF)

if(NANDI_SANITIZE)
  add_compile_options(-fsanitize=${NANDI_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all -O1)
  add_link_options(-fsanitize=${NANDI_SANITIZE})
endif()

if(NANDI_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Debug builds check themselves: NANDI_DEBUG_CHECKS guards recomputations that release cannot
# afford. It is set for every target alike, so that no type differs between two files.
add_compile_definitions($<$<CONFIG:Debug>:NANDI_DEBUG_CHECKS=1>
                        $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS=1>
                        $<$<CONFIG:Release>:BOOST_DISABLE_ASSERTS>)

find_program(NANDI_CCACHE ccache)
if(NANDI_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NANDI_CCACHE}")
endif()

find_program(NANDI_MOLD mold)
find_program(NANDI_LLD ld.lld)
if(NANDI_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(NANDI_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Colours survive ninja's buffering only when asked for.
if(CMAKE_GENERATOR MATCHES "Ninja" AND DEFINED ENV{TERM} AND NOT DEFINED ENV{CI})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fdiagnostics-color=auto>)
endif()

# Warnings of our own code; a third-party header is a system header and stays quiet.
function(nandi_target_defaults target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  # g++ 12 sees overlapping copies in std::string's operator+ where there are none (GCC PR 105651).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  # A sanitizer's instrumentation makes g++ warn about what it reads itself (GCC manual,
  # -fsanitize=address): here, std::stop_source's constructor.
  if(NANDI_SANITIZE)
    target_compile_options(${target} PRIVATE
                           $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  endif()
endfunction()
