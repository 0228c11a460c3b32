// Reads lambdas of a host function, and interprets their calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "import/host_program.h"

namespace kw::import {

struct HostParts;

/// Reads lambdas and interprets their bodies with the variables of the function that wrote them.
class LambdaReader {
 public:
  explicit LambdaReader(HostParts& all) : all_(all) {}

  /// The lambda at the cursor.
  Value read();
  /// Interprets a call of a lambda, with the variables of the function in which the lambda was
  /// written.
  Value call(const Value& lambda, const std::vector<Value>& values, std::size_t open,
             std::size_t offset);

 private:
  HostParts& all_;
};

}  // namespace kw::import
