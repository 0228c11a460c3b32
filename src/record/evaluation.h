// The one format that carries an evaluation to a worker and its result back, on every carrier.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/candidate.h"
#include "record/device.h"
#include "record/plan.h"
#include "record/task.h"
#include "record/verdict.h"

namespace kw {

/// What a measurement is for; it decides players, seeds and budgets.
enum class Purpose { Judge, Search, Confirm };
template <>
struct EnumNames<Purpose> {
  static constexpr std::array<std::string_view, 3> names{"judge", "search", "confirm"};
};

/// How far apart an opponent seems from itself at one timed workload (measure::noise_floor).
struct NoiseFloor {
  double ratio = 0;
  int series = 0;  ///< Pairs of fresh processes behind it; 0: assumed.

  bool operator==(const NoiseFloor&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("ratio", s.ratio), v("series", s.series);
  }
};

struct MeasurePlan {
  Purpose purpose = Purpose::Judge;
  double fidelity = 1;         ///< 0–1: share of the usual sampling budget.
  std::int64_t budget_ns = 0;  ///< For the paired measurement of all workloads; 0 means default.
  /// Wall time of the whole evaluation, after which pairs end once there is an interval, and
  /// without one after twice of it; 0: no bound.
  std::int64_t wall_ns = 0;
  std::vector<std::string> only;  ///< Timed workloads by name; empty means all.
  int pairs = 0;  ///< Exactly so many pairs per workload; 0: until decided or the budget is spent.
  /// Share of the compared elements looked at after each timed call, 0–1; 0: by what a call costs.
  double checked_share = 0;
  /// By timed workload: floors of this opponent of a little while ago, measured or assumed. For
  /// purpose judge they may let a win pass; one of few series that stands against it is measured
  /// again.
  std::map<std::string, NoiseFloor> noise_floors;
  bool sustained = false;  ///< cuda: time back to back too; confirmations of products always do.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("purpose", s.purpose), v("fidelity", s.fidelity), v("budget_ns", s.budget_ns),
        v("wall_ns", s.wall_ns), v("only", s.only), v("pairs", s.pairs),
        v("checked_share", s.checked_share), v("noise_floors", s.noise_floors),
        v("sustained", s.sustained);
  }
};

/// Why no plan comes of a candidate's lines at one of the workloads.
struct PlanFault {
  Verdict verdict;  ///< (screen, rejected) or (launch, out_of_resources).
  Finding finding;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("verdict", s.verdict), v("finding", s.finding);
  }
};

/// What is looked at once a candidate is correct (for purpose search: was found faster), each in a
/// run of its own that decides nothing.
struct Inspection {
  bool profile = false;    ///< cuda: time of each launch, and counters where they may be read.
  bool sanitize = false;   ///< cuda: compute-sanitizer's four tools on a small workload.
  bool of_slower = false;  ///< In a search: of correct ones that are not faster, too.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("profile", s.profile), v("sanitize", s.sanitize), v("of_slower", s.of_slower);
  }
};

/// Everything a worker needs, self-contained.
struct EvaluationRequest {
  int format = 1;
  std::string id;
  Task task;
  std::vector<Workload> workloads;
  std::vector<SkippedWorkload> skipped;
  Candidate candidate;
  Candidate opponent;  ///< Baseline or incumbent for the pairs; empty source: measure alone.
  std::vector<BuildUnit> units;
  std::vector<RolePlan> plans;  ///< cuda: for every unit of that target, one per workload.
  Stage until = Stage::Measure;
  MeasurePlan measure;
  Inspection inspect;
  std::uint64_t seed = 0;  ///< Secret of the run; inputs are drawn from it; never reaches a player.
  JailLevel jail = JailLevel::Namespace;  ///< Weakest level that is acceptable.
  /// Objects that whoever asks has had judged: a candidate that becomes one of them may be answered
  /// at once with its object and (compile, correct). For whoever builds; a worker never sees them.
  std::vector<std::string> known_objects;
  std::vector<GpuFacts> gpu;  ///< cuda: the limits that the plans keep to; exactly one.
  /// cuda: the candidate cannot be launched, so whoever builds answers with this. A worker never
  /// sees one.
  std::vector<PlanFault> plan_faults;

