// The one format that carries a request for an evaluation to a worker and the result back.
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

/// How far from equal a kernel timed against itself seems, at one timed workload
/// (measure::noise_floor).
struct NoiseFloor {
  double ratio = 0;
  /// Number of series behind the ratio, each of one pair of fresh processes; 0: the ratio is
  /// assumed.
  int series = 0;

  bool operator==(const NoiseFloor&) const = default;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("ratio", s.ratio), v("series", s.series);
  }
};

struct MeasureRequest {
  Purpose purpose = Purpose::Judge;
  double fidelity = 1;         ///< 0–1: share of the usual sampling budget.
  std::int64_t budget_ns = 0;  ///< Time for the pairs of all workloads together; 0: the default.
  /// Bound on the wall time of the whole evaluation: after it, pairs end as soon as there is an
  /// interval, and after twice this time they end without one; 0: no bound.
  std::int64_t wall_ns = 0;
  std::vector<std::string> only;  ///< Timed workloads by name; empty means all.
  /// Number of pairs per workload; 0: until the ratio is decided or the budget is spent.
  int pairs = 0;
  /// Share of the compared elements that is checked after each timed call, 0–1; 0: chosen by the
  /// cost of a call.
  double checked_share = 0;
  /// Recent noise floors of this opponent by timed workload, measured or assumed. For purpose judge
  /// they may let a win pass; a floor of few series that would stop a win is measured again first.
  std::map<std::string, NoiseFloor> noise_floors;
  /// cuda: whether calls are also timed back to back; confirmations of matrix products always do
  /// so.
  bool sustained = false;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("purpose", s.purpose), v("fidelity", s.fidelity), v("budget_ns", s.budget_ns),
        v("wall_ns", s.wall_ns), v("only", s.only), v("pairs", s.pairs),
        v("checked_share", s.checked_share), v("noise_floors", s.noise_floors),
        v("sustained", s.sustained);
  }
};

/// Why no launch plan can be made from a candidate's directives at one of the workloads.
struct PlanFault {
  Verdict verdict;  ///< (screen, rejected) or (launch, out_of_resources).
  Finding finding;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("verdict", s.verdict), v("finding", s.finding);
  }
};

/// Tools to run on a correct candidate (for purpose search: on one that was found faster), each in
/// a run of its own that decides nothing.
struct Inspection {
  /// cuda: whether to record the time of each launch, and counters where the system lets them be
  /// read.
  bool profile = false;
  bool sanitize = false;   ///< cuda: compute-sanitizer's four tools on a small workload.
  bool of_slower = false;  ///< In a search: inspect correct candidates that are not faster, too.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("profile", s.profile), v("sanitize", s.sanitize), v("of_slower", s.of_slower);
  }
};

/// Everything that a worker needs to judge one candidate.
struct EvaluationRequest {
  int format = 1;
  std::string id;
  Task task;
  std::vector<Workload> workloads;
  std::vector<SkippedWorkload> skipped;
  Candidate candidate;
  /// Baseline or incumbent to time in pairs with the candidate; empty source: none.
  Candidate opponent;
  std::vector<BuildUnit> units;
  std::vector<RolePlan> plans;  ///< cuda: one plan per workload for every unit of that target.
  Stage until = Stage::Measure;
  MeasureRequest measure;
  Inspection inspect;
  /// Secret of the run, from which inputs are drawn; never reaches a player.
  std::uint64_t seed = 0;
  JailLevel jail = JailLevel::Namespace;  ///< Weakest jail level that is acceptable.
  /// Objects that the run has judged before: where the candidate compiles to one of them, the
  /// builder may answer at once with that object and (compile, correct). A worker never sees this
  /// list.
  std::vector<std::string> known_objects;
  std::vector<GpuFacts> gpu;  ///< cuda: the device limits that the plans keep to; exactly one.
  /// cuda: reasons why the candidate cannot be launched; the builder then answers with them, so a
  /// worker never sees any.
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

/// Identifies a built candidate, to tell whether it was judged before: the hash of its object, on
/// cuda of object and plans, since two points of a tuning space may differ only in their launches.
std::string code_identity(const EvaluationRequest& request);

/// One timed pair. Times are taken by the referee, with the time of an empty call subtracted.
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
  double value = 0;  ///< The median ratio; 0: not measured.
  double low = 0;
  double high = 0;
  double confidence = 0;
  std::string baseline;  ///< Name of the opponent.
  /// Noise floor: how far from equal a kernel timed against itself (A/A) seems; none: no win
  /// depended on the floor.
  std::optional<double> noise_floor;
  bool is_faster = false;  ///< The decision of measure::decide().
  /// Number of series in fresh processes behind `noise_floor`; 0: there is none, or it is assumed.
  int floor_series = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("value", s.value), v("low", s.low), v("high", s.high), v("confidence", s.confidence),
        v("baseline", s.baseline), v("noise_floor", s.noise_floor), v("is_faster", s.is_faster),
        v("floor_series", s.floor_series);
  }
};

