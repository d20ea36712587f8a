#include "cli/gossip_text.h"

#include "cli/table.h"
#include "cli/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace grapevine::cli {
namespace {

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

} // namespace

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

} // namespace grapevine::cli
