// Turns a function's statements into sentences.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/text.h"
#include "task/c/assignment.h"
#include "task/c/nest.h"
#include "task/draft_reference.h"

namespace kw::task {
namespace {

using Tokens = std::vector<lex::Token>;

constexpr std::size_t kMostStatements = 24;
constexpr std::size_t kStatementBytes = 240;
constexpr std::size_t kCommentBytes = 4 << 10;
constexpr std::size_t kSummaryBytes = 120;
constexpr std::size_t kResultBytes = 200;  // a summary that tells the outputs' statements

/// A loop or condition with what it holds, or a plain statement.
struct Told {
  std::string words;  ///< "each `i` from `0` below `n`", or the statement in backticks.
  bool is_plain = false;
  std::vector<Told> inside;
  std::string target = {};  ///< The array or local that a plain statement assigns.
  bool is_accumulated = false;
};

/// Turns the tree of statements into words.
class Teller {
 public:
  Teller(const Tokens& tokens, const CFunction& function) : tokens_(tokens), function_(function) {}

  std::vector<Told> tell(const std::vector<NestItem>& items) {
    std::vector<Told> told;
    for (const NestItem& item : items) {
      if (item.kind == NestItem::Kind::Jump) {
        jumps_.insert(std::string(tokens_[item.begin].text));
      } else if (item.kind == NestItem::Kind::Plain) {
        if (!is_bare_declaration(item)) told.push_back(plain(item));
      } else {
        told.push_back(around(item));
        if (told.back().inside.empty()) told.pop_back();
      }
    }
    return told;
  }
  /// Keywords of jumps, whose way is not told.
  const std::set<std::string, std::less<>>& jumps() const { return jumps_; }
  /// A real number of the code that no float holds, without suffix; empty: there is none.
  const std::string& rounded_number() const { return rounded_number_; }

 private:
  bool at(std::size_t i, std::string_view text) const {
    return i < function_.close && tokens_[i].is(text);
  }

  Told around(const NestItem& item) {
    std::string words, variable;
    if (item.kind == NestItem::Kind::If) {
      words = "where " + code(item.head, item.head_end);
    } else if (item.kind == NestItem::Kind::Else) {
      words = "otherwise";
    } else if (at(item.begin, "while")) {
      words = "while " + code(item.head, item.head_end);
    } else {
      std::tie(words, variable) = counting(item.head, item.head_end);
    }
    loops_.push_back(variable);
    Told told{words, false, tell(item.inside)};
    loops_.pop_back();
    return told;
  }

  /// `int i = a; i < b; ++i` in words, and its variable; another head as it is written.
  std::pair<std::string, std::string> counting(std::size_t begin, std::size_t end) {
    const auto semicolon = [&](std::size_t from) {
      while (from < end && !at(from, ";")) ++from;
      return from;
    };
    const std::size_t first = semicolon(begin), second = semicolon(first + 1);
    const std::pair<std::string, std::string> plain{"in the loop " + code(begin, end), ""};
    std::size_t equals = begin;
    while (equals < first && !at(equals, "=")) ++equals;
    if (second >= end || equals == begin || equals == first || !at(first + 1, variable(equals)))
      return plain;
    const auto& compare = tokens_[first + 2].text;
    const std::string name = variable(equals);
    const auto bound = code(first + 3, second);
    const auto start = code(equals + 1, first);
    const auto step = step_of(second + 1, end, name);
    if (!step) return plain;
    const bool is_up = !step->starts_with('-');
    std::string words = fmt::format("each `{}` from {} ", name, start);
    if (is_up && compare == "<")
      words += "below " + bound;
    else if (is_up && compare == "<=")
      words += "up to " + bound;
    else if (!is_up && compare == ">=")
      words += "down to " + bound;
    else if (!is_up && compare == ">")
      words += "down to above " + bound;
    else
      return plain;
    if (*step != "1" && *step != "-1")
      words += fmt::format(" in steps of `{}`", is_up ? *step : step->substr(1));
    return {words, name};
  }

  std::string variable(std::size_t equals) const { return std::string(tokens_[equals - 1].text); }

  /// The expression that a loop adds to its variable, negated if the loop subtracts; nothing if the
  /// step has another form.
  std::optional<std::string> step_of(std::size_t begin, std::size_t end,
                                     std::string_view name) const {
    if (end < begin + 2) return std::nullopt;
    const auto is_name = [&](std::size_t i) { return i < end && at(i, name); };
    const std::size_t op = is_name(begin) ? begin + 1 : begin;
    if (!is_name(begin) && !is_name(begin + 1)) return std::nullopt;
    if (end == begin + 2 && at(op, "++")) return "1";
    if (end == begin + 2 && at(op, "--")) return "-1";
    if (is_name(begin) && at(op, "+=")) return lex::source_text(tokens_, op + 1, end);
    if (is_name(begin) && at(op, "-=")) return "-" + lex::source_text(tokens_, op + 1, end);
    return std::nullopt;
  }