/// Largest deviations of one workload's outputs from the float64 reference values.
struct Accuracy {
  double checksum_diff = 0;
  double max_abs_diff = 0;
  double rel_l2 = 0;
  /// RMS error ÷ that of the trusted baseline; 0: the gate was not applied.
  double rms_ratio = 0;
  double gate_fraction = 0;  ///< Largest deviation ÷ allowed deviation; at most 1 passes.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("checksum_diff", s.checksum_diff), v("max_abs_diff", s.max_abs_diff), v("rel_l2", s.rel_l2),
        v("rms_ratio", s.rms_ratio), v("gate_fraction", s.gate_fraction);
  }
};

/// cuda: the candidate timed by the referee's own clock, which neither device code nor a player can
/// reach.
struct Retimed {
  double call_ns = 0;   ///< Lower quartile of the wall time of a call, less `empty_ns`.
  double empty_ns = 0;  ///< Lower quartile of the wall time of an empty call, over as many calls.
  /// Number of calls, each with cold caches and on the memory that the previous call left.
  int calls = 0;
  /// Whether the calls had pauses between them, because a series without pauses had seemed too
  /// slow.
  bool is_paced = false;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("call_ns", s.call_ns), v("empty_ns", s.empty_ns), v("calls", s.calls);
    v("is_paced", s.is_paced);
  }
};

/// cuda: how a host launcher was run in the pairs, and how long it takes when run the other way.
struct HostLaunch {
  std::string role;  ///< candidate | opponent
  /// Whether the launcher was run as a captured graph; else its function was called on the stream.
  bool is_captured = false;
  /// For captured launchers: median time when the function is called instead; 0: not measured.
  double eager_ns = 0;
  std::string why_not_captured = {};

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("role", s.role), v("is_captured", s.is_captured), v("eager_ns", s.eager_ns),
        v("why_not_captured", s.why_not_captured);
  }
};

/// cuda: candidate or opponent timed back to back: many calls in one graph on rotating buffers,
/// with caches as the call before left them. Reported beside the cold time; decides nothing.
struct Sustained {
  std::string role;    ///< candidate | opponent
  double call_ns = 0;  ///< Median over graphs of the time per call, zeroing of workspaces included.
  double span_ns = 0;  ///< Time that all graphs took together.
  std::int64_t calls = 0;
  int buffers = 0;      ///< Sets of tensors used in turn; the outputs of all of them were checked.
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
  std::uint64_t seed = 0;  ///< Seed of the input sets.
  // The fields below are set for timed workloads only.
  double median_ns = 0;
  double opponent_ns = 0;
  Speedup speedup;
  std::vector<Sample> samples;
  /// Time of an empty call, already subtracted from the samples.
  double empty_call_ns = 0;
  /// Number of short calls that one sample times together, each call on its own input set; 1: one
  /// call.
  int calls_per_sample = 1;
  /// Number of the opponent's calls that one sample times together; 0: there is no opponent.
  int opponent_calls_per_sample = 0;
  double checked_share = 1;  ///< Share of compared elements looked at after each timed call.
  /// Probability that one wrong block escapes all partial checks of this record.
  double miss_probability = 0;
  /// cpu: calls of the single long-lived process through which a win must be confirmed; 0: there
  /// was no such process.
  int life_calls = 0;
  /// Calls among `life_calls` whose inputs had a known truth (reference values) and whose outputs
  /// were compared in full.
  int life_checked = 0;
  std::vector<Retimed> retimed;  ///< At most one, for a candidate that was found faster.
  /// One entry for each of candidate and opponent that is a host launcher.
  std::vector<HostLaunch> host_launches;
  /// One entry each for candidate and opponent, where calls were also timed back to back.
  std::vector<Sustained> sustained;
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

/// cuda: the launches that one plan makes of one kernel with one geometry.
struct KernelProfile {
  std::string kernel;  ///< Name in the plan; "fill" and "copy" for these steps of a plan.
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> block;
  int launches = 0;  ///< Number of launches in one call.
  /// Time of all launches that this record describes, by events around each, in a run without a
  /// profiler.
  double total_ns = 0;
  /// Counters of one launch, by Nsight Compute's names and in base units (bytes, ns, per cent);
  /// empty where they were not read.
  std::map<std::string, double> counters;

