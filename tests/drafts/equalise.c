// Evens out the brightness of an image by its histogram.
// SPDX-License-Identifier: Apache-2.0
void equalise(int n, const unsigned char *in, unsigned char *out, int count[256]) {
  for (int v = 0; v < 256; v++) count[v] = 0;
  for (int i = 0; i < n; i++) count[in[i]]++;
  for (int v = 1; v < 256; v++) count[v] += count[v - 1];
  for (int i = 0; i < n; i++) out[i] = (unsigned char)(255L * count[in[i]] / n);
}
