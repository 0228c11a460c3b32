// Keeps the conditions around a statement of a host function, and adds steps under them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "import/host_paths.h"
#include "import/host_values.h"
#include "import/matching.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

}  // namespace

void HostPaths::push(Step step) {
  if (doubt && step.kind != Step::Kind::Require) {
    if (record_.is_main())
      record_.note(doubt->offset, "the plan assumes that main() goes on here: " + doubt->text);
    else
      record_.miss(*doubt);
  }
  const auto use = [&](const Value& value, bool writes) {
    if (value.buffer < 0 || (!value.is(Kind::Pointer) && !value.is(Kind::Tensor))) return;
    Buffer& buffer = record_.buffer_of(value);
    buffer.is_touched = buffer.is_used = true;
    // A main() that times its kernels may launch them again after it has copied their results; such
    // a repeated launch does not count as a change.
    const bool is_repeat =
        record_.is_main() && std::ranges::any_of(record_.steps(), [&](const Step& other) {
          return is_same_step(other, step);
        });
    if (!writes || !buffer.is_downloaded || is_repeat) return;
    buffer.is_changed = true;
    buffer.changed_at = step.offset;
  };
  if (step.kind == Step::Kind::Copy) use(step.source, false), use(step.target, true);
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    const bool writes = step.kernel == nullptr || may_write(file_.source.tokens, *step.kernel, i);
    use(step.arguments[i], writes);
    for (const Value& part : step.arguments[i].parts) use(part, true);
  }
  record_.steps().push_back(std::move(step));
}

void HostPaths::require(const Value& condition, std::size_t offset) {
  if (!condition.is(Kind::Int))
    return record_.note(
        offset,
        "a launch plan cannot express the condition that this check demands, so the check "
        "is left out");
  if (condition.size.op() == Size::Op::Number) {
    if (condition.size.is(0))
      record_.miss(offset, "false check", "the condition of this check is false");
    return;
  }
  Step step;
  step.kind = Step::Kind::Require;
  step.low = condition.size;
  step.offset = offset;
  push(std::move(step));
}

void HostPaths::guard_against(const Size& condition, std::size_t offset) {
  Step step;
  step.kind = Step::Kind::When;
  step.low = Size::opposite(condition);
  step.offset = offset;
  record_.steps().push_back(std::move(step));
  ++open_branches;
}

void HostPaths::close_branches(int down_to) {
  for (; open_branches > down_to; --open_branches) {
    if (!record_.steps().empty() && record_.steps().back().kind == Step::Kind::Else)
      record_.steps().pop_back();
    if (!record_.steps().empty() && record_.steps().back().kind == Step::Kind::When) {
      record_.steps().pop_back();
      continue;
    }
    Step step;
    step.kind = Step::Kind::End;
    record_.steps().push_back(std::move(step));
  }
}

Value HostPaths::path_with(const Value& condition) const {
  Value all = condition;
  for (auto one = conditions.rbegin(); one != conditions.rend(); ++one) {
    if (!all.is(Kind::Int)) return all;
    if (!one->is(Kind::Int)) return *one;
    all = integer(Size::binary("&&", one->size, all.size));
  }
  return all;
}

void HostPaths::leap_from(Flow flow, std::size_t offset) {
  leaps.push_back(variables_.scopes());
  if (!leap)
    leap = Remark{offset, flow == Flow::Break ? "break" : "continue",
                  fmt::format("this `{}` leaves a loop of launches under a condition that "
                              "is not known before the plan runs",
                              flow == Flow::Break ? "break" : "continue")};
}

Value HostPaths::merged_result() {
  Value all = std::exchange(result, Value());
  for (auto one = returned.rbegin(); one != returned.rend(); ++one) {
    const Value yes = one->second;
    all = is_same_value(yes, all) ? all
          : one->first.is(Kind::Int)
              ? merged(one->first, yes, all)
              : unknown(one->first.offset,
                        "which value is returned depends on data: " + one->first.word);
  }
  return all;
}

std::optional<std::int64_t> HostPaths::decided(const Value& value) const {
  if (!value.is(Value::Kind::Int)) return std::nullopt;
  if (record_.is_main())
    return value.size.op() == Size::Op::Number ? value.size.number() : std::nullopt;
  return value.size.replaced([](const Size&) { return std::nullopt; }).number();
}

}  // namespace kw::import
