// Tests of the cuda device's logic that need no GPU: layout, clock, plans as bytes, nodes, and the
// kernels' comparison run on the host.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "base/error_for_test.h"
#include "device/compare.h"
#include "device/compare_region.h"
#include "device/cuda_age.h"
#include "device/cuda_buffer.h"
#include "device/cuda_clock.h"
#include "device/cuda_context.h"
#include "device/cuda_nodes.h"
#include "device/fill.h"
#include "device/plan_encode.h"
#include "player/plan_wire.h"

namespace kw::device {
namespace {

using testing::HasSubstr;

TEST(CudaLayout, PayloadsEndWhereTheirMappingEnds) {
  constexpr std::uint64_t kGranule = std::uint64_t{2} << 20;
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{20'000},
                                    kGranule, std::uint64_t{5} << 30}) {
    for (const std::uint64_t alignment : {1, 64, 4096}) {
      const CudaLayout l = cuda_layout(bytes, alignment, kGranule);
      EXPECT_EQ(l.mapped % kGranule, 0u);
      EXPECT_EQ(l.offset % alignment, 0u);
      EXPECT_GE(l.offset, 4096u);
      EXPECT_LE(l.offset + bytes, l.mapped);
      EXPECT_LT(l.mapped - l.offset - bytes, alignment);
      EXPECT_GE(l.guard, std::max(std::uint64_t{4} << 30, 2 * bytes));
      EXPECT_EQ(l.guard % kGranule, 0u);
    }
  }
}

TEST(CudaFacts, ArchitecturesWithFeaturesOfTheirOwnHaveASuffix) {
  EXPECT_EQ(arch_of(7, 5), "sm_75");
  EXPECT_EQ(arch_of(8, 9), "sm_89");
  EXPECT_EQ(arch_of(9, 0), "sm_90a");
  EXPECT_EQ(arch_of(12, 0), "sm_120a");
}

TEST(CudaFacts, DeviceMinorsAreReadFromTheDriversWords) {
  EXPECT_EQ(parse_device_minor("Model: \t\t NVIDIA H200\nDevice Minor: \t 3\nGPU Excluded: No\n"),
            3);
  EXPECT_EQ(parse_device_minor("Model: NVIDIA H200\n"), -1);
  EXPECT_EQ(parse_device_minor("Device Minor: x\n"), -1);
}

TEST(CudaFacts, AMissingDriverIsSaidInWords) {
  const auto opened = open_cuda({.driver = "/nonexistent/libcuda.so.1", .player = "/bin/true"});
  EXPECT_THAT(opened, IsErrorAbout(ErrorCode::NoDevice, "driver"));
}

TEST(CudaAge, IsTheMajorVersionOfCuda) {
  const std::string note = "ptxas Cuda compilation tools, release 13.0, V13.0.88";
  EXPECT_EQ(cuda_of(note), 13000);
  EXPECT_EQ(cuda_of("Cuda compilation tools, release 12.8"), 12080);
  for (const char* other :
       {"", "ELF", "Cuda compilation tools, release ", "Cuda compilation tools, release 13",
        "release 13.0", "Cuda compilation tools, release 99999.0"})
    EXPECT_EQ(cuda_of(other), 0) << other;
  EXPECT_EQ(why_too_old(13000, 13020), "") << "a newer minor version serves";
  EXPECT_EQ(why_too_old(13000, 12080), "");
  EXPECT_EQ(why_too_old(12080, 0), "") << "nobody knows";
  EXPECT_THAT(why_too_old(12080, 13000),
              HasSubstr("speaks CUDA 12.8, and they were built by CUDA 13.0"));
}

TEST(CudaUnits, CarryTheTextOfEveryHeaderTheyInclude) {
  const auto units = trusted_units("sm_80");
  ASSERT_EQ(units.size(), 2u);
  for (const BuildUnit& unit : units) {
    EXPECT_EQ(unit.arch, "sm_80");
    EXPECT_FALSE(unit.kernels.empty());
    std::string all;
    for (const SourceFile& file : unit.files) {
      all += file.text;
      EXPECT_FALSE(file.text.empty()) << file.name;
      EXPECT_EQ(file.text.find("#include <"), std::string::npos) << file.name;
    }
    for (const std::string& kernel : unit.kernels)
      EXPECT_THAT(all, HasSubstr("__global__ void " + kernel + "("));
  }
}

/// A clock page and a host clock that the test moves.
class Clock : public testing::Test {
 protected:
  static constexpr std::uint64_t kNonce = 77;
  static constexpr std::uint64_t kLead = 20'000;

  bool look(std::int64_t at_ns) {
    return watch_.look([&] { return at_ns; });
  }
  void announce(std::uint64_t end_ns) {
    page_.end_ns = end_ns;
    page_.announced = kNonce;
  }
  void stamp(std::uint64_t at_ns) {
    page_.stamp_ns = at_ns;
    page_.stamped = kNonce;
  }

