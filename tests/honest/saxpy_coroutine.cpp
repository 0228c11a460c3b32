// Honest kernel: uses a coroutine that yields where each block begins.
// SPDX-License-Identifier: Apache-2.0
#include <coroutine>
#include <exception>
struct Blocks {
  struct promise_type {
    int begin = 0;
    Blocks get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int value) {
      begin = value;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  ~Blocks() { handle.destroy(); }
};
static Blocks blocks(int n) {
  for (int b = 0; b < n; b += 4096) co_yield b;
}
void saxpy(int n, float a, const float* x, float* y) {
  Blocks all = blocks(n);
  for (all.handle.resume(); !all.handle.done(); all.handle.resume())
    for (int i = all.handle.promise().begin, e = i + 4096; i < e && i < n; ++i) y[i] += a * x[i];
}
