// Honest kernel: uses run-time type information and dynamic_cast.
// SPDX-License-Identifier: Apache-2.0
struct Base {
  virtual ~Base() {}
};
struct Factor : Base {
  float a = 0;
};
void saxpy(int n, float a, const float* x, float* y) {
  Factor factor;
  factor.a = a;
  Base* base = &factor;
  if (const auto* f = dynamic_cast<Factor*>(base))
    for (int i = 0; i < n; ++i) y[i] += f->a * x[i];
}
