// Opens tasks, compilers and workers for commands.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/defence.h"
#include "base/foreign_text.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/status.h"
#include "compile/cache.h"
#include "compile/cpu_compiler.h"
#include "compile/cuda_libraries.h"
#include "compile/cuda_suite.h"
#include "compile/cuda_toolkit.h"
#include "compile/target_compiler.h"
#include "device/known_devices.h"
#include "generated/version.h"
#include "memory/shipped_task.h"
#include "platform/jail.h"
#include "record/codec.h"
#include "task/load.h"

namespace kw::cli {

namespace {

/// A compiler for target cuda with a cache of its results.
class CachedCuda final : public compile::Compiler {
 public:
  CachedCuda(std::unique_ptr<compile::Compiler> inner, compile::ObjectCache& cache)
      : inner_(std::move(inner)), cached_(*inner_, cache) {}
  Result<compile::CompileResult> build(const BuildUnit& unit) override {
    return cached_.build(unit);
  }
  const std::string& identity() const override { return inner_->identity(); }

 private:
  std::unique_ptr<compile::Compiler> inner_;
  compile::CachedCompiler cached_;
};

template <class T>
Result<T> with_fix(Result<T> result, std::string_view fix) {
  if (!result) result.error().what += "; " + std::string(fix);
  return result;
}

}  // namespace

int report_error(const Global& global, const Error& error, ExitCode code) {
  if (global.is_interrupted && global.is_interrupted()) code = kInterrupted;
  if (global.json) {
    Json object;
    ErrorCode kind = error.code;
    if (kind == ErrorCode::Failed && code == kUsage) kind = ErrorCode::BadInput;
    if (code == kInterrupted) kind = ErrorCode::Cancelled;
    object["error"] = {{"code", name_of(kind)},
                       {"what", error.what},
                       {"where", error.where},
                       {"exit_code", code}};
    std::printf("%s\n", dump_json(object).c_str());
  }
  // A path may contain a line break, which would split the message.
  const Error shown{error.what, sanitise_line(error.where)};
  std::fprintf(stderr, "kw: %s\n", describe(shown).c_str());
  return code;
}

ExitCode code_of(const Error& error) { return error.is_input ? kUsage : kEnvironment; }

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
  // A run that was started in a clone of the repository may name a shipped task by its folder, such
  // as tasks/softmax.
  constexpr std::string_view kShipped = "tasks/";
  const bool is_named_by_folder = name.starts_with(kShipped);
  const auto files = KW_TRY(as_input(
      memory::shipped_task(data, is_named_by_folder ? name.substr(kShipped.size()) : name)));
  if (!files.texts.empty()) return as_input(task::parse_task(files));
  std::vector<std::string> known = data.folders("tasks");
  for (const platform::Path& place : {platform::Path(name), new_task_folder(global, name)})
    for (std::string& beside : task::tasks_beside(place)) known.push_back(std::move(beside));
  return fail_input(ErrorCode::NotFound,
                    "no task folder and no shipped task of this name" +
                        suggestion(platform::Path(name).filename().string(), known),
                    name);
}

Result<task::Definition> open_accepted_task(const Global& global, const memory::DataFiles& data,
                                            const std::string& name) {
  auto definition = KW_TRY(open_task(global, data, name));
  if (!definition.draft.empty())
    return fail_input(
        "a model drafted this task and nobody has accepted it: read it, then kw task accept " +
            name + " (or draft with kw task new --describe --yes)",
        name);
  return definition;
}

Result<JailLevel> jail_of(const Global& global) {
  if (const auto level = enum_from<JailLevel>(global.jail)) return *level;
  if (!global.jail.empty())
    return fail_input("--jail is namespace, landlock or none, not '" + global.jail + "'");
  // If kw-jail is missing no level can be probed; starting the jail gives a better error than
  // probing.
  const auto programs = platform::executable_dir();
  std::error_code ignored;
  if (programs && !std::filesystem::exists(*programs / "kw-jail", ignored))
    return JailLevel::Namespace;
  const platform::JailFinding& best = platform::probe_level(JailLevel::Namespace);
  if (best.available) return JailLevel::Namespace;
  const platform::JailFinding& next = platform::probe_level(JailLevel::Landlock);
  if (!next.available)
    return fail(ErrorCode::NoJail,
                "no jail works here. namespace: " + best.why_not + " (" +
                    std::string(platform::how_to_mend(JailLevel::Namespace)) + "). landlock: " +
                    next.why_not + " (" + std::string(platform::how_to_mend(JailLevel::Landlock)) +
                    "). For code that you trust like your own: --jail none",
                "", Advice::Stop);
  static std::once_flag said;
  std::call_once(said, [&] {
    std::fprintf(stderr,
                 "kw: weaker jail: Landlock, seccomp and limits, since namespaces do not work here "
                 "(%s). It has %s. To refuse this: --jail namespace\n",
                 best.why_not.c_str(),
                 std::string(platform::what_it_lacks(JailLevel::Landlock)).c_str());
  });
  return JailLevel::Landlock;
}

