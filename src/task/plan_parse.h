// Turns `// kw:` lines into the tree of a launch plan (docs/launch-plan.md).
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

namespace kw::task {

constexpr std::size_t kMaxPlanDepth = 16;  ///< The most blocks that may be nested.

/// The size in bytes of a scalar, workspace or table element of this type; nothing for unknown
/// names.
std::optional<int> plan_type_bytes(std::string_view type);
bool is_real_plan_type(std::string_view type);
std::vector<std::string> plan_types();
/// Whether the value fits the integer type with this name.
bool fits_plan_type(std::string_view type, std::int64_t value);

/// Takes the directives of a launch plan one by one and builds a tree of blocks. A wrong directive
/// is reported and otherwise ignored.
class PlanParser {
 public:
  using Complain = std::function<void(std::size_t at, std::string message)>;

  explicit PlanParser(Complain complain) : complain_(std::move(complain)) {}

  /// The first words of all directives of a launch plan except `let` and `require`, which other
  /// code parses.
  static std::vector<std::string> words();
  static bool knows(std::string_view word);

  bool is_in_block() const { return !open_.empty(); }

  /// Parses one directive, whose text includes its first word.
  void read(PlanPiece directive);

  /// Adds a `let` whose value uses more than knobs, or a `require` whose condition does.
  void add(std::size_t at, LetNode let) { push(at, std::move(let)); }
  void add(std::size_t at, RequireNode require) { push(at, std::move(require)); }

  /// Returns the whole plan; complains about blocks that are still open.
  PlanBlock finish();

 private:
  struct Open {
    enum class Kind { For, Tail, When, Else, Fork } kind;
    std::size_t at = 0;
    ForNode loop = {};
    WhenNode guard = {};
    ForkNode fork = {};
    PlanBlock body = {};  ///< The directives of the part that is being read.
  };

  template <class Node>
  void push(std::size_t at, Node&& node) {
    (open_.empty() ? plan_ : open_.back().body).push_back({at, std::forward<Node>(node)});
  }
  void complain(std::size_t at, std::string message) { complain_(at, std::move(message)); }

  // Parsers of blocks, defined in plan_parse.cc.
  void read_for(PlanPiece rest, std::size_t at);
  void read_tail(PlanPiece rest, std::size_t at);
  void read_when(PlanPiece rest, std::size_t at);
  void read_else(PlanPiece rest, std::size_t at);
  void read_fork(PlanPiece rest, std::size_t at);
  void read_join(PlanPiece rest, std::size_t at);
  void read_end(PlanPiece rest, std::size_t at);
  bool open_block(Open block);
  bool expect_nothing(PlanPiece rest);

  // Parsers of steps and declarations, defined in plan_directives.cc.
  void read_workspace(PlanPiece rest, std::size_t at);
  void read_table(PlanPiece rest, std::size_t at);
  void read_map(PlanPiece rest, std::size_t at);
  void read_launch(PlanPiece rest, std::size_t at);
  void read_fill(PlanPiece rest, std::size_t at);
  void read_copy(PlanPiece rest, std::size_t at);

  // Parsers of operands, defined in plan_operands.cc.
  std::optional<PlanExpr> read_expression(PlanPiece piece);
  std::optional<PlanRealExpr> read_real(PlanPiece piece);
  std::optional<std::vector<PlanExpr>> read_list(PlanPiece piece, std::size_t most);
  std::optional<std::string> read_name(PlanPiece piece, std::string_view what);
  std::optional<std::string> read_type(PlanPiece piece);
  std::optional<PlanName> read_place(PlanPiece piece);
  std::optional<KernelName> read_kernel(PlanPiece& rest);
  std::optional<PlanItem> read_item(PlanPiece piece, int depth);
  std::optional<std::vector<PlanItem>> read_items(PlanPiece piece, int depth);
  bool read_kernel_arguments(PlanPiece piece, KernelName& kernel);

  /// An attribute of a directive, `word` or `word(content)`. take_attribute() removes one from the
  /// front of `rest`.
  struct Attribute {
    std::string_view word;
    std::size_t at = 0;
    std::optional<PlanPiece> content;
  };
  std::optional<Attribute> take_attribute(PlanPiece& rest);
  bool check_attribute(const Attribute& attribute, bool has_content);

  Complain complain_;
  PlanBlock plan_;
  std::vector<Open> open_;
};

}  // namespace kw::task
