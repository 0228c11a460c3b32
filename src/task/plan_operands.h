// Reads the operands of a launch plan's directives: expressions, names, places, kernels, arguments
// and attributes. Used by plan_*.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "task/plan_ast.h"
#include "task/plan_text.h"
#include "task/plan_trouble.h"

namespace kw::task {

/// An attribute of a directive, `word` or `word(content)`.
struct PlanAttribute {
  std::string_view word;
  std::size_t at = 0;
  std::optional<PlanPiece> content;
};

/// The attributes that a directive can have.
struct PlanAttributes {
  std::string_view directive;
  std::vector<std::string> known;
  std::vector<std::string> flags;  ///< Those of `known` that take no content.
};

/// Reads pieces of directives. What returns nothing, or false, has complained about the piece.
class OperandReader {
 public:
  using Complain = std::function<void(const PlanTrouble& wrong)>;

  explicit OperandReader(Complain complain) : complain_(std::move(complain)) {}

  /// Complains about what trouble() makes.
  void complain(const std::unexpected<PlanTrouble>& wrong) const { complain_(wrong.error()); }
  /// Complains, and is what a reader returns that has failed.
  std::nullopt_t refuse(const std::unexpected<PlanTrouble>& wrong) const;

  std::optional<PlanExpr> read_expression(PlanPiece piece) const;
  std::optional<PlanRealExpr> read_real(PlanPiece piece) const;
  /// Reads expressions between commas, at most `most` of them.
  std::optional<std::vector<PlanExpr>> read_list(PlanPiece piece, std::size_t most) const;
  /// Reads a new name for a loop, workspace or the like; `what` says for which.
  std::optional<std::string> read_name(PlanPiece piece, std::string_view what) const;
  std::optional<std::string> read_type(PlanPiece piece) const;
  std::optional<PlanName> read_place(PlanPiece piece) const;
  /// Removes the name of a kernel, with its template arguments, from the front of `rest`.
  std::optional<KernelName> read_kernel(PlanPiece& rest) const;
  /// Reads items between commas; `depth` 0: arguments of a launch, else items of a struct.
  std::optional<std::vector<PlanItem>> read_items(PlanPiece piece, int depth = 0) const;
  /// Removes an attribute from the front of `rest`; an error if it is none of `rules` or one of
  /// `seen`, to which it is added.
  std::optional<PlanAttribute> read_attribute(PlanPiece& rest, const PlanAttributes& rules,
                                              std::vector<std::string_view>& seen) const;
  /// Complains about a piece that is not empty.
  bool expect_nothing(PlanPiece rest) const;

 private:
  bool read_kernel_arguments(PlanPiece piece, KernelName& kernel) const;
  std::optional<PlanItem> read_item(PlanPiece piece, int depth) const;
  std::optional<PlanAttribute> take_attribute(PlanPiece& rest) const;
  bool check_attribute(const PlanAttribute& attribute, bool has_content) const;

  Complain complain_;
};

}  // namespace kw::task
