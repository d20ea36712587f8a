#include "sim/recommend.h"

#include "base/check.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace grapevine::sim {
namespace {

constexpr int kRates = 25;
constexpr double kDefaultRate = 1.25e9; // 10 Gbit/s
constexpr double kReach = 100;
constexpr double kEndPrecision = 1.02;
constexpr int kMostSteps = 60; // of a search
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
      it.use.label(),
      it.use.flags(),
      time_text(it.use.times.seconds));
  if (it.use.gain && !it.use.is_all_reduce()) {
    text += ", " + gain_text(*it.use.gain);
  }
  return text + ".";
}

std::string pay_sentence(const Recommendation& it) {
  if (!it.all_reduce) return "";
  const double gain = *it.fastest.gain;
  if (it.fastest.is_all_reduce()) {
    return it.n > 1 ? "Nothing that was compared is faster." : "";
  }
  if (it.use.is_all_reduce() || gain < kWorthwhile) {
    return fmt::format(
        "Decentralized training does not pay here: the fastest, {}, is {}.",
        it.fastest.label(),
        gain_text(gain));
  }
  return fmt::format(
      "All-Reduce waits {} an iteration for communication, {} waits {}.",
      time_text(it.all_reduce->times.exposed),
      it.use.label(),
      time_text(it.use.times.exposed));
}

// What packing would add to it, over Gloo.
std::string packing_sentence(const Recommendation& it, const Query& query) {
  if (query.packing || query.rings) return "";
  Query packed = query;
  packed.packing = true;
  packed.algorithms = {it.use.algorithm};
  const auto rows = predict(packed, {it.n});
  const auto row = std::ranges::find(rows, it.use.label(), &Prediction::label);
  if (row == rows.end() || !row->impossible.empty()) return "";
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
  const bool compares = it.all_reduce && !it.use.is_all_reduce();
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

std::string regime_sentence(const Recommendation& it, size_t r) {
  const Regime& regime = it.regimes[r];
  const bool is_first = r == 0;
  const bool is_last = r + 1 == it.regimes.size();
  const std::string from = rate_text(regime.from);
  const std::string to = rate_text(regime.to);
  const std::string where = is_first == is_last
                                ? fmt::format("From {} to {}", from, to)
                            : is_first ? "Below " + to
                                       : "Above " + from;
  std::string aside;
  if (regime.from <= it.rate && it.rate <= regime.to) {
    aside = " (your links)"; // of which the first sentence has the gain
  } else if (regime.answer.gain && !regime.answer.is_all_reduce()) {
    aside =
        fmt::format(", {} in the middle of it", gain_text(*regime.answer.gain));
  }
  return fmt::format(
      "{} the answer is {}{}.",
      where,
      regime.answer.label(),
      aside);
}

void add_regimes(Recommendation& it, const Query& query) {
  Planner planner = search_planner(query, it.n);
  it.rates = rates_around(it.rate, kRates);
  it.candidates = planner.candidates();
  it.seconds.resize(it.candidates.size());
  for (const double rate : it.rates) {
    const std::vector<double>& seconds = planner.seconds_at(rate);
    for (size_t i = 0; i < seconds.size(); ++i)
      it.seconds[i].push_back(seconds[i]);
  }
  it.regimes = find_regimes(planner, it.rates);
}

} // namespace

Planner search_planner(const Query& query, int n) {
  Query shorter = query;
  shorter.steps = std::min(query.steps, kMostSteps);
  return Planner(shorter, n);
}

std::vector<double> rates_around(double rate, int count) {
  GV_CHECK(count >= 2);
  const double middle = std::isfinite(rate) ? rate : kDefaultRate;
  std::vector<double> rates;
  for (int i = 0; i < count; ++i) {
    const double place = 2.0 * i / (count - 1) - 1; // -1 to 1
    rates.push_back(middle * std::pow(kReach, place));
  }
  return rates;
}

int choose(
    const std::vector<double>& seconds,
    std::span<const Prediction> candidates) {
  GV_CHECK(!seconds.empty());
  const double limit = std::ranges::min(seconds) * (1 + kTie);
  const auto order = [&](int i) {
    return std::pair(candidates[i].steps_to_agree, seconds[i]);
  };
  int best = -1;
  for (int i = 0; i < std::ssize(seconds); ++i) {
    if (seconds[i] > limit) continue;
    if (best < 0 || order(i) < order(best)) best = i;
  }
  return best;
}

std::vector<Regime> find_regimes(
    Planner& planner,
    const std::vector<double>& rates) {
  const std::vector<Prediction>& candidates = planner.candidates();
  const auto answer = [&](double rate) {
    return choose(planner.seconds_at(rate), candidates);
  };
  std::vector<Regime> regimes;
  int last = -1;
  for (const double rate : rates) {
    const int now = answer(rate);
    if (now == last) {
      regimes.back().to = rate;
      continue;
    }
    double end = rate;
    if (last >= 0) {
      double low = regimes.back().to;
      while (end / low > kEndPrecision) {
        const double middle = std::sqrt(low * end);
        (answer(middle) == last ? low : end) = middle;
      }
      regimes.back().to = end;
    }
    regimes.push_back({.from = end, .to = rate, .answer = candidates[now]});
    last = now;
  }
  for (Regime& regime : regimes) {
    const std::vector<double>& seconds =
        planner.seconds_at(std::sqrt(regime.from * regime.to));
    const auto at = std::ranges::find(
        candidates,
        regime.answer.label(),
        &Prediction::label);
    regime.answer.times.seconds = seconds[at - candidates.begin()];
    if (candidates.front().is_all_reduce()) {
      regime.answer.gain = seconds.front() / regime.answer.times.seconds;
    }
  }
  return regimes;
}

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
recommend(const Query& query, std::span<const Prediction> predictions, int n) {
  std::vector<Prediction> rows;
  std::vector<double> seconds;
  for (const Prediction& row : predictions) {
    if (row.n() != n || !row.impossible.empty()) continue;
    rows.push_back(row);
    seconds.push_back(row.times.seconds);
  }
  if (rows.empty()) {
    throw ConfigError(
        fmt::format("no graph that was asked for fits n = {}", n));
  }
  Recommendation it{
      .n = n,
      .rate = link_rate(query, n),
      .use = rows[choose(seconds, rows)],
      .fastest = rows[std::ranges::min_element(seconds) - seconds.begin()]};
  const auto central = std::ranges::find_if(rows, &Prediction::is_all_reduce);
  if (central != rows.end()) it.all_reduce = *central;
  add_regimes(it, query);

  it.sentences = {
      use_sentence(it),
      pay_sentence(it),
      packing_sentence(it, query),
      straggler_sentence(it),
      agreement_sentence(it)};
  std::erase(it.sentences, "");
  for (size_t r = 0; r < it.regimes.size(); ++r)
    it.sentences.push_back(regime_sentence(it, r));
  return it;
}

} // namespace grapevine::sim
