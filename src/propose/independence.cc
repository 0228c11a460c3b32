// Reads declarations, assignments and indices of a loop from its tokens, without parsing C++.
// SPDX-License-Identifier: Apache-2.0
#include "propose/independence.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace kw::propose {
namespace {

using Tokens = std::span<const std::string_view>;

bool is_word(std::string_view token) {
  return !token.empty() &&
         (std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_');
}

bool is_one_of(std::string_view token, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), token) != all.end();
}

/// The texts of the tokens without literals; `>>` is taken for the ends of two template lists.
std::vector<std::string_view> tokens_of(std::span<const lex::Token> all) {
  std::vector<std::string_view> tokens;
  for (const lex::Token& token : all) {
    if (token.kind == lex::Token::Kind::Text) continue;
    const bool is_double = token.is(">>");
    if (is_double) tokens.push_back(token.text.substr(1));
    tokens.push_back(is_double ? token.text.substr(1) : token.text);
  }
  return tokens;
}

/// Index of the bracket that closes the bracket at `open`, or the number of tokens.
std::size_t closing(Tokens t, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < t.size(); ++i) {
    if (is_one_of(t[i], {"(", "[", "{"})) ++depth;
    if (is_one_of(t[i], {")", "]", "}"}) && --depth == 0) return i;
  }
  return t.size();
}

std::size_t past_closing(Tokens t, std::size_t open) {
  return std::min(closing(t, open) + 1, t.size());
}

/// Index of the bracket that opens the bracket at `close`, or 0.
std::size_t opening(Tokens t, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (is_one_of(t[i], {")", "]", "}"})) ++depth;
    if (is_one_of(t[i], {"(", "[", "{"}) && --depth == 0) return i;
  }
  return 0;
}

/// How a value depends on the loop's variable.
enum class Dependence {
  Free,  ///< The value does not depend on the variable.
  /// Two iterations may have the same value: a remainder, a quotient, a result of a function.
  Partial,
  /// Different iterations have different values, assuming that sums and products keep them
  /// different.
  Direct,
  Loaded,  ///< The value is loaded from memory, so nothing is known.
};

/// A memory location that the loop writes: the pointer's name, and the tokens of each index.
struct Place {
  std::string_view base;
  std::vector<Tokens> indices;
};

class Body {
 public:
  Body(std::string_view variable, Tokens tokens, const std::vector<std::string>& sums)
      : variable_(variable), t_(tokens), sums_(sums) {}

  bool is_independent() {
    for (std::size_t i = 0; i < t_.size() && is_good_; ++i) {
      if (is_statement_start(i)) read_declaration(i);
      read_write(i);
      read_call_statement(i);
    }
    for (const Place& place : written_)
      if (is_good_) check_reads(place);
    return is_good_;
  }

 private:
  bool is_statement_start(std::size_t i) const {
    return i == 0 || is_one_of(t_[i - 1], {";", "{", "}"}) ||
           (t_[i - 1] == "(" && i >= 2 && t_[i - 2] == "for") || t_[i - 1] == ")";
  }

  Dependence kind_of_name(std::string_view name) const {
    if (name == variable_) return Dependence::Direct;
    const auto known = kinds_.find(name);
    return known == kinds_.end() ? Dependence::Free : known->second;
  }

  static bool is_cast(std::string_view name) {
    return is_one_of(name, {"static_cast", "size_t", "ptrdiff_t", "int", "long", "int64_t",
                            "uint64_t", "int32_t", "uint32_t", "unsigned", "sizeof"});
  }

  /// How one summand of an index depends on the loop's variable.
  Dependence kind_of_term(Tokens term) const {
    Dependence kind = Dependence::Free;
    bool is_partial = false;
    for (std::size_t i = 0; i < term.size(); ++i) {
      if (term[i] == "[") return Dependence::Loaded;
      if (is_one_of(term[i],
                    {"%", "/", "&", "|", "^", "?", "<<", ">", "<", "==", "!=", "&&", "||"}))
        // The angle brackets of a cast are not comparisons.
        is_partial |= !(is_one_of(term[i], {"<", ">"}) && has_cast(term));
      if (!is_word(term[i])) continue;
      kind = std::max(kind, kind_of_name(term[i]));
      const bool is_call = i + 1 < term.size() && term[i + 1] == "(";
      if (is_call && !is_cast(term[i])) is_partial = true;
    }
    return kind == Dependence::Direct && is_partial ? Dependence::Partial : kind;
  }

  static bool has_cast(Tokens term) {
    return std::any_of(term.begin(), term.end(), [](auto t) { return t == "static_cast"; });
  }

  static std::vector<Tokens> terms_of(Tokens expression) {
    std::vector<Tokens> terms;
    std::size_t from = 0;
    int depth = 0;
    for (std::size_t i = 0; i < expression.size(); ++i) {
      if (is_one_of(expression[i], {"(", "[", "{"})) ++depth;
      if (is_one_of(expression[i], {")", "]", "}"})) --depth;
      if (depth > 0 || !is_one_of(expression[i], {"+", "-"})) continue;
      terms.push_back(expression.subspan(from, i - from));
      from = i + 1;
    }
    terms.push_back(expression.subspan(from));
    return terms;
  }

