// Checks the tags of each template, and renders templates with the mustache library.
// SPDX-License-Identifier: Apache-2.0
#include "memory/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <kainjow/mustache.hpp>
#include <optional>
#include <set>

#include "base/contains.h"
#include "base/text.h"
#include "base/with_nearest.h"

namespace kw::memory {
namespace {

namespace mustache = kainjow::mustache;

struct Tag {
  char kind = ' ';  ///< '#', '^', '/', '>', or ' ' for a variable.
  std::string name;
  std::size_t offset = 0;
};

std::string path_of(const TemplateKind& kind, const std::string& file) {
  return fmt::format("{}/{}{}", kind.folder, file, kind.extension);
}

/// A template file that is being checked.
struct Source {
  const TemplateKind& kind;
  const std::string& file;
  std::string_view text;

  std::string place(std::size_t offset) const {
    return fmt::format("{}:{}", path_of(kind, file), position_of(text, offset).line);
  }
};

/// The tags of a template in order, without comments.
Result<std::vector<Tag>> tags_of(const Source& source) {
  const std::string_view text = source.text;
  std::vector<Tag> tags;
  for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at)) {
    const bool is_triple = text.substr(at).starts_with("{{{");
    const std::size_t close = text.find(is_triple ? "}}}" : "}}", at);
    if (close == std::string_view::npos)
      return fail_input(ErrorCode::BadInput, About{"braces"},
                        "a tag of this template is not closed by braces", source.place(at));
    std::string_view inside = trim(text.substr(at + 2, close - at - 2));
    if (inside.starts_with('='))
      return fail_input(ErrorCode::Unsupported, About{"delimiters"},
                        "a template cannot change the delimiters of its tags", source.place(at));
    Tag tag{' ', "", at};
    if (!inside.empty() && std::string_view("#^/>&{!").find(inside.front()) != std::string::npos) {
      if (inside.front() != '&' && inside.front() != '{') tag.kind = inside.front();
      inside = trim(inside.substr(1));
    }
    tag.name = std::string(inside);
    if (tag.kind != '!') tags.push_back(std::move(tag));
    at = close;
  }
  return tags;
}

Result<> check_sections(const Source& source, const std::vector<Tag>& tags) {
  std::vector<const Tag*> open;
  for (const Tag& tag : tags) {
    if (tag.kind == '#' || tag.kind == '^') open.push_back(&tag);
    if (tag.kind != '/') continue;
    if (open.empty() || open.back()->name != tag.name)
      return fail_input(
          ErrorCode::BadInput, About{"/" + tag.name},
          fmt::format("the template's section '{}' is closed but was not opened", tag.name),
          source.place(tag.offset));
    open.pop_back();
  }
  if (open.empty()) return {};
  return fail_input(ErrorCode::BadInput, About{open.back()->kind + open.back()->name},
                    fmt::format("the template's section '{}' is not closed", open.back()->name),
                    source.place(open.back()->offset));
}

using Texts = std::map<std::string, std::string>;

std::vector<std::string> names_of(const Texts& texts) {
  std::vector<std::string> names;
  for (const auto& [name, text] : texts) names.push_back(name);
  return names;
}

/// Fails where `file` includes itself, directly or through other files.
Result<> check_circles(const std::map<std::string, std::vector<Tag>>& tags,
                       const TemplateKind& kind, const std::string& file,
                       std::vector<std::string>& way) {
  if (contains(way, file))
    return fail_input(ErrorCode::Contradiction, About{file},
                      fmt::format("this template includes itself by way of {}", join(way, ", ")),
                      path_of(kind, file));
  way.push_back(file);
  for (const Tag& tag : tags.at(file))
    if (tag.kind == '>') KW_TRY(check_circles(tags, kind, tag.name, way));
  way.pop_back();
  return {};
}

mustache::data data_of(const Fields& fields);

mustache::data data_of(const Field& field) {
  if (const auto* text = std::get_if<std::string>(&field.value)) return mustache::data(*text);
  if (const auto* flag = std::get_if<bool>(&field.value)) return mustache::data(*flag);
  mustache::data list(mustache::data::type::list);
  for (const Fields& item : std::get<std::vector<Fields>>(field.value)) list << data_of(item);
  return list;
}

mustache::data data_of(const Fields& fields) {
  mustache::data object(mustache::data::type::object);
  for (const auto& [name, field] : fields) object.set(name, data_of(field));
  return object;
}

/// Supplies partials from the files, and records the variables that are not set, which the library
/// would silently ignore.
class StrictContext final : public mustache::context<std::string> {
 public:
  StrictContext(const mustache::data& fields, const std::map<std::string, mustache::data>& files)
      : context(&fields), files_(files) {}

