// Chooses the pieces of a region, checks buffers, and describes a region for the GPU's kernel.
// SPDX-License-Identifier: Apache-2.0
#include "device/compare_region.h"

#include <fmt/format.h>

#include <limits>

#include "device/random_values.h"

namespace kw::device {

std::vector<std::int64_t> chosen_pieces(const Pieces& pieces, const Selection& selection,
                                        std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> chosen;
  for (std::int64_t p = first; p < std::min(end, pieces.count()); ++p)
    if (is_chosen(selection.seed, selection.share, p, pieces.count())) chosen.push_back(p);
  return chosen;
}

Result<> require_room(bool fits, const char* what, const Tensor& tensor) {
  if (fits) return {};
  return fail(
      ErrorCode::OutOfRange, About{what},
      fmt::format(
          "a buffer is smaller than the tensor that it should hold, so the device cannot {} it",
          what),
      tensor.name);
}

Result<> check_comparison(std::int64_t got_bytes, std::int64_t truth_bytes,
                          std::int64_t magnitude_bytes, const Tensor& tensor,
                          const Region& region) {
  const auto needs = [&](std::size_t element) {
    return tensor.extent() * static_cast<std::int64_t>(element);
  };
  const std::size_t wide = is_real(tensor.dtype) ? sizeof(double) : size_of(tensor.dtype);
  const bool fits = got_bytes >= needs(size_of(tensor.dtype)) && truth_bytes >= needs(wide) &&
                    (magnitude_bytes < 0 || magnitude_bytes >= needs(sizeof(double)));
  KW_TRY(require_room(fits, "compare", tensor));
  if (region.ranges.size() != tensor.sizes.size())
    return fail(ErrorCode::Contradiction, About{"ranges"},
                "a region of a tensor needs one range for each dimension", tensor.name);
  for (std::size_t i = 0; i < region.ranges.size(); ++i)
    if (region.ranges[i].lo < 0 || region.ranges[i].hi > tensor.sizes[i])
      return fail(ErrorCode::OutOfRange, About{"ranges"},
                  "a region of a tensor reaches outside the tensor", tensor.name);
  return {};
}

CompareJob ComparedRegion::job(const Selection& selection) const {
  CompareJob job{};
  job.pieces = pieces_.count();
  job.choice_seed = selection.seed;
  job.share = selection.share;
  job.absolute = allowance_.absolute;
  job.relative = allowance_.relative;
  job.magnitude_factor = allowance_.magnitude;
  job.exact_below = allowance_.exact_below;
  job.exact_within = allowance_.exact_within;
  job.exact = allowance_.exact;
  job.type = element_type(tensor_.dtype);
  job.dims = static_cast<int>(region_.ranges.size());
  for (std::size_t d = 0; d < region_.ranges.size(); ++d) {
    job.lo[d] = region_.ranges[d].lo;
    job.count[d] = region_.ranges[d].hi - region_.ranges[d].lo;
    job.stride[d] = rows_.stride(d);
  }
  const Rows rows = rows_.rows();
  job.rows = rows.count;
  job.length = rows.length;
  job.piece_length = kPiece;
  job.per_row = pieces_.per_row();
  job.rows_per_piece = pieces_.rows_per_piece();
  return job;
}

Stretch ComparedRegion::span_of(std::int64_t piece) const {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  pieces_.for_each_stretch(piece, [&](std::int64_t row, std::int64_t column, std::int64_t n) {
    const std::int64_t at = rows_.offset(row) + column;
    first = std::min(first, at);
    end = std::max(end, at + n);
  });
  return {first, end - first};
}

}  // namespace kw::device
