// Interprets calls of the CUDA runtime, and the checks around them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/host_program.h"

namespace kw::import {

struct HostParts;

/// Interprets what calls of the CUDA runtime do with memory, streams and launches.
class RuntimeCalls {
 public:
  explicit RuntimeCalls(HostParts& all) : all_(all) {}

  /// The value of the call; nothing if the name is not of the runtime.
  std::optional<Value> call(const std::string& name, const std::vector<Value>& values,
                            std::size_t offset);

 private:
  /// A call with the values of its arguments.
  struct Call {
    const std::string& name;
    const std::vector<Value>& values;
    std::size_t offset;
    /// The argument of that index; an unknown value if it is not given.
    Value given(std::size_t i) const;
  };
  /// A reader returns nothing if the call has not the form that it reads.
  using Reader = std::optional<Value> (RuntimeCalls::*)(const Call&);
  static Reader reader_of(std::string_view name);

  std::optional<Value> allocate(const Call& call);
  std::optional<Value> set_memory(const Call& call);
  std::optional<Value> copy_memory(const Call& call);
  std::optional<Value> allocate_on_host(const Call& call);
  std::optional<Value> host_memory(const Call& call);
  std::optional<Value> demand(const Call& call);
  std::optional<Value> swap(const Call& call);
  std::optional<Value> stream(const Call& call);
  std::optional<Value> make_stream(const Call& call);
  std::optional<Value> ask_device(const Call& call);
  std::optional<Value> ask_occupancy(const Call& call);
  std::optional<Value> launch(const Call& call);
  Value other(const Call& call);
  void forget_answers(const Call& call, const std::string& why);
  static Value success();

  HostParts& all_;
};

}  // namespace kw::import
