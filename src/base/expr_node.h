// The operations of the expression language and the nodes of a parsed expression.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kw::expr {

enum class Op : std::uint8_t {
  Literal,
  Name,
  Choose,
  Or,
  And,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  Negate,
  Not,
  Abs,
  IsPow2,
  Log2Floor,
  CeilDiv,
  AlignUp,
  Min,
  Max,
};

/// How tightly operations bind, loosest first.
enum Rank : int { kChoose = 1, kOr, kAnd, kCompare, kSum, kProduct, kUnary, kFunction, kAtom };

struct OpInfo {
  std::string_view symbol;
  Rank rank;
  std::size_t arity;
};

/// Symbol, rank and number of operands of each operation, indexed by Op.
inline constexpr auto kOps = std::to_array<OpInfo>({
    {"", kAtom, 0},
    {"", kAtom, 0},
    {"?", kChoose, 3},
    {"||", kOr, 2},
    {"&&", kAnd, 2},
    {"==", kCompare, 2},
    {"!=", kCompare, 2},
    {"<", kCompare, 2},
    {"<=", kCompare, 2},
    {">", kCompare, 2},
    {">=", kCompare, 2},
    {"+", kSum, 2},
    {"-", kSum, 2},
    {"*", kProduct, 2},
    {"/", kProduct, 2},
    {"%", kProduct, 2},
    {"-", kUnary, 1},
    {"!", kUnary, 1},
    {"abs", kFunction, 1},
    {"is_pow2", kFunction, 1},
    {"log2_floor", kFunction, 1},
    {"ceil_div", kFunction, 2},
    {"align_up", kFunction, 2},
    {"min", kFunction, 2},
    {"max", kFunction, 2},
});

inline const OpInfo& info(Op op) { return kOps[static_cast<std::size_t>(op)]; }

struct Node {
  Op op = Op::Literal;
  int height = 1;          ///< Height of the subtree, this node included.
  std::size_t offset = 0;  ///< Offset of the operator, name or literal in the text.
  std::int64_t value = 0;  ///< Value of a literal, or index of a name.
  std::array<std::size_t, 3> child{};
};

}  // namespace kw::expr
