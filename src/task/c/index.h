// Index expressions of a function body as polynomials over its names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "task/c/function.h"

namespace kw::task {

/// Reads expressions of integers out of tokens, which must outlive the reader. Names that are
/// defined stand for their values; every other name is an unknown.
class IndexReader {
 public:
  explicit IndexReader(const std::vector<lex::Token>& tokens) : tokens_(tokens) {}

  void define(std::string name, Polynomial value);
  void forget(const std::string& name);
  /// Reads each element of these arrays as the unknown "NAME[]", whatever its index.
  void know_elements(std::set<std::string> arrays) { arrays_ = std::move(arrays); }
  /// The value that the name stands for; null where it stands for itself.
  const Polynomial* value_of(std::string_view name) const;

  /// The tokens from `begin` to below `end` as one expression; nothing where they hold more than
  /// sums and products of names and numbers.
  std::optional<Polynomial> whole(std::size_t begin, std::size_t end) const;

 private:
  bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }
  /// Reads a sum that starts at token `i`; moves `i` behind the sum.
  std::optional<Polynomial> sum(std::size_t& i, std::size_t end, int nesting) const;
  std::optional<Polynomial> product(std::size_t& i, std::size_t end, int nesting) const;
  std::optional<Polynomial> factor(std::size_t& i, std::size_t end, int nesting) const;
  std::optional<Polynomial> parenthesised(std::size_t& i, std::size_t end, int nesting) const;

  const std::vector<lex::Token>& tokens_;
  std::set<std::string> arrays_;
  std::map<std::string, Polynomial, std::less<>> known_;
};

}  // namespace kw::task