bool has_openblas() {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                             "/usr/lib64", "/usr/lib", "/usr/local/lib"}) {
    std::error_code ignored;
    if (std::filesystem::exists(std::string(folder) + "/libopenblas.so", ignored)) return true;
  }
  return false;
}

std::string why_not_built(const Candidate& baseline) {
  if (baseline.target == Target::Cpu)
    return baseline.libraries.empty() || has_openblas()
               ? std::string()
               : join(baseline.libraries, ", ") + " is not installed";
  if (baseline.trust_class != TrustClass::HostLauncher) return {};
  const compile::CudaToolkit toolkit = compile::find_cuda_toolkit();
  if (toolkit.nvcc.empty())
    return "this baseline is a host launcher, which needs nvcc; set CUDA_PATH to a CUDA toolkit";
  for (const std::string& library : baseline.libraries)
    if (auto why = compile::why_no_cuda_library(toolkit, library); !why.empty()) return why;
  return {};
}

std::int64_t workload_limit(const DeviceFacts& facts, const Aim& aim) {
  // Shared buffers, two or more input sets, float64 inputs and float64 references take about ten
  // times the bytes of the tensors.
  constexpr std::int64_t kTimesTensors = 10;
  if (facts.target == Target::Cuda && facts.memory_bytes > 0)
    return facts.memory_bytes / kTimesTensors;
  // Whatever GPU of the architecture judges in the end has at least so much memory; the memory of
  // this machine says nothing about it.
  const std::string arch = facts.gpu.empty() ? aim.arch : facts.gpu.front().arch;
  const bool is_cuda = aim.target == Target::Cuda || facts.target == Target::Cuda;
  if (is_cuda && !arch.empty()) return device::least_memory(arch) / kTimesTensors;
  struct sysinfo info{};
  if (::sysinfo(&info) != 0) return std::int64_t{1} << 30;
  return static_cast<std::int64_t>(info.totalram) * static_cast<std::int64_t>(info.mem_unit) /
         kTimesTensors;
}

Result<engine::TaskWorkbenchOptions> workbench_options(const Global& global, const Aim& aim,
                                                       const DeviceFacts& facts) {
  engine::TaskWorkbenchOptions options;
  options.target = aim.target;
  options.max_bytes = workload_limit(facts, aim);
  options.why_not_built = why_not_built;
  options.jail = KW_TRY(jail_of(global));
  if (aim.target == Target::Cpu) return options;
  if (facts.gpu.empty() && aim.arch.empty())
    return fail_input("no GPU is known here, so say what to compile for: --arch sm_90a or another");
  options.gpu = {limits_of(facts, aim.arch)};
  return options;
}

Result<std::optional<DeviceFacts>> remembered_device(const store::RunStore& store, Target target) {
  const auto text = KW_TRY(store.recall("device", std::string(name_of(target))));
  if (!text) return std::optional<DeviceFacts>();
  auto facts = decode<DeviceFacts>(*text);
  if (!facts) return std::optional<DeviceFacts>();
  return std::optional(std::move(*facts));
}

std::string judge_id_of(const DeviceFacts& facts, const compile::Compiler& compiler) {
  return facts.id + "\n" + compiler.identity() + "\n" + std::string(built_commit()) +
         std::string(defences_variable());
}

namespace {

/// Whether jailed compilers cannot enter the folder: at jail level landlock a compiler that root
/// starts runs as another user, who must reach the cache in the folder.
bool is_closed_to_jails(const platform::Path& home) {
  struct stat info{};
  return ::geteuid() == 0 && ::stat(home.c_str(), &info) == 0 && (info.st_mode & S_IXOTH) == 0 &&
         !platform::probe_level(JailLevel::Namespace).available;
}

}  // namespace