  const mustache::data* get(const std::string& name) const override {
    const mustache::data* found = context::get(name);
    if (found == nullptr) missing_.insert(name);
    return found;
  }
  const mustache::data* get_partial(const std::string& name) const override {
    return &files_.at(name);
  }
  const std::set<std::string>& missing() const { return missing_; }

 private:
  const std::map<std::string, mustache::data>& files_;
  mutable std::set<std::string> missing_;
};

/// The first place where a variable is named, searched in `wanted` before other files.
std::string place_naming(const TemplateKind& kind, const Texts& texts, const std::string& wanted,
                         const std::string& name) {
  std::vector<std::string> order = names_of(texts);
  std::ranges::stable_partition(order, [&](const std::string& file) { return file == wanted; });
  for (const std::string& file : order) {
    const Source source{kind, file, texts.at(file)};
    const auto tags = tags_of(source);
    if (!tags) continue;
    for (const Tag& tag : *tags)
      if (tag.kind != '>' && tag.name == name) return source.place(tag.offset);
  }
  return path_of(kind, wanted);
}

}  // namespace

std::string shown_whole(std::string_view text) {
  constexpr std::size_t kLongestEscape = 4;  // longest escape of one byte
  return sanitise(text, kLongestEscape * text.size() + 1);
}

Result<Templates> Templates::parse(std::map<std::string, std::string> files,
                                   std::span<const std::string> known, TemplateKind kind) {
  const std::vector<std::string> names = names_of(files);
  std::map<std::string, std::vector<Tag>> all;
  for (const auto& [file, text] : files) {
    const Source source{kind, file, text};
    auto tags = KW_TRY(tags_of(source));
    KW_TRY(check_sections(source, tags));
    for (const Tag& tag : tags) {
      const auto& allowed = tag.kind == '>' ? std::span<const std::string>(names) : known;
      if (!contains(allowed, tag.name))
        return fail_input(ErrorCode::NotFound, About{with_nearest(tag.name, allowed)},
                          fmt::format("the template uses the {} '{}', which kw does not provide{}",
                                      tag.kind == '>' ? "file" : "variable", sanitise(tag.name, 60),
                                      suggestion(tag.name, allowed)),
                          source.place(tag.offset));
    }
    all.emplace(file, std::move(tags));
  }
  for (const std::string& file : names) {
    std::vector<std::string> way;
    KW_TRY(check_circles(all, kind, file, way));
  }
  Templates templates;
  templates.texts_ = std::move(files);
  templates.kind_ = std::move(kind);
  return templates;
}

Result<Templates> Templates::open(const DataFiles& data, std::span<const std::string> known,
                                  std::span<const std::string_view> wanted, TemplateKind kind) {
  std::map<std::string, std::string> files;
  // Folders below `kind.folder` hold templates for other purposes.
  for (const auto& [path, text] : data.under(kind.folder))
    if (path.ends_with(kind.extension) && path.find('/') == std::string::npos)
      files.emplace(path.substr(0, path.size() - kind.extension.size()), text);
  for (const std::string_view name : wanted)
    if (!files.contains(std::string(name)))
      return fail_input(ErrorCode::Missing, About{std::string(name)},
                        "this file of the prompts' templates is missing",
                        path_of(kind, std::string(name)));
  return parse(std::move(files), known, std::move(kind));
}

Result<std::string> Templates::render(const std::string& name, const Fields& fields) const {
  const auto found = texts_.find(name);
  if (found == texts_.end())
    return fail_input(
        ErrorCode::NotFound, About{name},
        "there is no prompt template of this name" + suggestion(name, names_of(texts_)),
        path_of(kind_, name));
  const mustache::data data = data_of(fields);
  std::map<std::string, mustache::data> partials;
  for (const auto& [file, text] : texts_) partials.emplace(file, mustache::data(text));
  mustache::mustache file(found->second);
  file.set_custom_escape([escape = kind_.escape](const std::string& text) {
    return escape == nullptr ? text : escape(text);
  });
  StrictContext context(data, partials);
  std::string text = file.render(context);
  if (!file.is_valid())
    return fail_input(ErrorCode::BadInput, file.error_message(), path_of(kind_, name));
  if (!context.missing().empty()) {
    const std::string& variable = *context.missing().begin();
    return fail_input(
        ErrorCode::Missing, About{variable},
        fmt::format("the template names the variable '{}', which is not set here", variable),
        place_naming(kind_, texts_, name, variable));
  }
  return text;
}

}  // namespace kw::memory
