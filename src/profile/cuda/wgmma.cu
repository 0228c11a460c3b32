// wgmma at the rate of the tensor cores: four warps at a time multiply tiles that lie in shared
// memory. For sm_90a; compiled by NVRTC, nothing is included.
// SPDX-License-Identifier: Apache-2.0

// Bytes of the tiles: A is 64 rows and B 256 rows of 128 bytes, K innermost, in the 128-byte
// swizzle, which has groups of eight rows, 1024 bytes each. One instruction takes 32 bytes of K of
// each row, whatever the type.
#define KW_A_BYTES (64 * 128)
#define KW_B_BYTES (256 * 128)

// Matrix descriptor of PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout": address
// and strides in units of 16 bytes; the leading stride has no meaning in this layout.
__device__ __forceinline__ unsigned long long descriptor(unsigned address) {
  return (unsigned long long)((address & 0x3ffffu) >> 4) | (1ull << 16) | ((1024ull >> 4) << 32) |
         (1ull << 62);
}

// Random bits for the operands, different everywhere: the bits that toggle decide how much power
// tensor cores draw, and with it their clock. The functions below make numbers between -1 and 1 of
// them: in each part of the word the exponent is below that of 1, and sign and mantissa are random.
__device__ __forceinline__ unsigned hashed(unsigned seed) {
  unsigned h = seed * 0x9e3779b9u + blockIdx.x * 0xc2b2ae35u;
  h ^= h >> 16, h *= 0x7feb352du, h ^= h >> 15, h *= 0x846ca68bu, h ^= h >> 16;
  return h;
}
__device__ __forceinline__ unsigned as_tf32(unsigned h) { return (h & 0x807fe000u) | 0x3f000000u; }
__device__ __forceinline__ unsigned as_bf16(unsigned h) { return (h & 0x807f807fu) | 0x3f003f00u; }
__device__ __forceinline__ unsigned as_f16(unsigned h) { return (h & 0x83ff83ffu) | 0x38003800u; }
__device__ __forceinline__ unsigned as_e4m3(unsigned h) { return (h & 0x87878787u) | 0x30303030u; }

#define KW_REGISTERS                                                                             \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define KW_ACCUMULATORS                                                                           \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), \
      "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),    \
      "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]),  \
      "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]),  \
      "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),  \
      "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]),  \
      "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]),  \
      "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),  \
      "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]),  \
      "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]),  \
      "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]),  \
      "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]),  \
      "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]),  \
      "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]),  \
      "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]),          \
      "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]),         \
      "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]),         \
      "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]),         \
      "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])

// `flags` are scale-d, the signs of A and B and, for 16-bit types, whether they are transposed.
#define KW_WGMMA(shape, types, flags)                                            \
  asm volatile("wgmma.mma_async.sync.aligned." shape "." types " {" KW_REGISTERS \
               "}, %128, %129, " flags ";"                                       \
               : KW_ACCUMULATORS                                                 \
               : "l"(a + 2 * k), "l"(b + 2 * k))

// Defines a kernel for blocks of two warpgroups, each with an A of its own; a step is 4 wgmma of
// each.
#define KW_KERNEL(name, of, shape, types, flags)                                     \
  extern "C" __global__ void __launch_bounds__(256, 1) name(float* out, int steps) { \
    __shared__ __align__(1024) unsigned tiles[(2 * KW_A_BYTES + KW_B_BYTES) / 4];    \
    for (unsigned i = threadIdx.x; i < sizeof(tiles) / 4; i += blockDim.x)           \
      tiles[i] = of(hashed(i));                                                      \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                     \
    __syncthreads();                                                                 \
    const unsigned base = (unsigned)__cvta_generic_to_shared(tiles);                 \
    const unsigned group = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0);           \
    const unsigned long long a = descriptor(base + group * KW_A_BYTES);              \
    const unsigned long long b = descriptor(base + 2 * KW_A_BYTES);                  \
    float d[128];                                                                    \
    _Pragma("unroll") for (int i = 0; i < 128; ++i) d[i] = 0.f;                      \
    for (int step = 0; step < steps; ++step) {                                       \
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                        \
      _Pragma("unroll") for (int k = 0; k < 4; ++k) KW_WGMMA(shape, types, flags);   \
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                 \
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");                 \
    }                                                                                \
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                   \
    float total = 0.f;                                                               \
    _Pragma("unroll") for (int i = 0; i < 128; ++i) total += d[i];                   \
    if (total == -1.f) out[0] = total;                                               \
  }

KW_KERNEL(wgmma_tf32, as_tf32, "m64n256k8", "f32.tf32.tf32", "1, 1, 1")
KW_KERNEL(wgmma_bf16, as_bf16, "m64n256k16", "f32.bf16.bf16", "1, 1, 1, 0, 0")
KW_KERNEL(wgmma_f16, as_f16, "m64n256k16", "f32.f16.f16", "1, 1, 1, 0, 0")
KW_KERNEL(wgmma_f8, as_e4m3, "m64n256k32", "f32.e4m3.e4m3", "1, 1, 1")
