// A walk over the source's words that finds the heads of loops.
// SPDX-License-Identifier: Apache-2.0
#include "compile/source_loops.h"

#include "base/text.h"
#include "compile/source_words.h"

namespace kw::compile {
namespace {

/// Gives the line numbers of views into the text, counting line ends as it goes.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}

  /// Line on which `word` begins. Calls must pass words in the order of the text.
  int line_of(std::string_view word) {
    const auto end = static_cast<std::size_t>(word.data() - text_.data());
    for (; at_ < end; ++at_) line_ += text_[at_] == '\n';
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

/// Skips the `(…)` of a loop's head, if it follows; `word` becomes the first word after it. Returns
/// the line on which the head ends, or `first`, the line of its keyword, where there is none.
int end_of_head(SourceWords& words, LineCounter& lines, std::string_view& word, int first) {
  word = words.next();
  if (word != "(") return first;
  int last = first;
  int depth = 0;
  do {
    if (word == "(") ++depth;
    if (word == ")") --depth;
    last = lines.line_of(word);
    word = words.next();
  } while (depth > 0 && !word.empty());
  return last;
}

}  // namespace

int loop_line(std::string_view source, int line) {
  const auto texts = split_lines(source);
  const auto is_directive = [&](int at) {
    return at >= 1 && static_cast<std::size_t>(at) <= texts.size() &&
           trim(texts[static_cast<std::size_t>(at) - 1]).starts_with('#');
  };
  const bool means_the_next = is_directive(line);
  SourceWords words(source);
  LineCounter lines(source);
  for (std::string_view word = words.next(); !word.empty();) {
    const int first = lines.line_of(word);
    const bool is_passed = is_directive(first) || (means_the_next && first <= line);
    const bool is_loop = !is_passed && (word == "for" || word == "while" || word == "do");
    if (means_the_next && !is_passed) return is_loop ? first : 0;
    if (!is_loop) {
      word = words.next();
      continue;
    }
    const bool has_head = word != "do";
    const int last = has_head ? end_of_head(words, lines, word, first) : first;
    if (!has_head) word = words.next();
    if (first <= line && line <= last) return first;
  }
  return 0;
}

}  // namespace kw::compile
