// A small preprocessor for conditions, macros and includes; it reads no other file.
// SPDX-License-Identifier: Apache-2.0
#include "import/foreign_source.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/byte_order_mark.h"
#include "base/characters.h"
#include "base/text.h"
#include "import/condition.h"
#include "lex/directives.h"
#include "task/plan_text.h"

namespace kw::import {
namespace {

using lex::Token;

/// Least capacity of a string that holds tokens' text. A string above the size of the small-string
/// buffer keeps its bytes in place when it is moved, so that the tokens' views stay valid.
constexpr std::size_t kLeastRoom = 64;
/// The names of knobs in a source. Knobs are macros whose values the tuner alone decides.
std::set<std::string> knobs_of(std::string_view text) {
  std::set<std::string> names;
  for (const std::string_view line : split_lines(text)) {
    std::string_view rest = task::directive_of(line).value_or("");
    if (!rest.starts_with("tune ") && !rest.starts_with("let ")) continue;
    rest = trim(rest.substr(rest.find(' ')));
    names.emplace(rest.substr(0, rest.find_first_of(" =")));
  }
  return names;
}

class Reader {
 public:
  explicit Reader(std::string_view source) {
    source = without_byte_order_mark(source);
    for (std::size_t i = 0; i < source.size(); ++i)
      if (source[i] != '\r' || i + 1 >= source.size() || source[i + 1] != '\n')
        out_.text += source[i];
    out_.knobs = knobs_of(out_.text);
  }

  ForeignSource run() {
    const lex::Tokens all = lex::lex(out_.text);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (lex::begins_directive(all, i)) i = take(all, lex::read_directive(all, i));
    while (!groups_.empty()) close_group(size());
    blank();
    std::erase_if(out_.macro_history, [](const auto& one) { return one.second.size() < 2; });
    return std::move(out_);
  }

 private:
  /// An `#if` with those of its branches that were read so far.
  struct Group {
    bool is_unknown = false;  ///< The condition is undecided, so every branch stays.
    bool is_taken = false;    ///< One of the branches was taken.
    bool is_active = true;    ///< Whether the current branch is taken.
    std::size_t hidden_from = 0;
    std::vector<TextRange> gone;
    std::size_t begin = 0;
    std::string condition;
  };

  std::size_t size() const { return out_.text.size(); }
  bool is_active() const {
    return std::ranges::all_of(groups_, [](const Group& g) { return g.is_unknown || g.is_active; });
  }

  /// What stands in a line of the preprocessor behind its name, on one line without comments.
  static std::string argument_of(const lex::Tokens& all, const lex::Directive& directive) {
    std::string text;
    for (std::size_t i = directive.first; i < directive.last; ++i) {
      const bool is_before =
          directive.tokens.empty() || all[i].offset <= directive.tokens[0].offset;
      if (is_before) continue;
      const bool is_plain =
          !all[i].is_space() || (all[i].kind == Token::Kind::Blank && !all[i].text.contains('\\'));
      text += is_plain ? all[i].text : " ";
    }
    return std::string(trim(text));
  }

  /// Returns the index of the directive's last token.
  std::size_t take(const lex::Tokens& all, const lex::Directive& directive) {
    const auto line_begin = out_.text.rfind('\n', all[directive.first].offset);
    const std::size_t begin = line_begin == std::string::npos ? 0 : line_begin + 1;
    const bool is_last = directive.last >= all.size();
    const TextRange whole{begin, is_last ? size() : all[directive.last].end};
    const std::string_view word = directive.name();
    const std::string argument = argument_of(all, directive);
    if (directive.opens_group())
      open_group(word, argument, whole);
    else if (word == "elif" || word == "else")
      next_branch(word, argument, whole);
    else if (word == "endif")
      groups_.empty() ? void() : close_group(whole.begin, whole);
    else if (is_active())
      read_other(word, argument, whole);
    return directive.last - 1;
  }

  std::optional<bool> holds(std::string_view word, std::string_view argument) {
    if (word == "if" || word == "elif") {
      const auto value = value_of_condition(argument, out_.macros, out_.knobs);
      note_options(argument);
      return value ? std::optional(*value != 0) : std::nullopt;
    }
    const std::string name(argument.substr(0, argument.find_first_of(" \t(")));
    const auto known = is_defined_macro(name, out_.macros, out_.knobs);
    if (known && !*known && word == "ifdef") note(name);
    return known ? std::optional(*known == (word == "ifdef")) : std::nullopt;
  }

  void note(const std::string& name) {
    if (std::ranges::find(out_.options, name) == out_.options.end()) out_.options.push_back(name);
  }

