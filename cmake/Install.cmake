# cmake --install: the public headers, the layers as static libraries, and a
# package that find_package(Grapevine) finds. Its one target for users is
# Grapevine::grapevine.
include(CMakePackageConfigHelpers)

add_library(gv_grapevine INTERFACE)
add_library(Grapevine::grapevine ALIAS gv_grapevine)
set_target_properties(gv_grapevine PROPERTIES EXPORT_NAME grapevine)
target_link_libraries(gv_grapevine INTERFACE gv_library)
target_compile_features(gv_grapevine INTERFACE cxx_std_20)

get_property(layers GLOBAL PROPERTY GV_LAYERS)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Grapevine)
install(TARGETS gv_grapevine ${layers} EXPORT GrapevineTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT GrapevineTargets NAMESPACE Grapevine::
  DESTINATION ${package_directory})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/grapevine
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/GrapevineConfig.cmake.in
  ${PROJECT_BINARY_DIR}/GrapevineConfig.cmake
  INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/GrapevineConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/GrapevineConfig.cmake
  ${PROJECT_BINARY_DIR}/GrapevineConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/Dependencies.cmake
  DESTINATION ${package_directory})
if(TARGET grapevine)
  install(TARGETS grapevine RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
