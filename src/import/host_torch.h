// Interprets calls of PyTorch's functions, and of methods of its tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/host_program.h"

namespace kw::import {

struct HostParts;

/// Interprets calls of PyTorch: tensors that it creates are buffers, and their sizes are names.
class TorchCalls {
 public:
  explicit TorchCalls(HostParts& all) : all_(all) {}

  /// The value of the call of a function; nothing if the name is not of PyTorch.
  std::optional<Value> call_torch(const std::string& name, const std::vector<Value>& values,
                                  std::size_t offset);
  /// The value of the call of a method, at whose opening parenthesis the cursor stands.
  Value call_method(const Value& object, const std::string& name, std::size_t offset);

 private:
  /// A call of a method with the values of its arguments.
  struct Call {
    const Value& object;
    const std::string& name;
    const std::vector<Value>& values;
    std::size_t offset;
    std::optional<std::int64_t> index() const;
  };
  /// A reader returns nothing if the call has not the form that it reads.
  using Reader = std::optional<Value> (TorchCalls::*)(const Call&);
  static Reader reader_of(std::string_view name);

  Value method_of_other(const Call& call);
  std::optional<Value> size(const Call& call);
  std::optional<Value> count(const Call& call);
  std::optional<Value> stride(const Call& call);
  std::optional<Value> rank(const Call& call);
  std::optional<Value> pointer(const Call& call);
  std::optional<Value> yes(const Call& call);
  std::optional<Value> same(const Call& call);
  std::optional<Value> word(const Call& call);
  std::optional<Value> view(const Call& call);
  std::optional<Value> fill(const Call& call);
  std::optional<Value> fresh(const Call& call);

  HostParts& all_;
};

}  // namespace kw::import
