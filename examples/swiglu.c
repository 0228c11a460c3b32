// SwiGLU, the gate of many language models, as anybody would write it: `kw task new swiglu --from examples/swiglu.c`.
#include <math.h>

void swiglu(int rows, int cols, const float* gate, const float* up, float* out) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      const float g = gate[i * cols + j];
      out[i * cols + j] = g / (1 + expf(-g)) * up[i * cols + j];
    }
}
