#include "net/local/hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace grapevine::net {
namespace {

int receiver_of(const LocalOperation& operation) {
  return operation.direction == Direction::kRecv ? operation.owner
                                                 : operation.peer;
}

bool are_partners(const LocalOperation& a, const LocalOperation& b) {
  return a.direction != b.direction && a.owner == b.peer && a.peer == b.owner &&
         a.tag == b.tag;
}

std::string left_message(int rank, const std::string& reason) {
  return fmt::format("worker {} is gone ({})", rank, reason);
}

} // namespace

LocalHub::LocalHub(int size) : members_(size) {
  // As many as a pair usually has in flight, so that none allocates later.
  constexpr size_t kListed = 64;
  for (Member& member : members_)
    member.listed.reserve(kListed);
}

void LocalHub::post(LocalOperation& operation) {
  std::unique_lock lock(mutex_);
  for (const int rank : {operation.owner, operation.peer}) {
    if (!members_[rank].left) continue;
    fail(operation, left_message(rank, members_[rank].reason));
    return;
  }
  LocalOperation* partner = take_partner(operation);
  if (partner == nullptr) {
    operation.state = State::kListed;
    members_[receiver_of(operation)].listed.push_back(&operation);
    return;
  }
  const bool sending = operation.direction == Direction::kSend;
  const LocalOperation& from = sending ? operation : *partner;
  const LocalOperation& to = sending ? *partner : operation;
  if (!fits(from.length, to.length, to.may_be_shorter)) {
    const auto error = fmt::format(
        "lengths differ: worker {} has {} bytes, worker {} has {}",
        operation.owner,
        operation.length,
        partner->owner,
        partner->length);
    fail(operation, error);
    fail(*partner, error);
    return;
  }

  partner->state = State::kCopying;
  Member& other = members_[partner->owner];
  ++other.copies;
  lock.unlock();
  if (from.length > 0) std::memcpy(to.data, from.data, from.length);
  lock.lock();
  --other.copies;
  operation.state = State::kDone;
  partner->state = State::kDone;
  other.changed.notify_all();
}

bool LocalHub::finished(const LocalOperation& operation) {
  const std::lock_guard lock(mutex_);
  return operation.state == State::kDone || operation.state == State::kFailed;
}

bool LocalHub::wait(const LocalOperation& operation, Deadline deadline) {
  std::unique_lock lock(mutex_);
  Member& owner = members_[operation.owner];
  while (operation.state == State::kListed) {
    if (deadline.passed()) return false;
    // A millisecond more than is left: remaining() rounds down.
    owner.changed.wait_for(
        lock,
        deadline.remaining() + std::chrono::milliseconds(1));
  }
  // A copy that has begun ends soon, whatever the deadline says.
  owner.changed.wait(lock, [&] { return operation.state != State::kCopying; });
  return true;
}

void LocalHub::leave(int rank, const std::string& reason) {
  std::unique_lock lock(mutex_);
  Member& member = members_[rank];
  if (!member.left) {
    member.left = true;
    member.reason = reason;
    fail_operations_with(rank);
  }
  member.changed.wait(lock, [&] { return member.copies == 0; });
}

LocalOperation* LocalHub::take_partner(const LocalOperation& operation) {
  auto& listed = members_[receiver_of(operation)].listed;
  const auto found =
      std::find_if(listed.begin(), listed.end(), [&](LocalOperation* other) {
        return are_partners(operation, *other);
      });
  if (found == listed.end()) return nullptr;
  LocalOperation* partner = *found;
  listed.erase(found);
  return partner;
}

void LocalHub::fail(LocalOperation& operation, const std::string& error) {
  operation.state = State::kFailed;
  operation.error = error;
  members_[operation.owner].changed.notify_all();
}

void LocalHub::fail_operations_with(int rank) {
  const auto error = left_message(rank, members_[rank].reason);
  for (Member& receiver : members_) {
    std::erase_if(receiver.listed, [&](LocalOperation* operation) {
      const bool concerned =
          operation->owner == rank || operation->peer == rank;
      if (concerned) fail(*operation, error);
      return concerned;
    });
  }
}

} // namespace grapevine::net
