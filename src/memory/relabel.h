// Relabelling: one name for each technique, whatever name its author used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kw::memory {

/// Two names are the same technique if they consist of the same words ("loop_unrolling", "Unrolled
/// loops"), or if all words of one are in exactly one other known name ("tiling" where only one
/// kind of tiling is known). The name that was known first is kept.
class Relabeller {
 public:
  /// `known` are names that must be kept as they are.
  explicit Relabeller(const std::vector<std::string>& known);

  /// The known name for this technique; a new technique is known from now on. Empty for a name
  /// without words.
  std::string label(std::string_view name);
  const std::vector<std::string>& known() const { return names_; }

 private:
  using Words = std::set<std::string>;
  static Words words_of(std::string_view name);

  std::vector<std::string> names_;
  std::vector<Words> words_;
  std::map<Words, std::size_t> by_words_;
};

}  // namespace kw::memory
