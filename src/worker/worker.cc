// Judges candidates on one device, and manages the device's lease.
// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <utility>

#include "compile/cuda_libraries.h"
#include "device/cpu.h"
#include "device/cuda.h"
#include "device/known_devices.h"
#include "generated/version.h"
#include "platform/clock.h"
#include "platform/locks.h"
#include "profile/ceilings.h"
#include "profile/kernel_rules.h"
#include "profile/roofline.h"
#include "profile/rules.h"
#include "record/bounds.h"
#include "record/target.h"
#include "referee/admission.h"
#include "worker/request_check.h"

namespace kw::worker {
namespace {

/// Time after which a wait for the device is reported: longer than another worker takes to check a
/// kernel.
constexpr platform::Nanoseconds kQuietWait = std::chrono::milliseconds(1500);
/// How often a wait is reported again.
constexpr platform::Nanoseconds kWaitNews = std::chrono::seconds(30);
/// Longest time that taking a free lease needs.
constexpr platform::Nanoseconds kNoWait = std::chrono::milliseconds(1);

const Workload* find_workload(const EvaluationRequest& request, const std::string& name) {
  for (const Workload& w : request.workloads)
    if (w.name == name) return &w;
  return nullptr;
}

std::string words_of(const referee::MutantResult& mutant) {
  using Fate = referee::MutantFate;
  const std::string note = mutant.note.empty() ? "" : " (" + mutant.note + ")";
  switch (mutant.fate) {
    case Fate::Caught:
      return fmt::format("caught: the error is {:.3g} times what the gate allows{}{}",
                         mutant.gate_fraction,
                         mutant.sets > 1 ? fmt::format(" on input set {}", mutant.sets) : "", note);
    case Fate::Passed:
      return fmt::format(
          "taken for correct on {} input sets, with at most {:.2g} of the error that the gate "
          "allows{}",
          mutant.sets, mutant.gate_fraction, note);
    case Fate::Blind:
      return fmt::format("the right answer on {} input sets{}", mutant.sets, note);
    case Fate::Excused:
      return fmt::format("taken for correct, which is legitimate: {}", mutant.note);
    case Fate::Inapplicable:
      return fmt::format("not tried here: {}", mutant.note);
  }
  return {};
}

/// Turns what a library throws for lack of memory into an error, since a worker outlives a request.
template <class Work>
auto within_memory(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::NoMemory,
                "this machine has too little free memory for what this request needs");
  } catch (const std::length_error&) {
    return fail(ErrorCode::NoMemory, About{"any machine"},
                "this request needs more memory than any machine has");
  }
}

/// Lines about the admission of a task, remarks and problems last: these say what to do, the other
/// lines where each was seen.
std::vector<AdmissionLine> lines_of(const referee::Admission& admission) {
  std::vector<AdmissionLine> lines;
  for (const referee::BaselineFigure& b : admission.baseline)
    lines.push_back(
        {b.is_reordered ? "honest kernel with other sums" : "reference at the task's type",
         b.workload, b.passed,
         b.passed ? fmt::format("at {:.3g} of the gate", b.gate_fraction) : b.failure});
  for (const referee::NullAnswer& a : admission.answers) {
    if (!a.is_applicable) continue;
    // Only timed workloads must all catch a wrong answer; one that passes a check workload may fail
    // on another.
    lines.push_back({a.name, a.workload, !a.passed || a.group != Group::Time,
                     a.passed
                         ? "taken for correct" + (a.note.empty() ? "" : ": " + a.note)
                         : fmt::format("caught: the error is {:.3g} times what the gate allows",
                                       a.gate_fraction)});
  }
  for (const referee::MutantResult& m : admission.mutants)
    lines.push_back({m.name, m.workload, !referee::is_hole(m.fate), words_of(m), true,
                     m.fate != referee::MutantFate::Inapplicable});
  for (const SkippedWorkload& s : admission.unexamined)
    lines.push_back({"null answers and mutants", s.name, true, s.reason, false});
  for (const std::string& remark : admission.remarks) lines.push_back({remark, "all", true, ""});
  for (const std::string& problem : admission.problems)
    lines.push_back({problem, "all", false, ""});
  return lines;
}

}  // namespace

