# gv_layer(NAME [TORCH] [FOLDER DIR] [EXCLUDE REGEX] [DEPS …] [PRIVATE_DEPS …]):
# the library of a folder of src/, by default of src/NAME, with every source
# below it whose path does not match EXCLUDE.
#
# It is Grapevine::NAME to the others and gv_NAME on disk. A folder with a part
# that needs torch has a second library, so that who uses the rest links without
# it. TORCH libraries share one precompiled header of torch/torch.h.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# At most two torch files compile at once: each takes about a gigabyte.
set_property(GLOBAL PROPERTY JOB_POOLS torch=2)

add_library(gv_flags INTERFACE)
# No contraction: a*b+c is fused exactly where the code says std::fma, which
# is what makes the bits those of ATen.
target_compile_options(gv_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow> -ffp-contract=off)
if(GV_SANITIZE)
  target_compile_options(gv_flags INTERFACE
    -fsanitize=${GV_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(gv_flags INTERFACE -fsanitize=${GV_SANITIZE})
  if(GV_SANITIZE MATCHES thread)
    target_compile_definitions(gv_flags INTERFACE GV_NO_TARGET_CLONES)
  endif()
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O3 -g1")

function(gv_torch_target target)
  target_link_libraries(${target} PUBLIC Grapevine::torch)
  # Programs too are compiled with -fPIC, not -fPIE: the compiler refuses a
  # precompiled header that was made with other settings.
  set_target_properties(${target} PROPERTIES
    JOB_POOL_COMPILE torch POSITION_INDEPENDENT_CODE OFF)
  # -fpch-preprocess lets ccache see through the precompiled header.
  target_compile_options(${target} PRIVATE -fPIC -fpch-preprocess)
  if(NOT target STREQUAL gv_torch_pch)
    target_precompile_headers(${target} REUSE_FROM gv_torch_pch)
  endif()
endfunction()

# Several sources compile as one: they share headers and templates, which are
# most of the work. Sources with flags of their own stay alone.
option(GV_UNITY "Compile up to eight sources of a layer as one" ON)

function(gv_unity target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${GV_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

function(gv_layer name)
  cmake_parse_arguments(ARG "TORCH" "FOLDER;EXCLUDE" "DEPS;PRIVATE_DEPS" ${ARGN})
  set(target gv_${name})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp)
  if(ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "/${ARG_FOLDER}/(${ARG_EXCLUDE})")
  endif()
  add_library(${target} STATIC ${sources})
  add_library(Grapevine::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  # The layers' own headers are not installed: users see include/grapevine.
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  target_link_libraries(${target}
    PUBLIC ${ARG_DEPS}
    PRIVATE ${ARG_PRIVATE_DEPS} $<BUILD_INTERFACE:gv_flags>)
  if(ARG_TORCH)
    gv_torch_target(${target})
  endif()
  gv_unity(${target})
  set_property(GLOBAL APPEND PROPERTY GV_LAYERS ${target})
endfunction()
