// The cpu compiler: compiles and links in a jail, and reads how the two steps ended.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cpu_compiler.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>

#include "base/defence.h"
#include "base/text.h"
#include "compile/diagnostics.h"
#include "compile/elf.h"
#include "compile/elf_sections.h"
#include "compile/function_attributes.h"
#include "compile/remarks.h"

namespace kw::compile {

using platform::Path;

/// Result of one run of the compiler driver: how it ended and what it printed.
struct CpuCompiler::Step {
  Outcome outcome = Outcome::Correct;
  std::string reason;  ///< Which limit ended the step; empty if none did.
  BuildTrouble trouble = BuildTrouble::Diagnosed;
  std::string about;  ///< What the trouble is about.
  std::string output;
  bool is_repeatable = true;
};

namespace {

constexpr const char* kObjectName = "unit.so";
constexpr const char* kRemarksName = "remarks.txt";
constexpr std::string_view kDumpSuffix = ".gimple";

bool has(std::string_view text, std::string_view phrase) {
  return text.find(phrase) != std::string_view::npos;
}

struct Limit {
  std::string_view phrase;
  std::string_view reason;
};

constexpr std::string_view kMemory = "the compiler needed more memory than it is allowed";
constexpr std::string_view kFile = "a file that the compiler wrote exceeded its size limit";
constexpr std::string_view kDepth =
    "the source exceeds the compiler's limits on templates, constant evaluation or includes";

// Phrases that GCC, its driver, the assembler and the linker print when a limit stops them, each
// with the reason that we report.
constexpr std::array<Limit, 14> kLimits{{
    {"out of memory", kMemory},
    {"virtual memory exhausted", kMemory},
    {"memory exhausted", kMemory},
    {"std::bad_alloc", kMemory},
    {"Killed signal terminated", kMemory},
    {"File size limit", kFile},
    {"File too large", kFile},
    {"No space left", kFile},
    {"file truncated", kFile},
    {"template instantiation depth exceeds", kDepth},
    {"loop iteration count exceeds", kDepth},
    {"evaluation operation count exceeds", kDepth},
    {"evaluation depth exceeds", kDepth},
    {"#include nested depth", kDepth},
}};

std::string_view limit_met(std::string_view output) {
  for (const Limit& limit : kLimits)
    if (has(output, limit.phrase)) return limit.reason;
  return {};
}

bool ran_too_long(std::string_view output) { return has(output, "CPU time limit"); }

std::string read_cpuinfo() {
  std::ifstream file("/proc/cpuinfo");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The installation prefix of a compiler outside /usr (/opt/gcc for /opt/gcc/bin/g++), which the
// jail must let the compiler read.
std::vector<Path> extra_readable(const Path& program) {
  std::error_code ignored;
  const Path real = std::filesystem::canonical(program, ignored);
  const std::string text = real.string();
  if (text.empty() || text.starts_with("/usr/") || text.starts_with("/bin/")) return {};
  return {real.parent_path().parent_path()};
}

/// Path of the compiler of this name; an empty name stands for $KW_CXX, or else g++.
Result<std::string> find_compiler(std::string program) {
  if (program.empty()) program = platform::env_of_ours("KW_CXX").value_or("g++");
  return KW_TRY(platform::find_program(program)).string();
}

/// The first line that the compiler prints about its version.
Result<std::string> ask_version(const std::string& program) {
  platform::SpawnOptions options;
  options.env = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
  const platform::Exit asked =
      KW_TRY(platform::run({program, "--version"}, options, std::chrono::seconds(10)));
  if (!asked.ok() || asked.out.empty())
    return fail(ErrorCode::MissingProgram, About{"C++ compiler"},
                "the C++ compiler cannot be run: " + platform::describe(asked), program,
                Advice::Stop);
  return sanitise(split_lines(asked.out).front(), 200);
}

}  // namespace

Result<std::string> cpu_compiler_words() { return ask_version(KW_TRY(find_compiler(""))); }

std::string processor_identity(std::string_view cpuinfo) {
  std::string out;
  for (const std::string_view line : split_lines(cpuinfo)) {
    if (line.empty()) break;  // the entry of the first processor is enough
    for (const std::string_view key : {"vendor_id", "cpu family", "model", "stepping", "flags",
                                       "Features", "CPU implementer", "CPU part"}) {
      if (line.starts_with(key) && (line.size() == key.size() ||
                                    !std::isalnum(static_cast<unsigned char>(line[key.size()]))))
        out += std::string(line) + "\n";
    }
  }
  return out;
}

CpuCompiler::CpuCompiler(CpuCompilerSettings settings, std::string version)
    : settings_(std::move(settings)),
      version_(std::move(version)),
      dialect_(dialect_from(version_)) {
  identity_ = fmt::format("{}\n{}\n{}\n{}\n{}", settings_.program, version_,
                          join(compile_flags(dialect_), " "), join(link_flags(dialect_), " "),
                          processor_identity(read_cpuinfo()));
}

Result<std::unique_ptr<CpuCompiler>> CpuCompiler::create(CpuCompilerSettings settings) {
  settings.program = KW_TRY(find_compiler(settings.program));
  settings.objects = std::filesystem::absolute(settings.objects);
  KW_TRY(platform::make_dirs(settings.objects));
  std::string version = KW_TRY(ask_version(settings.program));
  return std::unique_ptr<CpuCompiler>(new CpuCompiler(std::move(settings), std::move(version)));
}

std::uint64_t CpuCompiler::most_object_bytes() const {
  constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;
  return is_on(Defence::CompileSize) ? settings_.limits.object_bytes : kPlenty;
}

platform::JailSpec CpuCompiler::jail_for(const Path& folder) const {
  platform::JailSpec jail;
  jail.level = settings_.jail;
  jail.readable = extra_readable(settings_.program);
  jail.writable = {folder};
  jail.allow_new_processes = true;
  jail.max_processes = 16;  // driver, cc1plus and as, or driver, collect2, and ld with its threads
  jail.address_space_bytes = settings_.limits.address_space_bytes;
  jail.file_bytes = jail.tmp_bytes = most_object_bytes();
  jail.cpu_seconds = settings_.limits.cpu_seconds;
  if (!is_on(Defence::CompileTime)) jail.cpu_seconds = 0;
  jail.env = {"PATH=/usr/bin:/bin", "LC_ALL=C", "TMPDIR=" + folder.string()};
  jail.out = platform::Output::Discard;
  jail.output_cap = std::size_t{4} << 20;
  jail.cwd = folder;
  return jail;
}

Result<CpuCompiler::Step> CpuCompiler::run_step(const Path& folder,
                                                std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), settings_.program);
  const std::chrono::nanoseconds most(settings_.limits.wall_ns);
  const platform::Exit exit = KW_TRY(platform::run_jailed(
      jail_for(folder), arguments, is_on(Defence::CompileTime) ? most : std::chrono::hours(1)));
  Step step;
  step.output = exit.err;
  if (exit.ok()) return step;
  if (exit.timed_out) {
    step.outcome = Outcome::TimedOut;
    step.trouble = BuildTrouble::TooSlow;
    step.about = "wall";
    step.reason =
        "compiling took longer than " + format_ns(static_cast<double>(settings_.limits.wall_ns));
    step.is_repeatable = false;
  } else if (ran_too_long(exit.err) || exit.signal == SIGXCPU) {
    step.outcome = Outcome::TimedOut;
    step.trouble = BuildTrouble::TooSlow;
    step.about = "processor";
    step.reason = fmt::format("compiling used more than {} s of processor time",
                              settings_.limits.cpu_seconds);
  } else if (const std::string_view reason = limit_met(exit.err);
             !reason.empty() || exit.signal != 0) {
    step.outcome = Outcome::OutOfResources;
    step.trouble = reason == kMemory ? BuildTrouble::NoMemory
                   : reason == kFile ? BuildTrouble::ObjectTooLarge
                                     : BuildTrouble::LimitMet;
    step.reason =
        reason.empty() ? "the compiler ended by " + platform::describe(exit) : std::string(reason);
  } else {
    step.outcome = Outcome::CompileFailed;
  }
  return step;
}

