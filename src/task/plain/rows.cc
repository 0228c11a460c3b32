// Pointers to pointers as parameters: they become one block of memory, whose rows have the length
// that the indices reach.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "task/c/function.h"
#include "task/plain/changes.h"
#include "task/plain/edits.h"
#include "task/plain/forms.h"
#include "task/plain/name_uses.h"

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

std::vector<RowsParameter> rows_parameters(const SiteReader& reader) {
  std::vector<RowsParameter> found;
  for (const ParameterTokens& tokens : reader.parameters()) {
    if (!tokens.has_name()) continue;
    RowsParameter parameter{tokens, std::string(reader.tokens()[tokens.name].text), {}, {}};
    std::size_t stars = 0;
    bool is_const = false, is_plain = true;
    std::vector<std::string> words;
    for (std::size_t i = tokens.begin; i < tokens.name; ++i) {
      const lex::Token& token = reader.tokens()[i];
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
    while (reader.at(i, "[") && lex::find_closing(reader.tokens(), i) < tokens.end) {
      const std::size_t close = lex::find_closing(reader.tokens(), i);
      parameter.bounds.push_back(reader.text({i + 1, close}));
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
std::optional<RowPointer> row_pointer_at(const SiteReader& reader,
                                         const std::vector<RowsParameter>& parameters,
                                         std::size_t use, std::size_t end) {
  if (!reader.at(use - 1, "=")) return std::nullopt;
  const std::size_t begin = reader.statement_begin(use);
  if (!reader.is_type_word(begin)) return std::nullopt;
  RowPointer row{std::string(reader.tokens()[use - 2].text), begin, 0};
  for (std::size_t i = begin; i < reader.site().close; ++i) {
    const std::size_t first = i;
    while (reader.is_word(i) || reader.at(i, "*") || reader.at(i, "::")) ++i;
    if (i < first + 2 || !reader.at(i, "=") || !reader.is_word(i + 1)) return std::nullopt;
    const auto of =
        std::ranges::find(parameters, reader.tokens()[i + 1].text, &RowsParameter::name);
    const std::size_t next = reader.indices_end(i + 2);
    if (of == parameters.end() || next == i + 2) return std::nullopt;
    i = next;
    if (reader.at(i, ";")) {
      row.end = i + 1;
      return end < row.end ? std::optional(row) : std::nullopt;
    }
    if (!reader.at(i, ",")) return std::nullopt;
  }
  return std::nullopt;
}

std::unexpected<Error> refuse_rows(const SiteReader& reader, std::size_t use,
                                   const std::string& name) {
  return reader.refuse(
      use, fmt::format("{} as a whole", name),
      fmt::format("rows of '{0}' are passed on or kept here; write {0}[i][j] with all its indices, "
                  "or pass one pointer, as in {0}[i * cols + j]",
                  name));
}

/// The sizes of the dimension `level` of each array, as the indices tell them; nothing where
/// another parameter cannot be read yet.
std::optional<std::map<std::string, Access>> reached(const SiteReader& reader,
                                                     const std::vector<RowsParameter>& parameters,
                                                     std::size_t level) {
  // In a copy of the source this index alone is left, so that it is the size of an array.
  TokenEdits edits(reader);
  for (const RowsParameter& parameter : parameters) {
    edits.replace(parameter.tokens, fmt::format("{}* {}", parameter.element, parameter.name));
    for (const std::size_t use : find_name_uses(reader, reader.body(), parameter.name).tokens) {
      std::size_t open = use + 1;
      for (std::size_t i = 0; i < parameter.depth() && reader.at(open, "["); ++i) {
        const std::size_t close = lex::find_closing(reader.tokens(), open);
        if (i != std::min(level, parameter.depth() - 1)) edits.drop({open, close + 1});
        open = close + 1;
      }
    }
  }
  const PlainSite& site = reader.site();
  const std::string source = with_edits(site.source, edits.edits());
  const auto tokens = lex::tokenize(source);
  const auto function = parse_c_function(source, site.file, tokens, reader.word(reader.name()));
  if (!function) return std::nullopt;
  return study_body(*function, tokens, integer_macros(source)).accesses;
}

}  // namespace

Result<PlainStep> plain_row_pointers(const PlainSite& site) {
  const SiteReader reader(site);
  TokenEdits edits(reader);
  const auto parameters = rows_parameters(reader);
  for (const RowsParameter& parameter : parameters) {
    for (const std::size_t use : find_name_uses(reader, reader.body(), parameter.name).tokens) {
      const std::size_t end = reader.indices_end(use + 1);
      if (end == use + 1) continue;
      const auto row = row_pointer_at(reader, parameters, use, end);
      if (!row) continue;
      const std::size_t to = reader.block_close(use);
      bool is_fixed = true;
      std::size_t indices = 0;
      for (std::size_t i = use + 1; i < end; ++i, ++indices) {
        const std::size_t close = lex::find_closing(reader.tokens(), i);
        is_fixed = is_fixed && keeps_value(reader, {i + 1, close}, to);
        i = close;
      }
      if (indices >= parameter.depth()) continue;  // an element, not a row
      const std::string text = reader.text({use, end});
      const TokenRange scope{row->end - 1, to};
      const auto places = find_name_uses(reader, scope, row->name).tokens;
      for (const std::size_t place : places) is_fixed = is_fixed && reader.at(place + 1, "[");
      if (!is_fixed)
        return reader.refuse(
            use, fmt::format("{}: pointer to a row", row->name),
            fmt::format("'{}' may point to different rows; write {}[j] in its place, with an index "
                        "that does not change",
                        row->name, sanitise(text, 60)));
      KW_TRY(check_name(reader, scope, row->name));
      edits.drop({row->begin, row->end});
      for (const std::size_t place : places) edits.put(place, text);
    }
  }
  return PlainStep{edits.edits(), {}};
}

Result<PlainStep> plain_rows(const PlainSite& site) {
  const SiteReader reader(site);
  auto parameters = rows_parameters(reader);
  if (parameters.empty()) return PlainStep{};
  std::size_t depth = 0;
  for (const RowsParameter& parameter : parameters) {
    KW_TRY(check_name(reader, reader.body(), parameter.name));
    depth = std::max(depth, parameter.depth());
    for (const std::size_t use : find_name_uses(reader, reader.body(), parameter.name).tokens) {
      std::size_t end = use + 1;
      for (std::size_t i = 0; i < parameter.depth(); ++i) {
        const std::size_t close =
            reader.at(end, "[") ? lex::find_closing(reader.tokens(), end) : reader.site().close;
        if (close >= reader.site().close) return refuse_rows(reader, use, parameter.name);
        end = close + 1;
      }
    }
  }
  std::vector<std::string> given;
  std::vector<std::vector<std::string>> added(parameters.size());
  for (std::size_t level = 1; level < depth; ++level) {
    const auto accesses = reached(reader, parameters, level);
    if (!accesses) return PlainStep{};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      RowsParameter& parameter = parameters[i];
      if (level >= parameter.depth() || !parameter.bounds[level].empty()) continue;
      const auto found = accesses->find(parameter.name);
      std::vector<std::string> sizes;
      if (found != accesses->end()) sizes = found->second.shape;
      for (const std::string& size : sizes)
        if (size.starts_with("max("))
          return reader.refuse(
              parameter.tokens.begin, fmt::format("{}: length of rows", parameter.name),
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
      parameter.bounds[level] = reader.free_name(wish, given);
      added[i].push_back(parameter.bounds[level]);
    }
  }
  TokenEdits edits(reader);
  PlainStep step;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const RowsParameter& parameter = parameters[i];
    std::string text = fmt::format("{} {}", parameter.element, parameter.name);
    for (const std::string& bound : parameter.bounds) text += "[" + bound + "]";
    step.notes.push_back(
        fmt::format("{}: one block, {}, in place of pointers to rows", parameter.name, text));
    for (const std::string& name : added[i]) text += ", int " + name;
    edits.replace(parameter.tokens, text);
  }
  step.edits = edits.edits();
  return step;
}

}  // namespace kw::task
