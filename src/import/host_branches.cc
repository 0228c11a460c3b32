// Interprets the branches of a host function, and merges the values that variables have after them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "import/host_reader.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

}  // namespace

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
  scopes_.emplace_back();
  // The header of an if may have a statement before the condition: in `if (int x = f(); x)` only x
  // decides. `if (int x = f())` tests the declared x.
  const auto parts = parts_between(open + 1, close, ";");
  for (std::size_t k = 0; k + 1 < parts.size(); ++k)
    plain_statement(parts[k].first, parts[k].second);
  Value condition = unknown(place(open), "the condition of this statement is empty");
  if (!parts.empty()) {
    const auto [from, to] = parts.back();
    const TypeAt type = type_at(from, to);
    const bool declares = type.end != 0 && at(type.end).kind == Token::Kind::Word &&
                          at(type.end + 1).is("=") && type.end + 1 < to;
    if (declares && declaration(from, to))
      condition = lookup(std::string(at(type.end).text));
    else
      condition = evaluate(from, to);
  }
  const Flow flow = branch_on(truth(condition), keyword, yes, yes_end, no, no_end);
  if (!scopes_.empty()) scopes_.pop_back();
  return flow;
}

Value HostReader::truth(const Value& value) const {
  switch (value.kind) {
    case Kind::Pointer:
    case Kind::Tensor:
    case Kind::Host:
    case Kind::Lambda:
    case Kind::Kernel:
    case Kind::Reference:
      return integer(1);
    case Kind::Null:
      return integer(0);
    case Kind::Text:
      return value.word == "cudaSuccess"
                 ? integer(0)
                 : unknown(value.offset, "a launch plan cannot decide a condition by a text");
    case Kind::Real:
      return unknown(value.offset,
                     "a launch plan cannot decide a condition by a floating-point number");
    default:
      return value;
  }
}

/// The conjunction of `condition` and all undecided conditions around the current statement.
Value HostReader::path_with(const Value& condition) const {
  Value all = condition;
  for (auto one = path_.rbegin(); one != path_.rend(); ++one) {
    if (!all.is(Kind::Int)) return all;
    if (!one->is(Kind::Int)) return *one;
    all = integer(Size::binary("&&", one->size, all.size));
  }
  return all;
}

/// Puts all later steps, up to the end of the function or branch, under the condition.
void HostReader::guard_against(const Size& condition, std::size_t offset) {
  Step step;
  step.kind = Step::Kind::When;
  step.low = Size::opposite(condition);
  step.offset = offset;
  out_.steps.push_back(std::move(step));
  ++open_branches_;
}

