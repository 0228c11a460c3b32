// kw: map A = u[0] as tf32 sizes(m, n) strides(m * 4) box(8, 4) swizzle(32) promotion(128)
// kw: map B = u sizes(m, n, 3) strides(m * 4, n * m * 4) box(4, 2, 1) steps(1, 1, 1) outside(nan)
// kw: launch k grid(1) block(1) args(A, struct(n, A, B, i64(5), u8(1) @ 400), y)
extern "C" __global__ void k() {}
