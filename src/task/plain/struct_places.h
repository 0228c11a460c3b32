// What the names of structs stand for in a function's body: parameters, elements, local variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "task/plain/edits.h"
#include "task/plain/site_reader.h"
#include "task/plain/struct_layout.h"

namespace kw::task {

/// A name for a struct or for an array of structs.
struct StructName {
  enum class Kind {
    Array,    ///< A parameter with an index.
    Single,   ///< A parameter that is one struct.
    Element,  ///< A reference or pointer to an element of an array.
    Local     ///< A variable of its own.
  };
  Kind kind = Kind::Local;
  std::string name;
  const StructLayout* layout = nullptr;
  std::string array = {};  ///< The array that an element lies in.
  std::string index = {};  ///< The element's index.
  std::size_t from = 0;    ///< Tokens in which the name means this.
  std::size_t to = 0;
  bool is_pointer = false;
};

/// A struct as the code reaches it, such as `b[i]`, `*p` or `q`.
struct StructPlace {
  const StructName* name = nullptr;
  std::string index;       ///< Of an array.
  std::size_t end = 0;     ///< One past its last token.
  bool is_movable = true;  ///< Its index is a sum of products of names and numbers.
};

/// A parameter whose type is a struct, or an array of structs.
struct StructParameter {
  ParameterTokens tokens;
  std::string name;
  const StructLayout* layout = nullptr;
  bool is_const = false;
  bool is_pointer = false;
  bool is_reference = false;
  std::string bound;  ///< The size of an array, where it is written.
  bool is_array = false;
  bool is_deep = false;  ///< An array of arrays, or a pointer to pointers.
};

/// The parameters of structs. Those with an index, or whose pointer is moved, are arrays.
std::vector<StructParameter> struct_parameters(const SiteReader& reader, const Structs& structs);

/// Takes out the file's other functions with structs, which would be left with types that a draft
/// does not know. Error: the site's function calls one of them.
Result<> drop_unused_helpers(const SiteReader& reader, const Structs& structs, TokenEdits& edits);

/// The numbers of a struct's member as code: `b[i][3]` of an array of structs of one type, `b_x[i]`
/// of others, `p_x` of a single one.
std::string member_text(const StructName& name, const std::string& index,
                        const StructMember& member, std::size_t element = 0);

/// The declaration of a local struct's member as a variable, without its value.
std::string local_declaration(const StructName& local, const StructMember& member, bool is_const);

/// The element `element` of a member that is an array, as indices: "[1][2]".
std::string element_indices(const StructMember& member, std::size_t element);

/// The member of the path that begins with the `.` or `->` at token `at`; moves `at` behind it.
const StructMember* read_member(const SiteReader& reader, const StructLayout& layout,
                                std::size_t& at);

}  // namespace kw::task
