// Splits a tensor's memory into windows, and edits the elements in them.
// SPDX-License-Identifier: Apache-2.0
#include "referee/edit.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "referee/values.h"

namespace kw::referee {
namespace {

constexpr std::int64_t kWindow = std::int64_t{1} << 21;  // elements
// Runs that are at most this far apart are read together with what lies between them: a transfer
// from a GPU costs as much as some ten thousand bytes.
constexpr std::int64_t kGap = 4096;  // elements

/// A contiguous run of elements of a region.
struct Run {
  std::int64_t at = 0;  ///< Place in memory, in elements from the tensor's first element.
  std::int64_t length = 0;
  std::int64_t first = 0;  ///< Row-major index of the run's first element.
};

/// A stretch of memory, no longer than kWindow, with the runs that lie in it.
struct Window {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<Run> runs;
};

/// Row-major index, not counting padding, of the element at this place in memory.
std::int64_t index_of(const Tensor& tensor, std::int64_t at) {
  if (tensor.sizes.empty()) return at;
  return at / tensor.pitch * tensor.sizes.back() + at % tensor.pitch;
}

/// Calls `visit` for every window of the region until it fails.
Result<> for_each_window(const Tensor& tensor, const Region& region,
                         const std::function<Result<>(const Window&)>& visit) {
  Window window;
  Result<> trouble;
  const auto flush = [&] {
    if (!window.runs.empty() && trouble.has_value()) trouble = visit(window);
    window.runs.clear();
  };
  for_each_run(tensor, region, [&](std::int64_t at, std::int64_t length) {
    const std::int64_t first = index_of(tensor, at);
    for (std::int64_t done = 0; done < length && trouble.has_value();) {
      const Run run{at + done, std::min(length - done, kWindow), first + done};
      const std::int64_t end = run.at + run.length;
      if (!window.runs.empty() && (run.at - window.end > kGap || end - window.begin > kWindow))
        flush();
      if (window.runs.empty()) window.begin = run.at;
      window.end = end;
      window.runs.push_back(run);
      done += run.length;
    }
  });
  flush();
  return trouble;
}

/// The bytes of a window and of its runs.
class Bytes {
 public:
  Bytes(const Tensor& tensor, const Window& window)
      : size_(static_cast<std::int64_t>(size_of(tensor.dtype))),
        begin_(window.begin),
        bytes_(static_cast<std::size_t>((window.end - window.begin) * size_)) {}

  Result<> read(const device::Buffer& from, std::int64_t shift = 0) {
    return from.read((begin_ + shift) * size_, bytes_);
  }
  Result<> write(device::Buffer& to) const { return to.write(begin_ * size_, bytes_); }
  std::span<std::byte> of(const Run& run) {
    return std::span(bytes_).subspan(static_cast<std::size_t>((run.at - begin_) * size_),
                                     static_cast<std::size_t>(run.length * size_));
  }

