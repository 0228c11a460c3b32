// Tests of the cpu device on this machine: facts, buffers, flushing.
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/error_for_test.h"
#include "device/cpu_buffer.h"

namespace kw::device {
namespace {

TEST(CpuFacts, DescribeThisMachineAndStayTheSame) {
  const auto facts = read_cpu_facts();
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->target, Target::Cpu);
  EXPECT_GE(facts->cores, 1);
  EXPECT_FALSE(facts->isa.empty());
  EXPECT_GT(facts->memory_bytes, std::int64_t{1} << 28);
  EXPECT_FALSE(facts->model.empty());
  EXPECT_TRUE(facts->kernel.starts_with("Linux "));
  for (const Cache& c : facts->caches) {
    EXPECT_GE(c.level, 1);
    EXPECT_GT(c.bytes, 0);
    EXPECT_GE(c.shared_by, 1);
  }
  EXPECT_EQ(read_cpu_facts()->id, facts->id);
}

TEST(CpuDevice, NeedsItsPlayer) {
  const auto opened = open_cpu({.player = "/nonexistent/kw-player-cpu"});
  ASSERT_THAT(opened, IsErrorAbout(ErrorCode::MissingProgram, "kw-player"));
  EXPECT_EQ(opened.error().advice, Advice::Stop);
}

TEST(CpuDevice, FlushesAndProbes) {
  const auto device = open_cpu();
  ASSERT_TRUE(device.has_value()) << device.error().what;
  const auto buffer = (*device)->allocate({.name = "b", .bytes = 5'000'001, .alignment = 64});
  ASSERT_TRUE(buffer.has_value());
  const std::vector<std::byte> before(100, std::byte{7});
  ASSERT_TRUE((*buffer)->write(4'999'901, before).has_value());
  Buffer* const buffers[] = {buffer->get()};
  EXPECT_TRUE((*device)->flush(buffers).has_value());
  std::vector<std::byte> after(100);
  ASSERT_TRUE((*buffer)->read(4'999'901, after).has_value());
  EXPECT_EQ(after, before);
  EXPECT_TRUE((*device)->probe().value());
  EXPECT_GT((*device)->free_bytes(), 0);
  EXPECT_LT((*device)->free_bytes(), (*device)->facts().memory_bytes);
}

Parallel& parallel() {
  static Parallel two(2);
  return two;
}

class Layout : public testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {};

TEST_P(Layout, PayloadsAreAlignedAndEndAsCloseToTheGuardAsThatAllows) {
  const auto [bytes, alignment] = GetParam();
  const auto b =
      CpuBuffer::allocate({.name = "b", .bytes = bytes, .alignment = alignment}, parallel());
  ASSERT_TRUE(b.has_value());
  const auto payload = (*b)->payload();
  EXPECT_EQ((*b)->bytes(), bytes);
  EXPECT_EQ(
      reinterpret_cast<std::uintptr_t>(payload.data()) % static_cast<std::uintptr_t>(alignment),
      0u);
  EXPECT_LT((*b)->back_slack().size(), static_cast<std::size_t>(alignment));
  EXPECT_GE((*b)->front_slack().size(), 4096u - 64);
  EXPECT_EQ((*b)->check_guards(), "");
  const auto entry = (*b)->map_entry(true);
  EXPECT_EQ(entry.payload_offset, (*b)->front_slack().size());
  EXPECT_EQ(entry.mapped_bytes % 4096, 0u);
}
INSTANTIATE_TEST_SUITE_P(Sizes, Layout,
                         testing::Values(std::pair{0, 1}, std::pair{1, 1}, std::pair{40, 4},
                                         std::pair{4096, 64}, std::pair{4097, 64},
                                         std::pair{5'000'000, 4096}));

TEST(CpuBuffers, TellWhichCanaryWasTouched) {
  const auto b = CpuBuffer::allocate({.name = "b", .bytes = 100, .alignment = 64}, parallel());
  ASSERT_TRUE(b.has_value());
  (*b)->back_slack()[3] ^= std::byte{1};
  EXPECT_EQ((*b)->check_guards(), "byte 4 after the end of the tensor was overwritten");
  (*b)->front_slack().back() ^= std::byte{1};
  EXPECT_EQ((*b)->check_guards(), "byte 1 before the beginning of the tensor was overwritten");
  (*b)->arm_guards();
  EXPECT_EQ((*b)->check_guards(), "");
}

TEST(CpuBuffers, ReadOnlyDescriptorsCannotBeMappedForWriting) {
  const auto b = CpuBuffer::allocate({.name = "b", .bytes = 100, .alignment = 64}, parallel());
  ASSERT_TRUE(b.has_value());
  void* writable =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, (*b)->descriptor(false), 0);
  EXPECT_EQ(writable, MAP_FAILED);
  void* readable = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, (*b)->descriptor(false), 0);
  ASSERT_NE(readable, MAP_FAILED);
  EXPECT_NE(::mprotect(readable, 4096, PROT_READ | PROT_WRITE), 0);
  ::munmap(readable, 4096);
}

TEST(CpuBuffers, RefuseAlignmentsBeyondAPage) {
  EXPECT_FALSE(
      CpuBuffer::allocate({.name = "b", .bytes = 8, .alignment = 8192}, parallel()).has_value());
}

}  // namespace
}  // namespace kw::device
