// Draws the values of a tensor, for each kind of values as a function of (seed, index).
// SPDX-License-Identifier: Apache-2.0
#include "device/fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "device/cache_lines.h"
#include "device/element.h"
#include "device/layout.h"
#include "device/poison.h"
#include "device/random_values.h"

namespace kw::device {
namespace {

/// Base index of draws that are made once per tensor, far beyond any element's index.
constexpr std::uint64_t kPerTensor = std::uint64_t{1} << 62;

double number(const Values& values, const char* key, double fallback) {
  const auto at = values.numbers.find(key);
  return at == values.numbers.end() ? fallback : at->second;
}

/// Positions in a grid. Point 1 lies in the cell of point 0; with three or more points, the last
/// lies between the border and the first index outside, so that a corner of its cell lies in the
/// halo.
struct Points {
  std::uint64_t seed;
  const Values& values;
  std::uint64_t axes;
  std::uint64_t points;

  double operator()(std::uint64_t i) const {
    const std::uint64_t point = i / axes;
    const auto axis = static_cast<std::size_t>(i % axes);
    const double cells = static_cast<double>(std::max<std::int64_t>(values.count[axis] - 1, 1));
    const std::uint64_t owner = point == 1 ? i - axes : i;
    double cell = std::floor(cells * unit_from(bits_at(seed, 2 * owner)));
    if (points >= 3 && point == points - 1 && values.count[axis] > 1)
      cell = (bits_at(seed, 2 * owner) & 1) != 0 ? cells : -1;
    const double inside = values.count[axis] > 1 ? unit_from(bits_at(seed, 2 * i + 1)) : 0;
    return values.origin[axis] + values.step[axis] * (cell + inside);
  }
};

/// Which lines are planted (see Lines); computed ahead where neighbours in memory belong to
/// different lines.
std::vector<bool> planted_lines(const Lines& lines, std::uint64_t elements) {
  std::vector<bool> planted;
  if (lines.inner == 1) return planted;
  planted.resize(elements / lines.length);
  for (std::uint64_t line = 0; line < planted.size(); ++line)
    planted[line] = lines.is_planted(line);
  return planted;
}

/// Fills elements from `index` on with values of a kind that draws along lines of the tensor. Where
/// memory runs along a line, what is known about the line is looked up once.
template <class T, class Draw>
void fill_stretch(T* to, std::uint64_t index, std::int64_t n, const Draw& draw,
                  const std::vector<bool>& planted) {
  const Lines& lines = draw.lines;
  const std::uint64_t end = index + static_cast<std::uint64_t>(n);
  while (index < end) {
    const Lines::Place p = lines.place(index);
    const bool is_along = lines.inner == 1;
    const std::uint64_t left = is_along ? lines.length - p.at : lines.inner - p.line % lines.inner;
    const std::uint64_t run = std::min(left, end - index);
    if (is_along && !lines.is_planted(p.line)) {
      for (std::uint64_t k = 0; k < run; ++k)
        to[k] = Convert<T>::from(draw.plain(p.line, index + k));
    } else if (is_along) {
      for (std::uint64_t k = 0; k < run; ++k)
        to[k] = Convert<T>::from(draw.planted({p.line, p.at + k}, index + k));
    } else {
      for (std::uint64_t k = 0; k < run; ++k)
        to[k] = Convert<T>::from(planted[p.line + k] ? draw.planted({p.line + k, p.at}, index + k)
                                                     : draw.plain(p.line + k, index + k));
    }
    to += run;
    index += run;
  }
}

/// Writes drawn numbers as elements of the type, past the caches if `is_long`.
void store(std::span<std::byte> to, Dtype dtype, std::span<const double> drawn, bool is_long) {
  with_element(dtype, [&]<class T>(T) {
    std::array<T, kPiece> made;
    T* const first = is_long ? made.data() : reinterpret_cast<T*>(to.data());
    for (std::size_t i = 0; i < drawn.size(); ++i) first[i] = Convert<T>::from(drawn[i]);
    if (is_long) copy_past_caches(to, std::as_bytes(std::span(made).first(drawn.size())));
  });
}

/// Draws the elements as numbers of type T, a stretch of a row at a time. `put(offset, n, make)`
/// has to call `make(to)`, which draws n numbers, and to see that they get to the elements from
/// `offset` on.
template <class T, class Draw, class Put>
void draw_rows(const Rows& rows, const Draw& draw, Parallel& parallel, const Put& put) {
  const Pieces pieces(rows);
  std::vector<bool> planted;
  if constexpr (requires { draw.lines; })
    planted = planted_lines(draw.lines, static_cast<std::uint64_t>(rows.count) *
                                            static_cast<std::uint64_t>(rows.length));
  parallel.for_each(pieces.count(), [&](std::int64_t piece) {
    pieces.for_each_stretch(piece, [&](std::int64_t row, std::int64_t column, std::int64_t n) {
      const auto index = static_cast<std::uint64_t>(row * rows.length + column);
      put(row * rows.pitch + column, n, [&](T* to) {
        if constexpr (requires { draw.lines; })
          fill_stretch(to, index, n, draw, planted);
        else
          for (std::int64_t i = 0; i < n; ++i)
            to[i] = Convert<T>::from(draw(index + static_cast<std::uint64_t>(i)));
      });
    });
  });
}

/// Draws into memory that holds elements of type T.
template <class T, class Draw>
void fill_directly(std::span<std::byte> memory, const Rows& rows, const Draw& draw,
                   Parallel& parallel) {
  auto* first = reinterpret_cast<T*>(memory.data());
  const bool is_long = memory.size() >= kLong;
  draw_rows<T>(rows, draw, parallel, [&](std::int64_t offset, std::int64_t n, const auto& make) {
    if (!is_long) return make(first + offset);
    std::array<T, kPiece> made;
    make(made.data());
    const auto part = std::span(made).first(static_cast<std::size_t>(n));
    copy_past_caches(std::as_writable_bytes(std::span(first + offset, part.size())),
                     std::as_bytes(part));
  });
}

/// Types other than float and double are drawn as doubles and then converted: to compile each kind
/// for each type took minutes.
template <class Draw>
void fill_any(std::span<std::byte> memory, const Tensor& tensor, const Draw& draw,
              Parallel& parallel) {
  const Rows rows = rows_of(tensor);
  if (tensor.dtype == Dtype::F32) return fill_directly<float>(memory, rows, draw, parallel);
  if (tensor.dtype == Dtype::F64) return fill_directly<double>(memory, rows, draw, parallel);
  const std::size_t size = size_of(tensor.dtype);
  const bool is_long = memory.size() >= kLong;
  draw_rows<double>(rows, draw, parallel,
                    [&](std::int64_t offset, std::int64_t n, const auto& make) {
                      std::array<double, kPiece> drawn;
                      make(drawn.data());
                      const auto count = static_cast<std::size_t>(n);
                      store(memory.subspan(static_cast<std::size_t>(offset) * size, count * size),
                            tensor.dtype, std::span(drawn).first(count), is_long);
                    });
}

/// Share of lines to plant (to fill mostly with zeros): so few that code which skips zeros gains
/// next to nothing, and so many that each input set has some.
double share_of(double asked, double lines) {
  constexpr double kMost = 0.125;
  constexpr double kWanted = 2;
  return std::max(asked, std::min(kMost, kWanted / lines));
}

/// Probability that the first line is planted (see Lines), and that the last line is, in tensors
/// with at least kManyLines lines. In tensors with at least kSomeLines, one line anywhere is
/// planted in any case.
constexpr double kEdge = 0.5;
constexpr double kManyLines = 64;
constexpr Word kSomeLines = 8;

/// The number of a line with the folded side reduced: lines with equal keys are planted together
/// (see Lines::fold).
Word key_of(const Lines& lines, Word line) {
  const Word number = line % lines.side;
  return line - number + number % lines.fold;
}

Lines lines_of(const Tensor& tensor, std::uint64_t seed) {
  const Values& v = tensor.values;
  Lines lines{};
  const auto& sizes = tensor.sizes;
  const auto first = static_cast<std::size_t>(number(v, "over", 0));
  const auto end = first + static_cast<std::size_t>(number(v, "axes", 1));
  Word outer = 1;
  lines.length = lines.inner = lines.side = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const auto size = static_cast<Word>(sizes[d]);
    (d < first ? outer : d < end ? lines.length : lines.inner) *= size;
    if (d < first || d >= end) lines.side = size;
  }
  const Word count = outer * lines.inner;
  lines.fold = (lines.side + 1) / 2;
  lines.last_key = key_of(lines, count - 1);
  lines.by_length = 1 / static_cast<double>(lines.length);
  lines.by_inner = 1 / static_cast<double>(lines.inner);
  lines.by_side = 1 / static_cast<double>(lines.side);
  lines.by_fold = 1 / static_cast<double>(lines.fold);
  lines.seed = bits_at(seed, kPerTensor + 2);
  lines.where = bits_at(seed, kPerTensor + 3);
  lines.share = share_of(number(v, "share", 0), static_cast<double>(count));
  lines.edge = static_cast<double>(count) >= kManyLines ? kEdge : lines.share;
  lines.density = number(v, "density", 0);
  lines.certain_key =
      count >= kSomeLines ? key_of(lines, bits_at(seed, kPerTensor + 5) % count) : ~Word{0};
  return lines;
}

/// Largest number in a line of kind `counted`, chosen so that all sums along a line stay below what
/// the type holds exactly; in long lines, whose numbers have both signs, so that all sums that
/// occur in practice do.
double most_counted(const Lines& lines, int bits) {
  constexpr double kLeast = 8;
  constexpr double kMost = 4096;
  const double room = std::floor(std::ldexp(1.0, bits) * lines.by_length);
  return std::clamp(room, kLeast, kMost);
}

/// The least number above 0 of a real type.
double least_above_zero(Dtype dtype) {
  switch (dtype) {
    case Dtype::F16:
      return 0x1p-24;
    case Dtype::BF16:
      return 0x1p-133;
    case Dtype::F32:
      return 0x1p-149;
    default:
      return 0x1p-1074;
  }
}

Result<> draw_lines(const Tensor& tensor, std::uint64_t seed, DrawSpec& s) {
  const Values& v = tensor.values;
  const int bits = significand_bits(tensor.dtype);
  const double over = number(v, "over", 0);
  const double axes = number(v, "axes", 1);
  if (bits == 0 || over < 0 || axes < 1 || over + axes > static_cast<double>(tensor.sizes.size()))
    return fail_input(
        ErrorCode::BadInput, About{v.kind},
        fmt::format("values of kind '{}' need a floating-point tensor and axes that the tensor has",
                    v.kind),
        tensor.name);
  s.lines = lines_of(tensor, seed);
  s.octaves = static_cast<Word>(bits - 2);
  s.a = grid_unit(tensor.dtype);
  if (v.kind == "counted") {
    s.kind = DrawKind::Counted;
    s.base_seed = bits_at(seed, kPerTensor + 4);
    s.b = most_counted(s.lines, bits);
  } else if (v.kind == "grid") {
    s.kind = number(v, "share", 0) > 0 ? DrawKind::PlantedGrid : DrawKind::Grid;
  } else {
    s.kind = DrawKind::PlantedNormal;
    s.a = number(v, "std", 1), s.b = number(v, "value", 1), s.c = number(v, "rest", 0);
    s.lo = number(v, "keep", 0) > 0 ? 1 : 0;
  }
  return {};
}

/// What the kinds need that have a structure; false for other kinds.
Result<bool> draw_structure(const Tensor& tensor, std::uint64_t seed, DrawSpec& s) {
  const Values& v = tensor.values;
  const auto rows = rows_of(tensor);
  // Rows without space between them count as one, so their length stands in the sizes.
  const auto length = static_cast<Word>(tensor.sizes.empty() ? 1 : tensor.sizes.back());
  const Word elements = static_cast<Word>(rows.count) * static_cast<Word>(rows.length);
  const auto refuse = [&](std::string needs) {
    return fail_input(ErrorCode::BadInput, About{v.kind},
                      fmt::format("values of kind '{}' need {}", v.kind, needs), tensor.name);
  };
  const bool is_symmetric = v.kind == "spd";
  if (v.kind == "offsets") {
    if (elements < 2 || v.count.size() != 1)
      return refuse("a tensor of two elements or more, and a count");
    s.kind = DrawKind::Offsets;
    s.octaves = elements - 1, s.a = static_cast<double>(v.count.front());
  } else if (v.kind == "permutation") {
    s.kind = DrawKind::Permutation;
    s.octaves = number(v, "whole", 0) > 0 ? elements : length;
    s.lo = (std::bit_width(s.octaves) + 1) / 2;
  } else if (v.kind == "one_hot") {
    s.kind = DrawKind::OneHot;
    s.octaves = length;
  } else if (v.kind == "sorted") {
    s.kind = is_real(tensor.dtype) ? DrawKind::Sorted : DrawKind::SortedIntegers;
    s.octaves = length, s.a = number(v, "lo", 0), s.b = number(v, "hi", 1);
  } else if (is_symmetric || v.kind == "dominant" || v.kind == "triangular") {
    if (tensor.sizes.size() < 2 || tensor.sizes[tensor.sizes.size() - 2] != tensor.sizes.back())
      return refuse("square matrices");
    const bool is_upper = number(v, "upper", 0) > 0;
    s.kind = DrawKind::Dominant;
    s.octaves = length, s.a = is_symmetric ? 1 : 0;
    s.lo = v.kind != "triangular" ? DominantMatrix::Whole
           : is_upper             ? DominantMatrix::Upper
                                  : DominantMatrix::Lower;
  } else if (v.kind == "special") {
    if (!is_real(tensor.dtype)) return refuse("a floating-point tensor");
    s.kind = DrawKind::Special;
    s.base_seed = bits_at(seed, kPerTensor);
    s.a = number(v, "std", 1), s.b = number(v, "share", 0.05);
    s.c = least_above_zero(tensor.dtype);
    s.octaves = Word{1} << (significand_bits(tensor.dtype) - 1);
    s.lo = number(v, "nonfinite", 0) > 0 ? 1 : 0;
  } else {
    return false;
  }
  return true;
}

Result<> fill_points(std::span<std::byte> memory, const Tensor& tensor, std::uint64_t seed,
                     Parallel& parallel) {
  const Values& v = tensor.values;
  const auto axes = tensor.sizes.empty() ? 0 : static_cast<std::size_t>(tensor.sizes.back());
  if (tensor.sizes.size() != 2 || v.origin.size() != axes || v.step.size() != axes ||
      v.count.size() != axes)
    return fail_input(
        ErrorCode::BadInput, About{v.kind},
        "values of kind 'points' need a tensor of shape [k, d] and d entries each in origin, step "
        "and count",
        tensor.name);
  const auto points = static_cast<std::uint64_t>(tensor.sizes.front());
  fill_any(memory, tensor, Points{seed, v, axes, points}, parallel);
  return {};
}

}  // namespace

