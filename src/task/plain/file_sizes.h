// Tells which constants of a file are sizes, so that a task can vary them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "task/plain/edits.h"
#include "task/plain/file_variables.h"
#include "task/plain/site_reader.h"

namespace kw::task {

/// What the function of a site uses of its file.
struct FileUses {
  const std::vector<FileVariable>& variables;  ///< All of the file.
  std::vector<const FileVariable*> arrays;     ///< Those that become parameters.
  std::vector<const FileVariable*> constants;  ///< Those with a value that never changes.
  const std::vector<CFunction>& helpers;
};

/// The macros and constants that give sizes to the arrays, or bound the function's loops, and that
/// nothing needs as constants. Borrows the reader and the uses.
class FileSizes {
 public:
  FileSizes(const SiteReader& reader, const FileUses& uses);

  bool is_size(std::string_view name) const { return sizes_.contains(name); }
  /// A parameter for each size, such as "int n".
  std::vector<std::string> parameters() const;
  /// The size of an array over sizes and numbers.
  std::string bound_text(TokenRange bound) const;
  /// Takes out the macros that became parameters, and writes what other macros make of them.
  void rewrite(TokenEdits& edits) const;
  std::vector<std::string> notes() const;

 private:
  struct Macro {
    const lex::Directive* directive = nullptr;
    std::vector<std::string> body;
  };

  void read_macros();
  const FileVariable* constant(std::string_view name) const;
  std::string expanded(const std::vector<std::string>& words, int depth) const;
  void add_words(std::set<std::string, std::less<>>& names, const std::vector<std::string>& words,
                 int depth) const;
  std::vector<std::string> words_of(TokenRange range) const;
  std::set<std::string, std::less<>> loop_names(bool of_steps) const;
  bool has_integer_parameter() const;
  bool can_vary(const std::string& name) const;
  bool bounds_a_table(const std::set<std::string, std::less<>>& names) const;
  bool is_named_by_a_helper(std::string_view name) const;

  const SiteReader& reader_;
  const FileUses uses_;
  TokenRange code_;
  std::map<std::string, std::vector<Macro>, std::less<>> macros_;  ///< Those without arguments.
  std::map<std::string, std::string, std::less<>> values_;  ///< Of the constants that are a number.
  std::map<std::string, std::string, std::less<>> sizes_;   ///< The type of each size.
  std::vector<std::string> order_;                          ///< The sizes, as the file has them.
};

}  // namespace kw::task
