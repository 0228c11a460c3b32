// Stores sets of knowledge cards, their words in an FTS5 table, and how many cards hold each word.
// SPDX-License-Identifier: Apache-2.0
#include "store/cards.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "record/codec.h"
#include "record/target.h"

namespace kw::store {
namespace {

constexpr const char* kDigestFact = "cards";
constexpr std::size_t kMostWords = 400;   // words of a card that are indexed, its text first
constexpr std::size_t kShortestWord = 3;  // letters that a word must have to be indexed

// Bounds on what a search looks at, so that it takes milliseconds.
constexpr std::size_t kMostLookedFor = 24;  // words of one query
constexpr std::int64_t kMostHits = 6000;    // cards over all words
constexpr std::int64_t kMostHitsOfWord = 2000;
constexpr double kCommonShare = 0.5;    // a word in a larger share of the cards says nothing
constexpr std::int64_t kFewCards = 20;  // among so few cards even a common word may say something

using Counts = std::map<std::string, std::int64_t>;

/// Appends the distinct words of a text, stemmed, in the order of the text.
void add_stems(std::string_view text, std::vector<std::string>& stems,
               std::set<std::string>& seen) {
  std::string word;
  const auto end_word = [&] {
    if (word.size() >= kShortestWord && stems.size() < kMostWords) {
      std::string stem = stem_of(word);
      if (seen.insert(stem).second) stems.push_back(std::move(stem));
    }
    word.clear();
  };
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      word += c;
    else
      end_word();
  }
  end_word();
}

/// Words of a card as the index holds them: each begins with the card's target, so that a search
/// meets no card of another target. The bare target is a word too, by which the cards are counted.
std::vector<std::string> tokens_of(const Card& card) {
  std::vector<std::string> stems;
  std::set<std::string> seen;
  add_stems(card.name + "\n" + join(card.families, " ") + "\n" + card.text + "\n" + card.code,
            stems, seen);
  std::vector<std::string> tokens;
  for (const Target target : all_targets()) {
    if (!card.targets.empty() && std::ranges::count(card.targets, target) == 0) continue;
    const std::string prefix(name_of(target));
    tokens.push_back(prefix);
    for (const std::string& stem : stems) tokens.push_back(prefix + stem);
  }
  return tokens;
}

/// The body of a row: the card without the fields that have columns, which are updated there.
std::string body_of(Card card) {
  card.id = 0;
  card.uses = card.helped = 0;
  return encode(card);
}

Card read_card(SQLite::Statement& row) {
  auto card = decode<Card>(row.getColumn(3).getString());
  if (!card) throw SQLite::Exception(card.error().what);
  card->id = row.getColumn(0).getInt64();
  card->uses = row.getColumn(1).getInt();
  card->helped = row.getColumn(2).getInt();
  return std::move(*card);
}

constexpr const char* kCardColumns = "SELECT id, uses, helped, body FROM cards ";

/// Writes the cards of one origin inside a transaction.
class SetWriter {
 public:
  explicit SetWriter(SQLite::Database& db)
      : insert_(db, "INSERT INTO cards(origin, name, body) VALUES(?, ?, ?)"),
        update_(db, "UPDATE cards SET body = ? WHERE id = ?"),
        remove_(db, "DELETE FROM cards WHERE id = ?"),
        index_(db, "INSERT INTO card_words(rowid, words) VALUES(?, ?)"),
        forget_(db, "DELETE FROM card_words WHERE rowid = ?"),
        db_(db) {}

