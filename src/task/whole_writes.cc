// Reads the arguments of the calls.
// SPDX-License-Identifier: Apache-2.0
#include "task/whole_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/contains.h"
#include "base/text.h"
#include "task/c/function.h"
#include "task/c/index.h"
#include "task/c/polynomial.h"
#include "task/c/types.h"
#include "task/draft_headers.h"
#include "task/plain/plain.h"

namespace kw::task {
namespace {

/// Tokens from the first to below the second.
using ArgumentTokens = std::pair<std::size_t, std::size_t>;

class WriteSearch {
 public:
  WriteSearch(std::string_view source, const std::vector<lex::Token>& tokens,
              const CFunction& function)
      : source_(source),
        tokens_(tokens),
        function_(function),
        functions_(find_functions(tokens)),
        names_(type_names_of(source, tokens)),
        macros_(integer_macros(source)) {}

  std::vector<PlainEdit> edits() const {
    std::vector<PlainEdit> edits;
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      if (!begins_statement(i)) continue;
      const std::size_t name = at(i, "std") && at(i + 1, "::") ? i + 2 : i;
      if (!at(name + 1, "(")) continue;
      const std::size_t close = lex::find_closing(tokens_, name + 1);
      if (close >= function_.close || !at(close + 1, ";") || is_own(name)) continue;
      const std::string loop = loop_of(tokens_[name].text, arguments(name + 2, close));
      if (loop.empty()) continue;
      const std::size_t begin = tokens_[i].offset, end = tokens_[close + 1].end;
      const auto lines = std::ranges::count(source_.substr(begin, end - begin), '\n');
      edits.push_back({begin, end, loop + std::string(static_cast<std::size_t>(lines), '\n')});
      i = close + 1;
    }
    return edits;
  }

 private:
  /// A place in an array that is a parameter.
  struct Place {
    const CParameter* array = nullptr;
    std::string offset;  ///< Empty: the first element.
  };

  bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }
  std::string text_of(ArgumentTokens range) const {
    return lex::source_text(tokens_, range.first, range.second);
  }

  bool begins_statement(std::size_t i) const {
    if (at(i - 1, "{") || at(i - 1, "}") || at(i - 1, ";") || at(i - 1, "else")) return true;
    if (!at(i - 1, ")")) return false;
    int depth = 0;
    for (std::size_t k = i - 1; k > function_.open; --k) {
      if (at(k, ")")) ++depth;
      if (at(k, "(") && --depth == 0)
        return at(k - 1, "if") || at(k - 1, "for") || at(k - 1, "while");
    }
    return false;
  }

  /// Whether the file defines a function of this name.
  bool is_own(std::size_t name) const {
    return !at(name - 1, "::") && std::ranges::any_of(functions_, [&](const CFunction& function) {
      return function.name == tokens_[name].text;
    });
  }

  std::vector<ArgumentTokens> arguments(std::size_t begin, std::size_t close) const {
    std::vector<ArgumentTokens> found;
    for (std::size_t i = begin; i <= close; ++i) {
      if (i < close && (at(i, "(") || at(i, "["))) i = lex::find_closing(tokens_, i);
      if (i < close && !at(i, ",")) continue;
      found.emplace_back(begin, std::min(i, close));
      begin = i + 1;
    }
    return found;
  }

  std::string loop_of(std::string_view name, const std::vector<ArgumentTokens>& arguments) const {
    if (arguments.size() != 3) return {};
    const ArgumentTokens a = arguments[0], b = arguments[1], c = arguments[2];
    if (name == "memset") {
      const auto to = place_of(a);
      return to ? written(*to, elements_of(*to, c), byte_value(*to, b)) : "";
    }
    if (name == "memcpy" || name == "memmove") {
      const auto to = place_of(a), from = place_of(b);
      return to && from ? copied(*to, *from, elements_of(*to, c)) : "";
    }
    if (name == "fill") {
      const auto to = place_of(a);
      return to ? written(*to, distance(*to, place_of(b)), value(*to, c)) : "";
    }
    if (name == "fill_n") {
      const auto to = place_of(a);
      return to ? written(*to, text_of(b), value(*to, c)) : "";
    }
    if (name == "copy") {
      const auto from = place_of(a), to = place_of(c);
      return to && from ? copied(*to, *from, distance(*from, place_of(b))) : "";
    }
    if (name == "copy_n") {
      const auto from = place_of(a), to = place_of(c);
      return to && from ? copied(*to, *from, text_of(b)) : "";
    }
    return {};
  }