  static std::string quoted(const std::string& text) {
    const std::string line = sanitise_line(text, kStatementBytes);
    // C code has a backtick only inside a literal; such a line cannot be put between backticks.
    return line.find('`') == std::string::npos ? "`" + line + "`" : line;
  }

  /// Code as the truth computes it, without suffixes of float numbers.
  std::string code(std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t i = begin; i < end && i < tokens_.size(); ++i) {
      if (i > begin && tokens_[i].offset > tokens_[i - 1].end) text += ' ';
      const std::string_view number = real_number(tokens_[i]);
      text += number.empty() ? tokens_[i].text : number;
      if (const double value = parsed(number);
          rounded_number_.empty() && static_cast<double>(static_cast<float>(value)) != value)
        rounded_number_ = number;
    }
    return quoted(text);
  }

  static double parsed(std::string_view number) {
    double value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    return value;
  }

  /// Whether the statement only declares names, as `int i, j;` does.
  bool is_bare_declaration(const NestItem& item) const {
    for (std::size_t i = item.begin; i < item.end; ++i)
      if (tokens_[i].kind != lex::Token::Kind::Word && !at(i, ",")) return false;
    return true;
  }

  Told plain(const NestItem& item) {
    Told told{code(item.begin, item.end), true, {}};
    const auto assigned = read_assignment(tokens_, item.begin, item.end);
    if (!assigned) return told;
    told.target = assigned->target;
    if (assigned->is_declared) declared_[assigned->target] = loops_;
    if (!assigned->reads_target) return told;
    std::vector<std::string> over;
    for (const std::string& variable : accumulated(*assigned)) over.push_back("`" + variable + "`");
    told.is_accumulated = !over.empty();
    if (told.is_accumulated) told.words += ", accumulated over " + join(over, " and ");
    return told;
  }

  /// The loops over which a statement accumulates: those whose variables do not select the changed
  /// element or local. Nothing if a subscript uses another local, whose value may depend on a loop
  /// variable.
  std::vector<std::string> accumulated(const Assignment& assigned) const {
    const auto known = declared_.find(assigned.target);
    std::set<std::string, std::less<>> chosen;
    for (std::size_t i = assigned.name + 1; i < assigned.op; ++i) {
      if (tokens_[i].kind != lex::Token::Kind::Word) continue;
      const std::string word(tokens_[i].text);
      if (!contains(loops_, word) && function_.find(word) == nullptr) return {};
      chosen.insert(word);
    }
    std::vector<std::string> over;
    for (const std::string& variable : loops_)
      if (!variable.empty() && !chosen.contains(variable) &&
          (known == declared_.end() || !contains(known->second, variable)))
        over.push_back(variable);
    return over;
  }

