// A product of two vectors; its test's task has no second input for it.
__global__ void product(const float* a, const float* b, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] * b[i];
}
extern "C" void solve(const float* a, const float* b, float* y, int n) {
  product<<<(n + 255) / 256, 256>>>(a, b, y, n);
}
