// Honest kernel: has methods that are called free, clock, time, read, open, fork and printf.
// SPDX-License-Identifier: Apache-2.0
struct Slots {
  int used = 0;
  int open() { return used++; }
  void free(int) { --used; }
  int clock() const { return used; }
  int time() const { return 0; }
  int read(int i) const { return i; }
  int fork(int i) { return i; }
  void printf(const char*) {}
};
void saxpy(int n, float a, const float* x, float* y) {
  Slots slots;
  const int s = slots.open();
  slots.free(s);
  slots.printf("%d");
  for (int i = slots.clock() + slots.time(); i < n; ++i) y[slots.read(i)] += a * x[slots.fork(i)];
}
