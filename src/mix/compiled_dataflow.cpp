#include "mix/compiled_dataflow.h"

#include "base/check.h"
#include "tensor/kernels/mix_terms.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace grapevine::mix {

namespace {

constexpr int kNever = -1;

// Which scratch buffers are free; the last one freed is the warmest.
class Buffers {
 public:
  explicit Buffers(int first) : first_(first), end_(first) {}

  int take() {
    if (free_.empty()) return end_++;
    const int buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  void give(int buffer) { free_.push_back(buffer); }
  int made() const { return end_ - first_; }

 private:
  int first_;
  int end_;
  std::vector<int> free_;
};

// For each number of a dataflow: the last node that reads it, or kNever.
std::vector<int> last_reads(const Dataflow& dataflow) {
  std::vector<int> last(dataflow.n + dataflow.nodes.size(), kNever);
  for (size_t j = 0; j < dataflow.nodes.size(); ++j) {
    for (const int term : dataflow.nodes[j].terms) {
      GV_CHECK_LT(term, dataflow.n + static_cast<int>(j));
      last[term] = static_cast<int>(j);
    }
  }
  return last;
}

// For each node: the workers whose result it is.
std::vector<std::vector<int>> owners_of(const Dataflow& dataflow) {
  std::vector<std::vector<int>> owners(dataflow.nodes.size());
  for (int i = 0; i < dataflow.n; ++i) {
    const int result = dataflow.results[i];
    // Another worker's value unchanged would need a copy before that value
    // is replaced; no mixing asks for it.
    GV_CHECK(result == i || result >= dataflow.n);
    if (result >= dataflow.n) owners[result - dataflow.n].push_back(i);
  }
  return owners;
}

} // namespace

CompiledDataflow::CompiledDataflow(const Dataflow& dataflow) : n_(dataflow.n) {
  std::vector<int> last = last_reads(dataflow);
  const auto owners = owners_of(dataflow);
  const int nodes = static_cast<int>(dataflow.nodes.size());

  // Where each number lives, and how many copies of it are still owed.
  std::vector<int> where(n_ + nodes);
  for (int i = 0; i < n_; ++i)
    where[i] = i;
  std::vector<int> owed(n_ + nodes, 0);
  Buffers buffers(n_);

  const auto release = [&](int number, int now) {
    const bool done = last[number] <= now && owed[number] == 0;
    if (done && where[number] >= n_) buffers.give(where[number]);
  };

  for (int j = 0; j < nodes; ++j) {
    const int number = n_ + j;
    // The first owner whose value nobody needs after this node.
    int home = -1;
    for (const int owner : owners[j]) {
      if (last[owner] <= j) {
        home = owner;
        break;
      }
    }
    where[number] = home >= 0 ? home : buffers.take();
    emit(where[number], dataflow.nodes[j], where);
    for (const int owner : owners[j]) {
      if (owner == home) continue;
      if (last[owner] <= j) {
        emit_copy(owner, where[number]);
      } else {
        ++owed[number];
      }
    }
    // What this node read for the last time: a worker's value makes room for
    // that worker's result, a scratch buffer for anything.
    for (const int term : dataflow.nodes[j].terms) {
      if (last[term] != j) continue;
      last[term] = kNever; // once, however often it is a term
      if (term >= n_) {
        release(term, j);
        continue;
      }
      const int result = dataflow.results[term];
      if (result < n_ || result >= number) continue;
      emit_copy(term, where[result]);
      --owed[result];
      release(result, j);
    }
    if (last[number] == kNever) release(number, j);
  }
  scratch_buffers_ = buffers.made();
}

void CompiledDataflow::emit(
    int dst,
    const Dataflow::Node& node,
    const std::vector<int>& where) {
  const int count = static_cast<int>(node.terms.size());
  instructions_.push_back(
      {.dst = dst,
       .first_term = static_cast<int>(terms_.size()),
       .terms = count,
       .weighted = !node.weights.empty(),
       .scale = node.scale});
  for (int k = 0; k < count; ++k) {
    terms_.push_back(where[node.terms[k]]);
    weights_.push_back(node.weights.empty() ? 1 : node.weights[k]);
  }
  most_terms_ = std::max(most_terms_, count);
}

void CompiledDataflow::emit_copy(int dst, int src) {
  instructions_.push_back(
      {.dst = dst,
       .first_term = static_cast<int>(terms_.size()),
       .terms = 0,
       .weighted = false,
       .scale = 1});
  terms_.push_back(src);
  weights_.push_back(1);
}

void CompiledDataflow::run(
    std::span<float* const> values,
    int64_t count,
    float* scratch,
    int64_t stride) const {
  GV_CHECK_EQ(static_cast<int>(values.size()), n_);
  GV_CHECK_LE(count, stride);
  if (count == 0) return;
  const auto address = [&](int buffer) {
    return buffer < n_ ? values[buffer] : scratch + (buffer - n_) * stride;
  };
  std::array<const float*, 1024> few;
  std::vector<const float*> many;
  const float** terms = few.data();
  if (most_terms_ > static_cast<int>(few.size())) {
    many.resize(most_terms_);
    terms = many.data();
  }
  for (const Instruction& it : instructions_) {
    float* dst = address(it.dst);
    const int* sources = terms_.data() + it.first_term;
    if (it.terms == 0) {
      std::memcpy(dst, address(sources[0]), count * sizeof(float));
      continue;
    }
    for (int k = 0; k < it.terms; ++k)
      terms[k] = address(sources[k]);
    const auto number = static_cast<size_t>(it.terms);
    tensor::MixTerms sum{.terms = {terms, number}, .scale = it.scale};
    if (it.weighted) sum.weights = {weights_.data() + it.first_term, number};
    tensor::mixed_value(dst, sum, 0, count);
  }
}

} // namespace grapevine::mix
