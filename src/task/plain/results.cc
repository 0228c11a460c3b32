// Writes what a function returns through a pointer, if possible without a jump.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "task/c/branches.h"
#include "task/plain/edits.h"
#include "task/plain/forms.h"
#include "task/plain/name_uses.h"
#include "task/plain/site_reader.h"

namespace kw::task {
namespace {

constexpr int kDeepestReturn = 64;  // of nested blocks that are read for ends of the function

class ResultRewriter {
 public:
  explicit ResultRewriter(const PlainSite& site) : site_(site), reader_(site), edits_(reader_) {}

  Result<PlainStep> run() {
    if (reader_.list_begin() == reader_.list_end()) return PlainStep{};
    const std::size_t name = reader_.name();
    if (!read_type(name)) return PlainStep{};
    KW_TRY(check(name));
    std::vector<std::string> given;
    result_ = reader_.free_name("result", given);
    has_jumps_ = has_word("goto") || has_directives();
    mark_ends(site_.open, 0);
    for (const std::size_t i : type_) edits_.put(i, i == type_.front() ? "void" : "");
    edits_.append_parameters(fmt::format("{}* {}", words_, result_));
    for (std::size_t i = site_.open; i < site_.close; ++i)
      if (reader_.at(i, "return")) rewrite(i);
    return PlainStep{edits_.edits(),
                     {fmt::format("{}: what the function returned is written here", result_)}};
  }

 private:
  /// Finds the words of the returned type. False: the function returns nothing.
  bool read_type(std::size_t name) {
    for (std::size_t i = site_.begin; i < name; ++i) {
      if (reader_.at(i, "[") || reader_.at(i, "(")) {
        i = lex::find_closing(site_.tokens, i);  // of an attribute
        continue;
      }
      const std::string_view word = reader_.word(i);
      if (site_.tokens[i].kind == lex::Token::Kind::Text || is_specifier(word) ||
          word.starts_with("__attribute"))
        continue;
      type_.push_back(i);
      words_ += (words_.empty() || !reader_.is_word(i) || !reader_.is_word(i - 1) ? "" : " ");
      words_ += site_.tokens[i].text;
    }
    return words_ != "void" && !words_.empty();
  }

  bool has_word(std::string_view word) const {
    for (std::size_t i = site_.open; i < site_.close; ++i)
      if (reader_.at(i, word)) return true;
    return false;
  }

  bool has_directives() const {
    const std::size_t begin = site_.tokens[site_.open].offset;
    const std::size_t end = site_.tokens[site_.close].offset;
    return std::ranges::any_of(reader_.directives(), [&](const lex::Directive& directive) {
      const std::size_t offset = reader_.whole()[directive.first].offset;
      return offset > begin && offset < end && directive.name() != "pragma";
    });
  }

  /// The token of a type that is defined in the body, whose functions have returns of their own.
  std::size_t inner_type() const {
    for (std::size_t i = site_.open; i < site_.close; ++i) {
      if (!reader_.at(i, "struct") && !reader_.at(i, "class") && !reader_.at(i, "union")) continue;
      std::size_t end = i + 1;
      while (end < site_.close && (reader_.is_word(end) || reader_.at(end, ":"))) ++end;
      if (reader_.at(end, "{")) return i;
    }
    return site_.close;
  }

  Result<> check(std::size_t name) const {
    const std::string function(reader_.word(name));
    const bool is_plain = std::ranges::all_of(
        type_, [&](std::size_t i) { return reader_.is_word(i) || reader_.at(i, "::"); });
    if (!is_plain || !type_dtype())
      return reader_.refuse(
          site_.begin, "returned value",
          fmt::format("'{}' returns {}, which is no number; let it return void and write each "
                      "number through a pointer: `void {}(int n, const double* x, double* y)` in "
                      "place of `double* {}(int n, const double* x)`",
                      sanitise(function, 60), sanitise(words_, 60), sanitise(function, 60),
                      sanitise(function, 60)));
    const TokenRange body = reader_.body();
    if (const auto lambda = find_lambda(reader_, body))
      return reader_.refuse(
          *lambda, "lambda",
          "a function that returns a number and has lambdas cannot be rewritten, because the text "
          "does not tell whose `return` is meant; return void, and write `result[0] = s;` in place "
          "of `return s;` with a parameter `double* result`");
    if (const std::size_t inner = inner_type(); inner < site_.close)
      return reader_.refuse(inner, "struct",
                            "a function that returns a number and defines a type cannot be "
                            "rewritten; define the type outside: `struct Sum { double s; };` in "
                            "front of the function");
    if (!find_name_uses(reader_, body, function).tokens.empty())
      return reader_.refuse(
          name, function,
          fmt::format("'{}' calls itself and returns a number; put what calls itself into a "
                      "function of its own, and write its value from this one: `void {}_of(int n, "
                      "const double* x, double* result) {{ result[0] = {}(n, x); }}`",
                      sanitise(function, 60), sanitise(function, 60), sanitise(function, 60)));
    if (const std::string macro = hiding_macro(reader_, body, "return"); !macro.empty())
      return reader_.refuse(
          name, macro,
          fmt::format("'{}' hides a `return` of the function; write `return s;` in its place",
                      sanitise(macro, 60)));
    return {};
  }

