// Times candidate and opponent in interleaved pairs of cold calls, and checks every call of the
// candidate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/sampling_plan.h"
#include "platform/clock.h"
#include "record/evaluation.h"
#include "referee/check.h"
#include "referee/haste.h"
#include "referee/referee.h"
#include "referee/seat.h"

namespace kw::referee {

/// The timed part of one evaluation over one or more benches; the caller keeps benches and records
/// alive.
class Timing {
 public:
  /// `opponent` may be null: the candidate is then timed alone. All references are borrowed.
  Timing(device::Device& device, const DeviceFacts& facts, const Options& options,
         platform::Clock& clock, const EvaluationRequest& request, const Program& candidate,
         const Program* opponent, Seed seed, const Haste& haste);
  /// Waits until no process works in the background.
  ~Timing();

  /// Adds a workload: prepares its input sets, starts candidate and opponent, decides the number of
  /// calls in a sample. A verdict if the candidate failed. `result` gets the figures.
  /// `memory_bytes` limits this bench's sets and slots. `leg` is the candidate's leg at this bench
  /// if its process is to live on, else null; borrowed. `is_last`: no other workload follows, so no
  /// other player starts for a while.
  Result<std::optional<Verdict>> add(Bench& bench, WorkloadResult& result,
                                     std::int64_t memory_bytes, Leg* leg, bool is_last);
  /// Times pairs until the comparison is decided or the budget is spent. Precondition: at least one
  /// workload was added.
  Result<std::optional<Verdict>> run();

  /// Says why add() or run() ended as (measure, unmeasurable): an opponent that is a candidate
  /// itself went wrong. A baseline that goes wrong is an error, unless it works again without the
  /// candidate.
  const std::string& opponent_fault() const { return opponent_fault_; }
  /// The speedup over all workloads, valid after run().
  const Speedup& speedup() const { return speedup_; }
  std::vector<Finding> take_findings() { return std::move(findings_); }
  const Account& account() const { return account_; }

 private:
  struct Entry {
    Bench* bench = nullptr;
    WorkloadResult* result = nullptr;
    std::int64_t memory_bytes = 0;
    bool is_last = true;
    int calls = 1;           ///< Number of calls in a sample.
    int sets = 2;            ///< Number of prepared sets, at least `calls`.
    int most_sets = 2;       ///< Number of sets to which `sets` may grow.
    bool is_fresh = false;   ///< cuda: each pair has a set of its own.
    bool lives_on = false;   ///< cuda: processes live through many calls.
    std::vector<int> fresh;  ///< Fresh sets that are still held, the latest last.
    double call_ns = 0;      ///< First estimate of the time of the candidate's call.
    /// The candidate's leg if its process is replaced again and again.
    std::unique_ptr<Leg> own_leg;
    Leg* leg = nullptr;  ///< The candidate's leg: `own_leg`, or one that lives on.
    std::unique_ptr<Seat> candidate;
    std::unique_ptr<Seat> opponent;
    /// True if the opponent's process was started before the candidate's when both were last
    /// started.
    bool opponent_begins = false;
    int watched = 0;
    int fully_checked = 0;
  };

