// Templates: mustache files whose every variable must be set, rendered without any escaping.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace kw::propose {

struct Field;
using Fields = std::map<std::string, Field, std::less<>>;

/// What a template's variable stands for: a text, a condition, or items for a section.
struct Field {
  std::variant<std::string, bool, std::vector<Fields>> value;
};

/// The files of one folder by name without ".md". Values are inserted as they are and never read as
/// templates.
class Templates {
 public:
  /// Errors name file and line: a tag that is not closed, a variable outside `known` with the
  /// nearest one, a partial that is no file, files that include each other in a circle, delimiters
  /// that are changed.
  static Result<Templates> parse(std::map<std::string, std::string> files,
                                 std::span<const std::string> known);

  bool has(const std::string& name) const { return texts_.contains(name); }
  /// Error: a variable that was named where the text went and that `fields` does not set, or an
  /// unknown file. Pure; about a microsecond per tag.
  Result<std::string> render(const std::string& name, const Fields& fields) const;

 private:
  std::map<std::string, std::string> texts_;
};

}  // namespace kw::propose
