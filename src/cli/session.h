// Opens what most commands need: shipped files, a task, a compiler, a worker, the store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/flags.h"
#include "cli/target_flags.h"
#include "compile/cache.h"
#include "compile/compiler.h"
#include "engine/task_workbench.h"
#include "evaluate/pipe.h"
#include "memory/data_files.h"
#include "platform/signals.h"
#include "store/run_store.h"

namespace kw::cli {

/// Reports an error as `kw: message` on standard error, or as an object with `error` on standard
/// output, and returns its exit code: kInterrupted if a signal interrupted the command.
int report_error(const Global& global, const Error& error, ExitCode code);

/// The exit code of an error: 2 if the user's input caused it, else 3.
ExitCode code_of(const Error& error);

/// The exit code of a command that succeeded, or report_error() of the error that ended it.
int end_command(const Global& global, const Result<int>& code);

/// Marks an error as caused by the user's input, so that the exit code is 2.
template <class T>
Result<T> as_input(Result<T> result) {
  if (!result) {
    result.error().is_input = true;
    if (result.error().code == ErrorCode::Failed) result.error().code = ErrorCode::BadInput;
  }
  return result;
}

/// Finds the folder of a task NAME, for every command: a folder of that path, or else tasks/NAME in
/// the workspace, which is the working directory unless --workspace is given. Nothing: neither
/// exists.
std::optional<platform::Path> task_folder(const Global& global, const std::string& name);
/// The folder for a new task: NAME is a path if it contains a slash, else the name of a folder in
/// the workspace's tasks/.
platform::Path new_task_folder(const Global& global, const std::string& name);
/// The task in its task_folder(), or else the shipped task of this name. The error about an unknown
/// name suggests the most similar one.
Result<task::Definition> open_task(const Global& global, const memory::DataFiles& data,
                                   const std::string& name);
/// The task for commands that judge or search; an error if the task is a draft that no person has
/// accepted.
Result<task::Definition> open_accepted_task(const Global& global, const memory::DataFiles& data,
                                            const std::string& name);

Result<memory::DataFiles> open_data(const Global& global);
/// The jail level that --jail demands, or else the strongest that works on this machine, found by
/// trying (20 ms). If the level is weaker than namespace, standard error says once what it lacks.
/// Error: no level works, and --jail none was not given.
Result<JailLevel> jail_of(const Global& global);

/// Whether OpenBLAS is installed, so that kernels can be linked with it.
bool has_openblas();
/// Why a baseline cannot be built on this machine, for people: a library or a compiler is missing.
std::string why_not_built(const Candidate& baseline);

/// The most bytes that the tensors of one workload may take, such that input sets, references and
/// the buffers of both kernels fit into memory too: a tenth of the device's memory; of the smallest
/// GPU's memory if only the architecture is known; else of this machine's memory.
std::int64_t workload_limit(const DeviceFacts& facts = {}, const Aim& aim = {});

/// Options for a task's workbench for a target. `facts` describe the target's device;
/// default-constructed if there is no device.
Result<engine::TaskWorkbenchOptions> workbench_options(const Global& global, const Aim& aim = {},
                                                       const DeviceFacts& facts = {});

/// The facts of the target's device that this workspace stored after `kw device` or a run measured
/// them.
Result<std::optional<DeviceFacts>> remembered_device(const store::RunStore& store, Target target);

/// The id under which results of a judge are stored; see engine::Surroundings::judge_id.
std::string judge_id_of(const DeviceFacts& facts, const compile::Compiler& compiler);

/// Compilers with their cache and a worker, ready to judge kernels on this machine. The store keeps
/// the device's facts, by target.
class Bench {
 public:
  static Result<std::unique_ptr<Bench>> open(const Global& global, store::RunStore* store,
                                             const Aim& aim = {});
  /// Starts the worker and opens the compilers. The command may do other things while the worker
  /// examines its device and jails, and must then call meet().
  static Result<std::unique_ptr<Bench>> start(const Global& global, const Aim& aim);
  /// Waits until the worker that start() started reports its device, and completes this object.
  Result<> meet(store::RunStore* store, const Aim& aim);
  /// Opens the compilers without a worker: candidates can be built but not judged.
  static Result<std::unique_ptr<Bench>> open_compilers(const Global& global, const Aim& aim);
  evaluate::PipeCarrier& carrier() { return *carrier_; }
  compile::Compiler& compiler() { return *compiler_; }
  /// The disassembler for cuda candidates; nothing for other targets.
  const std::optional<compile::Disassembler>& disassembler() const { return disassembler_; }
  const DeviceFacts& facts() const { return carrier_->facts(); }
  /// The id under which this judge's results are stored; see engine::Surroundings::judge_id.
  std::string judge_id() const;
  /// Measures the few ceilings that timing needs (half a second), unless the store has them.
  Result<> ensure_ceilings();
  /// Measures the device's ceilings again and stores them.
  Result<DeviceFacts> measure(bool is_full);

 private:
  Bench() = default;
  Result<> open_tools(const Global& global, const Aim& aim,
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

}  // namespace kw::cli
