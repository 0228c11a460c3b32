// Evolve: islands of kernels with the best of each kind; children by edits, rewriting, crossover.
// After AlphaEvolve, OpenEvolve and ShinkaEvolve; docs/strategies.md says what is taken from which.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "search/authoring.h"
#include "search/methods.h"
#include "search/works.h"

namespace kw::search {
namespace {

// Values of OpenEvolve's published configuration.
constexpr std::size_t kIslands = 4;
constexpr int kMigrateEvery = 20;  // children of an island between two migrations
// Slope of the sigmoid by which ShinkaEvolve (arXiv 2509.19349) weights parents: the weight is the
// sigmoid of fitness over the median, times novelty.
constexpr double kSharpness = 10;
// AlphaEvolve, OpenEvolve and ShinkaEvolve do not give these values; they are our choice.
constexpr double kEdits = 0.6, kRewrites = 0.2;  // the remaining children are crossovers
constexpr double kSame = 0.95;    // similarity of sketches above which sources count as the same
constexpr int kMendsOfChild = 1;  // repairs of a child that fails
constexpr int kMostLength = 9;

/// The kind of a kernel: for each kind the archive keeps the kernel of most merit.
struct Cell {
  int length = 0;  ///< Length of the source in half octaves above 512 bytes.
  Bound bound = Bound::Unknown;
  auto operator<=>(const Cell&) const = default;
};

Cell cell_of(const Traits& traits) {
  const double octaves = std::log2(std::max(1.0, static_cast<double>(traits.source_bytes) / 512));
  return {std::clamp(static_cast<int>(2 * octaves), 0, kMostLength), traits.bound};
}

struct Island {
  std::map<Cell, WorkId> elites;
  int children = 0;
  std::deque<WorkId> to_mend;
};

class Evolve final : public Authoring {
 public:
  Evolve(std::vector<Idea> ideas, const StrategyOptions& options)
      : Authoring(std::move(ideas), options), rng_(options.seed), islands_(kIslands) {}

 protected:
  std::string doing() const override {
    std::size_t elites = 0;
    for (const Island& island : islands_) elites += island.elites.size();
    return fmt::format("{} islands, {} elites", islands_.size(), elites);
  }

  std::optional<Ask> next() override {
    const std::size_t here = turn_++ % islands_.size();
    Ask ask = pinned() != 0 ? breed_from_pin(here) : propose_for(here);
    ask.why = fmt::format("island {}: {}", here + 1, ask.why);
    islands_of_asks_[asked() + 1] = here;
    return ask;
  }

  void judged(const Ask& ask, const Tell& tell) override {
    const auto id = works_.observe(ask, tell);
    if (ask.role == Role::Idea) {
      if (id && tell.is_correct())
        for (Island& island : islands_) admit(island, *id);
    } else if (ask.role == Role::Tune) {
      if (const auto tuned = works_.of(ask.parent)) readmit(*tuned);
    } else {
      const auto first = islands_of_asks_.find(ask.repeats != 0 ? ask.repeats : tell.ask);
      const std::size_t here = first->second;
      islands_of_asks_.erase(first);
      take_child(islands_[here], here, *id, tell);
    }
  }

  void steered() override {
    for (Island& island : islands_) {
      island.elites.clear();
      island.to_mend.clear();
    }
    for (WorkId id = 0; id < works_.size(); ++id)
      if (works_.at(id).is_correct())
        for (Island& island : islands_) admit(island, id);
  }

 private:
  void take_child(Island& island, std::size_t here, WorkId id, const Tell& tell) {
    ++island.children;
    if (tell.is_correct())
      admit(island, id);
    else if (works_.at(id).failures <= kMendsOfChild && may_derive(tell.ask))
      island.to_mend.push_back(id);
    if (island.children % kMigrateEvery == 0) migrate(here);
  }

  const Work* elite_at(const Island& island, Cell cell) const {
    const auto found = island.elites.find(cell);
    return found == island.elites.end() ? nullptr : &works_.at(found->second);
  }

  /// Puts a work into its cell if it is better than the cell's elite and differs from every better
  /// kernel of the island.
  void admit(Island& island, WorkId id) {
    const Work& work = works_.at(id);
    if (!may_derive(work.point) && !may_derive(work.ask)) return;
    const Cell cell = cell_of(work.traits);
    if (const Work* elite = elite_at(island, cell); elite && elite->merit >= work.merit) return;
    if (is_known(island, id)) return;
    island.elites[cell] = id;
  }

  /// Whether the island has a kernel with the same code, or one at least as good with nearly the
  /// same source.
  bool is_known(const Island& island, WorkId id) const {
    const Work& work = works_.at(id);
    return std::ranges::any_of(island.elites, [&](const auto& entry) {
      const Work& other = works_.at(entry.second);
      if (entry.second == id) return false;
      if (!work.traits.object.empty() && work.traits.object == other.traits.object) return true;
      return work.merit <= other.merit &&
             similarity(work.traits.sketch, other.traits.sketch) >= kSame;
    });
  }

