// Tests of evolve: islands, operators, the archive, and which kernels are admitted to it.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "search/dialogue_for_test.h"

namespace kw::search {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Traits of a kernel in the cell that `kind` selects.
Traits kernel(int kind, const std::string& object = "") {
  Traits traits;
  traits.source_bytes = std::int64_t{600} << kind;
  traits.object = object;
  return traits;
}

TEST(Evolve, EachIslandBeginsWithAKernelOfItsOwn) {
  Dialogue d("evolve");
  for (int island = 1; island <= 4; ++island) {
    const Ask ask = d.ask();
    EXPECT_EQ(ask.errand, Errand::Write);
    EXPECT_THAT(ask.why, HasSubstr("island " + std::to_string(island)));
    d.works(island, kernel(island, "o" + std::to_string(island)));
  }
  for (int island = 1; island <= 4; ++island) {
    const Ask ask = d.ask();
    EXPECT_EQ(ask.errand, Errand::Improve);
    EXPECT_EQ(ask.parent, island) << "islands do not meet before they migrate";
    d.fails();
  }
}

TEST(Evolve, AsksForEditsRewritesAndCrossovers) {
  Dialogue d("evolve");
  std::map<std::string, int> operators;
  for (int i = 0; i < 200; ++i) {
    const Ask ask = d.ask();
    const View& view = ask.manner.writer;
    ++operators[view.prompt];
    if (view.prompt == "evolve_edit") {
      EXPECT_EQ(ask.manner.form, ReplyForm::Edits);
    } else if (view.prompt == "evolve_rewrite") {
      EXPECT_EQ(ask.manner.form, ReplyForm::Whole);
    } else if (view.prompt == "evolve_cross") {
      EXPECT_THAT(view.sources, SizeIs(1)) << "the mate";
      EXPECT_NE(view.sources.front(), ask.parent);
    }
    d.works(1 + 0.01 * i, kernel(i % 5, "o" + std::to_string(i)));
  }
  EXPECT_GT(operators["evolve_edit"], operators["evolve_rewrite"]);
  EXPECT_GT(operators["evolve_rewrite"], 15);
  EXPECT_GT(operators["evolve_cross"], 15);
}

TEST(Evolve, AFailureIsMendedOnceAndThenForgotten) {
  Dialogue d("evolve");
  for (int i = 0; i < 4; ++i) d.ask(), d.works(1, kernel(i, "o" + std::to_string(i)));
  for (int i = 0; i < 4; ++i) d.ask(), d.fails();
  for (int i = 0; i < 4; ++i) {
    const Ask mend = d.ask();
    EXPECT_EQ(mend.errand, Errand::Repair);
    EXPECT_EQ(mend.parent, 5 + i);
    d.fails();
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(d.ask().errand, Errand::Improve) << "the second failure is not mended";
    d.fails();
  }
}

/// The parents that the first island chooses in `rounds` asks.
std::set<int> parents_of_first_island(Dialogue& d, int rounds) {
  std::set<int> parents;
  for (int i = 0; i < rounds; ++i) {
    const Ask ask = d.ask();
    if (ask.why.starts_with("island 1:") && ask.errand == Errand::Improve)
      parents.insert(ask.parent);
    d.fails(Outcome::NoCandidate);
  }
  return parents;
}

TEST(Evolve, KeepsTheFastestOfEachKindAndNothingThatIsKnown) {
  Dialogue d("evolve");
  d.ask(), d.works(3, kernel(1, "a"));  // attempt 1, on island 1
  for (int i = 0; i < 3; ++i) d.ask(), d.works(1, kernel(0, "o" + std::to_string(i)));
  d.ask(), d.works(2, kernel(1, "b"));  // attempt 5: slower, of the same kind
  for (int i = 0; i < 3; ++i) d.ask(), d.fails(Outcome::NoCandidate);
  for (int i = 0; i < 4; ++i) d.ask(), d.fails(Outcome::NoCandidate);
  d.ask(), d.works(2, kernel(3, "a"));  // another kind of kernel with the same code as attempt 1
  for (int i = 0; i < 3; ++i) d.ask(), d.fails(Outcome::NoCandidate);
  const auto only = parents_of_first_island(d, 12);
  for (const int parent : only) EXPECT_TRUE(parent == 1 || parent > 12) << parent;
}

/// Whether a kernel of another kind is admitted besides attempt 1, which reaches 3x, if the two
/// sketches differ in `differing` of their 32 entries.
bool is_let_in(double speedup, std::size_t differing) {
  const auto sketched = [](int kind, const std::string& object, std::size_t places) {
    Traits traits = kernel(kind, object);
    for (std::size_t i = 0; i < traits.sketch.size(); ++i)
      traits.sketch[i] = static_cast<std::uint32_t>(i < places ? 1000 + i : 1 + i);
    return traits;
  };
  Dialogue d("evolve");
  d.ask(), d.works(3, sketched(1, "a", 0));
  for (int i = 0; i < 3; ++i) d.ask(), d.fails(Outcome::NoCandidate);
  d.ask(), d.works(speedup, sketched(3, "b", differing));
  for (int i = 0; i < 3; ++i) d.ask(), d.fails(Outcome::NoCandidate);
  return parents_of_first_island(d, 80).contains(5);
}

TEST(Evolve, LetsNoNearCopyInThatIsNoBetter) {
  EXPECT_FALSE(is_let_in(2.9, 1)) << "31 of 32 places agree: more than 95 %";
  EXPECT_TRUE(is_let_in(2.9, 2)) << "30 of 32 do not make it a copy";
  EXPECT_TRUE(is_let_in(3.1, 1)) << "a better copy takes its place in its kind";
}

/// The parents chosen on an island with two kernels of one kind: attempt 1 is faster, attempt 5 is
/// nearer to its roofline.
std::set<int> parents_under(const std::string& policy) {
  Dialogue d("evolve");
  d.set_reward(policy);
  d.set_roofline(0.3);
  for (int i = 0; i < 4; ++i) d.ask(), d.works(3, kernel(1, "o" + std::to_string(i)));
  d.set_roofline(0.6);
  d.ask(), d.works(2, kernel(1, "near"));
  for (int i = 0; i < 3; ++i) d.ask(), d.fails(Outcome::NoCandidate);
  return parents_of_first_island(d, 24);
}

TEST(Evolve, KeepsWhatTheRunsRewardPrefers) {
  EXPECT_THAT(parents_under("speedup"), testing::ElementsAre(1));
  EXPECT_THAT(parents_under("roofline"), testing::ElementsAre(5));
}

TEST(Evolve, TheBestOfAnIslandMigrates) {
  Dialogue d("evolve");
  // Only island 1 has a kernel; the others keep failing until the kernel migrates to them.
  int children = 0;
  while (children < 20) {
    const Ask ask = d.ask();
    const bool is_first = ask.why.starts_with("island 1:");
    children += is_first;
    is_first ? d.works(children, kernel(1, "o" + std::to_string(children)))
             : d.fails(Outcome::NoCandidate);
  }
  Ask ask = d.ask();
  ASSERT_TRUE(ask.why.starts_with("island 2:"));
  while (ask.errand == Errand::Repair) {
    d.fails(Outcome::NoCandidate), ask = d.ask();
    while (!ask.why.starts_with("island 2:")) d.fails(Outcome::NoCandidate), ask = d.ask();
  }
  EXPECT_EQ(ask.errand, Errand::Improve) << "the second island has an elite now";
}

}  // namespace
}  // namespace kw::search
