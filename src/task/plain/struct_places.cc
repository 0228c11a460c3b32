// Reads parameters of structs, and paths of members.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/struct_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "task/c/function.h"
#include "task/plain/name_uses.h"

namespace kw::task {
namespace {

/// Whether the code gives the pointer an index, or the address behind it.
bool is_indexed(const SiteReader& reader, std::string_view name) {
  const auto uses = find_name_uses(reader, reader.body(), name).tokens;
  return std::ranges::any_of(uses, [&](std::size_t use) {
    return !reader.at(use + 1, "->") && !reader.at(use + 1, ".") &&
           !(reader.at(use - 1, "*") && reader.at(use - 2, "(") && reader.at(use + 1, ")"));
  });
}

}  // namespace

std::vector<StructParameter> struct_parameters(const SiteReader& reader, const Structs& structs) {
  std::vector<StructParameter> found;
  for (const ParameterTokens& tokens : reader.parameters()) {
    if (!tokens.has_name()) continue;
    StructParameter parameter;
    parameter.tokens = tokens;
    parameter.name = reader.tokens()[tokens.name].text;
    std::size_t stars = 0;
    bool is_plain = true;
    for (std::size_t i = tokens.begin; i < tokens.name; ++i) {
      const lex::Token& token = reader.tokens()[i];
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
    const bool has_bound = reader.at(tokens.name + 1, "[");
    if (has_bound) parameter.bound = reader.text({tokens.name + 2, tokens.end - 1});
    const std::size_t end =
        has_bound ? lex::find_closing(reader.tokens(), tokens.name + 1) + 1 : tokens.name + 1;
    if (!is_plain || parameter.layout == nullptr) continue;
    parameter.is_deep = end != tokens.end || stars + (has_bound ? 1 : 0) > 1 ||
                        (parameter.is_reference && (stars > 0 || has_bound));
    parameter.is_pointer = stars > 0 || has_bound;
    parameter.is_array = has_bound || (stars > 0 && is_indexed(reader, parameter.name));
    found.push_back(std::move(parameter));
  }
  return found;
}

Result<> drop_unused_helpers(const SiteReader& reader, const Structs& structs, TokenEdits& edits) {
  const auto helpers = reader.helpers();
  for (const CFunction& function : find_functions(reader.tokens())) {
    if (function.open == reader.site().open) continue;
    std::size_t place = function.begin;
    while (place < function.close && !structs.contains(reader.tokens()[place].text)) ++place;
    if (place == function.close) continue;
    if (std::ranges::find(helpers, function.open, &CFunction::open) != helpers.end())
      return reader.refuse(
          place, fmt::format("{} takes a struct", function.name),
          fmt::format("the function '{}' uses the struct '{}'; let it take and give numbers, as "
                      "in static float norm(float x, float y)",
                      function.name, reader.tokens()[place].text));
    edits.drop({function.begin, function.close + 1});
  }
  return {};
}

std::string local_declaration(const StructName& local, const StructMember& member, bool is_const) {
  std::string text = fmt::format("{}{}{} {}_{}", is_const ? "const " : "", member.type,
                                 std::string(member.stars, '*'), local.name, member.flat_name());
  for (const std::string& bound : member.bounds) text += "[" + bound + "]";
  return text;
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

const StructMember* read_member(const SiteReader& reader, const StructLayout& layout,
                                std::size_t& at) {
  std::vector<std::string> path;
  std::size_t i = at;
  while (path.size() < layout.members.size() + 1 && i + 1 < reader.site().close &&
         (reader.at(i, ".") || (path.empty() && reader.at(i, "->")))) {
    path.emplace_back(reader.tokens()[i + 1].text);
    i += 2;
    const auto member = std::ranges::find(layout.members, path, &StructMember::path);
    if (member == layout.members.end()) continue;
    at = i;
    return &*member;
  }
  return nullptr;
}

}  // namespace kw::task
