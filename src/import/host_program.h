// What a host function does with the device, read without running it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "import/foreign_source.h"
#include "import/items.h"
#include "import/size.h"

namespace kw::import {

/// What an expression of the host program stands for.
struct Value {
  enum class Kind {
    Unknown,
    Int,
    Real,
    Dim3,
    Pointer,  ///< Into a buffer of the device.
    Tensor,   ///< PyTorch's.
    List,     ///< In braces, or an array.
    Struct,
    Text,  ///< A string, or an enumerator of a library.
    Lambda,
    Kernel,
    Reference,  ///< The address of a variable.
    Stream,
    Null,
    Host  ///< Memory of the host.
  };
  Kind kind = Kind::Unknown;
  Size size;                 ///< Int, Real; Pointer: bytes behind the buffer's begin.
  int buffer = -1;           ///< Pointer, Tensor.
  std::string word;          ///< Unknown: why. Else a name or a type, as the kind wants.
  std::size_t offset = 0;    ///< Unknown: where in the text.
  std::vector<Value> parts;  ///< Dim3, List, Struct; Tensor: known sizes; Lambda: its parameters.
  std::vector<std::string> names;  ///< Struct: fields. Kernel: template arguments.
  std::size_t begin = 0;           ///< Lambda: tokens of its body.
  std::size_t end = 0;
  const std::vector<task::CodeToken>* tokens = nullptr;  ///< Lambda: what it was written in.

  bool is(Kind wanted) const { return kind == wanted; }
};

/// `word` of an unknown value whose cause is reported at another place.
inline constexpr std::string_view kToldElsewhere = "told elsewhere";

/// Memory of the device.
struct Buffer {
  enum class Origin { Argument, Allocated };
  std::string name;
  Origin origin = Origin::Argument;
  std::string element;  ///< Its type as written; empty: not said.
  bool is_const = false;
  bool is_tensor = false;    ///< An argument that is a tensor of PyTorch.
  bool is_uploaded = false;  ///< Filled from memory of the host.
  bool is_downloaded = false;
  bool is_returned = false;
  bool is_zeroed = false;  ///< Before anything else is done to it.
  bool is_touched = false;
  int stands_for = -1;  ///< The argument whose contents it holds.
  Size bytes;           ///< Of what is allocated.
  bool has_bytes = false;
  std::string host_name;     ///< What it is filled from or copied to.
  std::vector<Value> sizes;  ///< Of a tensor that is made here.
  int like = -1;             ///< The tensor that has the same sizes.
  std::size_t offset = 0;    ///< In the text.
};

/// One step of the plan.
struct Step {
  enum class Kind { Launch, Fill, Copy, For, When, Else, End };  ///< The first three do work.
  Kind kind = Kind::Launch;
  std::size_t offset = 0;
  const Item* kernel = nullptr;
  std::vector<std::string> templates;
  std::vector<Size> grid;
  std::vector<Size> block;
  Size shared;
  bool is_cooperative = false;
  std::vector<Value> arguments;
  std::vector<std::size_t> places;  ///< Of the arguments, in the text.
  Value target;                     ///< Fill, Copy: a pointer.
  Value source;                     ///< Copy.
  Size bytes;                       ///< Fill, Copy.
  std::string fill;                 ///< The value in the plan language.
  std::string name;                 ///< For
  Size low, high, stride;           ///< For; When: the condition is `low`.
};

struct Remark {
  std::size_t offset = 0;
  std::string text;
};

struct HostProgram {
  const Item* function = nullptr;
  std::vector<Buffer> buffers;
  std::vector<std::string> integers;  ///< Integer parameters, and what main() reads.
  std::vector<std::string> reals;     ///< Real parameters.
  std::vector<Step> steps;
  std::vector<Remark> missing;
  std::vector<Remark> notes;
  std::map<std::string, std::string> nicknames;  ///< `x#0`, the size of a tensor, to a variable.
  bool is_main = false;
};

/// What types the file names otherwise, and what PyTorch's scalar_t is.
struct TypeNames {
  std::map<std::string, std::string> aliases;
  std::string real = "float";
};

/// The type in the words of device code: `at::Half` as `__half`, `scalar_t` as the task's.
std::string device_type(std::string_view type, const TypeNames& names);
/// Bytes of a type of device_type(); 0: not known.
int bytes_of_type(std::string_view type);

/// Follows `function` and the host functions that it calls. `type_names` says what scalar_t is.
/// Total; bounded in time and memory whatever the text.
HostProgram read_host_program(const ForeignSource& source, const std::vector<Item>& items,
                              const Item& function, const TypeNames& type_names);

}  // namespace kw::import
