// Describes a C function in sentences, by walking over its statements.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/text.h"

namespace kw::task {
namespace {

using Tokens = std::vector<CodeToken>;

constexpr std::size_t kMostStatements = 24;
constexpr std::size_t kStatementBytes = 240;
constexpr std::size_t kCommentBytes = 4 << 10;
constexpr std::size_t kSummaryBytes = 120;
constexpr int kMostNesting = 32;

/// One loop or condition that encloses a statement.
struct Around {
  std::string words;
  std::string variable;  ///< The variable of a counting loop; empty: the loop has none.
};

/// A described statement other than a loop, branch or jump.
struct Told {
  std::vector<Around> around;
  std::string code;
  std::string target;  ///< The name that the statement assigns to; empty: none.
  std::vector<std::string>
      accumulates;  ///< The loop variables over which the statement accumulates.
};

class StatementWalk {
 public:
  StatementWalk(const Tokens& tokens, const CFunction& function)
      : tokens_(tokens), function_(function) {}

  void run() {
    for (std::size_t i = function_.open + 1; i < function_.close;) i = statement(i, 0);
  }
  const std::vector<Told>& statements() const { return told_; }
  /// Keywords of jumps that occurred in the function and that the walk did not follow.
  const std::set<std::string, std::less<>>& jumps() const { return jumps_; }

 private:
  bool at(std::size_t i, std::string_view text) const {
    return i < function_.close && tokens_[i].is(text);
  }

  std::size_t closing(std::size_t open) const {
    return std::min(find_closing(tokens_, open), function_.close);
  }

  /// Describes the statement that begins at token `i`. Returns the token after the statement, which
  /// is greater than `i`.
  std::size_t statement(std::size_t i, int nesting) {
    if (nesting > kMostNesting) return function_.close;
    if (at(i, ";")) return i + 1;
    if (at(i, "{")) {
      const std::size_t close = closing(i);
      for (std::size_t k = i + 1; k < close;) k = statement(k, nesting + 1);
      return close + 1;
    }
    if ((at(i, "for") || at(i, "while")) && at(i + 1, "(")) {
      const std::size_t close = closing(i + 1);
      return inside(at(i, "for") ? counting(i + 2, close) : condition("while", i + 2, close),
                    close + 1, nesting);
    }
    if (at(i, "if") && at(i + 1, "(")) return branch(i, nesting);
    for (const char* jump : {"do", "switch", "goto", "break", "continue", "return", "try"}) {
      if (!at(i, jump)) continue;
      jumps_.insert(jump);
      return end_of_plain(i);
    }
    const std::size_t end = end_of_plain(i);
    tell(i, end > i && at(end - 1, ";") ? end - 1 : end);
    return end;
  }

  std::size_t inside(Around around, std::size_t body, int nesting) {
    around_.push_back(std::move(around));
    const std::size_t end = body < function_.close ? statement(body, nesting + 1) : body;
    around_.pop_back();
    return std::max(end, body);
  }

  std::size_t branch(std::size_t i, int nesting) {
    const std::size_t close = closing(i + 1);
    std::size_t end = inside(condition("where", i + 2, close), close + 1, nesting);
    if (at(end, "else")) end = inside(condition("where not", i + 2, close), end + 1, nesting);
    return end;
  }

  Around condition(const char* word, std::size_t begin, std::size_t end) const {
    return {fmt::format("{} {}", word, code(begin, end)), ""};
  }

  /// The head of a counting loop, `int i = a; i < b; ++i`, as a phrase; any other head as quoted
  /// code.
  Around counting(std::size_t begin, std::size_t end) const {
    const auto semicolon = [&](std::size_t from) {
      while (from < end && !at(from, ";")) ++from;
      return from;
    };
    const std::size_t first = semicolon(begin), second = semicolon(first + 1);
    const Around plain{fmt::format("in the loop {}", quoted(source_text(begin, end))), ""};
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
    if (is_name(begin) && at(op, "+=")) return source_text(op + 1, end);
    if (is_name(begin) && at(op, "-=")) return "-" + source_text(op + 1, end);
    return std::nullopt;
  }