  std::optional<Dtype> type_dtype() const {
    std::vector<std::string> words;
    for (const std::size_t i : type_)
      if (reader_.is_word(i)) words.emplace_back(reader_.word(i));
    return dtype_of(words, reader_.type_names());
  }

  // --- which returns end the function anyway ---

  /// Notes the returns that are the last thing the block does. The block ends the function.
  void mark_ends(std::size_t open, int depth) {
    const std::size_t close = lex::find_closing(site_.tokens, open);
    std::size_t closers = 0;
    for (std::size_t i = open + 1; i < close && depth < kDeepestReturn;) {
      const std::size_t end = std::max(nest_end(site_.tokens, i, close), i + 1);
      const bool is_last = end >= close;
      if (is_last) {
        mark_statement(i, end, depth);
      } else if (!has_jumps_ && is_guard(i, end)) {
        mark_statement(i, end, depth);
        edits_.after(end - 1, " else {");
        ++closers;
      }
      i = end;
    }
    if (closers > 0) edits_.before(close, std::string(closers, '}') + "\n");
  }

  void mark_statement(std::size_t i, std::size_t end, int depth) {
    if (depth >= kDeepestReturn) return;
    if (reader_.at(i, "{")) return mark_ends(i, depth + 1);
    if (reader_.at(i, "return")) {
      ends_.insert(i);
      return;
    }
    if (!reader_.at(i, "if")) return;
    const std::size_t condition = condition_end(i);
    if (condition >= end) return;
    const std::size_t then_end = nest_end(site_.tokens, condition + 1, end);
    mark_statement(condition + 1, then_end, depth + 1);
    if (then_end < end && reader_.at(then_end, "else"))
      mark_statement(then_end + 1, end, depth + 1);
  }

  std::size_t condition_end(std::size_t i) const {
    const std::size_t open = reader_.at(i + 1, "constexpr") ? i + 2 : i + 1;
    return reader_.at(open, "(") ? lex::find_closing(site_.tokens, open) : site_.tokens.size();
  }

  /// Whether the statement is an `if` without `else` that leaves the function.
  bool is_guard(std::size_t i, std::size_t end) const {
    if (!reader_.at(i, "if") || reader_.at(i + 1, "constexpr")) return false;
    const std::size_t condition = condition_end(i);
    if (condition >= end || nest_end(site_.tokens, condition + 1, end) != end) return false;
    std::size_t last = condition + 1;
    if (reader_.at(last, "{")) {
      const std::size_t close = lex::find_closing(site_.tokens, last);
      std::size_t next = last + 1;
      while (next < close) {
        last = next;
        next = std::max(nest_end(site_.tokens, next, close), next + 1);
      }
    }
    return reader_.at(last, "return");
  }

  // --- edits ---

  void rewrite(std::size_t i) {
    std::size_t end = i + 1;
    bool has_comma = false;
    while (end < site_.close && !reader_.at(end, ";")) {
      if (reader_.at(end, "(") || reader_.at(end, "[") || reader_.at(end, "{"))
        end = lex::find_closing(site_.tokens, end);
      has_comma = has_comma || reader_.at(end, ",");
      ++end;
    }
    if (end >= site_.close || end == i + 1) return;
    const bool is_end = ends_.contains(i);
    edits_.put(i, fmt::format("{}{}[0] ={}", is_end ? "" : "{ ", result_, has_comma ? " (" : ""));
    if (has_comma || !is_end)
      edits_.put(end, fmt::format("{};{}", has_comma ? ")" : "", is_end ? "" : " return; }"));
  }

  const PlainSite& site_;
  const SiteReader reader_;
  TokenEdits edits_;
  std::vector<std::size_t> type_;  ///< Tokens of the returned type.
  std::string words_;
  std::string result_;
  /// Whether statements may be passed in another order than that of the text, or left out.
  bool has_jumps_ = false;
  std::set<std::size_t> ends_;  ///< Returns behind which the function has nothing to do.
};

}  // namespace

Result<PlainStep> plain_results(const PlainSite& site) { return ResultRewriter(site).run(); }

}  // namespace kw::task
