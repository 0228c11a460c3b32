// Templates: mustache files whose every variable must be set, rendered with the escaping of their
// kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "memory/data_files.h"

namespace kw::memory {

/// sanitise() without a limit.
std::string shown_whole(std::string_view text);

struct Field;
using Fields = std::map<std::string, Field, std::less<>>;

/// What a template's variable stands for: a text, a condition, or items for a section.
struct Field {
  std::variant<std::string, bool, std::vector<Fields>> value;
};

/// What a folder of templates is made of.
struct TemplateKind {
  std::string folder = "prompts";  ///< For places in messages.
  std::string extension = ".md";   ///< Of its files; their names go without it.
  /// What {{name}} passes a value through, so that whatever a prompt is made of is safe to show;
  /// none: values go in as they are, as {{{name}}} always does.
  std::string (*escape)(std::string_view) = shown_whole;
};

/// The files of one folder by name without extension. Values are never read as templates.
class Templates {
 public:
  /// Errors name file and line: a tag that is not closed, a variable outside `known` with the
  /// nearest one, a partial that is no file, files that include each other in a circle, delimiters
  /// that are changed.
  static Result<Templates> parse(std::map<std::string, std::string> files,
                                 std::span<const std::string> known, TemplateKind kind = {});

  /// Those that lie directly in `kind.folder` of the program's data. Errors: as of parse(), and one
  /// of `wanted` is missing.
  static Result<Templates> open(const DataFiles& data, std::span<const std::string> known,
                                std::span<const std::string_view> wanted, TemplateKind kind = {});

  bool has(const std::string& name) const { return texts_.contains(name); }
  /// Error: a variable that was named where the text went and that `fields` does not set, or an
  /// unknown file. Pure; about a microsecond per tag.
  Result<std::string> render(const std::string& name, const Fields& fields) const;

 private:
  std::map<std::string, std::string> texts_;
  TemplateKind kind_;
};

}  // namespace kw::memory
