// kw: for t = 0 .. 9223372036854775807 step 9223372036854775807
// kw: launch k grid(m * m * m * m, 0) block(1024, 1024) args(u[t], struct(struct(x @ 3)), f32(1 / ))
// kw: end
// kw: end
// kw: join x
// kw: workspace w f32 [9223372036854775807, 2]
// kw: map A = x as f8 sizes(0) box(0)
extern "C" __global__ void k() {}
