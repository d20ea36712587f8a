#include "sim/trials.h"

#include "base/error.h"

#include <algorithm>
#include <map>
#include <optional>
#include <thread>

namespace grapevine::sim {
namespace {

int thread_count(const Question& question) {
  if (question.threads > 0) return question.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// What was made, or why it could not be.
template <typename T>
struct Attempt {
  std::optional<T> made = {};
  std::string why = {};

  template <typename Make>
  void try_to(const Make& make) {
    try {
      made.emplace(make());
    } catch (const ConfigError& error) {
      why = error.what();
    }
  }
};

} // namespace

Trials::Trials(const Question& question, int n)
    : pool_(thread_count(question)) {
  const std::vector<Candidate> list = candidates(
      question.choices,
      n,
      question.told_workers_per_node(n),
      question.seed);
  std::map<std::string, int> places; // of courses, by graph
  std::vector<const graph::GraphOptions*> graphs;
  for (const Candidate& candidate : list) {
    const int next = static_cast<int>(graphs.size());
    if (places.emplace(candidate.graph_label(), next).second) {
      graphs.push_back(&candidate.graph);
    }
  }
  std::vector<Attempt<std::shared_ptr<const Course>>> courses(graphs.size());
  pool_.for_each(std::ssize(graphs), [&](int64_t i, int) {
    courses[i].try_to(
        [&] { return std::make_shared<const Course>(question, *graphs[i]); });
  });
  std::vector<Attempt<Trial>> trials(list.size());
  pool_.for_each(std::ssize(list), [&](int64_t i, int) {
    const auto& course = courses[places.at(list[i].graph_label())];
    trials[i].why = course.why;
    if (!course.made) return;
    trials[i].try_to([&] { return Trial(question, list[i], *course.made); });
  });
  for (size_t i = 0; i < list.size(); ++i) {
    if (trials[i].made) {
      trials_.push_back(std::move(*trials[i].made));
    } else {
      skipped_.push_back({list[i], trials[i].why});
    }
  }
}

void Trials::for_each(const std::function<void(int)>& body) {
  pool_.for_each(size(), [&](int64_t i, int) { body(static_cast<int>(i)); });
}

} // namespace grapevine::sim
