// The network of model/gpt.cpp in plain loops, to compare with.
#pragma once

#include "model/models.h"

#include <torch/torch.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace grapevine::model {

// Over one sample, in double.
class GptReference {
 public:
  using Row = std::vector<double>;
  using Rows = std::vector<Row>;

  GptReference(Model& model, const GptSize& size)
      : size_(size),
        values_(model.named_parameters()) {}

  Rows logits(const std::vector<int64_t>& sample) const {
    Rows x;
    for (size_t t = 0; t < sample.size(); ++t) {
      x.push_back(
          sum(row("wte.weight", sample[t]),
              row("wpe.weight", static_cast<int64_t>(t))));
    }
    for (int layer = 0; layer < size_.layers; ++layer) {
      const std::string block = "h." + std::to_string(layer) + ".";
      Rows normed;
      for (const Row& at : x)
        normed.push_back(norm(block + "ln_1", at));
      const Rows seen = attention(block + "attn.", normed);
      for (size_t t = 0; t < x.size(); ++t) {
        x[t] = sum(x[t], linear(block + "attn.c_proj", seen[t]));
        Row inner = linear(block + "mlp.c_fc", norm(block + "ln_2", x[t]));
        for (double& u : inner)
          u = gelu(u);
        x[t] = sum(x[t], linear(block + "mlp.c_proj", inner));
      }
    }
    Rows result;
    for (const Row& at : x) {
      const Row last = norm("ln_f", at);
      Row logits;
      for (int64_t word = 0; word < values_["wte.weight"].size(0); ++word)
        logits.push_back(dot(row("wte.weight", word), last));
      result.push_back(logits);
    }
    return result;
  }

 private:
  Row row(const std::string& name, int64_t index) const {
    const auto values = values_[name][index].contiguous();
    const auto* data = values.data_ptr<double>();
    return {data, data + values.numel()};
  }
  Row vector(const std::string& name) const {
    const auto* data = values_[name].data_ptr<double>();
    return {data, data + values_[name].numel()};
  }
  static Row sum(Row a, const Row& b) {
    for (size_t i = 0; i < a.size(); ++i)
      a[i] += b[i];
    return a;
  }
  static double dot(const Row& a, const Row& b) {
    double result = 0;
    for (size_t i = 0; i < a.size(); ++i)
      result += a[i] * b[i];
    return result;
  }
  Row linear(const std::string& name, const Row& x) const {
    Row y = vector(name + ".bias");
    for (size_t i = 0; i < y.size(); ++i)
      y[i] += dot(row(name + ".weight", static_cast<int64_t>(i)), x);
    return y;
  }
  Row norm(const std::string& name, const Row& x) const {
    const Row scale = vector(name + ".weight");
    const Row shift = vector(name + ".bias");
    const auto count = static_cast<double>(x.size());
    double mean = 0;
    for (const double value : x)
      mean += value / count;
    double variance = 0;
    for (const double value : x)
      variance += (value - mean) * (value - mean) / count;
    Row y;
    for (size_t i = 0; i < x.size(); ++i) {
      y.push_back(
          (x[i] - mean) / std::sqrt(variance + 1e-5) * scale[i] + shift[i]);
    }
    return y;
  }
  static double gelu(double u) {
    const double inner =
        std::sqrt(2 / std::numbers::pi) * (u + 0.044715 * u * u * u);
    return 0.5 * u * (1 + std::tanh(inner));
  }
  Rows attention(const std::string& name, const Rows& x) const {
    const size_t width = size_.width;
    const size_t depth = width / size_.heads;
    Rows qkv;
    for (const Row& at : x)
      qkv.push_back(linear(name + "c_attn", at));
    Rows result(x.size(), Row(width));
    for (int head = 0; head < size_.heads; ++head) {
      for (size_t t = 0; t < x.size(); ++t) {
        Row weights;
        double total = 0;
        for (size_t s = 0; s <= t; ++s) {
          double score = 0;
          for (size_t d = 0; d < depth; ++d) {
            score +=
                qkv[t][head * depth + d] * qkv[s][width + head * depth + d];
          }
          weights.push_back(
              std::exp(score / std::sqrt(static_cast<double>(depth))));
          total += weights.back();
        }
        for (size_t s = 0; s <= t; ++s) {
          for (size_t d = 0; d < depth; ++d) {
            result[t][head * depth + d] +=
                weights[s] / total * qkv[s][2 * width + head * depth + d];
          }
        }
      }
    }
    return result;
  }

  GptSize size_;
  torch::OrderedDict<std::string, torch::Tensor> values_;
};

} // namespace grapevine::model
