// A recursive descent parser and an evaluator of real expressions, both with limited depth.
// SPDX-License-Identifier: Apache-2.0
#include "task/real_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/characters.h"
#include "base/text.h"
#include "base/with_nearest.h"

namespace kw::task {
namespace {

struct Function {
  std::string_view name;
  std::size_t arity;
  double (*call)(double, double);
};

constexpr auto kFunctions = std::to_array<Function>({
    {"sqrt", 1, [](double a, double) { return std::sqrt(a); }},
    {"exp", 1, [](double a, double) { return std::exp(a); }},
    {"log", 1, [](double a, double) { return std::log(a); }},
    {"sin", 1, [](double a, double) { return std::sin(a); }},
    {"cos", 1, [](double a, double) { return std::cos(a); }},
    {"abs", 1, [](double a, double) { return std::abs(a); }},
    {"pow", 2, [](double a, double b) { return std::pow(a, b); }},
    {"min", 2, [](double a, double b) { return std::min(a, b); }},
    {"max", 2, [](double a, double b) { return std::max(a, b); }},
});

const Function* find_function(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &Function::name);
  return found == kFunctions.end() ? nullptr : found;
}

}  // namespace

/// The parser. Each production returns the index of its node; after the first error all productions
/// return at once.
class RealExpr::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::expected<RealExpr, ExprError> run() {
    if (text_.size() > Expr::kMaxText)
      complain(0, About{fmt::format("{} bytes", Expr::kMaxText)},
               fmt::format("the expression has {} bytes; at most {} are allowed", text_.size(),
                           Expr::kMaxText));
    nodes_.clear();
    sum();
    skip_blanks();
    if (!failed_ && at_ < text_.size()) complain_about_text("an operator or the end");
    if (failed_) return std::unexpected(error_);
    RealExpr expr;
    expr.text_ = text_;
    expr.nodes_ = std::move(nodes_);
    return expr;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }

  bool next_is(char c) {
    skip_blanks();
    return !failed_ && at_ < text_.size() && text_[at_] == c;
  }

  void complain(std::size_t offset, About about, std::string message) {
    if (!failed_) error_ = {offset, std::move(message), std::move(about.value)};
    failed_ = true;
  }

  void complain_about_text(std::string_view wanted) {
    if (at_ == text_.size())
      return complain(at_, About{fmt::format("end, not {}", wanted)},
                      fmt::format("expected {}, but the expression ends", wanted));
    const auto found = sanitise(text_.substr(at_, 1));
    complain(at_, About{fmt::format("{}, not {}", found, wanted)},
             fmt::format("expected {}, not '{}'", wanted, found));
  }

  std::size_t add(Node node) {
    for (const std::size_t child : node.children)
      if (!failed_) node.height = std::max(node.height, nodes_[child].height + 1);
    if (node.height > Expr::kMaxHeight) complain(node.offset, About{"levels"}, too_deep());
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }

  static std::string too_deep() {
    return fmt::format("the expression is nested deeper than {} levels", Expr::kMaxHeight);
  }

  std::size_t sum() {
    if (++depth_ > Expr::kMaxHeight) complain(at_, About{"levels"}, too_deep());
    std::size_t left = failed_ ? 0 : product();
    while (next_is('+') || next_is('-')) {
      const Op op = text_[at_] == '+' ? Op::Add : Op::Subtract;
      const std::size_t offset = at_++;
      const std::size_t right = product();
      left = add({.op = op, .offset = offset, .children = {left, right}});
    }
    --depth_;
    return left;
  }

  std::size_t product() {
    std::size_t left = unary();
    while (next_is('*') || next_is('/')) {
      const Op op = text_[at_] == '*' ? Op::Multiply : Op::Divide;
      const std::size_t offset = at_++;
      const std::size_t right = unary();
      left = add({.op = op, .offset = offset, .children = {left, right}});
    }
    return left;
  }

  std::size_t unary() {
    bool is_negative = false;
    const std::size_t offset = at_;
    while (next_is('-')) {
      is_negative = !is_negative;
      ++at_;
    }
    const std::size_t operand = primary();
    return is_negative ? add({.op = Op::Negate, .offset = offset, .children = {operand}}) : operand;
  }

  std::size_t primary() {
    skip_blanks();
    if (failed_) return 0;
    if (next_is('(')) {
      ++at_;
      const std::size_t inner = sum();
      expect(')');
      return inner;
    }
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return number();
    if (at_ < text_.size() && is_name_start(text_[at_])) return name_or_call();
    complain_about_text("a number, a name or '('");
    return 0;
  }

  void expect(char c) {
    if (failed_) return;
    if (!next_is(c)) return complain_about_text(fmt::format("'{}'", c));
    ++at_;
  }

  std::size_t number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [stop, code] = std::from_chars(begin, text_.data() + text_.size(), value);
    const auto length = static_cast<std::size_t>(stop - begin);
    if (code != std::errc() || length == 0) {
      complain(at_, About{"number"}, "this is not a number");
      return 0;
    }
    const std::size_t offset = at_;
    at_ += length;
    if (at_ < text_.size() && is_name_start(text_[at_])) complain_about_text("an operator");
    return add({.number = value, .offset = offset});
  }

  std::size_t name_or_call() {
    const std::size_t offset = at_;
    while (at_ < text_.size() && (is_name_start(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const auto name = text_.substr(offset, at_ - offset);
    if (next_is('(')) return call(name, offset);
    if (name == "inf")
      return add({.number = std::numeric_limits<double>::infinity(), .offset = offset});
    if (name == "nan")
      return add({.number = std::numeric_limits<double>::quiet_NaN(), .offset = offset});
    return add({.op = Op::Name, .name = std::string(name), .offset = offset});
  }

  std::size_t call(std::string_view name, std::size_t offset) {
    const Function* function = find_function(name);
    if (function == nullptr) {
      std::vector<std::string> known;
      for (const Function& f : kFunctions) known.emplace_back(f.name);
      complain(offset, About{fmt::format("function {}", with_nearest(sanitise(name, 40), known))},
               fmt::format("unknown function '{}'{}", sanitise(name, 40), suggestion(name, known)));
      return 0;
    }
    Node node{.op = Op::Call, .name = std::string(name), .offset = offset};
    do {
      ++at_;
      node.children.push_back(sum());
    } while (next_is(','));
    expect(')');
    if (!failed_ && node.children.size() != function->arity)
      complain(offset, About{fmt::format("{} with {}", name, node.children.size())},
               fmt::format("{} takes {} argument{}, not {}", name, function->arity,
                           function->arity == 1 ? "" : "s", node.children.size()));
    return failed_ ? 0 : add(std::move(node));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Node> nodes_;
  bool failed_ = false;
  ExprError error_;
};

std::expected<RealExpr, ExprError> RealExpr::parse(std::string_view text) {
  return Parser(text).run();
}

std::expected<double, ExprError> RealExpr::evaluate(const Lookup& lookup) const {
  return value(nodes_.size() - 1, lookup);
}

std::expected<double, ExprError> RealExpr::value(std::size_t index, const Lookup& lookup) const {
  const Node& node = nodes_[index];
  if (node.op == Op::Number) return node.number;
  if (node.op == Op::Name) {
    if (const auto found = lookup(node.name)) return *found;
    return std::unexpected(
        ExprError{node.offset, fmt::format("unknown name '{}'", node.name), node.name});
  }
  std::array<double, 2> operands{};
  for (std::size_t i = 0; i < node.children.size(); ++i)
    operands[i] = KW_TRY(value(node.children[i], lookup));
  switch (node.op) {
    case Op::Add:
      return operands[0] + operands[1];
    case Op::Subtract:
      return operands[0] - operands[1];
    case Op::Multiply:
      return operands[0] * operands[1];
    case Op::Divide:
      return operands[0] / operands[1];
    case Op::Negate:
      return -operands[0];
    default:
      return find_function(node.name)->call(operands[0], operands[1]);
  }
}

}  // namespace kw::task
