// A unit becomes a job for kw-nvrtc; its answer becomes a cubin with facts, or the reason why not.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>

#include "base/hash.h"
#include "base/text.h"
#include "compile/cubin.h"
#include "compile/diagnostics.h"
#include "compile/nvrtc_log.h"

namespace kw::compile {

using platform::Path;

namespace {

constexpr std::uint64_t kLogBytes = std::uint64_t{1} << 20;
constexpr int kOutOfMemory = 1;       // NVRTC_ERROR_OUT_OF_MEMORY
constexpr int kCompilation = 6;       // NVRTC_ERROR_COMPILATION
constexpr int kNoMemoryExitCode = 3;  // of the compiling child
constexpr std::size_t kNameBytes = 512;
/// On every architecture: "Entry function uses too much shared data (…, 0xc000 max)".
constexpr std::int64_t kMostStaticShared = 0xc000;

constexpr std::array kRegisterCounts = {32, 40, 48, 64, 80, 96, 128, 168, 255};

/// What every unit is compiled with. 177: unused variables, which templates and knobs make plenty
/// of. Unannotated functions are device functions: there are no others here.
constexpr std::array<std::string_view, 4> kFlags = {"-default-device", "-lineinfo",
                                                    "--ptxas-options=-v", "--diag-suppress=177"};
constexpr std::string_view kPlainStandard = "--std=c++20";
constexpr std::string_view kCuteStandard = "--std=c++17";  // what CUTLASS is tested with

/// What most kernels with CuTe need; precompiled once in a life of kw-nvrtc.
constexpr std::string_view kCutePrefix =
    "#include <cute/tensor.hpp>\n"
    "#include <cutlass/arch/barrier.h>\n"
    "#include <cutlass/arch/reg_reconfig.h>\n"
    "#include <cutlass/numeric_types.h>\n";

std::string flag_of(std::string_view option) {
  if (option == "fast_math") return "--use_fast_math";
  constexpr std::string_view kRegisters = "maxrregcount_";
  for (const int count : kRegisterCounts)
    if (option == std::string(kRegisters) + std::to_string(count))
      return "-maxrregcount=" + std::to_string(count);
  return {};
}

/// 90 of "sm_90a"; 0 if it is no architecture.
int number_of(std::string_view arch) {
  if (!arch.starts_with("sm_") || arch.size() > 8) return 0;
  int number = 0;
  const auto read = std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
  const std::string_view rest = arch.substr(static_cast<std::size_t>(read.ptr - arch.data()));
  return rest.empty() || rest == "a" || rest == "f" ? number : 0;
}

/// Size, beginning and end of a library: what it is, in a millisecond instead of its 110 MB.
std::string fingerprint(const Path& path) {
  constexpr std::streamsize kPart = 1 << 18;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (!file || size <= 0) return "unreadable";
  Sha256Stream stream;
  std::string part(static_cast<std::size_t>(std::min<std::streamoff>(kPart, size)), '\0');
  for (const std::streamoff at :
       {std::streamoff{0}, size - static_cast<std::streamoff>(part.size())}) {
    file.seekg(at);
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    stream.update_part(part);
  }
  return fmt::format("{} of {} bytes", stream.finish().hex().substr(0, 16), size);
}

bool is_limit(std::string_view log) {
  return log.find("excessive recursion") != std::string_view::npos ||
         log.find("out of memory") != std::string_view::npos ||
         log.find("nested too deeply") != std::string_view::npos;
}

const SourceFile* main_of(const BuildUnit& unit) {
  for (const SourceFile& file : unit.files)
    if (file.name == unit.main_file) return &file;
  return nullptr;
}

}  // namespace

std::span<const std::string> cuda_option_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"fast_math"};
    for (const int count : kRegisterCounts) all.push_back(fmt::format("maxrregcount_{}", count));
    return all;
  }();
  return names;
}

CudaCompiler::CudaCompiler(CudaCompilerSettings settings, std::string identity)
    : settings_(std::move(settings)), identity_(std::move(identity)), server_([this] {
        NvrtcServerSettings server;
        server.library = settings_.toolkit.nvrtc->library;
        server.builtins = settings_.toolkit.nvrtc->builtins;
        server.readable = settings_.toolkit.include;
        if (!settings_.toolkit.cutlass.empty())
          server.readable.push_back(settings_.toolkit.cutlass);
        server.jail = settings_.jail;
        server.program = settings_.program;
        return server;
      }()) {}

