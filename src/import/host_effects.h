// Finds what text of a host function may change, and makes it unknown where it is not interpreted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/host_program.h"
#include "import/host_text.h"

namespace kw::import {

struct HostFile;
class HostRecord;
class HostVariables;

/// Knows which operators of the text were interpreted exactly; what the others may write becomes
/// unknown.
class HostEffects {
 public:
  HostEffects(const HostFile& file, HostText& text, HostRecord& record, HostVariables& variables)
      : file_(file), text_(text), record_(record), variables_(variables) {}

  /// Whether the tokens may launch kernels or use device memory, directly or through calls.
  bool may_work(const Tokens& tokens, std::size_t begin, std::size_t end, int depth = 0) const;
  /// Makes unknown the variables that the tokens may write, and those that may change by an
  /// address.
  void forget_written(std::size_t begin, std::size_t end, std::size_t offset, std::string_view why);
  /// Makes unknown what a call that is not interpreted may change: variables passed by name
  /// (perhaps by reference) or by address, and the variables that lambdas write.
  void forget_arguments(std::size_t begin, std::size_t end, const std::vector<Value>& values,
                        const std::string& name);
  /// Makes unknown the variables that operators in the tokens write, except where the write was
  /// interpreted exactly.
  void forget_unfollowed(std::size_t begin, std::size_t end);
  /// Marks the operator at the token, or all writing operators among the tokens, as interpreted.
  void mark_followed(std::size_t sign);
  void mark_followed(std::size_t begin, std::size_t end);
  /// Takes the marks of the tokens back, since their expression is evaluated anew.
  void start(std::size_t begin, std::size_t end);

 private:
  const HostFile& file_;
  HostText& text_;
  HostRecord& record_;
  HostVariables& variables_;
  /// Write operators that were interpreted exactly, so that their operands need not become unknown.
  std::set<std::pair<const Tokens*, std::size_t>> followed_;
};

}  // namespace kw::import
