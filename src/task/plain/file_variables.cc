// Walks over the declarations of a file.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/file_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/contains.h"
#include "base/expr.h"

namespace kw::task {
namespace {

class DeclarationReader {
 public:
  explicit DeclarationReader(const SiteReader& reader)
      : reader_(reader), functions_(find_functions(reader.tokens())) {}

  std::vector<FileVariable> run() {
    const std::size_t size = reader_.tokens().size();
    std::size_t begin = 0;
    bool is_function = false, has_value = false;
    const auto start = [&](std::size_t i) {
      begin = i;
      is_function = has_value = false;
    };
    for (std::size_t i = 0; i < size; ++i) {
      if (at(i, "=")) has_value = true;
      if (at(i, "(") || at(i, "[")) {
        is_function = is_function || (at(i, "(") && !has_value);
        i = lex::find_closing(reader_.tokens(), i);
      } else if (at(i, "{") && !opens_group(i)) {
        i = lex::find_closing(reader_.tokens(), i);
        if (is_function) start(i + 1);
      } else if (at(i, ";")) {
        read({begin, i});
        start(i + 1);
      } else if (at(i, "{") || at(i, "}")) {
        start(i + 1);
      }
    }
    return std::move(found_);
  }

 private:
  bool at(std::size_t i, std::string_view text) const { return reader_.at(i, text); }

  bool opens_group(std::size_t i) const {
    return i >= 1 && (reader_.tokens()[i - 1].kind == lex::Token::Kind::Text ||
                      at(i - 1, "namespace") || (i >= 2 && at(i - 2, "namespace")));
  }

  void read(TokenRange range) {
    if (range.is_empty()) return;
    static constexpr auto kOthers =
        std::to_array<std::string_view>({"typedef", "using", "template", "struct", "class", "union",
                                         "namespace", "friend", "static_assert", "asm"});
    if (contains(kOthers, reader_.word(range.begin))) return;
    std::size_t start = range.begin;
    while (start < range.end && is_specifier(reader_.word(start))) ++start;
    if (at(start, "enum")) return read_enum({start, range.end});
    read_variables(range);
  }

  void read_enum(TokenRange range) {
    std::size_t open = range.begin;
    while (open < range.end && !at(open, "{")) ++open;
    if (open == range.end) return;
    for (std::size_t i = range.begin; i < open; ++i)
      if (at(i, "class") || at(i, "struct")) return;
    std::string last;
    for (const TokenRange part : reader_.parts(
             {open + 1, std::min(lex::find_closing(reader_.tokens(), open), range.end)})) {
      if (part.is_empty() || !reader_.is_word(part.begin)) continue;
      FileVariable variable;
      variable.name = reader_.word(part.begin);
      variable.token = part.begin;
      variable.type = "int";
      variable.dtype = Dtype::I32;
      variable.is_const = true;
      if (at(part.begin + 1, "=") && part.begin + 2 < part.end) {
        variable.value_tokens = {part.begin + 2, part.end};
        variable.value = reader_.text(variable.value_tokens);
      } else {
        const auto next = last.empty() ? Result<std::int64_t>(0)
                                       : evaluate_text(fmt::format("({}) + 1", last), {});
        if (!next) variable.is_odd = true;
        variable.value = next ? fmt::format("{}", *next) : last;
      }
      last = variable.value;
      keep(std::move(variable));
    }
  }

