// Compiler: the interface of the compile room. Takes one build unit, gives one object or the reason
// why there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "record/candidate.h"
#include "record/enums.h"
#include "record/verdict.h"

namespace kw::compile {

/// Why a unit was not built, in a word. The names stand in records, so they keep their meaning.
enum class BuildTrouble {
  None,            ///< It was built, or an older record does not tell.
  Diagnosed,       ///< The findings, or the compiler's own words, say why.
  SourceTooLarge,  ///< CompileResult::about is the limit.
  ObjectTooLarge,  ///< What was compiled exceeds a limit.
  SharedMemory,    ///< A kernel, the about, declares too much static shared memory.
  UnknownOption,   ///< The about is the option, as with_nearest() writes it.
  UnknownLibrary,  ///< The about is the library, as with_nearest() writes it.
  MissingLibrary,  ///< The library of the about is not installed.
  NoLibraries,     ///< Device code asks for the library of the about, and can be linked with none.
  UnknownProcessor,  ///< The about is the processor.
  BadKernelName,     ///< The about is a text that cannot be the name of a kernel.
  UnknownKernel,     ///< The plan launches the about, which the source lacks.
  OtherCode,         ///< The section of the about would replace the compiled code.
  UnreadableObject,  ///< The compiler's object is damaged; the about says where.
  TooSlow,           ///< A limit of time was met: "wall" or "processor".
  NoMemory,          ///< The compiler needed more memory than it may have.
  LimitMet,          ///< The compiler met another limit.
  Silent,            ///< The compiler failed without a message.
};

/// The result of building one unit. Code that does not compile gives a result, not an error.
struct CompileResult {
  /// Correct (`object` then has exactly one element), CompileFailed, OutOfResources or TimedOut.
  Outcome outcome = Outcome::CompileFailed;
  std::string evidence;  ///< One line: what happened, with the first error and its place.
  /// Diagnostics, most important first; a successful build may have warnings.
  std::vector<Finding> findings;
  std::vector<BuiltObject> object;
  double elapsed_ns = 0;      ///< Wall time of the build; 0 if the result came from a cache.
  bool is_repeatable = true;  ///< False if building again may end differently (wall-clock limit).
  BuildTrouble trouble = BuildTrouble::None;  ///< Why there is no object.
  std::string about{};                        ///< What the trouble is about: a name or a limit.

  bool ok() const { return outcome == Outcome::Correct; }
  /// What a failed build's verdict rests on: the first error with its place where the findings tell
  /// the trouble, else the evidence as it is.
  Evidence seen() const;
  Verdict verdict() const;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("outcome", s.outcome), v("evidence", s.evidence), v("findings", s.findings),
        v("object", s.object), v("elapsed_ns", s.elapsed_ns), v("is_repeatable", s.is_repeatable),
        v("trouble", s.trouble), v("about", s.about);
  }
};

/// Builds units. Safe to call from several threads at once.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Runs the compiler in its own jail; takes tens to hundreds of milliseconds. Errors are failures
  /// of the machine: no disk, no jail.
  virtual Result<CompileResult> build(const BuildUnit& unit) = 0;
  /// Everything except the unit that decides the result: compiler, version, flags, processor.
  virtual const std::string& identity() const = 0;
};

/// Builds all units on up to `threads` threads. Results have the order of the units.
std::vector<Result<CompileResult>> build_all(Compiler& compiler, std::span<const BuildUnit> units,
                                             int threads);

}  // namespace kw::compile

template <>
struct kw::EnumNames<kw::compile::BuildTrouble> {
  static constexpr std::array<std::string_view, 18> names{"none",
                                                          "diagnosed",
                                                          "source_too_large",
                                                          "object_too_large",
                                                          "shared_memory",
                                                          "unknown_option",
                                                          "unknown_library",
                                                          "missing_library",
                                                          "no_libraries",
                                                          "unknown_processor",
                                                          "bad_kernel_name",
                                                          "unknown_kernel",
                                                          "other_code",
                                                          "unreadable_object",
                                                          "too_slow",
                                                          "no_memory",
                                                          "limit_met",
                                                          "silent"};
};