  /// The value of a counter; nothing where it is missing.
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

/// A look at the kernels of one workload, in a separate run under the profile jail.
struct WorkloadProfile {
  std::string workload;
  std::vector<KernelProfile> kernels;  ///< In the order of their first launches.
  std::string counters_by;             ///< "Nsight Compute 2025.3.1"; empty: none were read.
  /// What of the profile is missing and why, or what was used in its place.
  std::string note;
  /// The same by stable names, "; " between them: "no counters: no ncu"; empty in older records.
  std::string about{};
  std::vector<double>
      numbers{};  ///< Those of the note, as Finding::numbers; none in older records.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("workload", s.workload), v("kernels", s.kernels), v("counters_by", s.counters_by),
        v("note", s.note), v("about", s.about), v("numbers", s.numbers);
  }
};

/// One pass of compute-sanitizer.
struct SanitizerPass {
  std::string tool;      ///< memcheck | racecheck | initcheck | synccheck
  std::string workload;  ///< Name of the workload, a small one.
  /// Whether the tool missed a defect that we planted in the same run, so that its silence proves
  /// nothing.
  bool is_void = false;
  std::int64_t errors = 0;  ///< Errors in the candidate's kernels.
  std::string note;         ///< Why the pass is void.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("tool", s.tool), v("workload", s.workload), v("is_void", s.is_void), v("errors", s.errors),
        v("note", s.note);
  }
};

/// Everything that the referee did with one candidate, as one record.
struct Evaluation {
  int format = 1;
  std::string id;  ///< Id of the request.
  Verdict verdict;
  std::vector<Finding> findings;
  Speedup speedup;               ///< Geometric mean over the timed workloads.
  double roofline_fraction = 0;  ///< Geometric mean over the timed workloads.
  std::vector<WorkloadResult> workloads;
  std::vector<SkippedWorkload> skipped;
  JailLevel jail = JailLevel::None;
  int jail_uid = -1;  ///< The uid the players ran as.
  TrustClass trust_class = TrustClass::CpuFunction;
  std::optional<TrustClass> opponent_class;  ///< Trust class of the opponent; none: no opponent.
  /// Set where the opponent is a host launcher that the user gave (`kw judge --against`): its host
  /// code shared the player's process, and only the user vouches for it.
  bool opponent_trusted_by_user = false;
  /// How an opponent that is itself a candidate failed while it was the opponent; empty: it did
  /// not. The rest of a record with such a fault says that no pairs were timed, or belongs to pairs
  /// with another opponent.
  std::string opponent_fault;
  std::string device;                      ///< DeviceFacts::id.
  std::string machine;                     ///< Model of the machine, in words.
  std::string worker;                      ///< Version of the worker.
  std::string object_sha256;               ///< code_identity() of the request.
  std::map<std::string, double> stage_ns;  ///< Time by stage; no two stages overlap.
  /// Time within the stages measure and retime, by step: sets, opponent, life, place, forget,
  /// flush, call, check, floor, retime; no two steps overlap.
  std::map<std::string, double> account_ns;
  std::vector<WorkloadProfile> profiles;  ///< Set where the request asked for profiles.
  std::vector<SanitizerPass> sanitizer;   ///< Set where the request asked for passes.
  /// cuda: state of the GPU when timing began and after it, where the driver reports it.
  std::vector<GpuMoment> moments;

  /// Whether a player was started for the candidate, in a jail of any level, `none` included.
  bool has_run() const { return jail_uid >= 0; }
  /// Geometric mean of the timed workloads' medians; 0 if nothing was timed.
  double mean_time_ns() const;
  /// The opponent's name, with its trust class where that differs from the candidate's, and with a
  /// remark where only the user trusts it.
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
