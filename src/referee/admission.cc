// Examines one workload after another and turns what was found into sentences.
// SPDX-License-Identifier: Apache-2.0
#include "referee/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "referee/bench.h"
#include "referee/conclusion.h"
#include "referee/mutant_trial.h"
#include "referee/null_answers.h"
#include "referee/subject.h"

namespace kw::referee {
namespace {

using Clock = std::chrono::steady_clock;

/// The programs of the task's own code that a request carries, for the device and for the host.
struct References {
  std::optional<Program> reference, magnitude, native, fast, magnitude_fast;

  explicit References(const EvaluationRequest& request)
      : reference(program_of(request, "reference_f64")),
        magnitude(program_of(request, "magnitude_f64")),
        native(program_of(request, "reference_native")),
        fast(program_of(request, "reference_fast")),
        magnitude_fast(program_of(request, "magnitude_fast")) {}
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
  Result<> prove_fast();
  Result<> examine(const Workload& workload);
  Result<bool> examine_first(Bench& bench, Subject& subject);
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
  const Trusted trusted{.maker = maker_, .native = pointer(references_.native), .fast = fast_};
  auto bench = std::make_unique<Bench>(device_, request_.task, workload, seed, trusted);
  if (bench->is_fast()) {
    bench->expect(fast_errors_);
    return bench;
  }
  return std::make_unique<Bench>(examined_, request_.task, workload, seed,
                                 Trusted{.maker = maker_, .native = trusted.native});
}

// Compares the fast reference with the task's own on every workload that the host can compute.
Result<> Examination::prove_fast() {
  if (fast_.reference == nullptr) return {};
  std::vector<std::unique_ptr<Bench>> benches;
  std::vector<Bench*> small;
  for (const Workload& workload : request_.workloads) {
    if (workload.group == Group::Time) continue;
    benches.push_back(std::make_unique<Bench>(
        device_, request_.task, workload,
        Seed::from_number(request_.seed).child("fast").child(workload.name),
        Trusted{.maker = maker_, .native = pointer(references_.native), .fast = fast_}));
    if (!benches.back()->is_fast()) small.push_back(benches.back().get());
  }
  if (small.empty()) {
    admission_.problems.push_back(
        "The fast reference cannot be verified, because no check workload is small enough for the "
        "host: add one under 'check' in shapes.yaml.");
    return {};
  }
  KW_TRY(Bench::prepare_together(small, kWarmSet + 1));
  const auto agreed = Bench::verify_fast(small, kWarmSet + 1);
  is_fast_proven_ = agreed.has_value();
  if (!agreed)
    admission_.problems.push_back(agreed.error().what + ".");
  else
    fast_errors_ = Bench::worst_errors(small, kWarmSet + 1);
  return {};
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
  if (workload.group == Group::Time) trial.emplace(request_.task, workload, outside());
  for (int draw = 0; draw == 0 || (trial && trial->is_open() && !is_spent()); ++draw) {
    const auto bench = bench_for(workload, draw);
    if (std::string why = draw == 0 ? why_unexamined(*bench) : ""; !why.empty()) {
      leave_out(workload, std::move(why));
      return {};
    }
    Subject subject(*bench, bench->is_fast() ? fast_ : maker_);
    KW_TRY(subject.prepare());
    if (draw == 0 && !KW_TRY(examine_first(*bench, subject))) return {};
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
    doubt->front() = 'T';
    admission_.problems.push_back(*std::move(doubt) + ".");
    return false;
  }
  // A host that is too slow for the float64 reference is also too slow for the reference at the
  // task's type, so the baseline has no figures then.
  if (!bench.is_fast()) {
    const Known& known = subject.known();
    admission_.baseline.push_back({.workload = bench.workload().name,
                                   .passed = !known.baseline_failure,
                                   .gate_fraction = known.baseline.gate_fraction,
                                   .failure = known.baseline_failure.value_or("")});
  }
  KW_TRY(try_null_answers(subject, admission_.answers));
  return true;
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
  KW_TRY(prove_fast());
  for (const Workload& workload : request_.workloads) {
    if (workload.group == Group::Show) continue;
    if (is_spent())
      leave_out_for_time(workload, "not examined: the time limit was reached");
    else
      KW_TRY(examine(workload));
  }
  if (is_incomplete_) admission_.problems.emplace_back(kTimeWasSpent);
  conclude(admission_);
  return std::move(admission_);
}

}  // namespace

Result<Admission> admit(device::Device& device, device::Device* host,
                        const EvaluationRequest& request, const AdmissionOptions& options) {
  return Examination(device, host, request, options).run();
}

}  // namespace kw::referee
