// Honest kernel: has comments in scripts that run from right to left, with accents, arrows and an emoji of joined characters.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// שלום: y מקבל a·x ועוד y; مرحبا: كل عنصر مرة واحدة; λ → µ ≤ 1 ÷ 2; 👩‍💻 naïve, “quoted”.
void saxpy(int n, float a, const float* x, float* y) {
  const char* note = "→ ünïcödé ←";
  (void)note;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
