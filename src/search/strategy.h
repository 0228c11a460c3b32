// The one interface of search methods and tuners, and the list of all methods.
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
#include "record/technique_graph.h"
#include "search/technique_card.h"
#include "search/types.h"

namespace kw::search {

/// Is asked for the next proposal and told its outcome. A strategy knows no clock, file, device or
/// saved state: all randomness comes from a seed, and every tell arrives in the order of the asks,
/// so the same tells at the same points always give the same asks. To resume, the strategy is built
/// again and the recorded asks and tells are replayed.
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
  /// Obeys these orders from the next ask on; tells of earlier asks still come. A strategy ignores
  /// orders that mean nothing to it (StrategyInfo::has_parents).
  virtual void steer(const Steering&) {}
};

struct TunerInfo;

struct StrategyOptions {
  Seed seed;  ///< Seed of the strategy only; never of inputs.
  /// Spaces of at most this many valid points are searched exhaustively.
  std::size_t exhaustive_up_to = 24;
  std::size_t halving_points = 27;   ///< Number of points at which larger spaces are sampled first.
  const TunerInfo* tuner = nullptr;  ///< Tuner that strategies use which tune; null: auto.
  std::size_t tuning_points = 160;   ///< Limit of asks of random, bayesian and evolutionary tuning.
  double promising_gain = 1.4;       ///< Gain expected of tuning before any gain has been seen.
  /// refine and agent: how many times a failing source is repaired, one after the other, before it
  /// is given up.
  int repairs = 3;
  int writes = 8;  ///< best-of-n: the number n.
  /// Methods that ask for sources: asks for the task's expert kernels before any source is written;
  /// 0: none.
  std::size_t start_asks = 0;
  /// Methods whose sketch and paper differ: "sketch" or "paper"; "": our own variant.
  std::string preset;
  int rounds = 10;  ///< Methods that end by themselves: number of rounds, or depth of a chain.
  bool judges_by_rules = false;  ///< coder-judge: no model reads the findings, rules do.
  /// coder-judge: what recorded steps have taught reads the findings, instead of a model.
  bool judges_learned = false;
  Target target = Target::Cpu;  ///< Decides, with the class of work, which techniques there are.
  WorkClass work = WorkClass::Other;
  std::string guide;  ///< graph-walk: random | llm | weights; empty: random.
  /// graph-walk and graph-search: the graph; null: every technique leads to every other.
  std::shared_ptr<const TechniqueGraph> graph;
  /// attempt-tree: at most three kernels are written from the task alone. Otherwise the root is a
  /// node of speedup 1 like any other: plain tree search, to measure what throttling is worth.
  bool throttles_root = true;
  bool freezes_graph = false;  ///< Steps are taken, but nothing is learnt from them.
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

struct StrategyInfo {
  std::string_view name;
  std::string_view what;  ///< Description in one line.
  bool is_tuning;         ///< Uses StrategyOptions::tuner.
  bool is_writing;        ///< Asks for sources that somebody must write; needs no ideas.
  /// Chooses what to derive from, so Steering::pinned and stopped have an effect.
  bool has_parents;
  std::unique_ptr<Strategy> (*make)(std::vector<Idea>, const StrategyOptions&);
  std::span<const std::string_view> roles = {};  ///< Roles of models other than writing.
  bool has_presets = false;                      ///< StrategyOptions::preset has an effect.
  bool has_rounds = false;                       ///< StrategyOptions::rounds has an effect.
  bool has_graph = false;                        ///< StrategyOptions::graph has an effect.
  /// The published method profiles every kernel that works and goes on from slower ones, so this
  /// strategy does the same on cuda.
  bool reads_every_profile = false;
  bool has_repairs = false;  ///< StrategyOptions::repairs has an effect.
};

struct TunerInfo {
  std::string_view name;
  std::string_view what;
  std::unique_ptr<Strategy> (*make)(const TuningJob&, const StrategyOptions&);
};

/// All strategies and tuners, in the order shown to people.
std::span<const StrategyInfo> strategies();
std::span<const TunerInfo> tuners();

/// Finds a strategy or tuner; an unknown name is an error that suggests the nearest one.
Result<const StrategyInfo*> find_strategy(std::string_view name);
Result<const TunerInfo*> find_tuner(std::string_view name);

/// Makes a strategy by name (errors as find_strategy()); `ideas` go from simple to best.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, std::vector<Idea> ideas,
                                                const StrategyOptions& options);

}  // namespace kw::search
