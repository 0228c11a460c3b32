// Makes the answer of a mutant, with one function for each kind.
// SPDX-License-Identifier: Apache-2.0
#include "referee/mutant_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "device/cuda/exact.cuh"
#include "referee/edit.h"
#include "referee/values.h"

namespace kw::referee {
namespace {

constexpr const char* kSameInputs = "the change leaves the inputs as they were";
constexpr const char* kSameAnswer = "the changed inputs give the same right answer";
// Number of elements among which single() looks for one that is not zero.
constexpr std::int64_t kSearched = 1 << 20;

void zero(std::int64_t, std::span<double> values) { std::ranges::fill(values, 0.0); }

class Maker {
 public:
  Maker(Subject& subject, const Mutant& mutant, bool asks_own_right)
      : subject_(subject),
        mutant_(mutant),
        asks_own_right_(asks_own_right && has_own_place(subject.workload(), mutant)) {}

  Result<Tried> run() {
    switch (mutant_.kind) {
      case MutantKind::Unwritten:
      case MutantKind::Zeroed:
        return smallest([this](std::int64_t length) { return without_part(length); });
      case MutantKind::Exclusive:
      case MutantKind::Inclusive:
        return shifted();
      case MutantKind::Narrowed:
        return narrowed();
      case MutantKind::Dropped:
        return smallest([this](std::int64_t length) { return dropped(length); });
      case MutantKind::Thinned:
        return mutant_.bits == 0 ? single() : thinned();
      case MutantKind::Rounded:
        return recomputed(round_to(subject_.parallel(), input(), tensor(), mutant_.bits),
                          whole(tensor()), {});
      case MutantKind::Repeated:
        return repeated();
      case MutantKind::Halved:
        return halved();
      case MutantKind::Parity:
        return parity();
      case MutantKind::Wrapped:
        return wrapped();
      case MutantKind::Swapped:
        return swapped();
      case MutantKind::Cut:
        break;  // LoopCuts has the changed reference
    }
    return Tried{};
  }

 private:
  const std::vector<Tensor>& tensors() const { return subject_.tensors(); }
  const Tensor& tensor() const { return tensors()[mutant_.tensor]; }
  device::Buffer& input() { return *subject_.inputs()[mutant_.tensor]; }
  std::uint64_t random() const { return subject_.seed().child("mutants").child(mutant_.name).low; }

  Result<Tried> smallest(const std::function<Result<Tried>(std::int64_t)>& make) const;
  std::pair<std::int64_t, std::int64_t> lengths() const;
  Result<> for_each_box(
      const std::function<Result<>(std::size_t tensor, const Region& box)>& visit) const;
  Result<Tried> judged();
  Result<Tried> without_part(std::int64_t length);
  Result<Tried> shifted();
  Result<Tried> narrowed();
  Result<bool> keep_half(device::Buffer& buffer, const Tensor& tensor, const Region& region,
                         double lo, double hi);
  Result<Tried> dropped(std::int64_t length);
  Result<Tried> single();
  Result<Tried> thinned();
  Result<Tried> repeated();
  Result<Tried> halved();
  Result<Tried> parity();
  Result<Tried> wrapped();
  Result<Tried> swapped();
  Result<Tried> recomputed(Result<bool> changed, const Region& where, const Choice& chosen);
  Result<std::optional<Judged>> with_own_right(const Region& where, const Choice& chosen);

