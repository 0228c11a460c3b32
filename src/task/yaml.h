// YAML as a small tree that holds only what task files need, safe to use on untrusted text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"

namespace kw::task {

struct YamlEntry;

/// One node of the tree. Anchors, aliases and tags are refused, so the tree is at most as large as
/// its text.
struct Yaml {
  enum class Kind { Null, Scalar, Sequence, Mapping };

  Kind kind = Kind::Null;
  Position place;
  bool is_quoted = false;  ///< A quoted scalar is text even where it looks like a number.
  std::string scalar;
  std::vector<Yaml> items;
  std::vector<YamlEntry> entries;  ///< In file order; keys are scalars, each once.

  const Yaml* find(std::string_view key) const;

  // These functions are defined in yaml.cc, where YamlEntry is complete.
  Yaml();
  Yaml(const Yaml&);
  Yaml(Yaml&&) noexcept;
  Yaml& operator=(const Yaml&);
  Yaml& operator=(Yaml&&) noexcept;
  ~Yaml();
};

struct YamlEntry {
  Yaml key;
  Yaml value;
};

std::string_view name_of(Yaml::Kind kind);

/// Size in bytes of the largest YAML file that is read.
constexpr std::size_t kMaxYamlBytes = 1 << 20;

/// Parses one document; an empty text gives a Null node. Errors are one line, `origin:line:column:
/// message`: malformed YAML, bytes that are not UTF-8, duplicate keys, aliases, tags, nesting
/// deeper than 16 levels.
Result<Yaml> parse_yaml(std::string_view text, std::string_view origin);

}  // namespace kw::task
