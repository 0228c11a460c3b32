// Finds nested for loops among the tokens of a C++ text.
// SPDX-License-Identifier: Apache-2.0
#include "propose/loops.h"

#include <algorithm>
#include <set>

#include "lex/lexer.h"
#include "propose/independence.h"

namespace kw::propose {
namespace {

/// Walks over the tokens of a source; positions are indices of tokens.
class LoopFinder {
 public:
  explicit LoopFinder(std::string_view source) : t_(lex::tokenize(source)) {}

  std::vector<SourceLoop> run() {
    std::vector<SourceLoop> loops;
    for (std::size_t i = 0; i < t_.size(); ++i) {
      if (!t_[i].is("for")) continue;
      places_.push_back({i, past_statement(i)});
      const Range place = places_.back();
      SourceLoop loop;
      loop.offset = t_[i].offset;
      loop.end = t_[place.end - 1].end;
      for (std::size_t k = 0; k < loops.size(); ++k) {
        SourceLoop& outer = loops[k];
        if (i >= places_[k].end) continue;
        ++loop.depth;
        outer.is_innermost = false;
        if (outer.depth + 1 == loop.depth) loop.is_only_child = fills_body_of(place, places_[k]);
      }
      loop.sums = sums_of({body_of(i), place.end});
      loop.is_parallel = is_parallel(place, loop.sums);
      loops.push_back(std::move(loop));
    }
    return loops;
  }

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  bool is(std::size_t at, std::string_view text) const { return at < t_.size() && t_[at].is(text); }

  std::size_t next_of(std::size_t at, std::string_view text) const {
    while (at < t_.size() && !t_[at].is(text)) ++at;
    return at;
  }

  std::size_t past_closing(std::size_t open) const {
    return std::min(lex::find_closing(t_, open) + 1, t_.size());
  }

  /// Index after the statement that starts at `at`: a block, a controlled statement, or all up to
  /// `;`.
  std::size_t past_statement(std::size_t at) const {
    if (at >= t_.size()) return t_.size();
    if (is(at, "{")) return past_closing(at);
    if (is(at, "for") || is(at, "while") || is(at, "if")) {
      const std::size_t end = past_statement(body_of(at));
      return is(end, "else") ? past_statement(end + 1) : end;
    }
    return std::min(next_of(at, ";") + 1, t_.size());
  }

  /// Index after the head `(…)` of the statement at `at`.
  std::size_t body_of(std::size_t at) const { return past_closing(next_of(at, "(")); }

  bool fills_body_of(Range inner, Range outer) const {
    std::size_t start = body_of(outer.begin);
    std::size_t stop = outer.end;
    if (is(start, "{")) {
      ++start;
      --stop;
    }
    return start == inner.begin && inner.end >= stop;
  }

  /// Variables that the range uses only as `name += …` and does not declare.
  std::vector<std::string> sums_of(Range range) const {
    std::set<std::string> added;
    std::set<std::string> spoiled;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (t_[i].kind != lex::Token::Kind::Word) continue;
      const bool starts_statement =
          i == 0 || is(i - 1, ";") || is(i - 1, "{") || is(i - 1, "}") || is(i - 1, ")");
      (starts_statement && is(i + 1, "+=") ? added : spoiled).emplace(t_[i].text);
    }
    std::vector<std::string> sums;
    std::set_difference(added.begin(), added.end(), spoiled.begin(), spoiled.end(),
                        std::back_inserter(sums));
    return sums;
  }

  bool is_parallel(Range loop, const std::vector<std::string>& sums) const {
    const std::size_t open = next_of(loop.begin, "(");
    const std::size_t body = body_of(loop.begin);
    if (open + 1 >= body || body >= loop.end) return false;
    const std::span<const lex::Token> all(t_.data(), t_.size());
    return has_independent_iterations(
        {all.subspan(open + 1, body - open - 2), all.subspan(body, loop.end - body), sums});
  }

  lex::Tokens t_;
  std::vector<Range> places_;  ///< Of the loops that were found.
};

}  // namespace

std::vector<SourceLoop> find_loops(std::string_view source) { return LoopFinder(source).run(); }

std::string insert_lines(std::string_view source, std::vector<Insertion> insertions) {
  std::sort(insertions.begin(), insertions.end(),
            [](const Insertion& a, const Insertion& b) { return a.offset > b.offset; });
  std::string text(source);
  for (const Insertion& insertion : insertions) {
    const std::size_t newline = text.rfind('\n', insertion.offset);
    const std::size_t line_start = newline == std::string::npos ? 0 : newline + 1;
    std::string indent = text.substr(line_start, insertion.offset - line_start);
    // A pragma needs a line of its own, so a line break is added where code precedes the loop in
    // its line.
    const bool alone = indent.find_first_not_of(" \t") == std::string::npos;
    text.insert(insertion.offset,
                (alone ? "" : "\n") + insertion.line + "\n" + (alone ? indent : ""));
  }
  return text;
}

}  // namespace kw::propose
