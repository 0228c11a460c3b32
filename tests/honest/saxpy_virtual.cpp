// Honest kernel: uses a virtual function chosen at run time.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
struct Update {
  virtual ~Update() = default;
  virtual float apply(float u, float v) const = 0;
};
struct Axpy final : Update {
  explicit Axpy(float f) : factor(f) {}
  float apply(float u, float v) const override { return v + factor * u; }
  float factor;
};
void saxpy(int n, float a, const float* x, float* y) {
  const std::unique_ptr<Update> update = std::make_unique<Axpy>(a);
  for (int i = 0; i < n; ++i) y[i] = update->apply(x[i], y[i]);
}