  /// Reads `NAME`, `NAME + OFFSET` and `&NAME[OFFSET]`.
  std::optional<Place> place_of(ArgumentTokens range) const {
    auto [begin, end] = range;
    const bool is_address = at(begin, "&");
    if (is_address) ++begin;
    const CParameter* array = begin < end ? function_.find(tokens_[begin].text) : nullptr;
    if (array == nullptr || !array->is_pointer) return std::nullopt;
    if (!is_address && begin + 1 == end) return Place{array, {}};
    if (array->bounds.size() > 1 || begin + 2 >= end) return std::nullopt;
    if (!is_address && at(begin + 1, "+")) return Place{array, text_of({begin + 2, end})};
    if (!is_address || !at(begin + 1, "[")) return std::nullopt;
    const std::size_t close = lex::find_closing(tokens_, begin + 1);
    if (close + 1 > end) return std::nullopt;
    std::string offset = text_of({begin + 2, close});
    if (offset == "0") offset.clear();
    if (close + 1 == end) return Place{array, offset};
    if (!at(close + 1, "+") || close + 2 >= end) return std::nullopt;
    const std::string more = text_of({close + 2, end});
    return Place{array, offset.empty() ? more : offset + " + " + more};
  }

  /// The number of elements from one place to the other; empty where it cannot be told.
  static std::string distance(const Place& from, const std::optional<Place>& to) {
    if (!to || to->array != from.array || to->offset.empty()) return {};
    return from.offset.empty() ? to->offset : fmt::format("({}) - ({})", to->offset, from.offset);
  }

  /// The number of elements in as many bytes: the factors beside a `sizeof` of the element.
  std::string elements_of(const Place& place, ArgumentTokens bytes) const {
    const std::size_t size = size_of(place.array->dtype);
    std::vector<std::string> factors;
    bool has_size = false;
    for (std::size_t i = bytes.first; i < bytes.second;) {
      if (at(i, "sizeof")) {
        const auto end = end_of_size(place, i + 1, bytes.second, size);
        if (has_size || !end) return {};
        has_size = true;
        i = *end;
      } else {
        const std::size_t begin = i;
        for (; i < bytes.second && !at(i, "*"); ++i) {
          if (at(i, "(")) i = lex::find_closing(tokens_, i);
          const bool is_more = at(i, "/") || at(i, "%") || at(i, "?") || at(i, "<<") ||
                               at(i, "sizeof") ||
                               ((at(i, "+") || at(i, "-")) && (size > 1 || !factors.empty()));
          if (is_more) return {};
        }
        if (begin == i) return {};
        factors.push_back(text_of({begin, i}));
      }
      if (i < bytes.second && !at(i, "*")) return {};
      ++i;
    }
    if (has_size != (size > 1) && !(size == 1 && has_size)) return {};
    return factors.empty() ? "1" : join(factors, " * ");
  }

  /// The token behind what a `sizeof` is taken of, where that has the element's size.
  std::optional<std::size_t> end_of_size(const Place& place, std::size_t i, std::size_t end,
                                         std::size_t size) const {
    std::size_t begin = i, close = i;
    if (at(i, "(")) {
      close = lex::find_closing(tokens_, i);
      if (close >= end) return std::nullopt;
      ++begin;
      std::vector<std::string> words;
      for (std::size_t k = begin; k < close; ++k)
        if (!at(k, "const")) words.emplace_back(tokens_[k].text);
      if (const auto dtype = dtype_of(words, names_))
        return size_of(*dtype) == size ? std::optional(close + 1) : std::nullopt;
    }
    const bool is_target = at(begin, "*");
    if (is_target) ++begin;
    if (begin >= end || !at(begin, place.array->name) || place.array->bounds.size() > 1)
      return std::nullopt;
    std::size_t after = begin + 1;
    if (!is_target) {
      if (!at(after, "[")) return std::nullopt;
      after = lex::find_closing(tokens_, after) + 1;
    }
    if (close == i) return after <= end ? std::optional(after) : std::nullopt;
    return after == close ? std::optional(close + 1) : std::nullopt;
  }