platform::Path cache_folder() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/')
    return platform::Path(xdg) / "kernelwright";
  if (const char* home = std::getenv("HOME");
      home != nullptr && *home == '/' && !is_closed_to_jails(home))
    return platform::Path(home) / ".cache" / "kernelwright";
  return ::geteuid() == 0 ? "/var/cache/kernelwright" : "/tmp/kernelwright-cache";
}

Result<> Bench::open_tools(const Global& global, const Aim& aim,
                           std::optional<evaluate::WorkerProcess> worker) {
  auto cache = KW_TRY(with_fix(compile::DirectoryCache::open(cache_folder()), kCacheFix));
  compile::CpuCompilerSettings settings;
  settings.objects = cache.objects();
  settings.jail = KW_TRY(jail_of(global));
  auto cpu = KW_TRY(with_fix(compile::CpuCompiler::create(settings), kCompilerFix));
  evaluate::PipeOptions options;
  options.compiler = cpu->version();
  cpu_ = std::move(cpu);
  cache_ = std::make_unique<compile::DirectoryCache>(std::move(cache));
  cached_cpu_ = std::make_unique<compile::CachedCompiler>(*cpu_, *cache_);
  compiler_ = std::make_unique<compile::TargetCompiler>(
      *cached_cpu_,
      [this, objects = settings.objects,
       jail = settings.jail]() -> Result<std::unique_ptr<compile::Compiler>> {
        compile::CudaCompilerSettings cuda;
        cuda.toolkit = compile::find_cuda_toolkit();
        cuda.objects = objects;
        cuda.jail = jail;
        return std::make_unique<CachedCuda>(KW_TRY(compile::open_cuda_suite(std::move(cuda))),
                                            *cache_);
      });
  options.worker = {aim.target, settings.jail, global.title, {}};
  if (aim.target == Target::Cuda) {
    const auto toolkit = compile::find_cuda_toolkit();
    options.compiler = compile::compiler_words(toolkit);
    disassembler_ = {toolkit.disassembler, settings.jail};
  }
  options.disassembler = disassembler_;
  options.build_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.is_interrupted = global.is_interrupted;
  if (global.status != nullptr)
    options.on_progress = [status = global.status](const worker::Progress& progress) {
      status->hear(progress);
    };
  options.on_facts = [this](const DeviceFacts& facts) -> Result<> {
    if (store_ == nullptr) return {};
    return store_->remember("device", std::string(name_of(facts.target)), encode(facts));
  };
  carrier_ = std::make_unique<evaluate::PipeCarrier>(*compiler_, options, std::move(worker));
  return {};
}

Result<std::unique_ptr<Bench>> Bench::start(const Global& global, const Aim& aim) {
  const evaluate::WorkerChoice choice{aim.target, KW_TRY(jail_of(global)), global.title, {}};
  auto worker = KW_TRY(with_fix(evaluate::WorkerProcess::start(choice), kProgramsFix));
  std::unique_ptr<Bench> bench(new Bench);
  KW_TRY(bench->open_tools(global, aim, std::move(worker)));
  return bench;
}

Result<> Bench::meet(store::RunStore* store, const Aim& aim) {
  store_ = store;
  std::optional<DeviceFacts> remembered;
  if (store != nullptr) remembered = KW_TRY(remembered_device(*store, aim.target));
  const DeviceFacts facts = KW_TRY(carrier_->open(remembered));
  if (!aim.arch.empty() && !device::runs_on(aim.arch, facts.gpu.front().arch))
    return fail_input("code for " + aim.arch + " does not run on this " + facts.model +
                          ", which is " + facts.gpu.front().arch +
                          "; compile without running: --until compile",
                      "--arch");
  return {};
}

Result<std::unique_ptr<Bench>> Bench::open(const Global& global, store::RunStore* store,
                                           const Aim& aim) {
  auto bench = KW_TRY(start(global, aim));
  KW_TRY(bench->meet(store, aim));
  return bench;
}

Result<std::unique_ptr<Bench>> Bench::open_compilers(const Global& global, const Aim& aim) {
  std::unique_ptr<Bench> bench(new Bench);
  KW_TRY(bench->open_tools(global, aim, {}));
  return bench;
}

Result<> Bench::ensure_ceilings() {
  if (facts().ceilings.empty()) KW_TRY(measure(false));
  return {};
}

std::string Bench::judge_id() const { return judge_id_of(facts(), *compiler_); }

Result<DeviceFacts> Bench::measure(bool is_full) { return carrier_->measure_device(is_full); }

}  // namespace kw::cli
