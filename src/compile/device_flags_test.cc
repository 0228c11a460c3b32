// Tests of the findings on a kernel's resources: each fact is told once, with a remedy.
// SPDX-License-Identifier: Apache-2.0
#include "compile/device_flags.h"

#include <gmock/gmock.h>

#include "record/finding_for_test.h"

namespace kw::compile {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;

TEST(ResourceFindings, KernelsThatSpillComeFirstAndHearWhatHelps) {
  std::vector<KernelFacts> kernels(3);
  kernels[0].name = "plain", kernels[0].registers = 32, kernels[0].max_threads = 256;
  kernels[0].spill_bytes = 0;
  kernels[1].name = "arrays", kernels[1].registers = 40, kernels[1].stack_bytes = 64;
  kernels[1].spill_bytes = 0;
  kernels[2].name = "spills", kernels[2].registers = 255, kernels[2].static_shared = 1024;
  kernels[2].spill_bytes = 96, kernels[2].stack_bytes = 48;
  const auto findings = resource_findings(kernels);
  const auto of = [](const char* place, const char* about, auto numbers) {
    return AllOf(Field(&Finding::place, place), IsAbout(about, numbers));
  };
  EXPECT_THAT(findings, ElementsAre(of("spills", "spill", ElementsAre(255, 1024, 96, 48)),
                                    of("plain", "fits", ElementsAre(32, 0, 256)),
                                    of("arrays", "stack", ElementsAre(40, 0, 64))));
}

}  // namespace
}  // namespace kw::compile
