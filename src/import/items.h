// The declarations of a .cu file that stand outside of functions: kernels, device code, host
// functions, types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lex/lexer.h"

namespace kw::import {

/// A parameter of a function.
struct FunctionParameter {
  /// The type without const, * and &; its words are joined by one blank, e.g. "unsigned int".
  std::string type;
  std::string name;       ///< May be empty.
  int stars = 0;          ///< Levels of pointers; 1 for arrays.
  bool is_const = false;  ///< Whether the value, or what a pointer points to, is const.
  bool is_reference = false;
  /// Range of tokens of the default argument; begin and end are equal if there is none.
  std::size_t default_begin = 0;
  std::size_t default_end = 0;
};

struct TemplateParameter {
  std::string kind;  ///< "typename", or the type of a value.
  std::string name;
  bool has_default = false;
  /// The default argument if it is a single word; empty if it is longer or missing.
  std::string fallback;
};

/// One declaration or definition at file level, or the opening or closing of a namespace.
struct Item {
  enum class Kind {
    Kernel,
    DeviceFunction,
    HostFunction,
    Type,  ///< struct, class, enum, union, typedef, using
    Variable,
    Open,  ///< The opening of a namespace or of an extern "C" block.
    Close,
    Other
  };
  Kind kind = Kind::Other;
  std::size_t begin = 0;  ///< The first token of the item.
  std::size_t end = 0;
  std::string name;
  std::string scope;  ///< The namespaces around the item, with `::`; unnamed ones are left out.
  // The following fields are for functions only.
  std::vector<TemplateParameter> templates;
  bool is_template = false;
  bool is_constexpr = false;
  bool is_c = false;  ///< Whether the function has C linkage.
  std::size_t parameters_open = 0;
  std::size_t parameters_close = 0;
  /// Token of the body's opening brace; 0: the item is a declaration without a body.
  std::size_t body_open = 0;
  std::size_t body_close = 0;
  std::vector<FunctionParameter> parameters;

  std::string full_name() const { return scope + name; }
  bool is_function() const {
    return kind == Kind::Kernel || kind == Kind::DeviceFunction || kind == Kind::HostFunction;
  }
  bool is_defined() const { return body_open != 0; }
};

/// Splits any text into items; unreadable parts become items of kind Other. Takes linear time
/// except for nesting.
std::vector<Item> find_items(const std::vector<lex::Token>& tokens);

/// The parameters between the brackets at `open` and `close`.
std::vector<FunctionParameter> read_parameters(const std::vector<lex::Token>& tokens,
                                               std::size_t open, std::size_t close);

/// The index after the `>` that closes the `<` at `open`; `open` if a ; or { comes before any such
/// `>`.
std::size_t after_angles(const std::vector<lex::Token>& tokens, std::size_t open, std::size_t end);

/// The index after the `<<<` that begins at `at`; 0 if no launch begins there.
std::size_t after_launch_open(const std::vector<lex::Token>& tokens, std::size_t at);

}  // namespace kw::import
