gv_layer(report EXCLUDE "(no_)?page_template"
  DEPS Grapevine::graph Grapevine::spec Grapevine::record
  PRIVATE_DEPS Boost::headers)
if(NOT GV_FUZZ)
  target_link_libraries(gv_report PRIVATE Grapevine::report_page) # cmake/ReportPage.cmake
endif()
