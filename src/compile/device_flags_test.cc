// Tests of the findings on a kernel's resources: each fact is told once, with a remedy.
// SPDX-License-Identifier: Apache-2.0
#include "compile/device_flags.h"

#include <gmock/gmock.h>

namespace kw::compile {
namespace {

using testing::SizeIs;

TEST(ResourceFindings, KernelsThatSpillComeFirstAndHearWhatHelps) {
  std::vector<KernelFacts> kernels(3);
  kernels[0].name = "plain", kernels[0].registers = 32, kernels[0].max_threads = 256;
  kernels[0].spill_bytes = 0;
  kernels[1].name = "arrays", kernels[1].registers = 40, kernels[1].stack_bytes = 64;
  kernels[1].spill_bytes = 0;
  kernels[2].name = "spills", kernels[2].registers = 255, kernels[2].static_shared = 1024;
  kernels[2].spill_bytes = 96, kernels[2].stack_bytes = 48;
  const auto findings = resource_findings(kernels);
  ASSERT_THAT(findings, SizeIs(3));
  EXPECT_EQ(findings[0].place, "spills");
  EXPECT_EQ(findings[0].text,
            "spills: 255 registers per thread, 1 KiB of static shared memory, 96 B of spill "
            "traffic per thread, 48 B of stack in local memory. Registers run out, and values "
            "spill to local "
            "memory, which is DRAM behind caches: use fewer values at a time, smaller register "
            "tiles or smaller blocks in __launch_bounds__.");
  EXPECT_EQ(findings[1].text,
            "plain: 32 registers per thread, 0 B of static shared memory, compiled for at most 256 "
            "threads a block.");
  EXPECT_EQ(findings[2].text,
            "arrays: 40 registers per thread, 0 B of static shared memory, 64 B of stack in local "
            "memory. Unroll the loops that index arrays of a thread, so that every index is a "
            "constant and "
            "the arrays become registers.");
}

}  // namespace
}  // namespace kw::compile
