// Finds sums that an innermost loop keeps in memory, and rewrites each to use a local variable.
// SPDX-License-Identifier: Apache-2.0
#include "propose/accumulators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "lex/lexer.h"
#include "propose/loops.h"

namespace kw::propose {
namespace {

using lex::Token;
using LoopTokens = std::span<const Token>;

/// A range of bytes of the source and the text that replaces it.
struct Rewrite {
  std::size_t from = 0;
  std::size_t to = 0;
  std::string text;
};

bool is_assignment(const Token& token) {
  constexpr auto kOperators = std::to_array<std::string_view>(
      {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="});
  return token.kind == Token::Kind::Symbol &&
         std::ranges::find(kOperators, token.text) != kOperators.end();
}

bool is_step(const Token& token) { return token.is("++") || token.is("--"); }

/// Names of the variables that the loop assigns, increments or declares.
std::set<std::string_view> changed_names(LoopTokens loop) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    if (loop[i].kind != Token::Kind::Word) continue;
    if (i > 0 && loop[i - 1].kind == Token::Kind::Word) names.insert(loop[i].text);
    if (i > 0 && is_step(loop[i - 1])) names.insert(loop[i].text);
    if (i + 1 < loop.size() && (is_assignment(loop[i + 1]) || is_step(loop[i + 1])))
      names.insert(loop[i].text);
  }
  return names;
}

std::string text_between(std::string_view source, LoopTokens tokens) {
  const std::size_t from = tokens.front().offset;
  return std::string(source.substr(from, tokens.back().end - from));
}

bool reads_alike(LoopTokens a, LoopTokens b) {
  return std::ranges::equal(a, b, {}, &Token::text, &Token::text);
}

/// Index of the first token after the parentheses of `for (…)`.
std::size_t behind_header(LoopTokens loop) {
  int depth = 0;
  for (std::size_t i = 1; i < loop.size(); ++i) {
    if (loop[i].is("(")) ++depth;
    if (loop[i].is(")") && --depth == 0) return i + 1;
  }
  return loop.size();
}

/// A statement of a loop that adds to an array element. The element is written in the loop's tokens
/// [name, operation).
struct MemorySum {
  std::size_t name = 0;
  std::size_t operation = 0;
  std::size_t end = 0;  ///< Token of the semicolon that ends the statement.
};

std::optional<MemorySum> sum_at(LoopTokens loop, std::size_t name) {
  const bool starts_statement = name > 0 && (loop[name - 1].is(";") || loop[name - 1].is("{") ||
                                             loop[name - 1].is("}") || loop[name - 1].is(")"));
  if (!starts_statement || loop[name].kind != Token::Kind::Word) return std::nullopt;
  MemorySum sum{.name = name, .operation = name + 1};
  int depth = 0;
  for (; sum.operation < loop.size(); ++sum.operation) {
    const Token& token = loop[sum.operation];
    if (depth == 0 && !token.is("[")) break;
    depth += token.is("[") ? 1 : token.is("]") ? -1 : 0;
    // An index with a function call or a side effect may differ at its next evaluation, so the
    // statement is not rewritten.
    if (token.is("(") || is_step(token) || is_assignment(token)) return std::nullopt;
  }
  if (sum.operation == name + 1 || sum.operation >= loop.size() ||
      !is_assignment(loop[sum.operation]))
    return std::nullopt;
  for (sum.end = sum.operation; sum.end < loop.size() && !loop[sum.end].is(";");) ++sum.end;
  if (sum.end == loop.size() || sum.end == sum.operation + 1) return std::nullopt;
  return sum;
}

/// The statement rewritten to add to the accumulator; nothing where the statement is not a sum.
std::optional<std::string> statement_of(std::string_view source, LoopTokens loop,
                                        const MemorySum& sum, const std::string& accumulator) {
  const LoopTokens place = loop.subspan(sum.name, sum.operation - sum.name);
  LoopTokens value = loop.subspan(sum.operation + 1, sum.end - sum.operation - 1);
  std::string_view operation = loop[sum.operation].text;
  if (operation == "=") {
    // In `X[i] = X[i] + …` the rest may hold arithmetic only: an operator that binds more weakly
    // than +, such as `?:`, would change the meaning.
    const bool is_chain = std::ranges::any_of(value, [](const Token& token) {
      return token.kind == Token::Kind::Symbol &&
             std::string_view("+-*/()[].,").find(token.text.front()) == std::string_view::npos;
    });
    if (is_chain || value.size() < place.size() + 2 ||
        !reads_alike(value.first(place.size()), place))
      return std::nullopt;
    const Token& sign = value[place.size()];
    if (!sign.is("+") && !sign.is("-")) return std::nullopt;
    value = value.subspan(place.size() + (sign.is("+") ? 1 : 0));
    operation = "+=";
  }
  // `-=` becomes `+=`, because find_loops() recognises sums by `+=` only.
  if (operation == "-=")
    return fmt::format("{} += -({});", accumulator, text_between(source, value));
  return fmt::format("{} {} {};", accumulator, operation, text_between(source, value));
}

/// The indentation of the line that holds `offset`; two blanks where code precedes `offset` in its
/// line.
std::string indent_at(std::string_view source, std::size_t offset) {
  const std::size_t line = source.substr(0, offset).rfind('\n');
  const std::size_t from = line == std::string_view::npos ? 0 : line + 1;
  const std::string_view before = source.substr(from, offset - from);
  return before.find_first_not_of(" \t") == std::string_view::npos ? std::string(before) : "  ";
}

/// The changes that move the sums of an innermost loop into local variables, numbered from `count`
/// on.
std::vector<Rewrite> changes_of(std::string_view source, LoopTokens loop, int& count) {
  // A loop that may be left by return or goto is not changed, because the sum would not be stored.
  const auto leaves = [](const Token& token) { return token.is("return") || token.is("goto"); };
  if (std::ranges::any_of(loop, leaves)) return {};
  const auto changed = changed_names(loop);
  const std::size_t begin = loop.front().offset;
  const std::size_t end = loop.back().end;
  const std::string indent = indent_at(source, begin);
  std::vector<Rewrite> changes{{begin, begin, "{\n"}};
  std::string stores;
  for (std::size_t i = behind_header(loop); i < loop.size(); ++i) {
    const auto sum = sum_at(loop, i);
    if (!sum) continue;
    const LoopTokens place = loop.subspan(i, sum->operation - i);
    const bool moves = std::ranges::any_of(
        place, [&](const Token& token) { return changed.contains(token.text); });
    const auto uses =
        std::ranges::count_if(loop, [&](const Token& token) { return token.is(loop[i].text); });
    const std::string name = fmt::format("kw_sum{}", count);
    const auto statement = statement_of(source, loop, *sum, name);
    if (moves || !statement || uses != (loop[sum->operation].is("=") ? 2 : 1)) continue;
    ++count;
    const std::string where = text_between(source, place);
    changes.front().text += fmt::format("{}auto {} = {};\n", indent, name, where);
    changes.push_back({loop[i].offset, loop[sum->end].offset + 1, *statement});
    stores += fmt::format("{}{} = {};\n", indent, where, name);
  }
  if (stores.empty()) return {};
  changes.front().text += indent;
  changes.push_back({end, end, "\n" + stores + indent + "}"});
  return changes;
}

}  // namespace

std::string with_accumulators(std::string_view source) {
  const auto tokens = lex::tokenize(source);
  std::vector<Rewrite> changes;
  int count = 0;
  for (const SourceLoop& loop : find_loops(source)) {
    if (!loop.is_innermost) continue;
    const auto first = std::ranges::lower_bound(tokens, loop.offset, {}, &Token::offset);
    const auto last = std::ranges::lower_bound(tokens, loop.end, {}, &Token::offset);
    if (first == last) continue;
    std::ranges::move(changes_of(source, LoopTokens(first, last), count),
                      std::back_inserter(changes));
  }
  std::string text(source);
  for (const Rewrite& change : std::span(changes) | std::views::reverse)
    text.replace(change.from, change.to - change.from, change.text);
  return text;
}

}  // namespace kw::propose
