// Honest kernel: uses std::variant, std::visit and std::optional.
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <variant>
struct Zero {};
struct Scale {
  float a;
};
void saxpy(int n, float a, const float* x, float* y) {
  const std::variant<Zero, Scale> how = a == 0 ? std::variant<Zero, Scale>(Zero{}) : Scale{a};
  const std::optional<int> last = n > 0 ? std::optional(n - 1) : std::nullopt;
  if (!last) return;
  for (int i = 0; i <= *last; ++i)
    y[i] += std::visit(
        [&](const auto& h) {
          if constexpr (requires { h.a; }) return h.a * x[i];
          return 0 * x[i];
        },
        how);
}
