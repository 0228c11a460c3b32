// Tests which results of a bundle a workspace accepts, depending on the evaluations, target and
// architecture that it requested.
// SPDX-License-Identifier: Apache-2.0
#include "session/judging/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "device/known_devices.h"
#include "worker/bundle.h"

namespace kw::session {
namespace {

class ResultsOfABundle : public testing::Test {
 protected:
  std::string file(Target target, const std::vector<std::string>& keys) const {
    worker::BundleResults results;
    results.facts.target = target;
    results.facts.id = "it";
    if (target == Target::Cuda) results.facts.gpu = {device::least_facts("sm_90a")};
    for (const std::string& key : keys) results.answers.push_back({key, {}});
    const auto path = dir_.path() / "results";
    EXPECT_TRUE(worker::write_results(path, results));
    return path.string();
  }
  Result<TakenResults> take(const std::string& file, const Aim& aim) {
    return take_results(store_, file, aim);
  }

  static inline const Aim kOlder{Target::Cuda, "sm_90"};
  static inline const Aim kNewer{Target::Cuda, "sm_90a"};

  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-bundle").value());
  store::RunStore store_ = std::move(store::RunStore::open(dir_.path() / "runs").value());
};

TEST_F(ResultsOfABundle, AreOfTheArchThatAskedThoughTheDeviceRunsBoth) {
  ASSERT_TRUE(note_asked(store_, "a", kNewer));
  EXPECT_THAT(take(file(Target::Cuda, {"a"}), kOlder),
              IsErrorAbout(ErrorCode::Contradiction, "a run for cuda sm_90a, not cuda sm_90"));
  EXPECT_EQ(bundle_facts(store_, kOlder)->id, "elsewhere") << "nothing is kept of a refused file";
  EXPECT_TRUE(take(file(Target::Cuda, {"a"}), kNewer));
  EXPECT_EQ(bundle_facts(store_, kNewer)->id, "it");
}

TEST_F(ResultsOfABundle, AreTakenForWhatAnOlderBuildAsked) {
  ASSERT_TRUE(store_.facts().remember("bundle_asked", "a", "cuda"));
  ASSERT_TRUE(store_.facts().remember("bundle_asked", "b", "1"));
  EXPECT_TRUE(take(file(Target::Cuda, {"a", "b"}), kOlder));
  ASSERT_TRUE(store_.facts().remember("bundle_asked", "c", "cpu"));
  EXPECT_THAT(take(file(Target::Cuda, {"c"}), kOlder),
              IsErrorAbout(ErrorCode::Contradiction, "a run for cpu, not cuda sm_90"));
}

TEST_F(ResultsOfABundle, OfAnotherTargetAreRefusedEvenWithoutAnswers) {
  const Aim cpu{Target::Cpu, ""};
  EXPECT_THAT(take(file(Target::Cuda, {}), cpu),
              IsErrorAbout(ErrorCode::Contradiction, "target cuda, not cpu"));
  EXPECT_EQ(bundle_facts(store_, cpu)->id, "elsewhere");
  EXPECT_TRUE(take(file(Target::Cpu, {}), cpu));
  EXPECT_EQ(bundle_facts(store_, cpu)->id, "it");
}

}  // namespace
}  // namespace kw::session
