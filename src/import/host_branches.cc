// Follows the branches of a host function, and merges what is known behind them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "import/host_reader.h"

namespace kw::import {

HostReader::Flow HostReader::if_statement(std::size_t& i, std::size_t end) {
  const std::size_t keyword = i;
  std::size_t open = i + 1;
  while (open < end && !at(open).is("(")) ++open;
  const std::size_t close = std::min(closing(open), end);
  const std::size_t yes = std::min(close + 1, end);
  const std::size_t yes_end = statement_end(yes, end);
  const bool has_else = yes_end < end && at(yes_end).is("else");
  const std::size_t no = has_else ? yes_end + 1 : yes_end;
  const std::size_t no_end = has_else ? statement_end(no, end) : yes_end;
  i = no_end;
  // For `if (int x = f(); x)` only the condition x decides.
  const auto parts = parts_between(open + 1, close, ";");
  const Value condition = parts.empty() ? unknown(place(open), "the condition is empty")
                                        : evaluate(parts.back().first, parts.back().second);
  return branch_on(condition, keyword, yes, yes_end, no, no_end);
}

HostReader::Flow HostReader::branch_on(const Value& condition, std::size_t keyword, std::size_t yes,
                                       std::size_t yes_end, std::size_t no, std::size_t no_end) {
  const auto run = [&](std::size_t from, std::size_t to) {
    return from < to ? statement(from, to) : Flow::Next;
  };
  if (const auto value = decided(condition))
    return *value != 0 ? run(yes, yes_end) : run(no, no_end);
  const Scopes before = scopes_;
  const std::size_t begin = out_.steps.size();
  const auto mark = [&](Step::Kind kind) {
    Step step;
    step.kind = kind;
    step.low = condition.size;
    step.offset = place(keyword);
    out_.steps.push_back(std::move(step));
  };
  mark(Step::Kind::When);
  const Value result = result_;
  const int branches = open_branches_;
  // Where one part of a branch returns and another goes on, a plan cannot express where the branch
  // ends.
  const auto run_inside = [&](std::size_t from, std::size_t to) {
    const Flow flow = run(from, to);
    if (open_branches_ > branches && flow != Flow::Return)
      miss(place(keyword), "a return inside of this branch cannot be followed");
    close_branches(branches);
    return flow;
  };
  const auto leaps = [](Flow flow) { return flow == Flow::Break || flow == Flow::Continue; };
  const Flow first = run_inside(yes, yes_end);
  const bool launches = out_.steps.size() > begin + 1;
  if (leaps(first)) leap_from(first, place(keyword));
  if (!condition.is(Value::Kind::Int)) {
    const bool is_dropped = !launches;
    out_.steps.resize(begin);
    if (first == Flow::Return) result_ = result;
    if (launches)
      miss(place(keyword), condition.word.empty()
                               ? "what this condition decides is not known before the plan runs"
                               : "this condition cannot be followed: " + condition.word);
    forget_changes(before, place(keyword));
    if (!is_dropped) return Flow::Next;
    const Flow second = run(no, no_end);
    if (!leaps(second)) return second;
    leap_from(second, place(keyword));
    return Flow::Next;
  }
  if (leaps(first)) {  // The loop around either is refused or launches nothing.
    if (!launches) out_.steps.resize(begin);
    forget_changes(before, place(keyword));
    if (launches) mark(Step::Kind::End);
    const Flow second = run(no, no_end);
    return second == Flow::Return ? second : Flow::Next;
  }
  if (!launches && first != Flow::Next) {  // the branch leaves because there is nothing to compute
    out_.steps.resize(begin);
    result_ = result;
    scopes_ = before;
    return run(no, no_end);
  }
  const Scopes after_yes = scopes_;
  scopes_ = before;
  if (first != Flow::Next) {
    // What follows, up to the end of the function, becomes the other branch.
    mark(Step::Kind::Else);
    ++open_branches_;
    return run(no, no_end);
  }
  const std::size_t middle = out_.steps.size();
  mark(Step::Kind::Else);
  const Flow second = run_inside(no, no_end);
  if (leaps(second)) leap_from(second, place(keyword));
  if (out_.steps.size() == middle + 1) out_.steps.resize(middle);
  if (out_.steps.size() == begin + 1)
    out_.steps.resize(begin);
  else
    mark(Step::Kind::End);
  if (second == Flow::Return)
    scopes_ = after_yes;
  else
    merge(condition.size, after_yes, scopes_);
  return Flow::Next;
}

/// Remembers a `break` or `continue` under an undecided condition. Whether it matters depends on
/// whether the loop launches, which only the code for the loop knows.
void HostReader::leap_from(Flow flow, std::size_t offset) {
  if (!leap_)
    leap_ = Remark{offset, fmt::format("this `{}` leaves a loop of launches under a condition that "
                                       "is not known before the plan runs",
                                       flow == Flow::Break ? "break" : "continue")};
}

/// Adds the `end` of branches that go on to the end of the function or branch that has just ended.
void HostReader::close_branches(int down_to) {
  for (; open_branches_ > down_to; --open_branches_) {
    Step step;
    step.kind = Step::Kind::End;
    out_.steps.push_back(std::move(step));
  }
}

void HostReader::merge(const Size& condition, const Scopes& yes, const Scopes& no) {
  Scopes merged = no;
  for (std::size_t i = 0; i < merged.size() && i < yes.size(); ++i)
    for (auto& [name, variable] : merged[i]) {
      const auto other = yes[i].find(name);
      if (other == yes[i].end()) continue;
      const Value& a = other->second.value;
      Value& b = variable.value;
      if (a.is(Value::Kind::Int) && b.is(Value::Kind::Int)) {
        if (!(a.size == b.size)) b = integer(Size::choice(condition, a.size, b.size));
      } else if (a.is(Value::Kind::Dim3) && b.is(Value::Kind::Dim3)) {
        for (std::size_t k = 0; k < std::min(a.parts.size(), b.parts.size()); ++k)
          if (!(a.parts[k].size == b.parts[k].size))
            b.parts[k] = integer(Size::choice(condition, a.parts[k].size, b.parts[k].size));
      } else if (a.kind != b.kind || a.buffer != b.buffer || a.word != b.word) {
        if (b.is(Value::Kind::Unknown) && !a.is(Value::Kind::Unknown))
          b = a;
        else if (!a.is(Value::Kind::Unknown))
          b = unknown(b.offset, fmt::format("'{}' differs between two branches", name));
      }
    }
  scopes_ = std::move(merged);
}

void HostReader::forget_changes(const Scopes& before, std::size_t offset) {
  const Scopes after = std::move(scopes_);
  scopes_ = before;
  for (std::size_t i = 0; i < scopes_.size() && i < after.size(); ++i)
    for (auto& [name, variable] : scopes_[i]) {
      const auto now = after[i].find(name);
      if (now == after[i].end() || !variable.value.is(Value::Kind::Int)) continue;
      const Value& value = now->second.value;
      if (!value.is(Value::Kind::Int) || !(value.size == variable.value.size))
        variable.value =
            unknown(offset, fmt::format("what '{}' is set to here depends on data", name));
    }
}

}  // namespace kw::import
