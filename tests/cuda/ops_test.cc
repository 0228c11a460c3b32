// Tests of operations on a GPU against the host's: results equal in every bit, guards and flush
// included.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>
#include <set>

#include "device/cuda_buffer.h"
#include "device/fake.h"
#include "device/probe.h"
#include "gpu.h"

namespace kw::testing_gpu {
namespace {

using device::Allowance;
using device::Buffer;
using device::Comparison;

Tensor tensor_of(Dtype dtype, std::vector<std::int64_t> sizes, std::int64_t pitch,
                 const std::string& kind = "normal", std::map<std::string, double> numbers = {}) {
  Tensor t;
  t.name = "t";
  t.dtype = dtype;
  t.sizes = std::move(sizes);
  t.pitch = pitch;
  t.values.kind = kind;
  t.values.numbers = std::move(numbers);
  return t;
}

/// Base of tests that run one operation on both devices.
class Ops : public Gpu {
 protected:
  struct Pair {
    std::unique_ptr<Buffer> gpu, host;
  };

  Pair pair(std::int64_t bytes) {
    auto g = gpu()->allocate({.name = "g", .bytes = bytes, .alignment = 64});
    auto h = host_->allocate({.name = "h", .bytes = bytes, .alignment = 64});
    EXPECT_TRUE(g.has_value() && h.has_value());
    return {*std::move(g), *std::move(h)};
  }

  static std::vector<std::byte> bytes_of(const Buffer& buffer) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(buffer.bytes()));
    EXPECT_TRUE(buffer.read(0, bytes).has_value());
    return bytes;
  }

  static void expect_equal(const Pair& p, const std::string& what) {
    EXPECT_TRUE(bytes_of(*p.gpu) == bytes_of(*p.host)) << what;
  }

  device::FakeWorld world_;
  std::unique_ptr<device::Device> host_ = device::make_fake_device(world_);
};

TEST_F(Ops, FillDrawsTheHostsValues) {
  const std::map<std::string, std::map<std::string, double>> kinds = {
      {"uniform", {{"lo", -3}, {"hi", 5}}},
      {"normal", {{"mean", 0.5}, {"std", 2}}},
      {"offset_scale", {}},
      {"ramp", {{"lo", -1}, {"hi", 7}}},
      {"spikes", {{"share", 0.05}}},
      {"ties", {{"levels", 5}}},
      {"mixed", {{"lo_exp", -20}, {"hi_exp", 20}}},
      {"integers", {{"lo", -4}, {"hi", 9}}},
      {"constant", {{"value", 2.5}}},
      {"zero", {}},
      {"grid", {{"over", 1}, {"share", 0.1}, {"density", 0.01}}},
      {"planted", {{"over", 0}, {"share", 0.1}, {"rest", -200}}},
      {"counted", {{"over", 1}, {"share", 0.1}}}};
  const std::set<std::string> of_reals = {"grid", "planted", "counted"};
  for (const auto& [kind, numbers] : kinds) {
    for (const Dtype dtype : kAllDtypes) {
      if (of_reals.contains(kind) && !is_real(dtype)) continue;
      const Tensor t = tensor_of(dtype, {37, 1001}, 1024, kind, numbers);
      const Pair p = pair(t.bytes() + 40);
      for (const auto& [buffer, device] :
           {std::pair(p.gpu.get(), gpu()), std::pair(p.host.get(), host_.get())}) {
        const auto filled = device->ops().fill(*buffer, t, 99);
        ASSERT_TRUE(filled.has_value()) << filled.error().what;
      }
      expect_equal(p, kind + " " + std::string(name_of(dtype)));
    }
  }
}