HostReader::Flow HostReader::branch_on(const Value& condition, std::size_t keyword, std::size_t yes,
                                       std::size_t yes_end, std::size_t no, std::size_t no_end) {
  const auto run = [&](std::size_t from, std::size_t to) {
    return from < to ? statement(from, to) : Flow::Next;
  };
  if (const auto value = decided(condition))
    return *value != 0 ? run(yes, yes_end) : run(no, no_end);
  if (!condition.is(Kind::Int))
    return branch_on_unknown(condition, keyword, yes, yes_end, no, no_end);
  const Scopes before = scopes_;
  const std::size_t begin = out_.steps.size();
  const std::size_t offset = place(keyword);
  const auto mark = [&](Step::Kind kind) {
    Step step;
    step.kind = kind;
    step.low = condition.size;
    step.offset = offset;
    out_.steps.push_back(std::move(step));
  };
  const Value opposite = integer(Size::opposite(condition.size));
  const int branches = open_branches_;
  const std::size_t returned = returned_.size();
  const auto run_inside = [&](const Value& under, std::size_t from, std::size_t to) {
    path_.push_back(under);
    ++inside_;
    const Flow flow = run(from, to);
    close_branches(branches);
    --inside_;
    path_.pop_back();
    return flow;
  };
  const auto leaps = [](Flow flow) { return flow == Flow::Break || flow == Flow::Continue; };
  mark(Step::Kind::When);
  const Flow first = run_inside(condition, yes, yes_end);
  const bool works = out_.steps.size() > begin + 1;
  const Scopes after_yes = scopes_;
  if (leaps(first)) {  // break or continue: the loop around is either refused or launches nothing
    leap_from(first, offset);
    if (works)
      mark(Step::Kind::End);
    else
      out_.steps.resize(begin);
    forget_changes(before, after_yes, offset, "depends on data");
    const Flow second = run(no, no_end);
    return second == Flow::Return || second == Flow::Fail ? second : Flow::Next;
  }
  scopes_ = before;
  if (first == Flow::Fail && !works) {
    out_.steps.resize(begin);
    require(opposite, offset);
    return run(no, no_end);
  }
  if (first != Flow::Next) {
    returned_.emplace_back(path_with(condition), std::exchange(result_, Value()));
    // After an early return, the rest of the function becomes the other branch.
    if (works) {
      mark(Step::Kind::Else);
      ++open_branches_;
    } else {
      out_.steps.resize(begin);
      guard_against(condition.size, offset);
    }
    return run(no, no_end);
  }
  const std::size_t inner = returned_.size();
  const std::size_t middle = out_.steps.size();
  mark(Step::Kind::Else);
  const Flow second = run_inside(opposite, no, no_end);
  const bool works_else = out_.steps.size() > middle + 1;
  if (!works_else) out_.steps.resize(middle);
  if (out_.steps.size() == begin + 1)
    out_.steps.resize(begin);
  else
    mark(Step::Kind::End);
  // If a nested branch returned, all later steps run only where its condition does not hold.
  const std::size_t last = returned_.size();
  for (std::size_t k = returned; k < (second == Flow::Return ? inner : last); ++k)
    if (returned_[k].first.is(Kind::Int)) guard_against(returned_[k].first.size, offset);
  if (second == Flow::Fail && !works_else) {
    scopes_ = after_yes;
    require(condition, offset);
  } else if (second == Flow::Return || second == Flow::Fail) {
    returned_.emplace_back(path_with(opposite), std::exchange(result_, Value()));
    scopes_ = after_yes;
    guard_against(opposite.size, offset);
  } else if (leaps(second)) {
    leap_from(second, offset);
    forget_changes(after_yes, Scopes(scopes_), offset, "depends on data");
  } else {
    merge(condition, after_yes, Scopes(scopes_));
  }
  return Flow::Next;
}

/// Interprets both branches of a condition whose value is unknown. Neither branch may launch work,
/// and variables that differ afterwards are refused.
HostReader::Flow HostReader::branch_on_unknown(const Value& condition, std::size_t keyword,
                                               std::size_t yes, std::size_t yes_end, std::size_t no,
                                               std::size_t no_end) {
  const Scopes before = scopes_;
  const std::size_t offset = place(keyword);
  const std::string why = condition.word.empty() || condition.word == kToldElsewhere
                              ? "whether this condition holds is not known before the plan runs"
                              : "this condition cannot be decided: " + condition.word;
  std::vector<Scopes> ends;
  std::vector<Flow> flows;
  const int branches = open_branches_;
  for (auto [from, to] : {std::pair(yes, yes_end), std::pair(no, no_end)}) {
    scopes_ = before;
    const std::size_t begin = out_.steps.size();
    const std::size_t returned = returned_.size();
    path_.push_back(condition);
    ++inside_;
    const Flow flow = from < to ? statement(from, to) : Flow::Next;
    --inside_;
    path_.pop_back();
    open_branches_ = branches;
    if (out_.steps.size() > begin) miss(offset, why);
    out_.steps.resize(begin);
    const bool returns = flow == Flow::Return || returned_.size() > returned;
    if (flow == Flow::Return) returned_.emplace_back(condition, std::exchange(result_, Value()));
    if (flow == Flow::Break || flow == Flow::Continue) leap_from(flow, offset);
    if (flow == Flow::Fail)
      note(offset, "the plan assumes that the error that ends the program here does not happen");
    if (returns && !doubt_) doubt_ = Remark{offset, why};
    flows.push_back(flow);
    ends.push_back(std::move(scopes_));
  }
  const auto goes_on = [&](std::size_t side) {
    return flows[side] != Flow::Return && flows[side] != Flow::Fail;
  };
  scopes_ = goes_on(0) ? ends[0] : ends[1];
  if (goes_on(0) && goes_on(1)) forget_changes(ends[0], ends[1], offset, "depends on data");
  return goes_on(0) || goes_on(1) ? Flow::Next : flows[0];
}

