// Examines one workload after another and turns what was found into sentences.
// SPDX-License-Identifier: Apache-2.0
#include "referee/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "record/coded_inputs.h"
#include "referee/bench.h"
#include "referee/conclusion.h"
#include "referee/mutant.h"
#include "referee/mutant_trial.h"
#include "referee/null_answers.h"
#include "referee/subject.h"
#include "task/long_truth.h"

namespace kw::referee {
namespace {

using Clock = std::chrono::steady_clock;

/// Number of input sets of each check workload on which the reference must run and pass: one set
/// may happen to lack the values on which it fails.
constexpr int kCheckDraws = 3;

/// The programs of the task's own code that a request carries, for the device and for the host.
struct References {
  std::optional<Program> reference, magnitude, native, reordered, fast, magnitude_fast, coded;

  explicit References(const EvaluationRequest& request)
      : reference(program_of(request, "reference_f64")),
        magnitude(program_of(request, "magnitude_f64")),
        native(program_of(request, "reference_native")),
        reordered(program_of(request, kReorderedRole)),
        fast(program_of(request, "reference_fast")),
        magnitude_fast(program_of(request, "magnitude_fast")),
        coded(program_of(request, kCodedRole)) {}
};

const Program* pointer(const std::optional<Program>& program) {
  return program ? &*program : nullptr;
}

class Examination {
 public:
  Examination(device::Device& device, device::Device* host, const EvaluationRequest& request,
              const AdmissionOptions& options)
      : device_(device),
        examined_(host != nullptr ? *host : device),
        request_(request),
        options_(options),
        references_(request),
        maker_{.device = &examined_,
               .task = &request.task,
               .reference = pointer(references_.reference),
               .magnitude = pointer(references_.magnitude),
               .jail = request.jail,
               .timeout_ns = options.timeout_ns,
               .patience = options.patience},
        fast_(maker_) {
    fast_.device = &device;
    fast_.reference = host != nullptr ? pointer(references_.fast) : nullptr;
    fast_.magnitude = pointer(references_.magnitude_fast);
  }

  Result<Admission> run();

 private:
  bool is_spent() const {
    return options_.budget_ns > 0 &&
           Clock::now() - begun_ > std::chrono::nanoseconds(options_.budget_ns);
  }
  std::unique_ptr<Bench> bench_for(const Workload& workload, int draw);
  void compare_scalars();
  Result<> prove_fast();
  Result<> examine(const Workload& workload);
  Result<bool> examine_first(Bench& bench, Subject& subject);
  void judge_baseline(const Bench& bench, const Subject& subject);
  Result<> judge_reordered(Subject& subject);
  std::string why_unexamined(const Bench& bench) const;
  void leave_out(const Workload& workload, std::string why) {
    admission_.unexamined.push_back({workload.name, workload.group, std::move(why)});
  }
  void leave_out_for_time(const Workload& workload, std::string why) {
    is_incomplete_ = true;
    leave_out(workload, std::move(why));
  }
  TrialOutside outside();

