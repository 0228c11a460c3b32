// Opens the device for tests, whose kernels nvcc builds.
// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "platform/jail.h"
#include "platform/subprocess.h"
#include "profile/sanitizer.h"

namespace kw::testing_gpu {
namespace {

using device::Buffer;
using device::Device;

struct Opened {
  std::unique_ptr<Device> device;
  BuiltObject kernels;
  BuiltObject hopper;
  BuiltObject remnants;
  std::map<std::string, BuiltObject> trusted;
  std::string why;
  std::optional<platform::TempDir> folder;
};

std::string nvcc() {
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* folder = std::getenv(variable)) return std::string(folder) + "/bin/nvcc";
  return "/usr/local/cuda/bin/nvcc";
}

/// Builds one file in its own folder; returns an empty string on success, else the reason.
std::string build(const platform::Path& source, const platform::Path& cubin,
                  const std::string& arch) {
  platform::SpawnOptions options;
  for (const char* name : {"PATH", "HOME", "TMPDIR"})
    if (const auto value = platform::env_of_ours(name)) options.env.push_back(*value);
  const auto exit = platform::run(
      {nvcc(), "-std=c++17", "-arch=" + arch, "-cubin", "-o", cubin.string(), source.string()},
      options, platform::Nanoseconds(300'000'000'000));
  if (!exit.has_value()) return describe(exit.error());
  return exit->ok() ? std::string() : source.filename().string() + ": " + exit->err;
}

BuiltObject object_at(const platform::Path& path) {
  BuiltObject o;
  o.format = "cubin";
  o.path = path.string();
  return o;
}

/// Whether the device is a real GPU of sm_90 or newer. False on the stand-in, whatever GPU it
/// claims to be.
bool has_hopper(const DeviceFacts& facts) {
  return !is_emulated() && std::stoi(facts.gpu.front().arch.substr(3)) >= 90;
}

Opened open() {
  Opened o;
  auto device = device::open_cuda({});
  if (!device.has_value()) {
    o.why = describe(device.error());
    return o;
  }
  if (!std::filesystem::exists(nvcc())) {
    o.why = "no nvcc at " + nvcc() + "; CUDA_PATH names the toolkit";
    return o;
  }
  auto folder = platform::TempDir::create("kw-cuda-test");
  if (!folder.has_value()) {
    o.why = describe(folder.error());
    return o;
  }
  const platform::Path path = folder->path();
  o.folder = *std::move(folder);
  const std::string arch = (*device)->facts().gpu.front().arch;
  auto units = device::trusted_units(arch);
  units.push_back(profile::sanitizer_control(arch));
  for (BuildUnit& unit : units) {
    for (const SourceFile& file : unit.files) std::ofstream(path / file.name) << file.text;
    const auto cubin = path / (unit.role + ".cubin");
    if (o.why = build(path / unit.main_file, cubin, arch); !o.why.empty()) return o;
    unit.object.push_back(object_at(cubin));
    o.trusted[unit.role] = unit.object.front();
  }
  o.kernels = object_at(path / "kernels.cubin");
  o.why = build(KW_SOURCE_DIR "/tests/cuda/kernels.cu", o.kernels.path, arch);
  if (!o.why.empty()) return o;
  if (has_hopper((*device)->facts())) {
    o.hopper = object_at(path / "hopper.cubin");
    o.why = build(KW_SOURCE_DIR "/tests/cuda/hopper.cu", o.hopper.path, arch);
    if (!o.why.empty()) return o;
  }
  // The stand-in knows neither the assembly nor the kinds of memory of this device code, so only a
  // real GPU gets it.
  if (!is_emulated()) {
    o.remnants = object_at(path / "remnants.cubin");
    o.why = build(KW_SOURCE_DIR "/tests/cuda/remnants.cu", o.remnants.path, arch);
    if (!o.why.empty()) return o;
  }
  KernelFacts multiply;
  multiply.name = "multiply<3>";
  multiply.symbol = "_Z8multiplyILi3EEvPfi";
  o.kernels.kernels.push_back(multiply);
  if (const auto equipped = (*device)->equip(units); !equipped.has_value()) {
    o.why = "EQUIP: " + describe(equipped.error());
    return o;
  }
  o.device = *std::move(device);
  return o;
}

Opened& opened() {
  static Opened o = open();
  return o;
}

}  // namespace

Device* gpu() { return opened().device.get(); }
const std::string& why_no_gpu() { return opened().why; }
bool is_emulated() { return std::getenv("KW_CUDA_DRIVER") != nullptr; }
const BuiltObject& kernels() { return opened().kernels; }
const BuiltObject& remnants() { return opened().remnants; }
const BuiltObject& trusted(const std::string& role) { return opened().trusted.at(role); }
const BuiltObject* hopper_kernels() {
  return opened().hopper.path.empty() ? nullptr : &opened().hopper;
}

JailLevel jail_level() {
  return static_cast<JailLevel>(static_cast<int>(platform::probe_jail().best()));
}

void Gpu::SetUp() {
  if (gpu() != nullptr) return;
  // On a machine that must have a GPU (KW_REQUIRE_GPU), skipping counts as failure.
  if (std::getenv("KW_REQUIRE_GPU") != nullptr) FAIL() << why_no_gpu();
  std::fprintf(stderr, "skipped: %s\n", why_no_gpu().c_str());
  GTEST_SKIP() << why_no_gpu();
}

std::unique_ptr<Buffer> Gpu::make(std::int64_t floats, bool shared) {
  auto made =
      gpu()->allocate({.name = "test", .bytes = floats * 4, .alignment = 4, .shared = shared});
  if (!made.has_value()) {
    ADD_FAILURE() << describe(made.error());
    std::abort();
  }
  return *std::move(made);
}

std::unique_ptr<device::Player> Gpu::start(std::vector<Buffer*> buffers,
                                           std::vector<bool> writable) {
  auto player = gpu()->start_player({.name = "candidate",
                                     .jail = jail_level(),
                                     .buffers = std::move(buffers),
                                     .writable = std::move(writable)});
  if (!player.has_value()) {
    ADD_FAILURE() << describe(player.error());
    std::abort();
  }
  return *std::move(player);
}

void Gpu::put(Buffer& buffer, const std::vector<float>& values) {
  const auto written = buffer.write(0, std::as_bytes(std::span(values)));
  ASSERT_TRUE(written.has_value()) << written.error().what;
}

std::vector<float> Gpu::get(const Buffer& buffer, std::size_t count) {
  std::vector<float> values(count);
  const auto done = buffer.read(0, std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(done.has_value()) << done.error().what;
  return values;
}

void WithPlayer::SetUp() {
  Gpu::SetUp();
  if (gpu() == nullptr) return;
  x_ = make(kElements);
  y_ = make(kElements);
  std::vector<float> ramp(kElements);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i);
  put(*x_, ramp);
  put(*y_, std::vector<float>(kElements, 1));
  player_ = start({x_.get(), y_.get()}, {false, true});
  load(kernels());
}

void WithPlayer::load(const BuiltObject& object) {
  const auto loaded = player_->load(object);
  ASSERT_EQ(loaded.fate, device::Fate::Returned) << loaded.detail;
  object_ = loaded.object;
}

int WithPlayer::bound(const Plan& plan, std::vector<int> workspaces) {
  const auto result = player_->bind(
      {.object = object_, .plan = &plan, .tensors = {0, 1}, .workspaces = std::move(workspaces)});
  EXPECT_EQ(result.fate, device::Fate::Returned) << result.detail;
  return result.object;
}

device::CallResult WithPlayer::run(int plan, std::int64_t timeout_ns) {
  return player_->call({.object = plan, .timeout_ns = timeout_ns});
}

device::CallResult WithPlayer::run(const Plan& plan) {
  const int handle = bound(plan);
  return handle < 0 ? device::CallResult{.fate = device::Fate::LoadRefused} : run(handle);
}

PlanArgument tensor(int parameter, int index, std::int64_t offset) {
  PlanArgument a;
  a.parameter = parameter;
  a.kind = ArgumentKind::Address;
  a.bytes = 8;
  a.place = {PlanMemory::Tensor, index, offset};
  return a;
}

PlanArgument workspace(int parameter, int index) {
  PlanArgument a = tensor(parameter, index);
  a.place.memory = PlanMemory::Workspace;
  return a;
}

template <class T>
static PlanArgument scalar(int parameter, T value) {
  PlanArgument a;
  a.parameter = parameter;
  a.bytes = sizeof value;
  std::memcpy(&a.image, &value, sizeof value);
  return a;
}

PlanArgument number(int parameter, std::int32_t value) { return scalar(parameter, value); }
PlanArgument real(int parameter, float value) { return scalar(parameter, value); }
PlanArgument wide(int parameter, std::int64_t value) { return scalar(parameter, value); }

PlanStep launch(std::string kernel, std::int64_t grid, std::int64_t block,
                std::vector<PlanArgument> arguments) {
  PlanStep step;
  step.kernel = std::move(kernel);
  step.grid = {grid};
  step.block = {block};
  step.arguments = std::move(arguments);
  return step;
}

Plan plan_of(std::vector<PlanStep> steps) {
  Plan plan;
  plan.steps = std::move(steps);
  return plan;
}

PlanStep saxpy(float a, std::int32_t n) {
  return launch("saxpy", (n + 255) / 256, 256,
                {real(0, a), tensor(1, 0), tensor(2, 1), number(3, n)});
}

}  // namespace kw::testing_gpu