  /// What elements are where each of their bytes has the value; empty where that cannot be told.
  std::string byte_value(const Place& place, ArgumentTokens byte) const {
    const std::string text = text_of(byte);
    if (text == "0" || text == "'\\0'" || text == "0x0" || text == "0x00" || text == "false")
      return "0";
    const DtypeRow row = row_of(place.array->dtype);
    if (row.numbers == Numbers::Real || place.array->dtype == Dtype::Bool) return {};
    const std::string digits = text == "0xff" || text == "0xFF" ? "255" : text;
    if (digits == "255" || digits == "-1") return "-1";
    const bool is_number = !digits.empty() &&
                           digits.find_first_not_of("0123456789") == std::string::npos &&
                           digits.size() < 3;
    return row.bytes == 1 && is_number ? digits : "";
  }

  /// The value where it is the same for every element.
  std::string value(const Place& place, ArgumentTokens range) const {
    if (const auto limit = limit_call_at(tokens_, range.first); limit && limit->end == range.second)
      return text_of(range);
    for (std::size_t i = range.first; i < range.second; ++i) {
      const bool is_call =
          at(i, "(") && i > range.first && tokens_[i - 1].kind == lex::Token::Kind::Word;
      if (is_call || at(i, place.array->name) || at(i, "++") || at(i, "--") || at(i, "="))
        return {};
    }
    return text_of(range);
  }

  std::string copied(const Place& to, const Place& from, const std::string& count) const {
    if (to.array == from.array || to.array->dtype != from.array->dtype ||
        to.array->bounds.size() > 1 || from.array->bounds.size() > 1)
      return {};
    return written(to, count, element(from));
  }

  /// Calls the loop's variable what nothing in the source is called.
  std::string variable() const {
    std::string name = "element";
    for (int number = 2; source_.contains(name); ++number) name = fmt::format("element_{}", number);
    return name;
  }

  std::string element(const Place& place) const {
    return place.offset.empty()
               ? fmt::format("{}[{}]", place.array->name, variable())
               : fmt::format("{}[{} + {}]", place.array->name, place.offset, variable());
  }

  std::string written(const Place& to, const std::string& count, const std::string& value) const {
    if (to.array->is_const || count.empty() || value.empty()) return {};
    if (count.find_first_of("?&|^=<>") != std::string::npos) return {};  // no sum of products
    if (to.array->bounds.size() > 1) return written_whole(*to.array, count, value);
    return fmt::format("for (long {0} = 0; {0} < {1}; ++{0}) {2} = {3};", variable(), count,
                       element(to), value);
  }

  /// An array of several dimensions, where the count is all that it has.
  std::string written_whole(const CParameter& array, const std::string& count,
                            const std::string& value) const {
    std::optional<Polynomial> all = Polynomial{{{}, 1}};
    std::string loops, place = array.name;
    for (std::size_t i = 0; i < array.bounds.size(); ++i) {
      const auto bound = number_of(array.bounds[i]);
      all = bound && all ? multiply(*all, *bound) : std::nullopt;
      const std::string name =
          i + 1 == array.bounds.size() ? variable() : fmt::format("{}_of_{}", variable(), i);
      loops += fmt::format("for (long {0} = 0; {0} < {1}; ++{0}) ", name, array.bounds[i]);
      place += fmt::format("[{}]", name);
    }
    const auto counted = number_of(count);
    const auto rest = counted && all ? add(*counted, *all, -1) : std::nullopt;
    const bool is_all =
        rest && std::ranges::all_of(*rest, [](const auto& term) { return term.second == 0; });
    return is_all ? fmt::format("{}{} = {};", loops, place, value) : "";
  }

  std::optional<Polynomial> number_of(const std::string& text) const {
    if (text.empty()) return std::nullopt;
    const auto tokens = lex::tokenize(text);
    IndexReader reader(tokens);
    for (const auto& [name, number] : macros_) reader.define(name, {{{}, number}});
    return reader.whole(0, tokens.size());
  }

  const std::string_view source_;
  const std::vector<lex::Token>& tokens_;
  const CFunction& function_;
  const std::vector<CFunction> functions_;
  const TypeNames names_;
  const std::map<std::string, std::int64_t> macros_;
};

}  // namespace

std::string with_plain_writes(std::string source, std::string_view wanted) {
  const lex::Tokens spelled = lex::tokenize(source);
  const std::vector<lex::Token>& tokens = spelled;
  const auto function = parse_c_function(source, "", tokens, wanted);
  if (!function) return source;
  auto edits = WriteSearch(source, tokens, *function).edits();
  return edits.empty() ? source : with_edits(source, std::move(edits));
}

}  // namespace kw::task
