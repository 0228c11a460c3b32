// Reads comparisons of sizes, resize(), assign() and fill().
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/container_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "base/text.h"
#include "task/c/branches.h"
#include "task/c/loops.h"
#include "task/plain/changes.h"
#include "task/plain/name_uses.h"

namespace kw::task {

ContainerSizes::ContainerSizes(const SiteReader& reader,
                               std::vector<ContainerParameter>& parameters, TokenEdits& edits)

    : reader_(reader),
      site_(reader.site()),
      parameters_(parameters),
      edits_(edits),
      sizes_(parameters.size()) {
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    sizes_[i].like = i;
    sizes_[i].names.resize(parameters[i].type.layers.size());
    sizes_[i].known = parameters[i].type.layers.front().extent;
  }
}

std::optional<std::size_t> ContainerSizes::parameter_at(std::size_t token) const {
  if (token >= site_.close || at(token - 1, ".") || at(token - 1, "->") || at(token - 1, "::"))
    return std::nullopt;
  const auto found =
      std::ranges::find(parameters_, site_.tokens[token].text, &ContainerParameter::name);
  if (found == parameters_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parameters_.begin());
}

std::size_t ContainerSizes::root(std::size_t parameter) const {
  while (sizes_[parameter].like != parameter) parameter = sizes_[parameter].like;
  return parameter;
}

/// Gives the two one size, of which the known one counts.
void ContainerSizes::join(std::size_t a, const Operand& b) {
  Size& first = sizes_[root(a)];
  if (!b.parameter) {
    if (first.known.empty()) first.known = b.integer;
    return;
  }
  const std::size_t other = root(*b.parameter);
  if (other == root(a)) return;
  const std::size_t low = std::min(other, root(a)), high = std::max(other, root(a));
  if (sizes_[low].known.empty()) sizes_[low].known = sizes_[high].known;
  sizes_[high].like = low;
}

/// A size or an integer, perhaps with a cast before it.
std::optional<ContainerSizes::Operand> ContainerSizes::operand(std::size_t begin,
                                                               std::size_t end) const {
  constexpr int kMostCasts = 4;
  for (int i = 0; i < kMostCasts && begin < end; ++i) {
    const std::size_t close = at(begin, "(") ? lex::find_closing(site_.tokens, begin) : end;
    std::size_t open = begin;
    while (at(begin, "static_cast") && open < end && !at(open, "(")) ++open;
    if (close + 1 == end) {
      ++begin, --end;
    } else if (close < end) {
      if (!at(close - 1, "int") && !at(close - 1, "size_t") && !at(close - 1, "long")) break;
      begin = close + 1;
    } else if (open > begin && open < end && lex::find_closing(site_.tokens, open) + 1 == end) {
      begin = open + 1, --end;
    } else {
      break;
    }
  }
  if (begin + 1 == end && (is_fixed_integer(reader_, site_.tokens[begin].text) ||
                           site_.tokens[begin].kind == lex::Token::Kind::Number))
    return Operand{std::nullopt, std::string(site_.tokens[begin].text)};
  if (begin + 5 != end || !at(begin + 1, ".") || !at(begin + 2, "size") || !at(begin + 3, "("))
    return std::nullopt;
  const auto parameter = parameter_at(begin);
  if (!parameter) return std::nullopt;
  return Operand{parameter, {}};
}

/// Reads a comparison of two sizes, of which one is a container's.
bool ContainerSizes::read_comparison(std::size_t begin, std::size_t end, std::string_view op,
                                     std::vector<std::pair<std::size_t, Operand>>& found) const {
  if (at(begin, "(") && lex::find_closing(site_.tokens, begin) + 1 == end) ++begin, --end;
  for (std::size_t i = begin; i < end; ++i) {
    if (!at(i, op)) continue;
    auto left = operand(begin, i), right = operand(i + 1, end);
    if (!left || !right || (!left->parameter && !right->parameter)) return false;
    if (!left->parameter) std::swap(left, right);
    found.emplace_back(*left->parameter, *right);
    return true;
  }
  return false;
}

