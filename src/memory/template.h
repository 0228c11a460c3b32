// Templates: mustache files in which every variable must be set; values are escaped as the kind of
// file requires.
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

/// The text made safe to show by sanitise(), without a limit on its length.
std::string shown_whole(std::string_view text);

struct Field;
using Fields = std::map<std::string, Field, std::less<>>;

/// The value of a template's variable: a text, a condition, or items for a section.
struct Field {
  std::variant<std::string, bool, std::vector<Fields>> value;
};

/// Describes a folder of templates.
struct TemplateKind {
  std::string folder = "prompts";  ///< The folder's name in messages.
  std::string extension = ".md";  ///< The files' extension, which is not part of a template's name.
  /// The function that {{name}} applies to a value, by default one that makes any text safe to
  /// show; null: values stay as they are, as with {{{name}}}.
  std::string (*escape)(std::string_view) = shown_whole;
};

/// The template files of one folder, by name without extension. Values are never read as templates.
class Templates {
 public:
  /// Errors name file and line: a tag that is not closed, a variable outside `known` (with the
  /// nearest known one), a partial that is no file, files that include each other in a circle,
  /// changed delimiters.
  static Result<Templates> parse(std::map<std::string, std::string> files,
                                 std::span<const std::string> known, TemplateKind kind = {});

  /// Reads the files that lie directly in `kind.folder` of the program's data. Errors: those of
  /// parse(), and a file of `wanted` that is missing.
  static Result<Templates> open(const DataFiles& data, std::span<const std::string> known,
                                std::span<const std::string_view> wanted, TemplateKind kind = {});

  bool has(const std::string& name) const { return texts_.contains(name); }
  /// The rendered template. Error: a variable was used that `fields` does not set, or the file is
  /// unknown. Pure; about a microsecond for each tag.
  Result<std::string> render(const std::string& name, const Fields& fields) const;

 private:
  std::map<std::string, std::string> texts_;
  TemplateKind kind_;
};

}  // namespace kw::memory
