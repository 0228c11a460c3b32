// Bayesian tuner: a Gaussian process of the speed, another of what works, and expected improvement.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "search/gaussian_process.h"
#include "search/knob_grid.h"
#include "search/methods.h"
#include "search/point_tuner.h"

namespace kw::search {
namespace {

// Chosen on the landscapes of bench/tuners.cc; the sizes keep a plan below 5 ms.
constexpr std::size_t kRemembered = 112;      // observations that a process is given
constexpr std::size_t kCandidates = 192;      // points whose improvement is computed at once
constexpr std::size_t kNearby = 96;           // of which at most so many around the best points
constexpr int kRefinements = 3;               // moves of the winner to a better neighbour
constexpr std::size_t kWholeSpace = 1 << 14;  // combinations of a space that is listed
constexpr double kWorthwhile = 0.002;  // expected gain (log) below which a point is not worth it
constexpr double kDoubtStep = 1.3;
constexpr double kMostDoubt = 2.5;  // it ends when nothing is worth it even so
constexpr double kDepth = 3;  // speeds are cut off at so many times the way from best to median

constexpr double kUsualNoise = 0.01;  // sd of the log of a speedup, where nothing says otherwise

double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }
double normal_share(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double expected_improvement(const Prediction& p, double best) {
  const double z = (p.mean - best) / p.deviation;
  return p.deviation * (z * normal_share(z) + normal_density(z));
}

// sd of the log of a speedup with an interval; what is usual where there is none.
double noise_of(const Speedup& speedup) {
  constexpr double kDeviations = 2.81;  // half an interval of 0.995
  if (speedup.low <= 0 || speedup.high <= speedup.low) return kUsualNoise;
  return std::log(speedup.high / speedup.low) / (2 * kDeviations);
}

// Sweeps of the hyperparameters that cost about a millisecond beside `points` observations.
int fitting_steps(std::size_t points) {
  constexpr double kFlops = 1.5e6;
  constexpr int kMost = 24;
  const auto n = static_cast<double>(points);
  return std::clamp(static_cast<int>(kFlops / (n * n * n / 3 + 30 * n * n + 1)), 1, kMost);
}

class Bayesian final : public PointTuner {
 public:
  Bayesian(const TuningJob& job, const StrategyOptions& options)
      : PointTuner(job, options.tuning_points),
        grid_(*job.space),
        rng_(job.seed),
        speed_(grid_, 1e-3),
        works_(grid_, 0.3) {
    if (job.space->size() <= kWholeSpace) listed_ = job.space->valid_points(kWholeSpace);
    const std::size_t knobs = job.space->knobs().size();
    designed_ = std::clamp<std::size_t>(knobs + 2, 3, 10);
    if (job.start_speedup > 0)
      observed_.push_back(
          {grid_.places_of(job.start), std::log(job.start_speedup), kUsualNoise, job.parent});
    begin();
  }

  std::string describe() const override {
    if (designed_ > 0) return fmt::format("{} spread points to go", designed_);
    return fmt::format("{} observations, {} failures, expecting {:+.1f} %", observed_.size(),
                       failed_.size(), 100 * std::expm1(expected_));
  }

 protected:
  std::optional<Plan> plan() override {
    if (designed_ > 0 || observed_.empty()) {
      if (designed_ > 0) --designed_;
      return spread_point();
    }
    return most_promising();
  }

  void observe(const KnobPoint& point, const Tell& tell) override {
    if (tell.is_correct() && tell.speedup.value > 0)
      observed_.push_back(
          {grid_.places_of(point), std::log(tell.speedup.value), noise_of(tell.speedup), tell.ask});
    else
      failed_.push_back(grid_.places_of(point));
  }

 private:
  struct Observation {
    Places at;
    double log_speedup;
    double noise;  // sd of log_speedup
    int ask;
  };

  struct Scored {
    Places at;
    double gain = -1;  // expected improvement times the chance that it works
  };

  // Of some points by lot, the one farthest from all that was asked.
  std::optional<Plan> spread_point() {
    constexpr int kLots = 24;
    std::vector<Places> known = pending_places();
    known.push_back(grid_.places_of(job().start));
    for (const Observation& o : observed_) known.push_back(o.at);
    known.insert(known.end(), failed_.begin(), failed_.end());
    std::optional<KnobPoint> farthest;
    double most = -1;
    for (int lot = 0; lot < kLots; ++lot) {
      auto point = untried().draw(rng_);
      if (!point) break;
      const Places here = grid_.places_of(*point);
      double nearest = HUGE_VAL;
      for (const Places& other : known) nearest = std::min(nearest, distance(here, other));
      if (nearest <= most) continue;
      most = nearest;
      farthest = std::move(point);
    }
    if (!farthest) return std::nullopt;
    std::string why = fmt::format("far from all others: {}", to_text(*farthest));
    return Plan{std::move(*farthest), job().parent, std::move(why)};
  }

  double distance(const Places& a, const Places& b) const {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
      sum += std::abs(grid_.position(k, a[k]) - grid_.position(k, b[k]));
    return sum;
  }

  std::vector<Places> pending_places() const {
    std::vector<Places> places;
    for (const KnobPoint& point : pending()) places.push_back(grid_.places_of(point));
    return places;
  }

  std::optional<Plan> most_promising() {
    fit();
    const Observation& leader = *std::max_element(
        observed_.begin(), observed_.end(),
        [](const auto& a, const auto& b) { return a.log_speedup < b.log_speedup; });
    const std::vector<Places> points = candidates();
    if (points.empty()) return std::nullopt;
    if (leader.ask != leader_) doubt_ = 1;
    leader_ = leader.ask;
    Scored best = best_of(points);
    // Where nothing seems worth it, the model may be too sure of itself.
    while (best.gain < kWorthwhile && doubt_ < kMostDoubt) {
      doubt_ *= kDoubtStep;
      best = best_of(points);
    }
    if (best.gain < kWorthwhile) return std::nullopt;
    for (int i = 0; i < kRefinements; ++i) {
      Scored nearby = best_of(one_knob_away(best.at));
      if (nearby.gain <= best.gain) break;
      best = std::move(nearby);
    }
    expected_ = best.gain;
    KnobPoint point = grid_.point_at(best.at);
    std::string why = fmt::format("expected gain {:.2f} % over {}: {}", 100 * std::expm1(expected_),
                                  leader.ask, to_text(point));
    return Plan{std::move(point), leader.ask, std::move(why)};
  }

  void fit() {
    std::vector<Places> points;
    std::vector<double> values;
    remember(points, values);
    speed_.fit(points, values, fitting_steps(points.size()));
    // Outstanding asks count as if they had come out as expected: the next looks elsewhere.
    const std::vector<Places> waiting = pending_places();
    if (!waiting.empty()) {
      for (const Prediction& p : speed_.predict(waiting)) values.push_back(p.mean);
      points.insert(points.end(), waiting.begin(), waiting.end());
      speed_.fit(points, values, 0);
    }
    // What the process does not explain is noise of the measurement, or roughness that belongs to
    // the point. Noise flatters the largest of many measurements, so a point is worth what was
    // predicted there and the rough share of the rest.
    const double noise = usual_noise();
    const double residual = speed_.residual();
    roughness_ = std::sqrt(std::max(0.0, residual * residual - noise * noise));
    const double share = roughness_ * roughness_ / std::max(1e-12, residual * residual);
    best_ = -HUGE_VAL;
    const std::vector<Prediction> known = speed_.predict(points);
    for (std::size_t i = 0; i < known.size(); ++i)
      best_ = std::max(best_, known[i].mean + share * (values[i] - known[i].mean));
    if (failed_.empty()) return;
    std::vector<double> labels(points.size() - waiting.size(), 1);
    points.resize(labels.size());
    const std::size_t oldest =
        failed_.size() > kRemembered / 2 ? failed_.size() - kRemembered / 2 : 0;
    points.insert(points.end(), failed_.begin() + static_cast<std::ptrdiff_t>(oldest),
                  failed_.end());
    labels.resize(points.size(), 0);
    works_.fit(std::move(points), std::move(labels), 1);
  }

  std::vector<const Observation*> fastest_first() const {
    std::vector<const Observation*> order;
    for (const Observation& o : observed_) order.push_back(&o);
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
      return a->log_speedup != b->log_speedup ? a->log_speedup > b->log_speedup : a->ask < b->ask;
    });
    return order;
  }

