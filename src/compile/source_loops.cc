// A walk over the source's tokens that finds the heads of loops.
// SPDX-License-Identifier: Apache-2.0
#include "compile/source_loops.h"

#include <algorithm>
#include <vector>

#include "lex/lexer.h"

namespace kw::compile {
namespace {

/// Gives the line numbers of offsets, counting line ends as it goes.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}

  /// Line of an offset. Calls must pass offsets in the order of the text.
  int line_of(std::size_t offset) {
    for (; at_ < offset; ++at_) line_ += text_[at_] == '\n';
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

std::vector<int> lines_of(const lex::Tokens& tokens, std::string_view source) {
  std::vector<int> lines;
  LineCounter counter(source);
  for (const lex::Token& token : tokens) lines.push_back(counter.line_of(token.offset));
  return lines;
}

}  // namespace

int loop_line(std::string_view source, int line) {
  const lex::Tokens tokens = lex::significant(source);
  const std::vector<int> lines = lines_of(tokens, source);
  bool means_the_next = false;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    means_the_next = means_the_next || (lines[i] == line && tokens[i].in_directive);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const int first = lines[i];
    const bool is_passed = tokens[i].in_directive || (means_the_next && first <= line);
    const bool has_head = tokens[i].is("for") || tokens[i].is("while");
    const bool is_loop = !is_passed && (has_head || tokens[i].is("do"));
    if (means_the_next && !is_passed) return is_loop ? first : 0;
    if (!is_loop) continue;
    int last = first;
    if (has_head && i + 1 < tokens.size() && tokens[i + 1].is("(")) {
      i = std::min(lex::find_closing(tokens, i + 1), tokens.size() - 1);
      last = lines[i];
    }
    if (first <= line && line <= last) return first;
  }
  return 0;
}

}  // namespace kw::compile
