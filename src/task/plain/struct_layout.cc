// Reads definitions of structs in the order of the file.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/struct_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "task/c/function.h"
#include "task/c/types.h"

namespace kw::task {
namespace {

constexpr std::int64_t kMostNumbers = 4096;  ///< In one struct.

class StructReader {
 public:
  StructReader(std::string_view source, const std::vector<lex::Token>& tokens)
      : tokens_(tokens), names_(type_names_of(source, tokens)), macros_(integer_macros(source)) {}

  Structs run() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (at(i, "struct")) read_struct(i);
      if (at(i, "using") && at(i + 2, "=")) copy(tokens_[i + 1].text, i + 3);
      if (at(i, "typedef") && at(i + 1, "struct") && at(i + 4, ";"))
        copy(tokens_[i + 3].text, i + 2);
    }
    return std::move(structs_);
  }

 private:
  bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }
  bool is_word(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == lex::Token::Kind::Word;
  }

  void copy(std::string_view name, std::size_t of) {
    if (at(of, "struct")) ++of;
    if (!is_word(of) || !at(of + 1, ";")) return;
    const auto found = structs_.find(tokens_[of].text);
    if (found != structs_.end()) structs_.emplace(name, StructLayout(found->second));
  }

  void read_struct(std::size_t i) {
    const bool has_name = is_word(i + 1);
    const std::size_t open = i + 1 + (has_name ? 1 : 0);
    if (!at(open, "{")) return;
    const std::size_t close = lex::find_closing(tokens_, open);
    if (close == tokens_.size()) return;
    StructLayout layout;
    for (std::size_t k = open + 1; k < close;) k = read_members(k, close, layout);
    finish(layout);
    if (has_name) structs_.emplace(tokens_[i + 1].text, layout);
    const bool is_typedef = i > 0 && at(i - 1, "typedef");
    for (std::size_t k = close + 1; is_typedef && is_word(k) && !at(k - 1, ";"); k += 2)
      structs_.emplace(tokens_[k].text, layout);
  }

  /// Reads `TYPE a, *b, c[3];`; returns the token behind it.
  std::size_t read_members(std::size_t begin, std::size_t close, StructLayout& layout) {
    std::size_t end = begin;
    while (end < close && !at(end, ";") && !at(end, "{") && !at(end, "(")) ++end;
    if (!at(end, ";") || end >= close) {
      if (layout.problem.empty())
        layout.problem = at(end, "(") ? "a function" : "a definition of another type";
      if (end >= close) return close;
      return std::max(end + 1, std::min(lex::find_closing(tokens_, end) + 1, close));
    }
    if (end == begin) return end + 1;
    StructMember member;
    std::vector<std::string> words;
    std::size_t i = begin;
    int angles = 0;
    for (; i < end; ++i) {
      angles += at(i, "<") ? 1 : at(i, ">") ? -1 : at(i, ">>") ? -2 : 0;
      member.is_container |= at(i, "<");
      if (angles > 0 || at(i, ">") || at(i, ">>")) continue;
      if (!is_word(i) && !at(i, "::")) break;
      if (is_word(i) && !is_word(i + 1) && !at(i + 1, "::") && !at(i + 1, "*") && !at(i + 1, "<"))
        break;
      if (!at(i, "struct")) words.emplace_back(tokens_[i].text);
    }
    const std::string type = lex::source_text(tokens_, begin + (at(begin, "struct") ? 1 : 0), i);
    for (; i < end; ++i) {
      StructMember one = member;
      one.type = type;
      for (; at(i, "*") || at(i, "const") || at(i, "restrict") || at(i, "__restrict"); ++i)
        one.stars += at(i, "*");
      if (!is_word(i)) return problem(layout, "a member of an unknown form", end);
      one.path = {std::string(tokens_[i].text)};
      for (++i; at(i, "["); ++i) {
        const std::size_t bracket = lex::find_closing(tokens_, i);
        if (bracket >= end) return problem(layout, "a member of an unknown form", end);
        one.bounds.push_back(lex::source_text(tokens_, i + 1, bracket));
        one.counts.push_back(number(one.bounds.back()));
        i = bracket;
      }
      if (i < end && !at(i, ",")) return problem(layout, "a member with a value of its own", end);
      add(std::move(one), words, layout);
    }
    return end + 1;
  }

  static std::size_t problem(StructLayout& layout, std::string_view what, std::size_t end) {
    if (layout.problem.empty()) layout.problem = what;
    return end + 1;
  }

  /// The value of a number or of a macro that is one.
  std::int64_t number(const std::string& text) const {
    if (const auto macro = macros_.find(text); macro != macros_.end()) return macro->second;
    std::int64_t value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && stop == text.data() + text.size() ? value : 0;
  }

  void add(StructMember member, const std::vector<std::string>& words, StructLayout& layout) {
    const auto inner = words.empty() ? structs_.end() : structs_.find(words.back());
    if (inner == structs_.end() || member.stars > 0 || member.is_container) {
      layout.members.push_back(std::move(member));
    } else if (!member.bounds.empty() || !inner->second.problem.empty()) {
      problem(layout, "an array of structs", 0);
    } else {
      const std::size_t count = layout.members.size() + inner->second.members.size();
      if (std::cmp_greater(count, kMostNumbers)) {
        problem(layout, fmt::format("more than {} numbers", kMostNumbers), 0);
        return;
      }
      for (StructMember part : inner->second.members) {
        part.path.insert(part.path.begin(), member.path.front());
        layout.members.push_back(std::move(part));
      }
    }
  }

  /// Finds out whether all numbers have one type, and where each stands.
  void finish(StructLayout& layout) const {
    bool is_alike = !layout.members.empty();
    std::optional<Dtype> dtype;
    for (StructMember& member : layout.members) {
      std::vector<std::string> words;
      for (const std::string_view word : split(member.type, ' ')) words.emplace_back(word);
      std::erase(words, "const");
      const auto own = dtype_of(words, names_);
      is_alike = is_alike && own && (!dtype || *dtype == *own) && member.stars == 0 &&
                 !member.is_container && member.count() > 0;
      dtype = own;
      member.place = layout.count;
      if (is_alike) layout.count += member.count();
      is_alike = is_alike && layout.count <= kMostNumbers;
    }
    if (!is_alike) return;
    std::string_view type = layout.members.front().type;
    if (type.starts_with("const ")) type.remove_prefix(6);
    layout.element = type;
  }

  const std::vector<lex::Token>& tokens_;
  const TypeNames names_;
  const std::map<std::string, std::int64_t> macros_;
  Structs structs_;
};

}  // namespace

std::int64_t StructMember::count() const {
  std::int64_t product = 1;
  for (const std::int64_t count : counts) {
    if (count <= 0 || count > kMostNumbers || product > kMostNumbers) return 0;
    product *= count;
  }
  return product;
}

std::string StructMember::flat_name() const { return join(path, "_"); }

Structs structs_of(std::string_view source, const std::vector<lex::Token>& tokens) {
  return StructReader(source, tokens).run();
}

}  // namespace kw::task
