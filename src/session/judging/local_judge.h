// LocalJudge: compilers and a worker on this machine, with the policies that they share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "compile/cache.h"
#include "compile/compiler.h"
#include "engine/task_workbench.h"
#include "evaluate/pipe.h"
#include "session/aim.h"
#include "session/options.h"
#include "store/run_store.h"

namespace kw::session {

/// The jail level that --jail demands, or else the strongest that works on this machine, found by
/// trying (20 ms). If the level is weaker than namespace, standard error says once what it lacks.
/// Error: no level works, and --jail none was not given.
Result<JailLevel> jail_of(const Options& options);

/// Why a baseline cannot be built on this machine, for people: a library or a compiler is missing.
std::string why_not_built(const Candidate& baseline);

/// The most bytes that the tensors of one workload may take, such that input sets, references and
/// the buffers of both kernels fit into memory too: a tenth of the device's memory; of the smallest
/// GPU's memory if only the architecture is known; else of this machine's memory.
std::int64_t workload_limit(const DeviceFacts& facts = {}, const Aim& aim = {});

/// Options for a task's workbench for a target. `facts` describe the target's device;
/// default-constructed if there is no device.
Result<engine::TaskWorkbenchOptions> workbench_options(const Options& options, const Aim& aim = {},
                                                       const DeviceFacts& facts = {});

/// The facts of the target's device that this workspace stored after `kw device` or a run measured
/// them.
Result<std::optional<DeviceFacts>> remembered_device(const store::RunStore& store, Target target);

/// The id under which results of a judge are stored; see engine::Surroundings::judge_id.
std::string judge_id_of(const DeviceFacts& facts, const compile::Compiler& compiler);

/// Compilers with their cache and a worker, ready to judge kernels on this machine. The store keeps
/// the device's facts, by target.
class LocalJudge {
 public:
  static Result<std::unique_ptr<LocalJudge>> open(const Options& options, store::RunStore* store,
                                                  const Aim& aim = {});
  /// Starts the worker and opens the compilers. The command may do other things while the worker
  /// examines its device and jails, and must then call meet().
  static Result<std::unique_ptr<LocalJudge>> start(const Options& options, const Aim& aim);
  /// Waits until the worker that start() started reports its device, and completes this object.
  Result<> meet(store::RunStore* store, const Aim& aim);
  /// Opens the compilers without a worker: candidates can be built but not judged.
  static Result<std::unique_ptr<LocalJudge>> open_compilers(const Options& options, const Aim& aim);
  evaluate::PipeCarrier& carrier() { return *carrier_; }
  compile::Compiler& compiler() { return *compiler_; }
  /// The disassembler for candidates of the target; nothing where it has none.
  const std::optional<compile::Disassembler>& disassembler() const { return disassembler_; }
  const DeviceFacts& facts() const { return carrier_->facts(); }
  /// The id under which this judge's results are stored; see engine::Surroundings::judge_id.
  std::string judge_id() const;
  /// Measures the few ceilings that timing needs (half a second), unless the store has them.
  Result<> ensure_ceilings();
  /// Measures the device's ceilings again and stores them.
  Result<DeviceFacts> measure(bool is_full);

 private:
  LocalJudge() = default;
  Result<> open_tools(const Options& options, const Aim& aim,
                      std::optional<evaluate::WorkerProcess> worker);
  std::unique_ptr<compile::ObjectCache> cache_;
  std::unique_ptr<compile::Compiler> cpu_;
  std::unique_ptr<compile::Compiler> cached_cpu_;
  std::unique_ptr<compile::Compiler> compiler_;  ///< Compiles for every target.
  std::optional<compile::Disassembler> disassembler_;
  store::RunStore* store_ = nullptr;
  std::unique_ptr<evaluate::PipeCarrier> carrier_;
};

/// What the user should do if a part that judging needs is missing; shown by kw doctor and at the
/// end of errors.
inline constexpr std::string_view kCompilerFix = "apt install g++, or set KW_CXX";
inline constexpr std::string_view kCacheFix = "set XDG_CACHE_HOME to a folder that can be written";
inline constexpr std::string_view kProgramsFix = "build again, or unpack the release file again";

/// The folder in which built objects are kept between runs: $XDG_CACHE_HOME/kernelwright or
/// ~/.cache/kernelwright. If root runs kw without namespaces and other users may not enter root's
/// home: /var/cache/kernelwright, because jailed compilers must reach the cache.
platform::Path cache_folder();

}  // namespace kw::session
