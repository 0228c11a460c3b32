// Veil: removes from the referee's messages what would reveal the shapes of hidden workloads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "record/verdict.h"
#include "task/definition.h"

namespace kw::propose {

/// A finding about a workload of the group `check` says which pattern the wrong elements form, but
/// must not say how large the workload is, since a proposer could write for that size. So the
/// workload's name is removed, integers that equal one of its sizes become N, counts become shares,
/// and coordinates near an end are counted from that end. The first coordinates and their values
/// stay, because they help to find the mistake.
class Veil {
 public:
  explicit Veil(const task::Definition& task);

  /// Removes the secrets from a text that names its workload, such as evidence or the words of an
  /// attempt.
  std::string cover(std::string_view text) const { return cover(text, text); }
  Finding cover(const Finding& finding) const;

 private:
  struct Hidden {
    std::string name;
    std::string quoted;  ///< The workload's name in quotes: 'name'.
    std::set<std::int64_t> secrets;
    std::map<std::string, std::vector<std::int64_t>> sizes;  ///< Sizes by the tensor's name.
  };
  const Hidden* find(std::string_view text) const;
  std::string cover(std::string_view text, std::string_view place) const;

  std::vector<Hidden> hidden_;
};

}  // namespace kw::propose
