// How much memory a bench says it needs.
// SPDX-License-Identifier: Apache-2.0
#include "referee/bench.h"

#include <gtest/gtest.h>

#include "referee/testing.h"

namespace kw::referee {
namespace {

TEST(Bench, CountsWhatATruthInLongDoubleTakes) {
  testing::Room room;
  Task& task = room.request.task;
  Workload& workload = room.request.workloads.back();
  for (Tensor& tensor : workload.tensors) tensor.dtype = Dtype::F64;
  const auto bytes = [&] {
    return Bench(*room.device, task, workload, Seed{}, {.maker = {.device = room.device.get()}})
        .bytes_to_begin();
  };
  const std::int64_t in_double = bytes();
  task.signature.back().dtype = Dtype::F64;
  EXPECT_EQ(bytes() - in_double, 2 * 16 * workload.tensors.front().extent());
}

}  // namespace
}  // namespace kw::referee
