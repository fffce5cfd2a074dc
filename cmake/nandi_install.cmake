# `cmake --install build/release --prefix DIR`: the programs, and the engine as a CMake package:
#
#   find_package(nandi 0.1 REQUIRED)
#   target_link_libraries(app PRIVATE nandi::engine)
#
# The other rooms are tools of this repository and are not installed. `--component engine` leaves
# the programs out.
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

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/nandiConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/nandiConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/nandiConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/nandiConfig.cmake"
              "${PROJECT_BINARY_DIR}/nandiConfigVersion.cmake"
        COMPONENT engine DESTINATION "${package_dir}")
