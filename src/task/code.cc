// A tokenizer for C and C++.
// SPDX-License-Identifier: Apache-2.0
#include "task/code.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/characters.h"

namespace kw::task {
namespace {

/// C++ symbols of several characters. Longer ones come first, because the first match is taken.
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

  /// Reads a raw string literal whose first `prefix` bytes, up to and including the quote, are read
  /// already.
  void read_raw_text(std::size_t prefix) {
    const auto open = source_.find('(', at_);
    std::size_t end = source_.size();
    // The delimiter of a raw string literal has at most 16 characters.
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

std::string source_text(const std::vector<CodeToken>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end && i < tokens.size(); ++i) {
    if (i > begin && tokens[i].offset > tokens[i - 1].offset + tokens[i - 1].text.size())
      text += ' ';
    text += tokens[i].text;
  }
  return text;
}

std::vector<std::size_t> parameters_of(std::string_view source, std::string_view name) {
  const auto tokens = tokenize(source);
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("{")) {
      // Braces of `extern "C" { … }` are entered, because functions may be defined inside.
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

enum class Owner { Nobody, Source, Other };

/// One declaration: its half-open range of tokens, and whether this source or another one defines
/// the declared name.
struct Declared {
  std::size_t begin = 0;
  std::size_t end = 0;
  Owner owner = Owner::Nobody;
};

/// Reads the declaration at tokens[i]. The owner stays Nobody for a type.
Declared read_declaration(const std::vector<CodeToken>& tokens, std::size_t i, std::size_t end,
                          std::string_view source, std::string_view function) {
  Declared d{i, end, Owner::Nobody};
  const bool is_type = tokens[i].is("typedef") || tokens[i].is("using") || tokens[i].is("struct") ||
                       tokens[i].is("enum") || tokens[i].is("union");
  std::string_view name;
  bool is_defined = false;
  std::size_t k = i;
  for (; k < end && !tokens[k].is(";"); ++k) {
    if (tokens[k].is("(") && name.empty() && k > i) name = tokens[k - 1].text;
    const bool has_body = tokens[k].is("{") && !name.empty();
    const bool is_open = tokens[k].is("(") || tokens[k].is("[") || tokens[k].is("{");
    if (is_open) k = std::min(find_closing(tokens, k), end - 1);
    if (!has_body) continue;
    is_defined = true;
    break;
  }
  d.end = std::min(k + 1, end);
  const bool is_function = !name.empty();
  if (is_type && !is_function) return d;
  const bool is_own = is_function ? is_defined || name == function || defines_function(source, name)
                                  : !tokens[i].is("extern");
  d.owner = is_own ? Owner::Source : Owner::Other;
  return d;
}

std::vector<Declared> declarations_of(const std::vector<CodeToken>& tokens, std::size_t begin,
                                      std::size_t end, std::string_view source,
                                      std::string_view function) {
  std::vector<Declared> all;
  while (begin < end) {
    all.push_back(read_declaration(tokens, begin, end, source, function));
    begin = std::max(all.back().end, begin + 1);
  }
  return all;
}

}  // namespace

std::string with_cpp_linkage(std::string_view source, std::string_view function) {
  const auto tokens = tokenize(source);
  std::string out;
  std::size_t at = 0;
  const auto copy_to = [&](std::size_t offset) {
    out += source.substr(at, offset - at);
    at = offset;
  };
  const auto use_cpp = [&](const CodeToken& linkage) {
    copy_to(linkage.offset);
    out += "\"C++\"";
    at = linkage.offset + linkage.text.size();
  };
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const CodeToken& linkage = tokens[i + 1];
    if (!tokens[i].is("extern") || linkage.text != "\"C\"") continue;
    if (!tokens[i + 2].is("{")) {
      const auto one = read_declaration(tokens, i + 2, tokens.size(), source, function);
      // `extern "C" int x;` declares a variable that another source defines, unless it has a value.
      bool has_name_of_function = false, has_value = false;
      for (std::size_t k = one.begin; k < one.end; ++k) {
        has_name_of_function = has_name_of_function || tokens[k].is("(");
        has_value = has_value || (!has_name_of_function && tokens[k].is("="));
      }
      if (one.owner == Owner::Source && (has_name_of_function || has_value)) use_cpp(linkage);
      continue;
    }
    const std::size_t close = find_closing(tokens, i + 2);
    const auto inside = declarations_of(tokens, i + 3, close, source, function);
    const bool has_others =
        std::ranges::any_of(inside, [](const Declared& d) { return d.owner == Owner::Other; });
    const bool has_own =
        std::ranges::any_of(inside, [](const Declared& d) { return d.owner == Owner::Source; });
    if (has_own && !has_others) use_cpp(linkage);
    if (has_own && has_others)
      for (const Declared& d : inside)
        if (d.owner == Owner::Source) {
          copy_to(tokens[d.begin].offset);
          out += "extern \"C++\" { ";
          copy_to(tokens[d.end - 1].offset + tokens[d.end - 1].text.size());
          out += " }";
        }
    i = std::min(close, tokens.size()) - 1;
  }
  return out + std::string(source.substr(at));
}

}  // namespace kw::task
