// Runs nvcc in a jail and reads how the run ended.
// SPDX-License-Identifier: Apache-2.0
#include "compile/nvcc_compiler.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "base/contains.h"
#include "base/defence.h"
#include "base/text.h"
#include "base/with_nearest.h"
#include "compile/cubin.h"
#include "compile/device_flags.h"
#include "compile/device_timer.h"
#include "compile/diagnostics.h"
#include "compile/elf.h"
#include "compile/nvrtc_log.h"
#include "compile/source_kernels.h"

namespace kw::compile {

using platform::Path;

namespace {

constexpr const char* kCubinName = "unit.cubin";
constexpr const char* kSharedName = "unit.so";

bool is_host(const BuildUnit& unit) { return unit.dialect == "host"; }

/// The toolkit's folder, two levels above its bin/nvcc.
Path root_of(const Path& nvcc) { return nvcc.parent_path().parent_path(); }

/// The flag that builds code for one architecture and nothing else. With -arch=sm_90a, nvcc 13
/// would also make code for compute_90, for which no source with wgmma compiles.
std::string one_arch_flag(std::string_view arch) {
  constexpr std::string_view kLead = "sm_";
  KW_ASSERT(arch.starts_with(kLead));
  return fmt::format("-gencode=arch=compute_{},code={}", arch.substr(kLead.size()), arch);
}

/// A kernel's name without blanks, as a plan would write it: "gemm<64,2>" from "void gemm<64,
/// 2>(float const*, …)". The name of an extern "C" kernel stays "gemm".
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ') out += c;
  return out;
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : symbol;
  std::free(text);  // NOLINT: allocated by malloc
  if (name.starts_with("void ")) name.erase(0, 5);
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
  }
  return name;
}

}  // namespace

NvccCompiler::NvccCompiler(NvccSettings settings, std::string version)
    : settings_(std::move(settings)) {
  identity_ = fmt::format("nvcc {} {}\n{}\nCUTLASS {}\nwaits marked\none arch",
                          settings_.toolkit.nvcc.string(), version,
                          settings_.toolkit.headers_version, settings_.toolkit.cutlass_version);
  for (const std::string& name : cuda_library_names())
    if (const auto library = find_cuda_library(settings_.toolkit, name))
      identity_ += fmt::format("\n{} {}", name,
                               (library->file.empty() ? library->include : library->file).string());
}

Result<std::unique_ptr<NvccCompiler>> NvccCompiler::create(NvccSettings settings) {
  if (settings.toolkit.nvcc.empty())
    return fail(ErrorCode::MissingProgram, About{"nvcc"},
                "nvcc was not found; set CUDA_PATH to a CUDA toolkit", "", Advice::Stop);
  settings.objects = std::filesystem::absolute(settings.objects);
  KW_TRY(platform::make_dirs(settings.objects));
  platform::SpawnOptions options;
  options.env = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
  const std::string program = settings.toolkit.nvcc.string();
  const platform::Exit asked =
      KW_TRY(platform::run({program, "--version"}, options, std::chrono::seconds(20)));
  if (!asked.ok() || asked.out.empty())
    return fail(ErrorCode::MissingProgram, About{"nvcc does not run"},
                "nvcc cannot be run: " + platform::describe(asked), program, Advice::Stop);
  std::string version;
  for (const std::string_view line : split_lines(asked.out))
    if (line.find("release") != std::string_view::npos) version = sanitise(trim(line), 120);
  return std::unique_ptr<NvccCompiler>(new NvccCompiler(std::move(settings), std::move(version)));
}

Result<std::optional<CompileResult>> NvccCompiler::check(const BuildUnit& unit) const {
  if (auto unfit = KW_TRY(check_unit(unit, settings_.limits))) return unfit;
  if (auto unfit = KW_TRY(check_device_unit(unit))) return unfit;
  for (const std::string& library : unit.libraries) {
    if (!is_host(unit))
      return refused(Outcome::CompileFailed, BuildTrouble::NoLibraries, one_line(library, 80),
                     "device code cannot be linked with libraries; only host launchers can");
    if (auto why = why_no_cuda_library(settings_.toolkit, library); !why.empty()) {
      const std::span<const std::string> known = cuda_library_names();
      if (contains(known, library))
        return refused(Outcome::Unsupported, BuildTrouble::MissingLibrary, library, std::move(why));
      return refused(Outcome::Unsupported, BuildTrouble::UnknownLibrary,
                     with_nearest(one_line(library, 80), known), std::move(why));
    }
  }
  if (unit.dialect == "cute" && settings_.toolkit.cutlass.empty()) return no_cutlass();
  return std::nullopt;
}