  std::size_t end_of_plain(std::size_t i) const {
    while (i < function_.close && !at(i, ";")) {
      const bool is_open = at(i, "(") || at(i, "[") || at(i, "{");
      const bool ends = at(i, "{");
      i = (is_open ? closing(i) : i) + 1;
      // A brace that opens a body, as after `do` or `switch`, ends the statement; what follows the
      // body is described as usual.
      if (ends && !at(i, ";") && !at(i, ",") && !at(i, "while"))
        return std::min(i, function_.close);
    }
    return std::min(i + 1, function_.close);
  }

  /// The source between two tokens, on one line and without comments.
  std::string source_text(std::size_t begin, std::size_t end) const {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) {
        const std::size_t before = tokens_[i - 1].offset + tokens_[i - 1].text.size();
        if (tokens_[i].offset > before) text += ' ';
      }
      text += tokens_[i].text;
    }
    return text;
  }

  static std::string quoted(const std::string& text) {
    const std::string line = sanitise_line(text, kStatementBytes);
    // C code has a backtick only inside a literal; such a line cannot be put between backticks.
    return line.find('`') == std::string::npos ? "`" + line + "`" : line;
  }

  std::string code(std::size_t begin, std::size_t end) const {
    return quoted(source_text(begin, end));
  }

  void tell(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    Told told{around_, code(begin, end), "", {}};
    const std::size_t op = assignment(begin, end);
    if (op > begin && op < end) {
      std::size_t name = op - 1;
      while (name > begin && at(name, "]")) name = opening(name) - 1;
      if (tokens_[name].kind == CodeToken::Kind::Word) {
        told.target = tokens_[name].text;
        const bool is_declared = name > begin && tokens_[name - 1].kind == CodeToken::Kind::Word;
        if (is_declared && name + 1 == op) declared_[told.target] = loops();
        if (!at(op, "=") || mentions(told.target, op + 1, end))
          told.accumulates = accumulated(told.target, name, op);
      }
    } else if (end > begin + 1 && tokens_[end - 1].kind == CodeToken::Kind::Word &&
               tokens_[end - 2].kind == CodeToken::Kind::Word) {
      declared_[std::string(tokens_[end - 1].text)] = loops();  // `float sum;`
    }
    told_.push_back(std::move(told));
  }

  std::size_t opening(std::size_t close) const {
    std::size_t depth = 0;
    for (std::size_t i = close; i > function_.open; --i) {
      if (at(i, "]") || at(i, ")")) ++depth;
      if ((at(i, "[") || at(i, "(")) && --depth == 0) return i;
    }
    return close;
  }