  void read_variables(TokenRange range) {
    // The first name is the last word before the first sign that can follow a declared name.
    auto all = reader_.parts(range);
    FileVariable base;
    std::size_t i = range.begin;
    std::vector<std::size_t> words;
    for (; i < all.front().end; ++i) {
      if (at(i, "=") || at(i, "{")) break;
      if (at(i, "<")) {
        base.is_odd = true;
        i = behind_angles(i, range.end) - 1;
        all = {range};  // its commas are no more than those of the arguments, as far as is known
        continue;
      }
      if (at(i, "[") && !words.empty() && !at(i + 1, "[")) break;
      const std::string_view word = reader_.word(i);
      if (at(i, "[") || word == "alignas" || word.starts_with("__attribute")) {
        if (!at(i, "[") && !at(i + 1, "(")) return;
        i = lex::find_closing(reader_.tokens(), at(i, "[") ? i : i + 1);
        continue;
      }
      if (at(i, "(") && base.is_odd && !is_function(words)) break;  // the arguments of a class
      if (at(i, "(")) {
        // A function's declaration, or a pointer to an array or a function.
        if (!at(i + 1, "*") || i + 2 >= range.end || !reader_.is_word(i + 2)) return;
        base.is_odd = true;
        words.push_back(i + 2);
        break;
      }
      if (at(i, "*")) {
        ++base.stars;
      } else if (reader_.is_word(i)) {
        base.is_const =
            base.is_const || (base.stars == 0 && (word == "const" || word == "constexpr"));
        if (!is_specifier(word)) words.push_back(i);
      } else if (reader_.tokens()[i].kind != lex::Token::Kind::Text && !at(i, "::")) {
        base.is_odd = true;
      }
    }
    if (words.size() < 2) return;
    const std::size_t name = words.back();
    base.dtype = base.is_odd ? std::nullopt : dtype_of_type(words);
    base.type = type_text(words);
    for (std::size_t k = 0; k < all.size(); ++k) {
      FileVariable variable = base;
      std::size_t token = name;
      if (k > 0) {
        token = all[k].begin;
        variable.stars = 0;
        while (at(token, "*") || is_specifier(reader_.word(token)))
          variable.stars += at(token++, "*") ? 1 : 0;
        if (!reader_.is_word(token) || token >= all[k].end) return;
      }
      read_declarator(std::move(variable), token, all[k].end);
    }
  }

  /// Whether the last of the words is the name of a function of the file.
  bool is_function(const std::vector<std::size_t>& words) const {
    return !words.empty() && std::ranges::any_of(functions_, [&](const CFunction& one) {
      return reader_.at(words.back(), one.name);
    });
  }

  std::size_t behind_angles(std::size_t i, std::size_t end) const {
    std::size_t depth = 0;
    for (; i < end; ++i) {
      if (at(i, "<")) ++depth;
      if (at(i, ">") && --depth == 0) return i + 1;
      if (at(i, ">>") && (depth -= std::min<std::size_t>(depth, 2)) == 0) return i + 1;
    }
    return end;
  }

  std::optional<Dtype> dtype_of_type(const std::vector<std::size_t>& words) const {
    std::vector<std::string> type;
    for (std::size_t k = 0; k + 1 < words.size(); ++k) type.emplace_back(reader_.word(words[k]));
    return dtype_of(type, reader_.type_names());
  }

  std::string type_text(const std::vector<std::size_t>& words) const {
    std::string text;
    for (std::size_t k = 0; k + 1 < words.size(); ++k) {
      const bool is_qualified = k > 0 && at(words[k] - 1, "::");
      text += (text.empty() ? "" : is_qualified ? "::" : " ");
      text += reader_.word(words[k]);
    }
    return text;
  }

  void read_declarator(FileVariable variable, std::size_t token, std::size_t end) {
    variable.name = reader_.word(token);
    variable.token = token;
    std::size_t i = token + 1;
    if (variable.is_odd && at(i, ")")) ++i;
    while (i < end && at(i, "[")) {
      const std::size_t close = std::min(lex::find_closing(reader_.tokens(), i), end);
      variable.bounds.push_back({i + 1, close});
      i = close + 1;
    }
    while (i < end &&
           (reader_.word(i).starts_with("__attribute") || reader_.word(i) == "alignas") &&
           at(i + 1, "("))
      i = lex::find_closing(reader_.tokens(), i + 1) + 1;
    if (i < end && at(i, "=")) ++i;
    if (i < end) {
      variable.value_tokens = {i, end};
      variable.value = reader_.text(variable.value_tokens);
      if (at(i, "(") && !variable.is_odd) return;  // a function's declaration
    }
    keep(std::move(variable));
  }

  void keep(FileVariable variable) {
    const auto known = std::ranges::find(found_, variable.name, &FileVariable::name);
    if (known == found_.end())
      found_.push_back(std::move(variable));
    else if (known->value.empty())
      *known = std::move(variable);
  }

  const SiteReader& reader_;
  const std::vector<CFunction> functions_;
  std::vector<FileVariable> found_;
};

}  // namespace

std::vector<FileVariable> file_variables(const SiteReader& reader) {
  return DeclarationReader(reader).run();
}

}  // namespace kw::task
