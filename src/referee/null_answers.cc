// Makes the null answers, with one function for each kind.
// SPDX-License-Identifier: Apache-2.0
#include "referee/null_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "referee/edit.h"
#include "referee/mutant.h"
#include "referee/mutant_trial.h"
#include "referee/values.h"

namespace kw::referee {
namespace {

constexpr std::int64_t kTile = 32;
constexpr int kBlocks = 16;  // a block is this fraction of an input
// With fewer compared elements, a constant is the right answer by chance (a flag, a short count).
constexpr std::int64_t kFewestElements = 16;
constexpr std::int64_t kSampled = 1 << 16;  // elements among which the commonest value is sought
// Bytes tried where elements are wider than a byte: small and large numbers, -1 or NaN, stripes.
constexpr int kBytesTried[] = {0x00, 0x01, 0x55, 0x7f, 0x80, 0xaa, 0xff};

class NullAnswers {
 public:
  NullAnswers(Subject& subject, std::vector<NullAnswer>& to) : subject_(subject), to_(to) {}

  Result<> run() {
    KW_TRY(constants());
    KW_TRY(copies());
    KW_TRY(missing_parts());
    return changed_inputs();
  }

 private:
  const std::vector<Tensor>& tensors() const { return subject_.tensors(); }
  Result<> judge(const std::string& name);
  Result<Judged> judged_constant();
  Result<> judge_constant(const std::string& name);
  void add(const std::string& name, const Judged& judged, std::string note);
  void add_constant(const std::string& name, const Judged& judged, std::string note);
  void not_applicable(const std::string& name, std::string note);
  Result<> fill(const std::string& name, double value);
  Result<> constants();
  Result<> means();
  Result<> bytes();
  Result<double> commonest(std::size_t tensor, const Region& region);
  Result<> commonest_of_another();
  Result<> copies();
  Result<> missing_part(const char* name, bool is_plane, std::int64_t width);
  Result<> missing_parts();
  Result<> changed_inputs();
  Result<> recomputed(const std::string& name, const std::vector<std::size_t>& inputs,
                      const std::function<Result<bool>(std::size_t)>& change);