/// Takes out a check of sizes: assert(A == B && …); or if (A != B || …) return;
void ContainerSizes::find_check(std::size_t i) {
  const bool is_assert = at(i, "assert"), is_if = at(i, "if");
  if ((!is_assert && !is_if) || !at(i + 1, "(") || !is_statement(i)) return;
  const std::size_t close = lex::find_closing(site_.tokens, i + 1);
  if (close >= site_.close) return;
  const std::size_t end = is_assert ? close + 2 : nest_end(site_.tokens, i, site_.close);
  if (is_assert && !at(close + 1, ";")) return;
  if (is_if) {
    std::size_t first = close + 1;
    if (at(first, "{")) ++first;
    const std::size_t call = at(first, "std") && at(first + 1, "::") ? first + 2 : first;
    const bool leaves =
        at(first, "return") || at(first, "throw") || at(call, "abort") || at(call, "exit");
    const std::size_t semicolon = statement_end(site_.tokens, close + 1, site_.close);
    if (!leaves || end > semicolon + 1) return;
    for (std::size_t k = first; k < end; ++k)
      if (at(k, "else") || (at(k, ";") && k + 1 < end && !at(k + 1, "}"))) return;
  }
  std::vector<std::pair<std::size_t, Operand>> found;
  std::size_t from = i + 2;
  for (std::size_t k = from; k <= close; ++k) {
    if (k != close && at(k, "(")) {
      k = std::min(lex::find_closing(site_.tokens, k), close);
      continue;
    }
    if (k != close && !at(k, is_assert ? "&&" : "||")) continue;
    if (!read_comparison(from, k, is_assert ? "==" : "!=", found)) return;
    from = k + 1;
  }
  for (const auto& [parameter, other] : found) join(parameter, other);
  edits_.drop({i, end});
  sizes_[found.front().first].notes.push_back(
      fmt::format("{}: a check of sizes is left out, because they are equal now",
                  parameters_[found.front().first].name));
}

/// Whether a statement of the function's outermost block begins at the token.
bool ContainerSizes::is_statement(std::size_t i) const {
  return reader_.begins_statement(i) && reader_.block_close(i) == site_.close;
}

std::string ContainerSizes::loop(std::size_t parameter, const std::string& value) {
  const std::string& name = parameters_[parameter].name;
  const std::string index = reader_.free_name(name + "_at", given_);
  parameters_[parameter].may_be_written = true;
  return fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {2}[{0}] = {3};", index,
                     text(parameter, 0), name, value);
}

Result<> ContainerSizes::find_resize(std::size_t i) {
  const auto parameter = parameter_at(i);
  if (!parameter || !at(i + 1, ".") || !at(i + 3, "(") || edits_.is_dropped(i)) return {};
  const bool is_reserve = at(i + 2, "reserve"), is_assign = at(i + 2, "assign");
  if (!is_reserve && !is_assign && !at(i + 2, "resize")) return {};
  const std::size_t close = lex::find_closing(site_.tokens, i + 3);
  if (close >= site_.close || !at(close + 1, ";")) return {};
  if (is_reserve) {
    edits_.drop({i, close + 1});
    return {};
  }
  const ContainerParameter& container = parameters_[*parameter];
  std::size_t comma = i + 4;
  while (comma < close && !at(comma, ",")) {
    if (at(comma, "(")) comma = std::min(lex::find_closing(site_.tokens, comma), close - 1);
    ++comma;
  }
  const auto uses = find_name_uses(reader_, reader_.body(), container.name).tokens;
  const bool is_first = std::ranges::none_of(
      uses, [&](std::size_t use) { return use < i && !edits_.is_dropped(use); });
  const bool has_value = comma < close;
  if (!is_statement(i) || !is_first || has_value != is_assign ||
      container.type.layers.size() != 1 ||
      (is_assign && !keeps_value(reader_, {comma + 1, close}, close)))
    return {};  // refused where uses are rewritten
  if (const auto size = operand(i + 4, comma)) {
    join(*parameter, *size);
  } else {
    bool is_fixed = keeps_value(reader_, {i + 4, comma}, comma);
    for (std::size_t k = i + 4; k < comma; ++k) {
      if (is_assignment(site_.tokens, k)) return {};
      if (reader_.is_word(k))
        is_fixed = is_fixed && is_fixed_integer(reader_, site_.tokens[k].text);
    }
    // Another size is the one that the caller gives.
    if (is_fixed) join(*parameter, {std::nullopt, "(" + reader_.text({i + 4, comma}) + ")"});
  }
  const std::string value = reader_.text({comma + 1, close});
  edits_.drop({i, close + 2});
  if (is_assign) edits_.before(i, loop(*parameter, value));
  sizes_[*parameter].notes.push_back(
      fmt::format("{}: the caller gives it its size, so {} is left out", container.name,
                  is_assign ? "the change of size by assign()" : "resize()"));
  return {};
}

