// Tests of a search through the library, as a program of a user asks for it.
// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/files.h"

namespace kw::session {
namespace {

class Watching final : public OptimizeObserver {
 public:
  void on_attempt(const Attempt& /*attempt*/, const engine::Standing& /*standing*/) override {
    ++attempts;
  }
  void on_end(const OptimizeResult& result) override { ended = result.data.run.name; }

  int attempts = 0;
  std::string ended;
};

class SessionTest : public testing::Test {
 protected:
  Session open() {
    Options options;
    options.workspace = dir_.path().string();
    options.jail = "none";  // a landscape runs no candidate
    auto session = Session::open(options);
    EXPECT_TRUE(session) << describe(session.error());
    return std::move(*session);
  }
  static OptimizeRequest searching(std::int64_t attempts) {
    OptimizeRequest request;
    request.config.task_path = "synthetic:7";
    request.config.strategy = "greedy";
    request.config.tuner = "auto";
    request.config.reward_policy = "speedup";
    request.config.max_attempts = attempts;
    return request;
  }

  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-session").value());
};

TEST_F(SessionTest, SearchesALandscapeAndTellsItsObserver) {
  const Session session = open();
  Watching watching;
  const auto result = session.optimize(searching(5), watching);
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(watching.attempts, 5);
  EXPECT_EQ(watching.ended, result->data.run.name);
  EXPECT_FALSE(result->was_interrupted());
  EXPECT_TRUE(std::filesystem::exists(result->folder / "results.csv"));
}

TEST_F(SessionTest, EndsWhereItIsCancelledAndGoesOnLater) {
  const Session session = open();
  Watching watching;
  const auto ended = session.optimize(searching(5), watching,
                                      {.is_interrupted = [&] { return watching.attempts >= 2; }});
  ASSERT_TRUE(ended) << describe(ended.error());
  EXPECT_TRUE(ended->was_interrupted());
  EXPECT_LT(watching.attempts, 5);
  const auto resumed = session.resume(ended->data.run.name, watching);
  ASSERT_TRUE(resumed) << describe(resumed.error());
  EXPECT_FALSE(resumed->was_interrupted());
  EXPECT_EQ(watching.attempts, 5);
}

TEST_F(SessionTest, AnUnknownRunIsNotFound) {
  Watching watching;
  EXPECT_EQ(open().resume("nonesuch", watching).error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace kw::session
