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

// Chosen on the landscapes of bench/tuners.cc; the sizes keep the mean time of a plan below 0.1 ms.
constexpr std::size_t kRemembered = 112;  // observations that a fit gets
constexpr std::size_t kPool = 192;        // points that are considered between two fits
constexpr std::size_t kNearby = 96;       // limit of pool points around the best points
constexpr std::size_t kFresh = 8;         // random points that join the pool with each plan
constexpr int kRefinements = 3;           // times that the neighbours of a winner join the pool
constexpr double kGrowth = 1.12;  // growth of the number of observations from one fit to the next
constexpr int kMostFittingSteps = 40;  // steps of the hyperparameters in one fit
// The smallest expected gain, in log speed, for which a point is measured.
constexpr double kWorthwhile = 0.002;
constexpr double kDoubtStep = 1.3;
// If no point is worth a measurement even with all deviations multiplied by this, the tuner ends.
constexpr double kMostDoubt = 3;
// Log speeds that are below the best by more than this many times the distance from best to median
// are cut off.
constexpr double kDepth = 3;

constexpr double kUsualNoise = 0.01;  // deviation of the log of a speedup, if there is no interval

double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }
double normal_share(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// The standard deviation of a sum of two independent terms, at a tenth of the cost of std::hypot,
// which guards against overflow.
double both(double a, double b) { return std::sqrt(a * a + b * b); }

double expected_improvement(const Prediction& p, double best) {
  constexpr double kHopeless = -6;  // in deviations: the expected gain is less than a billionth
  const double z = (p.mean - best) / p.deviation;
  if (z < kHopeless) return 0;
  return p.deviation * (z * normal_share(z) + normal_density(z));
}

// An upper bound of expected_improvement() without exp and erfc: for z below 0 the improvement is
// less than the density over z squared, and exp(-x) is at most 1 / (1 + x).
double most_improvement(const Prediction& p, double best) {
  const double z = (p.mean - best) / p.deviation;
  const double density = 0.39894229 / (1 + 0.5 * z * z);
  return p.deviation * (z > 0 ? z + density : density / std::max(1.0, z * z));
}

// Standard deviation of the log of a speedup, from its interval; kUsualNoise if there is no
// interval.
double noise_of(const Speedup& speedup) {
  constexpr double kDeviations = 2.81;  // half the width of a 99.5 % interval, in deviations
  if (speedup.low <= 0 || speedup.high <= speedup.low) return kUsualNoise;
  return std::log(speedup.high / speedup.low) / (2 * kDeviations);
}

// The number of hyperparameter steps that take about half a millisecond with `points` observations.
int fitting_steps(std::size_t points) {
  constexpr double kFlops = 1e6;
  const auto n = static_cast<double>(points);
  return std::clamp(static_cast<int>(kFlops / (n * n * n / 3 + 10 * n * n + 1)), 1,
                    kMostFittingSteps);
}

class Bayesian final : public PointTuner {
 public:
  Bayesian(const TuningJob& job, const StrategyOptions& options)
      : PointTuner(job, options.tuning_points),
        grid_(*job.space),
        rng_(job.seed),
        speed_(grid_, 1e-3),
        works_(grid_, 0.3) {
    const std::size_t knobs = job.space->knobs().size();
    designed_ = std::clamp<std::size_t>(knobs + 2, 3, 10);
    if (job.start_merit > 0)
      observed_.push_back(
          {grid_.places_of(job.start), std::log(job.start_merit), kUsualNoise, job.parent});
    begin();
  }

  std::string describe() const override {
    if (designed_ > 0) return fmt::format("{} spread points to go", designed_);
    return fmt::format("{} observations, {} failures, expecting {:+.1f} %", observed_.size(),
                       failed_.size(), 100 * std::expm1(expected_));
  }

 protected:
  std::optional<PlannedPoint> plan() override {
    if (designed_ > 0 || observed_.empty()) {
      if (designed_ > 0) --designed_;
      return spread_point();
    }
    return most_promising();
  }

  void observe(const KnobPoint& point, const Tell& tell) override {
    Places at = grid_.places_of(point);
    if (tell.is_correct() && tell.merit > 0) {
      const double log_merit = std::log(tell.merit);
      if (is_fitted()) {
        values_.push_back(std::max(floor_, log_merit));
        speed_.add(at, values_.back());
        if (knows_failures_) works_.add(at, 1);
      }
      observed_.push_back({std::move(at), log_merit, noise_of(tell.speedup), tell.ask});
    } else {
      if (knows_failures_) works_.add(at, 0);
      // The process that predicts which points work is needed only from the first failure on, so
      // fit then.
      if (is_fitted() && !knows_failures_) next_fit_ = 0;
      failed_.push_back(std::move(at));
    }
  }

 private:
  struct Observation {
    Places at;
    double log_merit;
    double noise;  // sd of log_merit
    int ask;
  };

  struct Scored {
    std::size_t at = 0;  // index in the pool
    double gain = -1;    // expected improvement times the chance that the point works
  };

  bool is_fitted() const { return fitted_ > 0; }
  std::size_t known() const { return observed_.size() + failed_.size(); }

  // The one of some random points that is farthest from all points that were asked for.
  std::optional<PlannedPoint> spread_point() {
    constexpr int kLots = 24;
    std::vector<Places> others = pending_places();
    others.push_back(grid_.places_of(job().start));
    for (const Observation& o : observed_) others.push_back(o.at);
    others.insert(others.end(), failed_.begin(), failed_.end());
    std::optional<Places> farthest;
    double most = -1;
    for (int lot = 0; lot < kLots; ++lot) {
      auto here = draw();
      if (!here) break;
      double nearest = HUGE_VAL;
      for (const Places& other : others) nearest = std::min(nearest, distance(*here, other));
      if (nearest <= most) continue;
      most = nearest;
      farthest = std::move(here);
    }
    if (!farthest) return std::nullopt;
    KnobPoint point = grid_.point_at(*farthest);
    std::string why = fmt::format("far from all others: {}", to_text(point));
    return PlannedPoint{std::move(point), job().parent, std::move(why)};
  }

  // A random untried point. Draws a few numbers first, as long as they are likely to hit one.
  std::optional<Places> draw() {
    constexpr int kLots = 8;
    for (int lot = 0; lot < kLots; ++lot) {
      const std::uint64_t number = rng_.below(job().space->size());
      Places places = grid_.places_of(number);
      if (is_open(places, number)) return places;
    }
    const auto point = untried().draw(rng_);
    return point ? std::optional(grid_.places_of(*point)) : std::nullopt;
  }

  bool is_open(const Places& places, std::uint64_t number) {
    if (untried().is_taken(number)) return false;
    return !job().space->has_requirements() || job().space->is_valid(grid_.point_at(places));
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

  std::optional<PlannedPoint> most_promising() {
    const bool is_due = known() >= next_fit_;
    note_leader();
    if (is_due)
      fit();
    else
      refresh_pool();
    Scored best = choose();
    // Before the tuner ends, the processes are fitted to all observations, since the
    // hyperparameters or the pool may be outdated.
    if (best.gain < kWorthwhile && fitted_ < known()) {
      fit();
      best = choose();
    }
    if (best.gain < kWorthwhile) return std::nullopt;
    expected_ = best.gain;
    KnobPoint point = grid_.point_at(pool_[best.at]);
    leave(best.at);
    std::string why = fmt::format("expected gain {:.2f} % over {}: {}", 100 * std::expm1(expected_),
                                  leader_, to_text(point));
    return PlannedPoint{std::move(point), leader_, std::move(why)};
  }

  // The best point of the pool, taking outstanding asks into account.
  Scored choose() {
    const std::vector<Places> waiting = pending_places();
    set_mark();
    // Outstanding asks count as if they had come out as expected, so that the next ask looks
    // elsewhere.
    for (const Prediction& p : speed_.predict(waiting)) mark_ = std::max(mark_, p.mean);
    for (const Places& point : waiting) {
      speed_.suppose(point);
      if (knows_failures_) works_.suppose(point);
    }
    Scored best = refined_best();
    // If no point seems worth a measurement, the model may be too certain, so its deviations are
    // increased.
    while (best.gain < kWorthwhile && doubt_ < kMostDoubt) {
      doubt_ *= kDoubtStep;
      best = refined_best();
    }
    if (!waiting.empty()) {
      speed_.forget_supposed();
      if (knows_failures_) works_.forget_supposed();
    }
    return best;
  }

  // Fits both processes to what is remembered now, and builds a new pool.
  void fit() {
    leave_all();
    std::vector<Places> points;
    remember(points);
    speed_.fit(points, values_, fitting_steps(points.size()));
    noise_ = usual_noise();
    knows_failures_ = !failed_.empty();
    if (knows_failures_) {
      std::vector<double> labels(points.size(), 1);
      const std::size_t oldest =
          failed_.size() > kRemembered / 2 ? failed_.size() - kRemembered / 2 : 0;
      points.insert(points.end(), failed_.begin() + static_cast<std::ptrdiff_t>(oldest),
                    failed_.end());
      labels.resize(points.size(), 0);
      const int steps =
          std::min<int>(fitting_steps(points.size()), 1 + static_cast<int>(known() - fitted_));
      works_.fit(std::move(points), std::move(labels), steps);
    }
    fitted_ = known();
    next_fit_ =
        std::max(known() + 1, static_cast<std::size_t>(kGrowth * static_cast<double>(known())));
    gather_pool();
  }

  // Sets the log merit to improve on. What the process does not explain is either measurement noise
  // or roughness, which belongs to the point. Noise flatters the largest of many measurements, so a
  // point counts as its prediction plus the share of the rest that is roughness.
  void set_mark() {
    const double residual = speed_.residual();
    roughness_ = std::sqrt(std::max(0.0, residual * residual - noise_ * noise_));
    const double share = roughness_ * roughness_ / std::max(1e-12, residual * residual);
    const std::vector<double> smooth = speed_.at_data();
    mark_ = -HUGE_VAL;
    for (std::size_t i = 0; i < smooth.size(); ++i)
      mark_ = std::max(mark_, smooth[i] + share * (values_[i] - smooth[i]));
  }

  std::vector<const Observation*> fastest_first() const {
    std::vector<const Observation*> order;
    for (const Observation& o : observed_) order.push_back(&o);
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
      return a->log_merit != b->log_merit ? a->log_merit > b->log_merit : a->ask < b->ask;
    });
    return order;
  }

  void note_leader() {
    const Observation& leader =
        *std::max_element(observed_.begin(), observed_.end(),
                          [](const auto& a, const auto& b) { return a.log_merit < b.log_merit; });
    if (leader.ask == leader_) return;
    doubt_ = 1;
    leader_ = leader.ask;
    newly_leading_ = leader.at;
  }

  // The median sd of the log of a measured speedup, from the tells' intervals.
  double usual_noise() const {
    std::vector<double> noise;
    for (const Observation& o : observed_) noise.push_back(o.noise);
    const auto middle = noise.begin() + static_cast<std::ptrdiff_t>(noise.size() / 2);
    std::nth_element(noise.begin(), middle, noise.end());
    return *middle;
  }

  // Half of what is remembered are the fastest points; the other half is spread over all others.
  // How slow the slowest are is of no interest and would stretch the scale, so speeds are cut off
  // below.
  void remember(std::vector<Places>& points) {
    const std::vector<const Observation*> order = fastest_first();
    const double top = order.front()->log_merit;
    const double median = order[order.size() / 2]->log_merit;
    floor_ = top - kDepth * std::max(top - median, 0.01);
    values_.clear();
    const std::size_t room =
        kRemembered - (failed_.empty() ? 0 : std::min(failed_.size(), kRemembered / 2));
    const std::size_t fastest = order.size() <= room ? order.size() : room / 2;
    const std::size_t others = std::min(room, order.size()) - fastest;
    for (std::size_t i = 0; i < fastest + others; ++i) {
      const std::size_t rank =
          i < fastest ? i : fastest + (i - fastest) * (order.size() - fastest) / others;
      points.push_back(order[rank]->at);
      values_.push_back(std::max(floor_, order[rank]->log_merit));
    }
  }

  // Fills the pool: with all untried points of a small space, or else with points around the
  // fastest ones and random points.
  void gather_pool() {
    std::vector<Places> points;
    if (list_open()) {
      for (const std::uint64_t number : open_) points.push_back(grid_.places_of(number));
      join(points);
      return;
    }
    const std::vector<const Observation*> fastest = fastest_first();
    constexpr std::size_t kLeaders = 4;
    std::set<Places> seen;
    for (std::size_t i = 0; i < std::min(kLeaders, fastest.size()); ++i) {
      std::vector<Places> around = one_knob_away(fastest[i]->at);
      rng_.shuffle(std::span(around));
      for (Places& p : around)
        if (points.size() < kNearby * (i + 1) / kLeaders && seen.insert(p).second)
          points.push_back(std::move(p));
    }
    for (std::size_t lot = 0; lot < kPool && points.size() < kPool; ++lot) {
      auto point = draw();
      if (!point) break;
      if (seen.insert(*point).second) points.push_back(std::move(*point));
    }
    join(points);
  }

  // Keeps the list of untried points of a small space. False: the space is too large for a list.
  bool list_open() {
    constexpr std::uint64_t kListed = 512;
    const std::uint64_t size = job().space->size();
    if (size > kListed) return false;
    if (!is_listed_)
      for (std::uint64_t number = 0; number < size; ++number)
        if (is_open(grid_.places_of(number), number)) open_.push_back(number);
    is_listed_ = true;
    std::erase_if(open_, [&](std::uint64_t number) { return untried().is_taken(number); });
    return true;
  }

  // Between two fits: adds points around a new best, and a few random ones.
  void refresh_pool() {
    std::vector<Places> points;
    if (newly_leading_) points = one_knob_away(*newly_leading_);
    newly_leading_.reset();
    if (!is_listed_)
      for (std::size_t i = 0; i < kFresh; ++i)
        if (auto point = draw()) points.push_back(std::move(*point));
    join(points);
  }

  // Adds the points that are not in the pool yet. False: all of them were in the pool.
  bool join(const std::vector<Places>& points) {
    const std::size_t before = pool_.size();
    for (const Places& point : points)
      if (in_pool_.insert(grid_.number_of(point)).second) pool_.push_back(point);
    const std::span<const Places> fresh = std::span(pool_).subspan(before);
    if (fresh.empty()) return false;
    speed_.follow(fresh);
    works_.follow(fresh);
    return true;
  }

  void leave(std::size_t i) {
    in_pool_.erase(grid_.number_of(pool_[i]));
    std::swap(pool_[i], pool_.back());
    pool_.pop_back();
    speed_.leave(i);
    works_.leave(i);
  }

  void leave_all() {
    pool_.clear();
    in_pool_.clear();
    speed_.leave_all();
    works_.leave_all();
    surrounded_.clear();
    newly_leading_.reset();
  }

  // Untried points that differ from `from` in one knob.
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
        if (is_open(other, grid_.number_of(other))) result.push_back(std::move(other));
      }
    }
    return result;
  }

  // The best point of the pool. The neighbours of each new best point join the pool before the
  // search is repeated.
  Scored refined_best() {
    Scored best = best_of_pool();
    for (int i = 0; i < kRefinements && best.gain > 0 && !is_listed_; ++i) {
      if (!surrounded_.insert(grid_.number_of(pool_[best.at])).second) break;
      if (!join(one_knob_away(pool_[best.at]))) break;
      const Scored nearby = best_of_pool();
      if (nearby.gain <= best.gain) break;
      best = nearby;
    }
    return best;
  }

  Scored best_of_pool() const {
    Scored best;
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      Prediction speed = speed_.followed(i);
      speed.deviation = doubt_ * both(speed.deviation, roughness_);
      // Multiplying by the chance of working can only lower the gain, so this point cannot be the
      // best.
      if (most_improvement(speed, mark_) <= best.gain) continue;
      double gain = expected_improvement(speed, mark_);
      if (gain <= best.gain) continue;
      if (knows_failures_) gain *= chance_of_working(works_.followed(i));
      if (gain > best.gain) best = {i, gain};
    }
    return best;
  }

  // The chance that a point works. The process was fitted to labels of 1 for working and 0 for
  // failing points; a predicted label of one half means even odds.
  static double chance_of_working(const Prediction& label) {
    constexpr double kBlur = 0.15;  // softens the boundary between the labels
    return normal_share((label.mean - 0.5) / both(label.deviation, kBlur));
  }

  const KnobGrid grid_;
  Rng rng_;
  std::size_t designed_ = 0;  // number of spread points still to ask for
  std::vector<Observation> observed_;
  std::vector<Places> failed_;

  GaussianProcess speed_;
  GaussianProcess works_;
  bool knows_failures_ = false;  // whether works_ is fitted
  std::size_t fitted_ = 0;       // number of observations and failures at the last fit; 0: none yet
  std::size_t next_fit_ = 0;     // number of observations and failures that triggers the next fit
  std::vector<double> values_;   // values that speed_ was given, in its order
  double floor_ = 0;             // log merit below which all points count as equally slow

  std::vector<Places> pool_;  // untried points that both processes follow
  std::set<std::uint64_t> in_pool_;
  std::set<std::uint64_t> surrounded_;  // points whose neighbours have joined the pool
  std::vector<std::uint64_t> open_;     // untried points of a small space
  bool is_listed_ = false;
  std::optional<Places> newly_leading_;  // a new best whose neighbours may not be in the pool

  double noise_ = kUsualNoise;
  double roughness_ = 0;  // sd of the log speed of neighbours, beyond what is smooth
  double mark_ = 0;       // log merit that a new point has to improve on
  double expected_ = 0;   // expected gain of the last plan
  double doubt_ = 1;      // factor on all deviations; reset to 1 by each new best
  int leader_ = 0;        // the ask of the fastest observation
};

}  // namespace

std::unique_ptr<Strategy> make_bayesian(const TuningJob& job, const StrategyOptions& options) {
  return std::make_unique<Bayesian>(job, options);
}

}  // namespace kw::search
