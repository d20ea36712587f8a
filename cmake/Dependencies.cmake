# What Grapevine takes from outside, all of it packaged by Debian 12.
# Shared with GrapevineConfig.cmake, so that an installed Grapevine finds the
# same things.
include(CMakeFindDependencyMacro)

find_dependency(Threads)
if(NOT GV_FUZZ)
  find_dependency(Torch)
endif()
find_dependency(Boost)
find_dependency(Eigen3)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(simdjson)
find_dependency(tomlplusplus)
find_dependency(ZLIB)
find_dependency(LibArchive)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(CURL)
# Debian's package has no CMake file of its own for it.
find_path(GV_TURBOJPEG_INCLUDE turbojpeg.h REQUIRED)
find_library(GV_TURBOJPEG_LIBRARY turbojpeg REQUIRED)
if(NOT TARGET Grapevine::turbojpeg)
  add_library(Grapevine::turbojpeg SHARED IMPORTED GLOBAL)
  set_target_properties(Grapevine::turbojpeg PROPERTIES
    IMPORTED_LOCATION ${GV_TURBOJPEG_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${GV_TURBOJPEG_INCLUDE})
endif()
if(GV_MPI)
  find_dependency(MPI COMPONENTS C)
endif()

# Debian's Torch target says neither where c10d's Gloo headers expect their
# macro nor that warnings in its headers are not ours to fix.
if(NOT GV_FUZZ AND NOT TARGET Grapevine::torch)
  add_library(Grapevine::torch INTERFACE IMPORTED GLOBAL)
  target_link_libraries(Grapevine::torch INTERFACE ${TORCH_LIBRARIES})
  target_include_directories(Grapevine::torch SYSTEM INTERFACE
    ${TORCH_INCLUDE_DIRS})
  target_compile_definitions(Grapevine::torch INTERFACE
    USE_DISTRIBUTED USE_C10D_GLOO)
endif()
