// The fixture for tests of the operations on host memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/fake.h"
#include "device/host_ops.h"

namespace kw::device {

class HostOpsTest : public testing::Test {
 protected:
  std::unique_ptr<Buffer> make(std::int64_t bytes) {
    return *device_->allocate({.name = "b", .bytes = bytes, .alignment = 8});
  }
  BufferOps& ops() { return device_->ops(); }

  template <class T>
  static std::vector<T> read(const Buffer& b) {
    std::vector<T> out(static_cast<std::size_t>(b.bytes()) / sizeof(T));
    EXPECT_TRUE(b.read(0, std::as_writable_bytes(std::span(out))).has_value());
    return out;
  }
  template <class T>
  static void write(Buffer& b, const std::vector<T>& values) {
    EXPECT_TRUE(b.write(0, std::as_bytes(std::span(values))).has_value());
  }
  template <class T>
  std::unique_ptr<Buffer> holding(const std::vector<T>& values) {
    auto b = make(static_cast<std::int64_t>(values.size() * sizeof(T)));
    write(*b, values);
    return b;
  }

  static Tensor tensor(std::vector<std::int64_t> sizes, Dtype dtype = Dtype::F32) {
    Tensor t;
    t.name = "t";
    t.dtype = dtype;
    t.pitch = sizes.empty() ? 1 : sizes.back();
    t.sizes = std::move(sizes);
    return t;
  }
  static Region whole(const Tensor& t) {
    Region r;
    for (const std::int64_t n : t.sizes) r.ranges.push_back({0, n});
    return r;
  }
  std::vector<float> drawn(const std::string& kind, const std::map<std::string, double>& numbers,
                           std::int64_t n) {
    constexpr std::uint64_t seed = 11;
    Tensor t = tensor({n});
    t.values.kind = kind;
    t.values.numbers = numbers;
    const auto b = make(t.bytes());
    const auto filled = ops().fill(*b, t, seed);
    EXPECT_TRUE(filled.has_value()) << (filled.has_value() ? "" : filled.error().what);
    return read<float>(*b);
  }

  FakeWorld world_;
  std::unique_ptr<Device> device_ = make_fake_device(world_);
};

}  // namespace kw::device
