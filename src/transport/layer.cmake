# c10d needs torch; the rest of the layer, and those who use it, do not see it.
# Programs that need no transport (GV_FUZZ) link without it.
if(GV_FUZZ)
  add_library(gv_transport_c10d INTERFACE)
else()
  add_library(gv_transport_c10d STATIC
    ${CMAKE_CURRENT_SOURCE_DIR}/transport/c10d/gloo_key_value_store.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/transport/c10d/gloo_group_factory.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/transport/c10d/gloo_operation.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/transport/c10d/gloo_transport.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/transport/c10d/meeting.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/transport/c10d/store_server.cpp)
  set_target_properties(gv_transport_c10d PROPERTIES EXPORT_NAME transport_c10d)
  target_include_directories(gv_transport_c10d PRIVATE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  target_link_libraries(gv_transport_c10d
    PUBLIC Grapevine::base
    PRIVATE $<BUILD_INTERFACE:gv_flags>)
  gv_torch_target(gv_transport_c10d)
  set_property(GLOBAL APPEND PROPERTY GV_LAYERS gv_transport_c10d)

  # For programs alone, which ask for it: it stands before the C library's
  # getpeername, where Gloo finds it. No other library links it.
  add_library(gv_gloo_getpeername_shim STATIC
    ${CMAKE_CURRENT_SOURCE_DIR}/transport/c10d/gloo_getpeername_shim.cpp)
  add_library(Grapevine::gloo_getpeername_shim ALIAS gv_gloo_getpeername_shim)
  set_target_properties(gv_gloo_getpeername_shim PROPERTIES
    EXPORT_NAME gloo_getpeername_shim)
  target_link_libraries(gv_gloo_getpeername_shim
    PRIVATE $<BUILD_INTERFACE:gv_flags> ${CMAKE_DL_LIBS})
  target_link_options(gv_gloo_getpeername_shim INTERFACE
    LINKER:-u,getpeername LINKER:--export-dynamic-symbol=getpeername)
  set_property(GLOBAL APPEND PROPERTY GV_LAYERS gv_gloo_getpeername_shim)
endif()

set(gv_mpi_source no_mpi.cpp)
set(gv_mpi_library)
if(GV_MPI)
  set(gv_mpi_source mpi/mpi_transport.cpp mpi/mpi_runtime.cpp)
  set(gv_mpi_library MPI::MPI_C)
endif()
gv_layer(transport
  SOURCES launch_environment.cpp make_transport.cpp wrap.cpp
    edges/fixed_edges.cpp edges/linked_edges.cpp edges/gloo_edges.cpp
    edges/handshake.cpp edges/attempt.cpp edges/link_keeper.cpp
    edges/final_rendezvous.cpp edges/reach.cpp
    packed/packed_transport.cpp
    near/byte_ring.cpp near/near_transport.cpp
    shaped/fluid.cpp shaped/link_table.cpp shaped/link_session.cpp
    shaped/lane.cpp shaped/shaped_transport.cpp
    local/local_transport.cpp local/hub.cpp
    ${gv_mpi_source}
  DEPS Grapevine::base
  PRIVATE_DEPS Grapevine::kernel gv_transport_c10d ${gv_mpi_library})
# The C interface only: the C++ one was removed from MPI long ago.
target_compile_definitions(gv_transport PRIVATE
  OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
