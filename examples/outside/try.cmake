# Installs Grapevine into a scratch folder, builds the outside project against
# it and runs it.
set(prefix ${BUILD}/outside/install)
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD}/outside/build -G Ninja
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
run(${CMAKE_COMMAND} --build ${BUILD}/outside/build)
run(${BUILD}/outside/build/own_model models)
run(${BUILD}/outside/build/decentralize)
