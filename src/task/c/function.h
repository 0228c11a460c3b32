// A function definition in a plain C or C++ file: its parameters, and how its body uses them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lex/lexer.h"
#include "record/dtype.h"
#include "task/c/parallel.h"

namespace kw::task {

struct CParameter {
  std::string name;
  Dtype dtype = Dtype::F32;
  bool is_pointer = false;  ///< Whether the parameter is a pointer or an array.
  bool is_const = false;    ///< Whether the data that a pointer points to is const.
  std::vector<std::string>
      bounds;  ///< Sizes of an array parameter, outermost first; the first may be "".
};

struct CFunction {
  std::string name;
  std::vector<CParameter> parameters;
  std::size_t begin = 0;  ///< Token of the return type.
  std::size_t open = 0;   ///< Token of the body's brace.
  std::size_t close = 0;

  const CParameter* find(std::string_view parameter) const;
};

/// All function definitions outside braces or inside extern "C" blocks and namespaces. Their
/// parameters are left empty.
std::vector<CFunction> find_functions(const std::vector<lex::Token>& tokens);

/// The other functions of the file that `function` names, or one that it names, in text order.
std::vector<CFunction> helpers_of(const std::vector<lex::Token>& tokens, const CFunction& function);

/// The definition of the function `wanted`; if empty, the only function that is not static. Errors
/// name the place: there is no such function, it returns a value, or a parameter is neither a
/// number nor an array of numbers.
Result<CFunction> parse_c_function(std::string_view source, std::string_view file,
                                   const std::vector<lex::Token>& tokens, std::string_view wanted);

/// A sum of products of names, the form in which index expressions are compared. A key holds the
/// sorted factors of a product; its value is the product's integer coefficient.
using Polynomial = std::map<std::vector<std::string>, std::int64_t>;

/// The values of lines such as `#define NAME 12`, by macro name.
std::map<std::string, std::int64_t> integer_macros(std::string_view source);

/// The `#define` lines of the source that stand for one number, such as `#define LIMIT 6.0f`.
std::map<std::string, double, std::less<>> number_macros(std::string_view source);

/// What a function body does that no task can hold, at a token.
struct CodeProblem {
  std::size_t token = 0;
  std::string message;
  std::string about;  ///< Short stable name of the problem, for Error::about.
};

/// How a function body uses one pointer parameter.
struct Access {
  bool is_read = false;
  bool is_written = false;
  bool is_read_first = false;  ///< Some element may be read before it is written.
  /// Whether the pointer is passed on or copied, so that further uses of the memory are unknown.
  bool is_escaping = false;
  bool is_accumulated = false;  ///< Elements are updated by `+=` or a similar operator.
  bool is_partial = false;      ///< Written by loops that do not start at 0, or under a condition.
  bool is_unclear = false;      ///< Some of its indices could not be read.
  bool has_offsets = false;     ///< Neighbours are read, as in a stencil.
  std::string row;              ///< Length of a row, if the last size is the distance between rows.
  std::vector<std::string>
      shape;          ///< Sizes as expressions over the parameters; empty: not understood.
  std::string doubt;  ///< What a person should look at about the sizes; empty: nothing.
  std::vector<CodeProblem> problems;  ///< Uses that lie outside the array for certain.
};

/// What the elements of an integer array are to the code.
enum class ElementUse {
  Index,    ///< Indices of another array.
  Offsets,  ///< Where the rows of another array begin, each row ending where the next begins.
  Turns,    ///< Numbers of turns of a loop.
  Search    ///< None: a local variable is the middle of a binary search.
};

struct ElementBound {
  ElementUse use = ElementUse::Index;
  /// Of indices and middles the first number above all; of others the largest.
  Polynomial size;
  std::string of;         ///< The array with these indices, or that is searched; else empty.
  std::size_t token = 0;  ///< Where the code uses them.
  bool is_set = false;    ///< The code assigns to the elements with these indices.
  bool is_guess = false;  ///< Nothing in the code bounds them.
};
/// By the name of the array, or of the local variable.
using ElementBounds = std::map<std::string, ElementBound>;

struct BodyFacts {
  std::map<std::string, Access> accesses;  ///< By pointer parameter.
  ElementBounds elements;            ///< Of the integer arrays that hold places in other arrays.
  std::set<std::string> calculated;  ///< Integer parameters to calculate with; never all of them.
  int loop_depth = 0;
  /// Operations as an expression over the parameters; see CountedWork.
  std::string flops = "0";
  Polynomial work;  ///< The same without the number by which it is divided.
  std::string flops_doubt;
  std::string family;
  std::vector<ParallelPart> parts;  ///< What may run at once; see parallel_parts().
};

BodyFacts study_body(const CFunction& function, const std::vector<lex::Token>& tokens,
                     const std::map<std::string, std::int64_t>& macros);

}  // namespace kw::task
