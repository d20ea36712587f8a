#include "member/final_rendezvous.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>
#include <utility>

namespace grapevine::member {
namespace {

constexpr const char* kGo = "go";
constexpr const char* kAgain = "again";
constexpr const char* kApart = "apart";
constexpr const char* kConcludedKey = "gather/concluded";
// All who are to be connected are there already.
constexpr std::chrono::seconds kLongestConnect{15};
// How often a worker that is between two rounds shows that it lives.
constexpr std::chrono::seconds kBeat{1};
// More rounds than this without a death mean that something else is wrong.
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

std::string FinalRendezvous::format(const Members& members) {
  std::string text;
  for (const Member& member : members)
    text += fmt::format("{} {}\n", member.rank, member.life);
  return text;
}

FinalRendezvous::Members FinalRendezvous::parse(const std::string& text) {
  Members members;
  std::istringstream stream(text);
  Member member;
  while (stream >> member.rank >> member.life)
    members.push_back(member);
  return members;
}

std::string FinalRendezvous::key(int round, const std::string& what) {
  return fmt::format("gather/{}/{}", round, what);
}

std::string FinalRendezvous::key(const std::string& what) const {
  return key(round_, what);
}

Gathering FinalRendezvous::gather(Deadline deadline) {
  const auto window = deadline.remaining();
  const auto longest_connect =
      std::min<std::chrono::milliseconds>(window, kLongestConnect);
  // A worker that is cut off may know at once whom it reaches, others later.
  auto time_to_come = window;
  for (;; ++round_) {
    while (has_begun(round_ + 1))
      ++round_; // one that comes back has missed some
    come();
    Members members = agree(std::exchange(time_to_come, window));
    const Member self{self_.rank, self_.life};
    if (std::ranges::find(members, self) == members.end()) {
      const auto outcome = await_outcome(Deadline::after(2 * window));
      if (outcome == kApart) time_to_come = window + longest_connect;
      if (outcome != kGo) continue;
      if (await_next_round(members, Deadline::after(window))) continue;
      throw too_late();
    }
    // The same members again: none has died, and yet it came to nothing.
    fruitless_ = members == members_ ? fruitless_ + 1 : 0;
    if (fruitless_ > kMostFruitless) {
      throw TransportError(fmt::format(
          "worker {} could not agree with the others on who is left",
          self_.rank));
    }
    members_ = std::move(members);
    auto attempt = connect(members_, Deadline::after(longest_connect));
    const auto outcome = settle(*attempt, Deadline::after(2 * window));
    if (outcome != kGo) {
      attempt->cancel();
      abandoned_.push_back(std::move(attempt));
      if (outcome == kApart) {
        find_whom_it_reaches(Deadline::after(longest_connect));
        time_to_come = window + longest_connect;
      }
      continue;
    }
    ++round_;
    Gathering gathering{.members = {}, .transport = attempt->take()};
    for (const Member& member : members_)
      gathering.members.push_back(member.rank);
    return gathering;
  }
}

bool FinalRendezvous::has_begun() const {
  try {
    return has_begun(round_);
  } catch (const TransportError&) {
    return false;
  }
}

bool FinalRendezvous::has_begun(int round) const {
  return store_.add(net::come_count_key(round), 0) > 0;
}

void FinalRendezvous::come() {
  const auto mine = key(fmt::format("come/{}", self_.rank));
  store_.set(mine, std::to_string(self_.life));
  store_.add(net::come_count_key(round_), 1);
  store_.add(net::kNewsKey, 1);
}

FinalRendezvous::Members FinalRendezvous::agree(
    std::chrono::milliseconds window) {
  const auto list = key("list");
  int64_t count = 0;
  int64_t news = -1;
  const auto ask = [&]() -> std::optional<std::string> {
    // Some of those that this worker waits for may have found that what they
    // did before was enough.
    if (store_.get(kConcludedKey)) throw too_late();
    if (auto known = store_.get(list)) return known;
    // Not read again until a worker has come, or was lost.
    const int64_t count_now = store_.add(net::come_count_key(round_), 0);
    const int64_t news_now = store_.add(net::kNewsKey, 0);
    if (count_now == count && news_now == news) return std::nullopt;
    count = count_now;
    news = news_now;
    const Members members = present();
    if (!is_complete(members)) return std::nullopt;
    return store_.set_once(list, format(connectable(members)));
  };
  auto progress = progress_of_the_absent();
  while (true) {
    const auto text = poll(Deadline::after(window), ask);
    if (text) return parse(*text);
    const auto before = std::exchange(progress, progress_of_the_absent());
    if (progress.empty() || progress == before) break;
  }
  return parse(store_.set_once(list, format(connectable(present()))));
}

std::map<int, std::string> FinalRendezvous::progress_of_the_absent() const {
  const Members members = present();
  std::map<int, std::string> progress;
  for (int rank = 0; rank < self_.size; ++rank) {
    if (has(members, rank) || store_.get(net::lost_key(rank))) continue;
    const auto text = store_.get(net::progress_key(rank));
    if (text) progress[rank] = *text;
  }
  return progress;
}

FinalRendezvous::Members FinalRendezvous::present() const {
  Members members;
  for (int rank = 0; rank < self_.size; ++rank) {
    const auto life = store_.get(key(fmt::format("come/{}", rank)));
    if (life) members.push_back({rank, net::parse_count(*life)});
  }
  return members;
}

FinalRendezvous::Members FinalRendezvous::connectable(
    const Members& members) const {
  if (round_ == 0) return members;
  Reach reach;
  std::vector<int> ranks;
  for (const Member& member : members) {
    ranks.push_back(member.rank);
    const auto reached = last_reached(member);
    if (reached) reach[member.rank] = *reached;
  }
  const auto left = who_reach_each_other(std::move(ranks), reach);
  Members chosen;
  for (const Member& member : members) {
    if (std::ranges::binary_search(left, member.rank)) chosen.push_back(member);
  }
  return chosen;
}

// Who was left out of a round has tried in an earlier one.
std::optional<std::set<int>> FinalRendezvous::last_reached(
    const Member& member) const {
  for (int round = round_ - 1; round >= 0; --round) {
    const auto said =
        store_.get(key(round, fmt::format("reach/{}", member.rank)));
    if (!said) continue;
    std::istringstream stream(*said);
    std::string self;
    std::getline(stream, self);
    if (parse(self) != Members{member}) break; // of a former life
    return std::set<int>{
        std::istream_iterator<int>(stream),
        std::istream_iterator<int>()};
  }
  return std::nullopt;
}

// Else those who are in the next round already would take it for dead.
void FinalRendezvous::show_life() {
  if (!next_beat_.passed()) return;
  next_beat_ = Deadline::after(kBeat);
  store_.set(
      net::progress_key(self_.rank),
      fmt::format("round {}, beat {}", round_, ++beats_));
}

void FinalRendezvous::find_whom_it_reaches(Deadline deadline) {
  std::map<int, Member> others;
  std::vector<int> ranks;
  for (const Member& member : members_) {
    if (member.rank == self_.rank) continue;
    others[member.rank] = member;
    ranks.push_back(member.rank);
  }
  const auto& probe = probes_.emplace_back(std::make_unique<ReachProbe>(
      factory_,
      key("probe"),
      self_.rank,
      ranks,
      deadline));
  poll(deadline, [&] {
    show_life();
    return probe->is_over([&](int rank) { return !is_alive(others[rank]); });
  });
  std::string text = format({{self_.rank, self_.life}});
  for (const int rank : probe->reached())
    text += fmt::format("{} ", rank);
  store_.set(key(fmt::format("reach/{}", self_.rank)), text);
}

bool FinalRendezvous::is_complete(const Members& members) const {
  for (int rank = 0; rank < self_.size; ++rank) {
    const bool may_come = members_.empty() || has(members_, rank);
    if (!may_come || has(members, rank)) continue;
    if (!store_.get(net::lost_key(rank))) return false;
  }
  return true;
}

bool FinalRendezvous::has(const Members& members, int rank) {
  return std::ranges::find(members, rank, &Member::rank) != members.end();
}

std::unique_ptr<Attempt> FinalRendezvous::connect(
    const Members& members,
    Deadline deadline) {
  net::GroupSpec group;
  group.name = key("group");
  for (const Member& member : members) {
    if (member.rank == self_.rank)
      group.self = static_cast<int>(group.workers.size());
    group.workers.push_back(member.rank);
  }
  return std::make_unique<Attempt>(factory_, std::move(group), deadline);
}

std::string FinalRendezvous::settle(Attempt& attempt, Deadline deadline) {
  const auto outcome = key("outcome");
  bool has_said_so = false;
  int64_t news = -1;
  const auto word = poll(deadline, [&]() -> std::optional<std::string> {
    show_life();
    if (auto known = store_.get(outcome)) return known;
    const int64_t news_now = store_.add(net::kNewsKey, 0);
    if (std::exchange(news, news_now) != news_now && !are_alive(members_)) {
      return store_.set_once(outcome, kAgain);
    }
    if (!attempt.is_over()) return std::nullopt;
    if (!attempt.has_succeeded()) return store_.set_once(outcome, kApart);
    const int64_t connected = store_.add(key("connected"), has_said_so ? 0 : 1);
    has_said_so = true;
    if (connected < std::ssize(members_)) return std::nullopt;
    return store_.set_once(outcome, kGo);
  });
  return word ? *word : store_.set_once(outcome, kAgain);
}

bool FinalRendezvous::is_alive(const Member& member) const {
  return store_.add(net::life_key(member.rank), 0) == member.life &&
         !store_.get(net::lost_key(member.rank));
}

bool FinalRendezvous::are_alive(const Members& members) const {
  return std::ranges::all_of(members, [&](const Member& member) {
    return is_alive(member);
  });
}

std::string FinalRendezvous::await_outcome(Deadline deadline) {
  const auto word = poll(deadline, [&] {
    show_life();
    return store_.get(key("outcome"));
  });
  return word.value_or(kGo);
}

bool FinalRendezvous::await_next_round(
    const Members& members,
    Deadline deadline) {
  const auto alive = [&](const Member& member) { return is_alive(member); };
  const auto begins = poll(deadline, [&]() -> std::optional<bool> {
    show_life();
    if (store_.get(kConcludedKey)) return false;
    if (has_begun(round_ + 1) || std::ranges::none_of(members, alive)) {
      return true;
    }
    return std::nullopt;
  });
  return begins.value_or(false);
}

TransportError FinalRendezvous::too_late() const {
  return TransportError(fmt::format(
      "worker {} came too late: the others have finished without it",
      self_.rank));
}

std::optional<bool> FinalRendezvous::conclude() {
  const auto me = format({{self_.rank, self_.life}});
  try {
    return store_.set_once(kConcludedKey, me) == me;
  } catch (const TransportError&) {
    // Then those who come too late find out by their own clock.
    return std::nullopt;
  }
}

bool FinalRendezvous::is_concluded() const {
  try {
    return store_.get(kConcludedKey).has_value();
  } catch (const TransportError&) {
    return false;
  }
}

} // namespace grapevine::member