  void add(const Card& card, const std::string& body) {
    insert_.bind(1, card.origin);
    insert_.bind(2, card.name);
    insert_.bind(3, body);
    insert_.exec();
    insert_.reset();
    put_words(db_.getLastInsertRowid(), card);
  }
  void change(const Card& before, const Card& after, const std::string& body) {
    take_words(before);
    update_.bind(1, body);
    update_.bind(2, before.id);
    update_.exec();
    update_.reset();
    put_words(before.id, after);
  }
  void remove(const Card& card) {
    take_words(card);
    remove_.bind(1, card.id);
    remove_.exec();
    remove_.reset();
  }
  void write_counts() {
    SQLite::Statement count(db_,
                            "INSERT INTO card_counts(word, cards) VALUES(?1, ?2) ON CONFLICT(word) "
                            "DO UPDATE SET cards = cards + ?2");
    for (const auto& [word, change] : counts_) {
      if (change == 0) continue;
      count.bind(1, word);
      count.bind(2, change);
      count.exec();
      count.reset();
    }
    db_.exec("DELETE FROM card_counts WHERE cards <= 0");
  }

 private:
  void put_words(std::int64_t id, const Card& card) {
    const std::vector<std::string> tokens = tokens_of(card);
    for (const std::string& token : tokens) ++counts_[token];
    index_.bind(1, id);
    index_.bind(2, join(tokens, " "));
    index_.exec();
    index_.reset();
  }
  void take_words(const Card& card) {
    for (const std::string& token : tokens_of(card)) --counts_[token];
    forget_.bind(1, card.id);
    forget_.exec();
    forget_.reset();
  }

  SQLite::Statement insert_, update_, remove_, index_, forget_;
  SQLite::Database& db_;
  Counts counts_;
};

/// A word of a query: its token in the index, the word as written, and the number of cards with it.
struct Term {
  std::string token;
  std::string word;
  std::int64_t cards = 0;
};

std::int64_t count_of(SQLite::Statement& count, const std::string& token) {
  count.reset();
  count.bind(1, token);
  return count.executeStep() ? count.getColumn(0).getInt64() : 0;
}

/// The rarest words of a query, rarest first, as many as a search looks at.
std::vector<Term> terms_of(SQLite::Statement& count, const CardQuery& query, std::int64_t all) {
  const std::string prefix(name_of(query.target));
  std::vector<Term> terms;
  std::set<std::string> seen;
  for (const std::string& word : query.words) {
    if (word.size() < kShortestWord) continue;
    Term term{prefix + stem_of(word), word};
    if (!seen.insert(term.token).second) continue;
    term.cards = count_of(count, term.token);
    const bool says_nothing = all > kFewCards && static_cast<double>(term.cards) >
                                                     kCommonShare * static_cast<double>(all);
    if (term.cards > 0 && !says_nothing) terms.push_back(std::move(term));
  }
  std::ranges::stable_sort(terms, {}, &Term::cards);
  std::int64_t hits = 0;
  std::size_t kept = 0;
  while (kept < terms.size() && kept < kMostLookedFor && hits < kMostHits)
    hits += std::min(kMostHitsOfWord, terms[kept++].cards);
  terms.resize(kept);
  return terms;
}

struct Hit {
  double score = 0;
  std::vector<std::size_t> terms;
};

std::unordered_map<std::int64_t, Hit> hits_of(SQLite::Database& db, const std::vector<Term>& terms,
                                              std::int64_t all) {
  std::unordered_map<std::int64_t, Hit> hits;
  SQLite::Statement row(
      db, "SELECT rowid FROM card_words WHERE card_words MATCH ? ORDER BY rowid DESC LIMIT ?");
  for (std::size_t t = 0; t < terms.size(); ++t) {
    row.reset();
    // Tokens have letters and digits only, so quoting is enough.
    row.bind(1, "\"" + terms[t].token + "\"");
    row.bind(2, kMostHitsOfWord);
    const double weight =
        std::log(1 + static_cast<double>(all) / static_cast<double>(terms[t].cards));
    while (row.executeStep()) {
      Hit& hit = hits[row.getColumn(0).getInt64()];
      hit.score += weight;
      hit.terms.push_back(t);
    }
  }
  return hits;
}

}  // namespace