  Dependence kind_of(Tokens expression) const {
    Dependence kind = Dependence::Free;
    for (const Tokens term : terms_of(expression)) kind = std::max(kind, kind_of_term(term));
    return kind;
  }

  /// Whether the word shows that a statement is not a declaration.
  static bool is_keyword(std::string_view word) {
    return is_one_of(word, {"return", "else", "case", "goto", "delete", "throw", "using", "if",
                            "for", "while", "do", "new", "break", "continue"});
  }

  /// Reads a declaration such as `const Real* p = now + z, q;` if a declaration begins at token
  /// `i`.
  void read_declaration(std::size_t i) {
    std::size_t words = 0;
    const std::size_t start = i;
    bool is_pointer = false;
    for (; i < t_.size(); ++i) {
      if (t_[i] == "<") {
        while (i < t_.size() && t_[i] != ">" && t_[i] != ";") ++i;
      } else if (is_word(t_[i])) {
        if (is_keyword(t_[i])) return;
        if (i == start || t_[i - 1] != "::") ++words;
      } else if (t_[i] == "*" || t_[i] == "&") {
        is_pointer = true;
      } else if (t_[i] != "::") {
        break;
      }
    }
    const bool is_named = words >= 2 && i < t_.size() && is_word(t_[i - 1]) && t_[i - 2] != "::" &&
                          is_one_of(t_[i], {"=", ";", "[", "(", "{", ",", ":"});
    if (!is_named) return;
    // A variable that is declared in the header of an inner loop takes many values.
    const bool is_counter = start >= 1 && t_[start - 1] == "(";
    read_declarators(i - 1, is_pointer, is_counter);
  }

  void read_declarators(std::size_t name, bool is_pointer, bool is_counter) {
    for (;;) {
      declared_.insert(t_[name]);
      if (is_pointer) pointers_.insert(t_[name]);
      std::size_t i = name + 1;
      while (i < t_.size() && t_[i] == "[") i = past_closing(t_, i);
      const std::size_t from = i;
      while (i < t_.size() && !is_one_of(t_[i], {",", ";", ")"}))
        i = is_one_of(t_[i], {"(", "[", "{"}) ? past_closing(t_, i) : i + 1;
      Dependence kind = kind_of(t_.subspan(from, i - from));
      if (is_counter && kind == Dependence::Direct) kind = Dependence::Partial;
      kinds_[t_[name]] = kind;
      initialised_.insert(name);
      if (i >= t_.size() || t_[i] != ",") return;
      name = i + 1;
      while (name < t_.size() && !is_word(t_[name])) ++name;
      if (name >= t_.size()) return;
    }
  }

  /// The memory location whose last token is at `last`: `name`, `name[i][j]`, `*name`, `*(…)`;
  /// nothing where the tokens have another form.
  std::optional<Place> place_ending_at(std::size_t last) const {
    Place place;
    std::size_t i = last;
    while (t_[i] == "]") {
      const std::size_t open = opening(t_, i);
      if (open == 0) return std::nullopt;
      place.indices.push_back(t_.subspan(open + 1, i - open - 1));
      i = open - 1;
    }
    if (!is_word(t_[i])) return std::nullopt;
    place.base = t_[i];
    if (i == 0) return place;
    if (is_one_of(t_[i - 1], {".", "->", "::"})) return std::nullopt;
    const bool is_pointed =
        t_[i - 1] == "*" && (i == 1 || is_one_of(t_[i - 2], {";", "{", "}", ")", "(", "="}));
    if (is_pointed) place.indices.push_back({});
    return place;
  }

  void read_write(std::size_t i) {
    std::optional<Place> place;
    bool is_plain = false;
    if (is_one_of(t_[i], {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})) {
      if (i == 0 || initialised_.contains(i - 1)) return;
      place = place_ending_at(i - 1);
      is_plain = true;
    } else if (is_one_of(t_[i], {"++", "--"})) {
      if (i > 0 && (is_word(t_[i - 1]) || t_[i - 1] == "]")) {
        place = place_ending_at(i - 1);
      } else {
        std::size_t end = i + 1;
        if (end >= t_.size() || !is_word(t_[end])) return spoil();
        while (end + 1 < t_.size() && t_[end + 1] == "[") end = closing(t_, end + 1);
        if (end >= t_.size()) return spoil();
        place = place_ending_at(end);
      }
    } else {
      return;
    }
    if (!place) {
      // The assignment may initialise a local array, as `int a[3] = {…}` does, or a member of a
      // local variable; neither is visible to other iterations.
      if (is_plain && is_declaration_or_member(i)) return;
      return spoil();
    }
    if (place->indices.empty()) return write_scalar(place->base, i);
    write_place(std::move(*place));
  }

  bool is_declaration_or_member(std::size_t assignment) const {
    std::size_t i = assignment;
    while (i > 0 && !is_one_of(t_[i - 1], {";", "{", "}"})) --i;
    for (; i < assignment; ++i)
      if (declared_.contains(t_[i])) return true;
    return false;
  }