Result<CompileResult> CpuCompiler::build(const BuildUnit& unit) {
  if (auto unfit = KW_TRY(check_unit(unit, settings_.limits))) return std::move(*unfit);
  for (const std::string& option : unit.options)
    if (option_flags(option).empty()) return unknown_option(option, option_names());
  for (const std::string& library : unit.libraries)
    if (library_flag(library).empty())
      return refused(Outcome::CompileFailed, BuildTrouble::UnknownLibrary, one_line(library, 80),
                     "unknown library '" + one_line(library, 80) + "'");

  if (!unit.arch.empty() && unit.arch != kAnyProcessor)
    return refused(Outcome::CompileFailed, BuildTrouble::UnknownProcessor, one_line(unit.arch, 80),
                   "unknown processor '" + one_line(unit.arch, 80) + "'");

  const auto start = std::chrono::steady_clock::now();
  const platform::TempDir folder = KW_TRY(platform::TempDir::create("kw-compile"));
  CompileResult result = KW_TRY(build_in(folder.path(), unit));
  result.elapsed_ns = static_cast<double>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
  return result;
}

Result<CompileResult> CpuCompiler::build_in(const Path& folder, const BuildUnit& unit) const {
  std::vector<std::string> compile = compile_flags(dialect_);
  if (!unit.arch.empty())
    std::replace(compile.begin(), compile.end(), std::string("-march=native"),
                 "-march=" + unit.arch);
  std::vector<std::string> link = link_flags(dialect_);
  link.insert(link.end(), {"-o", kObjectName});
  for (const std::string& option : unit.options)
    for (std::string& flag : option_flags(option)) compile.push_back(std::move(flag));
  for (const std::string& define : unit.defines) compile.push_back("-D" + define);
  if (!is_on(Defence::CompileTime))
    compile.insert(compile.end(), {"-fconstexpr-loop-limit=2147483647",
                                   "-fconstexpr-ops-limit=9000000000000000000"});
  compile.push_back("-c");
  for (const SourceFile& file : unit.files) {
    KW_TRY(platform::write_file_atomic(folder / file.name, file.text, /*durable=*/false));
    std::error_code ignored;
    std::filesystem::permissions(folder / file.name, std::filesystem::perms(0644), ignored);
    if (file.name == "iface.h") compile.insert(compile.end(), {"-include", "iface.h"});
    if (!file.name.ends_with(".cpp")) continue;
    link.push_back(file.name.substr(0, file.name.size() - 4) + ".o");
  }
  for (const SourceFile& file : unit.files)
    if (file.name.ends_with(".cpp")) compile.push_back(file.name);
  for (const std::string& library : unit.libraries) link.push_back(library_flag(library));
  link.push_back("-lm");

  // Compiling and linking are two steps, so that -ffast-math reaches no link: there it would add a
  // constructor that makes the whole process flush denormals (crtfastmath.o, GCC < 13).
  std::string output;
  for (const auto* arguments : {&compile, &link}) {
    Step step = KW_TRY(run_step(folder, *arguments));
    output += step.output;
    if (step.outcome == Outcome::Correct && arguments == &compile) {
      if (auto smuggled = KW_TRY(find_other_code(folder))) return *std::move(smuggled);
    }
    if (step.outcome == Outcome::Correct) continue;
    CompileResult result = refused(step.outcome, step.trouble, step.about, step.reason);
    result.is_repeatable = step.is_repeatable;
    result.findings = diagnostic_findings(parse_diagnostics(output), unit);
    const std::string error = first_error(result.findings);
    if (result.evidence.empty() && !error.empty()) {
      tell_first_error(result);
    } else if (result.evidence.empty()) {
      const bool is_json = trim(step.output).starts_with('[');  // JSON that was cut off
      result.evidence = is_json ? "the compiler failed, and its messages are too long to be read"
                                : one_line(step.output, 300);
    } else if (!error.empty()) {
      result.evidence += " (" + one_line(error, 300) + ")";
    }
    if (result.evidence.empty()) {
      result.trouble = BuildTrouble::Silent;
      result.evidence = "the compiler failed without a message";
    }
    return result;
  }
  CompileResult result = KW_TRY(keep_linked(folder, unit));
  result.findings = diagnostic_findings(parse_diagnostics(output), unit);
  return result;
}

