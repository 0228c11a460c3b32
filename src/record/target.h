// The table of targets and of their dialects: what the rooms need to know about each, as data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "record/enums.h"

namespace kw {

/// One dialect of a target: a way to write kernels that has a compiler and perhaps headers of its
/// own.
struct DialectRow {
  std::string_view name;  ///< In records, and in `// kw: dialect NAME` where sources may say so.
  /// A source of this dialect is recognised by its file's suffix and, where a target has several
  /// dialects of one suffix, by the directive.
  std::string_view source_suffix;
  /// Headers beyond those of the compiler, such as "CuTe and CUTLASS"; empty: none.
  std::string_view headers{};
  /// What to do where they are not found, such as "set CUTLASS_PATH"; empty where there are none.
  std::string_view headers_advice{};
  /// Which of the target's compilers builds kernels of the dialect, such as "nvcc"; empty where the
  /// target has one compiler.
  std::string_view compiler{};
  TrustClass trust_class = TrustClass::DeviceCode;
  /// False for host code, which only a task's own baselines and a user's opponents may be.
  bool may_be_proposed = true;
  /// Whether a chain of steps of the strategy `staged` may begin with a kernel of the dialect.
  bool begins_chains = true;
};

/// One target. The fields from `launches_by_plan` on are capabilities: code asks for them, and
/// never which target it is.
struct TargetRow {
  std::string_view name;                 ///< In records, flags and lists.
  std::span<const DialectRow> dialects;  ///< The first is what a source without a directive is in.
  std::string_view comment = "//";       ///< Begins the lines of directives (`// kw: …`).
  std::string_view fence;                ///< Info string of a fenced block of code in prompts.
  std::span<const std::string_view> reply_fences;  ///< Info strings of its code in replies.
  std::string_view object_format;                  ///< Format of a built object.
  std::string_view object_suffix;
  std::string_view system_prompt;  ///< Name of the file in prompts/ with the system prompt.
  std::string_view spec_mark;      ///< Begins a paragraph of spec.md that is for this target alone.
  /// A word that every kernel holds, such as "__global__"; empty: a kernel defines the task's
  /// function.
  std::string_view kernel_mark{};
  std::span<const std::string_view> libraries{};   ///< Names that `// kw: library` accepts.
  std::span<const std::string_view> code_flags{};  ///< Flags that every kernel is compiled with.
  /// What a kernel splits its work over, in the plural: "threads", "blocks".
  std::string_view units_of_parallelism;
  std::string_view usual_arch{};  ///< Where no device and no flag names an architecture.

  /// Kernels are launched by a plan of directives; else the task's function is called.
  bool launches_by_plan = false;
  /// Code is compiled for a named architecture (--arch), also where no such device is; else for the
  /// machine at hand.
  bool needs_arch = false;
  bool has_half_types = false;  ///< Kernels have types for f16 and bf16.
  /// A task's sequential reference, in C++, is a kernel of this target too.
  bool runs_references = false;
  bool has_own_memory = false;  ///< The device has memory of its own beside the machine's.
  /// Code is built while the device measures; where both take the processor, building would
  /// disturb.
  bool measures_beside_builds = false;
  /// After a fault the device needs a while until it computes correctly again.
  bool recovers_slowly = false;
  bool has_profiler = false;  ///< Counters can be read (--profile), and machine code disassembled.
};

/// The row of a target. Asserts that the table has one.
const TargetRow& row_of(Target target);

/// All targets, in the order of the table.
std::span<const Target> all_targets();

/// Adds a row and gives the target that it describes; the texts of the row must outlive the
/// program's use of them. The targets of the program are listed in target.cc; this is for a program
/// with targets of its own, before it starts threads.
Target add_target(const TargetRow& row);

/// Names of targets, such as "cpu or cuda": of all, or of those that have a capability.
std::string target_names(std::string_view between, bool TargetRow::* capability = nullptr);

/// The dialect of this name; null: the target has none of it.
const DialectRow* find_dialect(Target target, std::string_view name);
/// Whether a target has a dialect of this trust class.
bool has_dialect_of(Target target, TrustClass trust_class);
/// Whether kernels of a trust class may be proposed: false where a dialect of the class may not.
bool may_be_proposed(TrustClass trust_class);
/// Whether a target has a dialect that needs headers beyond those of its compiler.
bool has_dialect_with_headers(Target target);
/// The dialect of sources without a directive.
inline const DialectRow& plain_dialect(Target target) { return row_of(target).dialects.front(); }

/// Suffix of files with an object of this format, such as ".cubin".
std::string_view object_suffix(std::string_view format);

/// Suffix of source files for a target: ".cpp" or ".cu".
inline std::string_view source_suffix(Target target) { return plain_dialect(target).source_suffix; }
/// Target that a file of this name is written for, by its suffix; nothing for other suffixes.
std::optional<Target> target_of_file(std::string_view name);

/// What one room does differently for each target, by target. A room has one function that returns
/// its table; whoever adds a target adds a strategy to the tables of the rooms that need one.
template <class Strategy>
class ByTarget {
 public:
  ByTarget(std::initializer_list<std::pair<const Target, Strategy>> rows) : rows_(rows) {}

  void add(Target target, Strategy strategy) {
    rows_.insert_or_assign(target, std::move(strategy));
  }
  bool has(Target target) const { return rows_.contains(target); }
  /// The strategy for a target. Asserts that there is one.
  const Strategy& operator[](Target target) const {
    const auto found = rows_.find(target);
    KW_ASSERT(found != rows_.end());
    return found->second;
  }

 private:
  std::map<Target, Strategy> rows_;
};

}  // namespace kw