  // The median sd of the log of a measured speedup, from the tells' intervals.
  double usual_noise() const {
    std::vector<double> noise;
    for (const Observation& o : observed_) noise.push_back(o.noise);
    const auto middle = noise.begin() + static_cast<std::ptrdiff_t>(noise.size() / 2);
    std::nth_element(noise.begin(), middle, noise.end());
    return *middle;
  }

  // The faster half of what is remembered are the fastest, the rest a cut through all others. How
  // slow the slowest are is of no interest, and would stretch the scale.
  void remember(std::vector<Places>& points, std::vector<double>& values) const {
    const std::vector<const Observation*> order = fastest_first();
    const double top = order.front()->log_speedup;
    const double median = order[order.size() / 2]->log_speedup;
    const double floor = top - kDepth * std::max(top - median, 0.01);
    const std::size_t room =
        kRemembered - (failed_.empty() ? 0 : std::min(failed_.size(), kRemembered / 2));
    const std::size_t fastest = order.size() <= room ? order.size() : room / 2;
    const std::size_t others = std::min(room, order.size()) - fastest;
    for (std::size_t i = 0; i < fastest + others; ++i) {
      const std::size_t rank =
          i < fastest ? i : fastest + (i - fastest) * (order.size() - fastest) / others;
      points.push_back(order[rank]->at);
      values.push_back(std::max(floor, order[rank]->log_speedup));
    }
  }

