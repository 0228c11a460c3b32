// Compiler: the interface of the compile room. Takes one build unit, gives one object or the reason
// why there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/candidate.h"
#include "record/enums.h"
#include "record/verdict.h"

namespace kw::compile {

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

  bool ok() const { return outcome == Outcome::Correct; }
  Verdict verdict() const { return {Stage::Compile, outcome, evidence}; }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("outcome", s.outcome), v("evidence", s.evidence), v("findings", s.findings),
        v("object", s.object), v("elapsed_ns", s.elapsed_ns), v("is_repeatable", s.is_repeatable);
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
