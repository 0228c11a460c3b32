// What a candidate says of itself in `// kw:` lines: knobs, derived macros, requirements, options.
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

/// Longest source that is looked at, in bytes.
constexpr std::size_t kMaxSourceBytes = 1 << 20;
constexpr std::size_t kMaxKnobs = 16;
constexpr std::size_t kMaxKnobValues = 64;  ///< Of one knob.

struct Knob {
  std::string name;
  std::vector<std::int64_t> values;  ///< Not empty, each once; the first is the default.
};

struct DerivedMacro {
  std::string name;
  Expr value;  ///< Over knobs and earlier derived macros.
};

/// The directives of one source. The order of knobs is that of the file.
struct CandidateHeader {
  Target target = Target::Cpu;
  std::string dialect = "cuda";  ///< cuda | cute | host; of .cu files.
  std::vector<Knob> knobs;
  std::vector<DerivedMacro> derived;
  std::vector<Expr> requirements;  ///< Over knobs, derived macros, device_names().
  std::vector<std::string> options;
  std::vector<std::string> libraries;
  std::vector<std::string> techniques;
  PlanBlock plan;  ///< cuda: the steps, and every `let` and `require` that is not over knobs alone.
  /// Values of device_names() once a device is known; requirements that use one count from then on.
  Names limits;

  /// Whether the combination exists: every knob at one of its values, every derived macro
  /// computable, every requirement not 0. Pure, for tuners.
  bool is_valid(const KnobPoint& point) const;

  /// Valid points with the last knob fastest, at most `limit`, from the first 2^20 combinations.
  std::vector<KnobPoint> points(std::size_t limit) const;

  /// Every knob's first value, or the first valid point where a requirement forbids that.
  KnobPoint default_point() const;

  /// Knobs and derived macros at a valid point, as "NAME=VALUE".
  std::vector<std::string> defines(const KnobPoint& point) const;
};

/// Diagnostics of kind "diagnostic" with a code frame, in file order; never an empty list. `file`
/// names the source in places. Empty, binary and oversized sources are diagnostics too.
using Diagnostics = std::vector<Finding>;
std::expected<CandidateHeader, Diagnostics> parse_header(std::string_view source,
                                                         std::string_view file,
                                                         Target target = Target::Cpu);
/// The same with the file's name that the candidate's name and target make.
std::expected<CandidateHeader, Diagnostics> parse_header(const Candidate& candidate);

/// A diagnostic about the byte at `offset` of a source, with its place and code frame.
Finding diagnostic_at(std::string_view source, std::string_view file, std::size_t offset,
                      std::string message);

/// Options and libraries that the task does not allow; baselines may name any known library.
Diagnostics check_restrictions(const CandidateHeader& header, const Restrictions& restrictions,
                               Origin origin);

/// A candidate at its default point, with its hash; on cuda of trust class device_code, or
/// host_launcher in dialect host.
std::expected<Candidate, Diagnostics> make_candidate(std::string_view name, std::string_view source,
                                                     Origin origin,
                                                     const Restrictions& restrictions,
                                                     Target target = Target::Cpu);

/// `K=V` settings of a command line on top of the default point. The error names the nearest knob
/// or the values there are.
Result<KnobPoint> apply_settings(const CandidateHeader& header,
                                 std::span<const std::string> settings);

/// Self-contained source at one valid point: the macros as #defines on top, every `tune` line
/// reduced to the one value. Compiles alone and judged again to the same variant.
std::string pin_knobs(std::string_view source, const CandidateHeader& header,
                      const KnobPoint& point);

/// One line for each diagnostic and its frame, for a terminal.
std::string to_text(const Diagnostics& diagnostics);

}  // namespace kw::task
