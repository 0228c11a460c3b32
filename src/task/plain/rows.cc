// Pointers to pointers as parameters: they become one block of memory, whose rows have the length
// that the indices reach.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "task/c/function.h"
#include "task/plain/forms.h"
#include "task/plain/names.h"

namespace kw::task {
namespace {

/// A parameter such as `double** a` or `double* a[3]`.
struct RowsParameter {
  ParameterTokens tokens;
  std::string name;
  std::string element;              ///< With const where the numbers are const.
  std::vector<std::string> bounds;  ///< As written; empty texts for stars.
  std::size_t depth() const { return bounds.size(); }
};

std::vector<RowsParameter> rows_parameters(const PlainSite& site) {
  std::vector<RowsParameter> found;
  for (const ParameterTokens& tokens : parameters_of(site)) {
    if (tokens.name == tokens.end) continue;
    RowsParameter parameter{tokens, std::string(site.tokens[tokens.name].text), {}, {}};
    std::size_t stars = 0;
    bool is_const = false, is_plain = true;
    std::vector<std::string> words;
    for (std::size_t i = tokens.begin; i < tokens.name; ++i) {
      const lex::Token& token = site.tokens[i];
      if (token.is("*"))
        ++stars;
      else if (token.is("const"))
        is_const |= stars == 0;
      else if (token.kind != lex::Token::Kind::Word && !token.is("::"))
        is_plain = false;
      else if (stars == 0)
        words.emplace_back(token.text);
    }
    std::size_t i = tokens.name + 1;
    while (is_at(site, i, "[") && lex::find_closing(site.tokens, i) < tokens.end) {
      const std::size_t close = lex::find_closing(site.tokens, i);
      parameter.bounds.push_back(lex::source_text(site.tokens, i + 1, close));
      i = close + 1;
    }
    if (!is_plain || words.empty() || i != tokens.end || stars == 0) continue;
    parameter.bounds.resize(parameter.bounds.size() + stars);
    parameter.element = (is_const ? "const " : "") + join(words, " ");
    if (parameter.depth() > 1) found.push_back(std::move(parameter));
  }
  return found;
}

/// A declaration of pointers to rows: `double *row = a[i], *next = a[i + 1];`.
struct RowPointer {
  std::string name;
  std::size_t begin = 0;
  std::size_t end = 0;  ///< One past its semicolon.
};

/// The pointer that is set to the row whose tokens are `use` to below `end`, where its declaration
/// declares nothing but such pointers.
std::optional<RowPointer> row_pointer_at(const PlainSite& site,
                                         const std::vector<RowsParameter>& parameters,
                                         std::size_t use, std::size_t end) {
  if (!is_at(site, use - 1, "=")) return std::nullopt;
  std::size_t begin = use;
  while (begin > site.open + 1 && !is_at(site, begin - 1, ";") && !is_at(site, begin - 1, "{") &&
         !is_at(site, begin - 1, "}"))
    --begin;
  if (!begins_declaration(site, begin)) return std::nullopt;
  const auto is_word = [&](std::size_t i) {
    return i < site.close && site.tokens[i].kind == lex::Token::Kind::Word;
  };
  RowPointer row{std::string(site.tokens[use - 2].text), begin, 0};
  for (std::size_t i = begin; i < site.close; ++i) {
    const std::size_t first = i;
    while (is_word(i) || is_at(site, i, "*") || is_at(site, i, "::")) ++i;
    if (i < first + 2 || !is_at(site, i, "=") || !is_word(i + 1)) return std::nullopt;
    const auto of = std::ranges::find(parameters, site.tokens[i + 1].text, &RowsParameter::name);
    const std::size_t next = indices_end(site, i + 2);
    if (of == parameters.end() || next == i + 2) return std::nullopt;
    i = next;
    if (is_at(site, i, ";")) {
      row.end = i + 1;
      return end < row.end ? std::optional(row) : std::nullopt;
    }
    if (!is_at(site, i, ",")) return std::nullopt;
  }
  return std::nullopt;
}

std::unexpected<Error> refuse_rows(const PlainSite& site, std::size_t use,
                                   const std::string& name) {
  return refuse_form(
      site, use, fmt::format("{} as a whole", name),
      fmt::format("rows of '{0}' are passed on or kept here; write {0}[i][j] with all its indices, "
                  "or pass one pointer, as in {0}[i * cols + j]",
                  name));
}

/// The sizes of the dimension `level` of each array, as the indices tell them; nothing where
/// another parameter cannot be read yet.
std::optional<std::map<std::string, Access>> reached(const PlainSite& site,
                                                     const std::vector<RowsParameter>& parameters,
                                                     std::size_t level) {
  // In a copy of the source this index alone is left, so that it is the size of an array.
  TokenEdits edits(site);
  for (const RowsParameter& parameter : parameters) {
    edits.drop(parameter.tokens.begin, parameter.tokens.end);
    edits.before(parameter.tokens.begin, fmt::format("{}* {}", parameter.element, parameter.name));
    for (const std::size_t use : uses_in_body(site, parameter.name)) {
      std::size_t open = use + 1;
      for (std::size_t i = 0; i < parameter.depth() && is_at(site, open, "["); ++i) {
        const std::size_t close = lex::find_closing(site.tokens, open);
        if (i != std::min(level, parameter.depth() - 1)) edits.drop(open, close + 1);
        open = close + 1;
      }
    }
  }
  const std::string source = with_edits(site.source, edits.edits());
  const auto tokens = lex::tokenize(source);
  const auto function = parse_c_function(source, site.file, tokens, site.tokens[site.name].text);
  if (!function) return std::nullopt;
  return study_body(*function, tokens, integer_macros(source)).accesses;
}

}  // namespace

Result<PlainStep> plain_row_pointers(const PlainSite& site) {
  TokenEdits edits(site);
  const auto parameters = rows_parameters(site);
  for (const RowsParameter& parameter : parameters) {
    for (const std::size_t use : uses_in_body(site, parameter.name)) {
      const std::size_t end = indices_end(site, use + 1);
      if (end == use + 1) continue;
      const auto row = row_pointer_at(site, parameters, use, end);
      if (!row) continue;
      const std::size_t to = block_close(site, use);
      bool is_fixed = true;
      std::size_t indices = 0;
      for (std::size_t i = use + 1; i < end; ++i, ++indices) {
        const std::size_t close = lex::find_closing(site.tokens, i);
        is_fixed = is_fixed && keeps_value(site, i + 1, close, to);
        i = close;
      }
      if (indices >= parameter.depth()) continue;  // an element, not a row
      const std::string text = lex::source_text(site.tokens, use, end);
      for (const std::size_t place : uses_in_body(site, row->name)) {
        if (place < row->end || place >= to) continue;
        is_fixed = is_fixed && is_at(site, place + 1, "[");
      }
      if (!is_fixed)
        return refuse_form(
            site, use, fmt::format("{}: pointer to a row", row->name),
            fmt::format("'{}' may point to different rows; write {}[j] in its place, with an index "
                        "that does not change",
                        row->name, sanitise(text, 60)));
      KW_TRY(check_name(site, row->name, row->end, to));
      edits.drop(row->begin, row->end);
      for (const std::size_t place : uses_in_body(site, row->name))
        if (place >= row->end && place < to) edits.put(place, text);
    }
  }
  return PlainStep{edits.edits(), {}};
}

Result<PlainStep> plain_rows(const PlainSite& site) {
  auto parameters = rows_parameters(site);
  if (parameters.empty()) return PlainStep{};
  std::size_t depth = 0;
  for (const RowsParameter& parameter : parameters) {
    KW_TRY(check_name(site, parameter.name, site.open, site.close));
    depth = std::max(depth, parameter.depth());
    for (const std::size_t use : uses_in_body(site, parameter.name)) {
      std::size_t end = use + 1;
      for (std::size_t i = 0; i < parameter.depth(); ++i) {
        const std::size_t close =
            is_at(site, end, "[") ? lex::find_closing(site.tokens, end) : site.close;
        if (close >= site.close) return refuse_rows(site, use, parameter.name);
        end = close + 1;
      }
    }
  }
  std::vector<std::string> given;
  std::vector<std::vector<std::string>> added(parameters.size());
  for (std::size_t level = 1; level < depth; ++level) {
    const auto accesses = reached(site, parameters, level);
    if (!accesses) return PlainStep{};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      RowsParameter& parameter = parameters[i];
      if (level >= parameter.depth() || !parameter.bounds[level].empty()) continue;
      const auto found = accesses->find(parameter.name);
      std::vector<std::string> sizes;
      if (found != accesses->end()) sizes = found->second.shape;
      for (const std::string& size : sizes)
        if (size.starts_with("max("))
          return refuse_form(
              site, parameter.tokens.begin, fmt::format("{}: length of rows", parameter.name),
              fmt::format("the rows of '{0}' reach to {1}, so their length is unclear; pass one "
                          "pointer, as in {0}[i * cols + j]",
                          parameter.name, sanitise(size, 80)));
      if (sizes.size() > 1)
        for (std::string& size : sizes) size = "(" + size + ")";
      parameter.bounds[level] = join(sizes, " * ");
      if (!sizes.empty()) continue;
      const std::string wish =
          parameter.name +
          (level + 1 == parameter.depth() ? "_cols" : fmt::format("_size{}", level + 1));
      parameter.bounds[level] = unused_name(site, wish, given);
      added[i].push_back(parameter.bounds[level]);
    }
  }
  TokenEdits edits(site);
  PlainStep step;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const RowsParameter& parameter = parameters[i];
    std::string text = fmt::format("{} {}", parameter.element, parameter.name);
    for (const std::string& bound : parameter.bounds) text += "[" + bound + "]";
    step.notes.push_back(
        fmt::format("{}: one block, {}, in place of pointers to rows", parameter.name, text));
    for (const std::string& name : added[i]) text += ", int " + name;
    edits.drop(parameter.tokens.begin, parameter.tokens.end);
    edits.before(parameter.tokens.begin, text);
  }
  step.edits = edits.edits();
  return step;
}

}  // namespace kw::task
