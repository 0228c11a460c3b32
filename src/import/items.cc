// Splits a file into declarations by means of brackets and a few words.
// SPDX-License-Identifier: Apache-2.0
#include "import/items.h"
#include "import/words.h"

#include <algorithm>
#include <array>

namespace kw::import {
namespace {

using lex::Token;
using Tokens = std::vector<Token>;

constexpr int kDeepestScopes = 64;

/// Most tokens between < and > in a template argument list; with more, the signs are taken for two
/// comparisons.
constexpr std::size_t kLongestAngles = 512;

bool is_word(const Token& token) { return token.kind == Token::Kind::Word; }

class Finder {
 public:
  explicit Finder(const Tokens& tokens) : tokens_(tokens) {}

  std::vector<Item> run() {
    read(0, tokens_.size(), "", false, 0);
    return std::move(items_);
  }

 private:
  bool at(std::size_t i, std::string_view word) const {
    return i < tokens_.size() && tokens_[i].is(word);
  }

  void mark(Item::Kind kind, std::size_t begin, std::size_t end, const std::string& scope,
            std::string name = {}) {
    Item item;
    item.kind = kind;
    item.begin = begin;
    item.end = end;
    item.scope = scope;
    item.name = std::move(name);
    items_.push_back(std::move(item));
  }

  void read(std::size_t begin, std::size_t end, const std::string& scope, bool is_c, int depth) {
    std::size_t i = begin;
    while (i < end) {
      if (at(i, ";") || at(i, "}") || at(i, ")")) {
        ++i;
        continue;
      }
      std::size_t next = depth < kDeepestScopes ? read_scope(i, end, scope, depth) : 0;
      if (next == 0) next = read_item(i, end, scope, is_c);
      i = std::max(next, i + 1);
    }
  }

  /// Reads the opening of a namespace or of an extern "C" block at `i`. Returns the index of the
  /// token after it, or 0 if none begins there.
  std::size_t read_scope(std::size_t i, std::size_t end, const std::string& scope, int depth) {
    std::size_t open = i;
    std::string inner = scope;
    bool is_c = false;
    if (at(i, "extern") && i + 2 < end && tokens_[i + 1].kind == Token::Kind::Text &&
        at(i + 2, "{")) {
      open = i + 2;
      is_c = true;
    } else if (at(i, "namespace") || (at(i, "inline") && at(i + 1, "namespace"))) {
      open = i + (at(i, "inline") ? 2 : 1);
      while (open < end && (is_word(tokens_[open]) || at(open, "::"))) {
        inner += tokens_[open].text;
        ++open;
      }
      if (!at(open, "{")) return 0;
      if (inner != scope) inner += "::";
    } else {
      return 0;
    }
    const std::size_t close = std::min(lex::find_closing(tokens_, open), end);
    mark(Item::Kind::Open, i, open + 1, inner);
    read(open + 1, close, inner, is_c, depth + 1);
    mark(Item::Kind::Close, close, std::min(close + 1, end), inner);
    return close + 1;
  }

  /// Reads `extern "C"` and lists of template parameters; returns the index of the token after
  /// them.
  std::size_t read_linkage(std::size_t i, std::size_t end, Item& item) {
    if (at(i, "extern") && i + 1 < end && tokens_[i + 1].kind == Token::Kind::Text) {
      item.is_c = true;
      i += 2;
    }
    while (at(i, "template") && at(i + 1, "<")) {
      const std::size_t after = after_angles(tokens_, i + 1, end);
      if (after == i + 1) break;
      item.is_template = true;
      read_templates(i + 2, after - 1, item.templates);
      i = after;
    }
    return i;
  }

