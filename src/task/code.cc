// A tokenizer for C and C++.
// SPDX-License-Identifier: Apache-2.0
#include "task/code.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/characters.h"

namespace kw::task {
namespace {

/// The symbols of several characters; longer ones come first, so that they win.
constexpr auto kSymbols =
    std::to_array<std::string_view>({"<<=", ">>=", "...", "->*", "::", "->", "++", "--",
                                     "<<",  ">>",  "<=",  ">=",  "==", "!=", "&&", "||",
                                     "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^="});

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view source) : source_(source) {}

  std::vector<CodeToken> run() {
    while (at_ < source_.size()) step();
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  void step() {
    const char c = source_[at_];
    if (c == '\n') is_line_start_ = true;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
      ++at_;
    } else if (starts("//")) {
      at_ = std::min(source_.find('\n', at_), source_.size());
    } else if (starts("/*")) {
      const auto end = source_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? source_.size() : end + 2;
    } else if (c == '#' && is_line_start_) {
      skip_directive();
    } else {
      is_line_start_ = false;
      read_token(c);
    }
  }

  void skip_directive() {
    while (at_ < source_.size() && source_[at_] != '\n') {
      if (starts("\\\n")) ++at_;
      if (starts("/*") || starts("//")) return;  // a comment may span lines
      ++at_;
    }
  }

  void add(CodeToken::Kind kind, std::size_t length) {
    tokens_.push_back({kind, source_.substr(at_, length), at_});
    at_ += length;
  }

  void read_token(char c) {
    for (const std::string_view prefix : {"R\"", "LR\"", "uR\"", "UR\"", "u8R\""})
      if (starts(prefix)) return read_raw_text(prefix.size());
    if (c == '"' || c == '\'') return read_text(c);
    std::size_t end = at_;
    if (is_digit(c) || (c == '.' && at_ + 1 < source_.size() && is_digit(source_[at_ + 1]))) {
      while (end < source_.size() && is_number_part(end)) ++end;
      return add(CodeToken::Kind::Number, end - at_);
    }
    if (is_name_char(c)) {
      while (end < source_.size() && is_name_char(source_[end])) ++end;
      return add(CodeToken::Kind::Word, end - at_);
    }
    for (const auto symbol : kSymbols)
      if (starts(symbol)) return add(CodeToken::Kind::Symbol, symbol.size());
    add(CodeToken::Kind::Symbol, 1);
  }

  bool is_number_part(std::size_t i) const {
    const char c = source_[i];
    if (is_name_char(c) || c == '.') return true;
    if (c == '\'') return i + 1 < source_.size() && is_name_char(source_[i + 1]);
    const char before = i > at_ ? source_[i - 1] : ' ';
    const bool is_hex = source_.substr(at_).starts_with("0x");
    const bool is_exponent =
        before == 'p' || before == 'P' || (!is_hex && (before == 'e' || before == 'E'));
    return (c == '+' || c == '-') && is_exponent;
  }

  void read_text(char quote) {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote && source_[end] != '\n')
      end += source_[end] == '\\' ? 2 : 1;
    end = std::min(end, source_.size());
    if (end < source_.size() && source_[end] == quote) ++end;
    add(CodeToken::Kind::Text, end - at_);
  }

  /// Reads a raw string literal, of which the first `prefix` bytes end with the quote.
  void read_raw_text(std::size_t prefix) {
    const auto open = source_.find('(', at_);
    std::size_t end = source_.size();
    // A delimiter has 16 letters at most.
    if (open != std::string_view::npos && open - at_ <= prefix + 16) {
      std::string closing = ")";
      closing += source_.substr(at_ + prefix, open - at_ - prefix);
      closing += '"';
      if (const auto found = source_.find(closing, open); found != std::string_view::npos)
        end = found + closing.size();
    }
    add(CodeToken::Kind::Text, end - at_);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool is_line_start_ = true;
  std::vector<CodeToken> tokens_;
};

}  // namespace

std::vector<CodeToken> tokenize(std::string_view source) { return Tokenizer(source).run(); }

std::size_t find_closing(const std::vector<CodeToken>& tokens, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const auto& token = tokens[i];
    if (token.is("(") || token.is("[") || token.is("{")) ++depth;
    if ((token.is(")") || token.is("]") || token.is("}")) && --depth == 0) return i;
  }
  return tokens.size();
}

std::vector<std::size_t> parameters_of(std::string_view source, std::string_view name) {
  const auto tokens = tokenize(source);
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("{")) {
      // Code inside `extern "C" { … }` is outside of every function, too.
      const bool is_linkage = i >= 2 && tokens[i - 2].is("extern");
      if (!is_linkage) i = find_closing(tokens, i);
      continue;
    }
    if (!tokens[i].is(name) || !tokens[i + 1].is("(")) continue;
    const auto close = find_closing(tokens, i + 1);
    std::size_t count = close > i + 2 ? 1 : 0;
    for (std::size_t at = i + 2, depth = 0; at < close; ++at) {
      if (tokens[at].is("(")) ++depth;
      if (tokens[at].is(")")) --depth;
      if (tokens[at].is(",") && depth == 0) ++count;
    }
    if (close + 1 < tokens.size() && tokens[close + 1].is("{")) counts.push_back(count);
    i = std::min(close, tokens.size() - 1);
  }
  return counts;
}

namespace {

/// Whether the `extern "C"` at tokens[i] belongs to a definition of this source.
bool is_own_linkage(const std::vector<CodeToken>& tokens, std::size_t i, std::string_view source,
                    std::string_view function) {
  if (i + 2 < tokens.size() && tokens[i + 2].is("{")) {
    const std::size_t close = find_closing(tokens, i + 2);
    for (std::size_t k = i + 3; k < close; ++k)
      if (tokens[k].is(function)) return true;
    return false;
  }
  int depth = 0;
  std::string_view name;
  for (std::size_t k = i + 2; k < tokens.size(); ++k) {
    if (tokens[k].is("(")) {
      if (depth++ == 0 && name.empty()) name = tokens[k - 1].text;
    } else if (tokens[k].is(")")) {
      --depth;
    } else if (depth == 0 && (tokens[k].is("{") || tokens[k].is(";"))) {
      return tokens[k].is("{") || name == function ||
             (!name.empty() && defines_function(source, name));
    }
  }
  return false;
}

}  // namespace

std::string with_cpp_linkage(std::string_view source, std::string_view function) {
  const auto tokens = tokenize(source);
  std::string out;
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const CodeToken& linkage = tokens[i + 1];
    if (!tokens[i].is("extern") || linkage.text != "\"C\"" ||
        !is_own_linkage(tokens, i, source, function))
      continue;
    out += std::string(source.substr(at, linkage.offset - at)) + "\"C++\"";
    at = linkage.offset + linkage.text.size();
  }
  return out + std::string(source.substr(at));
}

}  // namespace kw::task
