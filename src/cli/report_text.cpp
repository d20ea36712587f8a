#include "cli/report_text.h"

#include "cli/table.h"
#include "cli/units.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

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

using report::Gossip;
using report::GossipWorker;
using report::RunData;

// More of them are for the page and the CSV.
constexpr size_t kMostWorkers = 32;

// Short, as waits are; gradients where there is no clock.
std::string time_text(const Gossip& gossip, double time) {
  if (time == 0) return "0";
  std::string text = report::gossip_time(gossip, time);
  return gossip.has_clock ? text : text.substr(0, text.find("radients")) + "r";
}

std::string rate_text(double rate) {
  return std::isfinite(rate) ? fmt::format("{:.2f}", rate) : "–";
}

// "469 to 1404"
std::string gradients_text(const Gossip& gossip) {
  const auto [least, most] =
      std::ranges::minmax(gossip.workers, {}, &GossipWorker::gradients);
  return fmt::format("{:.0f} to {:.0f}", least.gradients, most.gradients);
}

std::string lost_text(const Gossip& gossip) {
  if (gossip.all.lost == 0) return "0";
  return fmt::format("{}, {} back", gossip.all.lost, gossip.all.came_back);
}

std::string members_text(const Gossip& gossip) {
  if (gossip.members.empty()) return "–";
  return fmt::format("{} of {}", gossip.members.size(), gossip.workers.size());
}

std::vector<std::string> waits_and_staleness(
    const Gossip& gossip,
    const GossipWorker& worker) {
  return {
      time_text(gossip, worker.wait),
      time_text(gossip, worker.wait_most),
      rate_text(worker.staleness),
      human_number(worker.staleness_most),
      time_text(gossip, worker.held_seconds)};
}

// Only runs between processes lose workers and say who was there at the end.
std::string runs_text(const report::ReportData& data) {
  const auto has_members = [](const RunData& run) {
    return run.gossip && !run.gossip->members.empty();
  };
  const bool live = std::ranges::any_of(data.set.runs, has_members);
  std::vector<std::string> headers = {
      "run",
      "gradients a worker",
      "averagings a gradient",
      "asked"};
  headers.insert(headers.end(), {"wait", "longest", "stale", "most", "held"});
  if (live) headers.insert(headers.end(), {"lost", "at the end"});
  Table table(headers);
  for (size_t i = 0; i < data.set.runs.size(); ++i) {
    const RunData& run = data.set.runs[i];
    if (!run.gossip || run.gossip->workers.empty()) continue;
    const Gossip& gossip = *run.gossip;
    std::vector<std::string> cells = {
        data.set.grouping.labels[i],
        gradients_text(gossip),
        rate_text(gossip.all.rate),
        fmt::format("{:.3g}", gossip.asked_rate)};
    for (std::string& cell : waits_and_staleness(gossip, gossip.all))
      cells.push_back(std::move(cell));
    if (live) {
      cells.push_back(lost_text(gossip));
      cells.push_back(members_text(gossip));
    }
    table.add_row(std::move(cells));
  }
  return table.empty() ? "" : table.text(2);
}

std::string workers_text(const Gossip& gossip) {
  Table table(
      {"worker",
       "gradients",
       "averagings",
       "a gradient",
       "wait",
       "longest",
       "stale",
       "most",
       "held"});
  for (size_t rank = 0; rank < gossip.workers.size(); ++rank) {
    const GossipWorker& worker = gossip.workers[rank];
    std::vector<std::string> cells = {
        fmt::format("{}", rank),
        fmt::format("{:.0f}", worker.gradients),
        fmt::format("{:.0f}", worker.averagings),
        rate_text(worker.rate)};
    for (std::string& cell : waits_and_staleness(gossip, worker))
      cells.push_back(std::move(cell));
    table.add_row(std::move(cells));
  }
  return "\n" + table.text(2);
}

// What the terminal says about asynchronous runs: a row per run; if there is
// only one, also a row per worker; and what stands out. Empty if no run is
// asynchronous.
std::string gossip_text(const report::ReportData& data) {
  const std::string runs = runs_text(data);
  if (runs.empty()) return "";
  std::string text =
      "\nAsynchronous runs: waits for a partner, staleness in gradients, time "
      "held back\n" +
      runs;
  const Gossip* only = nullptr;
  int count = 0;
  for (const RunData& run : data.set.runs) {
    if (!run.gossip) continue;
    only = &*run.gossip;
    ++count;
  }
  if (count == 1 && only->workers.size() <= kMostWorkers) {
    text += workers_text(*only);
  }
  for (const RunData& run : data.set.runs) {
    if (!run.gossip) continue;
    for (const std::string& sentence : run.gossip->sentences)
      text += fmt::format("  {}: {}\n", run.name, sentence);
  }
  return text;
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
