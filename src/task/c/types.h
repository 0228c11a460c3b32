// Types of C by their names, and the names that a file gives to them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lex/lexer.h"
#include "record/dtype.h"

namespace kw::task {

/// Words of a type by the name that `typedef WORDS NAME;`, `using NAME = WORDS;` or
/// `#define NAME WORDS` gives it. Pointers, arrays and functions have no entry.
using TypeNames = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The names that declarations give, without those of macros.
TypeNames typedefs_of(const std::vector<lex::Token>& tokens);
/// All names: of declarations and of macros.
TypeNames type_names_of(std::string_view source, const std::vector<lex::Token>& tokens);

/// The element type that the words of a type mean, in any order that C allows ("long unsigned
/// int"), where `int` has 32 bits, `long` 64, and `char` is signed, as on x86-64 under Linux.
/// Nothing for other types.
std::optional<Dtype> dtype_of(std::span<const std::string> words, const TypeNames& names = {});

/// The types that dtype_of() knows, for messages.
inline constexpr std::string_view kKnownTypes =
    "float, double, bool, and the integers of 8 to 64 bits, such as int, unsigned char, size_t "
    "and uint32_t";

}  // namespace kw::task
