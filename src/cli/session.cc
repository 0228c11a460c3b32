// Opening of tasks, compilers and workers.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <sys/sysinfo.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/json.h"
#include "base/text.h"
#include "compile/cache.h"
#include "compile/cpu_compiler.h"
#include "generated/version.h"
#include "record/codec.h"
#include "task/load.h"

namespace kw::cli {

int report_error(const Global& global, const Error& error, ExitCode code) {
  if (global.json) {
    Json object;
    object["error"] = {{"what", error.what}, {"where", error.where}, {"exit_code", code}};
    std::printf("%s\n", dump_json(object).c_str());
  }
  std::fprintf(stderr, "kw: %s\n", describe(error).c_str());
  return code;
}

ExitCode code_of(const Error& error) {
  return error.advice == Advice::GiveUp ? kUsage : kEnvironment;
}

int end_command(const Global& global, const Result<int>& code) {
  return code ? *code : report_error(global, code.error(), code_of(code.error()));
}

Result<memory::DataFiles> open_data(const Global& global) {
  if (global.data_dir.empty()) return memory::DataFiles::open(std::nullopt);
  return memory::DataFiles::open(platform::Path(global.data_dir));
}

std::optional<platform::Path> task_folder(const Global& global, const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) return name;
  const platform::Path own = new_task_folder(global, name);
  if (std::filesystem::is_directory(own, ignored)) return own;
  return std::nullopt;
}

platform::Path new_task_folder(const Global& global, const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  return platform::Path(global.workspace) / "tasks" / name;
}

Result<task::Definition> open_task(const Global& global, const memory::DataFiles& data,
                                   const std::string& name) {
  if (const auto folder = task_folder(global, name)) return as_input(task::load_task(*folder));
  task::TaskFiles files{"tasks/" + name, data.under("tasks/" + name)};
  if (!files.texts.empty()) return as_input(task::parse_task(files));
  return fail(
      "no task folder and no shipped task of this name" + suggestion(name, data.folders("tasks")),
      name);
}

Result<task::Definition> open_accepted_task(const Global& global, const memory::DataFiles& data,
                                            const std::string& name) {
  auto definition = KW_TRY(open_task(global, data, name));
  if (!definition.draft.empty())
    return fail(
        "a model drafted this task and nobody has accepted it: read it, then kw task accept " +
            name + " (or draft with kw task new --describe --yes)",
        name);
  return definition;
}

Result<JailLevel> jail_of(const Global& global) {
  if (global.jail.empty()) return JailLevel::Namespace;
  if (const auto level = enum_from<JailLevel>(global.jail)) return *level;
  return fail("--jail is namespace, landlock or none, not '" + global.jail + "'");
}

Result<Target> target_of(const std::string& name) {
  const auto target = enum_from<Target>(name);
  if (!target) return fail("--target is cpu or cuda, not '" + name + "'");
  if (*target != Target::Cpu) return fail("target cuda is not in this version; cpu is");
  return *target;
}

bool has_openblas() {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                             "/usr/lib64", "/usr/lib", "/usr/local/lib"}) {
    std::error_code ignored;
    if (std::filesystem::exists(std::string(folder) + "/libopenblas.so", ignored)) return true;
  }
  return false;
}

std::int64_t workload_limit() {
  struct sysinfo info{};
  if (::sysinfo(&info) != 0) return std::int64_t{1} << 30;
  // Shared buffers, two or more input sets, float64 inputs and truths: about ten times the tensors.
  return static_cast<std::int64_t>(info.totalram) * static_cast<std::int64_t>(info.mem_unit) / 10;
}

Result<engine::TaskWorkbenchOptions> workbench_options(const Global& global) {
  engine::TaskWorkbenchOptions options;
  options.max_bytes = workload_limit();
  options.has_openblas = has_openblas();
  options.jail = KW_TRY(jail_of(global));
  return options;
}

platform::Path cache_folder() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/')
    return platform::Path(xdg) / "kernelwright";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return platform::Path(home) / ".cache" / "kernelwright";
  return "/tmp/kernelwright-cache";
}

Result<std::unique_ptr<Bench>> Bench::open(const Global& global, store::RunStore* store) {
  std::unique_ptr<Bench> bench(new Bench);
  auto cache = KW_TRY(compile::DirectoryCache::open(cache_folder()));
  compile::CpuCompilerSettings settings;
  settings.objects = cache.objects();
  settings.jail = KW_TRY(jail_of(global));
  bench->inner_ = KW_TRY(compile::CpuCompiler::create(settings));
  bench->cache_ = std::make_unique<compile::DirectoryCache>(std::move(cache));
  bench->compiler_ = std::make_unique<compile::CachedCompiler>(*bench->inner_, *bench->cache_);
  evaluate::PipeOptions options;
  options.build_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (store != nullptr)
    options.on_facts = [store](const DeviceFacts& facts) {
      return store->remember("device", "cpu", encode(facts));
    };
  bench->carrier_ = std::make_unique<evaluate::PipeCarrier>(*bench->compiler_, options);

  std::optional<DeviceFacts> remembered;
  if (store != nullptr)
    if (const auto text = KW_TRY(store->recall("device", "cpu")))
      if (auto facts = decode<DeviceFacts>(*text)) remembered = std::move(*facts);
  KW_TRY(bench->carrier_->open(remembered));
  return bench;
}

Result<> Bench::ensure_ceilings() {
  if (facts().ceilings.empty()) KW_TRY(measure(false));
  return {};
}

std::string Bench::judge_id() const {
  return facts().id + "\n" + inner_->identity() + "\n" + std::string(built_commit());
}

Result<DeviceFacts> Bench::measure(bool is_full) { return carrier_->measure_device(is_full); }

}  // namespace kw::cli
