// Finds the ranges of tokens that are executed under each condition of a C function.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/branches.h"

#include <algorithm>

namespace kw::task {
namespace {

bool at(const std::vector<lex::Token>& tokens, std::size_t i, std::string_view text) {
  return i < tokens.size() && tokens[i].is(text);
}

constexpr int kDeepestNest = 256;

std::size_t nest_end_at(const std::vector<lex::Token>& tokens, std::size_t i, std::size_t close,
                        int nesting) {
  if (nesting > kDeepestNest) return close;
  const bool is_branch = at(tokens, i, "if");
  if ((!is_branch && !at(tokens, i, "for") && !at(tokens, i, "while")) || !at(tokens, i + 1, "("))
    return statement_end(tokens, i, close);
  const std::size_t head = lex::find_closing(tokens, i + 1);
  if (head >= close) return close;
  const std::size_t end = nest_end_at(tokens, head + 1, close, nesting + 1);
  if (!is_branch || end >= close || !at(tokens, end, "else")) return end;
  return nest_end_at(tokens, end + 1, close, nesting + 1);
}

constexpr int kDeepestLeaving = 16;

bool leaves_at(const std::vector<lex::Token>& tokens, std::size_t i, std::size_t close,
               int nesting) {
  if (nesting > kDeepestLeaving || i >= close) return false;
  if (at(tokens, i, "continue") || at(tokens, i, "break") || at(tokens, i, "return")) return true;
  if (at(tokens, i, "{")) {
    const std::size_t end = std::min(lex::find_closing(tokens, i), close);
    std::size_t last = end;
    for (std::size_t next = i + 1; next < end; next = nest_end(tokens, next, end)) last = next;
    return leaves_at(tokens, last, end, nesting + 1);
  }
  if (!at(tokens, i, "if") || !at(tokens, i + 1, "(")) return false;
  const std::size_t then = lex::find_closing(tokens, i + 1) + 1;
  if (then >= close) return false;
  const std::size_t end = nest_end(tokens, then, close);
  return at(tokens, end, "else") && leaves_at(tokens, then, end, nesting + 1) &&
         leaves_at(tokens, end + 1, close, nesting + 1);
}

}  // namespace

bool leaves(const std::vector<lex::Token>& tokens, std::size_t i, std::size_t close) {
  return leaves_at(tokens, i, close, 0);
}

std::size_t nest_end(const std::vector<lex::Token>& tokens, std::size_t i, std::size_t close) {
  return nest_end_at(tokens, i, close, 0);
}

std::size_t statement_end(const std::vector<lex::Token>& tokens, std::size_t i, std::size_t close) {
  while (i < close) {
    if (at(tokens, i, "{")) return std::min(lex::find_closing(tokens, i) + 1, close);
    if (at(tokens, i, ";")) return i + 1;
    if (at(tokens, i, "(")) {
      const auto end = lex::find_closing(tokens, i);
      if (end >= close) break;
      i = end;
    }
    ++i;
  }
  return close;
}

Branches::Branches(const CFunction& function, const std::vector<lex::Token>& tokens)
    : function_(function), tokens_(tokens) {
  for (std::size_t i = function.open; i < function.close; ++i) {
    if (!at(tokens, i, "if") || !at(tokens, i + 1, "(")) continue;
    const auto condition = lex::find_closing(tokens, i + 1);
    if (condition >= function.close) continue;
    Branch branch{.begin = i, .then = condition + 1, .then_end = 0, .end = 0};
    branch.then_end = branch.end = nest_end(tokens, branch.then, function.close);
    if (at(tokens, branch.then_end, "else"))
      branch.end = nest_end(tokens, branch.then_end + 1, function.close);
    branches_.push_back(branch);
  }
}

bool Branches::is_sure(std::size_t token, std::string_view name) const {
  return std::ranges::all_of(branches_, [&](const Branch& branch) {
    if (token < branch.then || token >= branch.end) return true;
    const bool is_then = token < branch.then_end;
    return is_then ? writes(branch.then_end, branch.end, name)
                   : writes(branch.then, branch.then_end, name);
  });
}

bool Branches::writes(std::size_t from, std::size_t to, std::string_view name) const {
  for (std::size_t i = from; i < to; ++i) {
    const auto branch = std::ranges::find(branches_, i, &Branch::begin);
    if (branch != branches_.end()) {
      if (writes(branch->then, branch->then_end, name) &&
          writes(branch->then_end, branch->end, name))
        return true;
      i = branch->end - 1;
      continue;
    }
    if (!at(tokens_, i, name)) continue;
    std::size_t end = i + 1;
    while (at(tokens_, end, "[")) end = lex::find_closing(tokens_, end) + 1;
    if (end > i + 1 && at(tokens_, end, "=")) return true;
  }
  return false;
}

bool Branches::has_jumps(const std::set<std::size_t>& counted, std::string_view name) const {
  std::size_t free_until = 0;  // the end of a loop in which the array is not used
  for (std::size_t i = function_.open; i < function_.close; ++i) {
    for (const auto* word : {"return", "goto", "switch", "do"})
      if (at(tokens_, i, word)) return true;
    if (i < free_until) continue;
    if (at(tokens_, i, "for") || at(tokens_, i, "while")) {
      const std::size_t end = nest_end(tokens_, i, function_.close);
      const auto is_used = [&](const lex::Token& token) { return token.is(name); };
      const auto begin = tokens_.begin();
      if (std::none_of(begin + static_cast<std::ptrdiff_t>(i),
                       begin + static_cast<std::ptrdiff_t>(end), is_used))
        free_until = end;
      else if (at(tokens_, i, "while") && !counted.contains(i))
        return true;
    }
    if (at(tokens_, i, "continue") || at(tokens_, i, "break")) return true;
  }
  return false;
}

bool Branches::has_any(const std::set<std::size_t>& counted, std::string_view name,
                       bool is_any) const {
  if (has_jumps(counted, name)) return true;
  const auto holds = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (at(tokens_, i, name)) return true;
    return is_any;
  };
  std::size_t seen = 0;  // the end of the last branch that was looked through
  for (const Branch& branch : branches_) {
    if (branch.end <= seen) continue;
    if (holds(branch.begin, branch.end)) return true;
    seen = branch.end;
  }
  const auto is_edge = [&](std::size_t i) {
    return at(tokens_, i, ";") || at(tokens_, i, "{") || at(tokens_, i, "}");
  };
  std::size_t begin = function_.open;
  bool has_choice = false;
  for (std::size_t i = function_.open; i <= function_.close; ++i) {
    has_choice = has_choice || at(tokens_, i, "?");
    if (!is_edge(i)) continue;
    if (has_choice && holds(begin, i)) return true;
    begin = i;
    has_choice = false;
  }
  return false;
}

}  // namespace kw::task
