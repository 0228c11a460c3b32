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
#include "record/target.h"
#include "record/task.h"
#include "record/verdict.h"
#include "task/plan_ast.h"

namespace kw::task {

/// Size in bytes of the longest source that is accepted.
constexpr std::size_t kMaxSourceBytes = 1 << 20;
constexpr std::size_t kMaxKnobs = 16;
constexpr std::size_t kMaxKnobValues = 64;  ///< The most values that one knob may have.

struct Knob {
  std::string name;
  std::vector<std::int64_t> values;  ///< The allowed values; the first is the default.
};

struct DerivedMacro {
  std::string name;
  Expr value;  ///< An expression over knobs and earlier derived macros.
};

/// The parsed `kw:` directives of one kernel source. Knobs are in the order of the file.
struct CandidateHeader {
  Target target = kDefaultTarget;
  std::string dialect{plain_dialect(kDefaultTarget).name};  ///< Name of a dialect of the target.
  std::vector<Knob> knobs;
  std::vector<DerivedMacro> derived;
  std::vector<Expr> requirements;  ///< Conditions over knobs, derived macros and device_names().
  std::vector<std::string> options;
  std::vector<std::string> libraries;
  std::vector<std::string> techniques;
  /// The launch plan, where the target's kernels are launched by one: its steps, and every `let`
  /// and `require` that uses more than knobs.
  PlanBlock plan;
  /// Values of device_names(), set once a device is known; requirements that use these names are
  /// ignored before.
  Names limits;

  /// Whether the point is valid: every knob has one of its allowed values, every derived macro can
  /// be computed, and no requirement evaluates to 0. No side effects, so that tuners may call it
  /// often.
  bool is_valid(const KnobPoint& point) const;

  /// At most `limit` valid points, in an order in which the last knob changes fastest. Tries only
  /// the first 2^20 combinations.
  std::vector<KnobPoint> points(std::size_t limit) const;

  /// The point with each knob at its first value, or the first valid point if a requirement forbids
  /// it.
  KnobPoint default_point() const;

  /// The knobs and derived macros at a valid point, each as "NAME=VALUE".
  std::vector<std::string> defines(const KnobPoint& point) const;
};

/// The row of the header's dialect.
const DialectRow& dialect_of(const CandidateHeader& header);
/// The dialect of any target that a source, or the beginning of one, names (`// kw: dialect cute`)
/// and that needs headers beyond those of its compiler; null: it names no such dialect.
const DialectRow* dialect_with_headers(std::string_view source);
/// Whether dialect_with_headers() finds one.
bool asks_for_headers(std::string_view source);

/// Findings of kind "diagnostic" with a code frame, in file order; never an empty list.
/// parse_header() reports empty, binary and oversized sources, too; `file` names the source in
/// them.
using Diagnostics = std::vector<Finding>;
std::expected<CandidateHeader, Diagnostics> parse_header(std::string_view source,
                                                         std::string_view file,
                                                         Target target = kDefaultTarget);
/// Parses the header of a candidate's source; diagnostics name the file after the candidate's name
/// and target.
std::expected<CandidateHeader, Diagnostics> parse_header(const Candidate& candidate);

/// A diagnostic about the byte at `offset` of a source, with file, line, column and a code frame.
Finding diagnostic_at(std::string_view source, std::string_view file, std::size_t offset,
                      std::string message);

/// Complains about options and libraries that the task does not allow; a baseline may use every
/// library that kw knows.
Diagnostics check_restrictions(const CandidateHeader& header, const Restrictions& restrictions,
                               Origin origin);

/// Makes a candidate with its hash, default knobs, and the trust class of its dialect.
std::expected<Candidate, Diagnostics> make_candidate(std::string_view name, std::string_view source,
                                                     Origin origin,
                                                     const Restrictions& restrictions,
                                                     Target target = kDefaultTarget);

/// The default point, changed by `K=V` settings from a command line. The error names the most
/// similar knob, or the values that the knob accepts.
Result<KnobPoint> apply_settings(const CandidateHeader& header,
                                 std::span<const std::string> settings);

/// The source with knobs fixed at one valid point, as a file of its own: the macros are #defines at
/// the top, and every `tune` line has only the point's value. The file compiles alone, and judging
/// it gives the same variant.
std::string pin_knobs(std::string_view source, const CandidateHeader& header,
                      const KnobPoint& point);

/// The diagnostics as text for a terminal: one line and a code frame for each.
std::string to_text(const Diagnostics& diagnostics);

}  // namespace kw::task