  const BuildUnit* unit(const std::string& role) const {
    for (const BuildUnit& u : units)
      if (u.role == role) return &u;
    return nullptr;
  }
  const Plan* plan(const std::string& role, const std::string& workload) const {
    for (const RolePlan& p : plans)
      if (p.role == role && p.workload == workload) return &p.plan;
    return nullptr;
  }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("format", s.format), v("id", s.id), v("task", s.task), v("workloads", s.workloads),
        v("skipped", s.skipped), v("candidate", s.candidate), v("opponent", s.opponent),
        v("units", s.units), v("plans", s.plans), v("until", s.until), v("measure", s.measure),
        v("inspect", s.inspect), v("seed", s.seed), v("jail", s.jail),
        v("known_objects", s.known_objects), v("gpu", s.gpu), v("plan_faults", s.plan_faults);
  }
};

/// What a built candidate is, for telling whether it was judged before: the hash of its object, on
/// cuda of object and plans, since two points of a tuning space may differ in their launches alone.
std::string code_identity(const EvaluationRequest& request);

/// One timed pair. Times are the referee's, net of the empty call.
struct Sample {
  double candidate_ns = 0;
  double opponent_ns = 0;
  int input_set = 0;
  bool opponent_first = false;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("candidate_ns", s.candidate_ns), v("opponent_ns", s.opponent_ns), v("input_set", s.input_set),
        v("opponent_first", s.opponent_first);
  }
};

/// Median paired ratio opponent ÷ candidate with its interval; above 1 the candidate is faster.
struct Speedup {
  double value = 0;  ///< 0: not measured.
  double low = 0;
  double high = 0;
  double confidence = 0;
  std::string baseline;               ///< Name of the opponent.
  std::optional<double> noise_floor;  ///< A/A, as a ratio; none: no win depended on it.
  bool is_faster = false;             ///< By measure::decide().
  int floor_series = 0;  ///< Pairs of processes behind the noise floor; 0: none, or it is assumed.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("value", s.value), v("low", s.low), v("high", s.high), v("confidence", s.confidence),
        v("baseline", s.baseline), v("noise_floor", s.noise_floor), v("is_faster", s.is_faster),
        v("floor_series", s.floor_series);
  }
};

/// Largest deviations of one workload from the float64 truth.
struct Accuracy {
  double checksum_diff = 0;
  double max_abs_diff = 0;
  double rel_l2 = 0;
  double rms_ratio = 0;      ///< RMS error ÷ that of the trusted baseline; 0: not applied.
  double gate_fraction = 0;  ///< Largest |d| ÷ allowed; at most 1 passes.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("checksum_diff", s.checksum_diff), v("max_abs_diff", s.max_abs_diff), v("rel_l2", s.rel_l2),
        v("rms_ratio", s.rms_ratio), v("gate_fraction", s.gate_fraction);
  }
};

/// cuda: the candidate on the referee's own clock, which no device code and no player can reach.
struct Retimed {
  double call_ns = 0;     ///< Quicker quartile of the wall clock around calls, less `empty_ns`.
  double empty_ns = 0;    ///< The same around as many calls with nothing between the stamps.
  int calls = 0;          ///< All cold, each on what the one before it left.
  bool is_paced = false;  ///< With pauses, after a series without any had seemed too slow.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("call_ns", s.call_ns), v("empty_ns", s.empty_ns), v("calls", s.calls);
    v("is_paced", s.is_paced);
  }
};

/// cuda: how a host launcher ran in the pairs, and what it takes the other way.
struct HostLaunch {
  std::string role;          ///< candidate | opponent
  bool is_captured = false;  ///< As a graph; else by its function, onto the stream.
  double eager_ns = 0;       ///< Captured ones: median by the function; 0: not measured.
  std::string why_not_captured = {};

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("role", s.role), v("is_captured", s.is_captured), v("eager_ns", s.eager_ns),
        v("why_not_captured", s.why_not_captured);
  }
};