Result<> fill_values(std::span<std::byte> memory, const Tensor& tensor, std::uint64_t seed,
                     Parallel& parallel) {
  const auto bytes = static_cast<std::size_t>(tensor.bytes());
  KW_ASSERT(bytes <= memory.size());
  if (rows_of(tensor).count > 1 || bytes < memory.size()) fill_poison(memory, ~seed, parallel);
  if (bytes == 0) return {};

  if (tensor.values.kind == "points") return fill_points(memory, tensor, seed, parallel);
  const DrawSpec spec = KW_TRY(draw_spec(tensor, seed));
  with_draw(spec, ziggurat(), [&](const auto& draw) { fill_any(memory, tensor, draw, parallel); });
  return {};
}

Result<DrawSpec> draw_spec(const Tensor& tensor, std::uint64_t seed) {
  const Values& v = tensor.values;
  const double lo = number(v, "lo", 0);
  const double hi = number(v, "hi", 1);
  DrawSpec s;
  s.seed = seed;
  if (v.kind == "uniform") {
    s.kind = DrawKind::Uniform, s.a = lo, s.b = hi - lo;
  } else if (v.kind == "normal") {
    s.kind = DrawKind::Normal, s.a = number(v, "mean", 0), s.b = number(v, "std", 1);
  } else if (v.kind == "offset_scale") {
    s.kind = DrawKind::Normal;
    s.a = 200 * unit_from(bits_at(seed, kPerTensor + 1)) - 100;
    s.b = std::pow(10.0, 2 * unit_from(bits_at(seed, kPerTensor)) - 1);
  } else if (v.kind == "ramp") {
    const auto rows = rows_of(tensor);
    const double steps =
        static_cast<double>(std::max<std::int64_t>(rows.count * rows.length, 2)) - 1;
    const bool is_falling = (bits_at(seed, kPerTensor) & 1) != 0;
    s.kind = DrawKind::Ramp;
    s.a = is_falling ? hi : lo;
    s.b = (is_falling ? lo - hi : hi - lo) / steps;
  } else if (v.kind == "spikes") {
    s.kind = DrawKind::Spikes;
    s.base_seed = seed, s.seed = bits_at(seed, kPerTensor);
    s.a = number(v, "std", 1), s.b = number(v, "share", 0.001), s.c = number(v, "height", 1000);
  } else if (v.kind == "ties") {
    s.kind = is_real(tensor.dtype) ? DrawKind::Ties : DrawKind::TieLevels;
    s.a = number(v, "levels", 4);
  } else if (v.kind == "mixed") {
    s.kind = DrawKind::Mixed;
    s.lo = std::llround(number(v, "lo_exp", -8));
    const auto octaves = std::llround(number(v, "hi_exp", 8)) - s.lo;
    if (s.lo < -1022 || octaves < 1 || s.lo + octaves > 1023)
      return fail_input(ErrorCode::OutOfRange, About{v.kind},
                        "values 'mixed' need -1022 <= lo_exp < hi_exp <= 1023", tensor.name);
    s.octaves = static_cast<Word>(octaves);
  } else if (v.kind == "integers") {
    s.kind = DrawKind::Integers, s.a = lo, s.b = number(v, "hi", 1) - lo + 1;
  } else if (v.kind == "counted" || v.kind == "grid" || v.kind == "planted") {
    KW_TRY(draw_lines(tensor, seed, s));
  } else if (v.kind == "constant") {
    s.kind = DrawKind::Constant, s.a = number(v, "value", 0);
  } else if (v.kind == "zero") {
    s.kind = DrawKind::Constant;
  } else if (!KW_TRY(draw_structure(tensor, seed, s))) {
    return fail_input(ErrorCode::Unsupported, About{v.kind},
                      fmt::format("the tensor's values are of the unknown kind '{}'", v.kind),
                      tensor.name);
  }
  return s;
}

}  // namespace kw::device
