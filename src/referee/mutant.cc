// Lists the mutants, and the boxes in which they differ from the right answer.
// SPDX-License-Identifier: Apache-2.0
#include "referee/mutant.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "referee/inputs.h"
#include "referee/values.h"

namespace kw::referee {
namespace {

constexpr std::int64_t kTileSide = 32;  // size of the blocks of most kernels, and of a warp
constexpr Part kParts[] = {Part::Element, Part::Row, Part::Column, Part::Tile, Part::Batch};
// Significant bits of bf16, of f16 and tf32, and of two bf16 numbers.
constexpr int kBitsKept[] = {8, 11, 16};
constexpr int kBitsLost = 4;
constexpr int kThinnings[] = {6, 12, 18, 24, 30};
// So many pairs of scalars are all swapped.
constexpr std::size_t kMostPairs = 15;
// Least expected number of dropped elements; the chance that none is dropped is then e^-4.
constexpr int kFewestThinned = 4;

std::string_view name_of(Part part) {
  constexpr std::string_view kNames[] = {"element", "row", "column", "tile", "batch"};
  return kNames[static_cast<std::size_t>(part)];
}

std::int64_t size(const Range& range) { return range.hi - range.lo; }

// The dimension along which the box is cut into parts of this kind; nothing where the box has no
// such part.
std::optional<std::size_t> dimension_of(Part part, const Region& box) {
  const std::size_t rank = box.ranges.size();
  switch (part) {
    case Part::Element:
    case Part::Tile:
      return rank >= 1 ? std::optional(rank - 1) : std::nullopt;
    case Part::Column:
      return rank >= 2 ? std::optional(rank - 1) : std::nullopt;
    case Part::Row:
      return rank >= 2 ? std::optional(rank - 2) : std::nullopt;
    case Part::Batch:
      for (std::size_t d = 0; d + 2 < rank; ++d)
        if (size(box.ranges[d]) > 1) return d;
      return std::nullopt;
  }
  return std::nullopt;
}

Region cut(Part part, const Region& box, std::size_t dimension, std::int64_t length) {
  Region region = box;
  const auto keep = [&](std::size_t d, std::int64_t n) {
    region.ranges[d].lo = std::max(region.ranges[d].lo, region.ranges[d].hi - n);
  };
  const std::size_t rank = box.ranges.size();
  keep(dimension, length);
  // Dimensions before the cut one are narrowed to their last index, except for a column, which goes
  // through all of them.
  if (part == Part::Element || part == Part::Row || part == Part::Tile)
    for (std::size_t d = 0; d + (part == Part::Element ? 1 : 2) < rank; ++d) keep(d, 1);
  if (part == Part::Tile && rank >= 2) keep(rank - 2, kTileSide);
  return region;
}

bool is_same(const Region& a, const Region& b) {
  return std::ranges::equal(a.ranges, b.ranges, [](const Range& x, const Range& y) {
    return x.lo == y.lo && x.hi == y.hi;
  });
}

void add_output_mutants(std::vector<Mutant>& all, const Workload& workload) {
  const auto has_part = [&](Part part) {
    return std::ranges::any_of(workload.tensors, [&](const Tensor& tensor) {
      return std::ranges::any_of(tensor.compared, [&](const Region& box) {
        return last_part(part, box, least_length(part, box)).has_value();
      });
    });
  };
  for (const Part part : kParts) {
    if (!has_part(part)) continue;
    all.push_back(
        {fmt::format("last {} unwritten", name_of(part)), MutantKind::Unwritten, 0, part});
    all.push_back({fmt::format("last {} zero", name_of(part)), MutantKind::Zeroed, 0, part});
  }
  const std::pair<Extent, const char*> extents[] = {{Extent::All, "everywhere"},
                                                    {Extent::SecondHalf, "in the second half"},
                                                    {Extent::Last, "in the last element"}};
  for (const auto& [extent, where] : extents) {
    all.push_back({fmt::format("exclusive for inclusive {}", where), MutantKind::Exclusive, 0,
                   Part::Element, extent});
    if (extent != Extent::Last)  // the last element has no successor
      all.push_back({fmt::format("inclusive for exclusive {}", where), MutantKind::Inclusive, 0,
                     Part::Element, extent});
  }
  if (std::ranges::any_of(workload.tensors, [](const Tensor& tensor) {
        return !tensor.compared.empty() && is_integer(tensor.dtype);
      }))
    all.push_back({"results kept to half of their bits", MutantKind::Narrowed});
}

// Where sums are exact in any order, a sum of numbers that lack only their last bits is wrong, so
// this rounding is tried too.
std::vector<int> bits_kept(Dtype dtype, bool has_exact) {
  std::vector<int> kept;
  for (const int bits : kBitsKept)
    if (bits < significand_bits(dtype)) kept.push_back(bits);
  if (has_exact) kept.push_back(significand_bits(dtype) - kBitsLost);
  return kept;
}

// A kernel that reads one or two parts of an input and takes them for all others.
void add_repeated(std::vector<Mutant>& all, const Tensor& tensor, std::size_t index) {
  const std::int64_t elements = elements_of(whole(tensor));
  const auto add = [&](Part part, const char* one, const char* two) {
    for (const int count : {1, 2})
      if (elements / part_size(part, tensor) > count)
        all.push_back(
            {.name = fmt::format("{} of {} everywhere", count == 1 ? one : two, tensor.name),
             .kind = MutantKind::Repeated,
             .tensor = index,
             .part = part,
             .count = count});
  };
  const std::size_t rank = tensor.sizes.size();
  // Coordinates of different axes cannot stand for each other.
  if (tensor.values.kind != "points") add(Part::Element, "first element", "first two elements");
  if (rank >= 2 && tensor.sizes.back() > 1) add(Part::Row, "first row", "first two rows");
  if (rank >= 3 && tensor.sizes[rank - 2] > 1) add(Part::Batch, "first plane", "first two planes");
}

void add_input_mutants(std::vector<Mutant>& all, const Tensor& tensor, std::size_t index,
                       bool has_exact) {
  const auto add = [&](std::string name, MutantKind kind, Part part, int bits) {
    all.push_back({std::move(name), kind, index, part, Extent::All, bits});
  };
  const Region box = whole(tensor);
  for (const Part part : kParts)
    if (last_part(part, box, least_length(part, box)))
      add(fmt::format("last {} of {} dropped", name_of(part), tensor.name), MutantKind::Dropped,
          part, 0);
  const std::int64_t count = elements_of(box);
  // Elements of a tensor of positions are not dropped one by one, because no value is neutral as a
  // position. Offsets with zeros among them are none: rows would begin at 0 and take minutes.
  if (count > 1 && tensor.values.kind != "points" && tensor.values.kind != "offsets") {
    add(fmt::format("one element of {} dropped", tensor.name), MutantKind::Thinned, Part::Element,
        0);
    for (const int bits : kThinnings)
      if (count >> bits >= kFewestThinned)
        add(fmt::format("one in 2^{} of {} dropped", bits, tensor.name), MutantKind::Thinned,
            Part::Element, bits);
  }
  add_repeated(all, tensor, index);
  if (count > 1)
    add(fmt::format("second half of {} ignored", tensor.name), MutantKind::Halved, Part::Element,
        0);
  if (is_integer(tensor.dtype)) {
    add(fmt::format("{} modulo 2", tensor.name), MutantKind::Parity, Part::Element, 0);
    // Offsets and sorted numbers would be none any more, and code may rely on them.
    if (tensor.values.kind == "integers")
      add(fmt::format("{} kept to half of its bits", tensor.name), MutantKind::Wrapped,
          Part::Element, 0);
  }
  if (!is_real(tensor.dtype)) return;
  for (const int bits : bits_kept(tensor.dtype, has_exact))
    add(fmt::format("{} rounded to {} bits", tensor.name, bits), MutantKind::Rounded, Part::Element,
        bits);
}

}  // namespace

std::vector<Mutant> mutants_of(const Workload& workload) {
  std::vector<Mutant> all;
  add_output_mutants(all, workload);
  for (std::size_t i = 0; i < workload.tensors.size(); ++i)
    if (is_drawn(workload.tensors[i]))
      add_input_mutants(all, workload.tensors[i], i, workload.exact_below >= 0);
  for (const auto& pair : exchangeable(workload)) {
    const Scalar &one = workload.scalars[pair.first], &other = workload.scalars[pair.second];
    if (one.real == other.real && one.integer == other.integer) continue;
    all.push_back(
        {.name = name_of_swap(one.name, other.name), .kind = MutantKind::Swapped, .scalars = pair});
  }
  return all;
}

std::vector<std::pair<std::size_t, std::size_t>> exchangeable(const Workload& workload) {
  std::vector<std::pair<std::size_t, std::size_t>> all, neighbours;
  std::map<Dtype, std::vector<std::size_t>> earlier;
  for (std::size_t i = 0; i < workload.scalars.size(); ++i) {
    if (workload.dims.contains(workload.scalars[i].name)) continue;
    std::vector<std::size_t>& same = earlier[workload.scalars[i].dtype];
    for (const std::size_t other : same) all.emplace_back(other, i);
    if (!same.empty()) neighbours.emplace_back(same.back(), i);
    same.push_back(i);
  }
  return all.size() <= kMostPairs ? all : neighbours;
}

std::string name_of_swap(const std::string& one, const std::string& other) {
  return fmt::format("{} and {} swapped", one, other);
}

std::int64_t part_size(Part part, const Tensor& tensor) {
  const std::size_t rank = tensor.sizes.size();
  std::int64_t size = 1;
  if (part != Part::Element) size *= tensor.sizes[rank - 1];
  if (part == Part::Batch) size *= tensor.sizes[rank - 2];
  return size;
}

std::int64_t least_length(Part part, const Region& box) {
  const auto dimension = dimension_of(part, box);
  return part == Part::Tile && dimension ? std::min(kTileSide, size(box.ranges[*dimension])) : 1;
}

std::int64_t most_length(Part part, const Region& box) {
  const auto dimension = dimension_of(part, box);
  const std::int64_t half = dimension ? size(box.ranges[*dimension]) / 2 : 1;
  return std::max(least_length(part, box), half);
}

std::optional<Region> last_part(Part part, const Region& box, std::int64_t length) {
  const auto dimension = dimension_of(part, box);
  if (!dimension || elements_of(box) == 0) return std::nullopt;
  const Region least = cut(part, box, *dimension, least_length(part, box));
  if (is_same(least, box)) return std::nullopt;
  for (const Part smaller : kParts) {
    if (smaller == part) break;
    const auto other = dimension_of(smaller, box);
    if (other && is_same(least, cut(smaller, box, *other, least_length(smaller, box))))
      return std::nullopt;
  }
  return cut(part, box, *dimension, length);
}

Region shifted_part(Extent extent, const Region& box, bool is_exclusive) {
  Region region = box;
  if (region.ranges.empty()) return region;
  Range& row = region.ranges.back();
  const Range all = row;
  if (extent == Extent::SecondHalf) row.lo += (size(all) + 1) / 2;
  if (extent == Extent::Last) row.lo = row.hi - 1;
  // The first element of a row has no predecessor, the last one no successor.
  if (is_exclusive)
    row.lo = std::max(row.lo, all.lo + 1);
  else
    row.hi -= 1;
  row.hi = std::max(row.hi, row.lo);
  return region;
}

int bits_down(Dtype dtype) {
  switch (dtype) {
    case Dtype::F64:
      return 24;
    case Dtype::F32:
      return 11;
    case Dtype::F16:
      return 8;
    default:
      return 4;
  }
}

}  // namespace kw::referee
