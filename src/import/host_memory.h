// Interprets what a host function does with memory of the device: allocations, memsets, and copies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "import/host_program.h"

namespace kw::import {

class HostPaths;
class HostRecord;
class HostVariables;

/// Interprets allocations, memsets and copies: what buffers are, and what is filled and copied.
class DeviceMemory {
 public:
  DeviceMemory(HostRecord& record, HostPaths& paths, HostVariables& variables)
      : record_(record), paths_(paths), variables_(variables) {}

  /// Interprets an allocation whose address the variable `target` gets.
  void allocate(const Value& target, const Value& bytes, std::size_t offset);
  /// Interprets a memset of the bytes to `value`.
  void clear(const Value& target, const Value& value, const Value& bytes, std::size_t offset);
  /// Interprets a copy between any two places.
  void copy(const Value& target, const Value& from, const Value& bytes, const Value& kind,
            std::size_t offset);

 private:
  void upload(const Value& target, const Value& from, const Value& bytes, std::size_t offset);
  void download(const Value& target, const Value& from, const Value& bytes, std::size_t offset);

  HostRecord& record_;
  HostPaths& paths_;
  HostVariables& variables_;
};

}  // namespace kw::import
