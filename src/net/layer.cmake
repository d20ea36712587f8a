# c10d needs torch; the rest of the layer, and those who use it, do not see it.
# Programs that need no transport (GV_FUZZ) link without it.
if(GV_FUZZ)
  add_library(gv_net_c10d INTERFACE)
else()
  gv_layer(net_c10d TORCH FOLDER net/c10d EXCLUDE gloo_getpeername_shim
    DEPS Grapevine::base)
  # For programs alone, which ask for it: it stands before the C library's
  # getpeername, where Gloo finds it. No other library links it.
  add_library(gv_gloo_getpeername_shim STATIC
    ${CMAKE_CURRENT_SOURCE_DIR}/net/c10d/gloo_getpeername_shim.cpp)
  add_library(Grapevine::gloo_getpeername_shim ALIAS gv_gloo_getpeername_shim)
  set_target_properties(gv_gloo_getpeername_shim PROPERTIES
    EXPORT_NAME gloo_getpeername_shim)
  target_link_libraries(gv_gloo_getpeername_shim
    PRIVATE $<BUILD_INTERFACE:gv_flags> ${CMAKE_DL_LIBS})
  target_link_options(gv_gloo_getpeername_shim INTERFACE
    LINKER:-u,getpeername LINKER:--export-dynamic-symbol=getpeername)
  set_property(GLOBAL APPEND PROPERTY GV_LAYERS gv_gloo_getpeername_shim)
endif()

set(gv_other_mpi mpi/)
if(GV_MPI)
  set(gv_other_mpi no_mpi)
endif()
gv_layer(net EXCLUDE "c10d/|${gv_other_mpi}"
  DEPS Grapevine::base
  PRIVATE_DEPS Grapevine::tensor gv_net_c10d $<$<BOOL:${GV_MPI}>:MPI::MPI_C>)
# The C interface only: the C++ one was removed from MPI long ago.
target_compile_definitions(gv_net PRIVATE
  OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
