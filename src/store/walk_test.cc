// Tests of a walk over packed attempts: order, sources, and where it ends.
// SPDX-License-Identifier: Apache-2.0
#include "store/walk.h"

#include "base/error_for_test.h"
#include "platform/memory_disk_for_test.h"
#include "record/codec.h"
#include "store/test_store.h"

namespace kw::store {
namespace {

/// More attempts than are unpacked at once, and no multiple of that number.
constexpr int kAttempts = 101;

class AttemptWalkTest : public testing::Test {
 protected:
  AttemptWalkTest() {
    for (int n = 1; n <= kAttempts; ++n) {
      Attempt a = attempt(n, "source " + std::to_string(n % 7));
      const std::string name = artifacts_.put(a.candidate.source).value().hex();
      a.candidate.source.clear();
      rows_.push_back({name, compress(encode(a))});
    }
  }
  Result<> walk(Sources sources, const AttemptWalk::Visit& visit) {
    AttemptWalk walk(artifacts_, sources, Samples::Load, visit);
    for (const PackedAttempt& row : rows_) KW_TRY(walk.add(row));
    return walk.finish();
  }

  platform::MemoryDisk disk_;
  Artifacts artifacts_{disk_, "/artifacts"};
  std::vector<PackedAttempt> rows_;
};

TEST_F(AttemptWalkTest, VisitsAllInOrderEachWithItsSource) {
  int next = 1;
  ASSERT_TRUE(walk(Sources::Load, [&](Attempt& a) -> Result<> {
    EXPECT_EQ(a.number, next);
    EXPECT_EQ(a.candidate.source, "source " + std::to_string(next % 7));
    ++next;
    return {};
  }));
  EXPECT_EQ(next, kAttempts + 1);
}

TEST_F(AttemptWalkTest, EndsWhereAVisitFails) {
  for (const int last : {1, 32, 33, 64, 97, kAttempts}) {
    int seen = 0;
    const auto ended = walk(Sources::LeaveOut, [&](Attempt& a) -> Result<> {
      EXPECT_TRUE(a.candidate.source.empty());
      return ++seen == last ? Result<>(fail(ErrorCode::Cancelled, About{"enough"}, "enough"))
                            : Result<>();
    });
    EXPECT_THAT(ended, IsErrorAbout(ErrorCode::Cancelled, "enough"));
    EXPECT_EQ(seen, last);
  }
}

TEST_F(AttemptWalkTest, VisitsWhatStandsBeforeADamagedRow) {
  for (const int broken : {kAttempts, 40, 1}) {
    rows_[static_cast<std::size_t>(broken) - 1].body = "no zstd";
    int seen = 0;
    const auto ended = walk(Sources::Load, [&](Attempt&) -> Result<> {
      ++seen;
      return {};
    });
    EXPECT_THAT(ended, IsErrorAbout(ErrorCode::Malformed, "compressed data"));
    EXPECT_EQ(seen, broken - 1);
  }
}

TEST_F(AttemptWalkTest, NeedsNoSourceThatNobodyWants) {
  rows_[70].source = std::string(64, '0');
  const auto nothing = [](Attempt&) -> Result<> { return {}; };
  EXPECT_TRUE(walk(Sources::LeaveOut, nothing));
  EXPECT_FALSE(walk(Sources::Load, nothing));
}

// Sources are kept up to a bound; beyond the bound they are read again.
TEST_F(AttemptWalkTest, GivesLargeSourcesToo) {
  SourceTexts texts(artifacts_);
  for (int round = 0; round < 2; ++round)
    for (char c = 'a'; c < 'f'; ++c) {
      const std::string text(400'000, c);
      EXPECT_EQ(texts.get(artifacts_.put(text).value().hex()).value(), text);
    }
}

}  // namespace
}  // namespace kw::store
