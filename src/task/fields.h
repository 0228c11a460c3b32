// Reads values from YAML nodes, and collects one line of complaint for each mistake.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expr.h"
#include "record/enums.h"
#include "task/yaml.h"

namespace kw::task {

/// Collects complaints about all files of one task, in the order found.
class Complaints {
 public:
  /// Adds what is wrong at the place `where`, `file:line:column`.
  void add(const std::string& where, About about, std::string_view message);
  bool empty() const { return lines_.empty(); }
  /// An error with the first 20 complaints, one per line, and the number of further ones. What it
  /// is about has one line `WHERE ABOUT` per complaint.
  Error to_error() const;

 private:
  std::vector<std::string> lines_;
  std::vector<std::string> abouts_;
};

/// Collects complaints about one file, as `file:line:column: message`.
class FileReport {
 public:
  FileReport(std::string file, Complaints& all) : file_(std::move(file)), all_(&all) {}
  /// `about` is a short stable name of what is wrong, whatever the words of the message.
  void add(Position place, About about, std::string_view message);
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  Complaints* all_;
};

/// An expression with the position of its text in the file.
struct Formula {
  Expr expr;
  Position place;
};

/// Returns the node's text. This function and the similar ones below complain and return nothing if
/// the node has the wrong kind; `what` names the field in the complaint.
std::optional<std::string> read_text(FileReport& report, const Yaml& node, std::string_view what);
std::optional<std::string> read_identifier(FileReport& report, const Yaml& node,
                                           std::string_view what);
/// Whether the node's text is a plain number rather than a formula over names.
bool is_number(const Yaml& node);
std::optional<double> read_number(FileReport& report, const Yaml& node, std::string_view what);
std::optional<std::int64_t> read_integer(FileReport& report, const Yaml& node,
                                         std::string_view what);
std::optional<bool> read_flag(FileReport& report, const Yaml& node, std::string_view what);
/// Reads an expression; complains about names outside `known`.
std::optional<Formula> read_formula(FileReport& report, const Yaml& node, std::string_view what,
                                    std::span<const std::string> known);
/// Reads a word that must be one of `names`, and returns its index in `names`.
std::optional<std::size_t> read_choice(FileReport& report, const Yaml& node, std::string_view what,
                                       std::span<const std::string_view> names);

template <class E>
std::optional<E> read_enum(FileReport& report, const Yaml& node, std::string_view what) {
  const auto index = read_choice(report, node, what, EnumNames<E>::names);
  if (!index) return std::nullopt;
  return static_cast<E>(*index);
}

/// The items of a list; complains and returns an empty list if the node is not a list.
std::span<const Yaml> read_list(FileReport& report, const Yaml& node, std::string_view what);

/// A mapping with a fixed set of keys. An unknown key is a complaint that suggests the most similar
/// allowed key.
class Section {
 public:
  Section(FileReport& report, const Yaml& node, std::string_view what,
          std::vector<std::string> known);

  const Yaml* find(std::string_view key) const { return node_.find(key); }
  /// Returns the key's value; complains and returns null if the key is missing.
  const Yaml* require(std::string_view key) const;

 private:
  FileReport& report_;
  const Yaml& node_;
  std::string what_;
};

/// Entries of a mapping whose keys are arbitrary; complains and returns none if the node is not a
/// mapping.
std::span<const YamlEntry> read_entries(FileReport& report, const Yaml& node,
                                        std::string_view what);

}  // namespace kw::task