bool is_to_inspect(const EvaluationRequest& request, const Evaluation& e) {
  const Inspection& asked = request.inspect;
  if (!asked.profile && !asked.sanitize) return false;
  if (request.measure.purpose != Purpose::Search) return true;
  return e.verdict.is_correct() && (e.speedup.is_faster || asked.of_slower);
}

namespace {

Result<std::unique_ptr<Worker>> open_processor(std::optional<JailLevel> expected) {
  const device::CpuOptions cpu{.player = {}, .expected_jail = expected};
  return std::make_unique<Worker>(KW_TRY(device::open_cpu(cpu)));
}

Result<std::unique_ptr<Worker>> open_gpu(std::optional<JailLevel> expected) {
  const device::CpuOptions cpu{.player = {}, .expected_jail = expected};
  device::CudaOptions options;
  options.expected_jail = expected;
  options.library_folders = compile::cuda_library_folders(compile::find_cuda_toolkit());
  auto gpu = device::open_cuda(options);
  if (!gpu)
    return fail(gpu.error().code, About{gpu.error().about},
                gpu.error().what +
                    "; without a GPU kernels can be compiled (--until compile --arch sm_90a) and "
                    "target cpu works",
                gpu.error().where, Advice::Stop);
  return std::make_unique<Worker>(std::move(*gpu), KW_TRY(device::open_cpu(cpu)));
}

}  // namespace

ByTarget<OpenWorker>& openers_of_workers() {
  static ByTarget<OpenWorker> all{{Target::Cpu, open_processor}, {Target::Cuda, open_gpu}};
  return all;
}

Result<std::unique_ptr<Worker>> Worker::open(Target target, std::optional<JailLevel> expected) {
  return openers_of_workers()[target](expected);
}

Worker::Worker(std::unique_ptr<device::Device> device, std::unique_ptr<device::Device> host)
    : device_(std::move(device)),
      host_(std::move(host)),
      facts_(facts_of(*device_)),
      referee_(*device_, host_.get(),
               {.patience = {.tell = [this](const std::string& what) { tell_work(what); }},
                .before_measuring = [this] { return take_alone(); },
                .raise_ceilings = [this] { return raise_ceilings(); },
                .is_hurried = [this] { return is_hurried_ && is_hurried_(); }}) {}

DeviceFacts Worker::facts_of(const device::Device& device) {
  DeviceFacts facts = device.facts();
  const device::KnownDevice* known = device::find_known_device(facts.model);
  if (known != nullptr && !facts.gpu.empty()) facts.gpu.front().datasheet = {known->rates};
  return facts;
}

void Worker::tell_work(const std::string& words) const {
  if (tell_) tell_({Doing::Working, words});
}

Result<platform::Lease> Worker::lease(platform::LeaseMode mode, const std::string& work) const {
  const std::string who = client_ + ", " + work;
  const platform::Clock& clock = platform::real_clock();
  const std::int64_t began = clock.now_ns();
  auto held = platform::Lease::acquire(facts_.id, mode, who, kQuietWait);
  std::string told;
  std::int64_t told_ns = 0;
  while (!held && held.error().advice == Advice::Retry) {
    // The holder is reported again when it changes while others queue.
    const std::int64_t now = clock.now_ns();
    const Error& error = held.error();
    if (tell_ && (error.about != told || now - told_ns > kWaitNews.count())) {
      told = error.about;
      told_ns = now;
      // A person knows the device by its kind, so its id is left out.
      tell_({Doing::Waiting, error.code == ErrorCode::Busy
                                 ? fmt::format("{} is in use by {}", name_of(facts_.target), told)
                                 : error.what});
    }
    held = platform::Lease::acquire(facts_.id, mode, who, kQuietWait);
  }
  if (held && tell_) {
    // Even a short wait is reported, since its time belongs to no budget.
    if (const std::int64_t waited = clock.now_ns() - began; waited > kNoWait.count())
      tell_({Doing::Waited, "", waited});
    tell_work(work);
  }
  return held;
}