std::string stem_of(std::string_view word) {
  constexpr std::size_t kLeast = 3;
  std::string stem;
  for (const char c : word) stem += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto drop = [&](std::string_view ending) {
    const bool has = stem.ends_with(ending) && stem.size() >= ending.size() + kLeast;
    if (has) stem.resize(stem.size() - ending.size());
    return has;
  };
  drop("s");
  if (!drop("ing") && !drop("ed")) drop("e");
  return stem;
}

Result<> Cards::keep(const std::string& origin, const std::string& digest,
                     const std::vector<Card>& cards) {
  return db_.write([&](SQLite::Database& db) {
    SQLite::Statement known(db, "SELECT body FROM facts WHERE kind = ? AND key = ?");
    known.bind(1, kDigestFact);
    known.bind(2, origin);
    if (known.executeStep() && known.getColumn(0).getString() == digest) return;
    std::map<std::string, Card> before;
    SQLite::Statement row(db, std::string(kCardColumns) + "WHERE origin = ?");
    row.bind(1, origin);
    while (row.executeStep()) {
      Card card = read_card(row);
      before.emplace(card.name, std::move(card));
    }
    SetWriter writer(db);
    std::set<std::string> names;
    for (Card card : cards) {
      card.origin = origin;
      if (!names.insert(card.name).second) continue;
      const std::string body = body_of(card);
      const auto old = before.find(card.name);
      if (old == before.end())
        writer.add(card, body);
      else if (body_of(old->second) != body)
        writer.change(old->second, card, body);
    }
    for (const auto& [name, card] : before)
      if (!names.contains(name)) writer.remove(card);
    writer.write_counts();
    SQLite::Statement note(db, "INSERT OR REPLACE INTO facts(kind, key, body) VALUES(?, ?, ?)");
    note.bind(1, kDigestFact);
    note.bind(2, origin);
    note.bind(3, digest);
    note.exec();
  });
}

Result<std::vector<FoundCard>> Cards::find(const CardQuery& query) const {
  std::vector<FoundCard> found;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement count(db, "SELECT cards FROM card_counts WHERE word = ?");
    const std::int64_t all = count_of(count, std::string(name_of(query.target)));
    const std::vector<Term> terms = terms_of(count, query, all);
    const std::size_t least = std::min<std::size_t>(2, query.words.size());
    std::vector<std::pair<std::int64_t, Hit>> ranked;
    for (auto& [id, hit] : hits_of(db, terms, all))
      if (hit.terms.size() >= least) ranked.emplace_back(id, std::move(hit));
    const std::size_t most = std::min(query.most, ranked.size());
    std::ranges::partial_sort(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(most),
                              [](const auto& a, const auto& b) {
                                return a.second.score != b.second.score
                                           ? a.second.score > b.second.score
                                           : a.first < b.first;
                              });
    ranked.resize(most);
    SQLite::Statement row(db, std::string(kCardColumns) + "WHERE id = ?");
    for (const auto& [id, hit] : ranked) {
      row.reset();
      row.bind(1, id);
      if (!row.executeStep()) continue;
      FoundCard one{read_card(row), hit.score / ranked.front().second.score, {}};
      for (const std::size_t t : hit.terms) one.words.push_back(terms[t].word);
      found.push_back(std::move(one));
    }
  }));
  return found;
}

Result<std::vector<Card>> Cards::all() const {
  std::vector<Card> cards;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(db, std::string(kCardColumns) + "ORDER BY origin, name");
    while (row.executeStep()) cards.push_back(read_card(row));
  }));
  return cards;
}

Result<std::vector<Card>> Cards::of_origin(const std::string& origin) const {
  std::vector<Card> cards;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(db, std::string(kCardColumns) + "WHERE origin = ? ORDER BY name");
    row.bind(1, origin);
    while (row.executeStep()) cards.push_back(read_card(row));
  }));
  return cards;
}

}  // namespace kw::store
