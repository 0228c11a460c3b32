// Values of a host function, and their arithmetic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "import/host_program.h"
#include "lex/lexer.h"

namespace kw::import {

Value integer(const Size& size);
Value real(const Size& size);
Value text(std::string word);
/// A value that is not known, for the reason `why` at a byte of the source.
Value unknown(std::size_t offset, std::string why);
/// The value of a literal.
Value number_of(const lex::Token& token);

/// Whether both values, or both steps, mean the same, regardless of the place in the source.
bool is_same_value(const Value& a, const Value& b);
bool is_same_step(const Step& a, const Step& b);

/// The value converted to a condition: 1 for memory that exists, 0 for a null pointer and for the
/// status "success".
Value truth(const Value& value);
/// One value that stands for `yes` where the condition holds and for `no` where it does not.
Value merged(const Value& condition, const Value& yes, const Value& no);
/// The value of `a op b` for an operator of C.
Value combine(const std::string& op, const Value& a, const Value& b, std::size_t offset);
bool is_arithmetic(const Value& value);
/// Makes addresses of the caller's variables unknown, since the same names mean other variables in
/// the called function.
void hide_addresses(Value& value);

}  // namespace kw::import
