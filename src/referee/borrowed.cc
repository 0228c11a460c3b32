// Takes the values of checked shapes for a timed shape, and checks one call on them.
// SPDX-License-Identifier: Apache-2.0
#include "referee/borrowed.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/defence.h"
#include "referee/check.h"
#include "referee/fate.h"

namespace kw::referee {
namespace {

// Number of sets of borrowed values that are tried before the check is skipped.
constexpr int kTries = 2;

bool is_real_scalar(const Scalar& scalar) {
  return scalar.dtype == Dtype::F32 || scalar.dtype == Dtype::F64;
}

bool is_alike(const Values& a, const Values& b) {
  return a.kind == b.kind && a.numbers == b.numbers;
}

/// Whether one tensor's values may not stand in another workload: they are places in other arrays,
/// whose sizes each workload sets. Numbers of integers alone may be such places, too.
bool is_placed(const Tensor& a, const Tensor& b) {
  const auto is = [&](std::string_view kind) {
    return a.values.kind == kind || b.values.kind == kind;
  };
  return is("points") || is("offsets") || (!is_real(a.dtype) && a.values.kind == b.values.kind);
}

/// Whether both workloads have the same values and scalars.
bool is_alike(const Workload& a, const Workload& b) {
  return std::ranges::equal(a.tensors, b.tensors,
                            [](const Tensor& x, const Tensor& y) {
                              return is_placed(x, y) || is_alike(x.values, y.values);
                            }) &&
         std::ranges::equal(a.scalars, b.scalars,
                            [](const Scalar& x, const Scalar& y) { return x.real == y.real; });
}

std::optional<Workload> borrow(const Workload& timed, const Workload& other) {
  if (timed.tensors.size() != other.tensors.size() || timed.scalars.size() != other.scalars.size())
    return std::nullopt;
  Workload borrowed = timed;
  borrowed.name = fmt::format("{} with the values of {}", timed.name, other.name);
  borrowed.group = Group::Check;
  borrowed.exact_below = -1;  // sums of other values are not exact in any order
  for (std::size_t i = 0; i < timed.tensors.size(); ++i) {
    const Values& values = other.tensors[i].values;
    if (is_placed(timed.tensors[i], other.tensors[i])) continue;
    // Integers are not borrowed for sums: sums of small integers are exact at small sizes alone,
    // while the gates would demand exactness here too.
    if (is_real(timed.tensors[i].dtype) && values.kind == "integers") return std::nullopt;
    borrowed.tensors[i].values = values;
  }
  for (std::size_t i = 0; i < timed.scalars.size(); ++i)
    if (is_real_scalar(timed.scalars[i])) borrowed.scalars[i].real = other.scalars[i].real;
  return borrowed;
}

Result<std::optional<Verdict>> check_call_on(Bench& bench, const Borrower& borrower,
                                             std::vector<Finding>& findings) {
  KW_TRY(bench.slots.ensure(1));
  KW_TRY(bench.slots.renew_memory());
  const auto leg = bench.slots.make_leg("candidate", borrower.request.jail, true, borrower.program);
  if (auto refused = KW_TRY(leg->renew())) return refused;
  KW_TRY(bench.slots.place(0, kWarmSet));
  KW_TRY(leg->make_ready(bench.workload()));
  const auto ended = KW_TRY(leg->call(bench.workload(), call_timeout(borrower.options, bench)));
  if (auto verdict = verdict_of(ended, bench.workload().name)) return verdict;
  Checked checked = KW_TRY(check_call(bench, *leg, 0, kWarmSet, {}, Stage::Check));
  std::move(checked.findings.begin(), checked.findings.end(), std::back_inserter(findings));
  return checked.verdict;
}

}  // namespace

std::vector<Workload> with_values_of_others(const Workload& timed,
                                            std::span<const Workload> others) {
  std::vector<Workload> out;
  for (const Workload& other : others) {
    if (other.group == Group::Time) continue;
    auto borrowed = borrow(timed, other);
    if (!borrowed || is_alike(*borrowed, timed)) continue;
    const auto is_known = [&](const Workload& known) { return is_alike(known, *borrowed); };
    if (std::ranges::none_of(out, is_known)) out.push_back(*std::move(borrowed));
  }
  return out;
}

Result<std::optional<Verdict>> check_on_borrowed(Bench& timed, const Borrower& borrower, Rng& rng,
                                                 std::vector<Finding>& findings) {
  // A launch plan is made for one workload, its scalars included, so it cannot run with the scalars
  // of another one.
  if (!is_on(Defence::ValuesBorrowed) || timed.runs_plans()) return std::nullopt;
  std::vector<Workload> choices =
      with_values_of_others(timed.workload(), borrower.request.workloads);
  rng.shuffle(std::span(choices));
  for (std::size_t i = 0; i < std::min<std::size_t>(choices.size(), kTries); ++i) {
    const auto bench = timed.sibling(choices[i], Seed::from_number(rng()));
    if (!bench->fits()) return std::nullopt;
    // Preparing fails if, for example, an answer is not finite. The task is not at fault: it never
    // said that this shape has these values.
    if (!bench->truths.prepare(kWarmSet) || bench->truths.known(kWarmSet).baseline_failure)
      continue;
    return check_call_on(*bench, borrower, findings);
  }
  return std::nullopt;
}

}  // namespace kw::referee
