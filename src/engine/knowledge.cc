// Makes knowledge cards from files, wins and the technique graph; searches them; re-ranks them by
// embeddings.
// SPDX-License-Identifier: Apache-2.0
#include "engine/knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/hash.h"
#include "base/text.h"
#include "engine/graphs.h"
#include "memory/knowledge.h"
#include "memory/recall.h"
#include "record/codec.h"

namespace kw::engine {
namespace {

constexpr const char* kVectorFact = "embedding of ";
constexpr const char* kShipped = "knowledge";  // origin of the shipped cards
// Most cards of a search that are compared by their embeddings.
constexpr std::size_t kMostCompared = 32;
// Most bytes of a text that are embedded: embedding models take 8,000 tokens or fewer.
constexpr std::size_t kEmbeddedBytes = 4 << 10;

using Vector = std::vector<float>;

std::string digest_of(const std::vector<Card>& cards) {
  std::string all;
  for (const Card& card : cards) all += encode(card) + "\n";
  return sha256(all).hex();
}

/// Knowledge cards made from the workspace's confirmed kernels, for the techniques that these show.
Result<std::vector<Card>> win_cards(store::RunStore& store) {
  std::vector<Card> all;
  for (const Lesson& lesson : KW_TRY(store.lessons().all())) {
    if (lesson.kind != LessonKind::Win || !is_told(lesson)) continue;
    Card card;
    card.name = lesson.key;
    card.kind = CardKind::Snippet;
    card.targets = {lesson.target};
    card.task = lesson.task;
    card.text = fmt::format("A kernel for `{}` ({}). {}", lesson.task, lesson.family, lesson.text);
    card.code = memory::excerpt(
        KW_TRY(store.artifacts().get(KW_TRY(Sha256::from_hex(lesson.source_sha256)))));
    all.push_back(std::move(card));
  }
  return all;
}

std::string text_of(const Vector& vector) {
  std::string text;
  for (const float x : vector) text += fmt::format("{:.6g} ", x);
  return text;
}

Vector vector_of(const std::string& text) {
  Vector vector;
  for (const std::string_view word : split(text, ' ')) {
    float x = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), x).ec == std::errc())
      vector.push_back(x);
  }
  return vector;
}

double cosine(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return 0;
  double product = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += static_cast<double>(a[i]) * b[i];
    of_a += static_cast<double>(a[i]) * a[i];
    of_b += static_cast<double>(b[i]) * b[i];
  }
  return of_a > 0 && of_b > 0 ? std::max(0.0, product / std::sqrt(of_a * of_b)) : 0;
}

std::string shortened(std::string text) {
  if (text.size() > kEmbeddedBytes) text.resize(kEmbeddedBytes);
  return sanitise(text, kEmbeddedBytes);
}

/// Embedding vectors of the texts, in their order: the store remembers some, and one call of the
/// model gives all others.
Result<std::vector<Vector>> vectors_of(store::RunStore& store, const Shelf& shelf,
                                       const std::vector<std::string>& texts, llm::Ledger* ledger) {
  const std::string kind = kVectorFact + shelf.embedder;
  std::vector<Vector> vectors(texts.size());
  std::vector<std::string> unknown;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto known = KW_TRY(store.facts().recall(kind, sha256(texts[i]).hex()));
    if (known) {
      vectors[i] = vector_of(*known);
    } else {
      unknown.push_back(texts[i]);
      places.push_back(i);
    }
  }
  if (unknown.empty()) return vectors;
  auto fresh = KW_TRY(shelf.embed(unknown, ledger));
  if (fresh.size() != unknown.size())
    return fail(ErrorCode::BrokenReply, About{"vectors"},
                "the embedding model did not return one vector for each text", shelf.embedder);
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    KW_TRY(store.facts().remember(kind, sha256(unknown[i]).hex(), text_of(fresh[i])));
    vectors[places[i]] = std::move(fresh[i]);
  }
  return vectors;
}

/// Adds the cards for the family, and those for certain architectures, that no word has found.
void add_own(const std::vector<Card>& cards, const std::string& family,
             std::vector<FoundCard>& found) {
  for (const Card& card : cards) {
    const bool is_found =
        std::ranges::any_of(found, [&](const FoundCard& one) { return one.card.id == card.id; });
    if (is_found || !memory::is_for_this(card, family)) continue;
    FoundCard own;
    own.card = card;
    found.push_back(std::move(own));
  }
}

Result<> compare(store::RunStore& store, const Shelf& shelf, const task::Definition& task,
                 llm::Ledger* ledger, std::vector<FoundCard>& found) {
  std::vector<std::string> texts{shortened(task.task.name + " (" + task.task.family + ")\n" +
                                           task.task.summary + "\n" + task.task.spec)};
  for (const FoundCard& one : found) texts.push_back(shortened(one.card.text));
  const auto vectors = KW_TRY(vectors_of(store, shelf, texts, ledger));
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i].likeness = cosine(vectors[0], vectors[i + 1]);
  std::ranges::stable_sort(found, [](const FoundCard& a, const FoundCard& b) {
    return a.relevance + a.likeness > b.relevance + b.likeness;
  });
  return {};
}

}  // namespace

Result<> keep_knowledge(store::RunStore& store, const Shelf& shelf, Target target) {
  const auto keep = [&](const std::string& origin, const std::vector<Card>& cards) {
    return store.cards().keep(origin, digest_of(cards), cards);
  };
  KW_TRY(keep(kShipped, shelf.shipped));
  KW_TRY(keep("playbook", shelf.playbook));
  KW_TRY(keep("wins", KW_TRY(win_cards(store))));
  const auto graph = KW_TRY(workspace_graph(store, target, {}));
  return keep("graph of " + std::string(name_of(target)), memory::graph_cards(graph, target));
}

Result<std::vector<FoundCard>> find_knowledge(store::RunStore& store, const Shelf& shelf,
                                              const task::Definition& task, Target target,
                                              const std::string& arch, bool has_dialect_headers,
                                              llm::Ledger* ledger) {
  auto found = KW_TRY(store.cards().find({memory::query_words(task), target, 2 * kMostCompared}));
  add_own(KW_TRY(store.cards().of_origin(kShipped)), task.task.family, found);
  std::erase_if(found, [&](const FoundCard& one) {
    return !memory::fits(one.card, target, arch, has_dialect_headers) ||
           !memory::is_about(one.card, task.task, task.reference);
  });
  // What was made for this family or architecture is compared whether or not words led to it.
  std::ranges::stable_partition(
      found, [&](const FoundCard& one) { return memory::is_for_this(one.card, task.task.family); });
  if (found.size() > kMostCompared) found.resize(kMostCompared);
  if (shelf.embed && !found.empty()) {
    const auto compared = compare(store, shelf, task, ledger, found);
    if (!compared && shelf.on_notice)
      shelf.on_notice("knowledge is ranked by words alone: " + describe(compared.error()));
  }
  if (found.size() > memory::kMostFoundCards) found.resize(memory::kMostFoundCards);
  return found;
}

}  // namespace kw::engine
