// Session: what most commands need – shipped files, a task, a compiler, a worker, the store.
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

/// Prints `kw: message` on standard error, or one JSON object with `error` on standard output, and
/// returns the exit code for it: that of an interruption where there was one.
int report_error(const Global& global, const Error& error, ExitCode code);

/// Exit code 2 of trouble with what the user gave, 3 of any other, whatever it advises.
ExitCode code_of(const Error& error);

/// The exit code of a command that went well, or report_error() of what stopped it.
int end_command(const Global& global, const Result<int>& code);

/// What the user named cannot be used, whatever the room that says so knows of it: exit code 2.
template <class T>
Result<T> as_input(Result<T> result) {
  if (!result) result.error().is_input = true;
  return result;
}

/// How every command finds a task NAME: a folder of that path, else tasks/NAME of the workspace,
/// which is the working directory unless --workspace says otherwise. Nothing: neither is there.
std::optional<platform::Path> task_folder(const Global& global, const std::string& name);
/// Where a new task goes: NAME with a slash is a path, a plain one a folder of the workspace's
/// tasks/.
platform::Path new_task_folder(const Global& global, const std::string& name);
/// The task of its task_folder(), else the shipped one; unknown names suggest the nearest.
Result<task::Definition> open_task(const Global& global, const memory::DataFiles& data,
                                   const std::string& name);
/// For commands that judge or search: a draft that nobody has accepted is an error.
Result<task::Definition> open_accepted_task(const Global& global, const memory::DataFiles& data,
                                            const std::string& name);

Result<memory::DataFiles> open_data(const Global& global);
/// The level that --jail demands, else the strongest that works here, tried out (20 ms). Where that
/// is a weaker one than namespace, it is said once on standard error, with what it lacks. Error:
/// neither works, and nobody demanded to do without.
Result<JailLevel> jail_of(const Global& global);

/// True where candidates can be linked with OpenBLAS.
bool has_openblas();
/// Why a baseline cannot be built on this machine: a library or compiler that is missing, in words.
std::string why_not_built(const Candidate& baseline);

/// Bytes that the tensors of one workload may take: input sets, truths and both players' buffers
/// must fit into the memory (of the device; of this machine where none is known) as well.
std::int64_t workload_limit(const DeviceFacts& facts = {});

/// How a task's workbench is made for a target; `facts` of its device, empty where there is none.
Result<engine::TaskWorkbenchOptions> workbench_options(const Global& global, const Aim& aim = {},
                                                       const DeviceFacts& facts = {});

/// What this workspace remembers of its device of the target: `kw device` or a run measured it.
Result<std::optional<DeviceFacts>> remembered_device(const store::RunStore& store, Target target);

/// See engine::Surroundings::judge_id.
std::string judge_id_of(const DeviceFacts& facts, const compile::Compiler& compiler);

/// Compilers with their cache and a worker, ready to judge on this machine. Device facts are
/// remembered in the store, by target.
class Bench {
 public:
  static Result<std::unique_ptr<Bench>> open(const Global& global, store::RunStore* store,
                                             const Aim& aim = {});
  /// The same in two steps, for a command with other things to do while the worker looks at its
  /// device and jails: starts it, and opens the compilers.
  static Result<std::unique_ptr<Bench>> start(const Global& global, const Aim& aim);
  /// Greets the worker that start() started.
  Result<> meet(store::RunStore* store, const Aim& aim);
  /// Without a worker: candidates can be built and no more.
  static Result<std::unique_ptr<Bench>> open_compilers(const Global& global, const Aim& aim);
  evaluate::PipeCarrier& carrier() { return *carrier_; }
  compile::Compiler& compiler() { return *compiler_; }
  /// What reads the machine code of cuda candidates; nothing for another target.
  const std::optional<compile::Disassembler>& disassembler() const { return disassembler_; }
  const DeviceFacts& facts() const { return carrier_->facts(); }
  /// See engine::Surroundings.
  std::string judge_id() const;
  /// Measures the few ceilings that timing needs, unless they are remembered: half a second.
  Result<> ensure_ceilings();
  /// Measures ceilings anew and remembers them.
  Result<DeviceFacts> measure(bool is_full);

 private:
  Bench() = default;
  Result<> open_tools(const Global& global, const Aim& aim,
                      std::optional<evaluate::WorkerProcess> worker);
  std::unique_ptr<compile::ObjectCache> cache_;
  std::unique_ptr<compile::Compiler> cpu_;
  std::unique_ptr<compile::Compiler> cached_cpu_;
  std::unique_ptr<compile::Compiler> compiler_;  ///< Of every target.
  std::optional<compile::Disassembler> disassembler_;
  store::RunStore* store_ = nullptr;
  std::unique_ptr<evaluate::PipeCarrier> carrier_;
};

/// What to do where judging lacks something: of kw doctor, and at the end of the error.
inline constexpr std::string_view kCompilerFix = "apt install g++, or set KW_CXX";
inline constexpr std::string_view kCacheFix = "set XDG_CACHE_HOME to a folder that can be written";
inline constexpr std::string_view kProgramsFix = "build again, or unpack the release file again";

/// Where built objects are kept between runs: $XDG_CACHE_HOME/kernelwright or
/// ~/.cache/kernelwright. For a root whose home others may not enter and who has no namespaces:
/// /var/cache/kernelwright, since jailed compilers must get there.
platform::Path cache_folder();

}  // namespace kw::cli
