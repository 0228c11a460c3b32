// Describes every way in which a load or a call can end, and names its outcome.
// SPDX-License-Identifier: Apache-2.0
#include "referee/fate.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <csignal>

#include "base/defence.h"
#include "base/foreign_text.h"
#include "base/text.h"

namespace kw::referee {
namespace {

using device::Fate;

constexpr std::size_t kDetailLimit = 600;
// Note for a process that ended by itself: libgomp exits and std::thread throws where no thread can
// be made, which happens above 64 threads and two more for each thread of PoolOptions.
constexpr const char* kThreadLimit =
    " (a process that cannot start another thread ends in the same way; its limit is a little "
    "above "
    "64)";

// Error numbers of CUDA's driver API (cuda.h, CUresult).
constexpr int kCudaDeviceUnavailable = 46;
constexpr int kCudaEccUncorrectable = 214;
constexpr int kCudaNvlinkUncorrectable = 220;
constexpr int kCudaContained = 226;
constexpr int kCudaIllegalAddress = 700;
constexpr int kCudaLaunchTimeout = 702;

// A fault ends the whole context, and CUDA's error number is all that is known about it.
Verdict verdict_of_fault(const device::CallResult& call, const std::string& words) {
  if (call.signal == kCudaLaunchTimeout) return {Stage::Run, Outcome::TimedOut, words};
  if (call.signal != kCudaIllegalAddress) return {Stage::Run, Outcome::Crashed, words};
  return {Stage::Run, Outcome::OutOfBounds,
          words + ": an address that no buffer of the call holds, or a write to an input"};
}

std::string with_detail(std::string text, const std::string& detail) {
  if (!detail.empty()) text += ": " + sanitise_line(detail, kDetailLimit);
  return text;
}

}  // namespace

Verdict at_measure(Verdict verdict) {
  verdict.stage = std::max(verdict.stage, Stage::Measure);
  return verdict;
}

std::string words_of(Fate fate, int signal) {
  switch (fate) {
    case Fate::Returned:
      return "returned";
    case Fate::LoadRefused:
      return "could not be loaded";
    case Fate::Crashed: {
      const char* name = sigabbrev_np(signal);
      return name ? fmt::format("crashed with signal {} (SIG{})", signal, name)
                  : fmt::format("crashed with signal {}", signal);
    }
    case Fate::TimedOut:
      return "did not return in time";
    case Fate::Exited:
      return "ended by itself before it answered";
    case Fate::OutOfMemory:
      return "ran out of memory";
    case Fate::BadProtocol:
      return "sent an answer that no honest process sends";
    case Fate::LaunchFailed:
      return "was refused at its launch";
    case Fate::DeviceFault:
      return fmt::format("was stopped by the device with CUDA error {}", signal);
  }
  return "ended in an unknown way";
}

std::optional<Verdict> verdict_of(const device::LoadResult& load) {
  if (!is_on(Defence::OnlyAnswersCount)) return std::nullopt;
  const std::string words = "while loading, the process " + words_of(load.fate, 0);
  switch (load.fate) {
    case Fate::Returned:
      return std::nullopt;
    case Fate::LoadRefused:
      return Verdict{Stage::Load, Outcome::LoadFailed,
                     with_detail("the object could not be loaded", load.detail)};
    case Fate::Exited:
      return Verdict{Stage::Load, Outcome::LoadFailed,
                     "code that runs at load time ended the process"};
    case Fate::Crashed:
      return Verdict{Stage::Load, Outcome::Crashed,
                     with_detail("code that runs at load time crashed", load.detail)};
    case Fate::TimedOut:
      return Verdict{Stage::Load, Outcome::TimedOut, words};
    case Fate::OutOfMemory:
      return Verdict{Stage::Load, Outcome::OutOfResources, words};
    case Fate::BadProtocol:
      return Verdict{Stage::Load, Outcome::Cheated, words};
    case Fate::LaunchFailed:
      return Verdict{Stage::Launch, Outcome::LaunchFailed,
                     with_detail("the plan cannot be launched", load.detail)};
    case Fate::DeviceFault:
      return Verdict{Stage::Load, Outcome::Crashed,
                     with_detail("loading faulted on the device", load.detail)};
  }
  return std::nullopt;
}

std::optional<Verdict> verdict_of_bind(const device::LoadResult& bound,
                                       const std::string& workload) {
  auto verdict = verdict_of(bound);
  if (!verdict) return verdict;
  verdict->stage = Stage::Launch;
  const std::string at = fmt::format("the launch plan at workload '{}' ", workload);
  if (verdict->outcome == Outcome::LoadFailed || verdict->outcome == Outcome::LaunchFailed) {
    verdict->outcome = Outcome::LaunchFailed;
    verdict->evidence = with_detail(at + "cannot be launched", bound.detail);
  } else {
    verdict->evidence = with_detail(at + words_of(bound.fate, 0), bound.detail);
  }
  return verdict;
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

std::optional<Verdict> verdict_of(const device::CallResult& call, const std::string& what) {
  if (!is_on(Defence::OnlyAnswersCount)) return std::nullopt;
  const std::string words =
      fmt::format("the call on {} {}", what, words_of(call.fate, call.signal));
  switch (call.fate) {
    case Fate::Returned:
      return std::nullopt;
    case Fate::LoadRefused:
      return Verdict{Stage::Launch, Outcome::LaunchFailed, with_detail(words, call.detail)};
    case Fate::Crashed:  // its detail only repeats the signal
      if (call.fault_in_guard)
        return Verdict{Stage::Run, Outcome::OutOfBounds, words + ", at an address beside a tensor"};
      return Verdict{Stage::Run, Outcome::Crashed,
                     call.signal == SIGABRT ? words + kThreadLimit : words};
    case Fate::TimedOut:
      return Verdict{Stage::Run, Outcome::TimedOut, words};
    case Fate::Exited:
      return Verdict{Stage::Run, Outcome::Crashed, words + kThreadLimit};
    case Fate::OutOfMemory:
      return Verdict{Stage::Run, Outcome::OutOfResources, words};
    case Fate::BadProtocol:
      return Verdict{Stage::Run, Outcome::Cheated, with_detail(words, call.detail)};
    case Fate::LaunchFailed:
      return Verdict{Stage::Launch, Outcome::LaunchFailed, with_detail(words, call.detail)};
    case Fate::DeviceFault:
      return verdict_of_fault(call, with_detail(words, call.detail));
  }
  return std::nullopt;
}

}  // namespace kw::referee
