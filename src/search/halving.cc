// Successive halving (Jamieson & Talwalkar 2016): many points are measured cheaply, few are
// measured well.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "search/methods.h"
#include "search/queued.h"

namespace kw::search {
namespace {

constexpr std::size_t kKeepOneIn = 3;
// The first rung measures at 1/9: with fewer samples it would rank noise.
constexpr int kMostRungs = 3;

class Halving final : public QueuedStrategy {
 public:
  Halving(const TuningJob& job, const StrategyOptions& options) : job_(job) {
    draw_points(options.halving_points);
    for (std::size_t n = rung_.size(); n >= kKeepOneIn && rungs_ < kMostRungs; n /= kKeepOneIn)
      ++rungs_;
  }

  std::string describe() const override {
    return fmt::format("rung {} of {}, {} points", at_rung_, rungs_, rung_.size());
  }

 protected:
  std::optional<Ask> propose() override {
    if (next_ == rung_.size()) return std::nullopt;
    const Place& place = rung_[next_++];
    Ask ask;
    ask.idea = job_.idea;
    ask.parent = place.ask;
    ask.role = Role::Tune;
    ask.knobs = place.point;
    ask.fidelity = std::pow(static_cast<double>(kKeepOneIn), at_rung_ - rungs_);
    ask.why = fmt::format("rung {} of {}, point {} of {}: {}", at_rung_, rungs_, next_,
                          rung_.size(), to_text(ask.knobs));
    return ask;
  }

  void learn(const Ask&, const Tell& tell) override {
    Place& place = rung_[told_++];
    place.ask = tell.ask;
    place.merit = tell.is_correct() ? tell.merit : 0;
    if (told_ == rung_.size() && at_rung_ < rungs_) climb_rung();
  }

  bool is_exhausted() const override { return next_ == rung_.size(); }

 private:
  struct Place {
    KnobPoint point;
    // The latest ask that measured the point; at first the ask from which the tuning started.
    int ask = 0;
    double merit = 0;
  };

  void draw_points(std::size_t wanted) {
    Rng rng(job_.seed);
    const KnobSpace& space = *job_.space;
    std::set<std::uint64_t> seen{space.number_of(job_.start)};
    // A `require` line may leave fewer valid points than wanted, so the number of random draws is
    // limited; after this, valid points are listed.
    for (std::size_t draws = 0; rung_.size() < wanted && draws < 64 * wanted; ++draws) {
      KnobPoint point = space.at(rng.below(space.size()));
      if (space.is_valid(point) && seen.insert(space.number_of(point)).second)
        rung_.push_back({std::move(point), job_.parent});
    }
    if (rung_.size() == wanted) return;
    for (KnobPoint& point : space.valid_points(wanted + seen.size()))
      if (rung_.size() < wanted && seen.insert(space.number_of(point)).second)
        rung_.push_back({std::move(point), job_.parent});
  }

  void climb_rung() {
    const std::size_t keep = (rung_.size() + kKeepOneIn - 1) / kKeepOneIn;
    std::erase_if(rung_, [](const Place& p) { return p.merit <= 0; });
    std::sort(rung_.begin(), rung_.end(), [](const Place& a, const Place& b) {
      return a.merit != b.merit ? a.merit > b.merit : a.ask < b.ask;
    });
    if (rung_.size() > keep) rung_.resize(keep);
    next_ = told_ = 0;
    ++at_rung_;
  }

  const TuningJob job_;
  std::vector<Place> rung_;
  int rungs_ = 1;
  int at_rung_ = 1;
  std::size_t next_ = 0;
  std::size_t told_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_halving(const TuningJob& job, const StrategyOptions& options) {
  return std::make_unique<Halving>(job, options);
}

}  // namespace kw::search