  const Tokens& tokens_;
  const CFunction& function_;
  std::vector<std::string> loops_;  ///< Variables of the loops and conditions around; may be "".
  std::map<std::string, std::vector<std::string>> declared_;  ///< Locals, with the loops around.
  std::set<std::string, std::less<>> jumps_;
  std::string rounded_number_;
};

std::string without_marks(std::string_view line) {
  line = trim(line);
  for (const std::string_view mark : {"///", "//!", "//", "/**", "/*!", "/*"})
    if (line.starts_with(mark)) {
      line.remove_prefix(mark.size());
      break;
    }
  if (line.ends_with("*/")) line.remove_suffix(2);
  line = trim(line);
  while (line.starts_with('*') || line.starts_with('#')) line = trim(line.substr(1));
  return std::string(line);
}

/// The comment that ends on the line above `begin`, without comment marks; empty if there is none.
std::string comment_above(std::string_view source, std::size_t begin) {
  std::string_view above = source.substr(0, begin);
  const std::size_t last = above.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return {};
  // An empty line between the comment and the function means that the comment is about something
  // else.
  if (std::ranges::count(above.substr(last), '\n') > 1) return {};
  above = above.substr(0, last + 1);
  std::string_view comment;
  if (above.ends_with("*/")) {
    const std::size_t open = above.rfind("/*");
    if (open == std::string_view::npos) return {};
    comment = above.substr(open);
  } else {
    std::size_t from = above.size();
    while (from > 0) {
      const std::size_t line = above.rfind('\n', from - 1);
      const std::size_t start = line == std::string_view::npos ? 0 : line + 1;
      if (!trim(above.substr(start, from - start)).starts_with("//")) break;
      from = start;
      comment = above.substr(from);
      if (from > 0) --from;  // to the end of the line before
    }
  }
  for (const char* notice : {"SPDX", "Copyright", "copyright", "Licen", "licen"})
    if (comment.find(notice) != std::string_view::npos) return {};
  std::string text;
  for (const std::string_view line : split_lines(comment)) text += without_marks(line) + "\n";
  return std::string(trim(sanitise(text, kCommentBytes)));
}

std::string shape_text(const ToldTensor& tensor) {
  return fmt::format("`{}` (`[{}]`)", tensor.name, join(tensor.shape, ", "));
}

std::string tensors_text(std::span<const ToldTensor> tensors) {
  std::vector<std::string> read, written, both, kept;
  for (const ToldTensor& tensor : tensors)
    (tensor.role == TensorRole::In    ? read
     : tensor.role == TensorRole::Out ? written
     : tensor.is_read                 ? both
                                      : kept)
        .push_back(shape_text(tensor));
  std::vector<std::string> parts;
  if (!read.empty()) parts.push_back("reads " + join(read, ", "));
  if (!written.empty()) parts.push_back("writes every element of " + join(written, ", "));
  if (!both.empty()) parts.push_back("reads and writes " + join(both, ", "));
  if (!kept.empty())
    parts.push_back("writes to " + join(kept, ", ") +
                    ", where elements that no statement writes keep what they held");
  return "The function " + join(parts, "; it ") + ".";
}

/// What a scalar factor of 0 means, where an output is also read: whether its product may be left
/// out.
std::string factors_text(const CFunction& function, std::span<const ToldTensor> tensors) {
  const bool has_factor = std::ranges::any_of(
      function.parameters, [](const CParameter& p) { return !p.is_pointer && is_real(p.dtype); });
  const bool has_both = std::ranges::any_of(tensors, [](const ToldTensor& tensor) {
    return tensor.role == TensorRole::InOut && tensor.is_read;
  });
  return has_factor && has_both ? " All inputs are finite, so that what is multiplied by a scalar "
                                  "of 0 need not be read."
                                : "";
}

std::size_t count_plain(const std::vector<Told>& items) {
  std::size_t count = 0;
  for (const Told& item : items) count += item.is_plain ? 1 : count_plain(item.inside);
  return count;
}

/// A list whose items are indented below the loop or condition that they stand in. What holds one
/// thing alone stands on one line with it. At most `left` plain statements are told.
std::string list_text(const std::vector<Told>& items, std::size_t indent, std::size_t& left) {
  std::string text;
  for (const Told& item : items) {
    if (left == 0) break;
    const Told* last = &item;
    std::string words = item.words;
    while (last->inside.size() == 1 && !last->inside.front().is_plain) {
      last = &last->inside.front();
      words += ", " + last->words;
    }
    if (words.starts_with("each ")) words = "for " + words;
    text += std::string(indent, ' ') + "- " + words;
    if (last->is_plain) {
      --left;
      text += "\n";
    } else if (last->inside.size() == 1) {
      --left;
      text += ": " + last->inside.front().words + "\n";
    } else {
      text += ":\n" + list_text(last->inside, indent + 2, left);
    }
  }
  return text;
}

/// The statements of a function and the jumps among them, whose way is not told.
struct Statements {
  std::vector<Told> told;
  std::vector<std::string> jumps;  ///< Keywords in backticks.
  std::string rounded_number;      ///< As Teller::rounded_number().
};

Statements statements_of(const Tokens& tokens, const CFunction& function) {
  Teller teller(tokens, function);
  Statements statements{teller.tell(nest_of(tokens, function)), {}, {}};
  statements.rounded_number = teller.rounded_number();
  for (const std::string& jump : teller.jumps()) statements.jumps.push_back("`" + jump + "`");
  return statements;
}

std::string statements_text(const Statements& statements) {
  std::size_t left = kMostStatements;
  std::string text = "Its statements, in order:\n\n" + list_text(statements.told, 0, left);
  if (const std::size_t count = count_plain(statements.told); count > kMostStatements)
    text += fmt::format("\n{} more follow; the reference has them all.\n", count - kMostStatements);
  if (statements.jumps.empty()) return text;
  return text + fmt::format("\nThe reference alone shows where it takes another way ({}).\n",
                            join(statements.jumps, ", "));
}

/// Appends the plain statements; false if some are under a condition.
bool collect_plain(const std::vector<Told>& items, std::vector<std::string>& statements) {
  for (const Told& item : items) {
    if (item.is_plain) {
      statements.push_back(item.words);
      std::erase(statements.back(), '`');
    } else if (!item.words.starts_with("each ") || !collect_plain(item.inside, statements)) {
      return false;
    }
  }
  return true;
}

/// All statements in one line; empty where the line would be long or leave conditions or jumps out.
std::string short_code(const Statements& statements) {
  std::vector<std::string> plain;
  if (!statements.jumps.empty() || !collect_plain(statements.told, plain)) return {};
  const std::string line = join(plain, "; ");
  return line.size() <= kSummaryBytes ? line : std::string();
}

/// Appends the statements that assign an output, each behind the conditions that it stands under,
/// and to `sums` those that accumulate something else.
void collect_results(const std::vector<Told>& items, const std::vector<std::string>& outputs,
                     const std::string& conditions, std::vector<std::string>& results,
                     std::vector<std::string>& sums) {
  for (const Told& item : items) {
    if (!item.is_plain) {
      const bool is_counting = item.words.starts_with("each ");
      collect_results(item.inside, outputs,
                      is_counting ? conditions : conditions + item.words + ": ", results, sums);
    } else if (contains(outputs, item.target)) {
      results.push_back(conditions + item.words);
    } else if (item.is_accumulated) {
      sums.push_back(conditions + item.words);
    }
  }
}

/// What the outputs are assigned, with the sums before it where the line has room for both; empty
/// where it would be long or jumps decide.
std::string result_code(const Statements& statements, const std::vector<std::string>& outputs) {
  std::vector<std::string> results, sums;
  collect_results(statements.told, outputs, "", results, sums);
  if (results.empty() || !statements.jumps.empty()) return {};
  std::string line = join(results, "; ");
  const std::string whole = line + (sums.empty() ? "" : " with " + join(sums, "; "));
  if (whole.size() <= kResultBytes) line = whole;
  std::erase(line, '`');
  return line.size() <= kResultBytes ? line : std::string();
}

std::vector<std::string> names_of(std::span<const ToldTensor> tensors, bool is_output) {
  std::vector<std::string> names;
  for (const ToldTensor& tensor : tensors)
    if (is_output ? tensor.role != TensorRole::In : tensor.role == TensorRole::In || tensor.is_read)
      names.push_back(tensor.name);
  return names;
}

/// The first sentence of the function's comment if it is short enough, or else the statements if
/// they are, or else what the outputs are assigned if that is, or else which outputs are computed
/// from which inputs.
std::string summary_of(const std::string& comment, const Statements& statements,
                       std::span<const ToldTensor> tensors) {
  std::string_view first = comment;
  first = trim(first.substr(0, first.find("\n\n")));
  for (const std::string_view end : {". ", ".\n"}) first = first.substr(0, first.find(end));
  std::string line = sanitise_line(first, 4 * kSummaryBytes);
  for (std::size_t at = line.find("\\n"); at != std::string::npos; at = line.find("\\n"))
    line.replace(at, 2, " ");
  if (line.ends_with('.')) line.pop_back();
  if (!line.empty() && line.size() <= kSummaryBytes) return line;
  if (std::string code = short_code(statements); !code.empty()) return code;
  const std::vector<std::string> outputs = names_of(tensors, true);
  if (std::string code = result_code(statements, outputs); !code.empty()) return code;
  const std::string made = join(outputs, ", ");
  const auto from = names_of(tensors, false);
  return from.empty() ? "computes " + made
                      : fmt::format("computes {} from {}", made, join(from, ", "));
}

}  // namespace

DraftedWords describe_function(std::string_view source, const std::vector<lex::Token>& tokens,
                               const CFunction& function, std::span<const ToldTensor> tensors) {
  const std::string comment = comment_above(source, tokens[function.begin].offset);
  std::string details = comment.empty() ? "" : comment + "\n\n";
  const Statements statements = statements_of(tokens, function);
  details += tensors_text(tensors) + factors_text(function, tensors) + "\n\n";
  details += statements_text(statements);
  if (!statements.rounded_number.empty())
    details += fmt::format(
        "\nNumbers stand as the truth has them, in double; a kernel may round them to the type of "
        "the "
        "tensors, as the reference does there: `{0}f` for `{0}`.\n",
        statements.rounded_number);
  return {summary_of(comment, statements, tensors), std::string(trim(details))};
}

}  // namespace kw::task
