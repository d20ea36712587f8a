gv_layer(report
  SOURCES analysis_data.cpp blame_data.cpp csv.cpp gossip_data.cpp
    json_writer.cpp page.cpp page_data.cpp report.cpp run_data_json.cpp
    trace.cpp workers_csv.cpp
  DEPS Grapevine::analysis
  PRIVATE_DEPS Grapevine::report_page) # cmake/ReportPage.cmake