Result<std::unique_ptr<CudaCompiler>> CudaCompiler::create(CudaCompilerSettings settings) {
  const CudaToolkit& toolkit = settings.toolkit;
  if (!toolkit.nvrtc) return fail(why_no_nvrtc(toolkit), "", Advice::Stop);
  settings.objects = std::filesystem::absolute(settings.objects);
  KW_TRY(platform::make_dirs(settings.objects));
  std::string flags;
  for (const std::string_view flag : kFlags) flags += std::string(flag) + " ";
  std::string identity = fmt::format(
      "NVRTC {} {}\n{}{} {}\n{}\nCUTLASS {}", fingerprint(toolkit.nvrtc->library),
      toolkit.nvrtc->builtins.empty() ? "" : fingerprint(toolkit.nvrtc->builtins), flags,
      kPlainStandard, kCuteStandard, toolkit.headers_version, toolkit.cutlass_version);
  return std::unique_ptr<CudaCompiler>(new CudaCompiler(std::move(settings), std::move(identity)));
}

Result<std::string> CudaCompiler::version() {
  const NvrtcVersion version = KW_TRY(server_.version());
  return fmt::format("NVRTC {}.{}", version.major, version.minor);
}

/// The unit's fate where it needs no compiler to know it.
Result<std::optional<CompileResult>> CudaCompiler::check(const BuildUnit& unit) {
  if (auto unfit = KW_TRY(check_unit(unit, settings_.limits))) return unfit;
  for (const std::string& option : unit.options)
    if (flag_of(option).empty()) return unknown_option(option, cuda_option_names());
  for (const std::string& library : unit.libraries)
    return refused(Outcome::CompileFailed, "device code is linked with no library, and '" +
                                               one_line(library, 80) + "' was asked for");
  for (const std::string& name : unit.kernels)
    if (name.empty() || name.size() > kNameBytes || name.find('\n') != std::string::npos)
      return refused(Outcome::CompileFailed,
                     "'" + one_line(name, 80) + "' cannot be the name of a kernel");
  if (main_of(unit) == nullptr) return fail("a unit without its main file");
  const int number = number_of(unit.arch);
  if (number == 0) return fail("not an architecture: " + one_line(unit.arch, 40));
  const NvrtcVersion version = KW_TRY(server_.version());
  const auto& known = version.architectures;
  if (std::find(known.begin(), known.end(), number) == known.end())
    return fail(fmt::format("NVRTC {}.{} does not compile for {}; it knows sm_{} to sm_{}",
                            version.major, version.minor, unit.arch,
                            known.empty() ? 0 : known.front(), known.empty() ? 0 : known.back()),
                settings_.toolkit.nvrtc->library.string(), Advice::Stop);
  if (unit.dialect == "cute" && settings_.toolkit.cutlass.empty())
    return fail(
        "no CUTLASS for '// kw: dialect cute'; set CUTLASS_PATH or run "
        "scripts/install-cutlass",
        "", Advice::Stop);
  if (!unit.dialect.empty() && unit.dialect != "cuda" && unit.dialect != "cute")
    return fail("not a dialect: " + one_line(unit.dialect, 40));
  return std::nullopt;
}

