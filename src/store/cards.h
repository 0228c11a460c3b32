// Cards: the workspace's index of knowledge, found by words in bounded time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/card.h"
#include "store/database.h"

namespace kw::store {

struct CardQuery {
  std::vector<std::string> words;  ///< As people write them.
  Target target = Target::Cpu;
  std::size_t most = 32;
};

class Cards {
 public:
  /// `db` must outlive this.
  explicit Cards(Database& db) : db_(db) {}

  /// Makes the set of this origin what is given: new cards are added, changed ones reworded with
  /// their uses kept, others go. Nothing where `digest` says that it is that already. 100,000 new
  /// cards take about ten seconds, and so does taking them away.
  Result<> keep(const std::string& origin, const std::string& digest,
                const std::vector<Card>& cards);

  /// Those for the target that hold at least two of the words (one, of a query of one), in any form
  /// of theirs, best first: a rare word says more than a common one, and what most cards hold says
  /// nothing. Looks at the rarest words and at a bounded number of cards for each, the newest:
  /// milliseconds, however many there are.
  Result<std::vector<FoundCard>> find(const CardQuery& query) const;

  /// All of them, by origin and name.
  Result<std::vector<Card>> all() const;

 private:
  Database& db_;
};

/// A word without its ending, in lower case; equal for "tile", "tiles" and "tiling".
std::string stem_of(std::string_view word);

}  // namespace kw::store
