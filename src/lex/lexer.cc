// The lexer: phases 1 to 3 of translation, with the place of each token in the original text.
// SPDX-License-Identifier: Apache-2.0
#include "lex/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/byte_order_mark.h"
#include "base/characters.h"

namespace kw::lex {
namespace {

/// C++ symbols of several characters. Longer ones come first, because the first match is taken.
constexpr auto kSymbols =
    std::to_array<std::string_view>({"<<=", ">>=", "...", "->*", "::", "->", "++", "--",
                                     "<<",  ">>",  "<=",  ">=",  "==", "!=", "&&", "||",
                                     "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^="});

constexpr auto kDigraphs = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"%:", "#"}, {"<%", "{"}, {"%>", "}"}, {"<:", "["}, {":>", "]"}});

constexpr auto kRawPrefixes = std::to_array<std::string_view>({"R", "LR", "uR", "UR", "u8R"});
constexpr auto kPrefixes = std::to_array<std::string_view>({"L", "u", "U", "u8"});

/// A raw string literal's delimiter has at most this many characters (C++ [lex.string]).
constexpr std::size_t kLongestDelimiter = 16;

template <std::size_t n>
bool is_among(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' || c == '\0';
}

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

class Lexer {
 public:
  Lexer(std::string_view source, Rules rules) : source_(source), rules_(rules) {
    out_.spelled_ = std::make_shared<std::deque<std::string>>();
  }

  Tokens run() {
    if (source_.starts_with(kByteOrderMark)) add(Kind::Blank, kByteOrderMark.size());
    while (at_ < source_.size()) step();
    return std::move(out_);
  }

 private:
  using Kind = Token::Kind;

  /// Where in a line of the preprocessor the next token stands: it decides whether a < or a "
  /// begins a header's name.
  enum class Place { Code, Name, Operand, Condition, AfterHas, InHas, Rest };

  /// Length of the line end at an offset; 0: there is none.
  std::size_t line_end(std::size_t at) const {
    if (at >= source_.size()) return 0;
    if (source_[at] == '\n') return 1;
    if (source_[at] != '\r') return 0;
    if (at + 1 < source_.size() && source_[at + 1] == '\n') return 2;
    return rules_ == Rules::Gnu ? 1 : 0;
  }

  std::size_t behind_splices(std::size_t at) const {
    while (at < source_.size() && source_[at] == '\\') {
      std::size_t end = at + 1;
      if (rules_ == Rules::Gnu)
        while (end < source_.size() && is_blank(source_[end]) && line_end(end) == 0) ++end;
      const std::size_t length = line_end(end);
      if (length == 0) break;
      at = end + length;
    }
    return at;
  }

  /// The character behind the splices at an offset; a newline at the end of the text.
  char char_at(std::size_t at) const {
    at = behind_splices(at);
    return at < source_.size() ? source_[at] : '\n';
  }

  /// Offset behind `text`, which may hold splices, or `at` if the source goes on otherwise there.
  std::size_t behind(std::size_t at, std::string_view text) const {
    std::size_t end = at;
    for (const char c : text) {
      const std::size_t next = behind_splices(end);
      if (next >= source_.size() || source_[next] != c) return at;
      end = next + 1;
    }
    return end;
  }

  /// Text in a range of the source without splices.
  std::string_view spelled(std::size_t begin, std::size_t end) {
    const std::string_view raw = source_.substr(begin, end - begin);
    if (!raw.contains('\\')) return raw;
    std::string text;
    for (std::size_t at = behind_splices(begin); at < end; at = behind_splices(at + 1))
      text += source_[at];
    if (text == raw) return raw;
    return out_.spelled_->emplace_back(std::move(text));
  }

  void add(Kind kind, std::size_t end, std::string_view text, bool is_whole = true) {
    out_.all_.push_back({kind, text, at_, end, place_ != Place::Code, is_whole});
    at_ = end;
    if (kind != Kind::Blank && kind != Kind::Comment) is_line_start_ = kind == Kind::LineEnd;
    if (kind == Kind::LineEnd) place_ = Place::Code;
    if (!out_.all_.back().is_space()) follow(out_.all_.back());
    touches_literal_ = kind == Kind::Text;
  }
  void add(Kind kind, std::size_t end, bool is_whole = true) {
    add(kind, end, source_.substr(at_, end - at_), is_whole);
  }