TEST_F(Ops, FillDrawsTheHostsValuesThatHaveAStructure) {
  const std::vector<std::pair<std::string, std::map<std::string, double>>> kinds = {
      {"offsets", {}},
      {"permutation", {}},
      {"permutation", {{"whole", 1}}},
      {"one_hot", {}},
      {"sorted", {{"lo", -3}, {"hi", 90}}},
      {"spd", {}},
      {"dominant", {}},
      {"triangular", {{"upper", 1}}},
      {"special", {{"share", 0.2}, {"nonfinite", 1}}}};
  for (const auto& [kind, numbers] : kinds) {
    for (const Dtype dtype : kAllDtypes) {
      if (kind == "special" && !is_real(dtype)) continue;
      Tensor t = tensor_of(dtype, {3, 101, 101}, 128, kind, numbers);
      if (kind == "offsets") t.values.count = {100'003};
      const Pair p = pair(t.bytes() + 40);
      for (const auto& [buffer, device] :
           {std::pair(p.gpu.get(), gpu()), std::pair(p.host.get(), host_.get())}) {
        const auto filled = device->ops().fill(*buffer, t, 99);
        ASSERT_TRUE(filled.has_value()) << filled.error().what;
      }
      expect_equal(p, kind + " " + std::string(name_of(dtype)));
    }
  }
}

TEST_F(Ops, ManyNormalValuesAgreeTailsIncluded) {
  const Tensor t = tensor_of(Dtype::F64, {is_emulated() ? 200'000 : 20'000'000}, 0);
  Tensor whole = t;
  whole.pitch = t.sizes[0];
  const Pair p = pair(whole.bytes());
  ASSERT_TRUE(gpu()->ops().fill(*p.gpu, whole, 7).has_value());
  ASSERT_TRUE(host_->ops().fill(*p.host, whole, 7).has_value());
  expect_equal(p, "normal");
}

TEST_F(Ops, PoisonCopyWidenAndNarrowAgree) {
  for (const std::int64_t bytes : {1, 7, 4096, 100'003}) {
    const Pair p = pair(bytes);
    ASSERT_TRUE(gpu()->ops().poison(*p.gpu, 5).has_value());
    ASSERT_TRUE(host_->ops().poison(*p.host, 5).has_value());
    expect_equal(p, "poison");
    const Pair q = pair(bytes);
    ASSERT_TRUE(gpu()->ops().copy(*q.gpu, *p.host).has_value());  // from the host
    ASSERT_TRUE(host_->ops().copy(*q.host, *p.host).has_value());
    expect_equal(q, "copy up");
    ASSERT_TRUE(gpu()->ops().copy(*q.gpu, *p.gpu).has_value());
    ASSERT_TRUE(gpu()->ops().copy(*q.host, *q.gpu).has_value());  // to the host
    expect_equal(q, "copy down");
  }
  for (const Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::F16, Dtype::BF16}) {
    const Tensor t = tensor_of(dtype, {100, 333}, 340);
    const Pair narrow = pair(t.bytes()), wide = pair(t.extent() * 8);
    for (const auto& [a, b, device] :
         {std::tuple(narrow.gpu.get(), wide.gpu.get(), gpu()),
          std::tuple(narrow.host.get(), wide.host.get(), host_.get())}) {
      ASSERT_TRUE(device->ops().fill(*a, t, 3).has_value());
      ASSERT_TRUE(device->ops().poison(*b, 4).has_value());
      ASSERT_TRUE(device->ops().widen(*b, *a, t).has_value());
    }
    expect_equal(wide, "widen");
    Tensor doubles = t;
    doubles.dtype = Dtype::F64;
    doubles.values.numbers = {{"std", 3}};
    for (const auto& [a, b, device] :
         {std::tuple(narrow.gpu.get(), wide.gpu.get(), gpu()),
          std::tuple(narrow.host.get(), wide.host.get(), host_.get())}) {
      ASSERT_TRUE(device->ops().fill(*b, doubles, 5).has_value());
      ASSERT_TRUE(device->ops().narrow(*a, *b, t).has_value());
    }
    expect_equal(narrow, "narrow");
  }
}

void expect_same(const Comparison& a, const Comparison& b, const std::string& what) {
  EXPECT_EQ(a.compared, b.compared) << what;
  EXPECT_EQ(a.failed, b.failed) << what;
  EXPECT_EQ(a.nonfinite_failed, b.nonfinite_failed) << what;
  const auto same = [&](double x, double y, const char* field) {
    EXPECT_EQ(std::memcmp(&x, &y, sizeof x), 0) << what << " " << field << " " << x << " " << y;
  };
  same(a.worst_fraction, b.worst_fraction, "worst_fraction");
  same(a.max_abs_diff, b.max_abs_diff, "max_abs_diff");
  same(a.max_abs_truth, b.max_abs_truth, "max_abs_truth");
  same(a.sum_sq_diff, b.sum_sq_diff, "sum_sq_diff");
  same(a.sum_sq_truth, b.sum_sq_truth, "sum_sq_truth");
  same(a.sum_got, b.sum_got, "sum_got");
  same(a.sum_want, b.sum_want, "sum_want");
  ASSERT_EQ(a.first.size(), b.first.size()) << what;
  for (std::size_t i = 0; i < a.first.size(); ++i) {
    EXPECT_EQ(a.first[i].at, b.first[i].at) << what;
    same(a.first[i].want, b.first[i].want, "want");
  }
}

TEST_F(Ops, CompareAgreesInEverySum) {
  struct Case {
    Tensor tensor;
    Region region;
  };
  const std::vector<Case> cases = {
      {tensor_of(Dtype::F32, {600'011}, 600'011), {{{0, 600'011}}}},  // three segments of pieces
      {tensor_of(Dtype::F64, {150'000}, 150'000), {{{17, 149'000}}}},
      {tensor_of(Dtype::F32, {9, 13, 1001}, 1008), {{{1, 9}, {0, 12}, {3, 1000}}}},
      {tensor_of(Dtype::F32, {500, 5}, 8), {{{0, 500}, {0, 5}}}},
      {tensor_of(Dtype::F16, {7, 900}, 901, "spikes", {{"share", 0.1}, {"height", 1e4}}),
       {{{0, 7}, {2, 900}}}},
      {tensor_of(Dtype::BF16, {70'001}, 70'001), {{{0, 70'001}}}},
      {tensor_of(Dtype::I32, {70'000}, 70'000, "integers", {{"lo", -9}, {"hi", 9}}),
       {{{0, 70'000}}}},
      {tensor_of(Dtype::U8, {3, 1000}, 1000, "integers", {{"hi", 255}}), {{{0, 3}, {1, 999}}}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [t, region] = cases[i];
    const bool is_wide = is_real(t.dtype);
    const Pair got = pair(t.bytes()), truth = pair(is_wide ? t.extent() * 8 : t.bytes());
    const Pair scale = pair(t.extent() * 8);
    for (const auto& [g, w, s, d] :
         {std::tuple(got.gpu.get(), truth.gpu.get(), scale.gpu.get(), gpu()),
          std::tuple(got.host.get(), truth.host.get(), scale.host.get(), host_.get())}) {
      ASSERT_TRUE(d->ops().fill(*g, t, 11).has_value());
      if (is_wide) {
        ASSERT_TRUE(d->ops().widen(*w, *g, t).has_value());
        Tensor of_scale = t;
        of_scale.dtype = Dtype::F64;
        of_scale.values.kind = "uniform";
        ASSERT_TRUE(d->ops().fill(*s, of_scale, 12).has_value());
      } else {
        ASSERT_TRUE(d->ops().copy(*w, *g).has_value());
      }
      // Makes some elements wrong, two of them not finite.
      for (const std::int64_t at : {40, 2049, 4500, 4999})
        if (is_wide && at < t.extent() - 9) {
          const double off = at == 2049   ? std::numeric_limits<double>::quiet_NaN()
                             : at == 4500 ? std::numeric_limits<double>::infinity()
                                          : 0.125;
          ASSERT_TRUE(w->write(at * 8, std::as_bytes(std::span(&off, 1))).has_value());
        } else if (at < t.extent()) {
          const std::byte off{77};
          ASSERT_TRUE(w->write(at, std::span(&off, 1)).has_value());
        }
    }
    for (const Allowance& allowance :
         {Allowance{.exact = true}, Allowance{.absolute = 1e-3, .relative = 1e-3},
          Allowance{.relative = 1e-9, .magnitude = 1e-7},
          Allowance{.magnitude = 1e-3, .exact_below = 1, .exact_within = 1e-7}}) {
      for (const double share : {1.0, 0.3}) {
        const bool has_scale = is_wide && allowance.magnitude > 0;
        const auto a =
            gpu()->ops().compare(*got.gpu, *truth.gpu, has_scale ? scale.gpu.get() : nullptr, t,
                                 region, allowance, {.seed = 4, .share = share});
        const auto b =
            host_->ops().compare(*got.host, *truth.host, has_scale ? scale.host.get() : nullptr, t,
                                 region, allowance, {.seed = 4, .share = share});
        ASSERT_TRUE(a.has_value() && b.has_value()) << (a ? b : a).error().what;
        expect_same(*a, *b, "case " + std::to_string(i) + " share " + std::to_string(share));
      }
    }
  }
}

TEST_F(Ops, CountsTheBytesThatDiffer) {
  const Tensor t = tensor_of(Dtype::F32, {50, 100}, 128);
  const Pair a = pair(t.bytes()), b = pair(t.bytes());
  ASSERT_TRUE(gpu()->ops().poison(*a.gpu, 1).has_value());
  ASSERT_TRUE(gpu()->ops().copy(*b.gpu, *a.gpu).has_value());
  const auto count = [&](bool padding) {
    return gpu()->ops().count_differences(*a.gpu, *b.gpu, t, padding).value_or(-1);
  };
  EXPECT_EQ(count(false), 0);
  const auto flip = [&](std::int64_t at) {
    std::byte byte{};
    ASSERT_TRUE(b.gpu->read(at, std::span(&byte, 1)).has_value());
    byte = ~byte;
    ASSERT_TRUE(b.gpu->write(at, std::span(&byte, 1)).has_value());
  };
  flip(3);               // an element
  flip(100 * 4 + 5);     // padding of the first row
  flip(t.bytes() - 1);   // the last byte
  flip(48 * 512 + 511);  // padding of the last row that has padding
  EXPECT_EQ(count(false), 4);
  EXPECT_EQ(count(true), 2);
}

TEST_F(Ops, GuardsTellTheNearestBrokenByte) {
  auto buffer = gpu()->allocate({.name = "guarded", .bytes = 1000, .alignment = 64});
  ASSERT_TRUE(buffer.has_value());
  EXPECT_EQ(gpu()->ops().check_guards(**buffer).value_or("?"), "");
}

TEST_F(Ops, ProbeAndFlushWork) {
  const auto probed = gpu()->probe();
  ASSERT_TRUE(probed.has_value()) << probed.error().what;
  EXPECT_TRUE(*probed);
  const auto flushed = gpu()->flush({});
  EXPECT_TRUE(flushed.has_value()) << flushed.error().what;
  EXPECT_GT(gpu()->free_bytes(), 0);
  EXPECT_GT(gpu()->facts().gpu.front().timer_tick_ns, 0);
}

}  // namespace
}  // namespace kw::testing_gpu
