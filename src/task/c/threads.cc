// Replaces bytes by blanks, so that places in the source stay what they are.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "lex/directives.h"

namespace kw::task {
namespace {

using Tokens = std::vector<lex::Token>;

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
constexpr std::size_t kLongestMacroUse = 256;  // tokens between the parentheses of a macro

bool is_text_at(const Tokens& tokens, std::size_t i, std::string_view text) {
  return i < tokens.size() && tokens[i].is(text);
}

bool is_pragma_operator(const Tokens& tokens, std::size_t i) {
  return (is_text_at(tokens, i, "_Pragma") || is_text_at(tokens, i, "__pragma")) &&
         is_text_at(tokens, i + 1, "(");
}

/// The parenthesis that closes the one at `open`; kNowhere where it is far away.
std::size_t close_of(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  const std::size_t end = std::min(tokens.size(), open + kLongestMacroUse);
  for (std::size_t i = open; i < end; ++i) {
    if (tokens[i].is("(")) ++depth;
    if (tokens[i].is(")") && --depth == 0) return i;
  }
  return kNowhere;
}

/// Whether the words of a pragma are about threads or vectors of a processor.
bool is_about_threads(std::string_view words) {
  const lex::Tokens spelled = lex::tokenize(words);
  const Tokens& tokens = spelled;
  const auto is = [&](std::size_t i, std::string_view word) { return is_text_at(tokens, i, word); };
  return is(0, "omp") || is(0, "simd") || is(0, "ivdep") || is(0, "vector") ||
         (is(0, "GCC") && is(1, "ivdep")) || (is(0, "clang") && is(1, "loop"));
}

/// A group of lines from an `#if` to its `#endif`, as places among the directives.
struct LineGroup {
  std::size_t open = 0;
  std::size_t other = kNowhere;  ///< The `#else`.
  std::size_t end = kNowhere;
  bool has_more = false;  ///< An `#elif` or a second `#else`.
};

std::vector<LineGroup> groups_of(const std::vector<lex::Directive>& directives) {
  std::vector<LineGroup> groups;
  std::vector<std::size_t> around;
  for (std::size_t i = 0; i < directives.size(); ++i) {
    const std::string_view name = directives[i].name();
    if (directives[i].opens_group()) {
      around.push_back(groups.size());
      groups.push_back({i});
    }
    if (around.empty()) continue;
    LineGroup& group = groups[around.back()];
    if (name.starts_with("elif")) group.has_more = true;
    if (name == "else") group.has_more = std::exchange(group.other, i) != kNowhere;
    if (name != "endif") continue;
    group.end = i;
    around.pop_back();
  }
  return groups;
}

/// Whether the branch behind an `#if` is the one of compilers with OpenMP; nothing where the line
/// asks for something else.
std::optional<bool> is_for_openmp(const lex::Directive& directive) {
  const std::string_view name = directive.name();
  if (name != "if")
    return directive.word() == "_OPENMP" ? std::optional(name == "ifdef") : std::nullopt;
  const std::string condition = directive.text();
  for (const char* const text :
       {"defined(_OPENMP)", "defined (_OPENMP)", "defined _OPENMP", "_OPENMP", "(_OPENMP)"})
    if (condition == text) return true;
  for (const char* const text : {"!defined(_OPENMP)", "!defined (_OPENMP)", "!defined _OPENMP",
                                 "! defined(_OPENMP)", "!_OPENMP"})
    if (condition == text) return false;
  return std::nullopt;
}

/// Collects what becomes blank.
class Blanker {
 public:
  explicit Blanker(std::string_view source) : text_(source), all_(lex::lex(source)) {}

  /// Leaves one branch of what depends on OpenMP alone.
  void resolve(bool has_openmp) {
    const auto directives = lex::directives_of(all_);
    for (const LineGroup& group : groups_of(directives)) {
      const auto first = is_for_openmp(directives[group.open]);
      if (!first || group.has_more || group.end == kNowhere) continue;
      const bool has_other = group.other != kNowhere;
      const auto begin = [&](std::size_t i) { return all_[directives[i].first].offset; };
      const auto end = [&](std::size_t i) { return all_[directives[i].last - 1].end; };
      if (*first == has_openmp) {
        blank(begin(group.open), end(group.open));
        blank(begin(has_other ? group.other : group.end), end(group.end));
      } else {
        blank(begin(group.open), end(has_other ? group.other : group.end));
        blank(begin(group.end), end(group.end));
      }
    }
  }

