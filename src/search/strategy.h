// Strategy: the one interface of search methods and tuners, and the list of those there are.
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

/// Asked for the next proposal, told the outcome. Knows no clock, file, device or saved state: all
/// randomness comes from a seed, and every tell arrives in the order of the asks, so that the same
/// tells at the same points always give the same asks. Resume is: build it again, replay asks and
/// tells.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// The next proposal. Nothing: it waits for outstanding tells, or it is finished.
  virtual std::optional<Ask> ask() = 0;
  /// Outcome of the oldest ask not yet told.
  virtual void tell(const Tell& tell) = 0;
  /// Nothing will ever be asked again, whatever is told.
  virtual bool finished() const = 0;
  /// What it is doing now, one line for people.
  virtual std::string describe() const = 0;
  /// From the next ask on. Tells of earlier asks still come. What means nothing to a strategy is
  /// left alone (StrategyInfo::has_parents).
  virtual void steer(const Steering&) {}
};

struct TunerInfo;

struct StrategyOptions {
  Seed seed;                          ///< Of the strategy only; never of inputs.
  std::size_t exhaustive_up_to = 24;  ///< Spaces of at most this many valid points are tried whole.
  std::size_t halving_points = 27;    ///< Points that larger spaces are sampled at first.
  const TunerInfo* tuner = nullptr;   ///< Of strategies that tune; null: auto.
  std::size_t tuning_points = 160;    ///< Asks of random, bayesian and evolutionary tuning at most.
  double promising_gain = 1.4;  ///< Gain that tuning is trusted with before any has been seen.
  /// Of refine and agent: how often what fails is mended, one source after the other, before it is
  /// left.
  int repairs = 3;
  int writes = 8;  ///< Of best-of-n: n.
  /// Of those that have sources written: asks that the task's expert kernels get, before anything
  /// is written; 0: none.
  std::size_t start_asks = 0;
  std::string preset;  ///< Of methods whose sketch and paper differ: "sketch" or "paper"; "": ours.
  int rounds = 10;     ///< Of methods that end by themselves: rounds, or depth of a chain.
  bool judges_by_rules = false;  ///< Of coder-judge: no model reads the findings, rules do.
  bool judges_learned = false;   ///< Likewise: what recorded steps have taught does.
  Target target = Target::Cpu;   ///< With the class of work: which techniques there are.
  WorkClass work = WorkClass::Other;
  std::string guide;  ///< Of graph-walk: random | llm | weights; empty: random.
  /// Of graph-walk and graph-search; null: every technique leads to every other.
  std::shared_ptr<const TechniqueGraph> graph;
  /// Of attempt-tree: at most three kernels from the task alone. Without, its root is a node of
  /// speedup 1 like any other: plain tree search, to measure what throttling is worth.
  bool throttles_root = true;
  bool freezes_graph = false;  ///< Steps are taken, and nothing is learnt from them.
  /// Techniques to choose from, instead of technique_cards(); of tests and landscapes.
  std::vector<TechniqueCard> techniques;
};

/// What a tuner searches: the space of one correct idea.
struct TuningJob {
  int idea = 0;
  int parent = 0;                    ///< Ask that showed the idea correct, at `start`.
  const KnobSpace* space = nullptr;  ///< Outlives the tuner.
  KnobPoint start;                   ///< Point already measured.
  double start_merit = 0;
  Seed seed;
};

struct StrategyInfo {
  std::string_view name;
  std::string_view what;  ///< One line.
  bool is_tuning;         ///< Uses StrategyOptions::tuner.
  bool is_writing;        ///< Asks for sources that somebody must write; needs no ideas.
  bool has_parents;       ///< Chooses what to derive from: Steering::pinned and stopped count.
  std::unique_ptr<Strategy> (*make)(std::vector<Idea>, const StrategyOptions&);
  std::span<const std::string_view> roles = {};  ///< Of models, beside those that write.
  bool has_presets = false;                      ///< StrategyOptions::preset means something.
  bool has_rounds = false;                       ///< StrategyOptions::rounds does.
  bool has_graph = false;                        ///< StrategyOptions::graph does.
  /// Its source profiles every kernel that works, and goes on from slower ones: so do we, on cuda.
  bool reads_every_profile = false;
  bool has_repairs = false;  ///< StrategyOptions::repairs means something.
};

struct TunerInfo {
  std::string_view name;
  std::string_view what;
  std::unique_ptr<Strategy> (*make)(const TuningJob&, const StrategyOptions&);
};

/// All there are, in the order shown to people.
std::span<const StrategyInfo> strategies();
std::span<const TunerInfo> tuners();

/// Unknown name: an error with the nearest one.
Result<const StrategyInfo*> find_strategy(std::string_view name);
Result<const TunerInfo*> find_tuner(std::string_view name);

/// The same; ideas from simple to best.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, std::vector<Idea> ideas,
                                                const StrategyOptions& options);

}  // namespace kw::search
