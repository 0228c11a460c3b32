// Follows the statements of a host function, one after another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "import/host_paths.h"
#include "import/host_program.h"

namespace kw::import {

struct HostParts;

/// Interprets blocks and statements. It changes what the function returns and, by the readers to
/// which it hands declarations, branches and loops, all that these change.
class StatementReader {
 public:
  explicit StatementReader(HostParts& all) : all_(all) {}

  /// Interprets the statements among the tokens, up to one that leaves them.
  Flow block(std::size_t begin, std::size_t end);
  /// Interprets the statement at token `i`, and moves `i` behind it.
  Flow statement(std::size_t& i, std::size_t end);
  /// Interprets a statement without a keyword of branches or loops, and without its semicolon.
  Flow plain_statement(std::size_t begin, std::size_t end);

 private:
  HostParts& all_;
};

}  // namespace kw::import
