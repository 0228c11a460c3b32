// Reads parameters of structs, and paths of members.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/struct_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "task/c/function.h"

namespace kw::task {
namespace {

/// Whether the code gives the pointer an index, or the address behind it.
bool is_indexed(const PlainSite& site, std::string_view name) {
  const auto uses = uses_in_body(site, name);
  return std::ranges::any_of(uses, [&](std::size_t use) {
    return !is_at(site, use + 1, "->") && !is_at(site, use + 1, ".") &&
           !(is_at(site, use - 1, "*") && is_at(site, use - 2, "(") && is_at(site, use + 1, ")"));
  });
}

}  // namespace

std::vector<StructParameter> struct_parameters(const PlainSite& site, const Structs& structs) {
  std::vector<StructParameter> found;
  for (const ParameterTokens& tokens : parameters_of(site)) {
    if (tokens.name == tokens.end) continue;
    StructParameter parameter;
    parameter.tokens = tokens;
    parameter.name = site.tokens[tokens.name].text;
    std::size_t stars = 0;
    bool is_plain = true;
    for (std::size_t i = tokens.begin; i < tokens.name; ++i) {
      const lex::Token& token = site.tokens[i];
      const auto type = structs.find(token.text);
      if (token.is("*"))
        ++stars;
      else if (token.is("const"))
        parameter.is_const |= stars == 0;
      else if (token.is("&"))
        parameter.is_reference = true;
      else if (type != structs.end() && parameter.layout == nullptr)
        parameter.layout = &type->second;
      else if (!token.is("struct") && !token.is("restrict") && !token.is("__restrict") &&
               !token.is("__restrict__"))
        is_plain = false;
    }
    const bool has_bound = is_at(site, tokens.name + 1, "[");
    if (has_bound) parameter.bound = lex::source_text(site.tokens, tokens.name + 2, tokens.end - 1);
    const std::size_t end =
        has_bound ? lex::find_closing(site.tokens, tokens.name + 1) + 1 : tokens.name + 1;
    if (!is_plain || parameter.layout == nullptr) continue;
    parameter.is_deep = end != tokens.end || stars + (has_bound ? 1 : 0) > 1 ||
                        (parameter.is_reference && (stars > 0 || has_bound));
    parameter.is_pointer = stars > 0 || has_bound;
    parameter.is_array = has_bound || (stars > 0 && is_indexed(site, parameter.name));
    found.push_back(std::move(parameter));
  }
  return found;
}

Result<> drop_unused_helpers(const PlainSite& site, const Structs& structs, TokenEdits& edits) {
  const auto functions = find_functions(site.tokens);
  std::set<std::size_t> reached{site.open};
  for (std::vector<std::size_t> open{site.open}; !open.empty();) {
    const std::size_t from = open.back();
    open.pop_back();
    for (std::size_t i = from; i < lex::find_closing(site.tokens, from); ++i)
      for (const CFunction& called : functions)
        if (is_at(site, i, called.name) && reached.insert(called.open).second)
          open.push_back(called.open);
  }
  for (const CFunction& helper : functions) {
    if (helper.open == site.open) continue;
    std::size_t place = helper.begin;
    while (place < helper.close && !structs.contains(site.tokens[place].text)) ++place;
    if (place == helper.close) continue;
    if (reached.contains(helper.open))
      return refuse_form(
          site, place, fmt::format("{} takes a struct", helper.name),
          fmt::format("the function '{}' uses the struct '{}'; let it take and give numbers, as "
                      "in static float norm(float x, float y)",
                      helper.name, site.tokens[place].text));
    edits.drop(helper.begin, helper.close + 1);
  }
  return {};
}

std::string element_indices(const StructMember& member, std::size_t element) {
  std::string text;
  std::size_t rest = element;
  for (auto count = member.counts.rbegin(); count != member.counts.rend(); ++count) {
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(*count, 1));
    text = fmt::format("[{}]", rest % size) + text;
    rest /= size;
  }
  return text;
}

std::string member_text(const StructName& name, const std::string& index,
                        const StructMember& member, std::size_t element) {
  const bool has_index =
      name.kind == StructName::Kind::Array || name.kind == StructName::Kind::Element;
  const std::string& base = name.array.empty() ? name.name : name.array;
  if (has_index && !name.layout->element.empty())
    return fmt::format("{}[{}][{}]", base, index,
                       member.place + static_cast<std::int64_t>(element));
  const std::string at = has_index ? "[" + index + "]" : std::string();
  return base + "_" + member.flat_name() + at + element_indices(member, element);
}

const StructMember* read_member(const PlainSite& site, const StructLayout& layout,
                                std::size_t& at) {
  std::vector<std::string> path;
  std::size_t i = at;
  while (path.size() < layout.members.size() + 1 && i + 1 < site.close &&
         (is_at(site, i, ".") || (path.empty() && is_at(site, i, "->")))) {
    path.emplace_back(site.tokens[i + 1].text);
    i += 2;
    const auto member = std::ranges::find(layout.members, path, &StructMember::path);
    if (member == layout.members.end()) continue;
    at = i;
    return &*member;
  }
  return nullptr;
}

}  // namespace kw::task
