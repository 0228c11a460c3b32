// Runs profiler and sanitizer after a verdict: which workload they look at, and where their results
// go.
// SPDX-License-Identifier: Apache-2.0
#include "profile/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "device/cuda.h"
#include "platform/clock.h"
#include "worker/worker.h"

namespace kw::worker {
namespace {

constexpr const char* kOpsRole = "device_ops";
constexpr const char* kPlayerRole = "device_player";
constexpr const char* kControlRole = "trusted_control";

bool is_asked_for(const EvaluationRequest& request, const Workload& w) {
  const auto& only = request.measure.only;
  return only.empty() || std::find(only.begin(), only.end(), w.name) != only.end();
}

bool is_skipped(const Evaluation& e, const Workload& w) {
  return std::any_of(e.skipped.begin(), e.skipped.end(),
                     [&](const SkippedWorkload& s) { return s.name == w.name; });
}

/// The timed workload with the longest call; the largest if nothing was timed.
const Workload* to_profile(const EvaluationRequest& request, const Evaluation& e) {
  const auto weight = [&](const Workload& w) {
    for (const WorkloadResult& r : e.workloads)
      if (r.name == w.name && r.median_ns > 0) return std::pair(r.median_ns, w.bytes());
    return std::pair(0.0, w.bytes());
  };
  const Workload* found = nullptr;
  for (const Workload& w : request.workloads)
    if (w.group == Group::Time && is_asked_for(request, w) && !is_skipped(e, w) &&
        (found == nullptr || weight(w) > weight(*found)))
      found = &w;
  return found;
}

/// The largest shown workload that takes at most a mebibyte: large enough for many blocks, and
/// small enough for a tool that takes a hundred times as long. If none is shown, one of those that
/// are checked; if all are larger, the smallest.
const Workload* to_sanitize(const EvaluationRequest& request) {
  constexpr std::int64_t kSmall = std::int64_t{1} << 20;
  const auto weight = [](const Workload& w) {
    const bool is_small = w.bytes() <= kSmall;
    return std::tuple(is_small, w.group == Group::Show, is_small ? w.bytes() : -w.bytes());
  };
  const Workload* found = nullptr;
  for (const Workload& w : request.workloads)
    if (w.group != Group::Time && (found == nullptr || weight(w) > weight(*found))) found = &w;
  return found;
}

/// `about` is the stable name of what was left out and why.
Finding note(std::string about, std::string text) {
  return {FindingKind::Note, 99, std::move(text), "", "", MismatchPattern::None, std::move(about)};
}

void append(std::vector<Finding> from, Evaluation& to) {
  std::move(from.begin(), from.end(), std::back_inserter(to.findings));
}

}  // namespace

Result<> Worker::equip(const std::vector<BuildUnit>& units) {
  for (const BuildUnit& unit : units)
    if (!unit.object.empty()) trusted_[unit.role] = unit.object.front();
  return device_->equip(units);
}

Result<> Worker::inspect(const EvaluationRequest& request, Evaluation& e) {
  const auto* gpu = device::surroundings_of(*device_);
  const BuildUnit* unit = request.unit("candidate");
  if (gpu == nullptr || request.candidate.trust_class != TrustClass::DeviceCode) {
    e.findings.push_back(note(
        gpu == nullptr ? "not inspected: target" : "not inspected: host code",
        "Neither profiled nor sanitized: both need device code on a GPU, " +
            std::string(gpu == nullptr ? "and this is target " + std::string(name_of(facts_.target))
                                       : "and this candidate has host code") +
            "."));
    return {};
  }
  const bool ran = e.verdict.stage >= Stage::Run;
  const bool is_right = e.verdict.is_correct() || e.verdict.outcome == Outcome::Unmeasurable;
  if (!ran || (!is_right && !request.inspect.sanitize)) {
    e.findings.push_back(note("not inspected: ended before",
                              fmt::format("Neither profiled nor sanitized: the kernel ended at {}.",
                                          name_of(e.verdict.stage))));
    return {};
  }
  // The device must be held alone: counters are of the whole GPU, and others' timed calls must not
  // be disturbed.
  if (held_->mode() != platform::LeaseMode::Exclusive) KW_TRY(take_alone());
  const profile::SpecimenRoom room{.gpu = gpu,
                                   .jail = request.jail,
                                   .ops_path = trusted_[kOpsRole].path,
                                   .player_path = trusted_[kPlayerRole].path,
                                   .control = trusted_[kControlRole],
                                   .program = {}};
  const auto subject = [&](const Workload& w) {
    return profile::InspectedUnit{unit, &w, request.plan("candidate", w.name)};
  };
  const std::int64_t began = platform::real_clock().now_ns();
  // Twice the memory must be free, since a profiler may keep a second copy of what a kernel writes.
  const auto has_room = [&](const profile::InspectedUnit& s) {
    if (2 * (s.workload->bytes() + s.plan->workspace_bytes()) <= device_->free_bytes()) return true;
    e.findings.push_back(
        note("not inspected: memory",
             "Neither profiled nor sanitized: too little of the GPU's memory is free to run " +
                 s.workload->name + " again."));
    return false;
  };
  if (const Workload* w = to_sanitize(request); request.inspect.sanitize && w != nullptr)
    if (const auto s = subject(*w); s.plan != nullptr && has_room(s)) {
      auto sanitized = profile::sanitize_workload(room, s);
      e.sanitizer = std::move(sanitized.passes);
      append(std::move(sanitized.findings), e);
    }
  if (request.inspect.profile && !is_right)
    e.findings.push_back(
        note("not profiled: not correct", "Not profiled: the kernel is not correct."));
  if (const Workload* w = to_profile(request, e);
      request.inspect.profile && is_right && w != nullptr)
    if (const auto s = subject(*w); s.plan != nullptr && has_room(s)) {
      e.profiles.push_back(profile::profile_workload(room, s));
      append(profile::profile_findings(e.profiles.back(), *w, facts_), e);
    }
  e.stage_ns["profile"] = static_cast<double>(platform::real_clock().now_ns() - began);
  return {};
}

}  // namespace kw::worker