  void follow(const Token& token) {
    switch (place_) {
      case Place::Name:
        if (token.is("#")) return;
        place_ = token.is("include") || token.is("include_next") || token.is("import") ||
                         token.is("embed")
                     ? Place::Operand
                 : token.is("if") || token.is("elif") ? Place::Condition
                                                      : Place::Rest;
        return;
      case Place::Operand:
        place_ = Place::Rest;
        return;
      case Place::Condition:
        if (token.is("__has_include") || token.is("__has_include_next") || token.is("__has_embed"))
          place_ = Place::AfterHas;
        return;
      case Place::AfterHas:
        place_ = token.is("(") ? Place::InHas : Place::Condition;
        return;
      case Place::InHas:
        place_ = Place::Condition;
        return;
      case Place::Code:
      case Place::Rest:
        return;
    }
  }

  void step() {
    if (const std::size_t length = line_end(at_)) return add(Kind::LineEnd, at_ + length);
    if (is_blank(source_[at_]) || behind_splices(at_) != at_) return read_blanks();
    if (const std::size_t body = behind(at_, "//"); body != at_) return read_line_comment(body);
    if (const std::size_t body = behind(at_, "/*"); body != at_) return read_comment(body);
    if (place_ == Place::Operand || place_ == Place::InHas)
      if (read_header()) return;
    read_token();
  }

  void read_blanks() {
    const bool touched_literal = touches_literal_;
    bool has_blanks = false;
    std::size_t end = at_;
    for (;;) {
      if (const std::size_t next = behind_splices(end); next != end) {
        end = next;
      } else if (end < source_.size() && is_blank(source_[end]) && line_end(end) == 0) {
        has_blanks = true;
        ++end;
      } else {
        break;
      }
    }
    add(Kind::Blank, end);
    touches_literal_ = touched_literal && !has_blanks;
  }

  void read_line_comment(std::size_t end) {
    for (;;) {
      const std::size_t next = behind_splices(end);
      if (next >= source_.size() || line_end(next) != 0) break;
      end = next + 1;
    }
    add(Kind::Comment, end);
  }

  void read_comment(std::size_t body) {
    for (std::size_t star = body;;) {
      star = source_.find('*', star);
      if (star == std::string_view::npos) return add(Kind::Comment, source_.size(), false);
      if (const std::size_t end = behind(star, "*/"); end != star) return add(Kind::Comment, end);
      ++star;
    }
  }

  /// Reads a header's name, in which backslashes and comment signs stand for themselves. False:
  /// none begins here.
  bool read_header() {
    const char open = source_[at_];
    if (open != '<' && open != '"') return false;
    const char close = open == '<' ? '>' : '"';
    for (std::size_t end = at_ + 1;;) {
      const std::size_t next = behind_splices(end);
      if (next >= source_.size() || line_end(next) != 0) return false;
      end = next + 1;
      if (source_[next] != close) continue;
      add(Kind::Header, end, spelled(at_, end));
      return true;
    }
  }

  /// Length of the part of a name at an offset behind splices; 0: a name does not go on there.
  std::size_t length_in_name(std::size_t at, bool is_first) const {
    if (at >= source_.size()) return 0;
    const char c = source_[at];
    if (is_first ? is_name_start(c) : is_name_char(c)) return 1;
    if (c == '$' || static_cast<unsigned char>(c) >= 0x80) return 1;
    if (c != '\\') return 0;
    // A universal character name: \u and four hexadecimal digits, or \U and eight.
    std::size_t end = behind_splices(at + 1);
    const char kind = char_at(end);
    if (kind != 'u' && kind != 'U') return 0;
    ++end;
    for (int digits = kind == 'u' ? 4 : 8; digits > 0; --digits) {
      if (!is_hex_digit(char_at(end))) return 0;
      end = behind_splices(end) + 1;
    }
    return end - at;
  }

  std::size_t end_of_name(std::size_t at) const {
    std::size_t end = at;
    for (bool is_first = true;; is_first = false) {
      const std::size_t next = behind_splices(end);
      const std::size_t length = length_in_name(next, is_first);
      if (length == 0) return end;
      end = next + length;
    }
  }

  void read_token() {
    const char c = source_[at_];
    if (const std::size_t end = end_of_name(at_); end != at_) {
      const std::string_view word = spelled(at_, end);
      const std::size_t quote = behind_splices(end);
      const char next = char_at(end);
      if (!touches_literal_ && next == '"' && is_among(kRawPrefixes, word))
        return read_raw(word, quote);
      if (!touches_literal_ && (next == '"' || next == '\'') && is_among(kPrefixes, word))
        return read_literal(quote);
      return add(Kind::Word, end, word);
    }
    if (is_digit(c) || (c == '.' && is_digit(char_at(at_ + 1)))) return read_number();
    if (c == '"' || c == '\'') return read_literal(at_);
    read_symbol(c);
  }

