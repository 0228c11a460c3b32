// Tests that prompts and knowledge are about the architecture for which a run compiles its code.
// SPDX-License-Identifier: Apache-2.0
#include "session/searching/groundwork.h"

#include <gtest/gtest.h>

#include "device/known_devices.h"

namespace kw::session {
namespace {

TEST(Groundwork, WordsAndKnowledgeAreOfTheArchThatCodeIsMadeFor) {
  const auto data = memory::DataFiles::open(std::nullopt).value();
  DeviceFacts facts;
  facts.target = Target::Cuda;
  facts.gpu = {device::least_facts("sm_90a")};
  for (const std::string arch : {"sm_90", "sm_90a", ""}) {
    const Options options;
    const auto ground = lay_groundwork(options, data, open_task(options, data, "saxpy").value(),
                                       {Target::Cuda, arch}, facts);
    ASSERT_TRUE(ground) << describe(ground.error());
    const std::string told = arch.empty() ? "sm_90a" : arch;
    engine::Writing writing;
    ASSERT_TRUE(furnish(writing, *ground, facts, true).has_value());
    EXPECT_EQ(writing.device.gpu.front().arch, told);
    EXPECT_EQ(learning_of(*ground, facts).arch, told);
  }
}

}  // namespace
}  // namespace kw::session