  Subject& subject_;
  const Mutant& mutant_;
  bool asks_own_right_;
};

Result<> Maker::for_each_box(
    const std::function<Result<>(std::size_t tensor, const Region& box)>& visit) const {
  for (std::size_t i = 0; i < tensors().size(); ++i)
    for (const Region& box : tensors()[i].compared)
      if (elements_of(box) > 0) KW_TRY(visit(i, box));
  return {};
}

// Least and largest length that the mutant may leave out, over all boxes that it changes.
std::pair<std::int64_t, std::int64_t> Maker::lengths() const {
  std::pair<std::int64_t, std::int64_t> range{1, 1};
  const auto widen = [&](const Region& box) {
    range.first = std::max(range.first, least_length(mutant_.part, box));
    range.second = std::max(range.second, most_length(mutant_.part, box));
  };
  if (mutant_.is_of_outputs()) {
    for (const Tensor& tensor : tensors())
      for (const Region& box : tensor.compared) widen(box);
  } else {
    widen(whole(tensor()));
  }
  return range;
}

Result<Tried> Maker::smallest(const std::function<Result<Tried>(std::int64_t)>& make) const {
  const auto [least, most] = lengths();
  std::int64_t length = least;
  std::int64_t same = 0;  // the largest length that changes nothing
  Tried tried = KW_TRY(make(length));
  while (tried.has_answer && tried.plain.is_right && length < most) {
    same = length;
    length = std::min(2 * length, most);
    tried = KW_TRY(make(length));
  }
  if (!tried.has_answer || tried.plain.is_right) return tried;
  while (same > 0 && length - same > 1) {
    const std::int64_t middle = same + (length - same) / 2;
    Tried other = KW_TRY(make(middle));
    (other.plain.is_right ? same : length) = middle;
    if (!other.plain.is_right) tried = std::move(other);
  }
  if (length > least)
    tried.note = fmt::format("the last {} elements were changed; fewer change no result", length);
  return tried;
}

Result<Tried> Maker::judged() {
  Tried tried;
  tried.plain = KW_TRY(subject_.judge());
  if (tried.plain.is_right) tried.note = kSameAnswer;
  return tried;
}

Result<Tried> Maker::without_part(std::int64_t length) {
  KW_TRY(subject_.begin());
  KW_TRY(for_each_box([&](std::size_t i, const Region& box) -> Result<> {
    const auto part = last_part(mutant_.part, box, length);
    if (!part) return {};
    if (mutant_.kind == MutantKind::Zeroed)
      (void)KW_TRY(edit(subject_.parallel(), subject_.answer(i), tensors()[i], *part, zero));
    else
      (void)KW_TRY(
          take(subject_.parallel(), subject_.answer(i), subject_.before(i), tensors()[i], *part));
    return {};
  }));
  return judged();
}

Result<Tried> Maker::shifted() {
  const bool is_exclusive = mutant_.kind == MutantKind::Exclusive;
  KW_TRY(subject_.begin());
  KW_TRY(for_each_box([&](std::size_t i, const Region& box) -> Result<> {
    if (box.ranges.empty()) return {};
    (void)KW_TRY(take(subject_.parallel(), subject_.answer(i), subject_.right(i), tensors()[i],
                      shifted_part(mutant_.extent, box, is_exclusive), is_exclusive ? 1 : -1));
    if (!is_exclusive || mutant_.extent != Extent::All) return {};
    Region first = box;
    first.ranges.back().hi = first.ranges.back().lo + 1;
    (void)KW_TRY(edit(subject_.parallel(), subject_.answer(i), tensors()[i], first, zero));
    return {};
  }));
  return judged();
}

// Integers keep the lower half of their bits, as in a variable of half the size, which is signed if
// `lo` is negative; they stay between `lo` and `hi`.
Result<bool> Maker::keep_half(device::Buffer& buffer, const Tensor& tensor, const Region& region,
                              double lo, double hi) {
  const double period = std::exp2(4.0 * static_cast<double>(size_of(tensor.dtype)));
  const double highest = lo < 0 ? period / 2 : period;
  return edit(subject_.parallel(), buffer, tensor, region,
              [=](std::int64_t, std::span<double> values) {
                for (double& value : values) {
                  value = std::fmod(value, period);
                  if (value < highest - period) value += period;
                  if (value >= highest) value -= period;
                  value = std::clamp(value, lo, hi);
                }
              });
}

Result<Tried> Maker::narrowed() {
  KW_TRY(subject_.begin());
  KW_TRY(for_each_box([&](std::size_t i, const Region& box) -> Result<> {
    const DtypeRow row = row_of(tensors()[i].dtype);
    if (is_integer(tensors()[i].dtype))
      (void)KW_TRY(keep_half(subject_.answer(i), tensors()[i], box, static_cast<double>(row.lowest),
                             static_cast<double>(row.highest)));
    return {};
  }));
  return judged();
}

// The answer that the reference gives for the inputs as they now are.
Result<Tried> Maker::recomputed(Result<bool> changed, const Region& where, const Choice& chosen) {
  Tried tried;
  if (!KW_TRY(std::move(changed))) {
    tried.plain.is_right = true;
    tried.is_blind = mutant_.must_show();
    tried.note = kSameInputs;
    return tried;
  }
  const auto trouble = KW_TRY(subject_.recompute(subject_.inputs()));
  KW_TRY(subject_.restore_input(mutant_.tensor));
  if (trouble) {
    tried.has_answer = false;
    tried.note = *trouble;
    return tried;
  }
  tried = KW_TRY(judged());
  tried.is_blind = tried.plain.is_right && mutant_.must_show();
  if (asks_own_right_ && !tried.plain.is_right)
    tried.own_right = KW_TRY(with_own_right(where, chosen));
  return tried;
}

Result<std::optional<Judged>> Maker::with_own_right(const Region& where, const Choice& chosen) {
  for (std::size_t i = 0; i < tensors().size(); ++i)
    if (!tensors()[i].compared.empty() && tensors()[i].sizes == tensor().sizes)
      (void)KW_TRY(take(subject_.parallel(), subject_.answer(i), subject_.right(i), tensors()[i],
                        where, 0, chosen));
  return KW_TRY(subject_.judge());
}

Result<Tried> Maker::dropped(std::int64_t length) {
  const auto part = last_part(mutant_.part, whole(tensor()), length);
  KW_ASSERT(part.has_value());
  // No value is neutral as a position, so positions are replaced by valid ones of another draw.
  if (tensor().values.kind == "points") {
    const Buffers* other = KW_TRY(subject_.other_inputs());
    return recomputed(
        take(subject_.parallel(), input(), *(*other)[mutant_.tensor], tensor(), *part), *part, {});
  }
  return recomputed(edit(subject_.parallel(), input(), tensor(), *part, zero), *part, {});
}

// Sets the first input element that is not zero to zero, searching from a random element on.
Result<Tried> Maker::single() {
  Rng rng(Seed::from_number(random()));
  Region within = whole(tensor());
  // The search covers only a part of the outermost dimension.
  Range& outer = within.ranges.front();
  const std::int64_t slab = std::max<std::int64_t>(elements_of(within) / outer.hi, 1);
  outer.lo = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(outer.hi)));
  outer.hi = std::min(outer.hi, outer.lo + std::max<std::int64_t>(kSearched / slab, 1));
  const std::int64_t start =
      outer.lo * slab + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(slab)));
  std::int64_t hit = -1;
  device::Parallel alone(1);  // one thread, so that elements come in order
  const auto changed =
      edit(alone, input(), tensor(), within, [&](std::int64_t first, std::span<double> v) {
        if (hit >= 0) return;
        const auto skipped = static_cast<std::size_t>(std::max<std::int64_t>(start - first, 0));
        for (std::size_t i = skipped; i < v.size() && hit < 0; ++i)
          if (v[i] != 0) {
            v[i] = 0;
            hit = first + static_cast<std::int64_t>(i);
          }
      });
  return recomputed(changed, within, [&](std::int64_t index) { return index == hit; });
}

