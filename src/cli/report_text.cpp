#include "cli/report_text.h"

#include "cli/gossip_text.h"
#include "cli/table.h"
#include "cli/units.h"

#include <fmt/format.h>

namespace grapevine::cli {
namespace {

using report::Summary;

std::string heading(const std::string& text) {
  return fmt::format("\n{}\n", text);
}

std::string at(const report::Choices& stratum) {
  return stratum.empty() ? "" : " at " + report::to_text(stratum);
}

std::string percent_text(const Summary& summary) {
  if (summary.count == 0) return "–";
  std::string text = fmt::format("{:.2f}", 100 * summary.mean);
  if (summary.count > 1) text += fmt::format(" ± {:.2f}", 100 * summary.sd);
  return text;
}

std::string verdict(const report::RankingRow& row) {
  if (row.rank == 1) return "best";
  if (!row.not_worse_than_best) return "";
  return *row.not_worse_than_best ? "not shown to be worse" : "worse";
}

std::string rankings_text(const report::ReportData& data) {
  std::string text;
  for (const report::Ranking& ranking : data.analysis.rankings) {
    if (ranking.rows.size() < 2) continue;
    Table table({"", "implementation", "accuracy %", "seeds", ""});
    for (const report::RankingRow& row : ranking.rows) {
      table.add_row(
          {fmt::format("{}", row.rank),
           data.set.grouping.groups[row.group].implementation,
           percent_text(row.accuracy),
           fmt::format("{}", row.accuracy.count),
           verdict(row)});
    }
    text += heading("Ranking" + at(ranking.stratum)) + table.text(2);
  }
  return text;
}

std::string target_text(const report::ReportData& data) {
  const report::Target& target = data.analysis.target;
  if (target.rows.empty()) return "";
  Table table(
      {"group",
       "reached",
       "epochs",
       "time",
       "messages/worker",
       "bytes/worker"});
  for (const report::TargetRow& row : target.rows) {
    table.add_row(
        {data.set.grouping.groups[row.group].label,
         fmt::format("{} of {}", row.reached, row.runs),
         human_number(row.epochs.mean),
         human_seconds(row.seconds.mean),
         human_count(row.messages_per_worker.mean),
         human_bytes(row.bytes_per_worker.mean)});
  }
  return heading(fmt::format(
             "To an accuracy of {}, first evaluation at or above it",
             human_percent(target.accuracy))) +
         table.text(2);
}

std::string interval_text(const report::Interval& interval, double scale) {
  if (!interval.exists()) return "–";
  return fmt::format(
      "{:.2f} to {:.2f}",
      scale * interval.low,
      scale * interval.high);
}

// "-0.61 *": the star says that the interval excludes 0.
std::string rho_text(const report::Correlation& row) {
  const bool speaks = row.interval.exists() && row.interval.excludes(0);
  return fmt::format("{:.2f}{}", row.rho, speaks ? " *" : "");
}

// A row holds the phases of one quantity in one stratum, which follow one
// another in the analysis.
std::string correlations_text(const report::ReportData& data) {
  if (data.analysis.correlations.empty()) return "";
  std::vector<std::string> headers = {"accuracy with", "where", "rho"};
  headers.insert(headers.end(), {"95 % interval", "runs", "seeds"});
  headers.insert(headers.end(), {"early", "middle", "late"});
  Table table(headers);
  std::vector<std::string> cells;
  for (const report::Correlation& row : data.analysis.correlations) {
    if (row.phase > 0 && !cells.empty()) {
      cells.resize(headers.size());
      cells[headers.size() - report::kPhases.size() + row.phase] =
          rho_text(row);
      continue;
    }
    if (!cells.empty()) table.add_row(cells);
    const std::string where =
        row.stratum ? report::to_text(*row.stratum) : "all";
    cells = {row.title, where.empty() ? "all" : where, rho_text(row)};
    cells.push_back(interval_text(row.interval, 1));
    cells.push_back(fmt::format("{}", row.runs));
    cells.push_back(fmt::format("{}", row.seeds));
  }
  table.add_row(cells);
  return heading(
             "Rank correlation (Spearman), decentralized runs; * = the "
             "interval excludes 0") +
         table.text(2);
}

std::string comparisons_text(const report::ReportData& data) {
  if (data.analysis.comparisons.empty()) return "";
  Table table({"accuracy", "where", "points", "95 % interval", "seeds"});
  for (const report::Comparison& row : data.analysis.comparisons) {
    const std::string where = row.stratum ? report::to_text(*row.stratum) : "";
    table.add_row(
        {row.what,
         where.empty() ? "all" : where,
         fmt::format("{:+.2f}", 100 * row.difference.mean),
         interval_text(row.difference.interval, 100),
         fmt::format("{}", row.difference.count)});
  }
  return heading("Differences, paired by seed") + table.text(2);
}

// Of runs that have waits to speak of.
std::vector<std::string> wait_lines(const report::ReportData& data) {
  std::vector<std::string> lines;
  for (const report::RunData& run : data.set.runs) {
    if (!run.blame) continue;
    for (const std::string& sentence : run.blame->sentences)
      lines.push_back(fmt::format("{}: {}", run.name, sentence));
  }
  return lines;
}

std::string list_text(
    const std::string& title,
    const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = heading(title);
  for (const std::string& line : lines)
    text += fmt::format("  {}\n", line);
  return text;
}

std::vector<std::string> skipped_lines(const report::ReportData& data) {
  std::vector<std::string> lines;
  for (const report::Skipped& skipped : data.set.skipped)
    lines.push_back(fmt::format("{}: {}", skipped.path, skipped.why));
  return lines;
}

} // namespace

std::string report_text(const report::ReportData& data) {
  return rankings_text(data) + target_text(data) + correlations_text(data) +
         comparisons_text(data) +
         list_text("Findings", data.analysis.findings) +
         list_text("Waits", wait_lines(data)) + gossip_text(data) +
         list_text("Notes", data.set.notes) +
         list_text("Skipped", skipped_lines(data));
}

} // namespace grapevine::cli
