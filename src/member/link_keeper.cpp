#include "member/link_keeper.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace grapevine::member {
namespace {

using Phase = Handshake::Phase;
using std::chrono::milliseconds;

// A key for each life, so that one that was thought dead and lives cannot
// write over the notes of its successor.
std::string note_key(int rank, int64_t life) {
  return fmt::format("note/{}/{}", rank, life);
}

// Between tries that fail: 0.2, 0.4, … 3.2 s.
milliseconds pause_after(int failures) {
  return milliseconds(100) * (1 << std::min(failures + 1, 5));
}

} // namespace

LinkKeeper::LinkKeeper(
    net::KeyValueStore& store,
    net::GroupFactory& factory,
    Options options)
    : store_(store),
      factory_(factory),
      options_(std::move(options)) {
  for (const int rank : options_.neighbours) {
    neighbours_.push_back(
        {.rank = rank,
         .handshake = Handshake(options_.rank, options_.life, rank)});
  }
  thread_ = std::thread([this] { run(); });
}

LinkKeeper::~LinkKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
  // All at once: each may take a while to notice.
  for (Neighbour& neighbour : neighbours_) {
    if (neighbour.attempt != nullptr) neighbour.attempt->cancel();
  }
  for (Neighbour& neighbour : neighbours_)
    neighbour.attempt.reset();
}

std::deque<LinkEvent> LinkKeeper::take_events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

std::vector<int> LinkKeeper::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void LinkKeeper::lose(int rank, int64_t link) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(events_, [&](const LinkEvent& event) {
      return event.rank == rank && event.link == link;
    });
    losses_.emplace_back(rank, link);
    is_awake_ = true;
  }
  changed_.notify_all();
}

void LinkKeeper::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    is_awake_ = false;
    lock.unlock();
    try {
      look();
    } catch (const TransportError&) {
      // The store is out of reach: present links stay, and it is tried again.
      news_ = -1;
    }
    lock.lock();
    changed_.wait_for(lock, options_.period, [this] {
      return stop_ || is_awake_;
    });
  }
}

void LinkKeeper::look() {
  take_losses();
  for (Neighbour& neighbour : neighbours_)
    finish_attempt(neighbour);
  if (is_superseded_) return;
  read_store();
  if (is_superseded_) return;
  for (Neighbour& neighbour : neighbours_)
    act(neighbour);
  publish();
  publish_progress();
}

void LinkKeeper::take_losses() {
  std::vector<std::pair<int, int64_t>> losses;
  {
    const std::lock_guard lock(mutex_);
    losses.swap(losses_);
  }
  for (const auto& [rank, link] : losses) {
    for (Neighbour& neighbour : neighbours_) {
      const bool is_at_hand = neighbour.rank == rank &&
                              neighbour.link == link &&
                              neighbour.handshake.phase() == Phase::kLinked;
      if (is_at_hand) neighbour.handshake.lost();
    }
  }
}

void LinkKeeper::finish_attempt(Neighbour& neighbour) {
  if (neighbour.attempt == nullptr || !neighbour.attempt->is_over()) return;
  auto transport = neighbour.attempt->take();
  neighbour.attempt.reset();
  if (transport == nullptr) {
    neighbour.handshake.failed();
    ++neighbour.failures;
    return;
  }
  neighbour.failures = 0;
  if (!neighbour.handshake.connected() || is_superseded_) return;
  neighbour.link = ++links_;
  const std::lock_guard lock(mutex_);
  events_.push_back(
      {.rank = neighbour.rank,
       .link = neighbour.link,
       .why = fmt::format("life {}", neighbour.handshake.peer_life()),
       .transport = std::move(transport)});
}