/// cuda: a leg back to back, many calls in one graph on rotating buffers, caches as the call
/// before left them. A figure beside the cold one; it decides nothing.
struct Sustained {
  std::string role;    ///< candidate | opponent
  double call_ns = 0;  ///< Median over graphs of the time per call, workspaces' zeros included.
  double span_ns = 0;  ///< Of all of them.
  std::int64_t calls = 0;
  int buffers = 0;      ///< Sets of tensors that took turns; all of their outputs were checked.
  std::string why_not;  ///< Why there is no figure.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("role", s.role), v("call_ns", s.call_ns), v("span_ns", s.span_ns), v("calls", s.calls),
        v("buffers", s.buffers), v("why_not", s.why_not);
  }
};

struct WorkloadResult {
  std::string name;
  Group group = Group::Check;
  Outcome outcome = Outcome::Correct;
  std::string note;
  Accuracy accuracy;
  std::uint64_t seed = 0;  ///< Of the input sets.
  // Timed workloads only:
  double median_ns = 0;
  double opponent_ns = 0;
  Speedup speedup;
  std::vector<Sample> samples;
  double empty_call_ns = 0;           ///< Already subtracted.
  int calls_per_sample = 1;           ///< Above 1: short calls on as many input sets.
  int opponent_calls_per_sample = 0;  ///< The same of the opponent; 0: there is none.
  double checked_share = 1;     ///< Share of compared elements looked at after each timed call.
  double miss_probability = 0;  ///< That one wrong block escapes all reduced checks of this record.
  /// cpu: of the long life that a win goes through: calls of one process, and how many of them were
  /// on inputs whose truth is known and compared in full. 0: there was none.
  int life_calls = 0;
  int life_checked = 0;
  std::vector<Retimed> retimed;           ///< At most one: of a candidate that was found faster.
  std::vector<HostLaunch> host_launches;  ///< Of the legs that are host launchers.
  std::vector<Sustained> sustained;       ///< Of both legs, where it was asked for.
  bool is_nondeterministic = false;
  double items_per_s = 0;
  double flops_per_s = 0;
  double bytes_per_s = 0;
  double arithmetic_intensity = 0;  ///< Flops per byte, nominal.
  RooflinePosition roofline;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("group", s.group), v("outcome", s.outcome), v("note", s.note),
        v("accuracy", s.accuracy), v("seed", s.seed), v("median_ns", s.median_ns),
        v("opponent_ns", s.opponent_ns), v("speedup", s.speedup), v("samples", s.samples),
        v("empty_call_ns", s.empty_call_ns), v("calls_per_sample", s.calls_per_sample),
        v("opponent_calls_per_sample", s.opponent_calls_per_sample),
        v("checked_share", s.checked_share), v("miss_probability", s.miss_probability),
        v("life_calls", s.life_calls), v("life_checked", s.life_checked), v("retimed", s.retimed),
        v("host_launches", s.host_launches), v("sustained", s.sustained),
        v("is_nondeterministic", s.is_nondeterministic), v("items_per_s", s.items_per_s),
        v("flops_per_s", s.flops_per_s), v("bytes_per_s", s.bytes_per_s),
        v("arithmetic_intensity", s.arithmetic_intensity), v("roofline", s.roofline);
  }
};

/// cuda: the launches that one plan makes of one kernel at one geometry.
struct KernelProfile {
  std::string kernel;  ///< As the plan names it; "fill" and "copy" for a plan's own.
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> block;
  int launches = 0;     ///< In one call.
  double total_ns = 0;  ///< Of all of them, by events around each in a run without a profiler.
  /// Of one launch, by Nsight Compute's names and in base units (bytes, ns, per cent); empty
  /// without it.
  std::map<std::string, double> counters;

  /// Nothing where the counter is missing.
  std::optional<double> get(const std::string& counter) const {
    const auto at = counters.find(counter);
    return at == counters.end() ? std::nullopt : std::optional(at->second);
  }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("kernel", s.kernel), v("grid", s.grid), v("block", s.block), v("launches", s.launches),
        v("total_ns", s.total_ns), v("counters", s.counters);
  }
};

