// What the sizes of containers become: integers that are passed, or numbers that types tell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "task/plain/container_type.h"
#include "task/plain/edits.h"
#include "task/plain/site_reader.h"

namespace kw::task {

struct ContainerParameter {
  ParameterTokens tokens;
  ContainerType type;
  std::string name;
  bool is_reference = false;
  bool may_be_written = false;
};

/// Finds which containers have one size, and takes out the statements that say so: comparisons that
/// end the function where sizes differ, and resize() and assign() at its beginning. Borrows all
/// arguments.
class ContainerSizes {
 public:
  ContainerSizes(const SiteReader& reader, std::vector<ContainerParameter>& parameters,
                 TokenEdits& edits);

  Result<> find();

  /// The size of a container that lies inside of `layer` others. Remembers that it is used.
  std::string text(std::size_t parameter, std::size_t layer);
  /// The same in place of the tokens from `begin` to below `end`: with a cast to size_t where the
  /// type of the number may matter.
  std::string text_at(std::size_t parameter, std::size_t layer, std::size_t begin, std::size_t end);

  /// Names of the sizes that are used, to be passed behind the parameter.
  std::vector<std::string> parameters_behind(std::size_t parameter) const;
  /// What a person should know about the sizes of the parameter.
  const std::vector<std::string>& notes(std::size_t parameter) const {
    return sizes_[parameter].notes;
  }
  /// The names that were given to new variables.
  std::vector<std::string>& given() { return given_; }

 private:
  struct Size {
    std::vector<std::string> names;  ///< Of each layer, once it is used.
    std::size_t like = 0;            ///< The parameter that has the same size; itself: none.
    std::string known;               ///< What the outermost size is, where the code says so.
    std::vector<std::string> notes;
  };
  /// One side of a comparison: the size of a container, or an integer.
  struct Operand {
    std::optional<std::size_t> parameter;
    std::string integer;
  };

  bool at(std::size_t i, std::string_view text) const { return reader_.at(i, text); }
  std::optional<std::size_t> parameter_at(std::size_t token) const;
  std::size_t root(std::size_t parameter) const;
  void join(std::size_t a, const Operand& b);
  std::optional<Operand> operand(std::size_t begin, std::size_t end) const;
  bool read_comparison(std::size_t begin, std::size_t end, std::string_view op,
                       std::vector<std::pair<std::size_t, Operand>>& found) const;
  void find_check(std::size_t i);
  Result<> find_resize(std::size_t i);
  void find_fill(std::size_t i);
  bool is_statement(std::size_t i) const;
  bool is_plain_here(std::size_t begin, std::size_t end) const;
  std::string loop(std::size_t parameter, const std::string& value);

  const SiteReader& reader_;
  const PlainSite& site_;
  std::vector<ContainerParameter>& parameters_;
  TokenEdits& edits_;
  std::vector<Size> sizes_;
  std::vector<std::string> given_;
};

}  // namespace kw::task
