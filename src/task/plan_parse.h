// Turns `// kw:` lines into the tree of a launch plan (docs/launch-plan.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "task/plan_ast.h"
#include "task/plan_operands.h"
#include "task/plan_text.h"

namespace kw::task {

constexpr std::size_t kMaxPlanDepth = 16;  ///< The most blocks that may be nested.

/// Takes the directives of a launch plan one by one and builds a tree of blocks. A wrong directive
/// is reported and otherwise ignored.
class PlanParser {
 public:
  explicit PlanParser(OperandReader::Complain complain) : operands_(std::move(complain)) {}

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
  /// Parses a step or a declaration, which is one directive.
  template <auto parse>
  void read_step(PlanPiece rest, std::size_t at) {
    if (auto node = parse(operands_, rest, at)) push(at, std::move(*node));
  }
  void read_for(PlanPiece rest, std::size_t at);
  void read_tail(PlanPiece rest, std::size_t at);
  void read_when(PlanPiece rest, std::size_t at);
  void read_else(PlanPiece rest, std::size_t at);
  void read_fork(PlanPiece rest, std::size_t at);
  void read_join(PlanPiece rest, std::size_t at);
  void read_end(PlanPiece rest, std::size_t at);
  bool open_block(Open block);

  OperandReader operands_;
  PlanBlock plan_;
  std::vector<Open> open_;
};

}  // namespace kw::task
