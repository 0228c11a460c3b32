// Does what the knowledge card about "wgmma without a library" says, and compares the result with
// plain code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "wgmma without a library"
#include "warp_specialised.cuh"
int main() {
  const long a = wrong_product<false>(256, 256, 576), b = wrong_product<false>(200, 328, 344);
  char text[99];
  snprintf(text, sizeof text, "(whole tiles: %ld, with tails: %ld wrong; setmaxnreg, 4 stages)", a,
           b);
  return verdict(!a && !b, text);
}