  /// The token of the assignment operator outside brackets; `end` if the statement has none.
  std::size_t assignment(std::size_t begin, std::size_t end) const {
    static constexpr auto kOperators = std::to_array<std::string_view>(
        {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="});
    for (std::size_t i = begin; i < end; ++i) {
      if (at(i, "(") || at(i, "[") || at(i, "{")) i = closing(i);
      if (i < end && contains(kOperators, tokens_[i].text)) return i;
    }
    return end;
  }

  bool mentions(std::string_view name, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i)
      if (at(i, name)) return true;
    return false;
  }

  std::vector<std::string> loops() const {
    std::vector<std::string> names;
    for (const Around& around : around_)
      if (!around.variable.empty()) names.push_back(around.variable);
    return names;
  }

  /// The loops over which a statement accumulates: those whose variables do not select the changed
  /// element or local. Nothing if a subscript uses another local, whose value may depend on a loop
  /// variable.
  std::vector<std::string> accumulated(const std::string& target, std::size_t name,
                                       std::size_t op) const {
    const auto known = declared_.find(target);
    const std::vector<std::string> around = loops();
    std::vector<std::string> over;
    for (const std::string& variable : around) {
      const bool chooses = mentions(variable, name, op) ||
                           (known != declared_.end() && contains(known->second, variable));
      if (!chooses) over.push_back(variable);
    }
    for (std::size_t i = name + 1; i < op; ++i) {
      const std::string word(tokens_[i].text);
      if (tokens_[i].kind == CodeToken::Kind::Word && !contains(around, word) &&
          function_.find(word) == nullptr)
        return {};
    }
    return over;
  }

  const Tokens& tokens_;
  const CFunction& function_;
  std::vector<Around> around_;
  std::vector<Told> told_;
  std::map<std::string, std::vector<std::string>> declared_;  ///< Locals, with the loops around.
  std::set<std::string, std::less<>> jumps_;
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

std::string statement_text(const Told& told) {
  std::vector<std::string> around;
  for (const Around& one : told.around) around.push_back(one.words);
  std::string text = join(around, ", ");
  if (text.starts_with("each ")) text = "for " + text;
  text = text.empty() ? told.code : fmt::format("{}: {}", text, told.code);
  std::vector<std::string> over;
  for (const std::string& variable : told.accumulates) over.push_back("`" + variable + "`");
  if (!over.empty()) text += ", accumulated over " + join(over, " and ");
  return text;
}

std::string statements_text(const StatementWalk& walk) {
  const auto& statements = walk.statements();
  std::string text = "Its statements, in order:\n\n";
  for (std::size_t i = 0; i < std::min(statements.size(), kMostStatements); ++i)
    text += "- " + statement_text(statements[i]) + "\n";
  if (statements.size() > kMostStatements)
    text += fmt::format("\n{} more follow; the reference has them all.\n",
                        statements.size() - kMostStatements);
  if (walk.jumps().empty()) return text;
  std::vector<std::string> words;
  for (const std::string& jump : walk.jumps()) words.push_back("`" + jump + "`");
  return text + fmt::format("\nThe reference alone shows where it takes another way ({}).\n",
                            join(words, ", "));
}

std::vector<std::string> names_of(std::span<const ToldTensor> tensors, bool is_output) {
  std::vector<std::string> names;
  for (const ToldTensor& tensor : tensors)
    if (is_output ? tensor.role != TensorRole::In : tensor.role == TensorRole::In || tensor.is_read)
      names.push_back(tensor.name);
  return names;
}

/// The first sentence of the function's comment if it is short enough, or else which outputs are
/// computed from which inputs.
std::string summary_of(const std::string& comment, std::span<const ToldTensor> tensors) {
  std::string_view first = comment;
  first = trim(first.substr(0, first.find("\n\n")));
  for (const std::string_view end : {". ", ".\n"}) first = first.substr(0, first.find(end));
  std::string line = sanitise_line(first, 4 * kSummaryBytes);
  for (std::size_t at = line.find("\\n"); at != std::string::npos; at = line.find("\\n"))
    line.replace(at, 2, " ");
  if (line.ends_with('.')) line.pop_back();
  if (!line.empty() && line.size() <= kSummaryBytes) return line;
  const std::string made = join(names_of(tensors, true), ", ");
  const auto from = names_of(tensors, false);
  return from.empty() ? "computes " + made
                      : fmt::format("computes {} from {}", made, join(from, ", "));
}

}  // namespace

DraftedWords describe_function(std::string_view source, const std::vector<CodeToken>& tokens,
                               const CFunction& function, std::span<const ToldTensor> tensors) {
  const std::string comment = comment_above(source, tokens[function.begin].offset);
  StatementWalk walk(tokens, function);
  walk.run();
  std::string details = comment.empty() ? "" : comment + "\n\n";
  details += tensors_text(tensors) + "\n\n" + statements_text(walk);
  return {summary_of(comment, tensors), std::string(trim(details))};
}

}  // namespace kw::task