  void drop_pragmas() {
    static constexpr auto kKept =
        std::to_array<std::string_view>({"STDC", "pack", "once", "push_macro", "pop_macro"});
    for (const lex::Directive& directive : lex::directives_of(all_))
      if (directive.name() == "pragma" && !contains(kKept, directive.word()))
        blank(all_[directive.first].offset, all_[directive.last - 1].end);
    const auto macros = macros_of_pragmas();
    Tokens tokens;
    for (const lex::Token& token : all_)
      if (!token.is_space()) tokens.push_back(token);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool is_use = !tokens[i].in_directive && macros.contains(tokens[i].text);
      if (!is_use && !is_pragma_operator(tokens, i)) continue;
      const std::size_t close = is_text_at(tokens, i + 1, "(") && !is_object(tokens[i].text)
                                    ? close_of(tokens, i + 1)
                                    : i;
      if (close == kNowhere) continue;
      blank(tokens[i].offset, tokens[close].end);
      i = close;
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void blank(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (text_[i] != '\n' && text_[i] != '\r') text_[i] = ' ';
  }

  /// Names of macros that stand for pragmas and nothing else.
  std::set<std::string_view> macros_of_pragmas() {
    std::set<std::string_view> names;
    for (const lex::Directive& directive : lex::directives_of(all_)) {
      if (directive.name() != "define" || directive.word().empty()) continue;
      const Tokens& parts = directive.tokens;
      const bool takes_arguments = is_text_at(parts, 2, "(") && parts[2].offset == parts[1].end;
      std::size_t i = takes_arguments ? close_of(parts, 2) : 1;
      if (i == kNowhere) continue;
      const std::size_t first = ++i;
      while (i < parts.size() && is_pragma_operator(parts, i)) {
        const std::size_t close = close_of(parts, i + 1);
        if (close == kNowhere) break;
        i = close + 1;
      }
      if (i != parts.size() || i == first) continue;
      names.insert(directive.word());
      if (!takes_arguments) objects_.insert(directive.word());
    }
    return names;
  }
  bool is_object(std::string_view name) const { return objects_.contains(name); }

  std::string text_;
  const lex::Tokens all_;
  std::set<std::string_view> objects_;  ///< Of the macros of pragmas those without arguments.
};

}  // namespace

std::string without_threads(std::string_view source) {
  Blanker blanker(source);
  blanker.resolve(false);
  blanker.drop_pragmas();
  return blanker.take();
}

std::string with_threads(std::string_view source) {
  Blanker blanker(source);
  blanker.resolve(true);
  return blanker.take();
}

bool has_thread_pragmas(std::string_view source) {
  const lex::Tokens all = lex::lex(source);
  for (const lex::Directive& directive : lex::directives_of(all))
    if (directive.name() == "pragma" && is_about_threads(directive.text())) return true;
  const lex::Tokens significant = lex::significant(source);
  const Tokens& tokens = significant;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    // `PARALLEL(omp for)`, where PARALLEL makes a pragma of its argument.
    if (tokens[i].is("omp") && !tokens[i].in_directive) return true;
    const bool is_literal = is_pragma_operator(tokens, i) && i + 2 < tokens.size() &&
                            tokens[i + 2].kind == lex::Token::Kind::Text;
    if (is_literal && is_about_threads(lex::value_of_literal(tokens[i + 2]))) return true;
  }
  return false;
}

Result<> refuse_openmp_calls(std::string_view source, std::string_view file, const Tokens& tokens,
                             const CFunction& function) {
  const auto all = find_functions(tokens);
  const auto is_own = [&](std::string_view name) {
    return std::ranges::find(all, name, &CFunction::name) != all.end();
  };
  std::vector<CFunction> used = helpers_of(tokens, function);
  used.insert(used.begin(), function);
  for (const CFunction& code : used)
    for (std::size_t i = code.begin; i < code.close; ++i) {
      const std::string_view word = tokens[i].text;
      if (tokens[i].kind != lex::Token::Kind::Word || !word.starts_with("omp_")) continue;
      if ((!is_text_at(tokens, i + 1, "(") && !word.ends_with("_t")) || is_own(word)) continue;
      const Position place = position_of(source, tokens[i].offset);
      return fail(ErrorCode::Unsupported, About{sanitise(word, 60)},
                  fmt::format("'{}' asks OpenMP for its threads, and the truth of a task is what "
                              "one thread computes: draft from loops that any number of threads "
                              "may share, with pragmas alone, or put such lines between `#ifdef "
                              "_OPENMP` and `#endif`",
                              sanitise(word, 60)),
                  fmt::format("{}:{}:{}", file, place.line, place.column), Advice::Stop);
    }
  return {};
}

}  // namespace kw::task
