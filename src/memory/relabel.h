// Relabelling: one name for each technique, whatever it was called where it was used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kw::memory {

/// By rule: names of the same words are one ("loop_unrolling", "Unrolled loops"), and so is a name
/// all of whose words another one has, if it is the only such ("tiling" where there is but one kind
/// of tiling known). What came first keeps its name.
class Relabeller {
 public:
  /// Names to be kept as they are.
  explicit Relabeller(const std::vector<std::string>& known);

  /// The known name for this one, which is known from now on; empty for a name without words.
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