Result<NvrtcJob> CudaCompiler::job_of(const BuildUnit& unit) const {
  const bool is_cute = unit.dialect == "cute";
  NvrtcJob job;
  job.log_bytes = kLogBytes;
  job.object_bytes = settings_.limits.object_bytes;
  job.names = unit.kernels;
  job.options = {"-arch=" + unit.arch, std::string(is_cute ? kCuteStandard : kPlainStandard)};
  job.options.insert(job.options.end(), kFlags.begin(), kFlags.end());
  for (const std::string& option : unit.options) job.options.push_back(flag_of(option));
  if (is_cute) job.options.push_back("-I" + settings_.toolkit.cutlass.string());
  for (const Path& folder : settings_.toolkit.include)
    job.options.push_back("-I" + folder.string());
  // Macros stand behind the headers, not in the options: one precompiled header serves all knobs.
  if (is_cute) job.source = kCutePrefix;
  job.prefix_bytes = job.source.size();
  for (const std::string& define : unit.defines) {
    const std::size_t equals = define.find('=');
    job.source +=
        equals == std::string::npos
            ? fmt::format("#define {} 1\n", define)
            : fmt::format("#define {} {}\n", define.substr(0, equals), define.substr(equals + 1));
  }
  for (const SourceFile& file : unit.files) {
    job.headers.emplace_back(file.name, file.text);
    if (file.name == "iface.h") job.source += "#include \"iface.h\"\n";
  }
  job.source += "#include \"" + unit.main_file + "\"\n";
  return job;
}

Result<CompileResult> CudaCompiler::build(const BuildUnit& unit) {
  if (unit.target != Target::Cuda) return fail("not a unit for cuda");
  if (auto known = KW_TRY(check(unit))) return std::move(*known);
  const auto start = std::chrono::steady_clock::now();
  const NvrtcJob job = KW_TRY(job_of(unit));
  NvrtcPacket packet;
  packet.wall_ns = static_cast<std::uint64_t>(settings_.limits.wall_ns);
  packet.cpu_seconds = settings_.limits.cpu_seconds;
  packet.address_space_bytes = settings_.limits.address_space_bytes;
  if (job.prefix_bytes > 0) {
    const std::string key =
        sha256(join(job.options, "\n") + job.source.substr(0, job.prefix_bytes)).hex();
    packet.precompiled = std::strtoull(key.substr(0, 15).c_str(), nullptr, 16) | 1;
  }
  const NvrtcOutcome outcome = KW_TRY(server_.run(job, packet));
  CompileResult result = KW_TRY(read_outcome(outcome, unit));
  result.elapsed_ns = static_cast<double>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
  return result;
}

/// A child that gave no answer.
CompileResult CudaCompiler::died(const NvrtcOutcome& outcome) const {
  const NvrtcFate& fate = outcome.fate;
  CompileResult result;
  if (fate.was_late != 0) {
    result =
        refused(Outcome::TimedOut, "compiling took longer than " +
                                       format_ns(static_cast<double>(settings_.limits.wall_ns)));
    result.is_repeatable = false;
  } else if (fate.signal == SIGXCPU) {
    result =
        refused(Outcome::TimedOut, fmt::format("compiling used more than {} s of processor time",
                                               settings_.limits.cpu_seconds));
  } else if (outcome.was_flooded) {
    result = refused(Outcome::OutOfResources, "the compiler's answer was larger than any may be");
  } else if (fate.signal != 0) {
    platform::Exit exit;
    exit.signal = fate.signal;
    result = refused(Outcome::OutOfResources,
                     "the compiler ended by " + platform::describe(exit) +
                         ", as it does when it needs more memory than it may use");
    result.is_repeatable = fate.signal != SIGKILL;
  } else if (fate.code == kNoMemoryExitCode) {
    result = refused(Outcome::OutOfResources, "the compiler needed more memory than it may use");
  } else {
    result = refused(Outcome::CompileFailed,
                     fmt::format("the compiler ended without an answer (exit code {})", fate.code));
    result.is_repeatable = false;
  }
  return result;
}

Result<CompileResult> CudaCompiler::read_outcome(const NvrtcOutcome& outcome,
                                                 const BuildUnit& unit) const {
  if (!outcome.answer) return died(outcome);
  const NvrtcAnswer& answer = *outcome.answer;
  if (answer.object_is_big != 0)
    return refused(Outcome::OutOfResources,
                   "the cubin is larger than " + format_bytes(settings_.limits.object_bytes));
  if (answer.result == 0) return keep(answer, unit);
  CompileResult result =
      refused(answer.result == kOutOfMemory || is_limit(answer.log) ? Outcome::OutOfResources
                                                                    : Outcome::CompileFailed,
              "");
  const NvrtcLog log = parse_nvrtc_log(answer.log, unit);
  result.findings = diagnostic_findings(log.diagnostics, unit);
  result.evidence = one_line(first_error(result.findings), 300);
  // Within NVRTC the assembler refuses this without a word.
  for (const PtxasUsage& usage : log.usage)
    if (result.evidence.empty() && usage.shared_bytes > kMostStaticShared)
      result.evidence = fmt::format(
          "{} wants {} of static shared memory, and {} is the most; beyond it, declare it extern "
          "and ask for it in the launch: shared(bytes)",
          one_line(usage.symbol, 80), format_bytes(static_cast<std::uint64_t>(usage.shared_bytes)),
          format_bytes(kMostStaticShared));
  if (result.evidence.empty() && answer.result == kCompilation)
    result.evidence = one_line(answer.log, 300);
  if (result.evidence.empty())
    result.evidence = "NVRTC failed: " + one_line(answer.result_name, 80);
  return result;
}

