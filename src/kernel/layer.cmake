gv_layer(kernel
  SOURCES adam.cpp elementwise.cpp gossip.cpp mix_terms.cpp packed_floats.cpp sgd.cpp track.cpp
  DEPS Grapevine::base)
# sqrt, fma and friends need not set errno; without this they do not vectorise.
target_compile_options(gv_kernel PRIVATE -fno-math-errno -fno-trapping-math)