Result<Tried> Maker::thinned() {
  const std::uint64_t seed = random();
  const auto is_dropped = [seed, bits = mutant_.bits](std::int64_t index) {
    return device::bits_at(seed, static_cast<std::uint64_t>(index)) >> (64 - bits) == 0;
  };
  const Region all = whole(tensor());
  const auto changed = edit(subject_.parallel(), input(), tensor(), all,
                            [&](std::int64_t first, std::span<double> v) {
                              for (std::size_t i = 0; i < v.size(); ++i)
                                if (is_dropped(first + static_cast<std::int64_t>(i))) v[i] = 0;
                            });
  return recomputed(changed, all, is_dropped);
}

Result<Tried> Maker::repeated() {
  const std::int64_t period = mutant_.count * part_size(mutant_.part, tensor());
  Region all = whole(tensor());
  Region head = all;  // the least box from the tensor's start that holds the repeated parts
  Range& outer = head.ranges.front();
  const std::int64_t slab = elements_of(all) / outer.hi;
  outer.hi = (period + slab - 1) / slab;
  const std::vector<double> parts = KW_TRY(read_region(input(), tensor(), head));
  return recomputed(
      edit(subject_.parallel(), input(), tensor(), all,
           [&](std::int64_t first, std::span<double> v) {
             for (std::size_t i = 0; i < v.size(); ++i)
               v[i] =
                   parts[static_cast<std::size_t>((first + static_cast<std::int64_t>(i)) % period)];
           }),
      all, {});
}

