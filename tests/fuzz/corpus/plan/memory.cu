// kw: workspace w f32 [2, n, m]
// kw: workspace c u32 [n] zeroed
// kw: table t i32 [i < 4 : i * i - 1]
// kw: table r f32 [i < 2 : cos(i) / 2]
// kw: fill w with f32(1.5)
// kw: fill c[2 : 5] with -1 + 2
// kw: fill w[1, n - 1] with bits(-1)
// kw: copy u[0 : 2] to w
// kw: copy w[1] to u[2]
// kw: copy t[1 : 3] to c[4]
// kw: launch k grid(1) block(1) args(w, c, t, r, w_bytes, c_count, x_pitch)
extern "C" __global__ void k() {}
