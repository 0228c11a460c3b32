// A player as the referee sees it: a process that may crash, hang or lie, and is believed in
// nothing.
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
  int buffer = -1;           ///< Index into PlayerSpec::buffers; -1: scalar.
  std::int64_t offset = 0;   ///< Bytes into the payload.
  std::uint64_t scalar = 0;  ///< Little-endian image of the value.
};

/// Most arguments of one call: a request is one packet.
inline constexpr std::size_t kMostArguments = 8192;

/// What counts of a call.
enum class CallKind {
  Checked,   ///< What it does alone: another player may start beside it.
  Timed,     ///< Its time too: nothing of ours stirs meanwhile.
  ByStream,  ///< The same of a host launcher by its function, not by the graph captured of it.
};

struct Call {
  int object = 0;  ///< Handle from load(), or from bind() where the device runs plans.
  std::vector<Argument> arguments = {};  ///< Empty for a bound plan, which has its own.
  std::int64_t timeout_ns = 0;
  CallKind kind = CallKind::Checked;
};

/// How a load or a call ended, judged from outside.
enum class Fate {
  Returned,
  LoadRefused,  ///< The dynamic linker or the driver said no; `detail` has its words.
  Crashed,  ///< A signal; `signal` says which, `fault_in_guard` if the address lay beside a buffer.
  TimedOut,
  Exited,  ///< The process ended by itself before it answered.
  OutOfMemory,
  BadProtocol,   ///< It answered what no honest player answers.
  LaunchFailed,  ///< cuda: a launch was refused; nothing ran. The process lives on.
  DeviceFault,   ///< cuda: the device stopped the code; `signal` is CUDA's error, 700 for one.
};

struct CallResult {
  Fate fate = Fate::Returned;
  double elapsed_ns =
      0;  ///< The referee's wall clock around the request; empty call not subtracted.
  /// Processor time that its threads used outside of the call: after the answer, or while they
  /// should have rested before the request. See Brake::outside_ns().
  double outside_ns = 0;
  double waited_ns = 0;     ///< Of a timed call: before the request, while another player started.
  double announced_ns = 0;  ///< cuda: of these until all was queued; 0: nobody saw it.
  double stamped_ns = 0;    ///< cuda: between spacer and stamp; 0: not stamped.
  double event_ns = 0;      ///< cuda: by the driver's events, which only confirm the stamps.
  int signal = 0;           ///< Crashed: of the process. DeviceFault: CUDA's number of the error.
  bool fault_in_guard = false;
  std::string detail = {};
};

struct LoadResult {
  Fate fate = Fate::Returned;
  int object = 0;
  std::string detail = {};
  std::string why_not_captured = {};  ///< Of bind(): a host launcher that runs by its function.
};

/// A plan made ready to run: its object, and which mapped buffer is which of its operands.
struct Binding {
  int object = 0;                 ///< Handle from load().
  const Plan* plan = nullptr;     ///< Borrowed for the call of bind() alone.
  std::vector<int> tensors = {};  ///< Per tensor of the workload: index into PlayerSpec::buffers.
  std::vector<int> workspaces = {};  ///< Per workspace of the plan: likewise.
};

/// What the process did between its answer and its stop.
struct AfterReturn {
  double late_cpu_ns = 0;  ///< CPU time spent after the answer.
  int processes_left = 0;  ///< Beyond the player itself.
  bool has_ended = false;  ///< It ended by itself meanwhile; the rest is then unknown.
};

class Player {
 public:
  virtual ~Player() = default;         ///< Kills the process and everything it started.
  virtual JailLevel jail() const = 0;  ///< The level that its process was launched at.
  virtual int uid() const = 0;         ///< Whom its process runs as.
  /// On cpu once in a life: what loading needs is taken from the process with it.
  virtual LoadResult load(const BuiltObject& object) = 0;
  /// Only where the device runs plans (cuda): checks every argument against the kernels' own
  /// parameter tables, uploads the tables, encodes tensor maps and captures the graph. A host
  /// launcher is called once, for what it does on first use, and then captured where that works.
  /// `object` of the result is the handle for Call. LoadRefused says in words what does not fit.
  virtual LoadResult bind(const Binding& binding);
  /// Only there: loads every module again and instantiates the graph of this bound plan again
  /// (others when they next run), so that nothing a kernel left in device globals is there in the
  /// next call. Outside any timed span.
  virtual CallResult forget(int plan);
  /// Lets forget(), which then only waits for it, begin at once: no code of a candidate runs in it,
  /// so the referee may work on buffers meanwhile. It is over before any player is called.
  virtual void begin_forget(int) {}
  /// Waits for what begin_forget() began: the process is stopped again.
  virtual void end_forget() {}
  /// Only there: from now on this bound plan alone, with the buffers that it names; every other one
  /// is out of the process's reach for good, so that nothing can be kept in it.
  virtual CallResult keep_only(int) { return {}; }
  /// Resumes the process, sends the request, waits for the answer, stops the process again. The
  /// process is stopped whenever no call is in flight, so that it can neither work nor disturb.
  virtual CallResult call(const Call& call) = 0;
  /// Same path with nothing in it: what the protocol costs.
  virtual CallResult call_empty() = 0;
  /// After a call that returned, lets the process run for `ns`, stops it and reports what it did.
  virtual Result<AfterReturn> watch_after_return(std::int64_t ns) = 0;
  virtual bool is_alive() const = 0;
};

}  // namespace kw::device
