#include "sim/recommend.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace grapevine::sim {
namespace {

constexpr int kRates = 25;
// Gains below this are not worth a change of the algorithm.
constexpr double kWorthwhile = 1.05;
// Beyond so many steps, replicas differ for as long as DBench's rings do.
constexpr double kSlowAgreement = 100;

std::string gain_text(double gain) {
  if (gain >= 0.995 && gain < 1.005) return "as fast as All-Reduce";
  return gain > 1 ? fmt::format("{:.2f} x faster than All-Reduce", gain)
                  : fmt::format("{:.2f} x slower than All-Reduce", 1 / gain);
}

std::string use_sentence(const Recommendation& it) {
  std::string text = fmt::format(
      "Use {} ({}): {} an iteration",
      it.use.candidate.label(),
      it.use.candidate.flags(),
      time_text(it.use.times.seconds));
  if (it.all_reduce && !it.use.candidate.is_all_reduce()) {
    text +=
        ", " + gain_text(it.all_reduce->times.seconds / it.use.times.seconds);
  }
  return text + ".";
}

std::string pay_sentence(const Recommendation& it) {
  if (!it.all_reduce) return "";
  const double gain = it.all_reduce->times.seconds / it.fastest.times.seconds;
  if (it.fastest.candidate.is_all_reduce()) {
    return it.n > 1 ? "Nothing that was compared is faster." : "";
  }
  if (it.use.candidate.is_all_reduce() || gain < kWorthwhile) {
    return fmt::format(
        "Decentralized training does not pay here: the fastest, {}, is {}.",
        it.fastest.candidate.label(),
        gain_text(gain));
  }
  return fmt::format(
      "All-Reduce waits {} an iteration for communication, {} waits {}.",
      time_text(it.all_reduce->times.exposed),
      it.use.candidate.label(),
      time_text(it.use.times.exposed));
}

// What packing would add to it, over Gloo.
std::string packing_sentence(
    const Recommendation& it,
    const Question& question) {
  if (question.packing || question.mover == Mover::kRings) return "";
  Question packed = question;
  packed.packing = true;
  packed.choices.algorithms = {it.use.candidate.algorithm};
  const Forecast forecast = predict(packed, {it.n});
  const auto row = std::ranges::find_if(forecast.rows, [&](const auto& found) {
    return found.candidate.label() == it.use.candidate.label();
  });
  if (row == forecast.rows.end()) return "";
  const double gain = it.use.times.seconds / row->times.seconds;
  if (gain < kWorthwhile) return "";
  return fmt::format(
      "Packed, which Gloo's messages can be (--packing), it takes {}.",
      time_text(row->times.seconds));
}

double straggler_share(const Prediction& prediction) {
  return prediction.times.straggler / prediction.times.seconds;
}

std::string straggler_sentence(const Recommendation& it) {
  const bool compares = it.all_reduce && !it.use.candidate.is_all_reduce();
  const double mine = straggler_share(it.use);
  const double theirs = compares ? straggler_share(*it.all_reduce) : 0;
  constexpr double kNothing = 0.01;
  if (mine < kNothing && theirs < kNothing) return "";
  std::string text = fmt::format(
      "Differences between workers and steps cost {:.0f} % of it",
      100 * mine);
  if (compares) {
    text += fmt::format(", and {:.0f} % of All-Reduce's", 100 * theirs);
  }
  return text + ".";
}

std::string agreement_sentence(const Recommendation& it) {
  const double steps = it.use.steps_to_agree;
  if (steps == 0) return "";
  if (!std::isfinite(steps)) {
    return "The graph is not connected: averaging never makes all replicas "
           "agree.";
  }
  std::string text = fmt::format(
      "Averaging makes the replicas' disagreement ten times smaller in {:.0f} "
      "steps (spectral gap {:.3g})",
      std::ceil(steps),
      it.use.spectrum.spectral_gap);
  text += steps > kSlowAgreement
              ? "; at this scale that has cost accuracy: compare a few epochs "
                "with All-Reduce before you trust it."
              : ".";
  return text;
}

std::vector<std::string> regime_sentences(const Recommendation& it) {
  std::vector<std::string> list;
  for (size_t r = 0; r < it.regimes.size(); ++r) {
    const Regime& regime = it.regimes[r];
    const bool is_first = r == 0;
    const bool is_last = r + 1 == it.regimes.size();
    const std::string where =
        is_first && is_last ? fmt::format(
                                  "From {} to {}",
                                  rate_text(regime.from),
                                  rate_text(regime.to))
        : is_first ? fmt::format("Below {}", rate_text(regime.to))
        : is_last  ? fmt::format("Above {}", rate_text(regime.from))
                   : fmt::format(
                        "From {} to {}",
                        rate_text(regime.from),
                        rate_text(regime.to));
    const bool is_here = regime.from <= it.rate && it.rate <= regime.to;
    std::string aside;
    if (is_here) {
      aside = " (your links)"; // of which the first sentence has the gain
    } else if (regime.gain && !regime.candidate.is_all_reduce()) {
      aside = fmt::format(", {} in the middle of it", gain_text(*regime.gain));
    }
    list.push_back(fmt::format(
        "{} the answer is {}{}.",
        where,
        regime.candidate.label(),
        aside));
  }
  return list;
}

void add_regimes(Recommendation& it, const Question& question) {
  Sweeper sweeper(question, it.n);
  const std::vector<double> rates = rates_around(it.rate, kRates);
  it.sweep = sweeper.sweep(rates);
  for (const auto& found : sweeper.regimes(rates)) {
    const double middle = std::sqrt(found.from * found.to);
    Regime regime{
        .from = found.from,
        .to = found.to,
        .candidate = sweeper.candidate(found.candidate),
        .seconds = sweeper.seconds(found.candidate, middle)};
    if (sweeper.candidate(0).is_all_reduce()) {
      regime.gain = sweeper.seconds(0, middle) / regime.seconds;
    }
    it.regimes.push_back(regime);
  }
}

} // namespace

