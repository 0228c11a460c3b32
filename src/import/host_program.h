// What a host function does with the device, as found by interpreting its text without running it.
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

/// The value of an expression in the host program, as far as it is known before the program runs.
struct Value {
  enum class Kind {
    Unknown,
    Int,
    Real,
    Dim3,
    Pointer,  ///< An address in a buffer of device memory.
    Tensor,   ///< A tensor of PyTorch.
    List,     ///< A list in braces, or an array.
    Struct,
    Text,  ///< A string, or an enumerator of a library.
    Lambda,
    Kernel,
    Reference,  ///< The address of a variable.
    Stream,
    Null,
    Host  ///< A block of host memory.
  };
  Kind kind = Kind::Unknown;
  Size size;         ///< Int, Real: the value. Pointer: bytes from the beginning of the buffer.
  int buffer = -1;   ///< Pointer, Tensor: index of the buffer.
  std::string word;  ///< Unknown: the reason. Text, Kernel and others: the name or type.
  std::size_t offset = 0;  ///< Unknown: byte of the text that is the cause.
  /// Dim3, List, Struct: the elements. Tensor: the sizes that are known. Lambda: the parameters.
  std::vector<Value> parts;
  std::vector<std::string> names;  ///< Struct: names of fields. Kernel: template arguments.
  std::size_t begin = 0;           ///< Lambda: the first token of its body.
  std::size_t end = 0;
  /// Lambda: the token list that contains its body.
  const std::vector<lex::Token>* tokens = nullptr;
  std::size_t depth = 0;  ///< Lambda: number of visible scopes. Reference: scope of the variable.
  std::vector<Value> captured;  ///< Lambda: values captured by copy, named in `names`.

  bool is(Kind wanted) const { return kind == wanted; }
};

/// The `word` of an unknown value whose cause is already reported elsewhere.
inline constexpr std::string_view kToldElsewhere = "told elsewhere";

/// A block of device memory.
struct Buffer {
  enum class Origin { Argument, Allocated };
  std::string name;
  Origin origin = Origin::Argument;
  std::string element;  ///< The element type as written; empty: the program does not say.
  bool is_const = false;
  bool is_tensor = false;    ///< An argument that is a tensor of PyTorch.
  bool is_uploaded = false;  ///< Filled from memory of the host.
  bool is_downloaded = false;
  bool is_returned = false;
  bool is_zeroed = false;  ///< Zeroed before any other use.
  bool is_touched = false;
  bool is_used = false;  ///< A launch or copy has used it.
  /// A launch wrote the buffer after it was last copied to the host, at offset `changed_at`.
  bool is_changed = false;
  std::size_t changed_at = 0;
  int depth = 0;        ///< How many undecided branches and loops were around the allocation.
  int stands_for = -1;  ///< Index of the argument copied into the buffer; -1: none.
  Size bytes;           ///< The size of an allocated buffer.
  bool has_bytes = false;
  /// The host variable whose contents are copied to the buffer, or to which the buffer is copied.
  std::string host_name;
  std::vector<Value> sizes;  ///< The sizes of a tensor that the program creates.
  int like = -1;             ///< Index of a tensor with the same sizes; -1: none known.
  std::size_t offset = 0;    ///< Byte of the text at which the buffer appears.
};

/// One step of the host function's work, from which a line of the plan is written.
struct Step {
  /// Kinds of steps. Launch, Fill and Copy do work; the others are control flow.
  enum class Kind { Launch, Fill, Copy, For, When, Else, End, Require };
  Kind kind = Kind::Launch;
  std::size_t offset = 0;
  const Item* kernel = nullptr;
  std::vector<std::string> templates;
  std::vector<Size> grid;
  std::vector<Size> block;
  Size shared;
  bool is_cooperative = false;
  std::vector<Value> arguments;
  std::vector<std::size_t> places;  ///< Bytes of the text at which the arguments begin.
  Value target;                     ///< Fill, Copy: the pointer to the memory that is written.
  Value source;                     ///< Copy: the memory that is read.
  Size bytes;                       ///< Fill, Copy: the number of bytes.
  std::string fill;                 ///< Fill: the value in the plan language.
  std::string name;                 ///< For: the counter's name.
  Size low, high, stride;  ///< For: the counter's range. When, Require: the condition is `low`.
};

struct Remark {
  std::size_t offset = 0;
  std::string about;  ///< Short stable name of what is missing; empty in notes.
  std::string text;
};

struct HostProgram {
  const Item* function = nullptr;
  std::vector<Buffer> buffers;
  std::vector<std::string> integers;  ///< Integer parameters, and integers that main() reads.
  std::vector<std::string> reals;     ///< Real parameters.
  std::vector<Step> steps;
  std::vector<Remark> missing;
  std::vector<Remark> notes;
  /// By internal name of a tensor's size, such as `x#0`: the name of the variable that holds the
  /// size.
  std::map<std::string, std::string> nicknames;
  bool is_main = false;
};

/// Aliases for types that the file defines, and the type for which PyTorch's scalar_t stands.
struct TypeNames {
  std::map<std::string, std::string> aliases;
  std::string real = "float";
};

/// The name of a host type in device code: `__half` for `at::Half`, the task's type for `scalar_t`.
std::string device_type(std::string_view type, const TypeNames& names);
/// The size in bytes of a type that device_type() returned; 0 if unknown.
int bytes_of_type(std::string_view type);
/// Whether a type as written is a tensor of PyTorch, or a stream.
bool is_tensor_type(std::string_view type);
bool is_stream_type(std::string_view type);

/// Interprets `function` and the host functions that it calls, without running them. `type_names`
/// says which type scalar_t is. Accepts any text; time and memory are bounded.
HostProgram read_host_program(const ForeignSource& source, const std::vector<Item>& items,
                              const Item& function, const TypeNames& type_names);

}  // namespace kw::import