void LinkKeeper::read_store() {
  const int64_t news = store_.add(net::kNewsKey, 0);
  if (news == news_) return;
  if (store_.add(net::life_key(options_.rank), 0) > options_.life) {
    leave_to_successor();
    return;
  }
  for (Neighbour& neighbour : neighbours_) {
    const int64_t life = store_.add(net::life_key(neighbour.rank), 0);
    const auto text =
        life > 0 ? store_.get(note_key(neighbour.rank, life)) : std::nullopt;
    neighbour.note = parse_note(life, text.value_or(""));
    const auto mark = store_.get(net::lost_key(neighbour.rank)).value_or("");
    if (mark == neighbour.lost_mark) continue;
    neighbour.lost_mark = mark;
    if (neighbour.handshake.phase() != Phase::kLinked) continue;
    close(neighbour, mark);
    neighbour.handshake.lost();
  }
  read_who_has_ended();
  others_gather_ = store_.add(net::come_count_key(0), 0) > 0;
  news_ = news; // only now: a store that fails is read again
}

void LinkKeeper::read_who_has_ended() {
  const int64_t count = store_.add(net::kLostCountKey, 0);
  if (count == lost_count_) return;
  std::vector<int> ended;
  for (int rank = 0; rank < options_.size; ++rank) {
    if (store_.get(net::lost_key(rank))) ended.push_back(rank);
  }
  lost_count_ = count;
  const std::lock_guard lock(mutex_);
  ended_ = std::move(ended);
}

void LinkKeeper::act(Neighbour& neighbour) {
  const Handshake::Step step = neighbour.handshake.read(neighbour.note);
  if (step.cancel) neighbour.attempt->cancel();
  if (step.close) close(neighbour, step.why);
  if (step.connect) begin_attempt(neighbour);
}

void LinkKeeper::begin_attempt(Neighbour& neighbour) {
  net::GroupSpec group;
  group.name = neighbour.handshake.link_name();
  group.workers = {
      std::min(options_.rank, neighbour.rank),
      std::max(options_.rank, neighbour.rank)};
  group.self = options_.rank < neighbour.rank ? 0 : 1;
  const auto wake = [this] {
    {
      const std::lock_guard lock(mutex_);
      is_awake_ = true;
    }
    changed_.notify_all();
  };
  try {
    neighbour.attempt = std::make_unique<Attempt>(
        factory_,
        std::move(group),
        Deadline::after(options_.connect_seconds),
        pause_after(neighbour.failures),
        wake);
  } catch (const std::system_error&) { // no thread for it now
    neighbour.handshake.failed();
    ++neighbour.failures;
  }
}

void LinkKeeper::close(Neighbour& neighbour, const std::string& why) {
  const std::lock_guard lock(mutex_);
  const auto is_of_link = [&](const LinkEvent& event) {
    return event.rank == neighbour.rank && event.link == neighbour.link;
  };
  if (std::erase_if(events_, is_of_link) > 0) return; // not told yet
  const auto loss = std::pair(neighbour.rank, neighbour.link);
  if (std::ranges::find(losses_, loss) != losses_.end()) return; // all know
  events_.push_back(
      {.rank = neighbour.rank, .link = neighbour.link, .why = why});
}

void LinkKeeper::publish() {
  WorkerNote note{.life = options_.life};
  for (const Neighbour& neighbour : neighbours_)
    note.edges[neighbour.rank] = neighbour.handshake.note();
  const auto text = format_note(note);
  if (is_published_ && text == published_) return;
  store_.set(note_key(options_.rank, options_.life), text);
  store_.add(net::kNewsKey, 1);
  published_ = text;
  is_published_ = true;
}

// For those who have gathered already; until then none looks at it.
void LinkKeeper::publish_progress() {
  const int64_t progress = progress_;
  if (!others_gather_ || progress == published_progress_) return;
  store_.set(net::progress_key(options_.rank), std::to_string(progress));
  published_progress_ = progress;
}

void LinkKeeper::leave_to_successor() {
  is_superseded_ = true;
  for (Neighbour& neighbour : neighbours_) {
    if (neighbour.attempt != nullptr) neighbour.attempt->cancel();
    if (neighbour.handshake.phase() != Phase::kLinked) continue;
    close(neighbour, "a newer life of this worker has come");
    neighbour.handshake.lost();
  }
}

} // namespace grapevine::member
