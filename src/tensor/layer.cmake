gv_layer(tensor EXCLUDE bind/
  DEPS Grapevine::base)
# sqrt, fma and friends need not set errno; without this they do not vectorise.
file(GLOB gv_kernels ${CMAKE_CURRENT_SOURCE_DIR}/tensor/kernels/*.cpp)
set_source_files_properties(${gv_kernels} PROPERTIES
  COMPILE_OPTIONS "-fno-math-errno;-fno-trapping-math")

# Planes as torch tensors.
if(NOT GV_FUZZ)
  gv_layer(tensor_torch TORCH FOLDER tensor/bind
    DEPS Grapevine::tensor)
endif()