Result<Tried> Maker::halved() {
  const Region all = whole(tensor());
  const Buffers* other = KW_TRY(subject_.other_inputs());
  const std::int64_t kept = elements_of(all) / 2;
  return recomputed(take(subject_.parallel(), input(), *(*other)[mutant_.tensor], tensor(), all, 0,
                         [kept](std::int64_t index) { return index >= kept; }),
                    all, {});
}

// Integers may be indices, so they stay within the values that are drawn.
Result<Tried> Maker::parity() {
  const auto& numbers = tensor().values.numbers;
  const auto least = numbers.find("lo");
  const double base = least == numbers.end() ? 0 : std::ceil(least->second);
  return recomputed(edit(subject_.parallel(), input(), tensor(), whole(tensor()),
                         [base](std::int64_t, std::span<double> v) {
                           for (double& value : v)
                             value = base + std::abs(std::fmod(value - base, 2));
                         }),
                    whole(tensor()), {});
}

// Integers that may be indices or divisors stay within what is drawn here, too.
Result<Tried> Maker::wrapped() {
  const auto& numbers = tensor().values.numbers;
  return recomputed(
      keep_half(input(), tensor(), whole(tensor()), numbers.at("lo"), numbers.at("hi")),
      whole(tensor()), {});
}

Result<Tried> Maker::swapped() {
  Workload other = subject_.workload();
  Scalar& one = other.scalars[mutant_.scalars.first];
  Scalar& two = other.scalars[mutant_.scalars.second];
  std::swap(one.real, two.real);
  std::swap(one.integer, two.integer);
  TruthMaker maker = subject_.maker();
  maker.timeout_ns = subject_.patience_ns();
  TruthSeries series(maker, other);
  if (const auto trouble = KW_TRY(subject_.recompute_by(series))) {
    Tried tried;
    tried.has_answer = false;
    tried.note = *trouble;
    return tried;
  }
  return judged();
}

}  // namespace

bool has_own_place(const Workload& workload, const Mutant& mutant) {
  if (mutant.kind != MutantKind::Dropped && mutant.kind != MutantKind::Thinned) return false;
  return std::ranges::any_of(workload.tensors, [&](const Tensor& tensor) {
    return !tensor.compared.empty() && tensor.sizes == workload.tensors[mutant.tensor].sizes;
  });
}

Result<Tried> try_mutant(Subject& subject, const Mutant& mutant, bool asks_own_right) {
  return Maker(subject, mutant, asks_own_right).run();
}

}  // namespace kw::referee