Result<CompileResult> CudaCompiler::keep(const NvrtcAnswer& answer, const BuildUnit& unit) const {
  Result<std::vector<KernelFacts>> kernels = read_cubin(answer.object);
  if (!kernels)
    return refused(Outcome::CompileFailed, "what was compiled is " + kernels.error().what);
  const NvrtcLog log = parse_nvrtc_log(answer.log, unit);
  for (KernelFacts& kernel : *kernels) {
    for (std::size_t i = 0; i < answer.symbols.size(); ++i)
      if (answer.symbols[i] == kernel.symbol) kernel.name = unit.kernels[i];
    for (const PtxasUsage& usage : log.usage) {
      if (usage.symbol != kernel.symbol) continue;
      kernel.spill_bytes = usage.spill_bytes;
      if (usage.registers >= 0) kernel.static_shared = usage.shared_bytes;
    }
  }
  CompileResult result = KW_TRY(keep_object(settings_.objects, answer.object, "cubin"));
  // Two spellings of one instance (f<4> and f<2 * 2>) have one symbol; each finds its kernel.
  for (std::size_t i = 0; i < answer.symbols.size(); ++i) {
    const auto found = std::find_if(kernels->begin(), kernels->end(), [&](const KernelFacts& k) {
      return k.symbol == answer.symbols[i];
    });
    if (found == kernels->end())
      return refused(Outcome::CompileFailed, "the plan launches '" + one_line(unit.kernels[i], 80) +
                                                 "', which is no __global__ function");
    if (found->name == unit.kernels[i]) continue;
    KernelFacts alias = *found;
    alias.name = unit.kernels[i];
    kernels->push_back(std::move(alias));
  }
  result.findings = diagnostic_findings(log.diagnostics, unit);
  for (Finding& finding : resource_findings(*kernels)) {
    finding.rank = static_cast<int>(result.findings.size()) + 1;
    result.findings.push_back(std::move(finding));
  }
  result.object.front().kernels = std::move(*kernels);
  return result;
}

std::vector<Finding> resource_findings(std::span<const KernelFacts> kernels) {
  std::vector<const KernelFacts*> order;
  for (const KernelFacts& kernel : kernels) order.push_back(&kernel);
  std::stable_sort(order.begin(), order.end(), [](const KernelFacts* a, const KernelFacts* b) {
    return a->spill_bytes > b->spill_bytes;
  });
  std::vector<Finding> findings;
  for (const KernelFacts* kernel : order) {
    Finding& finding = findings.emplace_back();
    finding.kind = "resource";
    finding.place = kernel->name;
    finding.text = fmt::format("{}: {} registers per thread, {} of static shared memory",
                               kernel->name, kernel->registers,
                               format_bytes(static_cast<std::uint64_t>(kernel->static_shared)));
    if (kernel->spill_bytes > 0)
      finding.text += fmt::format(", {} of spill traffic per thread: registers run out",
                                  format_bytes(static_cast<std::uint64_t>(kernel->spill_bytes)));
    if (kernel->stack_bytes > 0)
      finding.text += fmt::format(", {} of stack in local memory",
                                  format_bytes(static_cast<std::uint64_t>(kernel->stack_bytes)));
    if (kernel->max_threads > 0)
      finding.text += fmt::format(", compiled for at most {} threads a block", kernel->max_threads);
    finding.text += ".";
  }
  return findings;
}

}  // namespace kw::compile