std::string rate_text(double bytes_per_second) {
  if (!std::isfinite(bytes_per_second)) return "unlimited";
  double bits = 8 * bytes_per_second;
  for (const char* unit : {"bit/s", "kbit/s", "Mbit/s", "Gbit/s"}) {
    if (bits < 1000) return fmt::format("{:.3g} {}", bits, unit);
    bits /= 1000;
  }
  return fmt::format("{:.3g} Tbit/s", bits);
}

std::string time_text(double seconds) {
  constexpr double kRounding = 1e-12; // differences that are nothing
  const double size = std::abs(seconds);
  if (size < kRounding) return "0 ms";
  if (size >= 1) return fmt::format("{:.3g} s", seconds);
  if (size >= 1e-3) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} us", 1e6 * seconds);
}

Recommendation
recommend(const Question& question, const Forecast& forecast, int n) {
  std::vector<const Prediction*> rows;
  std::vector<double> seconds;
  std::vector<double> agree;
  for (const Prediction& row : forecast.rows) {
    if (row.candidate.graph.n != n) continue;
    rows.push_back(&row);
    seconds.push_back(row.times.seconds);
    agree.push_back(row.steps_to_agree);
  }
  if (rows.empty()) {
    throw ConfigError(
        fmt::format("no graph that was asked for fits n = {}", n));
  }
  Recommendation it{
      .n = n,
      .rate = link_rate(question, n),
      .use = *rows[choose(seconds, agree)],
      .fastest = *rows[std::ranges::min_element(seconds) - seconds.begin()]};
  const auto central = std::ranges::find_if(rows, [](const Prediction* row) {
    return row->candidate.is_all_reduce();
  });
  if (central != rows.end()) it.all_reduce = **central;
  add_regimes(it, question);

  it.sentences = {
      use_sentence(it),
      pay_sentence(it),
      packing_sentence(it, question),
      straggler_sentence(it),
      agreement_sentence(it)};
  std::erase(it.sentences, "");
  for (std::string& sentence : regime_sentences(it))
    it.sentences.push_back(std::move(sentence));
  return it;
}

} // namespace grapevine::sim
