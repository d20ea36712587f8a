// The figures as CSV (RFC 4180: commas, CRLF, quotes where needed), for
// spreadsheets and notebooks. What is not known is an empty field.
//
//   runs.csv         a row a run: its choices, outcome and result
//   evaluations.csv  a row a run and evaluation
//   steps.csv        a row a run and point of its curves
//   probes.csv       a row a run and probe
//   workers.csv      a row a worker of an asynchronous run
//
// Curves are as long as those of the page: down-sampled, with minima and
// maxima.
#pragma once

#include "report/page_data.h"

#include <filesystem>

namespace grapevine::report {

std::string runs_csv(const ReportData& data);
std::string evaluations_csv(const ReportData& data);
std::string steps_csv(const ReportData& data);
std::string probes_csv(const ReportData& data);
std::string workers_csv(const ReportData& data);

// Makes the directory and writes them; the last
// only where there is an asynchronous run. IoError where it cannot.
void write_csv(const ReportData& data, const std::filesystem::path& directory);

} // namespace grapevine::report
