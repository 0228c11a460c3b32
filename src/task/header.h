// A candidate's `// kw:` lines: knobs, derived macros, requirements, options.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expr.h"
#include "record/candidate.h"
#include "record/task.h"
#include "record/verdict.h"
#include "task/plan_ast.h"

namespace kw::task {

/// Longest source that is read, in bytes.
constexpr std::size_t kMaxSourceBytes = 1 << 20;
constexpr std::size_t kMaxKnobs = 16;
constexpr std::size_t kMaxKnobValues = 64;  ///< The most values that one knob may have.

struct Knob {
  std::string name;
  std::vector<std::int64_t> values;  ///< Not empty, each once; the first is the default.
};

struct DerivedMacro {
  std::string name;
  Expr value;  ///< An expression over knobs and earlier derived macros.
};

/// The directives of one source. Knobs have the order of the file.
struct CandidateHeader {
  Target target = Target::Cpu;
  std::string dialect = "cuda";  ///< cuda | cute | host; the dialect of a .cu file.
  std::vector<Knob> knobs;
  std::vector<DerivedMacro> derived;
  std::vector<Expr> requirements;  ///< Conditions over knobs, derived macros and device_names().
  std::vector<std::string> options;
  std::vector<std::string> libraries;
  std::vector<std::string> techniques;
  /// The plan of a cuda kernel: its steps, and every `let` and `require` that uses more than knobs.
  PlanBlock plan;
  /// Values of device_names() once a device is known; requirements that use them count from then
  /// on.
  Names limits;

  /// Whether the point is valid: every knob has one of its values, every derived macro can be
  /// computed, and no requirement is 0. Pure, for tuners.
  bool is_valid(const KnobPoint& point) const;

  /// Valid points with the last knob fastest, at most `limit`, from the first 2^20 combinations.
  std::vector<KnobPoint> points(std::size_t limit) const;

  /// Every knob's first value, or the first valid point where a requirement forbids that.
  KnobPoint default_point() const;

  /// Knobs and derived macros at a valid point, as "NAME=VALUE".
  std::vector<std::string> defines(const KnobPoint& point) const;
};

/// Whether a kernel is written in CuTe's dialect, whose headers CUTLASS brings.
inline bool is_cute(const CandidateHeader& header) { return header.dialect == "cute"; }
/// The same of a source, also of the beginning of one: whether a line asks for that dialect.
bool asks_for_cute(std::string_view source);

/// Diagnostics of kind "diagnostic" with a code frame, in file order; never an empty list. `file`
/// is the source's name in places. Empty, binary and oversized sources are diagnostics too.
using Diagnostics = std::vector<Finding>;
std::expected<CandidateHeader, Diagnostics> parse_header(std::string_view source,
                                                         std::string_view file,
                                                         Target target = Target::Cpu);
/// Parses a candidate's source; the file's name in diagnostics is made of the candidate's name and
/// target.
std::expected<CandidateHeader, Diagnostics> parse_header(const Candidate& candidate);

/// A diagnostic about the byte at `offset` of a source, with its place and code frame.
Finding diagnostic_at(std::string_view source, std::string_view file, std::size_t offset,
                      std::string message);

/// Complains about options and libraries that the task does not allow; baselines may name any known
/// library.
Diagnostics check_restrictions(const CandidateHeader& header, const Restrictions& restrictions,
                               Origin origin);

/// A candidate at its default point, with its hash. On cuda its trust class is device_code, or
/// host_launcher in the dialect host.
std::expected<Candidate, Diagnostics> make_candidate(std::string_view name, std::string_view source,
                                                     Origin origin,
                                                     const Restrictions& restrictions,
                                                     Target target = Target::Cpu);

/// The default point with the `K=V` settings of a command line applied. The error names the nearest
/// knob, or the values that the knob has.
Result<KnobPoint> apply_settings(const CandidateHeader& header,
                                 std::span<const std::string> settings);

/// The source at one valid point as a file of its own: the macros are #defines at the top, and
/// every `tune` line has only the point's value. It compiles alone, and a judgement gives the same
/// variant.
std::string pin_knobs(std::string_view source, const CandidateHeader& header,
                      const KnobPoint& point);

/// The diagnostics for a terminal: one line and a code frame for each.
std::string to_text(const Diagnostics& diagnostics);

}  // namespace kw::task