  std::size_t read_item(std::size_t begin, std::size_t end, const std::string& scope, bool is_c) {
    Item item;
    item.begin = begin;
    item.scope = scope;
    item.is_c = is_c;
    std::size_t i = read_linkage(begin, end, item);
    const std::size_t head = i;
    bool is_type = false;
    bool has_value = false;
    std::size_t name = 0;
    for (; i < end && !at(i, ";"); ++i) {
      const Token& token = tokens_[i];
      if (is_one_of(token, {"struct", "class", "union", "enum"}) && item.parameters_open == 0)
        is_type = true;
      if (token.is("=") && item.parameters_open == 0) has_value = true;
      if (token.is("operator") && item.parameters_open == 0) {
        // An operator's name has several tokens, as in operator+ or operator().
        item.name = "operator";
        std::size_t sign = i + 1;
        if (at(sign, "(") && at(sign + 1, ")")) sign += 2;
        while (sign < end && !at(sign, "(")) ++sign;
        i = sign;
        if (i >= end) break;
      }
      if (tokens_[i].is("<") && i > head && is_word(tokens_[i - 1])) {
        if (const std::size_t after = after_angles(tokens_, i, end); after > i + 1) i = after - 1;
        continue;
      }
      if (tokens_[i].is("(")) {
        const std::size_t close = std::min(lex::find_closing(tokens_, i), end);
        const bool is_attribute =
            i > head &&
            is_one_of(tokens_[i - 1],
                      {"__launch_bounds__", "__attribute__", "__align__", "alignas", "decltype",
                       "noexcept", "__declspec", "explicit", "__cluster_dims__", "__maxnreg__"});
        if (!is_attribute && !has_value && item.parameters_open == 0 && i > head && close < end) {
          name = i - 1;
          if (item.name.empty()) item.name = tokens_[name].text;
          item.parameters_open = i;
          item.parameters_close = close;
        }
        i = close;
        continue;
      }
      if (tokens_[i].is("[")) i = std::min(lex::find_closing(tokens_, i), end);
      if (i >= end || !tokens_[i].is("{")) continue;
      const std::size_t close = std::min(lex::find_closing(tokens_, i), end);
      if (item.parameters_open != 0 && !has_value) {
        item.body_open = i;
        item.body_close = close;
        i = close;
        break;
      }
      i = close;
      if (!is_type && !has_value && item.parameters_open == 0 && !at(close + 1, ";")) break;
    }
    item.end = std::min(i + 1, end);
    classify(item, head, is_type, has_value);
    items_.push_back(std::move(item));
    return items_.back().end;
  }

  void classify(Item& item, std::size_t head, bool is_type, bool has_value) {
    const std::size_t stop = item.body_open != 0 ? item.body_open : item.end;
    bool is_global = false;
    bool is_device = false;
    for (std::size_t i = head; i < stop; ++i) {
      is_global = is_global || tokens_[i].is("__global__");
      is_device = is_device || tokens_[i].is("__device__");
      item.is_constexpr = item.is_constexpr || is_one_of(tokens_[i], {"constexpr", "consteval"});
    }
    const bool is_alias =
        is_one_of(tokens_[head], {"typedef", "using", "namespace", "static_assert"});
    if (item.parameters_open != 0 && !has_value && !is_alias) {
      item.kind = is_global   ? Item::Kind::Kernel
                  : is_device ? Item::Kind::DeviceFunction
                              : Item::Kind::HostFunction;
      item.parameters = read_parameters(tokens_, item.parameters_open, item.parameters_close);
      // A name without a type before it is a macro call that expands to a definition.
      if (!is_global && !is_device && item.parameters_open == head + 1)
        item.kind = Item::Kind::Other;
      return;
    }
    item.parameters_open = item.parameters_close = item.body_open = item.body_close = 0;
    if (is_alias || is_type)
      item.kind = Item::Kind::Type;
    else
      item.kind = Item::Kind::Variable;
    name_of(item, head);
  }

  void name_of(Item& item, std::size_t head) {
    item.name.clear();
    if (at(head, "using") && !at(head + 1, "namespace") && head + 1 < item.end) {
      item.name = tokens_[head + 1].text;
      return;
    }
    for (std::size_t i = head; i < item.end; ++i) {
      if (is_one_of(tokens_[i], {"=", "{", "[", ";", ":"})) break;
      if (is_word(tokens_[i])) item.name = tokens_[i].text;
    }
  }

  void read_templates(std::size_t begin, std::size_t end, std::vector<TemplateParameter>& out) {
    std::size_t i = begin;
    while (i < end) {
      TemplateParameter parameter;
      int depth = 0;
      bool has_value = false;
      for (; i < end && !(depth == 0 && at(i, ",")); ++i) {
        if (at(i, "<") || at(i, "(")) ++depth;
        if (at(i, ">") || at(i, ")")) --depth;
        if (has_value) parameter.fallback += tokens_[i].text;
        if (at(i, "=")) has_value = true;
        if (has_value || !is_word(tokens_[i])) continue;
        if (!parameter.name.empty())
          parameter.kind += (parameter.kind.empty() ? "" : " ") + parameter.name;
        parameter.name = tokens_[i].text;
      }
      parameter.has_default = has_value;
      if (parameter.kind == "class") parameter.kind = "typename";
      if (!parameter.name.empty()) out.push_back(std::move(parameter));
      ++i;
    }
  }

