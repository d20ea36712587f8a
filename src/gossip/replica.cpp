#include "gossip/replica.h"

#include "base/check.h"

#include <algorithm>

namespace grapevine::gossip {
namespace {

// Multiples of a block, so that the local rule can act on any piece.
std::vector<Range> cut(int64_t size, int64_t piece_bytes) {
  const int64_t wanted = piece_bytes / static_cast<int64_t>(sizeof(float));
  const int64_t length =
      std::max<int64_t>(1, wanted / tensor::kBlock) * tensor::kBlock;
  std::vector<Range> ranges;
  for (int64_t at = 0; at < size; at += length)
    ranges.push_back({at, std::min(size, at + length)});
  return ranges;
}

} // namespace

Replica::Replica(
    tensor::Arena& arena,
    const Dynamics& dynamics,
    int64_t piece_bytes)
    : arena_(arena),
      x_(arena.layout().size()),
      y_(dynamics.is_accelerated() ? arena.layout().size() : 0),
      before_(tensor::kBlock) {
  for (const Range& range : cut(arena.layout().size(), piece_bytes)) {
    pieces_.push_back(std::make_unique<Piece>());
    pieces_.back()->range = range;
    pieces_.back()->dynamics = dynamics;
  }
  begin_from(arena.parameters(), 0);
}

float Replica::share_until(const Piece& piece, double now) {
  const double tau = std::max(0.0, now - piece.flowed);
  return static_cast<float>(flow_share(piece.dynamics, tau));
}

float Replica::flow_until(Piece& piece, double now) {
  const float share = share_until(piece, now);
  piece.flowed = std::max(piece.flowed, now);
  return share;
}

tensor::GossipPlanes Replica::planes(Range range, float share) {
  return {
      .x = x_.data() + range.begin,
      .y = y_.size() > 0 ? y_.data() + range.begin : nullptr,
      .count = range.size(),
      .share = share};
}

void Replica::read(int index, double now, std::span<float> out) {
  const Piece& piece = *pieces_[index];
  GV_CHECK_EQ(static_cast<int64_t>(out.size()), piece.range.size());
  const std::lock_guard lock(piece.mutex);
  const float share = share_until(piece, now);
  tensor::gossip_read(planes(piece.range, share), out.data());
}

void Replica::pull(
    int index,
    double now,
    std::span<const float> mine,
    std::span<const float> theirs) {
  Piece& piece = *pieces_[index];
  GV_CHECK_EQ(static_cast<int64_t>(mine.size()), piece.range.size());
  GV_CHECK_EQ(mine.size(), theirs.size());
  const std::lock_guard lock(piece.mutex);
  const float share = flow_until(piece, now);
  tensor::gossip_pull(
      planes(piece.range, share),
      mine.data(),
      theirs.data(),
      static_cast<float>(piece.dynamics.alpha),
      static_cast<float>(piece.dynamics.alpha_y));
}

void Replica::set_dynamics(const Dynamics& dynamics, double now) {
  GV_CHECK_EQ(dynamics.is_accelerated(), y_.size() > 0);
  for (const auto& piece : pieces_) {
    const std::lock_guard lock(piece->mutex);
    // What has flowed so far did so by the old ones.
    const float share = flow_until(*piece, now);
    tensor::gossip_flow(planes(piece->range, share));
    piece->dynamics = dynamics;
  }
}

void Replica::take(int index, double now, std::span<const float> theirs) {
  Piece& piece = *pieces_[index];
  GV_CHECK_EQ(static_cast<int64_t>(theirs.size()), piece.range.size());
  const std::lock_guard lock(piece.mutex);
  set_values(piece, theirs.data(), now);
}

void Replica::refresh(double now) {
  copy_to(now, arena_.parameters());
}

void Replica::move(
    const algo::LocalRule& rule,
    const algo::StepInfo& info,
    double now) {
  for (const auto& piece : pieces_)
    move_piece(*piece, rule, info, now);
}

// Block by block, so that what the rule has touched is still in the cache when
// x and y follow.
void Replica::move_piece(
    Piece& piece,
    const algo::LocalRule& rule,
    const algo::StepInfo& info,
    double now) {
  const std::lock_guard lock(piece.mutex);
  const float share = flow_until(piece, now);
  float* const snapshot = arena_.parameters().data();
  for (int64_t at = piece.range.begin; at < piece.range.end;
       at += tensor::kBlock) {
    const Range block{at, std::min(piece.range.end, at + tensor::kBlock)};
    std::copy_n(snapshot + at, block.size(), before_.data());
    rule.update(arena_, block, info, {}, {});
    tensor::gossip_move(planes(block, share), before_.data(), snapshot + at);
  }
}

void Replica::copy_to(double now, std::span<float> out) {
  for (int p = 0; p < pieces(); ++p) {
    const Range piece = range(p);
    read(p, now, out.subspan(piece.begin, piece.size()));
  }
}

void Replica::begin_from(std::span<const float> values, double now) {
  GV_CHECK_EQ(static_cast<int64_t>(values.size()), x_.size());
  for (const auto& piece : pieces_) {
    const std::lock_guard lock(piece->mutex);
    set_values(*piece, values.data() + piece->range.begin, now);
  }
  std::copy_n(x_.data(), x_.size(), arena_.parameters().data());
}

void Replica::set_values(Piece& piece, const float* values, double now) {
  const int64_t begin = piece.range.begin;
  std::copy_n(values, piece.range.size(), x_.data() + begin);
  if (y_.size() > 0) std::copy_n(values, piece.range.size(), y_.data() + begin);
  piece.flowed = now;
}

double Replica::flowed() const {
  const std::lock_guard lock(pieces_.front()->mutex);
  return pieces_.front()->flowed;
}

void Replica::set_flowed(double moment) {
  for (const auto& piece : pieces_) {
    const std::lock_guard lock(piece->mutex);
    piece->flowed = moment;
  }
}

} // namespace grapevine::gossip
