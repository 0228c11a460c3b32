// Interprets the calls of a host function: finds out what is called, and who interprets it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "import/host_program.h"

namespace kw::import {

struct HostParts;

/// Reads calls, and hands each to the reader of its kind: lambdas, functions of the file,
/// arithmetic, the CUDA runtime, PyTorch.
class CallReader {
 public:
  explicit CallReader(HostParts& all) : all_(all) {}

  /// The value of the call at whose opening parenthesis the cursor stands.
  Value call(const std::string& name, const std::vector<std::string>& templates,
             std::size_t offset);
  /// Reports that no plan can make the call, if it is one of a library for which that is known.
  void refuse_call(const std::string& name, std::size_t offset);
  /// Interprets std::swap(): exchanges the values of two names, or of two elements of arrays.
  Value swap();

 private:
  bool is_harmless(const std::string& name) const;

  HostParts& all_;
};

}  // namespace kw::import
