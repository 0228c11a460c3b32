// A parsed launch plan: directives whose expressions are not evaluated yet (docs/launch-plan.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/expr.h"
#include "task/real_expr.h"

namespace kw::task {

/// An expression, and the byte offset of its text in the source.
struct PlanExpr {
  Expr expr;
  std::size_t at = 0;
};

struct PlanRealExpr {
  RealExpr expr;
  std::size_t at = 0;
};

/// One index of a slice: `[low]`, or a range `[low : high]`.
struct PlanIndex {
  PlanExpr low;
  std::optional<PlanExpr> high;
};

/// A tensor, workspace, table, map or scalar by name, or a slice of one.
struct PlanName {
  std::string name;
  std::size_t at = 0;
  std::vector<PlanIndex> indices;
};

/// One argument of a launch, or one item of a struct.
struct PlanItem {
  enum class Kind { Name, Integer, Real, Null, Struct };
  Kind kind = Kind::Null;
  std::size_t at = 0;
  std::string type;             ///< The type of an Integer or Real: i32, u8, f32, …
  PlanName name;                ///< The content of a Name.
  PlanExpr integer;             ///< The content of an Integer.
  PlanRealExpr real;            ///< The content of a Real.
  std::vector<PlanItem> items;  ///< The content of a Struct.
  /// The offset of the item in its struct, in bytes.
  std::optional<PlanExpr> offset;
};

struct LetNode {
  std::string name;
  PlanExpr value;
};

struct RequireNode {
  PlanExpr condition;
};

struct WorkspaceNode {
  std::string name;
  std::string type;
  std::vector<PlanExpr> sizes;
  bool is_zeroed = false;
};

struct TableNode {
  std::string name;
  std::string type;
  std::string index;
  PlanExpr count;
  PlanExpr integer;   ///< The value, where the type is an integer.
  PlanRealExpr real;  ///< The value, where the type is real.
};

/// A word of a directive, and its byte offset in the source.
struct PlanWord {
  std::string text;
  std::size_t at = 0;
};

struct MapNode {
  std::string name;
  PlanName base;
  PlanWord element;  ///< The element type; empty: that of the base.
  std::vector<PlanExpr> sizes;
  std::vector<PlanExpr> strides;
  std::vector<PlanExpr> box;
  std::vector<PlanExpr> steps;
  PlanWord swizzle, interleave, promotion, outside;
};

/// A kernel's name, with template arguments that are evaluated at a point of the knobs.
struct KernelName {
  std::string name;
  /// Template arguments: expressions, or quoted text that is used as written.
  std::vector<std::variant<PlanExpr, std::string>> arguments;
  bool is_template = false;
  std::size_t at = 0;
};

struct LaunchNode {
  KernelName kernel;
  std::vector<PlanExpr> grid;
  std::vector<PlanExpr> block;
  std::vector<PlanExpr> cluster;
  std::optional<PlanExpr> shared;
  std::optional<PlanExpr> carveout;
  bool is_cooperative = false;
  bool is_programmatic = false;
  std::size_t programmatic_at = 0;  ///< Byte of the source at which `pdl` begins.
  std::vector<PlanItem> arguments;
  /// Byte offset at which a further argument would stand: after the last argument, or after the
  /// launch if it has no arguments.
  std::size_t end = 0;
};

struct FillNode {
  PlanName to;
  std::size_t at = 0;  ///< Byte of the source at which the value begins.
  /// The fill value as an integer expression, if it can be parsed as one.
  std::optional<PlanExpr> integer;
  /// The fill value as a real expression, if it can be parsed as one.
  std::optional<PlanRealExpr> real;
  bool is_bits = false;  ///< Whether `integer` is a bit pattern.
};

struct CopyNode {
  PlanName from;
  PlanName to;
};

struct PlanNode;
using PlanBlock = std::vector<PlanNode>;

struct ForNode {
  std::string name;
  PlanExpr low, high;
  std::optional<PlanExpr> stride;
  PlanBlock body;
  std::optional<PlanBlock> tail;
};

struct WhenNode {
  struct Branch {
    std::optional<PlanExpr> condition;  ///< The branch's condition; nothing for `else`.
    PlanBlock body;
  };
  std::vector<Branch> branches;
};

struct ForkNode {
  std::string name;
  PlanBlock body;
};

struct JoinNode {
  std::string name;
};

struct PlanNode {
  std::size_t at = 0;  ///< Byte of the source at which the directive begins.
  std::variant<LetNode, RequireNode, WorkspaceNode, TableNode, MapNode, LaunchNode, FillNode,
               CopyNode, ForNode, WhenNode, ForkNode, JoinNode>
      what;
};

}  // namespace kw::task
