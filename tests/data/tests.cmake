gv_layer_test(data DEPS Grapevine::data ZLIB::ZLIB Grapevine::turbojpeg)
# The folder of the data sets that no package brings, unless GRAPEVINE_DATA
# says otherwise.
target_compile_definitions(data_test PRIVATE
  GV_DEFAULT_TEST_DATA="${PROJECT_SOURCE_DIR}/../shared/data"
  GV_FORMATS_PAGE="${PROJECT_SOURCE_DIR}/docs/formats.md")
