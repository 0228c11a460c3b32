// Finds declarations of pointers with an initial value, and puts the value in place of their name.
// SPDX-License-Identifier: Apache-2.0
#include "task/row_pointers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/contains.h"
#include "lex/directives.h"
#include "task/c/function.h"
#include "task/c/loops.h"
#include "task/c/types.h"
#include "task/plain/plain.h"

namespace kw::task {
namespace {

constexpr int kMostPointerRounds = 8;  // of pointers that are declared by other pointers

class RowPointerSearch {
 public:
  RowPointerSearch(std::string_view source, const std::vector<lex::Token>& tokens,
                   const CFunction& function)
      : source_(source),
        tokens_(tokens),
        function_(function),
        names_(type_names_of(source, tokens)) {
    const lex::Tokens all = lex::lex(source);
    for (const lex::Directive& directive : lex::directives_of(all))
      for (const lex::Token& token : directive.tokens) in_macros_.emplace(token.text);
  }

  /// Edits for declarations of which none lies in the scope of another that is edited.
  std::vector<PlainEdit> edits() const {
    std::vector<PlainEdit> edits;
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      if (!at(i - 1, "{") && !at(i - 1, "}") && !at(i - 1, ";")) continue;
      const auto pointers = declared(i);
      if (pointers.empty()) continue;
      const std::size_t end = pointers.back().end + 1;
      const std::size_t to = block_end(i);
      auto uses = uses_of(pointers, end, to);
      if (!uses) continue;
      edits.push_back({tokens_[i].offset, tokens_[end - 1].end,
                       line_ends(tokens_[i].offset, tokens_[end - 1].end)});
      std::ranges::move(*uses, std::back_inserter(edits));
      i = to;
    }
    return edits;
  }

 private:
  struct Pointer {
    std::string_view name;
    std::string_view array;
    std::size_t offset_begin = 0;  ///< Tokens of the offset; none where the pointer is the array.
    std::size_t offset_end = 0;
    std::size_t end = 0;  ///< The comma or semicolon behind it.
  };

  bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }
  bool is_word(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == lex::Token::Kind::Word;
  }

  std::string line_ends(std::size_t begin, std::size_t end) const {
    const std::string_view text = source_.substr(begin, end - begin);
    return std::string(static_cast<std::size_t>(std::ranges::count(text, '\n')), '\n');
  }

  std::size_t block_end(std::size_t i) const {
    int depth = 0;
    for (; i < function_.close; ++i) {
      if (at(i, "{")) ++depth;
      if (at(i, "}") && --depth < 0) return i;
    }
    return i;
  }

  /// The pointers of the declaration at token `i`; empty where it declares anything else.
  std::vector<Pointer> declared(std::size_t i) const {
    std::vector<std::string> type;
    for (; is_word(i) && !at(i + 1, "="); ++i)
      if (!at(i, "const")) type.emplace_back(tokens_[i].text);
    const bool is_auto = type == std::vector<std::string>{"auto"};
    const auto dtype = dtype_of(type, names_);
    if (!is_auto && !dtype) return {};
    std::vector<Pointer> pointers;
    while (true) {
      bool has_star = false;
      for (; at(i, "*"); ++i) {
        if (has_star) return {};
        has_star = true;
      }
      while (at(i, "const") || at(i, "restrict") || at(i, "__restrict") || at(i, "__restrict__"))
        ++i;
      if ((!has_star && !is_auto) || !is_word(i) || !at(i + 1, "=")) return {};
      auto pointer = read(i);
      if (!pointer) return {};
      const CParameter* array = function_.find(pointer->array);
      const bool is_flat = array != nullptr && array->is_pointer && array->bounds.size() < 2;
      if (!is_flat || (dtype && *dtype != array->dtype)) return {};
      i = pointer->end;
      pointers.push_back(*pointer);
      if (at(i, ";")) return pointers;
      ++i;
    }
  }

  /// Reads `NAME = ARRAY`, `NAME = ARRAY + OFFSET` or `NAME = &ARRAY[OFFSET]`.
  std::optional<Pointer> read(std::size_t i) const {
    Pointer pointer{tokens_[i].text, {}, 0, 0, i + 2};
    while (pointer.end < function_.close && !at(pointer.end, ";") && !at(pointer.end, ",")) {
      if (at(pointer.end, "(") || at(pointer.end, "["))
        pointer.end = std::min(lex::find_closing(tokens_, pointer.end), function_.close);
      ++pointer.end;
    }
    if (pointer.end >= function_.close) return std::nullopt;
    const bool is_address = at(i + 2, "&");
    const std::size_t array = is_address ? i + 3 : i + 2;
    if (!is_word(array)) return std::nullopt;
    pointer.array = tokens_[array].text;
    if (!is_address && array + 1 == pointer.end) return pointer;
    pointer.offset_begin = array + 2;
    pointer.offset_end = is_address ? pointer.end - 1 : pointer.end;
    const bool is_read =
        is_address ? at(array + 1, "[") && lex::find_closing(tokens_, array + 1) == pointer.end - 1
                   : at(array + 1, "+");
    if (!is_read || pointer.offset_begin >= pointer.offset_end || !is_sum(pointer))
      return std::nullopt;
    return pointer;
  }

