// What the tests on a GPU share: the device, its kernels, and a player with buffers.
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

/// The device, opened and equipped once; null where there is no GPU.
device::Device* gpu();
/// Why there is no GPU, in words.
const std::string& why_no_gpu();
/// True where KW_CUDA_DRIVER names a stand-in for the driver.
bool is_emulated();

/// tests/cuda/kernels.cu, built for the device.
const BuiltObject& kernels();

/// The kernels with which the device was equipped and the sanitizer's control ("trusted_control"),
/// by role.
const BuiltObject& trusted(const std::string& role);

/// tests/cuda/hopper.cu, built; null where the device has no clusters, or is the stand-in.
const BuiltObject* hopper_kernels();

/// tests/cuda/remnants.cu, built for the device.
const BuiltObject& remnants();

/// The jail that the tests run players in: the strongest that works here.
JailLevel jail_level();

/// Skips with the reason where there is no GPU.
class Gpu : public testing::Test {
 protected:
  void SetUp() override;

  std::unique_ptr<device::Buffer> make(std::int64_t floats, bool shared = true);
  std::unique_ptr<device::Player> start(std::vector<device::Buffer*> buffers,
                                        std::vector<bool> writable);

  static void put(device::Buffer& buffer, const std::vector<float>& values);
  static std::vector<float> get(const device::Buffer& buffer, std::size_t count);
};

/// A player with two buffers, x (read-only) and y, and the kernels loaded.
class WithPlayer : public Gpu {
 protected:
  static constexpr std::int64_t kElements = 5000;
  void SetUp() override;

  /// Loads other kernels in place of the present ones.
  void load(const BuiltObject& object);
  /// Binds a plan; the test fails where that does not work.
  int bound(const Plan& plan, std::vector<int> workspaces = {});
  device::CallResult run(int plan, std::int64_t timeout_ns = 5'000'000'000);
  device::CallResult run(const Plan& plan);

  std::unique_ptr<device::Buffer> x_, y_;
  std::unique_ptr<device::Player> player_;
  int object_ = -1;
};

/// An argument of a plan's launch.
PlanArgument tensor(int parameter, int index, std::int64_t offset = 0);
PlanArgument workspace(int parameter, int index);
PlanArgument number(int parameter, std::int32_t value);
PlanArgument real(int parameter, float value);
PlanArgument wide(int parameter, std::int64_t value);
PlanStep launch(std::string kernel, std::int64_t grid, std::int64_t block,
                std::vector<PlanArgument> arguments);
Plan plan_of(std::vector<PlanStep> steps);

/// y = a x + y of `n` elements.
PlanStep saxpy(float a, std::int32_t n);

}  // namespace kw::testing_gpu