Result<> Worker::take_alone() {
  held_.reset();  // a share held while waiting for the others would make the wait endless
  held_ = KW_TRY(lease(platform::LeaseMode::Exclusive, "measuring " + judged_));
  moments_.clear();
  look_at_device();
  return {};
}

void Worker::look_at_device() {
  if (facts_.gpu.empty()) return;
  if (!std::exchange(has_asked_nvml_, true)) nvml_ = device::Nvml::open(facts_.id);
  if (nvml_) moments_.push_back(nvml_->look());
}

const DeviceFacts& Worker::greet(const std::vector<DeviceFacts>& remembered) {
  if (!remembered.empty() && remembered.front().id == facts_.id) {
    facts_.ceilings = remembered.front().ceilings;
    facts_.measured_at = remembered.front().measured_at;
    referee_.set_ceilings(facts_.ceilings);
  }
  return facts_;
}

Result<profile::CeilingReport> Worker::measure_ceilings(bool is_full) {
  auto report = KW_TRY(profile::measure_ceilings(
      *device_, is_full ? profile::Effort::Full : profile::Effort::Quick));
  facts_.ceilings = report.ceilings;
  facts_.measured_at = platform::utc_text(platform::real_clock().wall_seconds());
  referee_.set_ceilings(facts_.ceilings);
  return report;
}

// Measures ceilings again but lowers none: a ceiling that was once measured can be reached.
Result<> Worker::raise_ceilings() {
  const std::vector<Ceiling> before = facts_.ceilings;
  KW_TRY(measure_ceilings(false));
  for (const Ceiling& old : before) {
    const auto same =
        std::find_if(facts_.ceilings.begin(), facts_.ceilings.end(), [&](const Ceiling& now) {
          return now.kind == old.kind && now.level == old.level && now.isa == old.isa &&
                 now.threads == old.threads;
        });
    if (same == facts_.ceilings.end())
      facts_.ceilings.push_back(old);
    else if (same->per_second < old.per_second)
      *same = old;
  }
  referee_.set_ceilings(facts_.ceilings);
  has_news_ = true;
  return {};
}

Result<Reply> Worker::measure(bool is_full) {
  const auto held =
      KW_TRY(lease(platform::LeaseMode::Exclusive, "measuring the ceilings of " + facts_.model));
  const auto report = KW_TRY(measure_ceilings(is_full));
  Reply reply;
  reply.facts = {facts_};
  reply.notes = report.refused;
  reply.notes.insert(reply.notes.end(), report.unreliable.begin(), report.unreliable.end());
  return reply;
}

bool Worker::place_under_roof(const EvaluationRequest& request, Evaluation& e) const {
  double log_sum = 0;
  int n = 0;
  bool is_above = false;
  for (WorkloadResult& w : e.workloads) {
    const Workload* workload = find_workload(request, w.name);
    if (workload == nullptr || w.median_ns <= 0) continue;
    profile::fill_rates(w, workload->work);
    w.roofline = profile::position(
        *workload, w.median_ns, facts_,
        {.gate = request.task.gate.kind, .plan = request.plan("candidate", w.name)});
    is_above = is_above || profile::needs_remeasuring(w.roofline);
    if (w.roofline.fraction <= 0) continue;
    log_sum += std::log(w.roofline.fraction);
    ++n;
  }
  e.roofline_fraction = n == 0 ? 0 : std::exp(log_sum / n);
  return is_above;
}

