#include "transport/edges/gather.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <thread>

namespace grapevine::transport {
namespace {

constexpr const char* kGo = "go";
constexpr const char* kAgain = "again";
// More rounds than there are workers to lose mean that something else is wrong.
constexpr int kSpareRounds = 3;

// Asks until there is an answer or the time is up; more and more seldom.
template <typename Ask>
auto poll(Deadline deadline, Ask&& ask) -> decltype(ask()) {
  auto pause = std::chrono::milliseconds(1);
  while (true) {
    auto answer = ask();
    if (answer || deadline.passed()) return answer;
    std::this_thread::sleep_for(std::min(pause, deadline.remaining()));
    pause = std::min(2 * pause, std::chrono::milliseconds(50));
  }
}

} // namespace

std::string Assembly::format(const Members& members) {
  std::string text;
  for (const Member& member : members)
    text += fmt::format("{} {}\n", member.rank, member.life);
  return text;
}

Assembly::Members Assembly::parse(const std::string& text) {
  Members members;
  std::istringstream stream(text);
  Member member;
  while (stream >> member.rank >> member.life)
    members.push_back(member);
  return members;
}

std::string Assembly::key(const std::string& what) const {
  return fmt::format("gather/{}/{}", round_, what);
}

Gathering Assembly::gather(Deadline deadline) {
  const auto window = deadline.remaining();
  for (int tries = 0; tries < self_.size + kSpareRounds; ++tries, ++round_) {
    come();
    const Members members = agree(Deadline::after(window));
    const Member self{self_.rank, self_.life};
    if (std::ranges::find(members, self) == members.end()) {
      if (await_outcome(Deadline::after(window)) == kAgain) continue;
      throw TransportError(fmt::format(
          "worker {} came too late: {} others have finished without it",
          self_.rank,
          members.size()));
    }
    auto attempt = connect(members, Deadline::after(window));
    const auto outcome =
        settle(members.size(), *attempt, Deadline::after(2 * window));
    expected_.clear();
    for (const Member& member : members)
      expected_.push_back(member.rank);
    if (outcome != kGo) {
      attempt->cancel();
      abandoned_.push_back(std::move(attempt));
      continue;
    }
    let_others_read(members.size(), Deadline::after(window));
    ++round_;
    return {.members = expected_, .transport = attempt->take()};
  }
  throw TransportError(fmt::format(
      "worker {} could not agree with the others on who is left",
      self_.rank));
}

bool Assembly::has_begun() const {
  try {
    return board_.add(key("count"), 0) > 0;
  } catch (const TransportError&) {
    return false;
  }
}

void Assembly::come() {
  const auto mine = key(fmt::format("come/{}", self_.rank));
  board_.set(mine, std::to_string(self_.life));
  board_.add(key("count"), 1);
  board_.add(kNewsKey, 1);
}

Assembly::Members Assembly::agree(Deadline deadline) {
  const auto list = key("list");
  int64_t count = 0;
  int64_t news = -1;
  const auto text = poll(deadline, [&]() -> std::optional<std::string> {
    if (auto known = board_.get(list)) return known;
    // Not read again until somebody has come, or was lost.
    const int64_t count_now = board_.add(key("count"), 0);
    const int64_t news_now = board_.add(kNewsKey, 0);
    if (count_now == count && news_now == news) return std::nullopt;
    count = count_now;
    news = news_now;
    const Members members = present();
    if (!is_complete(members)) return std::nullopt;
    return board_.set_once(list, format(members));
  });
  return parse(text ? *text : board_.set_once(list, format(present())));
}

Assembly::Members Assembly::present() const {
  Members members;
  for (int rank = 0; rank < self_.size; ++rank) {
    const auto life = board_.get(key(fmt::format("come/{}", rank)));
    if (life) members.push_back({rank, std::stoll(*life)});
  }
  return members;
}

bool Assembly::is_complete(const Members& members) const {
  std::vector<int> expected = expected_;
  if (expected.empty()) {
    expected.resize(self_.size);
    std::iota(expected.begin(), expected.end(), 0);
  }
  return std::ranges::all_of(expected, [&](int rank) {
    return std::ranges::find(members, rank, &Member::rank) != members.end() ||
           board_.get(lost_key(rank)).has_value();
  });
}

std::unique_ptr<Attempt> Assembly::connect(
    const Members& members,
    Deadline deadline) {
  Party party;
  party.name = key("party");
  for (const Member& member : members) {
    if (member.rank == self_.rank)
      party.self = static_cast<int>(party.workers.size());
    party.workers.push_back(member.rank);
  }
  return std::make_unique<Attempt>(
      connector_,
      std::move(party),
      deadline,
      std::chrono::milliseconds(0),
      [] {});
}

std::string
Assembly::settle(size_t members, Attempt& attempt, Deadline deadline) {
  const auto outcome = key("outcome");
  bool has_said_so = false;
  const auto word = poll(deadline, [&]() -> std::optional<std::string> {
    if (auto known = board_.get(outcome)) return known;
    if (!attempt.is_over()) return std::nullopt;
    if (!attempt.has_succeeded()) return board_.set_once(outcome, kAgain);
    const int64_t connected = board_.add(key("connected"), has_said_so ? 0 : 1);
    has_said_so = true;
    if (connected < static_cast<int64_t>(members)) return std::nullopt;
    return board_.set_once(outcome, kGo);
  });
  return word ? *word : board_.set_once(outcome, kAgain);
}

std::string Assembly::await_outcome(Deadline deadline) {
  const auto word = poll(deadline, [&] { return board_.get(key("outcome")); });
  return word.value_or(kGo);
}

void Assembly::let_others_read(size_t members, Deadline deadline) {
  board_.add(key("read"), 1);
  if (!board_.serves()) return;
  poll(deadline, [&] {
    return board_.add(key("read"), 0) >= static_cast<int64_t>(members);
  });
}

} // namespace grapevine::transport