  device::Device& device_;
  device::Device& examined_;  ///< The device on which the task's reference runs.
  const EvaluationRequest& request_;
  const AdmissionOptions& options_;
  References references_;
  TruthMaker maker_;
  /// Computes truths with the task's fast reference; its `reference` is null where the task ships
  /// none for this device.
  TruthMaker fast_;
  bool is_fast_proven_ = false;
  bool is_incomplete_ = false;  ///< True if time ran out before the examination was complete.
  RelativeErrors fast_errors_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point told_ = Clock::now();
  Admission admission_;
};

// Prepares the workload on the device if it needs the fast reference, else where the task's own
// reference runs.
std::unique_ptr<Bench> Examination::bench_for(const Workload& workload, int draw) {
  Seed seed = Seed::from_number(request_.seed).child("admission").child(workload.name);
  if (draw > 0) seed = seed.child(static_cast<std::uint64_t>(draw));
  const Trusted trusted{.maker = maker_,
                        .native = pointer(references_.native),
                        .fast = fast_,
                        .coded = pointer(references_.coded)};
  auto bench = std::make_unique<Bench>(device_, request_.task, workload, seed, trusted);
  if (bench->is_fast()) {
    bench->baseline.expect(fast_errors_);
    return bench;
  }
  return std::make_unique<Bench>(
      examined_, request_.task, workload, seed,
      Trusted{.maker = maker_, .native = trusted.native, .coded = trusted.coded});
}

// Compares the fast reference with the task's own on every workload that the host can compute.
Result<> Examination::prove_fast() {
  if (fast_.reference == nullptr) return {};
  std::vector<std::unique_ptr<Bench>> benches;
  std::vector<Bench*> small;
  for (const Workload& workload : request_.workloads) {
    if (workload.group == Group::Time) continue;
    benches.push_back(
        std::make_unique<Bench>(device_, request_.task, workload,
                                Seed::from_number(request_.seed).child("fast").child(workload.name),
                                Trusted{.maker = maker_,
                                        .native = pointer(references_.native),
                                        .fast = fast_,
                                        .coded = pointer(references_.coded)}));
    if (!benches.back()->is_fast()) small.push_back(benches.back().get());
  }
  if (small.empty()) {
    admission_.problems.push_back(
        "The fast reference cannot be verified, because no check workload is small enough for the "
        "host: add one under 'check' in shapes.yaml.");
    return {};
  }
  KW_TRY(KnownTruths::prepare_together(truths_of(small), kWarmSet + 1));
  const auto agreed = KnownTruths::verify_fast(truths_of(small), kWarmSet + 1);
  is_fast_proven_ = agreed.has_value();
  if (!agreed)
    admission_.problems.push_back(agreed.error().what + ".");
  else
    fast_errors_ = worst_errors(small, kWarmSet + 1);
  return {};
}

// No gate can tell two scalars apart that have one value in all workloads. Integers whose value
// goes with the sizes are let alone, because pitches of equal matrices are equal.
void Examination::compare_scalars() {
  std::vector<const Workload*> workloads;
  for (const Workload& workload : request_.workloads)
    if (workload.group != Group::Show) workloads.push_back(&workload);
  if (workloads.empty()) return;
  const Workload& first = *workloads.front();
  const auto is_argument = [&](const Scalar& scalar) {
    return std::ranges::find(request_.task.signature, scalar.name, &Parameter::name) !=
           request_.task.signature.end();
  };
  for (const auto& [one, other] : exchangeable(first)) {
    const Scalar &a = first.scalars[one], &b = first.scalars[other];
    const std::string name = name_of_swap(a.name, b.name);
    const bool are_equal = std::ranges::all_of(workloads, [&](const Workload* workload) {
      const Scalar &x = workload->scalars[one], &y = workload->scalars[other];
      return x.real == y.real && x.integer == y.integer && x.integer == a.integer;
    });
    if (are_equal && is_argument(a) && is_argument(b) && !excuse_of(request_.task, name, {}))
      admission_.problems.push_back(fmt::format(
          "The scalars '{0}' and '{1}' have the same value in every workload, so a kernel that "
          "takes one for the other is correct: give them different values in task.yaml, or explain "
          "under 'excused' there why the mutant '{2}' is legitimate.",
          a.name, b.name, name));
  }
}

TrialOutside Examination::outside() {
  TrialOutside outside;
  outside.is_spent = [this] { return is_spent(); };
  if (options_.patience.tell)
    outside.tell = [this](const std::string& words) {
      if (Clock::now() - told_ < std::chrono::nanoseconds(options_.patience.after_ns)) return;
      told_ = Clock::now();
      options_.patience.tell(words);
    };
  return outside;
}

// Examines one input set after another. Each set has buffers of its own, which are freed before
// those of the next set are allocated.
Result<> Examination::examine(const Workload& workload) {
  std::optional<MutantTrial> trial;
  const auto begin_trial = [&](const Bench& bench) {
    auto loops = bench.is_fast() ? nullptr : LoopCuts::of(request_, maker_, workload);
    trial.emplace(request_.task, workload, outside(), std::move(loops));
  };
  const auto is_wanted = [&](int draw) {
    return draw == 0 || (!is_spent() && (trial ? trial->is_open() : draw < kCheckDraws));
  };
  for (int draw = 0; is_wanted(draw); ++draw) {
    const auto bench = bench_for(workload, draw);
    if (std::string why = draw == 0 ? why_unexamined(*bench) : ""; !why.empty()) {
      leave_out(workload, std::move(why));
      return {};
    }
    Subject subject(*bench, bench->is_fast() ? fast_ : maker_);
    KW_TRY(subject.prepare());
    if (draw == 0 && workload.group == Group::Time) begin_trial(*bench);
    if (draw == 0 && !KW_TRY(examine_first(*bench, subject))) return {};
    if (draw > 0 && !trial) judge_baseline(*bench, subject);
    if (trial) KW_TRY(trial->run(subject));
  }
  if (!trial) return {};
  if (const int left = trial->open(); left > 0)
    leave_out_for_time(
        workload,
        fmt::format("the time limit was reached before {} mutants were tried on all input sets",
                    left));
  const auto results = trial->results();
  admission_.mutants.insert(admission_.mutants.end(), results.begin(), results.end());
  return {};
}

// Checks that the truth can be believed; then judges the trusted baseline and the null answers.
Result<bool> Examination::examine_first(Bench& bench, Subject& subject) {
  if (auto doubt = KW_TRY(subject.doubt())) {
    doubt->words.front() = 'T';
    admission_.problems.push_back(std::move(doubt->words) + ".");
    return false;
  }
  judge_baseline(bench, subject);
  if (!bench.is_fast() && !subject.known().baseline_failure) KW_TRY(judge_reordered(subject));
  KW_TRY(try_null_answers(subject, admission_.answers));
  return true;
}

// Takes down how well the trusted baseline passes, once for each workload and again for each
// further input set on which it fails. A host that is too slow for the float64 reference is also
// too slow for the reference at the task's type, so there are no figures then.
void Examination::judge_baseline(const Bench& bench, const Subject& subject) {
  if (bench.is_fast()) return;
  const Known& known = subject.known();
  const std::string& workload = bench.workload().name;
  const bool is_first = std::ranges::find(admission_.baseline, workload,
                                          &BaselineFigure::workload) == admission_.baseline.end();
  if (!is_first && !known.baseline_failure) return;
  admission_.baseline.push_back({.workload = workload,
                                 .passed = !known.baseline_failure,
                                 .gate_fraction = known.baseline.gate_fraction,
                                 .failure = known.baseline_failure.value_or("")});
}

// An honest kernel forms sums in an order of its own, which the gates must let pass.
Result<> Examination::judge_reordered(Subject& subject) {
  if (!references_.reordered) return {};
  BaselineFigure figure{.workload = subject.workload().name, .is_reordered = true};
  if (auto trouble = KW_TRY(subject.answer_of(*references_.reordered))) {
    figure.failure = *std::move(trouble);
  } else {
    const Judged judged = KW_TRY(subject.judge());
    figure.passed = judged.passed;
    figure.gate_fraction = judged.gate_fraction;
    figure.failure = judged.failure;
  }
  admission_.baseline.push_back(std::move(figure));
  return {};
}

std::string Examination::why_unexamined(const Bench& bench) const {
  if (bench.is_fast() && !is_fast_proven_)
    return "not examined: the task's fast reference could not be verified";
  if (bench.fits()) return {};
  const device::Device& device = bench.is_fast() ? device_ : examined_;
  return fmt::format("not examined: examining this workload needs {} of memory, and {} are free",
                     format_bytes(static_cast<std::uint64_t>(bench.bytes_to_begin())),
                     format_bytes(static_cast<std::uint64_t>(device.free_bytes())));
}

Result<Admission> Examination::run() {
  compare_scalars();
  KW_TRY(prove_fast());
  for (const Workload& workload : request_.workloads) {
    if (workload.group == Group::Show) continue;
    if (is_spent())
      leave_out_for_time(workload, "not examined: the time limit was reached");
    else
      KW_TRY(examine(workload));
  }
  if (is_incomplete_) admission_.problems.emplace_back(kTimeWasSpent);
  if (const BuildUnit* truth = request_.unit("reference_f64");
      truth != nullptr && contains(truth->defines, task::kTruthInDouble))
    admission_.remarks.emplace_back(
        "The reference does not compile with 'long double' as its template's type, in which the "
        "truth of f64 outputs is computed, so the truth is that of 'double': honest kernels that "
        "round less may be refused. Name the template's type throughout reference.cpp.");
  conclude(admission_);
  return std::move(admission_);
}

}  // namespace

// Unlike fast_math, the pragma leaves infinities and NaN what they are; compilers that do not know
// it keep the order of the source.
std::optional<BuildUnit> reordered_unit(const EvaluationRequest& request) {
  const BuildUnit* native = request.unit("reference_native");
  if (native == nullptr || native->files.empty()) return std::nullopt;
  BuildUnit unit = *native;
  unit.role = kReorderedRole;
  unit.object.clear();
  unit.files.front().text.insert(
      0, "#pragma GCC optimize(\"associative-math\", \"no-signed-zeros\", \"no-trapping-math\")\n");
  return unit;
}

Result<Admission> admit(device::Device& device, device::Device* host,
                        const EvaluationRequest& request, const AdmissionOptions& options) {
  return Examination(device, host, request, options).run();
}

}  // namespace kw::referee