/// Adds a condition that the function itself demands, as by an assertion.
void HostReader::require(const Value& condition, std::size_t offset) {
  if (!condition.is(Kind::Int))
    return note(offset,
                "a launch plan cannot express the condition that this check demands, so the check "
                "is left out");
  if (condition.size.op() == Size::Op::Number) {
    if (condition.size.is(0)) miss(offset, "the condition of this check is false");
    return;
  }
  Step step;
  step.kind = Step::Kind::Require;
  step.low = condition.size;
  step.offset = offset;
  push(std::move(step));
}

/// Remembers a `break` or `continue` under an undecided condition. It matters only if the loop
/// launches kernels, which only the code for the loop knows.
void HostReader::leap_from(Flow flow, std::size_t offset) {
  leaps_.push_back(scopes_);
  if (!leap_)
    leap_ = Remark{offset, fmt::format("this `{}` leaves a loop of launches under a condition that "
                                       "is not known before the plan runs",
                                       flow == Flow::Break ? "break" : "continue")};
}

/// Adds an `end` step for each open branch above `down_to`: such branches reach to the end of the
/// function or branch that has just ended.
void HostReader::close_branches(int down_to) {
  for (; open_branches_ > down_to; --open_branches_) {
    if (!out_.steps.empty() && out_.steps.back().kind == Step::Kind::Else) out_.steps.pop_back();
    if (!out_.steps.empty() && out_.steps.back().kind == Step::Kind::When) {
      out_.steps.pop_back();
      continue;
    }
    Step step;
    step.kind = Step::Kind::End;
    out_.steps.push_back(std::move(step));
  }
}

/// One value that stands for `yes` where the condition holds and for `no` where it does not.
Value HostReader::merged(const Value& condition, const Value& yes, const Value& no) const {
  if (is_same_value(yes, no)) return no;
  if (yes.is(Kind::Unknown)) return yes;
  if (no.is(Kind::Unknown)) return no;
  if (!condition.is(Kind::Int)) return unknown(condition.offset, "depends on data");
  if (yes.is(Kind::Int) && no.is(Kind::Int))
    return integer(Size::choice(condition.size, yes.size, no.size));
  const bool has_parts = yes.is(Kind::Dim3) || yes.is(Kind::List) || yes.is(Kind::Struct);
  if (has_parts && yes.kind == no.kind && yes.parts.size() == no.parts.size() &&
      yes.names == no.names) {
    Value both = no;
    for (std::size_t i = 0; i < both.parts.size(); ++i)
      both.parts[i] = merged(condition, yes.parts[i], no.parts[i]);
    return both;
  }
  return unknown(condition.offset, "differs between two branches");
}

void HostReader::merge(const Value& condition, const Scopes& yes, const Scopes& no) {
  scopes_ = no;
  for (std::size_t i = 0; i < scopes_.size() && i < yes.size(); ++i)
    for (auto& [name, variable] : scopes_[i]) {
      const auto other = yes[i].find(name);
      if (other == yes[i].end()) continue;
      variable.is_exposed = variable.is_exposed || other->second.is_exposed;
      variable.value = merged(condition, other->second.value, variable.value);
      if (variable.value.is(Kind::Unknown) && variable.value.word.starts_with("differs"))
        variable.value.word = fmt::format("'{}' {}", name, variable.value.word);
    }
}

void HostReader::forget_changes(const Scopes& scopes, const Scopes& other, std::size_t offset,
                                std::string_view why) {
  Scopes kept = scopes;
  for (std::size_t i = 0; i < kept.size() && i < other.size(); ++i)
    for (auto& [name, variable] : kept[i]) {
      const auto now = other[i].find(name);
      if (now == other[i].end()) continue;
      variable.is_exposed = variable.is_exposed || now->second.is_exposed;
      if (!is_same_value(now->second.value, variable.value))
        variable.value = unknown(offset, fmt::format("what '{}' is set to here {}", name, why));
    }
  scopes_ = std::move(kept);
}

/// The value that the function returns, merged over all its return statements.
Value HostReader::merged_result() {
  Value result = std::exchange(result_, Value());
  for (auto one = returned_.rbegin(); one != returned_.rend(); ++one) {
    const Value yes = one->second;
    result = is_same_value(yes, result) ? result
             : one->first.is(Kind::Int)
                 ? merged(one->first, yes, result)
                 : unknown(one->first.offset,
                           "which value is returned depends on data: " + one->first.word);
  }
  return result;
}

}  // namespace kw::import
