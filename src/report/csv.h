// The figures as CSV (RFC 4180: commas, CRLF, quotes where needed), for
// spreadsheets and notebooks. What is not known is an empty field.
//
//   runs.csv         a row per run: its choices, outcome and result
//   TABLE.csv        a row per run and point of a table of the schema: steps,
//                    evaluations, probes; gossip and density if a run has them
//   workers.csv      a row per worker of an asynchronous run, if there is one
//
// Curves are as long as those of the page: down-sampled, with minima and
// maxima.
#pragma once

#include "report/page_data.h"

#include <filesystem>

namespace grapevine::report {

std::string runs_csv(const ReportData& data);
std::string table_csv(const ReportData& data, const record::SeriesTable& table);
std::string workers_csv(const ReportData& data);

// Makes the directory and writes the files. IoError if it cannot.
void write_csv(const ReportData& data, const std::filesystem::path& directory);

} // namespace grapevine::report
