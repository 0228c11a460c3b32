// Emulated matrix units: conversions to narrow types, and the fragments of mma.sync and ldmatrix as
// the PTX ISA lays them out. Part of device.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kw_emulated {

inline unsigned tf32_of(float v) {  // rounds to nearest, ties away from zero
  return (std::bit_cast<unsigned>(v) + 0x1000u) & 0xffffe000u;
}

struct Bf16 {
  static float widened(unsigned bits) { return std::bit_cast<float>(bits << 16); }
  static unsigned nearest(float v) {
    const unsigned bits = std::bit_cast<unsigned>(v);
    return v != v ? 0x7fffu : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  }
};
struct F16 {
  static float widened(unsigned bits) {
    return std::bit_cast<_Float16>(static_cast<unsigned short>(bits));
  }
  static unsigned nearest(float v) {
    return std::bit_cast<unsigned short>(static_cast<_Float16>(v));
  }
};
template <class T>
unsigned pair_of(float high, float low) {
  return T::nearest(high) << 16 | T::nearest(low);
}

/// Computes a * b + c for both halves in a register, each rounded once: the product of two halves
/// is exact in double.
inline unsigned fma_pair(unsigned a, unsigned b, unsigned c) {
  const auto part = [&](int shift) {
    const auto wide = [shift](unsigned pair) {
      return double(F16::widened(pair >> shift & 0xffffu));
    };
    const auto sum = static_cast<_Float16>(wide(a) * wide(b) + wide(c));
    return static_cast<unsigned>(std::bit_cast<unsigned short>(sum)) << shift;
  };
  return part(0) | part(16);
}

template <class M, class T>
void load_quad(const M* from, T& a, T& b, T& c, T& d) {
  a = from[0], b = from[1], c = from[2], d = from[3];
}
template <class M, class T>
void store_quad(M* to, T a, T b, T c, T d) {
  to[0] = a, to[1] = b, to[2] = c, to[3] = d;
}

/// Collects the 32-bit registers that hold `image` in all lanes of the warp.
template <class T>
const std::uint64_t* all_lanes(T image) {
  calls->exchange(*self, 0xffffffffu, image_of(image));
  return self->received;
}

/// Adds the product a * b of one warp to d. Every lane has both matrices complete.
template <int kDepth, class D>
void add_product(const float (&a)[16][kDepth], const float (&b)[kDepth][8], D* const (&d)[4]) {
  const unsigned group = self->lane / 4, in_group = self->lane % 4;
  for (int i = 0; i < 4; ++i) {
    const unsigned row = group + (i / 2) * 8, column = in_group * 2 + i % 2;
    float sum = *d[i];
    for (int k = 0; k < kDepth; ++k) sum += a[row][k] * b[k][column];
    *d[i] = sum;
  }
}

/// The warp's product of a 16 x 8 and an 8 x 8 matrix of tf32, added to d.
template <class D, class A, class B>
void mma_16_8_8(D& d0, D& d1, D& d2, D& d3, A a0, A a1, A a2, A a3, B b0, B b1) {
  float a[16][8], b[8][8];
  const auto part = [](std::uint64_t image) {
    return std::bit_cast<float>(static_cast<unsigned>(image) & 0xffffe000u);
  };
  const A as[4] = {a0, a1, a2, a3};
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t* got = all_lanes(as[i]);
    for (int l = 0; l < 32; ++l) a[l / 4 + (i % 2) * 8][l % 4 + (i / 2) * 4] = part(got[l]);
  }
  const B bs[2] = {b0, b1};
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t* got = all_lanes(bs[i]);
    for (int l = 0; l < 32; ++l) b[l % 4 + i * 4][l / 4] = part(got[l]);
  }
  add_product<8, D>(a, b, {&d0, &d1, &d2, &d3});
}

/// The warp's product of a 16 x 16 and a 16 x 8 matrix of the two-byte type T, two elements in each
/// register, added to d.
template <class T, class D, class A, class B>
void mma_16_8_16(D& d0, D& d1, D& d2, D& d3, A a0, A a1, A a2, A a3, B b0, B b1) {
  float a[16][16], b[16][8];
  const A as[4] = {a0, a1, a2, a3};
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t* got = all_lanes(as[i]);
    for (int l = 0; l < 32; ++l)
      for (int e = 0; e < 2; ++e)
        a[l / 4 + (i % 2) * 8][l % 4 * 2 + e + (i / 2) * 8] = T::widened(got[l] >> 16 * e & 0xffff);
  }
  const B bs[2] = {b0, b1};
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t* got = all_lanes(bs[i]);
    for (int l = 0; l < 32; ++l)
      for (int e = 0; e < 2; ++e)
        b[l % 4 * 2 + e + i * 8][l / 4] = T::widened(got[l] >> 16 * e & 0xffff);
  }
  add_product<16, D>(a, b, {&d0, &d1, &d2, &d3});
}

/// Loads four 8 x 8 matrices of two-byte elements; lanes 0-7, 8-15, … hold the addresses of their
/// rows.
template <bool kTransposed, class R>
void load_matrices(R& r0, R& r1, R& r2, R& r3, unsigned address) {
  unsigned rows[32];
  const std::uint64_t* got = all_lanes(address);
  for (int l = 0; l < 32; ++l) rows[l] = static_cast<unsigned>(got[l]);
  R* const r[4] = {&r0, &r1, &r2, &r3};
  const unsigned group = self->lane / 4, in_group = self->lane % 4;
  for (int m = 0; m < 4; ++m) {
    unsigned pair = 0;
    for (unsigned e = 0; e < 2; ++e) {
      const unsigned row = kTransposed ? in_group * 2 + e : group;
      const unsigned column = kTransposed ? group : in_group * 2 + e;
      unsigned short element;
      memcpy(&element, shared_at(rows[m * 8 + row]) + column * 2, 2);
      pair |= static_cast<unsigned>(element) << 16 * e;
    }
    *r[m] = pair;
  }
}

}  // namespace kw_emulated