/// Turns std::fill(x.begin(), x.end(), value); into a loop.
void ContainerSizes::find_fill(std::size_t i) {
  if (!at(i, "fill") || !at(i + 1, "(") || edits_.is_dropped(i)) return;
  const std::size_t close = lex::find_closing(site_.tokens, i + 1);
  const auto parameter = parameter_at(i + 2);
  static constexpr auto kRange = std::to_array<std::string_view>(
      {"", ".", "begin", "(", ")", ",", "", ".", "end", "(", ")", ","});
  if (!parameter || close >= site_.close || close < i + 2 + kRange.size() || !at(close + 1, ";"))
    return;
  for (std::size_t k = 0; k < kRange.size(); ++k)
    if (!kRange[k].empty() && !at(i + 2 + k, kRange[k])) return;
  if (!at(i + 8, parameters_[*parameter].name) || parameters_[*parameter].type.layers.size() != 1 ||
      !keeps_value(reader_, {i + 2 + kRange.size(), close}, close))
    return;
  const std::size_t begin = at(i - 1, "::") ? i - 2 : i;
  const std::string value = reader_.text({i + 2 + kRange.size(), close});
  edits_.drop({begin, close + 2});
  edits_.before(begin, loop(*parameter, value));
}

Result<> ContainerSizes::find() {
  for (std::size_t i = site_.open + 1; i < site_.close; ++i) find_check(i);
  for (std::size_t i = site_.open + 1; i < site_.close; ++i) KW_TRY(find_resize(i));
  for (std::size_t i = site_.open + 1; i < site_.close; ++i) find_fill(i);
  return {};
}

std::string ContainerSizes::text(std::size_t parameter, std::size_t layer) {
  const auto& extent = parameters_[parameter].type.layers[layer].extent;
  if (!extent.empty()) return extent.contains(' ') ? "(" + extent + ")" : extent;
  const std::size_t owner = layer == 0 ? root(parameter) : parameter;
  if (layer == 0 && !sizes_[owner].known.empty()) return sizes_[owner].known;
  std::string& name = sizes_[owner].names[layer];
  if (name.empty()) {
    const std::string& of = parameters_[owner].name;
    name = reader_.free_name(layer == 0   ? of + "_size"
                             : layer == 1 ? of + "_cols"
                                          : fmt::format("{}_size{}", of, layer + 1),
                             given_);
    if (layer > 0)
      sizes_[owner].notes.push_back(
          fmt::format("{}: all its rows are taken to have one length, {}", of, name));
  }
  return name;
}

/// Whether the value of the tokens matters there, and not whether its type has a sign.
bool ContainerSizes::is_plain_here(std::size_t begin, std::size_t end) const {
  if (at(begin - 1, "<") && at(end, ";") && begin >= site_.open + 6 && at(begin - 3, ";") &&
      site_.tokens[begin - 4].kind == lex::Token::Kind::Number && at(begin - 5, "="))
    return true;
  static constexpr auto kIntegers =
      std::to_array<std::string_view>({"int", "size_t", "long", "unsigned", "int64_t", "uint64_t"});
  const bool is_whole = at(end, ";") || at(end, ",");
  if (at(begin - 1, "=") && is_whole && contains(kIntegers, site_.tokens[begin - 3].text))
    return true;
  std::size_t first = reader_.statement_begin(begin);
  if (at(first, "const")) ++first;
  if (at(begin - 1, "=") && is_whole && at(begin - 3, ",") &&
      contains(kIntegers, site_.tokens[first].text))
    return true;
  if (at(begin - 1, ")") && at(begin - 3, "(") && contains(kIntegers, site_.tokens[begin - 2].text))
    return true;
  if (at(begin - 1, "(") && at(begin - 2, ">") && at(end, ")") &&
      contains(kIntegers, site_.tokens[begin - 3].text))
    return true;
  // Inside an index nothing but sums and products.
  std::size_t open = begin;
  while (open > site_.open && !at(open, "[") && !at(open, ";") && !at(open, "{")) --open;
  if (!at(open, "[")) return false;
  const std::size_t close = lex::find_closing(site_.tokens, open);
  if (close >= site_.close || close < end) return false;
  for (std::size_t i = open + 1; i < close; ++i) {
    const auto kind = site_.tokens[i].kind;
    const bool is_known = kind == lex::Token::Kind::Word || kind == lex::Token::Kind::Number ||
                          at(i, "+") || at(i, "-") || at(i, "*") || at(i, ".") || at(i, "(") ||
                          at(i, ")");
    if (!is_known) return false;
  }
  return true;
}

std::string ContainerSizes::text_at(std::size_t parameter, std::size_t layer, std::size_t begin,
                                    std::size_t end) {
  const std::string plain = text(parameter, layer);
  return is_plain_here(begin, end) ? plain : "(size_t)" + plain;
}

std::vector<std::string> ContainerSizes::parameters_behind(std::size_t parameter) const {
  std::vector<std::string> names;
  for (const std::string& name : sizes_[parameter].names)
    if (!name.empty()) names.push_back(name);
  return names;
}

}  // namespace kw::task
