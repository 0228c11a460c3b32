// Cards: the workspace's index of knowledge, searched by words in bounded time.
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
  /// Words as people write them; find() reduces them to their stems.
  std::vector<std::string> words;
  Target target = kDefaultTarget;
  std::size_t most = 32;
};

class Cards {
 public:
  /// `db` must outlive the object.
  explicit Cards(Database& db) : db_(db) {}

  /// Replaces the set of this origin by `cards`: new cards are added, changed ones get the new text
  /// and keep their uses, others are removed. Does nothing where `digest` equals the stored one.
  /// Adding or removing 100,000 cards takes about ten seconds.
  Result<> keep(const std::string& origin, const std::string& digest,
                const std::vector<Card>& cards);

  /// The cards for the target that hold at least two of the query's words in any form (one, if the
  /// query has only one), best first. A rare word counts more than a common one; a word in most
  /// cards counts nothing. Looks only at the rarest words, and for each at a bounded number of the
  /// newest cards, so it takes milliseconds however many cards there are.
  Result<std::vector<FoundCard>> find(const CardQuery& query) const;

  /// All cards, by origin and name.
  Result<std::vector<Card>> all() const;
  /// The cards of one origin, by name.
  Result<std::vector<Card>> of_origin(const std::string& origin) const;

 private:
  Database& db_;
};

/// The word in lower case without its ending; equal for "tile", "tiles" and "tiling".
std::string stem_of(std::string_view word);

}  // namespace kw::store
