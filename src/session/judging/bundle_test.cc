// Tests which results of a bundle a workspace accepts, depending on the evaluations, target and
// architecture that it requested.
// SPDX-License-Identifier: Apache-2.0
#include "session/judging/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  /// The error message about the results; empty: they were accepted.
  std::string take(const std::string& file, const Aim& aim) {
    const auto taken = take_results(store_, file, aim);
    return taken ? "" : taken.error().what;
  }

  static inline const Aim kOlder{Target::Cuda, "sm_90"};
  static inline const Aim kNewer{Target::Cuda, "sm_90a"};

  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-bundle").value());
  store::RunStore store_ = std::move(store::RunStore::open(dir_.path() / "runs").value());
};

TEST_F(ResultsOfABundle, AreOfTheArchThatAskedThoughTheDeviceRunsBoth) {
  ASSERT_TRUE(note_asked(store_, "a", kNewer));
  EXPECT_THAT(
      take(file(Target::Cuda, {"a"}), kOlder),
      testing::HasSubstr("results for a run for cuda sm_90a, and this run is for cuda sm_90"));
  EXPECT_EQ(bundle_facts(store_, kOlder)->id, "elsewhere") << "nothing is kept of a refused file";
  EXPECT_EQ(take(file(Target::Cuda, {"a"}), kNewer), "");
  EXPECT_EQ(bundle_facts(store_, kNewer)->id, "it");
}

TEST_F(ResultsOfABundle, AreTakenForWhatAnOlderBuildAsked) {
  ASSERT_TRUE(store_.remember("bundle_asked", "a", "cuda"));
  ASSERT_TRUE(store_.remember("bundle_asked", "b", "1"));
  EXPECT_EQ(take(file(Target::Cuda, {"a", "b"}), kOlder), "");
  ASSERT_TRUE(store_.remember("bundle_asked", "c", "cpu"));
  EXPECT_THAT(take(file(Target::Cuda, {"c"}), kOlder),
              testing::HasSubstr("results for a run for cpu,"));
}

TEST_F(ResultsOfABundle, OfAnotherTargetAreRefusedEvenWithoutAnswers) {
  const Aim cpu{Target::Cpu, ""};
  EXPECT_THAT(take(file(Target::Cuda, {}), cpu),
              testing::HasSubstr("for target cuda, and this run is for cpu"));
  EXPECT_EQ(bundle_facts(store_, cpu)->id, "elsewhere");
  EXPECT_EQ(take(file(Target::Cpu, {}), cpu), "");
  EXPECT_EQ(bundle_facts(store_, cpu)->id, "it");
}

}  // namespace
}  // namespace kw::session
