// Shared parts of the tests on a GPU: the device, its kernels, and a player with buffers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda.h"
#include "device/device.h"

namespace kw::testing_gpu {

/// The device, opened and equipped once; null if there is no GPU.
device::Device* gpu();
/// The reason why there is no GPU.
const std::string& why_no_gpu();
/// True where KW_CUDA_DRIVER names a stand-in for the driver.
bool is_emulated();

/// The kernels of tests/cuda/kernels.cu, built for the device.
const BuiltObject& kernels();

/// The trusted kernels of a role: those with which the device was equipped, or the sanitizer's
/// control ("trusted_control").
const BuiltObject& trusted(const std::string& role);

/// The kernels of tests/cuda/hopper.cu; null if the device has no clusters, or is the stand-in.
const BuiltObject* hopper_kernels();

/// The kernels of tests/cuda/remnants.cu, built for the device.
const BuiltObject& remnants();

/// The strongest jail that works here, in which the tests run players.
JailLevel jail_level();

/// Base of tests that need a GPU; skips them with the reason if there is none.
class Gpu : public testing::Test {
 protected:
  void SetUp() override;

  std::unique_ptr<device::Buffer> make(std::int64_t floats, bool shared = true);
  std::unique_ptr<device::Player> start(std::vector<device::Buffer*> buffers,
                                        std::vector<bool> writable);

  static void put(device::Buffer& buffer, const std::vector<float>& values);
  static std::vector<float> get(const device::Buffer& buffer, std::size_t count);
};

/// Base of tests with a player that has two buffers, x (read-only) and y, and the kernels loaded.
class WithPlayer : public Gpu {
 protected:
  static constexpr std::int64_t kElements = 5000;
  void SetUp() override;

  /// Loads other kernels in place of those that are loaded.
  void load(const BuiltObject& object);
  /// Binds a plan; the test fails if binding fails.
  int bound(const Plan& plan, std::vector<int> workspaces = {});
  device::CallResult run(int plan, std::int64_t timeout_ns = 5'000'000'000);
  device::CallResult run(const Plan& plan);

  std::unique_ptr<device::Buffer> x_, y_;
  std::unique_ptr<device::Player> player_;
  int object_ = -1;
};

/// Arguments of a launch that point into a tensor or a workspace.
PlanArgument tensor(int parameter, int index, std::int64_t offset = 0);
PlanArgument workspace(int parameter, int index);
PlanArgument number(int parameter, std::int32_t value);
PlanArgument real(int parameter, float value);
PlanArgument wide(int parameter, std::int64_t value);
PlanStep launch(std::string kernel, std::int64_t grid, std::int64_t block,
                std::vector<PlanArgument> arguments);
Plan plan_of(std::vector<PlanStep> steps);

/// The plan step y = a x + y over `n` elements.
PlanStep saxpy(float a, std::int32_t n);

}  // namespace kw::testing_gpu
