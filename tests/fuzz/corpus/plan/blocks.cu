// kw: for t = 0 .. n step 2
// kw:   let s = t % 3
// kw:   when t % 4 == 0
// kw:     launch two grid(1) block(1) args(u[s], t)
// kw:   else when s == 1
// kw:     fork a
// kw:       launch one grid(1) block(1) args(u[s])
// kw:     end
// kw:     launch beside grid(1) block(1)
// kw:     join a
// kw:   else
// kw:     fill u[s] with 0
// kw:   end
// kw: tail
// kw:   launch one grid(1) block(1) args(t)
// kw: end
// kw: launch last grid(1) block(1)
extern "C" __global__ void k() {}