  void note_options(std::string_view condition) {
    const auto tokens = lex::tokenize(condition);
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      if (tokens[i].is("defined") && (i == 0 || !tokens[i - 1].is("!"))) {
        const std::string name(
            tokens[i + (tokens[i + 1].is("(") && i + 2 < tokens.size() ? 2 : 1)].text);
        if (!is_defined_macro(name, out_.macros, out_.knobs).value_or(true)) note(name);
      }
  }

  void open_group(std::string_view word, std::string_view argument, TextRange line) {
    Group group;
    if (is_active()) {
      const auto known = holds(word, argument);
      group.is_unknown = !known;
      group.is_active = group.is_taken = known.value_or(true);
    } else {
      group.is_active = false;
      group.is_taken = true;
    }
    group.gone.push_back(line);
    group.hidden_from = line.end;
    group.begin = line.begin;
    group.condition = "#" + std::string(word) + " " + std::string(argument);
    groups_.push_back(std::move(group));
  }

  void next_branch(std::string_view word, std::string_view argument, TextRange line) {
    if (groups_.empty()) return;
    Group& group = groups_.back();
    if (!group.is_active) group.gone.push_back({group.hidden_from, line.begin});
    group.gone.push_back(line);
    group.hidden_from = line.end;
    if (group.is_unknown) return;
    if (group.is_taken || word == "else") {
      group.is_active = !group.is_taken;
      group.is_taken = true;
      return;
    }
    const auto known = holds(word, argument);
    group.is_unknown = !known;
    group.is_active = group.is_taken = known.value_or(true);
  }

  void close_group(std::size_t end, TextRange line = {}) {
    Group group = std::move(groups_.back());
    groups_.pop_back();
    if (!group.is_active) group.gone.push_back({group.hidden_from, end});
    if (line.end > line.begin) group.gone.push_back(line);
    if (group.is_unknown)
      out_.doubtful.push_back({{group.begin, std::max(end, line.end)}, std::move(group.condition)});
    else
      out_.gone.insert(out_.gone.end(), group.gone.begin(), group.gone.end());
  }

  void read_other(std::string_view word, std::string_view argument, TextRange line) {
    if (word == "define" || word == "undef") {
      std::size_t length = 0;
      while (length < argument.size() && is_name_char(argument[length])) ++length;
      out_.macro_lines.push_back({std::string(argument.substr(0, length)), line});
      if (word == "define") return define(argument, line.begin);
      const std::string name(argument.substr(0, length));
      if (out_.macros.erase(name) > 0) {
        Macro none;
        none.offset = line.begin;
        out_.macro_history[name].push_back(std::move(none));
      }
      return;
    }
    if (word != "include" || argument.size() < 2) return;
    const char close = argument[0] == '<' ? '>' : argument[0];
    const auto end = argument.find(close, 1);
    if (end == std::string_view::npos) return;
    out_.includes.push_back({std::string(argument.substr(1, end - 1)), line});
  }

  void define(std::string_view text, std::size_t offset) {
    std::size_t length = 0;
    while (length < text.size() && is_name_char(text[length])) ++length;
    if (length == 0) return;
    Macro macro{std::string(text.substr(0, length)), false, {}, {}, offset};
    text = text.substr(length);
    if (text.starts_with('(')) {
      const auto close = text.find(')');
      if (close == std::string_view::npos) return;
      macro.is_function = true;
      for (const std::string_view part : split(text.substr(1, close - 1), ','))
        if (!trim(part).empty())
          macro.parameters.emplace_back(trim(part) == "..." ? "__VA_ARGS__" : trim(part));
      text = text.substr(close + 1);
    }
    macro.body = trim(text);
    macro.is_doubtful =
        std::ranges::any_of(groups_, [](const Group& group) { return group.is_unknown; });
    out_.macro_history[macro.name].push_back(macro);
    out_.macros[macro.name] = std::move(macro);
  }

  void blank() {
    out_.code.reserve(kLeastRoom);
    out_.code = out_.text;
    std::ranges::sort(out_.gone, {}, &TextRange::begin);
    const auto clear = [&](const TextRange& range) {
      for (std::size_t i = range.begin; i < std::min(range.end, size()); ++i)
        if (out_.code[i] != '\n') out_.code[i] = ' ';
    };
    for (const TextRange& range : out_.gone) clear(range);
  }

  ForeignSource out_;
  std::vector<Group> groups_;
};

}  // namespace

ForeignSource read_foreign(std::string_view source) {
  ForeignSource out = Reader(source).run();
  out.tokens = lex::tokenize(out.code);
  // A doubtful range without tokens is dropped from the list: it matters only through macros, which
  // are recorded separately.
  std::erase_if(out.doubtful, [&](const DoubtfulText& doubt) {
    const auto first =
        std::ranges::lower_bound(out.tokens, doubt.range.begin, {}, &lex::Token::offset);
    return first == out.tokens.end() || first->offset >= doubt.range.end;
  });
  return out;
}

}  // namespace kw::import
