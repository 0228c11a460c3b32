// kw: tune BM = 4, 8
// kw: dialect cute
// kw: let TILES = ceil_div(m, BM), HALF = BM / 2
// kw: require BM * 4 <= shared_max
// kw: launch k<BM, true, "Tile<float>", (BM > 2)> grid(TILES, n) block(32, 2) shared(BM * 1024)
// kw: launch a::b carveout(50) args(x, n, big, a, m, TILES, i64(TILES), u8(7), f32(a / 2),
// kw:   f64(1e-3), null, u[1], u[2, 3, 5], i32(-1)) block(64) cooperative grid(sms)
// kw: launch c grid(8) block(1) cluster(2) pdl args(struct(n, y @ 8, i64(1)))
extern "C" __global__ void k() {}