  Subject& subject_;
  std::vector<NullAnswer>& to_;
};

std::int64_t count_compared(const std::vector<Tensor>& tensors) {
  std::int64_t count = 0;
  for (const Tensor& tensor : tensors)
    for (const Region& region : tensor.compared) count += elements_of(region);
  return count;
}

void NullAnswers::not_applicable(const std::string& name, std::string note) {
  to_.push_back({.name = name,
                 .workload = subject_.workload().name,
                 .group = subject_.workload().group,
                 .is_applicable = false,
                 .passed = false,
                 .gate_fraction = 0,
                 .note = std::move(note)});
}

void NullAnswers::add(const std::string& name, const Judged& judged, std::string note) {
  to_.push_back({.name = name,
                 .workload = subject_.workload().name,
                 .group = subject_.workload().group,
                 .is_applicable = true,
                 .passed = judged.passed,
                 .gate_fraction = judged.gate_fraction,
                 .note = std::move(note)});
}

Result<> NullAnswers::judge(const std::string& name) {
  const Judged judged = KW_TRY(subject_.judge());
  if (judged.is_right)
    not_applicable(name, "this answer is the right one on this workload");
  else
    add(name, judged, {});
  return {};
}

// A constant that is the right answer is a hole like one that only passes, except among few
// elements: is_right stays set only there.
Result<Judged> NullAnswers::judged_constant() {
  Judged judged = KW_TRY(subject_.judge());
  if (count_compared(tensors()) >= kFewestElements) judged.is_right = false;
  return judged;
}

Result<> NullAnswers::judge_constant(const std::string& name) {
  const Judged judged = KW_TRY(judged_constant());
  if (judged.is_right)
    not_applicable(name, "this answer is the right one on this workload");
  else
    add_constant(name, judged, {});
  return {};
}

// The task may say why a constant is legitimate.
void NullAnswers::add_constant(const std::string& name, const Judged& judged, std::string note) {
  const auto why = excuse_of(subject_.task(), name, subject_.workload().name);
  if (judged.passed && why)
    not_applicable(name, *why);
  else
    add(name, judged, std::move(note));
}

Result<> NullAnswers::fill(const std::string& name, double value) {
  for (std::size_t i = 0; i < tensors().size(); ++i) {
    if (tensors()[i].compared.empty()) continue;
    Tensor constant = tensors()[i];
    constant.values = Values{};
    constant.values.kind = "constant";
    constant.values.numbers = {{"value", value}};
    KW_TRY(subject_.ops().fill(subject_.answer(i), constant, 0));
  }
  return judge_constant(name);
}

Result<> NullAnswers::constants() {
  KW_TRY(fill("zeros", 0));
  KW_TRY(fill("ones", 1));
  KW_TRY(means());
  KW_TRY(bytes());
  return commonest_of_another();
}

Result<> NullAnswers::means() {
  KW_TRY(subject_.begin());
  for (std::size_t i = 0; i < tensors().size(); ++i)
    for (std::size_t r = 0; r < tensors()[i].compared.size(); ++r) {
      const RegionTruth& truth = subject_.known().regions[i][r];
      const double mean = truth.count > 0 ? truth.sum / static_cast<double>(truth.count) : 0;
      const double value = is_real(tensors()[i].dtype) ? mean : std::nearbyint(mean);
      (void)KW_TRY(
          edit(subject_.parallel(), subject_.answer(i), tensors()[i], tensors()[i].compared[r],
               [&](std::int64_t, std::span<double> values) { std::ranges::fill(values, value); }));
    }
  // The mean of an answer that is the same everywhere says nothing of what the work was.
  return judge("mean");
}

// Each byte everywhere, all as one null answer: of those that apply, the one nearest to passing.
Result<> NullAnswers::bytes() {
  const bool has_narrow = std::ranges::any_of(tensors(), [](const Tensor& tensor) {
    return !tensor.compared.empty() && size_of(tensor.dtype) == 1;
  });
  std::vector<int> tried(std::begin(kBytesTried), std::end(kBytesTried));
  if (has_narrow) {
    tried.resize(256);
    std::iota(tried.begin(), tried.end(), 0);
  }
  std::optional<std::pair<int, Judged>> nearest;
  for (const int byte : tried) {
    for (std::size_t i = 0; i < tensors().size(); ++i)
      if (!tensors()[i].compared.empty()) KW_TRY(fill_bytes(subject_.answer(i), byte));
    const Judged judged = KW_TRY(judged_constant());
    if (judged.is_right) continue;
    const auto is_nearer = [](const Judged& a, const Judged& b) {
      return a.passed != b.passed ? a.passed : a.gate_fraction < b.gate_fraction;
    };
    if (!nearest || is_nearer(judged, nearest->second)) nearest = {byte, judged};
  }
  if (!nearest)
    not_applicable("one byte everywhere", "each such answer is the right one on this workload");
  else
    add_constant("one byte everywhere", nearest->second,
                 fmt::format("the byte 0x{:02x}", nearest->first));
  return {};
}

/// The most frequent value of a sample of the region of an answer.
Result<double> NullAnswers::commonest(std::size_t tensor, const Region& region) {
  const std::int64_t step = std::max<std::int64_t>(elements_of(region) / kSampled, 1);
  std::unordered_map<double, std::int64_t> counts;
  std::int64_t seen = 0;
  device::Parallel alone(1);  // one thread, so that nothing is counted twice
  (void)KW_TRY(edit(alone, subject_.answer(tensor), tensors()[tensor], region,
                    [&](std::int64_t, std::span<double> values) {
                      for (const double value : values)
                        if (seen++ % step == 0 && !std::isnan(value)) ++counts[value];
                    }));
  const auto most = std::ranges::max_element(
      counts, {}, [](const auto& entry) { return std::pair(entry.second, entry.first); });
  return most == counts.end() ? 0 : most->first;
}

/// One half of the region, cut along the first dimension that has more than one index.
Region half_of(Region region, bool is_second) {
  for (Range& range : region.ranges) {
    if (range.hi - range.lo < 2) continue;
    const std::int64_t middle = range.lo + (range.hi - range.lo) / 2;
    (is_second ? range.lo : range.hi) = middle;
    break;
  }
  return region;
}

// What is commonest in the answer to another input set, everywhere or in one half of the right
// answer: a kernel that has seen one answer could give it for ever.
Result<> NullAnswers::commonest_of_another() {
  const auto trouble = KW_TRY(subject_.recompute(*KW_TRY(subject_.other_inputs())));
  std::map<std::pair<std::size_t, std::size_t>, double> found;
  for (std::size_t i = 0; i < tensors().size() && !trouble; ++i)
    for (std::size_t r = 0; r < tensors()[i].compared.size(); ++r)
      found[{i, r}] = KW_TRY(commonest(i, tensors()[i].compared[r]));
  const auto fill = [&](const std::string& name, const auto& part) -> Result<> {
    if (trouble) {
      not_applicable(name, *trouble);
      return {};
    }
    KW_TRY(subject_.begin());
    for (const auto& [where, value] : found) {
      const Tensor& tensor = tensors()[where.first];
      (void)KW_TRY(edit(
          subject_.parallel(), subject_.answer(where.first), tensor,
          part(tensor.compared[where.second]),
          [value](std::int64_t, std::span<double> values) { std::ranges::fill(values, value); }));
    }
    return judge_constant(name);
  };
  KW_TRY(fill("commonest value everywhere", [](const Region& region) { return region; }));
  KW_TRY(fill("commonest value in the first half",
              [](const Region& region) { return half_of(region, false); }));
  return fill("commonest value in the second half",
              [](const Region& region) { return half_of(region, true); });
}

// Each output becomes a copy of an input, element by element; an input that is smaller is repeated.
Result<> NullAnswers::copies() {
  for (std::size_t s = 0; s < tensors().size(); ++s) {
    if (!is_drawn(tensors()[s]) || tensors()[s].extent() == 0) continue;
    for (std::size_t i = 0; i < tensors().size(); ++i)
      if (!tensors()[i].compared.empty())
        KW_TRY(fill_from(subject_.answer(i), tensors()[i], *subject_.inputs()[s], tensors()[s]));
    KW_TRY(judge(fmt::format("copy of {}", tensors()[s].name)));
  }
  const auto trouble = KW_TRY(subject_.recompute(*KW_TRY(subject_.other_inputs())));
  if (!trouble) return judge("previous output");
  not_applicable("previous output", *trouble);
  return {};
}

// Gives the right answer, except for a part at the end that stays as it was before the call. Where
// the call leaves that part alone anyway (a halo), the part before it is taken.
Result<> NullAnswers::missing_part(const char* name, bool is_plane, std::int64_t width) {
  KW_TRY(subject_.begin());
  for (std::size_t i = 0; i < tensors().size(); ++i)
    for (const Region& region : tensors()[i].compared) {
      if (region.ranges.empty()) continue;
      // A plane is cut along the first dimension that has more than one index.
      std::size_t d = region.ranges.size() - 1;
      if (is_plane)
        for (d = 0; d + 1 < region.ranges.size(); ++d)
          if (region.ranges[d].hi - region.ranges[d].lo > 1) break;
      Region cut = region;
      bool changed = false;
      for (std::int64_t hi = region.ranges[d].hi; hi > region.ranges[d].lo && !changed; --hi) {
        cut.ranges[d] = {std::max(region.ranges[d].lo, hi - width), hi};
        changed = KW_TRY(
            take(subject_.parallel(), subject_.answer(i), subject_.before(i), tensors()[i], cut));
      }
    }
  return judge(name);
}

Result<> NullAnswers::missing_parts() {
  KW_TRY(missing_part("last plane missing", true, 1));
  KW_TRY(missing_part("last column missing", false, 1));
  return missing_part("last tile missing", false, kTile);
}

// Gives the answer that the reference gives once `change` has altered these inputs; `change`
// returns false if it altered nothing.
Result<> NullAnswers::recomputed(const std::string& name, const std::vector<std::size_t>& inputs,
                                 const std::function<Result<bool>(std::size_t)>& change) {
  bool changed = false;
  for (const std::size_t i : inputs) changed = KW_TRY(change(i)) || changed;
  const auto trouble = changed ? KW_TRY(subject_.recompute(subject_.inputs()))
                               : "the change leaves the inputs as they were";
  for (const std::size_t i : inputs) KW_TRY(subject_.restore_input(i));
  if (!trouble) return judge(name);
  not_applicable(name, *trouble);
  return {};
}

Result<> NullAnswers::changed_inputs() {
  std::vector<std::size_t> reals;
  for (std::size_t i = 0; i < tensors().size(); ++i)
    if (is_drawn(tensors()[i]) && is_real(tensors()[i].dtype)) reals.push_back(i);
  KW_TRY(recomputed("inputs rounded one precision down", reals, [&](std::size_t i) {
    return round_to(subject_.parallel(), *subject_.inputs()[i], tensors()[i],
                    bits_down(tensors()[i].dtype));
  }));
  const Buffers* other = KW_TRY(subject_.other_inputs());
  for (std::size_t s = 0; s < tensors().size(); ++s) {
    if (!is_drawn(tensors()[s])) continue;
    // Values come from another draw, so that they are as valid as the right ones (positions,
    // indices).
    Tensor flat = tensors()[s];
    flat.sizes = {flat.extent()};
    flat.pitch = flat.extent();
    const auto replace = [&](std::int64_t parts) {
      return [&, parts](std::size_t i) {
        const std::int64_t count = flat.extent();
        const std::int64_t from = count - std::max<std::int64_t>(count / parts, 1);
        return take(subject_.parallel(), *subject_.inputs()[i], *(*other)[i], flat,
                    {{{from, count}}});
      };
    };
    KW_TRY(recomputed(fmt::format("{} ignored", tensors()[s].name), {s}, replace(1)));
    KW_TRY(recomputed(fmt::format("last block of {} ignored", tensors()[s].name), {s},
                      replace(kBlocks)));
  }
  return {};
}

}  // namespace

Result<> try_null_answers(Subject& subject, std::vector<NullAnswer>& to) {
  return NullAnswers(subject, to).run();
}

}  // namespace kw::referee
