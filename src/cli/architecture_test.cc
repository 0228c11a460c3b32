// Tests that what prompts tell a model about a GPU architecture is what the CUDA compiler accepts.
// SPDX-License-Identifier: Apache-2.0
#include "propose/architecture.h"

#include <gtest/gtest.h>

#include <map>

#include "compile/cuda_unit_for_test.h"
#include "device/known_devices.h"

namespace kw::compile {
namespace {

/// For each ability of an architecture, code that uses the ability once, in a kernel with a
/// parameter `int* x`.
const std::map<std::string_view, std::string>& probes() {
  static const std::map<std::string_view, std::string> uses = {
      {"mma.f16",
       R"(int d, e; asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%2},)"
       R"({%2},{%2,%2};" : "=r"(d), "=r"(e) : "r"(x[0])); x[1] = d + e;)"},
      {"mma.m16n8k16",
       R"(int d, e; asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},)"
       R"({%2,%2,%2,%2},{%2,%2},{%2,%2};" : "=r"(d), "=r"(e) : "r"(x[0])); x[1] = d + e;)"},
      {"mma.tf32",
       R"(float a, b, c, d; asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 )"
       R"({%0,%1,%2,%3},{%4,%4},{%4},{%5,%5,%5,%5};" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) )"
       R"(: "r"(x[0]), "f"(float(x[1]))); x[1] = a + b + c + d;)"},
      {"bf16",
       R"(int d; asm volatile("fma.rn.bf16x2 %0, %1, %1, %1;" : "=r"(d) : "r"(x[0])); x[1] = d;)"},
      {"cp.async",
       R"(asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(0), "l"(x));)"},
      {"mbarrier", R"(asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(0));)"},
      {"redux",
       R"(int d; asm volatile("redux.sync.add.s32 %0, %1, -1;" : "=r"(d) : "r"(x[0])); x[1] = d;)"},
      {"fp8", R"(short d; asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(d) )"
              R"(: "f"(float(x[0]))); x[1] = d;)"},
      {"cluster", R"(asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;");)"},
      {"tma",
       R"(asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], )"
       R"([%1], 16, [%0];" :: "r"(0), "l"(x));)"},
      {"pdl", R"(asm volatile("griddepcontrol.wait;");)"},
      {"wgmma", R"(asm volatile("wgmma.fence.sync.aligned;");)"},
      {"setmaxnreg", R"(asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");)"},
      {"tcgen05", R"(asm volatile("tcgen05.fence::before_thread_sync;");)"}};
  return uses;
}

TEST_F(CudaCompilerTest, PromptsClaimOfAnArchitectureWhatTheCompilerSays) {
  for (const propose::ArchAbility& ability : propose::arch_abilities()) {
    BuildUnit unit =
        cuda_unit("extern \"C\" __global__ void __launch_bounds__(128) k(int* x) {\n  " +
                  probes().at(ability.name) + "\n}\n");
    unit.kernels = {"k"};
    for (const std::string& arch : device::known_archs()) {
      unit.arch = arch;
      // The build fails with an error where the installed CUDA toolkit does not know the
      // architecture; such an architecture is skipped.
      const auto built = compiler().build(unit);
      if (!built) continue;
      EXPECT_EQ(built->ok(), propose::has_ability(arch, ability))
          << ability.name << " on " << arch << ": " << built->evidence;
    }
  }
}

}  // namespace
}  // namespace kw::compile
