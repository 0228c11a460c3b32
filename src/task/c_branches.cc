// Finds the ranges of tokens that are executed under each condition of a C function.
// SPDX-License-Identifier: Apache-2.0
#include "task/c_branches.h"

#include <algorithm>

namespace kw::task {
namespace {

bool at(const std::vector<CodeToken>& tokens, std::size_t i, std::string_view text) {
  return i < tokens.size() && tokens[i].is(text);
}

}  // namespace

std::size_t statement_end(const std::vector<CodeToken>& tokens, std::size_t i, std::size_t close) {
  while (i < close) {
    if (at(tokens, i, "{")) return std::min(find_closing(tokens, i) + 1, close);
    if (at(tokens, i, ";")) return i + 1;
    if (at(tokens, i, "(")) {
      const auto end = find_closing(tokens, i);
      if (end >= close) break;
      i = end;
    }
    ++i;
  }
  return close;
}

Branches::Branches(const CFunction& function, const std::vector<CodeToken>& tokens)
    : function_(function), tokens_(tokens) {
  // Conditions are read backwards, so that the end of an `else if` is known when its outer `if` is
  // read.
  for (std::size_t i = function.close; i-- > function.open;) {
    if (!at(tokens, i, "if") || !at(tokens, i + 1, "(")) continue;
    const auto condition = find_closing(tokens, i + 1);
    if (condition >= function.close) continue;
    const auto end_of = [&](std::size_t from) {
      for (const Branch& inner : branches_)
        if (inner.begin == from) return inner.end;
      return statement_end(tokens, from, function.close);
    };
    Branch branch{.begin = i, .then = condition + 1};
    branch.then_end = branch.end = end_of(branch.then);
    if (at(tokens, branch.then_end, "else")) branch.end = end_of(branch.then_end + 1);
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
    while (at(tokens_, end, "[")) end = find_closing(tokens_, end) + 1;
    if (end > i + 1 && at(tokens_, end, "=")) return true;
  }
  return false;
}

bool Branches::has_jumps(const std::set<std::size_t>& counted) const {
  for (std::size_t i = function_.open; i < function_.close; ++i) {
    if (at(tokens_, i, "while") && !counted.contains(i)) return true;
    for (const auto* word : {"continue", "break", "return", "goto", "switch", "do"})
      if (at(tokens_, i, word)) return true;
  }
  return false;
}

bool Branches::has_any(const std::set<std::size_t>& counted) const {
  if (!branches_.empty() || has_jumps(counted)) return true;
  for (std::size_t i = function_.open; i < function_.close; ++i)
    if (at(tokens_, i, "?")) return true;
  return false;
}

}  // namespace kw::task
