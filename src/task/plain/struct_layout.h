// The structs that a file defines, as lists of numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lex/lexer.h"

namespace kw::task {

/// A member of a struct that holds numbers; members of inner structs count as the outer one's.
struct StructMember {
  std::vector<std::string> path;     ///< Its name; behind the names of inner structs around it.
  std::string type;                  ///< Its words, with const.
  std::vector<std::string> bounds;   ///< Sizes of an array, as written.
  std::vector<std::int64_t> counts;  ///< The same as numbers; 0 where they are none.
  std::size_t stars = 0;             ///< Of a pointer.
  bool is_container = false;         ///< Such as std::vector<float>.
  std::int64_t place = 0;            ///< Numbers before it in the struct.

  /// The numbers that it holds; 0 where that is not known.
  std::int64_t count() const;
  /// Its path as one name, such as "pos_x".
  std::string flat_name() const;
};

struct StructLayout {
  std::vector<StructMember> members;
  std::string element;     ///< The type of all numbers; empty where they differ.
  std::int64_t count = 0;  ///< Of numbers in it, where all have one type.
  std::string problem;     ///< What is no list of numbers, such as "a function"; empty: nothing.
};

/// By name, and by each name that `typedef` or `using` gives; structs of structs are laid out.
using Structs = std::map<std::string, StructLayout, std::less<>>;
Structs structs_of(std::string_view source, const std::vector<lex::Token>& tokens);

}  // namespace kw::task
