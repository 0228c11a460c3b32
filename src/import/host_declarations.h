// Interprets the declarations of variables, references and arrays in a host function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "import/host_program.h"
#include "import/host_text.h"

namespace kw::import {

struct HostParts;

/// Interprets declarations: adds their variables to the innermost scope, and names to the buffers
/// and sizes that they hold.
class DeclarationReader {
 public:
  explicit DeclarationReader(HostParts& all) : all_(all) {}

  /// Interprets the tokens as a declaration; false, with nothing changed, if they are none.
  bool declaration(std::size_t begin, std::size_t end);
  /// Adds a variable with the value converted to its type.
  void declare(const std::string& name, const TypeAt& type, Value value);

 private:
  std::size_t declarator(const TypeAt& type, std::size_t name, std::size_t end);
  Value array_of(const TypeAt& type, const std::string& name, Value value, const Value& extent,
                 int dimensions);

  HostParts& all_;
};

}  // namespace kw::import