  /// Reads a preprocessing number, in which a ' between digits separates them.
  void read_number() {
    std::size_t end = at_ + 1;
    char last = source_[at_];
    for (;;) {
      const std::size_t next = behind_splices(end);
      const char c = char_at(next);
      std::size_t length = length_in_name(next, false);
      if (c == '.') length = 1;
      if (c == '\'' && is_name_char(char_at(next + 1))) length = 1;
      if ((c == '+' || c == '-') && (last == 'e' || last == 'E' || last == 'p' || last == 'P'))
        length = 1;
      if (length == 0) break;
      end = next + length;
      last = c;
    }
    add(Kind::Number, end, spelled(at_, end));
  }

  void read_literal(std::size_t quote) {
    const char close = source_[quote];
    std::size_t end = quote + 1;
    bool is_whole = false;
    while (!is_whole) {
      std::size_t next = behind_splices(end);
      if (next >= source_.size() || line_end(next) != 0) break;
      end = next + 1;
      is_whole = source_[next] == close;
      if (source_[next] != '\\') continue;
      next = behind_splices(end);
      if (next < source_.size() && line_end(next) == 0) end = next + 1;
    }
    add(Kind::Text, end, spelled(at_, end), is_whole);
  }

  /// Reads a raw string literal, in which nothing is spliced behind the opening quote.
  void read_raw(std::string_view prefix, std::size_t quote) {
    std::size_t open = quote + 1;
    while (open < source_.size() && !std::string_view(" ()\\\t\v\f\r\n\"").contains(source_[open]))
      ++open;
    const std::size_t length = open - quote - 1;
    // No compiler accepts a wrong delimiter; GCC goes on behind what it has read so far.
    std::size_t end = open;
    bool is_whole = false;
    if (open < source_.size() && source_[open] == '(' && length <= kLongestDelimiter) {
      const std::string closing = ")" + std::string(source_.substr(quote + 1, length)) + "\"";
      const std::size_t found = source_.find(closing, open);
      is_whole = found != std::string_view::npos;
      end = is_whole ? found + closing.size() : source_.size();
    }
    std::string_view text = source_.substr(at_, end - at_);
    if (at_ + prefix.size() != quote)
      text = out_.spelled_->emplace_back(std::string(prefix) +
                                         std::string(source_.substr(quote, end - quote)));
    add(Kind::Text, end, text, is_whole);
  }

  void read_symbol(char c) {
    if ((c == '#' || behind(at_, "%:") != at_) && is_line_start_ && place_ == Place::Code)
      place_ = Place::Name;
    // `<::` begins a template argument like ::name, unless it is `<:::` or `<::>`.
    const std::size_t colons = behind(at_, "<::");
    const bool is_bracket = colons == at_ || char_at(colons) == ':' || char_at(colons) == '>';
    for (const auto& [digraph, symbol] : kDigraphs)
      if (const std::size_t end = behind(at_, digraph);
          end != at_ && (digraph != "<:" || is_bracket))
        return add(Kind::Symbol, end, symbol);
    for (const std::string_view symbol : kSymbols)
      if (const std::size_t end = behind(at_, symbol); end != at_)
        return add(Kind::Symbol, end, symbol);
    add(Kind::Symbol, at_ + 1);
  }

  std::string_view source_;
  Rules rules_;
  Tokens out_;
  std::size_t at_ = 0;
  bool is_line_start_ = true;
  /// Whether a literal ends here: a name is then its suffix, and no prefix of a literal.
  bool touches_literal_ = false;
  Place place_ = Place::Code;
};

Tokens lex(std::string_view source, Rules rules) { return Lexer(source, rules).run(); }

Tokens significant(std::string_view source) {
  Tokens tokens = lex(source);
  std::erase_if(tokens.all_, [](const Token& token) { return token.is_space(); });
  return tokens;
}

Tokens tokenize(std::string_view source) {
  Tokens tokens = significant(source);
  std::erase_if(tokens.all_, [](const Token& token) { return token.in_directive; });
  return tokens;
}

std::size_t find_closing(const std::vector<Token>& tokens, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("(") || token.is("[") || token.is("{")) ++depth;
    if ((token.is(")") || token.is("]") || token.is("}")) && --depth == 0) return i;
  }
  return tokens.size();
}

std::string source_text(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end && i < tokens.size(); ++i) {
    if (i > begin && tokens[i].offset > tokens[i - 1].end) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

bool is_raw_prefix(std::string_view word) { return is_among(kRawPrefixes, word); }

}  // namespace kw::lex
