// Looks at the operators beside each use of an array, and at the calls around it.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/uses.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>

#include "base/contains.h"
#include "lex/directives.h"
#include "task/c/branches.h"
#include "task/c/index.h"
#include "task/c/loops.h"
#include "task/c/polynomial.h"

namespace kw::task {
namespace {

using Tokens = std::vector<lex::Token>;

constexpr auto kRoots = std::to_array<std::string_view>(
    {"sqrt", "sqrtf", "log", "logf", "log2", "log2f", "log10", "log10f", "log1p", "log1pf", "pow",
     "powf", "rsqrt", "rsqrtf"});

bool is_any(const Tokens& tokens, std::size_t i, std::initializer_list<std::string_view> texts) {
  return i < tokens.size() && std::ranges::find(texts, tokens[i].text) != texts.end();
}

/// The whole number at the token, with its sign; a character counts as its code.
std::optional<std::int64_t> number_at(const Tokens& tokens, std::size_t i) {
  const bool is_negative = is_any(tokens, i, {"-"});
  if (is_negative) ++i;
  if (i >= tokens.size()) return std::nullopt;
  const std::string_view text = tokens[i].text;
  if (text.size() == 3 && text.front() == '\'' && text[1] != '\\') return text[1];
  std::int64_t value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::int64_t kLargest = 1'000'000'000;
  const bool is_whole = stop == text.data() + text.size() || *stop == 'u' || *stop == 'U' ||
                        *stop == 'l' || *stop == 'L';
  if (code != std::errc() || !is_whole || value > kLargest) return std::nullopt;
  return is_negative ? -value : value;
}

/// Numbers to which macros compare their arguments, by the macro's name.
std::map<std::string, std::vector<std::int64_t>, std::less<>> compared_in_macros(
    std::string_view source) {
  std::map<std::string, std::vector<std::int64_t>, std::less<>> found;
  const lex::Tokens all = lex::lex(source);
  for (const lex::Directive& directive : lex::directives_of(all)) {
    if (directive.name() != "define") continue;
    const Tokens tokens(directive.tokens.begin(), directive.tokens.end());
    for (std::size_t i = 2; i + 1 < tokens.size(); ++i)
      if (is_any(tokens, i, {"==", "!="}))
        if (const auto number = number_at(tokens, i + 1))
          found[std::string(directive.word())].push_back(*number);
  }
  return found;
}

class UseReader {
 public:
  UseReader(const CFunction& function, std::string_view source, const Tokens& tokens,
            const std::string& array)
      : function_(function),
        tokens_(tokens),
        array_(array),
        reader_(tokens),
        macros_(compared_in_macros(source)) {
    for (const auto& [name, number] : integer_macros(source)) numbers_.emplace(name, number);
  }

  ArrayUses run() {
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      if (!at(i, {array_}) || at(i - 1, {".", "->"})) continue;
      std::size_t end = i + 1;
      while (at(end, {"["}) && lex::find_closing(tokens_, end) < function_.close)
        end = lex::find_closing(tokens_, end) + 1;
      if (end > i + 1) note(i, end);
      // A pointer that is passed on may serve for anything.
      const bool is_test = end > i + 1 && (is_test_of_zero(i, end) || is_copy_for_tests(i, end));
      others_ += !is_test;
      if (is_test) mark(uses_.flag, i);
    }
    if (others_ > 0) uses_.flag = 0;
    return std::move(uses_);
  }

 private:
  bool at(std::size_t i, std::initializer_list<std::string_view> texts) const {
    return is_any(tokens_, i, texts);
  }
  static void mark(std::size_t& place, std::size_t token) {
    if (place == 0) place = token;
  }

  void note(std::size_t i, std::size_t end) {
    std::size_t before = i - 1;
    while (before > function_.open && at(before, {"("}) && at(before - 1, {"/", "%", "(", "+"}))
      --before;
    const bool is_divisor = at(before, {"/", "%", "/=", "%="});
    const bool is_diagonal_one = is_diagonal(i, end);
    if (is_divisor) mark(is_diagonal_one ? uses_.diagonal_divisor : uses_.divisor, i);
    if (at(before, {"<<", ">>"})) mark(uses_.shift, i);
    if (at(i - 1, {"*", "*="}) || at(end, {"*", "*="})) mark(uses_.product, i);
    if (at(i - 1, {"+", "-", "+=", "-="}) || at(end, {"+", "-", "+=", "-="})) mark(uses_.sum, i);
    note_calls(i, is_diagonal_one);
    note_comparison(i, end);
    note_feedback(i, end);
  }

  bool is_zero(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == lex::Token::Kind::Number &&
           tokens_[i].text.find_first_not_of("0.fFuUlL") == std::string_view::npos;
  }

