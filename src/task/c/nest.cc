// Parses statements without looking into expressions.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/nest.h"

#include <algorithm>
#include <utility>

namespace kw::task {
namespace {

constexpr int kDeepestStatement = 32;

class NestParser {
 public:
  NestParser(const std::vector<lex::Token>& tokens, const CFunction& function)
      : tokens_(tokens), close_(function.close) {}

  std::vector<NestItem> run(std::size_t begin) {
    std::vector<NestItem> items;
    for (std::size_t i = begin; i < close_;) i = statement(i, 0, items);
    return items;
  }

 private:
  bool at(std::size_t i, std::string_view text) const { return i < close_ && tokens_[i].is(text); }

  std::size_t closing(std::size_t open) const {
    return std::min(lex::find_closing(tokens_, open), close_);
  }

  /// Adds the statement that begins at `i`; returns the token behind it, which is later than `i`.
  std::size_t statement(std::size_t i, int nesting, std::vector<NestItem>& items) {
    if (nesting > kDeepestStatement) return close_;
    if (at(i, ";")) return i + 1;
    if (at(i, "{")) {
      const std::size_t close = closing(i);
      for (std::size_t k = i + 1; k < close;) k = statement(k, nesting + 1, items);
      return close + 1;
    }
    const bool is_if = at(i, "if");
    if ((is_if || at(i, "for") || at(i, "while")) && at(i + 1, "(")) {
      const std::size_t close = closing(i + 1);
      NestItem item{is_if ? NestItem::Kind::If : NestItem::Kind::Loop, i, 0, i + 2, close, {}};
      const std::size_t end = add_with_body(item, close + 1, nesting, items);
      if (!is_if || !at(end, "else")) return end;
      NestItem other{NestItem::Kind::Else, end, 0, i + 2, close, {}};
      return add_with_body(std::move(other), end + 1, nesting, items);
    }
    const std::size_t end = end_of_plain(i);
    for (const char* jump : {"do", "switch", "goto", "break", "continue", "return", "try"})
      if (at(i, jump)) {
        items.push_back({NestItem::Kind::Jump, i, end, 0, 0, {}});
        return end;
      }
    items.push_back(
        {NestItem::Kind::Plain, i, end > i && at(end - 1, ";") ? end - 1 : end, 0, 0, {}});
    return end;
  }

  std::size_t add_with_body(NestItem item, std::size_t body, int nesting,
                            std::vector<NestItem>& items) {
    const std::size_t end = body < close_ ? statement(body, nesting + 1, item.inside) : body;
    item.end = std::max(end, body);
    items.push_back(std::move(item));
    return std::max(end, body);
  }

  std::size_t end_of_plain(std::size_t i) const {
    while (i < close_ && !at(i, ";")) {
      const bool is_open = at(i, "(") || at(i, "[") || at(i, "{");
      const bool ends = at(i, "{");
      i = (is_open ? closing(i) : i) + 1;
      // A brace that opens a body, as after `do` or `switch`, ends the statement; what follows the
      // body is described as usual.
      if (ends && !at(i, ";") && !at(i, ",") && !at(i, "while")) return std::min(i, close_);
    }
    return std::min(i + 1, close_);
  }

  const std::vector<lex::Token>& tokens_;
  const std::size_t close_;
};

}  // namespace

std::vector<NestItem> nest_of(const std::vector<lex::Token>& tokens, const CFunction& function) {
  return NestParser(tokens, function).run(function.open + 1);
}

}  // namespace kw::task
