// bench-memory WORKSPACE CARDS NODES: fills an index with CARDS cards and searches it, and loads a
// graph of NODES nodes; prints one line NAME <tab> SECONDS for each search and each load.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/rng.h"
#include "record/technique_graph.h"
#include "store/run_store.h"

namespace {

using namespace kw;

constexpr std::size_t kVocabulary = 20'000;
constexpr int kWordsOfCard = 80;
constexpr int kWordsOfQuery = 160;  // as many words as the query for a task has
constexpr int kSearches = 50;
constexpr int kLoads = 5;
constexpr int kEdgesOfNode = 4;

/// A random word by Zipf's law: the nth word is 1/n as frequent as the first.
std::string word_by_lot(Rng& rng) {
  std::size_t n = 1;
  double lot = rng.uniform() * 10.5;  // 10.5 is about the harmonic number of the vocabulary's size
  while (n < kVocabulary && (lot -= 1.0 / static_cast<double>(n)) > 0) n += 1 + n / 50;
  return "word" + std::to_string(n);
}

std::vector<std::string> words_by_lot(int count, Rng& rng) {
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i) words.push_back(word_by_lot(rng));
  return words;
}

double seconds_of(const auto& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

Result<> search(const char* workspace, int count) {
  Rng rng{Seed::from_number(2024)};
  std::vector<Card> cards;
  for (int i = 0; i < count; ++i) {
    Card card;
    card.name = std::to_string(i);
    for (const std::string& word : words_by_lot(kWordsOfCard, rng)) card.text += word + " ";
    cards.push_back(std::move(card));
  }
  auto store = KW_TRY(store::RunStore::open(workspace));
  Result<> kept;
  const double filled =
      seconds_of([&] { kept = store.cards().keep("bench", std::to_string(count), cards); });
  KW_TRY(kept);
  std::fprintf(stderr, "%d cards kept in %.1f s\n", count, filled);
  for (int i = 0; i < kSearches; ++i) {
    const store::CardQuery query{words_by_lot(kWordsOfQuery, rng), Target::Cuda};
    std::size_t found = 0;
    const double spent = seconds_of([&] {
      const auto cards_found = store.cards().find(query);
      found = cards_found ? cards_found->size() : 0;
    });
    if (found == 0) return fail("a search found nothing");
    std::printf("search\t%.6f\n", spent);
  }
  return {};
}

Result<> load(int nodes) {
  Rng rng{Seed::from_number(2025)};
  TechniqueGraph graph;
  const auto name = [](std::uint64_t i) { return "technique " + std::to_string(i); };
  const auto count = static_cast<std::uint64_t>(nodes);
  for (std::uint64_t i = 0; i < count; ++i) {
    graph.add(TechniqueGraph::kStart, name(i));
    for (int e = 0; e < kEdgesOfNode; ++e) {
      const std::size_t edge = graph.add(name(i), name(rng.below(count)));
      graph.count(edge, {3, 2, 0.5});
      if (e == 0)
        graph.add_example(edge, {"kernel", "detail", std::string(500, 'a'), std::string(500, 'b')});
    }
  }
  const std::string json = to_json(graph);
  std::fprintf(stderr, "%d nodes, %zu edges, %zu bytes\n", nodes, graph.edges().size(),
               json.size());
  for (int i = 0; i < kLoads; ++i) {
    std::size_t loaded = 0;
    const double spent = seconds_of([&] {
      const auto read = parse_technique_graph(json);
      loaded = read ? read->nodes().size() : 0;
    });
    if (loaded != count + 1) return fail("the graph came back with other nodes");
    std::printf("load\t%.6f\n", spent);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench-memory WORKSPACE CARDS NODES\n");
    return 2;
  }
  for (const auto& done : {search(argv[1], std::atoi(argv[2])), load(std::atoi(argv[3]))})
    if (!done) {
      std::fprintf(stderr, "bench-memory: %s\n", done.error().what.c_str());
      return 1;
    }
  return 0;
}
