// The synthetic surface, and the loop that plays a strategy on it.
// SPDX-License-Identifier: Apache-2.0
#include "search/landscape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include <fmt/format.h>

namespace kw::search {
namespace {

// Purpose of a random number. It is part of the number's seed, so that draws for different purposes
// are independent.
enum class Draw : std::uint64_t { Optimum, Weight, Failure, Roughness, Noise };

constexpr double kPeak = 2.0;        // log of the ratio between a peak and the plain around it
constexpr double kHalfway = 0.25;    // squared distance at which half the depth is lost
constexpr double kRoughness = 0.02;  // amplitude of the fine structure that makes local peaks

Rng rng_for(Draw draw, std::uint64_t seed, int idea, std::uint64_t detail) {
  return Rng(Seed{seed * 8 + static_cast<std::uint64_t>(draw),
                  (static_cast<std::uint64_t>(idea) << 48) ^ detail});
}

std::vector<int> places(const KnobSpace& space, const KnobPoint& point) {
  std::vector<int> result;
  for (const KnobAxis& knob : space.knobs()) {
    const auto found = std::find(knob.values.begin(), knob.values.end(), point.at(knob.name));
    result.push_back(static_cast<int>(found - knob.values.begin()));
  }
  return result;
}

}  // namespace

Landscape::Landscape(const LandscapeOptions& options) : options_(options) {
  KW_ASSERT(options.ideas > 0 && options.knobs >= 0 && options.values > 0 && options.values < 62);
  for (int i = 0; i < options.ideas; ++i) {
    std::vector<KnobAxis> knobs;
    for (int k = 0; i > 0 && k < options.knobs; ++k) {
      KnobAxis knob{fmt::format("K{}", k), {}};
      for (int v = 0; v < options.values; ++v) knob.values.push_back(std::int64_t{1} << v);
      knobs.push_back(std::move(knob));
    }
    // A limit on the product of all knobs, as shared memory sets one, excludes the far corner.
    const double most = 0.75 * options.knobs * (options.values - 1);
    const auto fits = [most](const KnobPoint& point) {
      double sum = 0;
      for (const auto& [name, value] : point) sum += std::log2(static_cast<double>(value));
      return sum <= most;
    };
    ideas_.push_back({fmt::format("idea{}", i),
                      KnobSpace(std::move(knobs), fits),
                      {i % 2 == 0 ? "even" : "odd"}});
  }
}

LandscapePoint Landscape::truth(int idea, const KnobPoint& knobs) const {
  const KnobSpace& space = ideas_.at(static_cast<std::size_t>(idea)).space;
  if (!space.is_valid(knobs)) return {Outcome::CompileFailed, 0};
  const std::uint64_t number = space.number_of(knobs);
  if (number != 0 &&
      rng_for(Draw::Failure, options_.seed, idea, number).uniform() < options_.failure_share) {
    constexpr std::array kFates{Outcome::CompileFailed, Outcome::OutOfResources,
                                Outcome::WrongResult};
    return {kFates[number % kFates.size()], 0};
  }
  if (space.knobs().empty()) return {Outcome::Correct, 1};

  double distance = 0;  // squared distance from the idea's optimum, in units of the space
  double across = 0;    // interaction between neighbouring knobs
  double previous = 0;
  std::uint64_t k = 0;
  for (int place : places(space, knobs)) {
    Rng optimum = rng_for(Draw::Optimum, options_.seed, idea, k);
    Rng weight = rng_for(Draw::Weight, options_.seed, idea, k);
    const auto steps = static_cast<double>(std::max(options_.values - 1, 1));
    const double offset = place / steps - std::round(optimum.uniform(0, 0.75) * steps) / steps;
    distance += weight.uniform(0.3, 1.0) * offset * offset;
    across += 0.3 * offset * previous;
    previous = offset;
    ++k;
  }
  distance = std::max(0.0, distance + across);
  const double rank = static_cast<double>(idea) / std::max(options_.ideas - 1, 1);
  const double rough = rng_for(Draw::Roughness, options_.seed, idea, number).uniform(-1, 0);
  const double log_speedup = std::log(options_.best_speedup) * rank -
                             kPeak * distance / (distance + kHalfway) + kRoughness * rough;
  return {Outcome::Correct, std::exp(log_speedup)};
}

LandscapePoint Landscape::measure(int idea, const KnobPoint& knobs, double fidelity,
                                  std::uint64_t repeat) const {
  KW_ASSERT(fidelity > 0);
  LandscapePoint point = truth(idea, knobs);
  if (point.outcome != Outcome::Correct) return point;
  const std::uint64_t number = ideas_[static_cast<std::size_t>(idea)].space.number_of(knobs);
  const auto detail =
      number * 1000003 + static_cast<std::uint64_t>(fidelity * 1000) + (repeat << 32);
  Rng noise = rng_for(Draw::Noise, options_.seed, idea, detail);
  point.speedup *= std::exp(options_.noise / std::sqrt(fidelity) * noise.normal());
  return point;
}

double Landscape::best() const {
  double best = 0;
  for (std::size_t i = 0; i < ideas_.size(); ++i)
    for (std::uint64_t n = 0; n < ideas_[i].space.size(); ++n)
      best = std::max(best, truth(static_cast<int>(i), ideas_[i].space.at(n)).speedup);
  return best;
}

namespace {

/// The idea that is "written" for the nth ask for a source: every third source does not compile,
/// the others are the landscape's ideas in turn, at their first points.
std::optional<int> written_idea(std::size_t nth, const Landscape& landscape) {
  constexpr std::size_t kFailEvery = 3;
  if (nth % kFailEvery == 0) return std::nullopt;
  return static_cast<int>((nth - nth / kFailEvery - 1) % landscape.ideas().size());
}

Answer answer_from(const Landscape& landscape, Ask ask, std::size_t& written) {
  Answer answer;
  Tell& tell = answer.tell;
  tell.outcome = Outcome::CompileFailed;
  if (ask.role == Role::Write) {
    const auto idea = written_idea(++written, landscape);
    if (!idea) return answer;
    tell.idea = ask.idea = *idea;
    tell.written = landscape.ideas()[static_cast<std::size_t>(*idea)];
    ask.knobs = tell.written->space.first();
  }
  const LandscapePoint point = landscape.measure(ask.idea, ask.knobs, ask.fidelity);
  tell.outcome = point.outcome;
  tell.speedup.value = tell.speedup.low = tell.speedup.high = tell.reward = tell.merit =
      point.speedup;
  answer.truth = landscape.truth(ask.idea, ask.knobs).speedup;
  return answer;
}

}  // namespace

Play play(Strategy& strategy, const std::function<Answer(const Ask&)>& answer,
          const PlayOptions& options) {
  constexpr double kNewBest = 1.005;  // least gain of a win, as in measure::decision_line
  Play result;
  double incumbent = 0;
  std::deque<Ask> waiting;
  while (true) {
    while (waiting.size() < options.outstanding &&
           result.asks.size() + waiting.size() < options.evaluations) {
      auto ask = strategy.ask();
      if (!ask) break;
      waiting.push_back(std::move(*ask));
    }
    if (waiting.empty()) return result;
    const Ask ask = std::move(waiting.front());
    waiting.pop_front();
    Answer answered = answer(ask);
    Tell& tell = answered.tell;
    tell.ask = ask.id;
    if (tell.is_correct()) tell.outcome_class = OutcomeClass::NoGain;
    if (ask.fidelity == 1 && tell.speedup.value > kNewBest * incumbent) {
      tell.outcome_class = OutcomeClass::NewBest;
      incumbent = tell.speedup.value;
      result.best = answered.truth;
    }
    strategy.tell(tell);
    result.spent += ask.fidelity;
    result.best_after.push_back(result.best);
    result.asks.push_back({ask, std::move(tell)});
    if (options.on_tell) options.on_tell(result.asks.back());
  }
}

Play play(Strategy& strategy, const Landscape& landscape, const PlayOptions& options) {
  std::size_t written = 0;
  return play(
      strategy, [&](const Ask& ask) { return answer_from(landscape, ask, written); }, options);
}

}  // namespace kw::search
