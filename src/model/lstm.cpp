// A recurrent language model (Zaremba, Sutskever, Vinyals 2014), with the
// parameters of PyTorch's word_language_model example:
//
//   x(t)   = drop(encoder[token t])
//   x(t)   = drop(LSTM_l(x(t), state_l(t - 1)))          for every layer l
//   logits = decoder.weight x(t) + decoder.bias
//   LSTM:    i, f, o = sigmoid(W x + U h + b), g = tanh(…)
//            c <- f c + i g,   h <- o tanh(c)
//
// tied: decoder.weight is encoder.weight, which is kept once. Dropout stands
// on what enters and leaves a layer, never on what a layer hands to itself.
//
// Back-propagation through time is truncated to the window: in training a pass
// begins from the state that the pass before left for the same rows, without
// its gradient, or from zeros where a stream begins. The states lie in the
// buffers state_h and state_c, [layers, batch, width]; with batch 0 there are
// none, and every window begins from zeros.
#include "model/models.h"

#include "base/check.h"
#include "model/initial.h"
#include "model/layers.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>

namespace grapevine::model {
namespace {

struct Carried {
  torch::Tensor h; // [layers, B, width]
  torch::Tensor c;
};

// The parameters of torch.nn.LSTM, by its names.
class RecurrentImpl final : public torch::nn::Module {
 public:
  RecurrentImpl(int64_t layers, int64_t width) {
    for (int64_t i = 0; i < layers; ++i) {
      const auto add = [&](const char* name, std::vector<int64_t> shape) {
        parameters_of_.back().push_back(register_parameter(
            fmt::format("{}_l{}", name, i),
            torch::empty(shape)));
      };
      parameters_of_.emplace_back();
      add("weight_ih", {4 * width, width});
      add("weight_hh", {4 * width, width});
      add("bias_ih", {4 * width});
      add("bias_hh", {4 * width});
    }
  }

  int64_t layers() const { return static_cast<int64_t>(parameters_of_.size()); }

  // x [T, B, width]; h and c [1, B, width], replaced.
  torch::Tensor run(
      int64_t layer,
      const torch::Tensor& x,
      torch::Tensor& h,
      torch::Tensor& c) {
    auto [out, last_h, last_c] = torch::lstm(
        x,
        {h, c},
        parameters_of_[layer],
        /*has_biases=*/true,
        /*num_layers=*/1,
        /*dropout=*/0.0,
        is_training(),
        /*bidirectional=*/false,
        /*batch_first=*/false);
    h = last_h;
    c = last_c;
    return out;
  }

 private:
  std::vector<std::vector<torch::Tensor>> parameters_of_;
};
TORCH_MODULE(Recurrent);

// weight (unless tied) and bias.
struct DecoderImpl final : torch::nn::Module {
  DecoderImpl(int64_t classes, int64_t width, bool tied) {
    if (!tied) {
      weight = register_parameter("weight", torch::empty({classes, width}));
    }
    bias = register_parameter("bias", torch::empty({classes}));
  }
  torch::Tensor weight;
  torch::Tensor bias;
};
TORCH_MODULE(Decoder);

class Lstm final : public Model {
 public:
  Lstm(const ModelOptions& options, const LstmSize& size)
      : Model(options.name),
        dropout_(options.dropout),
        width_(size.width),
        encoder_(
            register_module("encoder", Table(options.classes, size.width))),
        rnn_(register_module("rnn", Recurrent(size.layers, size.width))),
        decoder_(register_module(
            "decoder",
            Decoder(options.classes, size.width, size.tied))) {
    if (options.batch == 0) return;
    const std::vector<int64_t> shape = {size.layers, options.batch, width_};
    state_h_ = register_buffer("state_h", torch::zeros(shape));
    state_c_ = register_buffer("state_c", torch::zeros(shape));
  }

  torch::Tensor forward(torch::Tensor input) override {
    const bool keeps = is_training() && state_h_.defined();
    const int64_t rows = input.size(0);
    Carried state = keeps && !pass().begins_stream ? kept(rows) : zeros(rows);
    const auto logits = run(input, state);
    if (keeps) keep(state);
    return logits;
  }

  torch::Tensor forward_from(
      torch::Tensor input,
      std::vector<torch::Tensor>& carried) override {
    Carried state = carried.empty() ? zeros(input.size(0))
                                    : Carried{carried[0], carried[1]};
    const auto logits = run(input, state);
    carried = {state.h, state.c};
    return logits;
  }

 private:
  Carried zeros(int64_t rows) const {
    const auto zero = torch::zeros(
        {rnn_->layers(), rows, width_},
        encoder_->weight.options());
    return {zero, zero};
  }

  // Copies: backward needs them after the buffers have moved on.
  Carried kept(int64_t rows) const {
    GV_CHECK_LE(pass().first_row + rows, state_h_.size(1));
    return {
        state_h_.narrow(1, pass().first_row, rows).clone(),
        state_c_.narrow(1, pass().first_row, rows).clone()};
  }

  void keep(const Carried& state) {
    const torch::NoGradGuard no_grad;
    const int64_t rows = state.h.size(1);
    GV_CHECK_LE(pass().first_row + rows, state_h_.size(1));
    state_h_.narrow(1, pass().first_row, rows).copy_(state.h);
    state_c_.narrow(1, pass().first_row, rows).copy_(state.c);
  }

  torch::Tensor drop(const torch::Tensor& x, uint64_t layer) const {
    return dropout(x, is_training() ? dropout_ : 0, chance(), layer);
  }

  torch::Tensor run(const torch::Tensor& input, Carried& state) {
    auto x = drop(torch::embedding(encoder_->weight, input.t()), 0);
    std::vector<torch::Tensor> last_h;
    std::vector<torch::Tensor> last_c;
    for (int64_t i = 0; i < rnn_->layers(); ++i) {
      auto h = state.h.narrow(0, i, 1);
      auto c = state.c.narrow(0, i, 1);
      x = drop(rnn_->run(i, x, h, c), static_cast<uint64_t>(i) + 1);
      last_h.push_back(h.detach());
      last_c.push_back(c.detach());
    }
    state = {torch::cat(last_h), torch::cat(last_c)};
    // Rows in the order of the labels: by sample, then by position.
    const auto rows = x.transpose(0, 1).reshape({-1, width_});
    const auto& weight =
        decoder_->weight.defined() ? decoder_->weight : encoder_->weight;
    return torch::linear(rows, weight, decoder_->bias);
  }

  double dropout_;
  int64_t width_;
  Table encoder_;
  Recurrent rnn_;
  Decoder decoder_;
  torch::Tensor state_h_;
  torch::Tensor state_c_;
};

} // namespace

std::shared_ptr<Model> make_lstm(
    const ModelOptions& options,
    const LstmSize& size) {
  auto model = std::make_shared<Lstm>(options, size);
  if (options.blank) return model;
  constexpr double kEmbedding = 0.1;
  const double layers = 1 / std::sqrt(static_cast<double>(size.width));
  set_values(
      *model,
      options.seed,
      [&](const std::string& name, const torch::Tensor&) -> InitialDraw {
        if (name == "decoder.bias") return constant(0);
        if (size.initial > 0) return uniform(size.initial);
        return uniform(name.starts_with("rnn.") ? layers : kEmbedding);
      });
  return model;
}

} // namespace grapevine::model