  std::int64_t timeout_of(const Bench& bench) const;
  Result<std::optional<Verdict>> set_up(Entry& entry);
  Result<std::optional<Verdict>> time_all();
  /// Makes the error of an opponent that went wrong, which excuse() recognises.
  std::unexpected<Error> opponent_fails(const std::string& evidence);
  /// Turns the failure of an opponent into a verdict, because such a failure accuses only whoever
  /// wrote the opponent and must not stop a run. A baseline's failure stays an error if the
  /// baseline also fails without the candidate.
  Result<std::optional<Verdict>> excuse(Result<std::optional<Verdict>> ended);
  /// Whether the opponent works once no process of the candidate is there.
  Result<bool> opponent_serves_alone(Entry& entry);
  Result<> measure_empty(Bench& bench);
  Result<> prepare_sets(Entry& entry);
  Result<> add_set(Entry& entry);
  /// The clock's time less what draw_sets() took, which counts against no budget.
  std::int64_t now_ns() const { return clock_.now_ns() - drawing_ns_; }
  /// On a GPU: decides whether each pair has an input set of its own, else how many sets one
  /// process sees.
  Result<> choose_sets(Entry& entry);
  /// Input sets for the next calls of candidate and opponent. On a GPU a fresh set, with its truth
  /// if `is_checked`; elsewhere the next sets of `seat` that its process has not seen.
  Result<std::vector<int>> draw_sets(Entry& entry, Seat& seat, bool is_checked = true);
  Result<std::optional<Verdict>> seat_legs(Entry& entry);
  /// Prepares the opponent for timed calls and returns a first estimate of its call, in ns.
  Result<double> seat_opponent(Entry& entry);
  double calls_needed(double call_ns) const;  ///< Calls that a sample needs; a whole number.
  void shorten_opponent(Entry& entry) const;
  Result<std::optional<Verdict>> settle(Entry& entry);
  Result<> measure_floor(Entry& entry);
  /// Largest noise floor over all workloads, remembered or measured. If every win is so large that
  /// it does not depend on a floor, the floors stay unknown and an assumed value is returned.
  Result<double> learn_floors(const measure::PairPlan& plan);
  std::optional<NoiseFloor> worst_floor() const;
  double worst_ratio() const;  ///< Ratio of worst_floor(); 0 while a floor is not known.
  /// A time in ns, or nothing where the sample is void.
  using Time = std::optional<double>;
  Result<std::optional<Verdict>> time_candidate(Entry& entry, const std::vector<int>& sets,
                                                Time& ns);
  /// Checks what one of the candidate's calls left, while its process is stopped.
  Result<std::optional<Verdict>> look_after(Entry& entry, int set, Suspicion& suspicion);
  Result<std::optional<Verdict>> check_timed(Entry& entry, int set, bool is_full);
  std::optional<Verdict> too_short(Entry& entry, double shortest_ns) const;
  Result<std::optional<Verdict>> clocks_part(const Entry& entry);
  double share_to_check(const Entry& entry) const;
  Result<AfterCheck> watch(Entry& entry);
  Result<std::optional<Verdict>> resolve(Entry& entry, Suspicion suspicion);
  Result<Time> time_trusted(Seat& seat, const std::vector<int>& sets, const AfterCall& after = {});
  Result<Time> time_opponent(Entry& entry, const std::vector<int>& sets);
  Result<std::optional<Verdict>> sit_down(Entry& entry);
  /// Where `seat` needs a new process, starts one for it and one for the opponent, on memory that
  /// no process has mapped unless all of its processes are `trusted`. The verdict is that of
  /// `seat`.
  Result<std::optional<Verdict>> begin_lives(Entry& entry, Seat& seat, bool trusted = false);
  Result<std::optional<Verdict>> run_pairs();
  Result<std::optional<Verdict>> run_alone();
  /// Checks a win on a CPU by some hundred calls in one process, at a workload drawn at random; a
  /// confirmation is checked so at every workload.
  Result<std::optional<Verdict>> live_long();
  Result<std::optional<Verdict>> live_long(Entry& entry);
  Result<std::optional<Verdict>> retime(Entry& entry);
  Result<std::optional<Verdict>> wall_times(Entry& entry, bool is_paced,
                                            std::vector<double>& walls);
  Result<TimedCall> time_at_the_wall(Entry& entry);
  Result<std::optional<Verdict>> empty_wall_time(Entry& entry, std::size_t calls,
                                                 double& quicker_ns);
  Result<> time_by_stream(Entry& entry);
  /// Times candidate and opponent back to back. Must be the last step of an entry, because its legs
  /// cannot be used afterwards.
  Result<std::optional<Verdict>> sustain(Entry& entry);
  Result<HostLaunch> time_by_stream(const Entry& entry, const char* role, Seat& seat);
  Result<std::optional<Verdict>> hold_to_physics(Entry& entry);
  void finish(Entry& entry);
  bool is_poison_spared(const Entry& entry) const;
  measure::Limits limits() const;
  /// Wall time after which no further pair of samples is taken if an interval is known.
  double usual_wall_ns(const measure::PairPlan& plan, double budget_ns) const;
  /// Why no further pair is timed although the plan wants more; null: the pairs go on.
  const char* why_cut(const measure::PairPlan& plan, const measure::Limits& limits,
                      double elapsed_ns) const;
  Verdict interrupted_at(const measure::PairPlan& plan) const;

  device::Device& device_;
  const DeviceFacts& facts_;
  const Options& options_;
  platform::Clock& clock_;
  const EvaluationRequest& request_;
  const Program& candidate_;
  const Program* opponent_;
  Seed seed_;
  Rng rng_;
  const Haste& haste_;
  Account account_;
  std::int64_t drawing_ns_ = 0;  ///< Time spent on fresh sets and their truths.
  std::vector<Entry> entries_;
  Speedup speedup_;
  std::string opponent_fault_;
  std::vector<Finding> findings_;
  bool settled_ = false;
};

}  // namespace kw::referee
