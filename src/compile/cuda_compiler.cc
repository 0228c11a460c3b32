// Turns a unit into a job for kw-nvrtc, and its answer into a cubin with facts or the reason why
// there is none.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>

#include "base/hash.h"
#include "base/text.h"
#include "compile/device_flags.h"
#include "compile/device_headers.h"
#include "compile/device_timer.h"
#include "compile/diagnostics.h"
#include "compile/nvrtc_log.h"

namespace kw::compile {

using platform::Path;

namespace {

constexpr std::uint64_t kLogBytes = std::uint64_t{1} << 20;
constexpr int kOutOfMemory = 1;       // NVRTC_ERROR_OUT_OF_MEMORY
constexpr int kCompilation = 6;       // NVRTC_ERROR_COMPILATION
constexpr int kNoMemoryExitCode = 3;  // exit code of the compiling child
/// Most bytes of static shared memory of a kernel, the same on every architecture. ptxas says:
/// "Entry function uses too much shared data (…, 0xc000 max)".
constexpr std::int64_t kMostStaticShared = 0xc000;

/// Flags of every unit. Two warnings are suppressed: 177, unused variables, which templates and
/// knobs often leave, and 47, macros that both libcu++ and device_headers() define. Functions
/// without annotation become device functions, because the source has no host functions.
constexpr std::array<std::string_view, 4> kFlags = {"-default-device", "-lineinfo",
                                                    "--ptxas-options=-v", "--diag-suppress=177,47"};
/// Headers that most kernels with CuTe need; precompiled once per running kw-nvrtc.
constexpr std::string_view kCutePrefix =
    "#include <cute/tensor.hpp>\n"
    "#include <cutlass/arch/barrier.h>\n"
    "#include <cutlass/arch/reg_reconfig.h>\n"
    "#include <cutlass/numeric_types.h>\n";

/// A string of size, beginning and end of a library. It identifies the library in a millisecond,
/// without reading all its 110 MB.
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
  if (!toolkit.nvrtc)
    return fail(ErrorCode::MissingProgram, About{"nvrtc"}, why_no_nvrtc(toolkit), "", Advice::Stop);
  settings.objects = std::filesystem::absolute(settings.objects);
  KW_TRY(platform::make_dirs(settings.objects));
  std::string flags;
  for (const std::string_view flag : kFlags) flags += std::string(flag) + " ";
  Sha256Stream headers;
  headers.update_part(device_prelude());
  for (const DeviceHeader& header : device_headers()) headers.update_part(header.text);
  std::string identity = fmt::format(
      "NVRTC {} {}\n{}{} {}\n{}\nCUTLASS {}\n{}\nwaits marked", fingerprint(toolkit.nvrtc->library),
      toolkit.nvrtc->builtins.empty() ? "" : fingerprint(toolkit.nvrtc->builtins), flags,
      kDeviceStandard, kCuteStandard, toolkit.headers_version, toolkit.cutlass_version,
      headers.finish().hex().substr(0, 16));
  return std::unique_ptr<CudaCompiler>(new CudaCompiler(std::move(settings), std::move(identity)));
}

/// The unit's result where it is decided without compiling, as for a unit that is too large; else
/// nothing.
Result<std::optional<CompileResult>> CudaCompiler::check(const BuildUnit& unit) {
  if (auto unfit = KW_TRY(check_unit(unit, settings_.limits))) return unfit;
  if (auto unfit = KW_TRY(check_device_unit(unit))) return unfit;
  for (const std::string& library : unit.libraries)
    return refused(
        Outcome::CompileFailed, BuildTrouble::NoLibraries, one_line(library, 80),
        "device code cannot be linked with a library such as '" + one_line(library, 80) + "'");
  if (main_of(unit) == nullptr)
    return fail(ErrorCode::Missing, About{unit.main_file},
                "the build unit lacks its main source file");
  const int number = architecture_number(unit.arch);
  const NvrtcVersion version = KW_TRY(server_.version());
  const auto& known = version.architectures;
  if (std::find(known.begin(), known.end(), number) == known.end())
    return fail(ErrorCode::Unsupported, About{unit.arch},
                fmt::format("NVRTC {}.{} does not compile for {}; it knows sm_{} to sm_{}",
                            version.major, version.minor, unit.arch,
                            known.empty() ? 0 : known.front(), known.empty() ? 0 : known.back()),
                settings_.toolkit.nvrtc->library.string(), Advice::Stop);
  if (unit.dialect == "cute" && settings_.toolkit.cutlass.empty()) return no_cutlass();
  if (unit.dialect == "host")
    return fail(ErrorCode::Unsupported, About{unit.dialect},
                "NVRTC compiles only device code, and this unit is host code");
  return std::nullopt;
}

Result<NvrtcJob> CudaCompiler::job_of(const BuildUnit& unit) const {
  const bool is_cute = unit.dialect == "cute";
  NvrtcJob job;
  job.log_bytes = kLogBytes;
  job.object_bytes = settings_.limits.object_bytes;
  job.names = unit.kernels;
  job.options = {"-arch=" + unit.arch, std::string(is_cute ? kCuteStandard : kDeviceStandard)};
  job.options.insert(job.options.end(), kFlags.begin(), kFlags.end());
  for (const std::string& option : unit.options) job.options.push_back(device_flag(option));
  if (is_cute) job.options.push_back("-I" + settings_.toolkit.cutlass.string());
  for (const Path& folder : settings_.toolkit.include)
    job.options.push_back("-I" + folder.string());
  // CuTe's precompiled headers are shared by all sources, so they must not contain headers of one
  // source.
  if (!is_cute) {
    for (const DeviceHeader& header : device_headers())
      job.headers.emplace_back(header.name, header.text);
    for (auto& header : marked_headers(settings_.toolkit.include, library_timer_mark(unit)))
      job.headers.push_back(std::move(header));
  }
  // Macros are defined in the source text behind the headers instead of by options, so that one
  // precompiled header works for all values of knobs.
  if (is_cute) job.source = kCutePrefix;
  job.prefix_bytes = job.source.size();
  job.source += device_prelude();
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
  if (unit.target != Target::Cuda)
    return fail(ErrorCode::Unsupported, About{std::string(name_of(unit.target))},
                "the build unit is not for target cuda");
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

/// The result where the compiling child ended without an answer.
CompileResult CudaCompiler::died(const NvrtcOutcome& outcome) const {
  const NvrtcFate& fate = outcome.fate;
  CompileResult result;
  if (fate.was_late != 0) {
    result = refused(
        Outcome::TimedOut, BuildTrouble::TooSlow, "wall",
        "compiling took longer than " + format_ns(static_cast<double>(settings_.limits.wall_ns)));
    result.is_repeatable = false;
  } else if (fate.signal == SIGXCPU) {
    result = refused(Outcome::TimedOut, BuildTrouble::TooSlow, "processor",
                     fmt::format("compiling used more than {} s of processor time",
                                 settings_.limits.cpu_seconds));
  } else if (outcome.was_flooded) {
    result = refused(Outcome::OutOfResources, BuildTrouble::ObjectTooLarge, "answer",
                     "the answer of kw-nvrtc, which compiles device code, exceeded its size limit");
  } else if (fate.signal != 0) {
    platform::Exit exit;
    exit.signal = fate.signal;
    result = refused(Outcome::OutOfResources, BuildTrouble::NoMemory, platform::describe(exit),
                     "the compiler ended by " + platform::describe(exit) +
                         ", as it does when it needs more memory than it is allowed");
    result.is_repeatable = fate.signal != SIGKILL;
  } else if (fate.code == kNoMemoryExitCode) {
    result = refused(Outcome::OutOfResources, BuildTrouble::NoMemory, "",
                     "the compiler needed more memory than it is allowed");
  } else {
    result = refused(Outcome::CompileFailed, BuildTrouble::Silent, std::to_string(fate.code),
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
    return refused(Outcome::OutOfResources, BuildTrouble::ObjectTooLarge, "cubin",
                   "the compiled cubin is larger than the limit of " +
                       format_bytes(settings_.limits.object_bytes));
  const NvrtcLog log = parse_nvrtc_log(answer.log, unit);
  if (answer.result == 0)
    return keep_cubin(settings_.objects, answer.object, answer.symbols, log, unit);
  CompileResult result =
      refused(answer.result == kOutOfMemory || is_limit(answer.log) ? Outcome::OutOfResources
                                                                    : Outcome::CompileFailed,
              BuildTrouble::Diagnosed, "", "");
  result.findings = diagnostic_findings(log.diagnostics, unit);
  tell_first_error(result);
  // NVRTC's built-in assembler refuses too much static shared memory without a message.
  for (const PtxasUsage& usage : log.usage)
    if (result.evidence.empty() && usage.shared_bytes > kMostStaticShared) {
      result.trouble = BuildTrouble::SharedMemory;
      result.about = one_line(usage.symbol, 80);
      result.evidence = fmt::format(
          "{} declares {} of static shared memory, and at most {} are allowed; to use more, "
          "declare the array extern __shared__ and ask for its bytes in the launch: shared(bytes)",
          one_line(usage.symbol, 80), format_bytes(static_cast<std::uint64_t>(usage.shared_bytes)),
          format_bytes(kMostStaticShared));
    }
  if (result.evidence.empty() && answer.result == kCompilation)
    result.evidence = one_line(answer.log, 300);
  if (result.evidence.empty()) {
    result.trouble = BuildTrouble::Silent;
    result.about = one_line(answer.result_name, 80);
    result.evidence = "NVRTC failed: " + one_line(answer.result_name, 80);
  }
  return result;
}

}  // namespace kw::compile
