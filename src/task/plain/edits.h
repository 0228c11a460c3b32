// Edits of a source by its tokens.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "task/plain/site_reader.h"

namespace kw::task {

/// Edits token by token, in any order. What stands between two dropped tokens goes with them,
/// except for lines of the preprocessor and the ends of lines, so that messages still name the
/// right line. A dropped token stays dropped. Borrows the reader.
class TokenEdits {
 public:
  explicit TokenEdits(const SiteReader& reader) : reader_(reader) {}

  void put(std::size_t token, std::string text);
  void drop(TokenRange range);
  void before(std::size_t token, const std::string& text) { changes_[token].before += text; }
  void after(std::size_t token, const std::string& text) { changes_[token].after += text; }
  /// Puts the text in the place of all tokens of a range that is not empty.
  void replace(TokenRange range, const std::string& text);
  /// Takes a line of the preprocessor out, up to the end of the line.
  void drop_directive(const lex::Directive& directive);
  /// Puts parameters in front of the function's others, or behind them.
  void prepend_parameters(const std::string& text);
  void append_parameters(const std::string& text);

  bool is_dropped(std::size_t token) const;
  std::vector<PlainEdit> edits() const;

 private:
  struct Change {
    std::string before;
    std::optional<std::string> text;
    std::string after;
    bool is_dropped = false;
  };

  void add_parameters(const std::string& text, bool is_first);
  std::optional<std::string> gap_between(const lex::Token& first, const lex::Token& second) const;

  const SiteReader& reader_;
  std::map<std::size_t, Change> changes_;
  std::vector<PlainEdit> directives_;
  bool has_new_parameters_ = false;
};

}  // namespace kw::task
