// Judging on one device.
// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <cmath>
#include <ctime>

#include "device/cpu.h"
#include "generated/version.h"
#include "platform/clock.h"
#include "platform/locks.h"
#include "profile/ceilings.h"
#include "profile/roofline.h"
#include "profile/rules.h"

namespace kw::worker {
namespace {

std::string now_utc() {
  const std::time_t t = static_cast<std::time_t>(platform::real_clock().wall_seconds());
  std::tm utc{};
  gmtime_r(&t, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

Result<platform::Lease> lease(const DeviceFacts& facts, platform::LeaseMode mode,
                              const std::string& who) {
  return platform::Lease::acquire(facts.id, mode, who);
}

const Workload* find_workload(const EvaluationRequest& request, const std::string& name) {
  for (const Workload& w : request.workloads)
    if (w.name == name) return &w;
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::open() {
  return std::make_unique<Worker>(KW_TRY(device::open_cpu()));
}

Worker::Worker(std::unique_ptr<device::Device> device)
    : device_(std::move(device)), facts_(device_->facts()), referee_(*device_) {}

const DeviceFacts& Worker::greet(const std::vector<DeviceFacts>& remembered) {
  if (!remembered.empty() && remembered.front().id == facts_.id) {
    facts_.ceilings = remembered.front().ceilings;
    facts_.measured_at = remembered.front().measured_at;
  }
  return facts_;
}

Result<Reply> Worker::measure(bool is_full) {
  const auto held = KW_TRY(lease(facts_, platform::LeaseMode::Exclusive, "measuring ceilings"));
  const auto report = KW_TRY(
      profile::measure_ceilings(facts_, is_full ? profile::Effort::Full : profile::Effort::Quick));
  facts_.ceilings = report.ceilings;
  facts_.measured_at = now_utc();
  Reply reply;
  reply.facts = {facts_};
  reply.notes = report.refused;
  reply.notes.insert(reply.notes.end(), report.unreliable.begin(), report.unreliable.end());
  return reply;
}

void Worker::explain(const EvaluationRequest& request, Evaluation& e) const {
  double log_sum = 0;
  int n = 0;
  for (WorkloadResult& w : e.workloads) {
    const Workload* workload = find_workload(request, w.name);
    if (workload == nullptr || w.median_ns <= 0) continue;
    profile::fill_rates(w, workload->work);
    w.roofline = profile::position(*workload, w.median_ns, facts_);
    if (w.roofline.fraction <= 0) continue;
    log_sum += std::log(w.roofline.fraction);
    ++n;
  }
  e.roofline_fraction = n == 0 ? 0 : std::exp(log_sum / n);
  e.findings = profile::explain(e, {&request.task, request.unit("candidate")});
}

Result<Evaluation> Worker::judge(const EvaluationRequest& request) {
  const bool is_timed = request.until >= Stage::Measure;
  const auto held =
      KW_TRY(lease(facts_, is_timed ? platform::LeaseMode::Exclusive : platform::LeaseMode::Shared,
                   "judging " + request.candidate.name + " for " + request.task.name));
  Evaluation e = KW_TRY(referee_.judge(request));
  e.id = request.id;
  e.device = facts_.id;
  e.machine = facts_.model;
  e.worker = std::string(built_commit());
  e.skipped = request.skipped;
  explain(request, e);
  return e;
}

Result<std::vector<AdmissionLine>> Worker::admit(const EvaluationRequest& request) {
  const auto held =
      KW_TRY(lease(facts_, platform::LeaseMode::Shared, "admitting " + request.task.name));
  std::vector<AdmissionLine> lines;
  return lines;
}

Result<Reply> Worker::try_answer(const Message& message) {
  if (message.version != kProtocolVersion)
    return fail("the controller is of another version; rebuild it", "", Advice::Stop);
  Reply reply;
  const bool needs_request = message.verb == Verb::Judge || message.verb == Verb::Admit;
  if (needs_request && message.request.size() != 1) return fail("a message without its request");
  switch (message.verb) {
    case Verb::Hello:
      reply.facts = {greet(message.facts)};
      break;
    case Verb::Judge:
      reply.evaluation = {KW_TRY(judge(message.request.front()))};
      break;
    case Verb::Admit:
      reply.admission = KW_TRY(admit(message.request.front()));
      break;
    case Verb::Measure:
      reply = KW_TRY(measure(message.is_full));
      break;
  }
  reply.is_ok = true;
  return reply;
}

Reply Worker::answer(const Message& message) {
  auto reply = try_answer(message);
  return reply ? std::move(*reply) : reply_of(reply.error());
}

}  // namespace kw::worker