Result<Evaluation> Worker::judge(const EvaluationRequest& request) {
  auto judged = within_memory([&] { return judge_under_lease(request); });
  if (!judged) judged = std::unexpected(explained(std::move(judged.error())));
  // A lease kept after an error would make the next judgement wait for itself.
  held_.reset();
  return judged;
}

Error Worker::explained(Error error) {
  if (facts_.gpu.empty()) return error;
  const auto probed = device_->probe();
  return probed ? error : probed.error();
}

Result<Evaluation> Worker::judge_under_lease(const EvaluationRequest& request) {
  KW_TRY(check_judgeable(request, facts_, Wanted::Judgement));
  judged_ = request.candidate.name;
  held_ = KW_TRY(lease(platform::LeaseMode::Shared, "checking " + judged_));
  moments_.clear();
  Evaluation e = KW_TRY(referee_.judge(request));
  if (held_->mode() == platform::LeaseMode::Exclusive) look_at_device();
  e.moments = moments_;
  e.id = request.id;
  e.worker = std::string(built_commit());
  // A kernel above its ceiling moves fewer bytes than the nominal count, or the ceiling is stale;
  // measuring the ceiling once more tells which.
  if (place_under_roof(request, e) && held_->mode() == platform::LeaseMode::Exclusive &&
      !std::exchange(has_remeasured_, true)) {
    KW_TRY(raise_ceilings());
    place_under_roof(request, e);
  }
  if (is_to_inspect(request, e)) KW_TRY(inspect(request, e));
  const std::vector<RolePlan> timed = profile::timed_plans(request);
  e.findings = profile::explain(e, {&request.task, request.unit("candidate"),
                                    facts_.gpu.empty() ? nullptr : &facts_.gpu.front(), timed});
  return e;
}

Result<std::vector<AdmissionLine>> Worker::admit(const EvaluationRequest& request) {
  KW_TRY(check_judgeable(request, facts_, Wanted::Admission));
  const auto held =
      KW_TRY(lease(platform::LeaseMode::Shared, "examining task " + request.task.name));
  return lines_of(KW_TRY(referee::admit(
      *device_, host_.get(), request,
      {.timeout_ns = referee::kReferenceTimeoutNs,
       .budget_ns = request.measure.wall_ns,
       .patience = {.tell = [this](const std::string& what) { tell_work(what); }}})));
}

Result<Reply> Worker::try_answer(const Message& message) {
  if (message.version != kProtocolVersion)
    return fail(
        ErrorCode::OtherBuild, About{"protocol"},
        "kw and kw-worker are of different builds: rebuild both, or unpack the release file again",
        "", Advice::Stop);
  Reply reply;
  const bool needs_request = message.verb == Verb::Judge || message.verb == Verb::Admit;
  if (needs_request && message.request.size() != 1)
    return fail(ErrorCode::Missing, About{"request"},
                "a message to kw-worker lacks the request that it needs");
  switch (message.verb) {
    case Verb::Hello:
      for (const DeviceFacts& facts : message.facts) KW_TRY(check_facts(facts));
      reply.facts = {greet(message.facts)};
      break;
    case Verb::Judge:
      reply.evaluation = {KW_TRY(judge(message.request.front()))};
      if (std::exchange(has_news_, false)) reply.facts = {facts_};
      break;
    case Verb::Admit:
      reply.admission = KW_TRY(admit(message.request.front()));
      break;
    case Verb::Measure:
      reply = KW_TRY(measure(message.is_full));
      break;
    case Verb::Equip:
      for (const BuildUnit& unit : message.units) KW_TRY(check_unit(unit));
      KW_TRY(equip(message.units));
      break;
    case Verb::Hurry:
      break;
  }
  reply.is_ok = true;
  return reply;
}

Reply Worker::answer(const Message& message) {
  auto reply = within_memory([&] { return try_answer(message); });
  return reply ? std::move(*reply) : reply_of(reply.error());
}

}  // namespace kw::worker
