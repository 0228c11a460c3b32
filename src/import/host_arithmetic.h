// Evaluates calls of arithmetic functions, such as min(), ceil() and sqrt().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/host_program.h"
#include "import/host_text.h"

namespace kw::import {

struct HostFile;
class TypeCasts;

/// Evaluates calls of functions of arithmetic, which change nothing.
class ArithmeticCalls {
 public:
  ArithmeticCalls(const HostFile& file, HostText& text, Cursor& cursor, TypeCasts& casts)
      : file_(file), text_(text), cursor_(cursor), casts_(casts) {}

  /// The value of the call that has just been read; nothing if the name is no function of
  /// arithmetic.
  std::optional<Value> call(const std::string& name, const std::vector<Value>& values);

 private:
  const HostFile& file_;
  HostText& text_;
  Cursor& cursor_;
  TypeCasts& casts_;
};

}  // namespace kw::import