  player::ClockPage page_{};
  AnnouncementWatch watch_{page_, kNonce, kLead, 0};
};

TEST_F(Clock, CountsFromTheAnnouncedEndToTheStamp) {
  EXPECT_FALSE(look(1'000));
  announce(5'000'000);
  EXPECT_TRUE(look(9'000));
  stamp(5'010'500);
  EXPECT_EQ(watch_.stamped_ns(), 10'500);
}

TEST_F(Clock, AnAnnouncementSeenTooLateIsWorthNothing) {
  EXPECT_FALSE(look(1'000));
  announce(5'000'000);
  EXPECT_TRUE(look(17'000));  // the candidate may already have been running
  stamp(5'010'500);
  EXPECT_EQ(watch_.stamped_ns(), 0);
}

TEST_F(Clock, WhatIsWrittenAfterTheCopyChangesNothing) {
  EXPECT_FALSE(look(1'000));
  announce(5'000'000);
  EXPECT_TRUE(look(2'000));
  announce(5'010'000);  // a forged announcement, by the candidate
  stamp(5'010'500);
  EXPECT_EQ(watch_.stamped_ns(), 10'500);
}

TEST_F(Clock, StampsOfAnotherRunOrBeforeTheEndAreNone) {
  EXPECT_FALSE(look(1'000));
  announce(5'000'000);
  EXPECT_TRUE(look(2'000));
  EXPECT_EQ(watch_.stamped_ns(), 0);
  stamp(4'999'999);
  EXPECT_EQ(watch_.stamped_ns(), 0);
  stamp(std::uint64_t{1} << 62);
  EXPECT_EQ(watch_.stamped_ns(), 0);
  stamp(5'000'001);
  page_.stamped = kNonce + 1;
  EXPECT_EQ(watch_.stamped_ns(), 0);
}

Plan plan_of(PlanStep step) {
  Plan plan;
  plan.workspaces.push_back({.name = "w", .bytes = 64});
  plan.tables.push_back({.name = "t", .dtype = Dtype::I32, .integers = {1, 2, 3}, .reals = {}});
  plan.steps.push_back(std::move(step));
  return plan;
}

PlanStep launch_step() {
  PlanStep step;
  step.kernel = "gemm<64>";
  step.grid = {3, 2};
  step.block = {128};
  PlanArgument a;
  a.kind = ArgumentKind::Address;
  a.bytes = 8;
  a.place = {PlanMemory::Workspace, 0, 16};
  step.arguments.push_back(a);
  a.parameter = 1;
  a.place = {PlanMemory::Table, 0, 4};
  step.arguments.push_back(a);
  return step;
}

PlanOperands operands() {
  PlanOperands o;
  o.tensors = {0, 1};
  o.workspaces = {5};
  o.symbol = [](std::string_view name) {
    return name == "gemm<64>" ? std::string("_Z4gemm") : std::string();
  };
  return o;
}

TEST(PlanEncoding, NamesBuffersAndSymbols) {
  const auto bytes = encode_plan(plan_of(launch_step()), operands());
  ASSERT_TRUE(bytes.has_value()) << bytes.error().what;
  const auto view = player::decode_plan(*bytes);
  ASSERT_TRUE(view.has_value());
  const player::WireStep& step = view->steps[0];
  EXPECT_EQ(view->name(step), "_Z4gemm");
  EXPECT_EQ(step.grid[1], 2u);
  EXPECT_EQ(step.grid[2], 1u);
  EXPECT_EQ(step.cluster[0], 0u);
  EXPECT_EQ(view->arguments_of(step)[0].place.index, 5u);
  EXPECT_EQ(view->arguments_of(step)[0].place.offset, 16u);
  EXPECT_EQ(view->arguments_of(step)[1].place.kind, player::PlaceKind::Table);
  std::int32_t second = 0;
  std::memcpy(&second, view->data.data() + view->tables[0].offset + 4, sizeof second);
  EXPECT_EQ(second, 2);
}

TEST(PlanEncoding, SaysWhatCannotBe) {
  const auto encoded = [](auto change) {
    Plan plan = plan_of(launch_step());
    change(plan);
    return encode_plan(plan, operands());
  };
  EXPECT_TRUE(encoded([](Plan&) {}));
  EXPECT_THAT(encoded([](Plan& p) { p.steps[0].kernel = "relu"; }),
              IsErrorAbout(ErrorCode::NotFound, "relu"));
  EXPECT_THAT(encoded([](Plan& p) { p.steps[0].grid = {0}; }),
              IsErrorAbout(ErrorCode::OutOfRange, HasSubstr("the grid")));
  EXPECT_THAT(encoded([](Plan& p) { p.steps[0].arguments[0].place.index = 1; }),
              IsErrorAbout(ErrorCode::NotFound, "workspace 1"));
  EXPECT_THAT(encoded([](Plan& p) { p.steps[0].arguments[0].place.offset = -4; }),
              IsErrorAbout(ErrorCode::OutOfRange, "an offset"));
  EXPECT_THAT(encoded([](Plan& p) { p.tables[0].integers.clear(); }),
              IsErrorAbout(ErrorCode::Missing, "t"));
  EXPECT_THAT(encoded([](Plan& p) {
                PlanTensorMap map;
                map.name = "m";
                map.element = "f33";
                map.sizes = map.box = {8};
                p.tensor_maps.push_back(map);
              }),
              IsErrorAbout(ErrorCode::Unsupported, "f33"));
  EXPECT_THAT(encoded([](Plan& p) { p.steps.resize(player::kMaxPlanSteps + 1, p.steps[0]); }),
              IsErrorAbout(ErrorCode::TooLarge, "steps"));
}

/// All lanes of a piece in one thread: the work of eight threads on a GPU.
struct WholePiece {
  static constexpr int kOwn = KW_LANES;
  int first() const { return 0; }
  bool any(bool mine) const { return mine; }
  LaneTotals lane(const LaneTotals* own, int i) const { return own[i]; }
};

Comparison compare_as_kernels_do(std::span<const std::byte> got, std::span<const std::byte> truth,
                                 std::span<const std::byte> magnitude, const Tensor& tensor,
                                 const Region& region, const Allowance& allowance,
                                 const Selection& selection) {
  const ComparedRegion compared(tensor, region, allowance);
  CompareJob job = compared.job(selection);
  job.got = got.data();
  job.truth = truth.data();
  job.magnitude = magnitude.empty() ? nullptr : reinterpret_cast<const double*>(magnitude.data());
  Comparison all;
  for (std::int64_t segment = 0; segment < compared.segments(); ++segment) {
    ScalarTotals sum = no_scalar();
    for (const std::int64_t piece : compared.choose(selection, segment)) {
      EXPECT_TRUE(is_chosen(job, piece));
      add_piece(sum, compare_piece(job, WholePiece(), piece));
      compared.note_mismatches(piece, {got, truth, magnitude, 0}, all);
    }
    merge(all, sum);
  }
  return all;
}

void expect_same(const Comparison& a, const Comparison& b) {
  EXPECT_EQ(a.compared, b.compared);
  EXPECT_EQ(a.failed, b.failed);
  EXPECT_EQ(a.nonfinite_failed, b.nonfinite_failed);
  const auto sums = [](const Comparison& c) {
    return std::vector<double>{c.worst_fraction, c.max_abs_diff, c.max_abs_truth, c.sum_sq_diff,
                               c.sum_sq_truth,   c.sum_got,      c.sum_want};
  };
  EXPECT_EQ(sums(a), sums(b));
  ASSERT_EQ(a.first.size(), b.first.size());
  for (std::size_t i = 0; i < a.first.size(); ++i) EXPECT_EQ(a.first[i].at, b.first[i].at);
}

TEST(CudaCompare, TheKernelsArithmeticIsTheHosts) {
  Parallel parallel(1);
  for (const Dtype dtype : kAllDtypes) {
    Tensor t;
    t.name = "t";
    t.dtype = dtype;
    t.sizes = {3, 150, 1003};  // gives two segments of pieces
    t.pitch = 1010;
    t.values.kind = is_real(dtype) ? "normal" : "integers";
    t.values.numbers = {{"lo", -50}, {"hi", 50}};
    const Region region{{{0, 3}, {1, 150}, {2, 1001}}};
    const auto elements = static_cast<std::size_t>(t.extent());
    const std::size_t wide = is_real(dtype) ? 8 : size_of(dtype);
    std::vector<std::byte> got(elements * size_of(dtype)), truth(elements * wide),
        scale(elements * 8);
    ASSERT_TRUE(fill_values(got, t, 1, parallel).has_value());
    Tensor of_truth = t;
    if (is_real(dtype)) of_truth.dtype = Dtype::F64;
    ASSERT_TRUE(fill_values(truth, of_truth, 1, parallel).has_value());
    Tensor of_scale = t;
    of_scale.dtype = Dtype::F64;
    of_scale.values.kind = "uniform";
    ASSERT_TRUE(fill_values(scale, of_scale, 2, parallel).has_value());
    if (dtype == Dtype::F32) {  // makes one stretch be looked at element by element
      const float nan = std::numeric_limits<float>::quiet_NaN();
      std::memcpy(got.data() + (1010 * 60 + 300) * 4, &nan, sizeof nan);
    }
    const std::byte other{1};
    for (const std::size_t row : {5, 161, 430})
      truth[(1010 * row + 500) * wide + std::min<std::size_t>(wide - 1, 2)] ^= other;
    for (const Allowance& allowance :
         {Allowance{.exact = true}, Allowance{.absolute = 1e-7, .relative = 1e-8},
          Allowance{.relative = 1e-9, .magnitude = 1e-6},
          Allowance{.magnitude = 1e-3, .exact_below = 1, .exact_within = 1e-7}}) {
      const std::span<const std::byte> magnitude = allowance.magnitude > 0 && is_real(dtype)
                                                       ? std::span<const std::byte>(scale)
                                                       : std::span<const std::byte>();
      SCOPED_TRACE(std::string(name_of(dtype)));
      for (const double share : {1.0, 0.3}) {
        const Selection some{.seed = 4, .share = share};
        expect_same(compare_as_kernels_do(got, truth, magnitude, t, region, allowance, some),
                    compare_region(got, truth, magnitude, t, region, allowance, some, parallel));
      }
    }
  }
}

}  // namespace
}  // namespace kw::device
