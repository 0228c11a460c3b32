// A launch plan as written: directives with their expressions unevaluated (docs/launch-plan.md).
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

/// An expression and the byte of the source at which its text begins.
struct PlanExpr {
  Expr expr;
  std::size_t at = 0;
};

struct PlanRealExpr {
  RealExpr expr;
  std::size_t at = 0;
};

/// `[low]`, or `[low : high]`.
struct PlanIndex {
  PlanExpr low;
  std::optional<PlanExpr> high;
};

/// A tensor, workspace, table, map or scalar by name, or a slice of it.
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
  std::string type;                ///< Integer and Real: i32, u8, f32, …
  PlanName name;                   ///< Name.
  PlanExpr integer;                ///< Integer.
  PlanRealExpr real;               ///< Real.
  std::vector<PlanItem> items;     ///< Struct.
  std::optional<PlanExpr> offset;  ///< Of an item: bytes into its struct.
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
  PlanExpr integer;   ///< Value, where the type is an integer.
  PlanRealExpr real;  ///< Value, where it is real.
};

/// A word that a directive may give, and where.
struct PlanWord {
  std::string text;
  std::size_t at = 0;
};

struct MapNode {
  std::string name;
  PlanName base;
  PlanWord element;  ///< Empty: the base's own type.
  std::vector<PlanExpr> sizes;
  std::vector<PlanExpr> strides;
  std::vector<PlanExpr> box;
  std::vector<PlanExpr> steps;
  PlanWord swizzle, interleave, promotion, outside;
};

/// A kernel's name, whose template arguments are filled in at a point of the knobs.
struct KernelName {
  std::string name;
  /// Expressions, or text to be taken as it is.
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
  std::size_t programmatic_at = 0;  ///< Of `pdl`.
  std::vector<PlanItem> arguments;
  std::size_t end = 0;  ///< Where a further argument would stand: behind the last, else behind all.
};

struct FillNode {
  PlanName to;
  std::size_t at = 0;                ///< Of the value.
  std::optional<PlanExpr> integer;   ///< The value, where it is one.
  std::optional<PlanRealExpr> real;  ///< The value, where it may be taken as real.
  bool is_bits = false;              ///< `integer` is a pattern.
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
    std::optional<PlanExpr> condition;  ///< None: `else`.
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
