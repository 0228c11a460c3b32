// Evaluates names in the expressions of a host function: variables, constants, macros and casts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "import/host_program.h"
#include "import/host_text.h"

namespace kw::import {

struct HostParts;

/// Reads expressions that begin with a name, and keeps the values of names that the file defines.
class NameReader {
 public:
  explicit NameReader(HostParts& all) : all_(all) {}

  /// The value of the expression at the cursor that begins with a name: a launch, a call, a cast, a
  /// kernel or a variable.
  Value named();
  /// The value of a variable, macro or constant.
  Value lookup(const std::string& name);
  /// The value of a name that is no local variable: a macro, a constant of the file, or a word of a
  /// library.
  Value global(const std::string& name);

 private:
  bool template_arguments(const std::string& name, std::vector<std::string>& templates);
  std::string template_argument(std::size_t from, std::size_t to);
  Value cast_expression(std::string_view word);

  HostParts& all_;
  std::map<std::string, Value> globals_;
  std::map<const Macro*, Tokens> macro_bodies_;
  std::set<std::string> resolving_;  ///< Names whose values are being read.
};

}  // namespace kw::import
