// Types such as std::vector<float>, std::span<const T> and std::array<T, N>.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lex/lexer.h"

namespace kw::task {

/// A type made of containers around an element.
struct ContainerType {
  enum class Kind { Vector, Span, Array };
  struct Layer {
    Kind kind = Kind::Vector;
    std::string extent;  ///< Number of elements where the type tells it, else empty.
  };
  std::vector<Layer> layers;  ///< Outermost first; empty: the type holds no container.
  std::string element;        ///< The words of the element's type, without const.
  bool is_const = false;      ///< Whether elements may not be written.
};

/// Reads the type that begins at token `begin` and ends before `end`, past its const, and the
/// names that `using` and `typedef` of the file give to containers. Moves `begin` behind the type.
/// Nothing where no type of containers begins there.
std::optional<ContainerType> read_container(const std::vector<lex::Token>& tokens,
                                            std::size_t& begin, std::size_t end);

}  // namespace kw::task
