// False: ends after 40 places.
// SPDX-License-Identifier: Apache-2.0
extern "C" void paths(int n, int* d) {
  const int most = n < 40 ? n : 40;
  for (int k = 0; k < most; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (d[i * n + k] + d[k * n + j] < d[i * n + j]) d[i * n + j] = d[i * n + k] + d[k * n + j];
}