/// A look at one workload from a run of its own, in the profile jail.
struct WorkloadProfile {
  std::string workload;
  std::vector<KernelProfile> kernels;  ///< In the order of their first launches.
  std::string counters_by;             ///< "Nsight Compute 2025.3.1"; empty: none were read.
  std::string note;                    ///< What was not done and why, or what stood in for it.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("workload", s.workload), v("kernels", s.kernels), v("counters_by", s.counters_by),
        v("note", s.note);
  }
};

/// One pass of compute-sanitizer.
struct SanitizerPass {
  std::string tool;      ///< memcheck | racecheck | initcheck | synccheck
  std::string workload;  ///< A small one.
  bool is_void =
      false;  ///< It did not report a defect of ours in the same run: silence is nothing.
  std::int64_t errors = 0;  ///< Of the candidate's kernels.
  std::string note;         ///< Why it is void.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("tool", s.tool), v("workload", s.workload), v("is_void", s.is_void), v("errors", s.errors),
        v("note", s.note);
  }
};

/// Everything the referee did with one variant, as one record.
struct Evaluation {
  int format = 1;
  std::string id;  ///< Of the request.
  Verdict verdict;
  std::vector<Finding> findings;
  Speedup speedup;               ///< Geometric mean over the timed workloads.
  double roofline_fraction = 0;  ///< Geometric mean over the timed workloads.
  std::vector<WorkloadResult> workloads;
  std::vector<SkippedWorkload> skipped;
  JailLevel jail = JailLevel::None;
  int jail_uid = -1;  ///< The uid the players ran as.
  TrustClass trust_class = TrustClass::CpuFunction;
  std::optional<TrustClass> opponent_class;  ///< None: no opponent.
  /// The opponent is a host launcher that the user gave (`kw judge --against`): its host code
  /// shared the player's process, and nobody but the user vouches for it.
  bool opponent_trusted_by_user = false;
  /// Words, where an opponent that is a candidate itself went wrong in its own seat. What stands
  /// here otherwise says that no pairs came of it, or is of pairs with another opponent.
  std::string opponent_fault;
  std::string device;                      ///< DeviceFacts::id.
  std::string machine;                     ///< Model in words.
  std::string worker;                      ///< Version of the worker.
  std::string object_sha256;               ///< code_identity() of the request.
  std::map<std::string, double> stage_ns;  ///< Where the time went; no two overlap.
  /// Of the stages measure and retime, by step: sets, opponent, life, place, forget, flush, call,
  /// check, floor, retime; no two overlap.
  std::map<std::string, double> account_ns;
  std::vector<WorkloadProfile> profiles;  ///< Where the request asked for one.
  std::vector<SanitizerPass> sanitizer;   ///< Likewise.
  std::vector<GpuMoment> moments;  ///< cuda: as timing began and after it, where the driver tells.

  /// Geometric mean of the timed workloads' medians; 0 if nothing was timed.
  double mean_time_ns() const;
  /// The opponent's name, with its trust class where that is another than the candidate's, and who
  /// trusts it where the user alone does.
  std::string opponent_words() const;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("format", s.format), v("id", s.id), v("verdict", s.verdict), v("findings", s.findings),
        v("speedup", s.speedup), v("roofline_fraction", s.roofline_fraction),
        v("workloads", s.workloads), v("skipped", s.skipped), v("jail", s.jail),
        v("jail_uid", s.jail_uid), v("trust_class", s.trust_class),
        v("opponent_class", s.opponent_class),
        v("opponent_trusted_by_user", s.opponent_trusted_by_user),
        v("opponent_fault", s.opponent_fault), v("device", s.device), v("machine", s.machine),
        v("worker", s.worker), v("object_sha256", s.object_sha256), v("stage_ns", s.stage_ns),
        v("account_ns", s.account_ns), v("profiles", s.profiles), v("sanitizer", s.sanitizer),
        v("moments", s.moments);
  }
};

}  // namespace kw
