// What slots do with their memory and with the players that map it.
// SPDX-License-Identifier: Apache-2.0
#include "referee/slots.h"

#include <gtest/gtest.h>

#include "referee/testing.h"

namespace kw::referee {
namespace {

// A process that still mapped the old memory would write answers that nobody reads.
TEST(Slots, EndsEveryLifeBeforeItsMemoryIsRenewed) {
  testing::Room room;
  const Task& task = room.request.task;
  BenchSite site(*room.device, task, room.request.workloads.front(), Seed{},
                 {.maker = {.device = room.device.get()}});
  Slots slots(site);
  ASSERT_TRUE(slots.ensure(1).has_value());
  ASSERT_TRUE(slots.renew_memory().has_value());  // the memory is still new
  Program program;
  program.object.sha256 = "candidate";
  std::vector<std::unique_ptr<Leg>> legs;
  for (const char* name : {"candidate", "opponent", "opponent"}) {
    legs.push_back(slots.make_leg(name, JailLevel::Namespace, true, program));
    ASSERT_TRUE(legs.back()->renew().has_value());
    ASSERT_TRUE(legs.back()->is_alive());
  }
  legs.pop_back();  // one leg no longer exists
  ASSERT_TRUE(slots.renew_memory().has_value());
  for (const auto& leg : legs) EXPECT_FALSE(leg->is_alive());
}

}  // namespace
}  // namespace kw::referee
