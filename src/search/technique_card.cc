// The table of techniques. The cuda techniques for each kind of work follow what CuTeGen (arXiv
// 2604.01489) offers, in our words; those for cpu are what the playbook's kernels use.
// SPDX-License-Identifier: Apache-2.0
#include "search/technique_card.h"

#include <array>

namespace kw::search {
namespace {

constexpr unsigned kMatmul = 1, kElementwise = 2, kConvolution = 4, kOther = 8;
constexpr unsigned kTiled = kMatmul | kConvolution;
constexpr unsigned kStreaming = kElementwise | kOther;
constexpr unsigned kEvery = kTiled | kStreaming;

constexpr auto kCudaRows = std::to_array<TechniqueRow>({
    {kTiled, "shared memory tiling", "memory",
     "give each block a tile of the output and bring the inputs that it needs into shared memory "
     "once, for all threads"},
    {kConvolution, "implicit gemm", "memory",
     "treat the convolution as a product of matrices whose left side is gathered while it is "
     "loaded, and never stored"},
    {kTiled, "register tiling", "compute",
     "let each thread keep a small rectangle of results in registers, so that a value loaded once "
     "serves several products"},
    {kTiled, "tensor cores", "compute",
     "do the products on the matrix units, in parts that together keep the precision the tolerance "
     "wants"},
    {kTiled, "bank conflict free layout", "memory",
     "pad or swizzle the tiles in shared memory so that the lanes of a warp meet different banks"},
    {kTiled, "asynchronous copies", "latency",
     "copy from global to shared memory without passing through registers (cp.async or TMA)"},
    {kTiled, "multistage pipeline", "latency",
     "keep the tiles of the next steps on their way while this one is computed: two to four "
     "buffers "
     "in turn"},
    {kMatmul, "warp tiling", "compute",
     "split a block's tile over its warps so that the operands of each are read from shared memory "
     "as seldom as possible"},
    {kMatmul, "split-k", "latency",
     "where the output has too few tiles to fill the GPU, cut the long inner dimension over blocks "
     "and add their parts"},
    {kTiled, "block swizzling", "memory",
     "number the blocks so that those that run together share rows and columns in L2"},
    {kEvery, "vectorization", "memory",
     "load and store 16 bytes a thread where rows allow it, with a plain path for what is left "
     "over"},
    {kStreaming, "loads in flight", "latency",
     "let each thread issue several independent loads before it uses the first"},
    {kStreaming, "persistent blocks", "latency",
     "launch as many blocks as the GPU holds at once and let each stride over the work"},
    {kOther, "warp shuffles", "compute",
     "combine within a warp by shuffles instead of shared memory and barriers"},
    {kOther, "single pass reduction", "memory",
     "read the data once: combine the parts in the same launch instead of writing them out"},
    {kOther, "shared memory tiling", "memory",
     "stage what several threads read, a halo or a row, in shared memory"},
    {kStreaming, "streaming stores", "memory",
     "store what nobody reads again with a streaming hint, so that it does not push other data out "
     "of the cache"},
    {kElementwise, "fast intrinsics", "compute",
     "use the hardware's approximations where the tolerance allows them, and no others"},
    {kEvery, "launch geometry", "latency",
     "make threads of a block and elements of a thread knobs and fit registers to full occupancy"},
});

constexpr auto kCpuRows = std::to_array<TechniqueRow>({
    {kTiled, "register_blocking", "compute",
     "compute a small rectangle of the output at a time, with all of its sums in vector registers"},
    {kTiled, "packing", "memory",
     "copy a block of an input into contiguous memory in the order in which the inner loop reads "
     "it"},
    {kTiled | kOther, "cache_blocking", "memory",
     "order the loops so that what is used again is still in a near cache"},
    {kConvolution, "implicit_gemm", "memory",
     "treat the convolution as a product of matrices whose left side is gathered into a packed "
     "block"},
    {kEvery, "vectorization", "compute",
     "make the innermost loop run over contiguous elements in whole vectors, with a tail of its "
     "own"},
    {kEvery, "threads", "compute",
     "split the outermost independent loop over all cores, in parts that do not share cache lines"},
    {kOther, "independent_chains", "latency",
     "break one long chain of dependent operations into several that run beside each other"},
    {kStreaming, "nontemporal_stores", "memory",
     "store large outputs past the caches, so that they are not read first"},
    {kEvery, "prefetch", "latency", "ask for what is needed some hundred cycles ahead"},
    {kStreaming, "polynomial_approximation", "compute",
     "replace library functions by polynomials that reach the tolerance and vectorise"},
    {kEvery, "strength_reduction", "compute",
     "move what does not change out of loops: divisions, index products, reciprocals"},
    {kOther, "temporal_blocking", "memory",
     "do several steps on a block while it is in cache instead of passing over everything each "
     "time"},
});

}  // namespace

WorkClass class_of(std::string_view family) {
  if (family == "matmul" || family == "attention") return WorkClass::Matmul;
  if (family == "elementwise") return WorkClass::Elementwise;
  if (family == "convolution") return WorkClass::Convolution;
  return WorkClass::Other;
}

ByTarget<std::span<const TechniqueRow>>& technique_rows() {
  static ByTarget<std::span<const TechniqueRow>> all{{Target::Cpu, kCpuRows},
                                                     {Target::Cuda, kCudaRows}};
  return all;
}

std::vector<TechniqueCard> technique_cards(Target target, WorkClass work) {
  const unsigned wanted = 1U << static_cast<unsigned>(work);
  std::vector<TechniqueCard> cards;
  for (const TechniqueRow& row : technique_rows()[target])
    if ((row.classes & wanted) != 0)
      cards.push_back({std::string(row.name), std::string(row.what), std::string(row.resource)});
  return cards;
}

}  // namespace kw::search
