// Tests of the steps between techniques that the playbook's kernels show.
// SPDX-License-Identifier: Apache-2.0
#include "memory/playbook_graph.h"

#include <gmock/gmock.h>

namespace kw::memory {
namespace {

TEST(PlaybookGraph, LeadsFromEachKernelToItsNext) {
  const auto data = DataFiles::open(std::nullopt);
  ASSERT_TRUE(data);
  for (const Target target : {Target::Cpu, Target::Cuda}) {
    const TechniqueGraph graph = playbook_graph(*data, target);
    EXPECT_GT(graph.nodes().size(), 8u) << name_of(target);
    EXPECT_FALSE(graph.out_of(0).empty()) << "something leads on from sequential code";
    bool has_example = false;
    for (const TechniqueEdge& edge : graph.edges()) {
      EXPECT_EQ(edge.count.tried, 0) << "nothing was measured";
      for (const StepExample& example : edge.examples) {
        has_example = true;
        EXPECT_NE(example.before, example.after);
        EXPECT_NE(example.after.find(edge.to), std::string::npos) << example.name;
      }
    }
    EXPECT_TRUE(has_example) << name_of(target);
  }
}

}  // namespace
}  // namespace kw::memory