platform::JailSpec NvccCompiler::jail_for(const Path& folder) const {
  platform::JailSpec jail;
  jail.level = settings_.jail;
  jail.readable = {root_of(settings_.toolkit.nvcc)};
  for (const Path& include : settings_.toolkit.include) jail.readable.push_back(include);
  if (!settings_.toolkit.cutlass.empty()) jail.readable.push_back(settings_.toolkit.cutlass);
  for (const std::string& name : cuda_library_names())
    if (const auto library = find_cuda_library(settings_.toolkit, name)) {
      jail.readable.push_back(library->include);
      if (!library->file.empty()) jail.readable.push_back(library->file.parent_path());
    }
  jail.writable = {folder};
  jail.allow_new_processes = true;
  jail.max_processes = 32;  // nvcc, cudafe++, cicc, ptxas, g++ and its sub-processes, the linker
  jail.address_space_bytes = settings_.limits.address_space_bytes;
  jail.file_bytes = settings_.limits.object_bytes;
  jail.tmp_bytes = settings_.limits.object_bytes * 4;
  jail.cpu_seconds = is_on(Defence::CompileTime) ? settings_.limits.cpu_seconds : 0;
  jail.env = {"PATH=/usr/bin:/bin", "LC_ALL=C", "TMPDIR=" + folder.string()};
  jail.output_cap = std::size_t{4} << 20;
  jail.cwd = folder;
  return jail;
}

Result<std::vector<std::string>> NvccCompiler::arguments_for(const Path& folder,
                                                             const BuildUnit& unit) const {
  std::vector<std::string> words = {
      settings_.toolkit.nvcc.string(), "-O3",        "-lineinfo", one_arch_flag(unit.arch),
      "--diag-suppress=177",           "-Xptxas=-v", "-I."};
  words.emplace_back(unit.dialect == "cuda" ? kDeviceStandard : kCuteStandard);
  for (const std::string& option : unit.options) words.push_back(device_flag(option));
  for (const std::string& define : unit.defines) words.push_back("-D" + define);
  if (unit.dialect != "cuda" && !settings_.toolkit.cutlass.empty()) {
    words.push_back("-I" + settings_.toolkit.cutlass.string());
    words.emplace_back("--expt-relaxed-constexpr");
  }
  for (const SourceFile& file : unit.files) {
    KW_TRY(platform::write_file_atomic(folder / file.name, file.text, /*durable=*/false));
    std::error_code ignored;
    std::filesystem::permissions(folder / file.name, std::filesystem::perms(0644), ignored);
    if (file.name == "iface.h") words.insert(words.end(), {"-include", "iface.h"});
  }
  if (!is_host(unit))
    for (const auto& [name, text] :
         marked_headers(settings_.toolkit.include, library_timer_mark(unit))) {
      KW_TRY(platform::make_dirs((folder / name).parent_path()));
      KW_TRY(platform::write_file_atomic(folder / name, text, /*durable=*/false));
      std::error_code ignored;
      std::filesystem::permissions(folder / name, std::filesystem::perms(0644), ignored);
    }
  if (is_host(unit)) {
    words.insert(words.end(), {"--shared", "-Xcompiler=-fPIC,-fvisibility=hidden,-w",
                               // The linker reports a missing entry now; without the flag, loading
                               // the object would fail.
                               "-Xlinker=--no-undefined", "-o", kSharedName});
    for (const SourceFile& file : unit.files)
      if (file.name.ends_with(".cu") || file.name.ends_with(".cpp")) words.push_back(file.name);
    for (const std::string& name : unit.libraries) {
      const CudaLibrary library = find_cuda_library(settings_.toolkit, name).value();
      // The library's folder is searched after the toolkit's own headers, since a wheel may hold
      // other versions of them.
      words.push_back("-Xcompiler=-idirafter," + library.include.string());
      // The library is linked by its file name, since a wheel has no libNAME.so without a version.
      // Whoever loads the object gives the folder of the library.
      if (!library.file.empty()) words.push_back("-Xlinker=" + library.file.string());
    }
    return words;
  }
  words.insert(words.end(), {"-cubin", "-o", kCubinName});
  const bool has_templates = std::any_of(
      unit.kernels.begin(), unit.kernels.end(),
      [](const std::string& name) { return name.find_first_of("<:") != std::string::npos; });
  if (!has_templates) {
    words.push_back(unit.main_file);
    return words;
  }
  // The generated file includes the source and takes the address of each template instance, which
  // makes nvcc instantiate it.
  std::string names = "#include \"" + unit.main_file + "\"\n";
  for (std::size_t i = 0; i < unit.kernels.size(); ++i)
    names += fmt::format("static auto* kw_name_{} = &{};\n", i, unit.kernels[i]);
  KW_TRY(platform::write_file_atomic(folder / kNamesFile, names, /*durable=*/false));
  std::error_code ignored;
  std::filesystem::permissions(folder / kNamesFile, std::filesystem::perms(0644), ignored);
  words.emplace_back(kNamesFile);
  return words;
}