  void write_scalar(std::string_view name, std::size_t at) {
    if (declared_.contains(name)) {
      std::size_t end = at + 1;
      while (end < t_.size() && t_[end] != ";" && t_[end] != ")") ++end;
      const Dependence now = kind_of(t_.subspan(at + 1, end - at - 1));
      Dependence& kind = kinds_[name];
      // A local variable that is assigned again may have equal values in two iterations.
      kind = std::max(kind == Dependence::Direct ? Dependence::Partial : kind,
                      now == Dependence::Direct ? Dependence::Partial : now);
      return;
    }
    if (std::find(sums_.begin(), sums_.end(), name) == sums_.end()) spoil();
  }

  void write_place(Place place) {
    const bool is_private = declared_.contains(place.base) && !pointers_.contains(place.base);
    if (is_private) return;
    Dependence kind = kind_of_name(place.base);
    for (const Tokens index : place.indices) kind = std::max(kind, kind_of(index));
    if (kind != Dependence::Direct) return spoil();
    written_.push_back(std::move(place));
  }

  /// Reads a call such as `update(next + row, …);`, which is assumed to write only where its
  /// arguments point.
  void read_call_statement(std::size_t i) {
    const bool is_call = is_word(t_[i]) && i + 1 < t_.size() && t_[i + 1] == "(" &&
                         is_statement_start(i) &&
                         !is_one_of(t_[i], {"for", "if", "while", "switch", "return", "sizeof"});
    if (!is_call) return;
    const std::size_t end = closing(t_, i + 1);
    if (end + 1 >= t_.size() || t_[end + 1] != ";") return;
    if (kind_of_arguments(t_.subspan(i + 2, end - i - 2)) != Dependence::Direct) spoil();
  }

  Dependence kind_of_arguments(Tokens arguments) const {
    Dependence best = Dependence::Free;
    std::size_t from = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= arguments.size(); ++i) {
      const bool is_end = i == arguments.size();
      if (!is_end && is_one_of(arguments[i], {"(", "[", "{"})) ++depth;
      if (!is_end && is_one_of(arguments[i], {")", "]", "}"})) --depth;
      if (!is_end && (depth > 0 || arguments[i] != ",")) continue;
      if (kind_of(arguments.subspan(from, i - from)) == Dependence::Direct)
        best = Dependence::Direct;
      from = i + 1;
    }
    return best;
  }

  std::vector<std::string> direct_terms(const std::vector<Tokens>& indices) const {
    std::vector<std::string> terms;
    for (const Tokens index : indices)
      for (const Tokens term : terms_of(index))
        if (kind_of_term(term) == Dependence::Direct) terms.push_back(joined(term));
    std::sort(terms.begin(), terms.end());
    return terms;
  }

  static std::string joined(Tokens tokens) {
    std::string text;
    for (const std::string_view token : tokens) (text += token) += ' ';
    return text;
  }

  static std::string joined(const std::vector<Tokens>& indices) {
    std::string text;
    for (const Tokens index : indices) text += joined(index) + "] ";
    return text;
  }

  /// Checks the other uses of a written array: each must be at the same place, or at a place that
  /// no other iteration writes.
  void check_reads(const Place& place) {
    const auto terms = direct_terms(place.indices);
    const bool is_dense = std::any_of(terms.begin(), terms.end(), [](const std::string& term) {
      return term.find(' ') + 1 == term.size();  // a bare name: neighbours are other iterations'
    });
    for (std::size_t i = 0; i + 1 < t_.size(); ++i) {
      if (t_[i] != place.base || t_[i + 1] != "[") continue;
      std::size_t end = i;
      while (end + 1 < t_.size() && t_[end + 1] == "[") end = closing(t_, end + 1);
      if (end >= t_.size()) return spoil();
      const auto other = place_ending_at(end);
      if (!other || joined(other->indices) == joined(place.indices)) continue;
      if (is_dense || direct_terms(other->indices) != terms) return spoil();
    }
  }

  void spoil() { is_good_ = false; }

  std::string_view variable_;
  Tokens t_;
  const std::vector<std::string>& sums_;
  std::map<std::string_view, Dependence> kinds_;
  std::set<std::string_view> declared_;
  std::set<std::string_view> pointers_;  ///< Pointers among declared_.
  std::set<std::size_t> initialised_;    ///< Tokens that a declaration names.
  std::vector<Place> written_;
  bool is_good_ = true;
};

/// The variable of a header such as `int i = 0; …; …`; empty where the header has another form.
std::string_view variable_of(Tokens header) {
  for (std::size_t i = 1; i < header.size(); ++i) {
    if (header[i] == ";" || header[i] == ":") return {};
    if (header[i] == "=") return is_word(header[i - 1]) ? header[i - 1] : std::string_view();
  }
  return {};
}

}  // namespace

bool has_independent_iterations(const LoopText& loop) {
  const auto header = tokens_of(loop.header);
  const std::string_view variable = variable_of(header);
  if (variable.empty()) return false;
  const auto body = tokens_of(loop.body);
  return Body(variable, body, loop.sums).is_independent();
}

}  // namespace kw::propose