  // The whole space where it is small; else points by lot and points around the fastest.
  std::vector<Places> candidates() {
    std::vector<Places> result;
    std::erase_if(listed_, [&](const KnobPoint& p) { return !untried().contains(p); });
    if (!listed_.empty() && listed_.size() <= kCandidates) {
      for (const KnobPoint& point : listed_) result.push_back(grid_.places_of(point));
      return result;
    }
    std::set<Places> seen;
    const std::vector<const Observation*> fastest = fastest_first();
    constexpr std::size_t kLeaders = 4;
    for (std::size_t i = 0; i < std::min(kLeaders, fastest.size()); ++i) {
      std::vector<Places> around = one_knob_away(fastest[i]->at);
      rng_.shuffle(std::span(around));
      for (Places& p : around)
        if (result.size() < kNearby * (i + 1) / kLeaders && seen.insert(p).second)
          result.push_back(std::move(p));
    }
    for (std::size_t lot = 0; lot < kCandidates && result.size() < kCandidates; ++lot) {
      const auto point = listed_.empty()
                             ? untried().draw(rng_)
                             : listed_[static_cast<std::size_t>(rng_.below(listed_.size()))];
      if (!point) break;
      Places places = grid_.places_of(*point);
      if (seen.insert(places).second) result.push_back(std::move(places));
    }
    return result;
  }

  // Untried points that differ in one knob.
  std::vector<Places> one_knob_away(const Places& from) {
    constexpr std::size_t kMostOfOneKnob = 8;
    std::vector<Places> result;
    for (std::size_t k = 0; k < from.size(); ++k) {
      const std::size_t count = grid_.values(k);
      const std::size_t first = from[k] > kMostOfOneKnob / 2 ? from[k] - kMostOfOneKnob / 2 : 0;
      for (std::size_t v = first; v < std::min(count, first + kMostOfOneKnob + 1); ++v) {
        if (v == from[k]) continue;
        Places other = from;
        other[k] = static_cast<std::uint16_t>(v);
        if (untried().contains(grid_.point_at(other))) result.push_back(std::move(other));
      }
    }
    return result;
  }

  Scored best_of(std::vector<Places> points) const {
    Scored best;
    if (points.empty()) return best;
    const std::vector<Prediction> speeds = speed_.predict(points);
    std::vector<Prediction> works;
    if (!failed_.empty()) works = works_.predict(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      double gain = expected_improvement(
          {speeds[i].mean, doubt_ * std::hypot(speeds[i].deviation, roughness_)}, best_);
      if (!works.empty()) gain *= chance_of_working(works[i]);
      if (gain > best.gain) best = {points[i], gain};
    }
    return best;
  }

  // Labels are 1 for what worked and 0 for what failed; halfway is even odds.
  static double chance_of_working(const Prediction& label) {
    constexpr double kBlur = 0.15;  // of the boundary
    return normal_share((label.mean - 0.5) / std::hypot(label.deviation, kBlur));
  }

  const KnobGrid grid_;
  Rng rng_;
  std::size_t designed_ = 0;       // spread points still to ask for
  std::vector<KnobPoint> listed_;  // untried points of a small space
  std::vector<Observation> observed_;
  std::vector<Places> failed_;
  GaussianProcess speed_;
  GaussianProcess works_;
  double roughness_ = 0;  // sd of the log speed of neighbours, beyond what is smooth
  double best_ = 0;       // log speedup to improve on
  double expected_ = 0;   // gain of the last plan
  double doubt_ = 1;      // factor on all deviations; 1 again after each new best
  int leader_ = 0;        // ask of the fastest observation
};

}  // namespace

std::unique_ptr<Strategy> make_bayesian(const TuningJob& job, const StrategyOptions& options) {
  return std::make_unique<Bayesian>(job, options);
}

}  // namespace kw::search