 private:
  std::int64_t size_;
  std::int64_t begin_;
  std::vector<std::byte> bytes_;
};

/// Cuts runs into pieces that the threads of a loop can share evenly.
std::vector<Run> cut(const std::vector<Run>& runs) {
  constexpr std::int64_t kPiece = std::int64_t{1} << 15;  // elements
  std::vector<Run> pieces;
  for (const Run& run : runs)
    for (std::int64_t done = 0; done < run.length; done += kPiece)
      pieces.push_back({run.at + done, std::min(kPiece, run.length - done), run.first + done});
  return pieces;
}

/// Calls `change(piece, values)` for every piece of every run, on several threads at once, and
/// writes back what changed; `more` reads what else the change needs for a window.
template <class More, class Change>
Result<bool> rewrite(device::Parallel& parallel, device::Buffer& buffer, const Tensor& tensor,
                     const Region& region, More more, Change change) {
  bool has_changed = false;
  KW_TRY(for_each_window(tensor, region, [&](const Window& window) -> Result<> {
    Bytes bytes(tensor, window);
    KW_TRY(bytes.read(buffer));
    KW_TRY(more(window));
    std::atomic<bool> is_dirty = false;
    const std::vector<Run> pieces = cut(window.runs);
    parallel.for_each(static_cast<std::int64_t>(pieces.size()), [&](std::int64_t i) {
      const Run& piece = pieces[static_cast<std::size_t>(i)];
      std::vector<double> before;
      append_values(before, tensor.dtype, bytes.of(piece));
      std::vector<double> after = before;
      change(piece, after);
      store_values(bytes.of(piece), tensor.dtype, after);
      after.clear();
      append_values(after, tensor.dtype, bytes.of(piece));
      if (before != after) is_dirty = true;
    });
    has_changed = has_changed || is_dirty;
    return is_dirty ? bytes.write(buffer) : Result<>();
  }));
  return has_changed;
}

}  // namespace

Result<bool> edit(device::Parallel& parallel, device::Buffer& buffer, const Tensor& tensor,
                  const Region& region, const Edit& how) {
  return rewrite(
      parallel, buffer, tensor, region, [](const Window&) { return Result<>(); },
      [&](const Run& piece, std::vector<double>& values) { how(piece.first, values); });
}

Result<bool> take(device::Parallel& parallel, device::Buffer& to, const device::Buffer& from,
                  const Tensor& tensor, const Region& region, std::int64_t shift,
                  const Choice& chosen) {
  std::unique_ptr<Bytes> source;
  return rewrite(
      parallel, to, tensor, region,
      [&](const Window& window) {
        source = std::make_unique<Bytes>(tensor, window);
        return source->read(from, -shift);
      },
      [&](const Run& piece, std::vector<double>& values) {
        std::vector<double> theirs;
        append_values(theirs, tensor.dtype, source->of(piece));
        for (std::size_t i = 0; i < values.size(); ++i)
          if (!chosen || chosen(piece.first + static_cast<std::int64_t>(i))) values[i] = theirs[i];
      });
}

Result<> fill_bytes(device::Buffer& to, int byte) {
  const std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(kWindow, to.bytes())),
                                     static_cast<std::byte>(byte));
  for (std::int64_t at = 0; at < to.bytes(); at += kWindow)
    KW_TRY(to.write(
        at, std::span(bytes).first(static_cast<std::size_t>(std::min(kWindow, to.bytes() - at)))));
  return {};
}

Result<> fill_from(device::Buffer& to, const Tensor& tensor, const device::Buffer& from,
                   const Tensor& source) {
  const std::int64_t period = source.extent();
  const auto size = static_cast<std::int64_t>(size_of(source.dtype));
  std::vector<std::byte> bytes;
  std::vector<double> values;
  std::vector<std::byte> made;
  for (std::int64_t at = 0; at < tensor.extent();) {
    const std::int64_t begin = at % period;
    const std::int64_t count = std::min({kWindow, period - begin, tensor.extent() - at});
    bytes.resize(static_cast<std::size_t>(count * size));
    KW_TRY(from.read(begin * size, bytes));
    values.clear();
    append_values(values, source.dtype, bytes);
    made.resize(static_cast<std::size_t>(count) * size_of(tensor.dtype));
    store_values(made, tensor.dtype, values);
    KW_TRY(to.write(at * static_cast<std::int64_t>(size_of(tensor.dtype)), made));
    at += count;
  }
  return {};
}

Result<bool> round_to(device::Parallel& parallel, device::Buffer& buffer, const Tensor& tensor,
                      int bits) {
  return edit(parallel, buffer, tensor, whole(tensor),
              [bits](std::int64_t, std::span<double> values) {
                for (double& value : values) value = rounded(value, bits);
              });
}

Result<bool> is_equal(device::Parallel& parallel, const device::Buffer& a, const device::Buffer& b,
                      const Tensor& tensor, const Region& region) {
  std::atomic<bool> equal = true;
  KW_TRY(for_each_window(tensor, region, [&](const Window& window) -> Result<> {
    if (!equal) return {};
    Bytes ours(tensor, window);
    Bytes theirs(tensor, window);
    KW_TRY(ours.read(a));
    KW_TRY(theirs.read(b));
    const std::vector<Run> pieces = cut(window.runs);
    parallel.for_each(static_cast<std::int64_t>(pieces.size()), [&](std::int64_t i) {
      const Run& piece = pieces[static_cast<std::size_t>(i)];
      std::vector<double> left;
      std::vector<double> right;
      append_values(left, tensor.dtype, ours.of(piece));
      append_values(right, tensor.dtype, theirs.of(piece));
      if (left != right) equal = false;
    });
    return {};
  }));
  return equal.load();
}

}  // namespace kw::referee
