// Tests of searching knowledge cards, and of storing a set of cards again.
// SPDX-License-Identifier: Apache-2.0
#include "store/cards.h"

#include <gmock/gmock.h>

#include "store/test_store.h"

namespace kw::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Card card(const std::string& name, const std::string& text, std::vector<Target> targets = {}) {
  Card c;
  c.name = name;
  c.text = text;
  c.targets = std::move(targets);
  return c;
}

class CardsTest : public StoreTest {
 protected:
  std::vector<std::string> names(const std::vector<std::string>& words,
                                 Target target = Target::Cpu) {
    std::vector<std::string> all;
    const auto found = store_.cards().find({words, target});
    for (const FoundCard& one : found.value()) all.push_back(one.card.name);
    return all;
  }
  void keep(const std::string& digest, const std::vector<Card>& cards) {
    const auto kept = store_.cards().keep("set", digest, cards);
    ASSERT_TRUE(kept) << describe(kept.error());
  }
  RunStore store_ = open();
};

TEST_F(CardsTest, RareWordsInAnyFormCountMoreThanCommonOnes) {
  keep("1", {card("rows", "loads of rows, contiguous loads"),
             card("tiles", "Tiling keeps a tile of the loads in cache"),
             card("gpu", "tiles of loads in shared memory", {Target::Cuda})});
  EXPECT_THAT(names({"tiled", "load"}), ElementsAre("tiles"));
  EXPECT_THAT(names({"load"}), ElementsAre("rows", "tiles"));
  EXPECT_THAT(names({"loading", "tiles"}, Target::Cuda), ElementsAre("tiles", "gpu"));
  EXPECT_THAT(names({"loading", "unheard"}), IsEmpty()) << "one word of two is too little";
  const auto found = store_.cards().find({{"tiled", "load"}, Target::Cpu}).value();
  EXPECT_THAT(found[0].words, ElementsAre("tiled", "load")) << "the rarest first, as written";
  EXPECT_EQ(found[0].relevance, 1);
}

TEST_F(CardsTest, KeepingASetAnewFollowsItAndKeepsCountsOfUse) {
  keep("1", {card("a", "strided loads"), card("b", "strided stores")});
  execute("UPDATE cards SET uses = 3, helped = 1");
  keep("1", {});
  EXPECT_EQ(store_.cards().all()->size(), 2U) << "the digest says that nothing changed";
  keep("2", {card("a", "gathered loads"), card("c", "strided stores")});
  EXPECT_THAT(names({"strided", "stores"}), ElementsAre("c"));
  EXPECT_THAT(names({"strided", "loads"}), IsEmpty());
  EXPECT_THAT(names({"gathered", "loads"}), ElementsAre("a"));
  const auto all = store_.cards().all().value();
  EXPECT_EQ(all[0].uses, 3);
  EXPECT_EQ(all[0].helped, 1);
  EXPECT_EQ(all[1].uses, 0) << "c is new";
  ASSERT_TRUE(store_.cards().keep("other", "1", {card("a", "gathered loads")}));
  EXPECT_THAT(names({"gathered", "loads"}), ElementsAre("a", "a")) << "sets do not meet";
}

TEST_F(CardsTest, WordsThatMostCardsHoldSayNothingAndQuotesAreNoOperators) {
  std::vector<Card> many;
  for (int i = 0; i < 60; ++i)
    many.push_back(card(std::to_string(i), "kernel number" + std::to_string(i % 30)));
  keep("1", many);
  EXPECT_THAT(names({"kernel", "kernels"}), IsEmpty());
  EXPECT_THAT(names({"kernel"}), IsEmpty());
  EXPECT_EQ(names({"number7"}).size(), 2U);
  EXPECT_THAT(names({"\" OR x NOT", "AND"}), IsEmpty());
}

TEST(StemTest, FormsOfAWordAreOne) {
  for (const char* word : {"tile", "tiles", "tiled", "Tiling"}) EXPECT_EQ(stem_of(word), "til");
  EXPECT_EQ(stem_of("loads"), stem_of("loading"));
  EXPECT_EQ(stem_of("bus"), "bus");
}

Experience tried(const std::string& technique, double worked, const std::string& at) {
  Experience e;
  e.task = "softmax";
  e.technique = technique;
  e.at = at;
  e.count = {1, worked, worked * 0.5};
  return e;
}

TEST_F(CardsTest, ExperienceIsKeptWithTheAttemptAndAddsUp) {
  const RunSummary run = store_.create(config("softmax"), "then").value();
  const std::string day = "2026-01-01T00:00:00Z";
  ASSERT_TRUE(store_.append(run, attempt(1, "a"), {}, {tried("tiling", 1, day)}));
  ASSERT_TRUE(
      store_.append(run, attempt(2, "b"), {}, {tried("tiling", 0, day), tried("fusion", 1, day)}));
  EXPECT_FALSE(store_.append(run, attempt(2, "b"), {}, {tried("fusion", 1, day)}))
      << "the attempt is there already: nothing of it is counted twice";
  const auto all = store_.lessons().experience(Target::Cpu).value();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].technique, "tiling");
  EXPECT_EQ(all[0].count, (StepCount{2, 1, 0.5}));
  EXPECT_EQ(all[1].count, (StepCount{1, 1, 0.5}));
  EXPECT_THAT(store_.lessons().experience(Target::Cuda).value(), IsEmpty());
}

TEST_F(CardsTest, WhatARunIsToldIsCountedAndCreditedWithItsWin) {
  const RunSummary run = store_.create(config("softmax"), "then").value();
  ASSERT_TRUE(store_.append(run, attempt(1, "a"), {}, {tried("tiling", 1, "then")}));
  keep("1", {card("a", "strided loads")});
  LessonSnapshot told;
  told.told_experience = {store_.lessons().experience()->front().id};
  told.told_cards = {store_.cards().all()->front().id};
  ASSERT_TRUE(store_.lessons().begin(run.id, told));
  EXPECT_EQ(store_.lessons().experience()->front().uses, 1);
  EXPECT_EQ(store_.lessons().experience()->front().helped, 0);
  EXPECT_EQ(store_.cards().all()->front().uses, 1);
  ASSERT_TRUE(store_.lessons().credit(run.id));
  ASSERT_TRUE(store_.lessons().credit(run.id));
  EXPECT_EQ(store_.lessons().experience()->front().helped, 1);
  EXPECT_EQ(store_.cards().all()->front().helped, 1);
}

}  // namespace
}  // namespace kw::store
