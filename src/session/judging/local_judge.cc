// Opens tasks, compilers and workers for commands.
// SPDX-License-Identifier: Apache-2.0
#include "session/judging/local_judge.h"

#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/defence.h"
#include "base/text.h"
#include "compile/cache.h"
#include "compile/cpu_compiler.h"
#include "compile/target_compiler.h"
#include "device/known_devices.h"
#include "generated/version.h"
#include "platform/jail.h"
#include "record/codec.h"
#include "record/target.h"
#include "session/judging/toolchain.h"

namespace kw::session {

namespace {

/// A compiler that owns the one behind its cache.
class OwnCachedCompiler final : public compile::Compiler {
 public:
  OwnCachedCompiler(std::unique_ptr<compile::Compiler> inner, compile::ObjectCache& cache)
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

Result<JailLevel> jail_of(const Options& session) {
  if (const auto level = enum_from<JailLevel>(session.jail)) return *level;
  if (!session.jail.empty())
    return fail_input(ErrorCode::BadInput, About{"--jail"},
                      "--jail is namespace, landlock or none, not '" + session.jail + "'");
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
    session.notice(
        "weaker jail: Landlock, seccomp and limits, since namespaces do not work here (" +
        best.why_not + "). It has " + std::string(platform::what_it_lacks(JailLevel::Landlock)) +
        ". To refuse this: --jail namespace");
  });
  return JailLevel::Landlock;
}

std::string why_not_built(const Candidate& baseline) {
  return toolchains()[baseline.target].why_not_built(baseline);
}

std::int64_t workload_limit(const DeviceFacts& facts, const Aim& aim) {
  // Shared buffers, two or more input sets, float64 inputs and float64 references take about ten
  // times the bytes of the tensors.
  constexpr std::int64_t kTimesTensors = 10;
  if (row_of(facts.target).has_own_memory && facts.memory_bytes > 0)
    return facts.memory_bytes / kTimesTensors;
  // Whatever GPU of the architecture judges in the end has at least so much memory; the memory of
  // this machine says nothing about it.
  const std::string arch = facts.gpu.empty() ? aim.arch : facts.gpu.front().arch;
  const bool is_elsewhere =
      row_of(aim.target).has_own_memory || row_of(facts.target).has_own_memory;
  if (is_elsewhere && !arch.empty()) return device::least_memory(arch) / kTimesTensors;
  struct sysinfo info{};
  if (::sysinfo(&info) != 0) return std::int64_t{1} << 30;
  return static_cast<std::int64_t>(info.totalram) * static_cast<std::int64_t>(info.mem_unit) /
         kTimesTensors;
}

Result<engine::TaskWorkbenchOptions> workbench_options(const Options& session, const Aim& aim,
                                                       const DeviceFacts& facts) {
  engine::TaskWorkbenchOptions options;
  options.target = aim.target;
  options.max_bytes = workload_limit(facts, aim);
  options.why_not_built = why_not_built;
  options.jail = KW_TRY(jail_of(session));
  if (!row_of(aim.target).needs_arch) return options;
  if (facts.gpu.empty() && aim.arch.empty())
    return fail_input(ErrorCode::Missing, About{"--arch"},
                      "no GPU is known here, so say what to compile for: --arch sm_90a or another");
  options.gpu = {limits_of(facts, aim.arch)};
  return options;
}

Result<std::optional<DeviceFacts>> remembered_device(const store::RunStore& store, Target target) {
  const auto text = KW_TRY(store.facts().recall("device", std::string(name_of(target))));
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

Result<> LocalJudge::open_tools(const Options& session, const Aim& aim,
                                std::optional<evaluate::WorkerProcess> worker) {
  auto cache = KW_TRY(with_fix(compile::DirectoryCache::open(cache_folder()), kCacheFix));
  compile::CpuCompilerSettings settings;
  settings.objects = cache.objects();
  settings.jail = KW_TRY(jail_of(session));
  auto cpu = KW_TRY(with_fix(compile::CpuCompiler::create(settings), kCompilerFix));
  evaluate::PipeOptions options;
  options.compiler = cpu->version();
  cpu_ = std::move(cpu);
  cache_ = std::make_unique<compile::DirectoryCache>(std::move(cache));
  cached_cpu_ = std::make_unique<compile::CachedCompiler>(*cpu_, *cache_);
  std::map<Target, compile::TargetCompiler::Open> others;
  for (const Target target : all_targets())
    if (target != kHostTarget && toolchains().has(target))
      others[target] = [this, target, objects = settings.objects,
                        jail = settings.jail]() -> Result<std::unique_ptr<compile::Compiler>> {
        return std::make_unique<OwnCachedCompiler>(KW_TRY(toolchains()[target].open(objects, jail)),
                                                   *cache_);
      };
  compiler_ = std::make_unique<compile::TargetCompiler>(*cached_cpu_, std::move(others));
  options.worker = {aim.target, settings.jail, session.title, {}};
  const Toolchain& tools = toolchains()[aim.target];
  if (tools.compiler_words != nullptr) options.compiler = tools.compiler_words();
  if (tools.disassembler != nullptr) disassembler_ = {tools.disassembler(), settings.jail};
  options.disassembler = disassembler_;
  options.build_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.is_interrupted = session.is_interrupted;
  options.on_progress = session.on_progress;
  options.on_facts = [this](const DeviceFacts& facts) -> Result<> {
    if (store_ == nullptr) return {};
    return store_->facts().remember("device", std::string(name_of(facts.target)), encode(facts));
  };
  carrier_ = std::make_unique<evaluate::PipeCarrier>(*compiler_, options, std::move(worker));
  return {};
}

Result<std::unique_ptr<LocalJudge>> LocalJudge::start(const Options& session, const Aim& aim) {
  const evaluate::WorkerChoice choice{aim.target, KW_TRY(jail_of(session)), session.title, {}};
  auto worker = KW_TRY(with_fix(evaluate::WorkerProcess::start(choice), kProgramsFix));
  std::unique_ptr<LocalJudge> judge(new LocalJudge);
  KW_TRY(judge->open_tools(session, aim, std::move(worker)));
  return judge;
}

Result<> LocalJudge::meet(store::RunStore* store, const Aim& aim) {
  store_ = store;
  std::optional<DeviceFacts> remembered;
  if (store != nullptr) remembered = KW_TRY(remembered_device(*store, aim.target));
  const DeviceFacts facts = KW_TRY(carrier_->open(remembered));
  if (!aim.arch.empty() && !device::runs_on(aim.arch, facts.gpu.front().arch))
    return fail_input(ErrorCode::Unsupported, About{aim.arch},
                      "code for " + aim.arch + " does not run on this " + facts.model +
                          ", which is " + facts.gpu.front().arch +
                          "; compile without running: --until compile",
                      "--arch");
  return {};
}

Result<std::unique_ptr<LocalJudge>> LocalJudge::open(const Options& session, store::RunStore* store,
                                                     const Aim& aim) {
  auto judge = KW_TRY(start(session, aim));
  KW_TRY(judge->meet(store, aim));
  return judge;
}

Result<std::unique_ptr<LocalJudge>> LocalJudge::open_compilers(const Options& session,
                                                               const Aim& aim) {
  std::unique_ptr<LocalJudge> judge(new LocalJudge);
  KW_TRY(judge->open_tools(session, aim, {}));
  return judge;
}

Result<> LocalJudge::ensure_ceilings() {
  if (facts().ceilings.empty()) KW_TRY(measure(false));
  return {};
}

std::string LocalJudge::judge_id() const { return judge_id_of(facts(), *compiler_); }

Result<DeviceFacts> LocalJudge::measure(bool is_full) { return carrier_->measure_device(is_full); }

}  // namespace kw::session
