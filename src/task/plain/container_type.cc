// Reads template arguments, in which >> closes two lists.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/container_type.h"

namespace kw::task {
namespace {

constexpr int kMostLayers = 8;

class TypeReader {
 public:
  TypeReader(const std::vector<lex::Token>& tokens, std::size_t end) : tokens_(tokens), end_(end) {}

  /// Adds what begins at `at` to the type.
  bool read(std::size_t& at, ContainerType& type, int depth) {
    if (depth > kMostLayers) return false;
    const auto is_filler = [&] {
      return is(at, "std") || is(at, "::") || is(at, "typename") || is(at, "struct");
    };
    for (; is(at, "const") || is_filler(); ++at) type.is_const |= is(at, "const");
    const auto kind = kind_at(at);
    if (!kind) return read_name(at, type, depth);
    type.layers.push_back({*kind, {}});
    const std::size_t layer = type.layers.size() - 1;
    at += 2;
    if (!read(at, type, depth + 1)) return false;
    if (half_ == 0 && is(at, ",")) {
      const std::size_t begin = ++at;
      int angles = 0;
      while (at < end_ && (angles > 0 || (!is(at, ">") && !is(at, ">>")))) {
        angles += is(at, "<") ? 1 : is(at, ">") ? -1 : is(at, ">>") ? -2 : 0;
        ++at;
      }
      // A vector's second argument is how it gets memory.
      if (*kind != ContainerType::Kind::Vector)
        type.layers[layer].extent = lex::source_text(tokens_, begin, at);
    } else if (*kind == ContainerType::Kind::Array) {
      return false;
    }
    if (!close(at)) return false;
    while (half_ == 0 && is(at, "const")) type.is_const = true, ++at;
    return true;
  }

 private:
  bool is(std::size_t i, std::string_view text) const { return i < end_ && tokens_[i].is(text); }

  std::optional<ContainerType::Kind> kind_at(std::size_t i) const {
    if (!is(i + 1, "<")) return std::nullopt;
    if (is(i, "vector")) return ContainerType::Kind::Vector;
    if (is(i, "span")) return ContainerType::Kind::Span;
    if (is(i, "array")) return ContainerType::Kind::Array;
    return std::nullopt;
  }

  /// Moves behind one closing >, of which >> holds two.
  bool close(std::size_t& at) {
    if (half_ > 0) {
      half_ = 0;
      ++at;
      return true;
    }
    if (is(at, ">>")) {
      half_ = 1;
      return true;
    }
    if (!is(at, ">")) return false;
    ++at;
    return true;
  }

  /// A type of the file by its name, or the words of an element.
  bool read_name(std::size_t& at, ContainerType& type, int depth) {
    if (at >= end_) return false;
    std::size_t named = definition_of(tokens_[at].text);
    if (is_container_at(named)) {
      ++at;
      return TypeReader(tokens_, tokens_.size()).read(named, type, depth + 1);
    }
    if (depth == 0) return false;
    for (; at < end_ && (tokens_[at].kind == lex::Token::Kind::Word || is(at, "::")); ++at) {
      if (is(at, "const")) {
        type.is_const = true;
      } else if (!is(at, "std") && !is(at, "::")) {
        if (!type.element.empty()) type.element += ' ';
        type.element += tokens_[at].text;
      }
    }
    return !type.element.empty();
  }

  bool is_container_at(std::size_t i) const {
    while (i + 1 < tokens_.size() &&
           (tokens_[i].is("std") || tokens_[i].is("::") || tokens_[i].is("const")))
      ++i;
    return i + 1 < tokens_.size() && tokens_[i + 1].is("<");
  }

  /// Where the type stands that the file gives this name to; the number of tokens if nowhere.
  std::size_t definition_of(std::string_view name) const {
    for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
      if (tokens_[i].is("using") && tokens_[i + 1].text == name && tokens_[i + 2].is("="))
        return i + 3;
      if (!tokens_[i].is("typedef")) continue;
      std::size_t end = i + 1;
      while (end < tokens_.size() && !tokens_[end].is(";") && !tokens_[end].is("{")) ++end;
      if (end < tokens_.size() && tokens_[end].is(";") && tokens_[end - 1].text == name)
        return i + 1;
    }
    return tokens_.size();
  }

  const std::vector<lex::Token>& tokens_;
  const std::size_t end_;
  int half_ = 0;  ///< Whether one half of the >> at hand is used.
};

}  // namespace

std::optional<ContainerType> read_container(const std::vector<lex::Token>& tokens,
                                            std::size_t& begin, std::size_t end) {
  ContainerType type;
  std::size_t at = begin;
  if (!TypeReader(tokens, end).read(at, type, 0) || type.layers.empty()) return std::nullopt;
  begin = at;
  return type;
}

}  // namespace kw::task
