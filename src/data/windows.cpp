#include "data/windows.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace grapevine::data {
namespace {

template <typename Token>
class Windows final : public Source {
 public:
  Windows(
      std::shared_ptr<const TokenText<Token>> text,
      int64_t begin,
      int64_t end,
      int64_t context)
      : text_(std::move(text)),
        begin_(begin),
        windows_((end - begin - 1) / context),
        context_(context) {
    GV_CHECK_GE(windows_, 1);
  }

  int64_t size() const override { return windows_; }
  std::vector<int64_t> sample_shape() const override { return {context_}; }
  int classes() const override { return text_->vocabulary; }
  bool has_tokens() const override { return true; }
  int64_t labels_per_sample() const override { return context_; }
  Reading reading() const override { return Reading::kStreams; }

 private:
  void fill(
      std::span<const int64_t> indices,
      Batch& batch,
      const Draw* /*draw*/) const override {
    int64_t* tokens = batch.tokens.data();
    int64_t* labels = batch.labels.data();
    for (const int64_t index : indices) {
      const Token* from = text_->tokens.data() + begin_ + index * context_;
      tokens = std::copy_n(from, context_, tokens);
      labels = std::copy_n(from + 1, context_, labels);
    }
  }

  std::shared_ptr<const TokenText<Token>> text_;
  int64_t begin_;
  int64_t windows_;
  int64_t context_;
};

} // namespace

std::shared_ptr<const Source> make_windows(
    std::shared_ptr<const TokenText<uint8_t>> text,
    int64_t begin,
    int64_t end,
    int64_t context) {
  return std::make_shared<Windows<uint8_t>>(
      std::move(text),
      begin,
      end,
      context);
}

std::shared_ptr<const Source> make_windows(
    std::shared_ptr<const TokenText<int32_t>> text,
    int64_t begin,
    int64_t end,
    int64_t context) {
  return std::make_shared<Windows<int32_t>>(
      std::move(text),
      begin,
      end,
      context);
}

} // namespace grapevine::data