// Finds out whether assembly in the source put a program for the linker's own compiler (LTO) into
// the object, which would replace the compiled code.
Result<std::optional<CompileResult>> CpuCompiler::find_other_code(const Path& folder) const {
  if (!is_on(Defence::LinkedAsCompiled)) return std::nullopt;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != ".o") continue;
    const std::string bytes = KW_TRY(platform::read_file(entry.path(), most_object_bytes()));
    const auto names = section_names(bytes);
    if (!names)
      return refused(Outcome::CompileFailed, BuildTrouble::UnreadableObject, names.error().about,
                     "a compiled object cannot be read: " + names.error().what);
    for (const std::string_view name : *names)
      if (name.starts_with(".gnu.lto_") || name.starts_with(".llvm."))
        return refused(Outcome::CompileFailed, BuildTrouble::OtherCode, one_line(name, 80),
                       fmt::format("the section '{}' holds a program for the linker to compile in "
                                   "place of the code; write that code itself",
                                   one_line(name, 80)));
  }
  return std::nullopt;
}

Result<CompileResult> CpuCompiler::keep_linked(const Path& folder, const BuildUnit& unit) const {
  const std::string bytes = KW_TRY(platform::read_file(folder / kObjectName, most_object_bytes()));
  if (const Result<ElfFacts> facts = read_elf(bytes); !facts)
    return refused(Outcome::CompileFailed, BuildTrouble::UnreadableObject, facts.error().about,
                   "the linked object cannot be read: " + facts.error().what);
  CompileResult result = KW_TRY(keep_object(settings_.objects, bytes, "elf-so"));
  if (dialect_.is_gcc) result.object.front().marks = KW_TRY(read_dumps(folder));
  // A missing vectorisation report is no failure: clang writes none.
  if (const auto remarks = platform::read_file(folder / kRemarksName); remarks)
    result.object.front().log = format_remarks(parse_gcc_remarks(*remarks, unit.main_file));
  return result;
}

Result<std::vector<CodeMark>> CpuCompiler::read_dumps(const Path& folder) const {
  std::vector<CodeMark> marks;
  bool has_any = false;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (!entry.path().string().ends_with(kDumpSuffix)) continue;
    has_any = true;
    for (CodeMark& mark :
         arithmetic_marks(KW_TRY(platform::read_file(entry.path(), settings_.limits.object_bytes))))
      marks.push_back(std::move(mark));
  }
  // A missing dump of functions is an error, since without it every optimize attribute would be
  // accepted.
  if (!has_any)
    return fail(ErrorCode::Unsupported, About{"dump"},
                "the C++ compiler wrote no dump of the functions that it compiled", "",
                Advice::Stop);
  return marks;
}

}  // namespace kw::compile
