// What the workers of an asynchronous run did and waited for, as JSON.
#include "report/page_data.h"

namespace grapevine::report {
namespace {

using report::Column;
using report::Gossip;
using report::GossipWorker;

constexpr int kDigits = 5;

struct Field {
  const char* name;
  double GossipWorker::*value;
};

constexpr Field kFields[] = {
    {"gradients", &GossipWorker::gradients},
    {"averagings", &GossipWorker::averagings},
    {"rate", &GossipWorker::rate},
    {"staleness", &GossipWorker::staleness},
    {"staleness_most", &GossipWorker::staleness_most},
    {"wait_seconds", &GossipWorker::wait},
    {"wait_most", &GossipWorker::wait_most},
    {"pair_seconds", &GossipWorker::pair},
    {"held_seconds", &GossipWorker::held_seconds}};

// A list each, one number a worker.
void write_workers(JsonWriter& json, const Gossip& gossip) {
  json.key("workers");
  json.begin_object();
  for (const Field& field : kFields) {
    Column column;
    for (const GossipWorker& worker : gossip.workers)
      column.push_back(worker.*field.value);
    json.key(field.name);
    json.numbers(column, kDigits);
  }
  for (const bool lost : {true, false}) {
    std::vector<int64_t> column;
    for (const GossipWorker& worker : gossip.workers)
      column.push_back(lost ? worker.lost : worker.came_back);
    json.key(lost ? "lost" : "came_back");
    json.integers(column);
  }
  json.end_object();
}

void write_all(JsonWriter& json, const Gossip& gossip) {
  json.key("all");
  json.begin_object();
  for (const Field& field : kFields)
    json.number(field.name, gossip.all.*field.value);
  json.integer("lost", gossip.all.lost);
  json.integer("came_back", gossip.all.came_back);
  json.end_object();
}

void write_changes(JsonWriter& json, const Gossip& gossip) {
  json.key("changes");
  json.begin_array();
  for (const report::GossipChange& change : gossip.changes) {
    json.begin_object();
    json.number("seconds", change.seconds);
    json.integer("worker", change.worker);
    json.integer("seen_by", change.seen_by);
    json.boolean("is_there", change.is_there);
    json.text("why", change.why);
    json.end_object();
  }
  json.end_array();
}

void write_links(JsonWriter& json, const Gossip& gossip) {
  json.key("slow_links");
  json.begin_array();
  for (const report::GossipLink& link : gossip.slow_links) {
    json.begin_object();
    json.integer("a", link.a);
    json.integer("b", link.b);
    json.number("averagings", link.averagings);
    json.number("pair_seconds", link.pair);
    json.number("ratio", link.ratio);
    json.end_object();
  }
  json.end_array();
}

void write_curves(JsonWriter& json, const report::GossipCurves& curves) {
  json.key("curves");
  json.begin_object();
  json.key("step");
  json.integers(curves.axis.step);
  const std::pair<const char*, const Column*> columns[] = {
      {"epoch", &curves.axis.epoch},
      {"bytes", &curves.axis.bytes},
      {"messages", &curves.axis.messages},
      {"seconds", &curves.axis.seconds},
      {"rate", &curves.rate},
      {"staleness", &curves.staleness},
      {"wait", &curves.wait},
      {"held", &curves.held}};
  for (const auto& [name, column] : columns) {
    json.key(name);
    json.numbers(*column, kDigits);
  }
  json.key("virtual_seconds");
  if (curves.axis.virtual_seconds.empty()) {
    json.null();
  } else {
    json.numbers(curves.axis.virtual_seconds, kDigits);
  }
  json.end_object();
}

} // namespace

void write_gossip(JsonWriter& json, const Gossip& gossip) {
  json.begin_object();
  json.number("asked_rate", gossip.asked_rate);
  json.boolean("has_clock", gossip.has_clock);
  write_all(json, gossip);
  write_workers(json, gossip);
  json.key("members");
  if (gossip.members.empty()) {
    json.null();
  } else {
    json.integers(
        std::vector<int64_t>(gossip.members.begin(), gossip.members.end()));
  }
  write_changes(json, gossip);
  write_links(json, gossip);
  write_curves(json, gossip.curves);
  json.key("sentences");
  json.begin_array();
  for (const std::string& sentence : gossip.sentences)
    json.text(sentence);
  json.end_array();
  json.end_object();
}

void write_gossips(JsonWriter& json, const ReportData& data) {
  json.begin_object();
  for (const report::RunData& run : data.set.runs) {
    if (!run.gossip) continue;
    json.key(run.path);
    write_gossip(json, *run.gossip);
  }
  json.end_object();
}

} // namespace grapevine::report