  const Tokens& tokens_;
  std::vector<Item> items_;
};

FunctionParameter read_parameter(const Tokens& tokens, std::size_t begin, std::size_t end) {
  FunctionParameter parameter;
  std::vector<std::string> words;
  for (std::size_t i = begin; i < end; ++i) {
    const Token& token = tokens[i];
    if (token.is("=")) {
      parameter.default_begin = i + 1;
      parameter.default_end = end;
      break;
    }
    if (token.is("const")) {
      parameter.is_const = parameter.is_const || parameter.stars == 0;
    } else if (token.is("*")) {
      ++parameter.stars;
    } else if (token.is("&")) {
      parameter.is_reference = true;
    } else if (token.is("[")) {
      parameter.stars = std::max(parameter.stars, 1);
      break;
    } else if (token.is("<") && !words.empty()) {
      const std::size_t after = after_angles(tokens, i, end);
      const bool is_list = after > i;
      for (; i < after; ++i) words.back() += tokens[i].text;
      if (is_list) --i;
    } else if (token.is("::")) {
      const std::string left = words.empty() ? "" : words.back();
      if (!words.empty()) words.pop_back();
      words.push_back(left + "::" + (i + 1 < end ? std::string(tokens[i + 1].text) : ""));
      ++i;
    } else if (is_word(token) &&
               !is_one_of(token, {"volatile", "__restrict__", "__restrict", "restrict",
                                  "__grid_constant__", "struct", "register"})) {
      words.emplace_back(token.text);
    }
  }
  static constexpr std::array<std::string_view, 6> kParts = {"unsigned", "signed", "long",
                                                             "short",    "int",    "char"};
  const bool is_named = words.size() > 1 && std::ranges::find(kParts, words.back()) == kParts.end();
  if (is_named) {
    parameter.name = words.back();
    words.pop_back();
  }
  for (const std::string& word : words)
    parameter.type += (parameter.type.empty() ? "" : " ") + word;
  return parameter;
}

}  // namespace

std::vector<FunctionParameter> read_parameters(const Tokens& tokens, std::size_t open,
                                               std::size_t close) {
  std::vector<FunctionParameter> parameters;
  if (open + 1 >= close || (open + 2 == close && tokens[open + 1].is("void"))) return parameters;
  std::size_t start = open + 1;
  int depth = 0;
  for (std::size_t i = start; i <= close; ++i) {
    if (i == close || (depth == 0 && tokens[i].is(","))) {
      parameters.push_back(read_parameter(tokens, start, i));
      start = i + 1;
      continue;
    }
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) ++depth;
    if (tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) --depth;
    if (tokens[i].is("<"))
      if (const std::size_t after = after_angles(tokens, i, close); after > i + 1) i = after - 1;
  }
  return parameters;
}

std::size_t after_angles(const Tokens& tokens, std::size_t open, std::size_t end) {
  int depth = 0;
  int brackets = 0;
  end = std::min(end, open + kLongestAngles);
  for (std::size_t i = open; i < end; ++i) {
    const Token& token = tokens[i];
    if (is_one_of(token, {";", "{", "}"})) return open;
    if (is_one_of(token, {"(", "["})) ++brackets;
    if (is_one_of(token, {")", "]"}) && --brackets < 0) return open;
    if (brackets > 0) continue;
    if (is_one_of(token, {"&&", "||", "<<"})) return open;
    if (token.is("<")) ++depth;
    if (token.is(">")) --depth;
    if (token.is(">>")) depth -= 2;
    if (depth <= 0) return i + 1;
  }
  return open;
}

std::size_t after_launch_open(const Tokens& tokens, std::size_t at) {
  return at + 1 < tokens.size() && tokens[at].is("<<") && tokens[at + 1].is("<") ? at + 2 : 0;
}

std::vector<Item> find_items(const Tokens& tokens) { return Finder(tokens).run(); }

}  // namespace kw::import