  /// Called after a tuner improved a work, which may now win its cell on any island.
  void readmit(WorkId id) {
    for (Island& island : islands_) {
      const Work* elite = elite_at(island, cell_of(works_.at(id).traits));
      if (elite && elite->merit < works_.at(id).merit) admit(island, id);
    }
  }

  std::optional<WorkId> best_of(const Island& island) const {
    std::optional<WorkId> best;
    for (const auto& [cell, id] : island.elites)
      if (!best || works_.at(id).merit > works_.at(*best).merit) best = id;
    return best;
  }

  /// Copies the best kernel of an island to the next island in a ring.
  void migrate(std::size_t from) {
    if (const auto best = best_of(islands_[from])) admit(islands_[(from + 1) % kIslands], *best);
  }

  Ask propose_for(std::size_t here) {
    Island& island = islands_[here];
    while (!island.to_mend.empty()) {
      const Work& child = works_.at(island.to_mend.front());
      island.to_mend.pop_front();
      if (!may_derive(child.ask)) continue;
      return write(Errand::Repair, child.ask, fmt::format("mend {}", words_of(child)));
    }
    if (island.elites.empty()) return write(Errand::Write, 0, "a first kernel");
    return breed(here, draw_parent(island));
  }

  Ask breed_from_pin(std::size_t here) {
    if (const auto id = works_.of(pinned())) {
      Ask ask = breed(here, *id);
      ask.parent = pinned();
      return ask;
    }
    return write(Errand::Improve, pinned(), "what a person has pinned");
  }

  WorkId draw_parent(const Island& island) {
    std::vector<double> fitness;
    for (const auto& [cell, id] : island.elites) fitness.push_back(std::log(works_.at(id).merit));
    std::vector<double> sorted = fitness;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    const double median = *middle;
    double sum = 0;
    std::size_t i = 0;
    std::vector<std::pair<double, WorkId>> weights;
    for (const auto& [cell, id] : island.elites) {
      const double fit = 1 / (1 + std::exp(-kSharpness * (fitness[i++] - median)));
      sum += fit / (1 + static_cast<double>(works_.at(id).children.size()));
      weights.emplace_back(sum, id);
    }
    const double lot = rng_.uniform() * sum;
    for (const auto& [up_to, id] : weights)
      if (lot < up_to) return id;
    return weights.back().second;
  }

  Ask breed(std::size_t here, WorkId id) {
    const Work& parent = works_.at(id);
    Ask ask = write(Errand::Improve, parent.point, "");
    View& view = ask.manner.writer;
    view.is_bounded = true;
    for (const WorkId child : last_children(parent)) view.lines.push_back(works_.at(child).point);
    const auto mate = draw_mate(here, id);
    const double lot = rng_.uniform();
    if (lot >= kEdits + kRewrites && mate) {
      view.prompt = "evolve_cross";
      view.sources = {works_.at(*mate).point};
      ask.why = fmt::format("cross {} with {}", words_of(parent), words_of(works_.at(*mate)));
    } else if (lot >= kEdits && lot < kEdits + kRewrites) {
      view.prompt = "evolve_rewrite";
      ask.manner.form = ReplyForm::Whole;
      ask.why = fmt::format("write {} anew", words_of(parent));
    } else {
      view.prompt = "evolve_edit";
      ask.manner.form = ReplyForm::Edits;
      if (const auto best = best_of(islands_[here]); best && *best != id)
        view.lines.push_back(works_.at(*best).point);
      ask.why = fmt::format("edit {}", words_of(parent));
    }
    std::ranges::sort(view.lines);
    return ask;
  }

  std::vector<WorkId> last_children(const Work& work) const {
    constexpr std::size_t kShown = 6;
    const std::size_t first = work.children.size() - std::min(kShown, work.children.size());
    return {work.children.begin() + static_cast<std::ptrdiff_t>(first), work.children.end()};
  }

  /// Draws a kernel of another kind for a crossover, from this island or else from the next one
  /// that has any.
  std::optional<WorkId> draw_mate(std::size_t here, WorkId id) {
    for (std::size_t step = 0; step < kIslands; ++step) {
      std::vector<WorkId> others;
      for (const auto& [cell, other] : islands_[(here + step) % kIslands].elites)
        if (other != id) others.push_back(other);
      if (!others.empty()) return others[static_cast<std::size_t>(rng_.below(others.size()))];
    }
    return std::nullopt;
  }

  Rng rng_;
  Works works_;
  std::vector<Island> islands_;
  std::size_t turn_ = 0;
  std::map<int, std::size_t> islands_of_asks_;  // asks for sources that were not told yet
};

}  // namespace

std::unique_ptr<Strategy> make_evolve(std::vector<Idea> ideas, const StrategyOptions& options) {
  return std::make_unique<Evolve>(std::move(ideas), options);
}

}  // namespace kw::search
