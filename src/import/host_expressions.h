// Evaluates expressions of a host function to sizes, pointers, and other arguments of launches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "import/host_program.h"

namespace kw::import {

struct HostParts;

/// Reads expressions by C's grammar. It moves the cursor, and leaves names, calls and assignments
/// to their readers.
class ExpressionReader {
 public:
  explicit ExpressionReader(HostParts& all) : all_(all) {}

  /// The value of the expression among the tokens; unknown where a part cannot be followed.
  Value evaluate(std::size_t begin, std::size_t end);
  /// These read the longest expression of their kind at the cursor, and move it behind the text.
  Value assignment();
  Value unary();
  Value braces();
  /// The arguments in the parentheses at the cursor; `places` gets the bytes at which they begin.
  std::vector<Value> arguments(std::vector<std::size_t>* places = nullptr);

 private:
  Value conditional();
  Value only_if(const Value& condition, bool wanted, const std::function<Value()>& part);
  Value binary(int level);
  Value operand_of(const lex::Token& token);
  Value sign(const lex::Token& token);
  Value pointee(const lex::Token& token);
  Value new_object(const lex::Token& token);
  Value postfix();
  Value element(const Value& object, const Value& index);
  Value member(const Value& object, bool& is_done);
  Value primary();

  HostParts& all_;
};

}  // namespace kw::import
