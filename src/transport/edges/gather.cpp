#include "transport/edges/gather.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <thread>
#include <utility>

namespace grapevine::transport {
namespace {

constexpr const char* kGo = "go";
constexpr const char* kAgain = "again";
constexpr const char* kConcludedKey = "gather/concluded";
// All who are to be connected are there already.
constexpr std::chrono::seconds kLongestConnect{15};
// More rounds than this in which nobody died mean that something else is wrong.
constexpr int kMostFruitless = 5;

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

std::string Assembly::key(int round, const std::string& what) {
  return fmt::format("gather/{}/{}", round, what);
}

std::string Assembly::key(const std::string& what) const {
  return key(round_, what);
}

Gathering Assembly::gather(Deadline deadline) {
  const auto window = deadline.remaining();
  for (;; ++round_) {
    while (has_begun(round_ + 1))
      ++round_; // one that comes back has missed some
    come();
    Members members = agree(Deadline::after(window));
    const Member self{self_.rank, self_.life};
    if (std::ranges::find(members, self) == members.end()) {
      if (await_outcome(Deadline::after(window)) == kAgain) continue;
      if (await_next_round(members, Deadline::after(window))) continue;
      throw TransportError(fmt::format(
          "worker {} came too late: {} others have finished without it",
          self_.rank,
          members.size()));
    }
    // Those of before again: nobody has died, and yet it came to nothing.
    fruitless_ = members == members_ ? fruitless_ + 1 : 0;
    if (fruitless_ > kMostFruitless) {
      throw TransportError(fmt::format(
          "worker {} could not agree with the others on who is left",
          self_.rank));
    }
    members_ = std::move(members);
    auto attempt = connect(
        members_,
        Deadline::after(
            std::min<std::chrono::milliseconds>(window, kLongestConnect)));
    const auto outcome = settle(*attempt, Deadline::after(2 * window));
    if (outcome != kGo) {
      attempt->cancel();
      abandoned_.push_back(std::move(attempt));
      continue;
    }
    ++round_;
    Gathering gathering{.members = {}, .transport = attempt->take()};
    for (const Member& member : members_)
      gathering.members.push_back(member.rank);
    return gathering;
  }
}

bool Assembly::has_begun() const {
  try {
    return has_begun(round_);
  } catch (const TransportError&) {
    return false;
  }
}

bool Assembly::has_begun(int round) const {
  return board_.add(key(round, "count"), 0) > 0;
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
  for (int rank = 0; rank < self_.size; ++rank) {
    const bool may_come = members_.empty() || has(members_, rank);
    if (!may_come || has(members, rank)) continue;
    if (!board_.get(lost_key(rank))) return false;
  }
  return true;
}

bool Assembly::has(const Members& members, int rank) {
  return std::ranges::find(members, rank, &Member::rank) != members.end();
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

std::string Assembly::settle(Attempt& attempt, Deadline deadline) {
  const auto outcome = key("outcome");
  bool has_said_so = false;
  int64_t news = -1;
  const auto word = poll(deadline, [&]() -> std::optional<std::string> {
    if (auto known = board_.get(outcome)) return known;
    const int64_t news_now = board_.add(kNewsKey, 0);
    if (std::exchange(news, news_now) != news_now && !are_alive(members_)) {
      return board_.set_once(outcome, kAgain);
    }
    if (!attempt.is_over()) return std::nullopt;
    if (!attempt.has_succeeded()) return board_.set_once(outcome, kAgain);
    const int64_t connected = board_.add(key("connected"), has_said_so ? 0 : 1);
    has_said_so = true;
    if (connected < std::ssize(members_)) return std::nullopt;
    return board_.set_once(outcome, kGo);
  });
  return word ? *word : board_.set_once(outcome, kAgain);
}

bool Assembly::is_alive(const Member& member) const {
  return board_.add(life_key(member.rank), 0) == member.life &&
         !board_.get(lost_key(member.rank));
}

bool Assembly::are_alive(const Members& members) const {
  return std::ranges::all_of(members, [&](const Member& member) {
    return is_alive(member);
  });
}

std::string Assembly::await_outcome(Deadline deadline) {
  const auto word = poll(deadline, [&] { return board_.get(key("outcome")); });
  return word.value_or(kGo);
}

bool Assembly::await_next_round(const Members& members, Deadline deadline) {
  const auto alive = [&](const Member& member) { return is_alive(member); };
  const auto begins = poll(deadline, [&]() -> std::optional<bool> {
    if (board_.get(kConcludedKey)) return false;
    if (has_begun(round_ + 1) || std::ranges::none_of(members, alive)) {
      return true;
    }
    return std::nullopt;
  });
  return begins.value_or(false);
}

void Assembly::conclude() {
  try {
    board_.set(kConcludedKey, std::to_string(self_.rank));
  } catch (const TransportError&) {
    // Then those who come too late find out by their own clock.
  }
}

} // namespace grapevine::transport