  /// Whether the offset holds sums and products of names, numbers and casts alone.
  bool is_sum(const Pointer& pointer) const {
    static constexpr auto kSymbols =
        std::to_array<std::string_view>({"+", "-", "*", "/", "%", "(", ")"});
    for (std::size_t i = pointer.offset_begin; i < pointer.offset_end; ++i) {
      if (tokens_[i].kind == lex::Token::Kind::Number) continue;
      const bool is_call = is_word(i) && at(i + 1, "(");
      if (is_call || (!is_word(i) && !contains(kSymbols, tokens_[i].text))) return false;
    }
    return true;
  }

  /// Whether a star before the name takes the element at the pointer.
  bool is_dereferenced(std::size_t i) const {
    static constexpr auto kBefore = std::to_array<std::string_view>(
        {"=",      "(",  ",",  ";",  "{",  "}", "+", "-", "*", "/",
         "return", "+=", "-=", "*=", "/=", "?", ":", "<", ">", "sizeof"});
    return i >= 2 && at(i - 1, "*") && contains(kBefore, tokens_[i - 2].text);
  }

  /// Whether tokens assign to the name, or declare another variable of that name.
  bool is_changed(std::string_view name, std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < to; ++i) {
      if (!at(i, name) || at(i - 1, ".") || at(i - 1, "->")) continue;
      const bool is_declared = is_word(i - 1) && !at(i - 1, "return") && !at(i - 1, "else");
      const bool is_element =
          at(i + 1, "[") || (is_dereferenced(i) && !at(i + 1, "++") && !at(i + 1, "--"));
      const bool is_moved = is_assignment(tokens_, i + 1) || at(i - 1, "++") || at(i - 1, "--");
      if (is_declared || (is_moved && !is_element)) return true;
      if (at(i - 1, "&") && (at(i - 2, "(") || at(i - 2, ",") || at(i - 2, "="))) return true;
    }
    return false;
  }

  /// What takes the place of each use; nothing where a use needs the pointer itself.
  std::optional<std::vector<PlainEdit>> uses_of(const std::vector<Pointer>& pointers,
                                                std::size_t from, std::size_t to) const {
    std::vector<PlainEdit> edits;
    for (const Pointer& pointer : pointers) {
      if (in_macros_.contains(pointer.name)) return std::nullopt;
      if (is_changed(pointer.array, from, to) || is_changed(pointer.name, from, to))
        return std::nullopt;
      for (std::size_t i = pointer.offset_begin; i < pointer.offset_end; ++i)
        if (is_word(i) && is_changed(tokens_[i].text, from, to)) return std::nullopt;
      const std::string offset =
          lex::source_text(tokens_, pointer.offset_begin, pointer.offset_end);
      for (std::size_t i = from; i < to; ++i) {
        if (!at(i, pointer.name) || at(i - 1, ".") || at(i - 1, "->")) continue;
        if (!add_use(pointer, offset, i, edits)) return std::nullopt;
      }
    }
    return edits;
  }

  bool add_use(const Pointer& pointer, const std::string& offset, std::size_t i,
               std::vector<PlainEdit>& edits) const {
    const std::string array(pointer.array);
    const lex::Token& name = tokens_[i];
    if (at(i + 1, "[")) {
      const std::size_t close = lex::find_closing(tokens_, i + 1);
      if (close >= function_.close) return false;
      if (offset.empty()) {
        edits.push_back({name.offset, name.end, array});
        return true;
      }
      const bool is_sum = is_plain_sum(i + 2, close);
      edits.push_back({name.offset, tokens_[i + 1].end,
                       fmt::format("{}[{} + {}", array, offset, is_sum ? "" : "(")});
      if (!is_sum) edits.push_back({tokens_[close].offset, tokens_[close].offset, ")"});
      return true;
    }
    if (is_dereferenced(i)) {
      edits.push_back({tokens_[i - 1].offset, name.end,
                       fmt::format("{}[{}]", array, offset.empty() ? "0" : offset)});
      return true;
    }
    // An argument, or the value of another pointer: it stays a pointer.
    if (!(at(i - 1, "(") || at(i - 1, ",") || at(i - 1, "=")) ||
        !(at(i + 1, ",") || at(i + 1, ")") || at(i + 1, "+") || at(i + 1, ";")))
      return false;
    edits.push_back(
        {name.offset, name.end, offset.empty() ? array : fmt::format("{} + {}", array, offset)});
    return true;
  }

  /// Whether the index can follow a `+` without parentheses.
  bool is_plain_sum(std::size_t begin, std::size_t end) const {
    static constexpr auto kSymbols =
        std::to_array<std::string_view>({"+", "*", "/", "%", "-", "++", "--", ".", "->", "::"});
    for (std::size_t i = begin; i < end; ++i) {
      if (at(i, "(") || at(i, "["))
        i = lex::find_closing(tokens_, i);
      else if (tokens_[i].kind == lex::Token::Kind::Symbol && !contains(kSymbols, tokens_[i].text))
        return false;
    }
    return true;
  }

  const std::string_view source_;
  const std::vector<lex::Token>& tokens_;
  const CFunction& function_;
  const TypeNames names_;
  std::set<std::string, std::less<>> in_macros_;  ///< Words of the preprocessor's lines.
};

}  // namespace

std::string without_row_pointers(std::string source, std::string_view wanted) {
  for (int round = 0; round < kMostPointerRounds; ++round) {
    const lex::Tokens spelled = lex::tokenize(source);
    const std::vector<lex::Token>& tokens = spelled;
    const auto function = parse_c_function(source, "", tokens, wanted);
    if (!function) break;
    auto edits = RowPointerSearch(source, tokens, *function).edits();
    if (edits.empty()) break;
    source = with_edits(source, std::move(edits));
  }
  return source;
}

}  // namespace kw::task
