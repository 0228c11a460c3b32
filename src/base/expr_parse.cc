// Reads expressions by a recursive descent parser whose depth is capped.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/characters.h"
#include "base/expr.h"
#include "base/text.h"
#include "base/with_nearest.h"

namespace kw {

using expr::Node;
using expr::Op;

namespace {

constexpr auto kFunctions = std::to_array<Op>(
    {Op::Abs, Op::IsPow2, Op::Log2Floor, Op::CeilDiv, Op::AlignUp, Op::Min, Op::Max});

/// Symbols of the language, two-letter ones first, so that the longest symbol is taken.
constexpr auto kSymbols =
    std::to_array<std::string_view>({"<=", ">=", "==", "!=", "&&", "||", "<", ">", "+", "-", "*",
                                     "/", "%", "!", "(", ")", ",", "?", ":"});

struct Token {
  enum class Kind { Number, Name, Symbol, End, Bad } kind = Kind::End;
  std::size_t offset = 0;
  std::string_view text;
};

const Op* find_function(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, [](Op op) { return info(op).symbol; });
  return found == kFunctions.end() ? nullptr : found;
}

}  // namespace

bool is_expression_function(std::string_view name) { return find_function(name) != nullptr; }

/// Each production returns the index of its node; after the first error all return at once.
class Expr::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  std::expected<Expr, ExprError> run() {
    if (text_.size() > kMaxText)
      return std::unexpected(
          ExprError{0,
                    fmt::format("the expression has {} bytes; at most {} are allowed", text_.size(),
                                kMaxText),
                    fmt::format("{} bytes", kMaxText)});
    expr_.nodes_.clear();
    choose();
    if (!failed_ && token_.kind != Token::Kind::End) complain_about_token("an operator or the end");
    if (failed_) return std::unexpected(error_);
    expr_.text_ = text_;
    return std::move(expr_);
  }

 private:
  void advance() {
    std::size_t at = token_.offset + token_.text.size();
    while (at < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at]) != std::string_view::npos)
      ++at;
    token_ = {Token::Kind::End, at, text_.substr(at, 0)};
    if (at == text_.size()) return;
    const char first = text_[at];
    if (is_name_char(first)) {
      std::size_t end = at;
      while (end < text_.size() && is_name_char(text_[end])) ++end;
      token_.kind = is_digit(first) ? Token::Kind::Number : Token::Kind::Name;
      token_.text = text_.substr(at, end - at);
      return;
    }
    token_.kind = Token::Kind::Bad;
    token_.text = text_.substr(at, 1);
    for (const auto symbol : kSymbols) {
      if (!text_.substr(at).starts_with(symbol)) continue;
      token_.kind = Token::Kind::Symbol;
      token_.text = text_.substr(at, symbol.size());
      return;
    }
  }

  bool at(std::string_view symbol) const {
    return token_.kind == Token::Kind::Symbol && token_.text == symbol;
  }

  void complain(std::size_t offset, About about, std::string message) {
    if (!failed_) error_ = {offset, std::move(message), std::move(about.value)};
    failed_ = true;
  }

  void complain_about_token(std::string_view wanted) {
    if (token_.kind == Token::Kind::End)
      complain(token_.offset, About{fmt::format("end, not {}", wanted)},
               fmt::format("expected {}, but the expression ends", wanted));
    else
      complain(token_.offset, About{fmt::format("{}, not {}", sanitise(token_.text), wanted)},
               fmt::format("expected {}, not '{}'", wanted, sanitise(token_.text)));
  }

  void expect(std::string_view symbol) {
    if (failed_) return;
    if (!at(symbol)) return complain_about_token(fmt::format("'{}'", symbol));
    advance();
  }

  std::size_t add(Node node) {
    for (std::size_t i = 0; i < info(node.op).arity && !failed_; ++i)
      node.height = std::max(node.height, expr_.nodes_[node.child[i]].height + 1);
    if (node.height > kMaxHeight)
      complain(node.offset, About{"levels"},
               fmt::format("the expression is nested deeper than {} levels", kMaxHeight));
    expr_.nodes_.push_back(node);
    return expr_.nodes_.size() - 1;
  }

  /// Counts one level of recursion; the bound on the tree's height does not cover "((((".
  template <class Production>
  std::size_t nested(Production production) {
    if (++depth_ > kMaxHeight)
      complain(token_.offset, About{"levels"},
               fmt::format("the expression is nested deeper than {} levels", kMaxHeight));
    const std::size_t node = failed_ ? 0 : production();
    --depth_;
    return node;
  }

  std::size_t choose() {
    return nested([&] {
      const std::size_t condition = binary(expr::kOr);
      if (failed_ || !at("?")) return condition;
      const std::size_t offset = token_.offset;
      advance();
      const std::size_t yes = choose();
      expect(":");
      const std::size_t no = failed_ ? 0 : choose();
      return add({.op = Op::Choose, .offset = offset, .child = {condition, yes, no}});
    });
  }

  /// The operation that the current symbol means between two operands of this rank, if any.
  const Op* operation(int rank) const {
    static constexpr auto kBinary = std::to_array<Op>(
        {Op::Or, Op::And, Op::Equal, Op::NotEqual, Op::Less, Op::LessEqual, Op::Greater,
         Op::GreaterEqual, Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::Modulo});
    for (const Op& op : kBinary)
      if (info(op).rank == rank && at(info(op).symbol)) return &op;
    return nullptr;
  }

  std::size_t binary(int rank) {
    if (rank == expr::kUnary) return unary();
    std::size_t left = binary(rank + 1);
    bool compared = false;
    for (const Op* op = operation(rank); !failed_ && op != nullptr; op = operation(rank)) {
      const std::size_t offset = token_.offset;
      if (compared) {
        complain(offset, About{"comparisons"},
                 "comparisons such as a < b < c cannot be chained; write a < b && b < c");
        break;
      }
      compared = rank == expr::kCompare;
      advance();
      const std::size_t right = binary(rank + 1);
      left = add({.op = *op, .offset = offset, .child = {left, right, 0}});
    }
    return left;
  }

  std::size_t unary() {
    if (failed_) return 0;
    if (!at("-") && !at("!")) return primary();
    const std::size_t offset = token_.offset;
    const Op op = at("-") ? Op::Negate : Op::Not;
    advance();
    if (op == Op::Negate && token_.kind == Token::Kind::Number) return number(true, offset);
    const std::size_t operand = nested([&] { return unary(); });
    return add({.op = op, .offset = offset, .child = {operand, 0, 0}});
  }

  std::size_t primary() {
    if (token_.kind == Token::Kind::Number) return number(false, token_.offset);
    if (token_.kind == Token::Kind::Name) return name_or_call();
    if (!at("(")) {
      complain_about_token("a number, a name or '('");
      return 0;
    }
    advance();
    const std::size_t inner = choose();
    expect(")");
    return inner;
  }

  /// The sign belongs to the literal, so that the lowest value can be written.
  std::size_t number(bool negative, std::size_t offset) {
    const bool hex = token_.text.starts_with("0x") || token_.text.starts_with("0X");
    const auto digits = token_.text.substr(hex ? 2 : 0);
    std::uint64_t magnitude = 0;
    const auto* end = digits.data() + digits.size();
    const auto [stop, code] = std::from_chars(digits.data(), end, magnitude, hex ? 16 : 10);
    const std::uint64_t limit =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (code == std::errc::invalid_argument || (code == std::errc() && stop != end))
      complain(token_.offset, About{sanitise(token_.text, 40)},
               fmt::format("'{}' is not an integer", sanitise(token_.text, 40)));
    else if (code != std::errc() || magnitude > limit + (negative ? 1 : 0))
      complain(token_.offset, About{"64 bits"}, "this number does not fit into a 64-bit integer");
    if (failed_) return 0;
    advance();
    // Unsigned negation wraps, which makes 2^63 the lowest value.
    const auto value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
    return add({.op = Op::Literal, .offset = offset, .value = value});
  }

  std::size_t name_or_call() {
    const Token name = token_;
    advance();
    if (at("(")) return call(name);
    if (is_expression_function(name.text)) {
      complain(name.offset, About{fmt::format("{} without arguments", name.text)},
               fmt::format("'{}' is a function of expressions and needs arguments in parentheses",
                           name.text));
      return 0;
    }
    auto& names = expr_.names_;
    auto found = std::ranges::find(names, name.text);
    if (found == names.end()) found = names.emplace(names.end(), name.text);
    return add({.op = Op::Name, .offset = name.offset, .value = found - names.begin()});
  }

  std::size_t call(const Token& name) {
    const Op* op = find_function(name.text);
    if (op == nullptr) {
      std::vector<std::string> known;
      for (const Op f : kFunctions) known.emplace_back(info(f).symbol);
      complain(name.offset,
               About{fmt::format("function {}", with_nearest(sanitise(name.text, 40), known))},
               fmt::format("unknown function '{}'{}", sanitise(name.text, 40),
                           suggestion(name.text, known)));
      return 0;
    }
    advance();
    const std::size_t arity = info(*op).arity;
    const bool takes_more = *op == Op::Min || *op == Op::Max;
    Node node{.op = *op, .offset = name.offset};
    std::size_t count = 0;
    do {
      if (count > 0) advance();
      const std::size_t argument = choose();
      if (failed_) return 0;
      ++count;
      // min(a, b, c) is min(min(a, b), c).
      if (count > arity && takes_more) node.child = {add(node), 0, 0};
      if (count <= arity || takes_more) node.child[std::min(count, arity) - 1] = argument;
    } while (at(","));
    if (count < arity || (count > arity && !takes_more))
      complain(name.offset, About{fmt::format("{} with {}", name.text, count)},
               fmt::format("{} takes {} argument{}{}, not {}", name.text, arity,
                           arity == 1 ? "" : "s", takes_more ? " or more" : "", count));
    expect(")");
    return failed_ ? 0 : add(node);
  }

  std::string_view text_;
  Token token_;
  Expr expr_;
  int depth_ = 0;
  bool failed_ = false;
  ExprError error_;
};

std::expected<Expr, ExprError> Expr::parse(std::string_view text) { return Parser(text).run(); }

}  // namespace kw
