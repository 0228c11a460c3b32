// A small preprocessor for conditions, macros and includes; it reads no other file.
// SPDX-License-Identifier: Apache-2.0
#include "import/foreign_source.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/characters.h"
#include "base/text.h"
#include "import/condition.h"
#include "task/plan_text.h"

namespace kw::import {
namespace {

using task::CodeToken;

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
    if (source.starts_with("\xEF\xBB\xBF")) source.remove_prefix(3);
    for (std::size_t i = 0; i < source.size(); ++i)
      if (source[i] != '\r' || i + 1 >= source.size() || source[i + 1] != '\n')
        out_.text += source[i];
    out_.knobs = knobs_of(out_.text);
  }

  ForeignSource run() {
    while (at_ < size()) step();
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
  std::string_view rest() const { return std::string_view(out_.text).substr(at_); }

  bool is_active() const {
    return std::ranges::all_of(groups_, [](const Group& g) { return g.is_unknown || g.is_active; });
  }

  void step() {
    const char c = out_.text[at_];
    if (c == '\n') {
      is_line_start_ = true;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r') {
      ++at_;
    } else if (rest().starts_with("//")) {
      skip_line_comment();
    } else if (rest().starts_with("/*")) {
      const auto end = out_.text.find("*/", at_ + 2);
      at_ = end == std::string::npos ? size() : end + 2;
    } else if (c == '#' && is_line_start_) {
      read_directive();
    } else {
      is_line_start_ = false;
      skip_token(c);
    }
  }

  void skip_line_comment() {
    auto end = out_.text.find('\n', at_);
    while (end != std::string::npos && out_.text[end - 1] == '\\') {
      spliced_.push_back({at_, end});
      end = out_.text.find('\n', end + 1);
      if (end == std::string::npos) break;
      spliced_.back().end = end;
    }
    at_ = std::min(end, size());
  }

  void skip_token(char c) {
    if (is_name_char(c)) {
      std::size_t end = at_;
      while (end < size() && (is_name_char(out_.text[end]) ||
                              (out_.text[end] == '\'' && is_digit(c) && end + 1 < size() &&
                               is_name_char(out_.text[end + 1]))))
        ++end;
      const std::string_view word = std::string_view(out_.text).substr(at_, end - at_);
      at_ = end;
      if (end < size() && out_.text[end] == '"' && is_active() &&
          (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R"))
        skip_raw();
    } else if (c == '"' || c == '\'') {
      std::size_t end = at_ + 1;
      while (end < size() && out_.text[end] != c && out_.text[end] != '\n')
        end += out_.text[end] == '\\' ? 2 : 1;
      at_ = std::min(end < size() && out_.text[end] == c ? end + 1 : end, size());
    } else {
      ++at_;
    }
  }

  void skip_raw() {
    const auto open = out_.text.find('(', at_);
    if (open == std::string::npos || open - at_ > 17) return void(++at_);
    const std::string closing = ")" + out_.text.substr(at_ + 1, open - at_ - 1) + "\"";
    const auto end = out_.text.find(closing, open);
    at_ = end == std::string::npos ? size() : end + closing.size();
  }

  /// Reads the directive at the current position, without comments and with continued lines joined,
  /// and moves to the line after it.
  std::string logical_line() {
    std::string line;
    while (at_ < size() && out_.text[at_] != '\n') {
      if (rest().starts_with("\\\n")) {
        at_ += 2;
        line += ' ';
      } else if (rest().starts_with("//")) {
        skip_line_comment();
      } else if (rest().starts_with("/*")) {
        const auto end = out_.text.find("*/", at_ + 2);
        at_ = end == std::string::npos ? size() : end + 2;
        line += ' ';
      } else {
        line += out_.text[at_++];
      }
    }
    return line;
  }

  void read_directive() {
    const auto line_begin = out_.text.rfind('\n', at_);
    const std::size_t begin = line_begin == std::string::npos ? 0 : line_begin + 1;
    const std::string line = logical_line();
    const TextRange whole{begin, std::min(at_ + 1, size())};
    std::string_view words = trim(std::string_view(line).substr(1));
    std::size_t length = 0;
    while (length < words.size() && is_name_char(words[length])) ++length;
    const std::string_view word = words.substr(0, length);
    const std::string_view argument = trim(words.substr(length));
    if (word == "if" || word == "ifdef" || word == "ifndef")
      open_group(word, argument, whole);
    else if (word == "elif" || word == "else")
      next_branch(word, argument, whole);
    else if (word == "endif")
      groups_.empty() ? void() : close_group(whole.begin, whole);
    else if (is_active())
      read_other(word, argument, whole);
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
    const auto tokens = task::tokenize(condition);
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
    for (const TextRange& range : spliced_) clear(range);
  }

  ForeignSource out_;
  std::vector<Group> groups_;
  std::vector<TextRange> spliced_;  ///< Comments that begin with // and go on in the next line.
  std::size_t at_ = 0;
  bool is_line_start_ = true;
};

}  // namespace

ForeignSource read_foreign(std::string_view source) {
  ForeignSource out = Reader(source).run();
  out.tokens = task::tokenize(out.code);
  // A doubtful range without tokens is dropped from the list: it matters only through macros, which
  // are recorded separately.
  std::erase_if(out.doubtful, [&](const DoubtfulText& doubt) {
    const auto first =
        std::ranges::lower_bound(out.tokens, doubt.range.begin, {}, &task::CodeToken::offset);
    return first == out.tokens.end() || first->offset >= doubt.range.end;
  });
  return out;
}

}  // namespace kw::import