  /// Whether the value between the tokens is only told apart from zero.
  bool is_test_of_zero(std::size_t begin, std::size_t end) const {
    if (at(end, {"==", "!="}) && is_zero(end + 1)) return true;
    if (at(begin - 1, {"==", "!="}) && is_zero(begin - 2)) return true;
    if (at(begin - 1, {"!"})) return true;
    const bool is_left = at(begin - 1, {"(", "&&", "||"}), is_right = at(end, {")", "&&", "||"});
    if (at(begin - 1, {"&&", "||"}) && at(end, {")", "&&", "||", ";", "?"})) return true;
    if (at(end, {"&&", "||"}) && at(begin - 1, {"(", "&&", "||", "=", "return"})) return true;
    if (at(end, {"?"}) && at(begin - 1, {"(", "=", "+=", "-=", "*=", "return", ",", ":"}))
      return true;
    return is_left && is_right && begin >= 2 && at(begin - 2, {"if", "while", "!"});
  }

  /// Whether the element becomes a local variable, which is only told apart from zero.
  bool is_copy_for_tests(std::size_t i, std::size_t end) const {
    if (i < 2 || !at(i - 1, {"="}) || !at(end, {";"})) return false;
    const std::string local(tokens_[i - 2].text);
    if (tokens_[i - 2].kind != lex::Token::Kind::Word || function_.find(local) != nullptr)
      return false;
    for (std::size_t k = function_.open + 1; k < function_.close; ++k) {
      const bool is_use = at(k, {local}) && k != i - 2 && !at(k - 1, {".", "->"});
      if (is_use && !is_test_of_zero(k, k + 1)) return false;
    }
    return true;
  }

  /// Whether the last two indices are equal, as in a[i][i] or a[i * n + i].
  bool is_diagonal(std::size_t i, std::size_t end) const {
    std::vector<std::pair<std::size_t, std::size_t>> indices;
    for (std::size_t open = i + 1; open < end; open = indices.back().second + 1)
      indices.emplace_back(open + 1, lex::find_closing(tokens_, open));
    const auto index = [&](std::size_t which) {
      return reader_.whole(indices[which].first, indices[which].second);
    };
    if (indices.size() > 1) {
      const auto row = index(indices.size() - 2), column = index(indices.size() - 1);
      return row && row == column;
    }
    const auto flat = index(0);
    if (!flat || flat->size() != 2) return false;
    const auto& [variable, factor] =
        *std::ranges::min_element(*flat, {}, [](const auto& term) { return term.first.size(); });
    return variable.size() == 1 && factor == 1 && std::ranges::all_of(*flat, [&](const auto& term) {
             return contains(term.first, variable.front());
           });
  }

  void note_calls(std::size_t i, bool is_diagonal_one) {
    int depth = 0;
    for (std::size_t k = i; k-- > function_.open && !at(k, {";", "{", "}"});) {
      if (at(k, {")", "]"})) ++depth;
      if (at(k, {"["}) && depth-- == 0) return mark(uses_.index, i);
      if (!at(k, {"("}) || depth-- > 0) continue;
      depth = 0;
      const std::string_view name = tokens_[k - 1].text;
      if (is_root(name) && !is_squared(k))
        mark(is_diagonal_one ? uses_.diagonal_root : uses_.root, i);
      if (const auto macro = macros_.find(name); macro != macros_.end())
        for (const std::int64_t number : macro->second) add_equal(i, number);
    }
  }

  /// Whether the argument at the parenthesis holds the array twice, as squares and sums of squares
  /// do, which are positive in any case.
  bool is_squared(std::size_t open) const {
    const std::size_t close = lex::find_closing(tokens_, open);
    int uses = 0;
    bool has_product = false;
    for (std::size_t k = open; k < close; ++k) {
      uses += at(k, {array_});
      has_product = has_product || at(k, {"*"});
    }
    return uses > 1 && has_product;
  }

  void note_comparison(std::size_t i, std::size_t end) {
    if (at(end, {"==", "!="}))
      if (const auto number = number_or_name(end + 1)) add_equal(i, *number);
    if (at(i - 1, {"==", "!="}) && i >= 2)
      if (const auto number = number_or_name(i - 2)) add_equal(i, *number);
    // An integer of the caller is small, so that only small elements are ever equal to it.
    if ((at(end, {"==", "!="}) && is_whole_scalar(end + 1)) ||
        (at(i - 1, {"==", "!="}) && i >= 2 && is_whole_scalar(i - 2)))
      mark(uses_.order, i);
    for (const auto& [op, other] : {std::pair(end, end + 1), std::pair(i - 1, i - 2)}) {
      if (!at(op, {"<", "<=", ">", ">="})) continue;
      const bool is_element = at(other, {"]"}) || (op == end && at(other + 1, {"["}));
      mark(is_element ? uses_.peers : uses_.order, i);
      if (is_element) continue;
      if (const auto number = number_at(tokens_, other)) uses_.order_to.push_back(*number);
    }
  }
  /// The number at the token, or that of a macro or of a constant that the body declares.
  std::optional<std::int64_t> number_or_name(std::size_t i) const {
    if (i >= tokens_.size() || tokens_[i].kind != lex::Token::Kind::Word)
      return number_at(tokens_, i);
    if (const auto macro = numbers_.find(tokens_[i].text); macro != numbers_.end())
      return macro->second;
    for (std::size_t k = function_.open + 1; k + 3 < function_.close; ++k) {
      const std::size_t end = k + (at(k + 2, {"-"}) ? 4 : 3);
      if (at(k, {tokens_[i].text}) && at(k + 1, {"="}) && at(end, {";"}))
        return number_at(tokens_, k + 2);
    }
    return std::nullopt;
  }
  bool is_whole_scalar(std::size_t i) const {
    const CParameter* parameter = i < tokens_.size() ? function_.find(tokens_[i].text) : nullptr;
    return parameter != nullptr && !parameter->is_pointer && !is_real(parameter->dtype);
  }
  void add_equal(std::size_t i, std::int64_t number) {
    mark(uses_.equal, i);
    uses_.equal_to.push_back(number);
  }

