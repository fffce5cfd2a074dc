# `cmake --install build/release --prefix DIR`: the programs, and the engine and the test kit
# (sim/kit.md) as a CMake package:
#
#   find_package(nandi 0.1 REQUIRED)
#   target_link_libraries(app PRIVATE nandi::engine)
#   target_link_libraries(app_test PRIVATE nandi::sim)
#
# The other rooms are tools of this repository and are not installed. `--component engine` leaves
# the programs and the kit out; `--component sim` adds the kit.
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/nandi")

install(TARGETS nandi_engine EXPORT nandi_targets COMPONENT engine
        ARCHIVE COMPONENT engine INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/engine/include/" COMPONENT engine
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(EXPORT nandi_targets COMPONENT engine NAMESPACE nandi:: FILE nandiTargets.cmake
        DESTINATION "${package_dir}")

install(TARGETS nandi_sim EXPORT nandi_sim_targets COMPONENT sim
        ARCHIVE COMPONENT sim INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/sim/include/" COMPONENT sim
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(EXPORT nandi_sim_targets COMPONENT sim NAMESPACE nandi:: FILE nandiSimTargets.cmake
        DESTINATION "${package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/nandiConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/nandiConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/nandiConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/nandiConfig.cmake"
              "${PROJECT_BINARY_DIR}/nandiConfigVersion.cmake"
        COMPONENT engine DESTINATION "${package_dir}")
