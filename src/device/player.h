// Player: the referee's view of a process that runs a candidate, which may crash, hang or lie and
// is not believed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/candidate.h"
#include "record/enums.h"
#include "record/plan.h"

namespace kw::device {

/// One argument of a call: an address inside a mapped buffer, or a scalar of up to 8 bytes.
struct Argument {
  int buffer = -1;           ///< Index into PlayerSpec::buffers; -1: the argument is a scalar.
  std::int64_t offset = 0;   ///< Offset into the payload in bytes.
  std::uint64_t scalar = 0;  ///< Little-endian image of the value.
};

/// Most arguments of one call, since a request is one packet.
inline constexpr std::size_t kMostArguments = 8192;

/// What a call is made for.
enum class CallKind {
  Checked,  ///< Only its effect counts; another player may start meanwhile.
  Timed,    ///< Its time counts too, so no other work of the referee runs meanwhile.
  /// Like Timed, but runs a host launcher by its function instead of the captured graph.
  ByStream,
};

struct Call {
  int object = 0;  ///< Handle from load(), or from bind() where the device runs plans.
  /// Empty for a bound plan, whose arguments are part of the plan.
  std::vector<Argument> arguments = {};
  std::int64_t timeout_ns = 0;
  CallKind kind = CallKind::Checked;
};

/// How a load or a call ended, judged from outside.
enum class Fate {
  Returned,
  LoadRefused,  ///< The dynamic linker or the driver refused; `detail` has its message.
  /// A signal ended the process; `signal` is its number, `fault_in_guard` whether the address lay
  /// beside a buffer.
  Crashed,
  TimedOut,
  Exited,  ///< The process ended by itself before it answered.
  OutOfMemory,
  BadProtocol,   ///< The player sent an answer that no honest player sends.
  LaunchFailed,  ///< cuda: a launch was refused and nothing ran. The process lives on.
  DeviceFault,   ///< cuda: the device stopped the code; `signal` is CUDA's error, for example 700.
};

struct CallResult {
  Fate fate = Fate::Returned;
  /// The referee's wall clock around the request; the time of an empty call is not subtracted.
  double elapsed_ns = 0;
  /// Processor time that the player's threads used outside of the call: after the answer, or before
  /// the request while they should have rested. See Brake::outside_ns().
  double outside_ns = 0;
  /// Timed calls: how long the request waited because another player was being started.
  double waited_ns = 0;
  /// cuda: part of `elapsed_ns` until everything was queued; 0: no announcement was seen.
  double announced_ns = 0;
  double stamped_ns = 0;  ///< cuda: time from the spacer kernel to the stamp; 0: not stamped.
  double event_ns = 0;    ///< cuda: time by the driver's events, which only confirm the stamps.
  /// Crashed: signal of the process. DeviceFault: CUDA's number of the error.
  int signal = 0;
  bool fault_in_guard = false;
  std::string detail = {};
};

struct LoadResult {
  Fate fate = Fate::Returned;
  int object = 0;
  std::string detail = {};
  /// Result of bind(): why a host launcher can only be run by its function.
  std::string why_not_captured = {};
};

/// A plan to make ready: its object, and the buffers of its operands.
struct Binding {
  int object = 0;              ///< Handle from load().
  const Plan* plan = nullptr;  ///< Borrowed only for the call of bind().
  /// For each tensor of the workload: index into PlayerSpec::buffers.
  std::vector<int> tensors = {};
  /// For each workspace of the plan: index into PlayerSpec::buffers.
  std::vector<int> workspaces = {};
};

/// What the process did between its answer and its stop.
struct AfterReturn {
  double late_cpu_ns = 0;  ///< CPU time spent after the answer.
  int processes_left = 0;  ///< Processes beside the player itself.
  /// Whether the process ended by itself meanwhile, so that the other fields are unknown.
  bool has_ended = false;
};

class Player {
 public:
  virtual ~Player() = default;         ///< Kills the process and everything that it started.
  virtual JailLevel jail() const = 0;  ///< Jail level at which the process was launched.
  virtual int uid() const = 0;         ///< User that the process runs as.
  /// Loads an object. On cpu this works only once per process, which then gives up the rights that
  /// loading needs.
  virtual LoadResult load(const BuiltObject& object) = 0;
  /// Makes a plan ready, only where the device runs plans (cuda). Checks every argument against the
  /// kernels' own parameter tables, uploads the tables, encodes tensor maps and captures the graph.
  /// A host launcher is called once, for what it does on first use, and then captured where
  /// possible. `object` of the result is the handle for Call. LoadRefused says in words what does
  /// not fit.
  virtual LoadResult bind(const Binding& binding);
  /// Where the device runs plans: loads every module again and rebuilds the graph of this bound
  /// plan (other plans are rebuilt when they next run), so that device globals keep nothing for the
  /// next call. Not within any timed span.
  virtual CallResult forget(int plan);
  /// Starts forget() in the background; forget() then only waits for its end. No code of a
  /// candidate runs meanwhile, so the referee may work on buffers. The background work ends before
  /// any player is called.
  virtual void begin_forget(int) {}
  /// Waits for the end of what begin_forget() began; then the process is stopped again.
  virtual void end_forget() {}
  /// Where the device runs plans: keeps only this bound plan and the buffers that it names. The
  /// process loses access to all other buffers for good, so nothing can be stored in them.
  virtual CallResult keep_only(int) { return {}; }
  /// Resumes the process, sends the request, waits for the answer, and stops the process again. The
  /// process is stopped whenever no call is in flight, so that it can neither work nor disturb.
  virtual CallResult call(const Call& call) = 0;
  /// Makes an empty call through the same path as call(), to measure what the protocol costs.
  virtual CallResult call_empty() = 0;
  /// After a call that returned, lets the process run for `ns`, stops it, and reports what it did.
  virtual Result<AfterReturn> watch_after_return(std::int64_t ns) = 0;
  virtual bool is_alive() const = 0;
};

}  // namespace kw::device
