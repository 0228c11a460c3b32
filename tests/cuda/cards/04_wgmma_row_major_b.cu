// Does what the knowledge card about "wgmma with row-major b" says, and compares the result with
// plain code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "wgmma with row-major b"
#include "warp_specialised.cuh"
int main() {
  const long a = wrong_product<true>(256, 256, 576), b = wrong_product<true>(200, 328, 344);
  char text[99];
  snprintf(text, sizeof text, "(whole tiles: %ld, with tails: %ld wrong)", a, b);
  return verdict(!a && !b, text);
}
