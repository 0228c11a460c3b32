// Tests that calls are made from every processor in turn, and that the thread is free afterwards.
// SPDX-License-Identifier: Apache-2.0
#include "device/vantage.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <map>

namespace kw::device {
namespace {

cpu_set_t usable() {
  cpu_set_t set;
  EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

TEST(Vantage, VisitsEveryProcessorEquallyOften) {
  const cpu_set_t before = usable();
  Vantage vantage;
  std::map<int, int> visits;
  constexpr int kRounds = 5;
  for (int i = 0; i < kRounds * CPU_COUNT(&before); ++i) {
    const auto stay = vantage.stay();
    ++visits[::sched_getcpu()];
  }
  EXPECT_EQ(visits.size(), static_cast<std::size_t>(CPU_COUNT(&before)));
  for (const auto& [processor, count] : visits) EXPECT_EQ(count, kRounds) << processor;
  const cpu_set_t after = usable();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace kw::device
