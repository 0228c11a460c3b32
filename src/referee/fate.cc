// Describes every way in which a load or a call can end, and names its outcome.
// SPDX-License-Identifier: Apache-2.0
#include "referee/fate.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/defence.h"
#include "base/foreign_text.h"

namespace kw::referee {
namespace {

using device::Fate;

constexpr std::size_t kDetailLimit = 600;
// Above this number of threads, and two more for each thread of PoolOptions, no thread can be made:
// libgomp then exits, and std::thread throws.
constexpr double kThreadLimit = 64;

// Error numbers of CUDA's driver API (cuda.h, CUresult).
constexpr int kCudaDeviceUnavailable = 46;
constexpr int kCudaEccUncorrectable = 214;
constexpr int kCudaNvlinkUncorrectable = 220;
constexpr int kCudaContained = 226;
constexpr int kCudaIllegalAddress = 700;
constexpr int kCudaLaunchTimeout = 702;

// A fault ends the whole context, and CUDA's error number is all that is known about it.
Verdict verdict_of_fault(int error, Evidence seen) {
  if (error == kCudaLaunchTimeout)
    return make_verdict(Stage::Run, Outcome::TimedOut, std::move(seen));
  if (error != kCudaIllegalAddress)
    return make_verdict(Stage::Run, Outcome::Crashed, std::move(seen));
  seen.kind = EvidenceKind::DeviceBadAddress;
  return make_verdict(Stage::Run, Outcome::OutOfBounds, std::move(seen));
}

std::string shown(const std::string& detail) { return sanitise_line(detail, kDetailLimit); }

}  // namespace

Verdict at_measure(Verdict verdict) {
  verdict.stage = std::max(verdict.stage, Stage::Measure);
  return verdict;
}

Evidence ending_of(Fate fate, int signal) {
  Evidence seen;
  switch (fate) {
    case Fate::Returned:
      break;
    case Fate::LoadRefused:
      seen.kind = EvidenceKind::CallNotLoaded;
      break;
    case Fate::Crashed:
      seen.kind = EvidenceKind::CallCrashed;
      seen.numbers = {static_cast<double>(signal)};
      break;
    case Fate::TimedOut:
      seen.kind = EvidenceKind::CallTimedOut;
      break;
    case Fate::Exited:
      seen.kind = EvidenceKind::CallExited;
      break;
    case Fate::OutOfMemory:
      seen.kind = EvidenceKind::CallOutOfMemory;
      break;
    case Fate::BadProtocol:
      seen.kind = EvidenceKind::CallForged;
      break;
    case Fate::LaunchFailed:
      seen.kind = EvidenceKind::CallRefused;
      break;
    case Fate::DeviceFault:
      seen.kind = EvidenceKind::DeviceFault;
      seen.numbers = {static_cast<double>(signal)};
      break;
  }
  return seen;
}

std::string words_of(Fate fate, int signal) {
  return fate == Fate::Returned ? "returned" : kw::words_of(ending_of(fate, signal));
}

std::string words_of(Fate fate, int signal, std::int64_t limit_ns) {
  if (fate != Fate::TimedOut) return words_of(fate, signal);
  return fmt::format("did not return within {:.3g} s", static_cast<double>(limit_ns) / 1e9);
}

std::optional<Verdict> verdict_of(const device::LoadResult& load) {
  if (!is_on(Defence::OnlyAnswersCount)) return std::nullopt;
  const Evidence broken{.kind = EvidenceKind::LoadBroken, .cause = {ending_of(load.fate, 0)}};
  const auto with_detail = [&](EvidenceKind kind) {
    return Evidence{.kind = kind, .detail = shown(load.detail)};
  };
  switch (load.fate) {
    case Fate::Returned:
      return std::nullopt;
    case Fate::LoadRefused:
      return make_verdict(Stage::Load, Outcome::LoadFailed, with_detail(EvidenceKind::NotLoaded));
    case Fate::Exited:
      return make_verdict(Stage::Load, Outcome::LoadFailed, {.kind = EvidenceKind::LoadCodeEnded});
    case Fate::Crashed:
      return make_verdict(Stage::Load, Outcome::Crashed,
                          with_detail(EvidenceKind::LoadCodeCrashed));
    case Fate::TimedOut:
      return make_verdict(Stage::Load, Outcome::TimedOut, broken);
    case Fate::OutOfMemory:
      return make_verdict(Stage::Load, Outcome::OutOfResources, broken);
    case Fate::BadProtocol:
      return make_verdict(Stage::Load, Outcome::Cheated, broken);
    case Fate::LaunchFailed:
      return make_verdict(Stage::Launch, Outcome::LaunchFailed,
                          with_detail(EvidenceKind::PlanNotLaunched));
    case Fate::DeviceFault:
      return make_verdict(Stage::Load, Outcome::Crashed, with_detail(EvidenceKind::LoadFaulted));
  }
  return std::nullopt;
}

std::optional<Verdict> verdict_of_bind(const device::LoadResult& bound,
                                       const std::string& workload) {
  const auto verdict = verdict_of(bound);
  if (!verdict) return verdict;
  const bool is_refused =
      verdict->outcome == Outcome::LoadFailed || verdict->outcome == Outcome::LaunchFailed;
  Evidence seen{.kind = is_refused ? EvidenceKind::PlanNotBound : EvidenceKind::PlanBroken,
                .workload = workload,
                .detail = shown(bound.detail)};
  if (!is_refused) seen.cause = {ending_of(bound.fate, 0)};
  return make_verdict(Stage::Launch, is_refused ? Outcome::LaunchFailed : verdict->outcome,
                      std::move(seen));
}

bool may_be_input_write(const device::CallResult& call) {
  if (call.fate == Fate::DeviceFault) return call.signal == kCudaIllegalAddress;
  return call.fate == Fate::Crashed && !call.fault_in_guard &&
         (call.signal == SIGSEGV || call.signal == SIGBUS);
}

bool is_fault_of_device(const device::CallResult& call) {
  constexpr int kOfDevice[] = {kCudaDeviceUnavailable, kCudaEccUncorrectable,
                               kCudaNvlinkUncorrectable, kCudaContained};
  return call.fate == Fate::DeviceFault && std::ranges::count(kOfDevice, call.signal) > 0;
}

std::optional<Verdict> verdict_of(const device::CallResult& call, const std::string& workload,
                                  const std::string& manner) {
  if (!is_on(Defence::OnlyAnswersCount)) return std::nullopt;
  Evidence seen = ending_of(call.fate, call.signal);
  seen.workload = workload;
  seen.subject = manner;
  const auto with_detail = [&] {
    seen.detail = shown(call.detail);
    return seen;
  };
  switch (call.fate) {
    case Fate::Returned:
      return std::nullopt;
    case Fate::LoadRefused:
      return make_verdict(Stage::Launch, Outcome::LaunchFailed, with_detail());
    case Fate::Crashed:  // its detail only repeats the signal
      if (call.fault_in_guard) {
        seen.kind = EvidenceKind::CallBeyondTensor;
        return make_verdict(Stage::Run, Outcome::OutOfBounds, seen);
      }
      if (call.signal == SIGABRT) seen.numbers.push_back(kThreadLimit);
      return make_verdict(Stage::Run, Outcome::Crashed, seen);
    case Fate::TimedOut:
      return make_verdict(Stage::Run, Outcome::TimedOut, seen);
    case Fate::Exited:
      seen.numbers = {kThreadLimit};
      return make_verdict(Stage::Run, Outcome::Crashed, seen);
    case Fate::OutOfMemory:
      return make_verdict(Stage::Run, Outcome::OutOfResources, seen);
    case Fate::BadProtocol:
      return make_verdict(Stage::Run, Outcome::Cheated, with_detail());
    case Fate::LaunchFailed:
      return make_verdict(Stage::Launch, Outcome::LaunchFailed, with_detail());
    case Fate::DeviceFault:
      return verdict_of_fault(call.signal, with_detail());
  }
  return std::nullopt;
}

}  // namespace kw::referee
