// Lists past experience with techniques, and cards of knowledge.
// SPDX-License-Identifier: Apache-2.0
#include "cli/memory_known.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "record/codec.h"
#include "record/target.h"
#include "session/known_cards.h"

namespace kw::cli {
namespace {

std::string plural(std::size_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void print_experience(const Experience& e) {
  const StepCount& c = e.count;
  fmt::print(
      "{:>4}  {}  {} ({}, {} on {}), {}\n      worked in {:.2g} of {:.2g} tries{}; last in "
      "{} ({})\n",
      e.id, e.technique, e.task, e.family, name_of(e.target), e.device,
      e.bound == Bound::Unknown ? "first kernels"
                                : fmt::format("{}-bound kernels", name_of(e.bound)),
      c.worked, c.tried,
      c.worked > 0 ? fmt::format(", {:.3g}x where it worked", std::exp(c.gain / c.worked)) : "",
      e.run, e.at);
  if (!e.failure.empty()) fmt::print("      last failure: {}\n", e.failure);
  if (e.uses > 0)
    fmt::print("      {} began with it, {} of them won\n", plural(e.uses, "run", "runs"), e.helped);
}

void print_card(const Card& card, const std::vector<std::string>& words) {
  fmt::print("{:>4}  {:<9}  {}: {}\n      {}\n", card.id, name_of(card.kind), card.origin,
             card.name, card.text);
  if (!words.empty()) fmt::print("      holds {}\n", join(words, ", "));
  if (card.uses > 0)
    fmt::print("      {} began with it, {} of them won\n", plural(card.uses, "run", "runs"),
               card.helped);
}

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' '))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

bool is_for(const Card& card, Target target) {
  return card.targets.empty() || std::ranges::count(card.targets, target) > 0;
}

/// The knowledge cards for these targets, each card once.
Result<std::vector<FoundCard>> find_cards(store::RunStore& store,
                                          const std::vector<Target>& targets,
                                          const std::string& about) {
  std::vector<FoundCard> found;
  for (const Target target : targets)
    for (FoundCard& one : KW_TRY(store.cards().find({words_in(about), target})))
      if (std::ranges::none_of(found, [&](const FoundCard& f) { return f.card.id == one.card.id; }))
        found.push_back(std::move(one));
  std::ranges::stable_sort(
      found, [](const FoundCard& a, const FoundCard& b) { return a.relevance > b.relevance; });
  return found;
}

}  // namespace

Result<int> list_experience(const Global& global, const std::string& task,
                            std::optional<Target> target, const std::string& about) {
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  auto all = KW_TRY(store.lessons().experience(target));
  const auto words = words_in(about);
  std::erase_if(all, [&](const Experience& e) {
    const bool is_named = words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
                            return e.technique.find(word) != std::string::npos;
                          });
    return !is_named || (!task.empty() && e.task != task);
  });
  if (global.json) {
    Json object = {{"experience", Json::array()}};
    for (const Experience& e : all) object["experience"].push_back(encode_json(e));
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  if (all.empty())
    fmt::print("no experience with techniques{} in {}; kw optimize TASK --model leaves some\n",
               target ? fmt::format(" for {}", name_of(*target)) : "", store.root().string());
  for (const Experience& e : all) print_experience(e);
  return kDone;
}

Result<int> list_cards(const Global& global, std::optional<Target> only, const std::string& about) {
  const std::vector<Target> targets =
      only ? std::vector{*only} : std::vector(all_targets().begin(), all_targets().end());
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  KW_TRY(session::keep_known_cards(global, store, targets));
  std::vector<FoundCard> found;
  if (about.empty())
    for (Card& card : KW_TRY(store.cards().all())) {
      if (!only || is_for(card, *only)) found.push_back({std::move(card), 1, {}});
    }
  else
    found = KW_TRY(find_cards(store, targets, about));
  if (global.json) {
    Json object = {{"cards", Json::array()}};
    for (const FoundCard& one : found) {
      Json card = encode_json(one.card);
      card["relevance"] = one.relevance;
      card["words"] = one.words;
      object["cards"].push_back(std::move(card));
    }
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  if (found.empty()) fmt::print("no card about '{}'\n", about);
  for (const FoundCard& one : found) print_card(one.card, one.words);
  return kDone;
}

Result<std::string> known_beside(store::RunStore& store) {
  std::vector<std::string> parts;
  if (const std::size_t n = KW_TRY(store.lessons().experience()).size(); n > 0)
    parts.push_back(plural(n, "entry", "entries") +
                    " of experience with techniques (kw memory experience)");
  if (const std::size_t n = KW_TRY(store.cards().all()).size(); n > 0)
    parts.push_back(plural(n, "card", "cards") + " of knowledge (kw memory cards)");
  return join(parts, ", ");
}

}  // namespace kw::cli
