// What stands in a .cu file outside of functions: kernels, device code, host functions, types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "task/code.h"

namespace kw::import {

/// A parameter of a function.
struct FunctionParameter {
  std::string type;  ///< Without const, * and &; words joined by one blank, e.g. "unsigned int".
  std::string name;  ///< May be empty.
  int stars = 0;     ///< Of the pointer; 1 for arrays.
  bool is_const = false;  ///< What it points to, or the value itself.
  bool is_reference = false;
};

struct TemplateParameter {
  std::string kind;  ///< "typename", or the type of a value.
  std::string name;
  bool has_default = false;
  std::string fallback;  ///< The default, in one word; empty: it is longer, or there is none.
};

/// One declaration or definition, or the opening or closing of a namespace.
struct Item {
  enum class Kind {
    Kernel,
    DeviceFunction,
    HostFunction,
    Type,  ///< struct, class, enum, union, typedef, using
    Variable,
    Open,  ///< of a namespace or of extern "C"
    Close,
    Other
  };
  Kind kind = Kind::Other;
  std::size_t begin = 0;  ///< Tokens, half-open.
  std::size_t end = 0;
  std::string name;
  std::string scope;  ///< Namespaces with their `::`; those without a name are left out.
  // Of functions:
  std::vector<TemplateParameter> templates;
  bool is_template = false;
  bool is_constexpr = false;
  bool is_c = false;  ///< extern "C"
  std::size_t parameters_open = 0;
  std::size_t parameters_close = 0;
  std::size_t body_open = 0;  ///< 0: a declaration alone.
  std::size_t body_close = 0;
  std::vector<FunctionParameter> parameters;

  std::string full_name() const { return scope + name; }
  bool is_function() const {
    return kind == Kind::Kernel || kind == Kind::DeviceFunction || kind == Kind::HostFunction;
  }
  bool is_defined() const { return body_open != 0; }
};

/// Total: what cannot be read is an item of kind Other. Linear but for nesting.
std::vector<Item> find_items(const std::vector<task::CodeToken>& tokens);

/// Parameters between the brackets at `open` and `close`.
std::vector<FunctionParameter> read_parameters(const std::vector<task::CodeToken>& tokens,
                                               std::size_t open, std::size_t close);

/// Behind the `>` that closes the `<` at `open`, or `open` where none does before a ; or {.
std::size_t after_angles(const std::vector<task::CodeToken>& tokens, std::size_t open,
                         std::size_t end);

/// The index behind `<<<` that begins at `at`; 0: none does.
std::size_t after_launch_open(const std::vector<task::CodeToken>& tokens, std::size_t at);

}  // namespace kw::import
