// Reads what one thread of a kernel does: jumps, changed variables, accesses of memory.
// SPDX-License-Identifier: Apache-2.0
#include "import/thread_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "import/words.h"

namespace kw::import {
namespace {

using lex::Token;

bool is_assignment(const Token& token) {
  return is_one_of(token, {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="});
}

bool is_step(const Token& token) { return is_one_of(token, {"++", "--"}); }

/// Whether an operand may end with the token, so that a `*`, `&` or `[` after it is a binary
/// operator.
bool ends_operand(const Token& token) {
  return (token.kind == Token::Kind::Word && !is_one_of(token, {"return", "case", "else"})) ||
         token.kind == Token::Kind::Number || is_one_of(token, {")", "]"});
}

class BodyReader {
 public:
  BodyReader(const std::vector<Token>& tokens, Part body, const ThreadContext& context)
      : tokens_(tokens), body_(body), context_(context) {}

  ThreadBody run() {
    find_nests();
    for (std::size_t i = body_.begin; i < body_.end; ++i) {
      read_jump(i);
      read_lambda(i);
      read_variable(i);
    }
    for (const FunctionParameter& p : *context_.parameters)
      if (p.stars > 0 && !p.is_const) read_accesses(p.name);
    return std::move(result_);
  }

 private:
  const Token& at(std::size_t i) const { return tokens_[i]; }
  bool is_index(std::string_view word) const {
    return std::ranges::find(context_.indices, word) != context_.indices.end();
  }
  bool is_strided() const { return context_.walk != Walk::OneElement; }
  void obstacle(std::size_t token, std::string what) {
    result_.obstacles.emplace_back(token, std::move(what));
  }

  void find_nests() {
    for (std::size_t i = body_.begin; i < body_.end; ++i) {
      if (!is_one_of(at(i), {"for", "while", "do", "switch"})) continue;
      const Part nest{i, statement_end(tokens_, i, body_.end)};
      (at(i).is("switch") ? switches_ : loops_).push_back(nest);
    }
  }

  static bool is_within(std::size_t i, const std::vector<Part>& nests) {
    return std::ranges::any_of(nests, [&](Part p) { return p.begin < i && i < p.end; });
  }

  void read_jump(std::size_t i) {
    if (at(i).is("goto")) return obstacle(i, "goto");
    const bool is_in_loop = is_within(i, loops_);
    const bool is_in_switch = is_within(i, switches_);
    if (at(i).is("return")) {
      if (is_strided()) return obstacle(i, "a return inside the loop over a thread's elements");
      const bool is_nested = is_in_loop || is_in_switch;
      result_.needs_label = result_.needs_label || is_nested;
      result_.replaced[i] = is_nested ? fmt::format("goto {}", kNextElement) : "continue";
    }
    if (!is_strided()) return;
    if (at(i).is("break") && !is_in_loop && !is_in_switch)
      obstacle(i, "a break out of the loop over a thread's elements");
    if (at(i).is("continue") && !is_in_loop && context_.walk == Walk::StridedWhile)
      obstacle(i, "a continue that skips the step of the loop over a thread's elements");
  }

  void read_lambda(std::size_t i) {
    if (at(i).is("[") && i > body_.begin && !ends_operand(at(i - 1)) && !at(i + 1).is("["))
      obstacle(i, "a lambda");
  }

  /// What makes a change of `word` visible to other elements, for a message; empty if nothing does.
  std::string shared_role(std::string_view word) const {
    if (is_index(word)) return "the index";
    if (is_strided() && context_.carried.contains(std::string(word)))
      return "a variable that keeps its value for the thread's next elements,";
    for (const FunctionParameter& p : *context_.parameters)
      if (p.name == word) return "a parameter";
    return {};
  }

  void read_variable(std::size_t i) {
    if (at(i).kind != Token::Kind::Word) return;
    const std::string role = shared_role(at(i).text);
    if (role.empty() || (i > 0 && is_one_of(at(i - 1), {".", "->", "::"}))) return;
    const Token& before = at(i - 1);
    const Token& after = at(i + 1);
    const bool has_address = before.is("&") && !ends_operand(at(i - 2)) && !after.is("[");
    if (is_assignment(after) || is_step(after) || (is_step(before) && !after.is("[")) ||
        has_address || is_passed_by_reference(i))
      obstacle(i, fmt::format("a change of {} '{}'", role, sanitise(at(i).text, 40)));
  }

  /// Whether the token is a whole argument of a call, which the called function may take by
  /// reference.
  bool is_passed_by_reference(std::size_t i) const {
    if (!is_one_of(at(i - 1), {"(", ","}) || !is_one_of(at(i + 1), {")", ","})) return false;
    int depth = 0;
    for (std::size_t k = i; k-- > body_.begin;) {
      depth += is_one_of(at(k), {")", "]"}) ? 1 : is_one_of(at(k), {"(", "["}) ? -1 : 0;
      if (depth >= 0) continue;
      return k > 0 && std::ranges::any_of(*context_.items, [&](const Item& item) {
               return item.is_function() && at(k - 1).is(item.name) &&
                      std::ranges::any_of(item.parameters, &FunctionParameter::is_reference);
             });
    }
    return false;
  }

  struct Access {
    std::size_t token = 0;
    std::string key;  ///< Accesses with equal keys are to memory of one thread.
    bool is_read = false;
    bool is_written = false;
  };

  /// Records an obstacle if a thread reads an element of a written tensor that another thread may
  /// write, since threads run in any order.
  void read_accesses(const std::string& name) {
    std::vector<Access> accesses;
    for (std::size_t i = body_.begin; i < body_.end; ++i)
      if (at(i).is(name) && at(i).kind == Token::Kind::Word &&
          !is_one_of(at(i - 1), {".", "->", "::"}))
        accesses.push_back(access_at(i));
    if (std::ranges::none_of(accesses, &Access::is_written)) return;
    for (const Access& a : accesses)
      for (const Access& b : accesses)
        if (a.is_read && b.is_written && a.key != b.key)
          return obstacle(a.token,
                          fmt::format("a read of '{}' at an element that another thread may write",
                                      sanitise(name, 40)));
  }

  Access access_at(std::size_t i) const {
    Access access{i, {}, true, true};
    std::size_t end = i + 1;
    if (at(end).is("[")) {
      const std::size_t close = std::min(lex::find_closing(tokens_, end), body_.end - 1);
      access.key = key_of({end + 1, close});
      end = close + 1;
      const bool is_plain = end < body_.end && at(end).is("=");
      access.is_written = (end < body_.end && (is_assignment(at(end)) || is_step(at(end)))) ||
                          is_step(at(i - 1)) ||
                          (at(i - 1).is("&") && !ends_operand(at(i - 2)) && !is_read_only_load(i));
      access.is_read = !is_plain;
      return access;
    }
    if (at(i - 1).is("*") && !ends_operand(at(i - 2))) {
      access.key = "0";
      access.is_written = is_assignment(at(end));
      access.is_read = !at(end).is("=");
      return access;
    }
    // The name is part of an address such as `y + i * cols`, through which memory may be read and
    // written.
    if (!at(end).is("+")) return access;
    std::size_t stop = end + 1;
    for (; stop < body_.end && !is_one_of(at(stop), {";", ",", ")"}); ++stop)
      if (is_one_of(at(stop), {"(", "["}))
        stop = std::min(lex::find_closing(tokens_, stop), body_.end - 1);
    access.key = key_of({end + 1, stop});
    return access;
  }

  /// Whether the name is loaded by `__ldg(&x[i])`, which only reads.
  bool is_read_only_load(std::size_t i) const { return i >= 3 && at(i - 3).is("__ldg"); }

  /// The terms of an offset that tell which thread owns the memory. In `i * cols + j` a thread owns
  /// the row `i * cols`; in `i + 1` the whole sum counts.
  std::string key_of(Part offset) const {
    std::vector<std::string> owned;
    std::vector<std::string> inner;
    bool has_bare_index = false;
    std::size_t begin = offset.begin;
    for (std::size_t i = offset.begin; i <= offset.end; ++i) {
      if (i < offset.end && is_one_of(at(i), {"(", "["}))
        i = std::min(lex::find_closing(tokens_, i), offset.end - 1);
      if (i < offset.end && at(i).is("-")) return text_of(offset);
      if (i < offset.end && !at(i).is("+")) continue;
      const Part term{begin, i};
      begin = i + 1;
      bool is_owned = false;
      bool is_product = false;
      for (std::size_t k = term.begin; k < term.end; ++k) {
        is_owned = is_owned || is_index(at(k).text);
        is_product = is_product || at(k).is("*");
      }
      has_bare_index = has_bare_index || (is_owned && !is_product);
      (is_owned ? owned : inner).push_back(text_of(term));
    }
    const bool may_split = !has_bare_index && !owned.empty();
    const std::string key = join(owned, "+ ");
    const bool reaches_further = std::ranges::any_of(
        inner, [&](const std::string& term) { return key.find(term) != std::string::npos; });
    return may_split && !reaches_further ? key : text_of(offset);
  }

  std::string text_of(Part part) const {
    std::string text;
    for (std::size_t k = part.begin; k < part.end; ++k) text += std::string(at(k).text) + " ";
    return text;
  }

  const std::vector<Token>& tokens_;
  Part body_;
  const ThreadContext& context_;
  std::vector<Part> loops_;
  std::vector<Part> switches_;
  ThreadBody result_;
};

}  // namespace

std::size_t statement_end(const std::vector<lex::Token>& tokens, std::size_t i, std::size_t end) {
  const auto behind = [&](std::size_t open) {
    return std::min(lex::find_closing(tokens, open) + 1, end);
  };
  if (i >= end) return end;
  if (tokens[i].is("{")) return behind(i);
  if (tokens[i].is("do")) {
    i = statement_end(tokens, i + 1, end);
    while (i < end && !tokens[i].is(";")) i = tokens[i].is("(") ? behind(i) : i + 1;
    return std::min(i + 1, end);
  }
  if (is_one_of(tokens[i], {"if", "for", "while", "switch"})) {
    const bool is_if = tokens[i].is("if");
    while (i < end && !tokens[i].is("(")) ++i;
    i = statement_end(tokens, i < end ? behind(i) : end, end);
    return is_if && i < end && tokens[i].is("else") ? statement_end(tokens, i + 1, end) : i;
  }
  for (; i < end && !tokens[i].is(";"); ++i)
    if (is_one_of(tokens[i], {"(", "[", "{"})) i = std::min(lex::find_closing(tokens, i), end);
  return std::min(i + 1, end);
}

ThreadBody read_thread_body(const std::vector<lex::Token>& tokens, Part body,
                            const ThreadContext& context) {
  return BodyReader(tokens, body, context).run();
}

}  // namespace kw::import
