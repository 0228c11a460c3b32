// The interface of search methods and tuners, and the list of all methods.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "record/method_options.h"
#include "record/technique_graph.h"
#include "search/technique_card.h"
#include "search/types.h"

namespace kw::search {

/// A strategy is asked for the next proposal and told its outcome. It uses no clock, file, device
/// or saved state: all randomness comes from a seed, and tells arrive in the order of the asks, so
/// that equal tells at equal points always give equal asks. To resume, the strategy is built again
/// and the recorded asks and tells are replayed.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// The next proposal. Nothing: the strategy waits for outstanding tells, or it is finished.
  virtual std::optional<Ask> ask() = 0;
  /// Tells the outcome of the oldest ask not yet told.
  virtual void tell(const Tell& tell) = 0;
  /// True if nothing will ever be asked again, whatever is told.
  virtual bool finished() const = 0;
  /// What the strategy is doing now, in one line for people.
  virtual std::string describe() const = 0;
  /// Obeys these orders from the next ask on; tells of earlier asks still arrive. A strategy
  /// ignores orders that do not concern it (StrategyInfo::has_parents).
  virtual void steer(const Steering&) {}
};

struct TunerInfo;

/// What a strategy is made with; the options of single strategies are those of MethodOptions.
struct StrategyOptions : MethodOptions {
  Seed seed;  ///< Seed of the strategy only; never of inputs.
  /// Spaces with at most this many valid points are searched exhaustively.
  std::size_t exhaustive_up_to = 24;
  std::size_t halving_points = 27;   ///< Number of points at which larger spaces are sampled first.
  const TunerInfo* tuner = nullptr;  ///< Tuner used by strategies that tune; null: auto.
  std::size_t tuning_points = 160;   ///< Limit of asks of random, bayesian and evolutionary tuning.
  double promising_gain = 1.4;       ///< Gain expected of tuning before any gain has been seen.
  /// Limit of the asks for expert kernels, and for tuning the fastest one, before a method asks for
  /// its first source; 0: none.
  std::size_t start_asks = 0;
  Target target = kDefaultTarget;  ///< Decides, with the class of work, which techniques there are.
  WorkClass work = WorkClass::Other;
  /// graph-walk and graph-search: the graph; null: every technique leads to every other.
  std::shared_ptr<const TechniqueGraph> graph;
  /// attempt-tree: whether at most three kernels are written from the task alone. Otherwise the
  /// root is a node of speedup 1 like any other, as in plain tree search; used to measure the
  /// benefit of this limit.
  bool throttles_root = true;
  /// Techniques to choose from instead of technique_cards(); for tests and landscapes.
  std::vector<TechniqueCard> techniques;
};

/// What a tuner searches: the space of one correct idea.
struct TuningJob {
  int idea = 0;
  int parent = 0;                    ///< The ask that showed the idea correct at the point `start`.
  const KnobSpace* space = nullptr;  ///< Must outlive the tuner.
  KnobPoint start;                   ///< A point that was measured already.
  double start_merit = 0;
  Seed seed;
};

/// A row of the list of strategies.
struct StrategyInfo {
  std::string_view name;
  std::string_view what;  ///< Description in one line.
  std::unique_ptr<Strategy> (*make)(std::vector<Idea>, const StrategyOptions&) = nullptr;
  std::span<const std::string_view> roles = {};  ///< Roles of models other than writing.
  bool is_tuning = false;                        ///< Uses StrategyOptions::tuner.
  bool is_writing = false;  ///< Asks for sources that somebody must write; needs no ideas.
  /// Whether the strategy chooses which attempt to derive from, so that Steering::pinned and
  /// stopped have an effect.
  bool has_parents = false;
  bool has_graph = false;  ///< StrategyOptions::graph has an effect.
  /// Whether every working kernel is profiled on cuda. The published method needs this, because it
  /// may continue from a kernel that is slower than the best.
  bool reads_every_profile = false;
  bool has_presets = false;  ///< PublishedOptions::preset has an effect.
  bool has_rounds = false;   ///< PublishedOptions::rounds has an effect.
  bool has_repairs = false;  ///< RepairOptions has an effect.
};

/// A row of the list of tuners.
struct TunerInfo {
  std::string_view name;
  std::string_view what;
  std::unique_ptr<Strategy> (*make)(const TuningJob&, const StrategyOptions&) = nullptr;
};

/// All strategies and tuners, in the order shown to people.
std::span<const StrategyInfo> strategies();
std::span<const TunerInfo> tuners();

/// The names of the strategies for which `is_so` returns true, as text: "coder-judge" or "evolve,
/// refine".
std::string strategies_where(bool (*is_so)(const StrategyInfo&));

/// Finds a strategy or tuner; an unknown name is an error that suggests the nearest one.
Result<const StrategyInfo*> find_strategy(std::string_view name);
Result<const TunerInfo*> find_tuner(std::string_view name);

}  // namespace kw::search