  /// An assignment whose new value adds up elements of the array.
  void note_feedback(std::size_t i, std::size_t end) {
    if (!is_assignment(tokens_, end) || at(end, {"++", "--"})) return;
    int others = 0;
    bool has_sum = at(end, {"+="}), has_choice = false, has_bonus = false;
    const std::size_t stop = statement_end(tokens_, end, function_.close);
    for (std::size_t k = end + 1; k < stop; ++k) {
      if (at(k, {"["})) k = lex::find_closing(tokens_, k);
      others += at(k, {array_});
      has_sum = has_sum || at(k, {"+"});
      const bool is_call = tokens_[k].kind == lex::Token::Kind::Word && at(k + 1, {"("});
      has_choice =
          has_choice || at(k, {"?"}) ||
          (is_call && (tokens_[k].text.contains("max") || tokens_[k].text.contains("min") ||
                       tokens_[k].text.contains("MAX") || tokens_[k].text.contains("MIN")));
      has_bonus = has_bonus || (at(k, {"+"}) && is_bonus(k + 1));
    }
    if (others > 0 && has_sum) mark(uses_.feedback, i);
    if (others > 0 && has_choice && has_bonus) mark(uses_.bonus, i);
  }

  /// Whether the operand is a number, a call, or something in parentheses without the array.
  bool is_bonus(std::size_t k) const {
    if (tokens_[k].kind == lex::Token::Kind::Number) return true;
    if (tokens_[k].kind == lex::Token::Kind::Word && at(k + 1, {"("})) ++k;
    if (!at(k, {"("})) return false;
    const std::size_t close = lex::find_closing(tokens_, k);
    while (k < close && !at(k, {array_})) ++k;
    return k >= close;
  }

  const CFunction& function_;
  const Tokens& tokens_;
  const std::string& array_;
  const IndexReader reader_;
  const std::map<std::string, std::vector<std::int64_t>, std::less<>> macros_;
  std::map<std::string, std::int64_t, std::less<>> numbers_;  ///< Of macros that are one.
  ArrayUses uses_;
  int others_ = 0;  ///< Uses of elements beside tests of zero.
};

}  // namespace

bool is_root(std::string_view name) { return contains(kRoots, name); }

ArrayUses uses_of(const CFunction& function, std::string_view source, const Tokens& tokens,
                  const std::string& array) {
  return UseReader(function, source, tokens, array).run();
}

std::size_t running_divisor(const CFunction& function, const std::vector<lex::Token>& tokens) {
  std::map<std::string_view, std::size_t> multiplied;  // end of the innermost loop around each
  std::vector<std::size_t> ends;                       // of the loops around the present token
  for (std::size_t i = function.open; i + 1 < function.close; ++i) {
    while (!ends.empty() && ends.back() <= i) ends.pop_back();
    if (is_any(tokens, i, {"for", "while", "do"}))
      ends.push_back(nest_end(tokens, i, function.close));
    if (ends.empty() || tokens[i].kind != lex::Token::Kind::Word) continue;
    if (is_any(tokens, i - 1, {"/", "/="}) && !is_any(tokens, i + 1, {"[", "(", "."})) {
      const auto found = multiplied.find(tokens[i].text);
      if (found != multiplied.end() && found->second == ends.back()) return i;
    }
    const bool is_set =
        is_any(tokens, i + 1, {"=", "*="}) && is_any(tokens, i - 1, {";", "{", "}", ")"});
    if (!is_set) continue;
    const std::size_t end = statement_end(tokens, i, function.close);
    bool has_itself = is_any(tokens, i + 1, {"*="}), has_product = has_itself;
    for (std::size_t k = i + 2; k < end; ++k) {
      has_itself = has_itself || tokens[k].text == tokens[i].text;
      has_product = has_product || is_any(tokens, k, {"*"});
    }
    if (has_itself && has_product) multiplied[tokens[i].text] = ends.back();
  }
  return 0;
}

}  // namespace kw::task
