// Who is to blame for the waits of a run, as JSON.
#include "report/page_data.h"

namespace grapevine::report {
namespace {

constexpr int kDigits = 4;

void write_cost(JsonWriter& json, double cost, double seconds) {
  json.number("cost_seconds", cost);
  json.number("cost_share", cost / seconds);
}

void write_straggler(JsonWriter& json, const report::Blame& blame) {
  if (!blame.straggler) return json.null();
  json.begin_object();
  json.integer("worker", blame.straggler->worker);
  write_cost(json, blame.straggler->cost, blame.seconds);
  json.number("compute_ratio", blame.straggler->compute_ratio);
  json.end_object();
}

void write_link(JsonWriter& json, const report::Blame& blame) {
  if (!blame.link) return json.null();
  json.begin_object();
  json.integer("a", blame.link->a);
  json.integer("b", blame.link->b);
  write_cost(json, blame.link->cost, blame.seconds);
  json.end_object();
}

} // namespace

void write_blame(JsonWriter& json, const report::Blame& blame) {
  json.begin_object();
  json.number("seconds", blame.seconds);
  json.number("mean_wait_seconds", blame.mean_wait);
  json.boolean("virtual", blame.losses.has_value());
  if (blame.losses) {
    json.number("exposed_seconds", blame.losses->exposed);
    json.number("straggler_seconds", blame.losses->straggler);
  }
  json.key("compute_seconds");
  json.numbers(blame.compute, kDigits);
  json.key("waits");
  json.begin_array();
  for (const report::Wait& wait : blame.waits) {
    json.begin_array();
    json.integer(wait.worker);
    json.integer(wait.peer);
    json.number(wait.seconds, kDigits);
    json.end_array();
  }
  json.end_array();
  json.key("straggler");
  write_straggler(json, blame);
  json.key("slowest_link");
  write_link(json, blame);
  json.key("sentences");
  json.begin_array();
  for (const std::string& sentence : blame.sentences)
    json.text(sentence);
  json.end_array();
  json.end_object();
}

void write_blames(JsonWriter& json, const ReportData& data) {
  json.begin_object();
  for (const report::RunData& run : data.set.runs) {
    if (!run.blame) continue;
    json.key(run.path);
    write_blame(json, *run.blame);
  }
  json.end_object();
}

} // namespace grapevine::report