Result<CompileResult> NvccCompiler::build(const BuildUnit& unit) {
  if (auto known = KW_TRY(check(unit))) return std::move(*known);
  const auto start = std::chrono::steady_clock::now();
  const platform::TempDir folder = KW_TRY(platform::TempDir::create("kw-nvcc"));
  CompileResult result = KW_TRY(build_in(folder.path(), unit));
  result.elapsed_ns = static_cast<double>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
  return result;
}

Result<CompileResult> NvccCompiler::build_in(const Path& folder, const BuildUnit& unit) const {
  const auto words = KW_TRY(arguments_for(folder, unit));
  const std::chrono::nanoseconds most(settings_.limits.wall_ns);
  const platform::Exit exit = KW_TRY(platform::run_jailed(
      jail_for(folder), words, is_on(Defence::CompileTime) ? most : std::chrono::hours(1)));
  const std::string log = exit.out + "\n" + exit.err;
  if (exit.ok()) return keep(folder, unit, log);
  CompileResult result = refused(Outcome::CompileFailed, BuildTrouble::Diagnosed, "", "");
  if (exit.timed_out) {
    result = refused(
        Outcome::TimedOut, BuildTrouble::TooSlow, "wall",
        "compiling took longer than " + format_ns(static_cast<double>(settings_.limits.wall_ns)));
    result.is_repeatable = false;
  } else if (exit.signal != 0) {
    result = refused(Outcome::OutOfResources, BuildTrouble::LimitMet, platform::describe(exit),
                     "nvcc ended by " + platform::describe(exit));
  }
  // nvcc's front end reports errors in the form of NVRTC; the host compiler and the linker in that
  // of GCC and ld.
  std::vector<Diagnostic> diagnostics = parse_nvrtc_log(log, unit).diagnostics;
  for (Diagnostic& d : parse_diagnostics(log)) diagnostics.push_back(std::move(d));
  result.findings = diagnostic_findings(diagnostics, unit);
  if (result.evidence.empty()) tell_first_error(result);
  if (result.evidence.empty()) result.evidence = one_line(log, 300);
  if (result.evidence.empty()) {
    result.trouble = BuildTrouble::Silent;
    result.evidence = "nvcc failed without a message";
  }
  return result;
}

Result<CompileResult> NvccCompiler::keep(const Path& folder, const BuildUnit& unit,
                                         std::string_view log) const {
  const char* name = is_host(unit) ? kSharedName : kCubinName;
  const std::string bytes =
      KW_TRY(platform::read_file(folder / name, settings_.limits.object_bytes));
  const NvrtcLog words = parse_nvrtc_log(log, unit);
  if (is_host(unit)) {
    if (const Result<ElfFacts> facts = read_elf(bytes); !facts)
      return refused(Outcome::CompileFailed, BuildTrouble::UnreadableObject, facts.error().about,
                     "the linked object cannot be read: " + facts.error().what);
    CompileResult result = KW_TRY(keep_object(settings_.objects, bytes, "elf-so"));
    result.findings = diagnostic_findings(words.diagnostics, unit);
    return result;
  }
  std::vector<std::string> symbols;
  std::vector<Diagnostic> missing;
  if (const auto kernels = read_cubin(bytes))
    for (const std::string& wanted : unit.kernels) {
      const auto found = std::ranges::find_if(*kernels, [&](const KernelFacts& kernel) {
        return squeezed(demangled(kernel.symbol)) == squeezed(wanted);
      });
      if (found != kernels->end())
        symbols.push_back(found->symbol);
      else if (wanted.find('<') == std::string::npos)
        missing.push_back(missing_kernel(wanted, unit, ""));
    }
  if (!missing.empty()) {
    CompileResult result =
        refused(Outcome::CompileFailed, BuildTrouble::UnknownKernel, missing.front().about, "");
    result.findings = diagnostic_findings(missing, unit);
    tell_first_error(result);
    return result;
  }
  if (symbols.size() != unit.kernels.size())
    return refused(Outcome::CompileFailed, BuildTrouble::UnknownKernel, "",
                   "nvcc does not tell which compiled function belongs to each kernel of the plan; "
                   "without NVRTC, write template arguments of launched kernels as plain values");
  return keep_cubin(settings_.objects, bytes, symbols, words, unit);
}

}  // namespace kw::compile
