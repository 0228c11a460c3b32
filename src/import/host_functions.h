// Interprets calls of the file's own functions, with references and default arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/host_program.h"
#include "import/host_text.h"
#include "import/host_variables.h"

namespace kw::import {

struct HostParts;

/// The functions around the current statement.
struct CallStack {
  std::vector<const Item*> callers;
  /// Tokens and scopes of the functions around the current one, whose variables a lambda may read.
  std::vector<std::pair<const Tokens*, Scopes*>> frames;
};

/// Interprets the bodies of functions of the file: binds their parameters, follows their
/// statements, and writes back what they set by reference. It keeps the tokens of bodies.
class FunctionReader {
 public:
  explicit FunctionReader(HostParts& all) : all_(all) {}

  /// The value of the call; nothing if the file has no such function.
  std::optional<Value> call_own(const std::string& name, const std::vector<std::string>& templates,
                                const std::vector<Value>& values, std::size_t open,
                                std::size_t offset);
  /// Interprets the body of a function or lambda whose parameters are in scope, and returns its
  /// result.
  Value run_body(const Tokens& tokens, std::size_t begin, std::size_t end, bool* is_certain);
  /// The tokens of the function's body, with macros replaced.
  const Tokens& body_of(const Item& function);
  /// Refuses a function that contains text of which it is unknown whether the preprocessor drops
  /// it.
  void check_text(const Item& function);
  /// The value of a parameter's default argument, which can use only global names.
  Value default_of(const FunctionParameter& parameter);
  /// The scope and name of the variable that is passed as argument `index`; nothing if the argument
  /// is no variable.
  std::optional<std::pair<std::size_t, std::string>> place_of_argument(std::size_t open,
                                                                       std::size_t index);
  /// Binds the types and numbers of a function template: first the arguments given in angle
  /// brackets, then types deduced from pointers, then defaults.
  void bind_templates(const Item& function, const std::vector<std::string>& templates,
                      const std::vector<Value>& values, Scopes& scopes);

 private:
  /// Scopes and names of variables, by the index of the parameter to which they are passed.
  using References = std::map<std::size_t, std::pair<std::size_t, std::string>>;
  struct Ended {  ///< A call whose body has been interpreted.
    const Item& function;
    const Tokens& body;
    const References& references;
    bool is_certain;  ///< Whether the function runs to its end.
  };
  void check_macro(const std::string& name, std::size_t offset, int depth);
  std::optional<Value> refuse(const Item& function, const std::string& name, std::size_t offset);
  References references_of(const Item& function, const std::vector<Value>& values,
                           std::size_t open);
  Scopes bind_arguments(const Item& function, const std::vector<std::string>& templates,
                        const std::vector<Value>& values, std::size_t offset);
  void write_back(const Ended& call, Scopes& ended, std::size_t offset);

  HostParts& all_;
  std::map<const Item*, Tokens> bodies_;
  std::map<std::size_t, Tokens> defaults_;  ///< Default arguments, by their first token.
};

}  // namespace kw::import
