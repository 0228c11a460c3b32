// Follows the loops and switches of a host function.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "import/host_reader.h"

namespace kw::import {

namespace {

/// The most turns of a loop that are followed one by one.
constexpr int kMostTurns = 64;

}  // namespace

/// A loop of the form `for (int i = LOW; i < HIGH; i += STRIDE)`.
struct HostReader::Counted {
  std::string name;
  Value low, high, stride;
};

std::optional<HostReader::Counted> HostReader::counted_loop(std::size_t open, std::size_t close) {
  const std::size_t begin = open + 1;
  std::size_t first = begin;
  while (first < close && !at(first).is(";")) ++first;
  std::size_t second = first + 1;
  while (second < close && !at(second).is(";")) ++second;
  if (second >= close) return std::nullopt;
  std::size_t equals = begin;
  while (equals < first && !at(equals).is("=")) ++equals;
  if (equals == first || equals == begin) return std::nullopt;
  Counted loop;
  loop.name = at(equals - 1).text;
  if (!at(first + 1).is(loop.name)) return std::nullopt;
  const bool is_inclusive = at(first + 2).is("<=");
  if (!is_inclusive && !at(first + 2).is("<") && !at(first + 2).is("!=")) return std::nullopt;
  loop.low = evaluate(equals + 1, first);
  loop.high = evaluate(first + 3, second);
  if (is_inclusive && loop.high.is(Value::Kind::Int))
    loop.high = integer(Size::binary("+", loop.high.size, 1));
  const std::size_t step = second + 1;
  const bool is_before = at(step).is("++") && at(step + 1).is(loop.name);
  if (is_before || (at(step).is(loop.name) && at(step + 1).is("++")))
    loop.stride = integer(1);
  else if (at(step).is(loop.name) && at(step + 1).is("+="))
    loop.stride = evaluate(step + 2, close);
  else
    return std::nullopt;
  return loop;
}

HostReader::Flow HostReader::loop(std::size_t keyword, std::size_t header, std::size_t body,
                                  std::size_t body_end) {
  const std::size_t close = closing(header);
  scopes_.emplace_back();
  const auto outer = std::exchange(leap_, std::nullopt);
  Flow flow = Flow::Next;
  if (!turns_by_number(header, close, body, body_end, flow)) {
    const std::size_t missing = out_.missing.size();
    const std::size_t steps = out_.steps.size();
    symbolic_loop(keyword, header, close, body, body_end);
    if (leap_ && (out_.steps.size() > steps || out_.missing.size() > missing))
      miss(leap_->offset, leap_->text);
  }
  leap_ = outer;
  if (!scopes_.empty()) scopes_.pop_back();
  return flow == Flow::Return ? flow : Flow::Next;
}

/// Follows the loop turn by turn while each test can be decided; undoes everything where one
/// cannot.
bool HostReader::turns_by_number(std::size_t open, std::size_t close, std::size_t body,
                                 std::size_t end, Flow& flow) {
  const bool is_for = at(open - 1).is("for");
  const Scopes scopes = scopes_;
  const HostProgram out = out_;
  const int branches = open_branches_;
  const Value result = result_;
  const auto aliases = types_.aliases;
  std::size_t first = open;
  std::size_t second = close;
  if (is_for) {
    first = open + 1;
    while (first < close && !at(first).is(";")) ++first;
    second = std::min(first + 1, close);
    while (second < close && !at(second).is(";")) ++second;
    if (open + 1 < first) plain_statement(open + 1, first);
  }
  for (int turn = 0; turn <= kMostTurns; ++turn) {
    const Value test = first + 1 < second ? evaluate(first + 1, second) : Value();
    const auto known = decided(test);
    if (!known || !spend()) break;
    if (*known == 0) return true;
    if (turn == kMostTurns) break;
    std::size_t i = body;
    flow = i < end ? statement(i, end) : Flow::Next;
    if (leap_) break;
    if (flow == Flow::Break || flow == Flow::Return) return true;
    if (is_for && second + 1 < close) plain_statement(second + 1, close);
  }
  flow = Flow::Next;
  scopes_ = scopes;
  out_ = out;
  open_branches_ = branches;
  result_ = result;
  types_.aliases = aliases;
  leap_.reset();
  return false;
}

/// Marks the variables of a loop that cannot be counted as unknown. The message about the loop
/// itself says so, hence no further message for them.
void HostReader::hide_loop_variables(std::size_t open, std::size_t close) {
  std::size_t first = open + 1;
  while (first < close && !at(first).is(";")) ++first;
  if (!at(open - 1).is("for") || first >= close || open + 1 >= first) return;
  plain_statement(open + 1, first);
  for (auto& [name, variable] : scopes_.back())
    variable.value = unknown(place(open), std::string(kToldElsewhere));
}

namespace {

bool mentions(const Size& size, const std::string& name) {
  bool found = false;
  size.visit_leaves([&](const Size& leaf) { found = found || leaf.word() == name; });
  return found;
}

bool mentions(const Value& value, const std::string& name) {
  return mentions(value.size, name) ||
         std::ranges::any_of(value.parts, [&](const Value& v) { return mentions(v, name); });
}

bool mentions(const Step& step, const std::string& name) {
  const auto has = [&](const auto& one) { return mentions(one, name); };
  const auto is_named = [&](const std::string& text) { return text.contains(name); };
  return std::ranges::any_of(step.grid, has) || std::ranges::any_of(step.block, has) ||
         std::ranges::any_of(step.arguments, has) ||
         std::ranges::any_of(step.templates, is_named) || has(step.shared) || has(step.bytes) ||
         has(step.target) || has(step.source) || has(step.low) || has(step.high) ||
         has(step.stride);
}

}  // namespace

/// Whether the next turn would add the same steps as the turn that has just been followed, which
/// begin at index `begin`.
bool HostReader::is_same_each_turn(const std::string& counter, std::size_t body, std::size_t end,
                                   std::size_t begin) {
  const auto first = static_cast<std::ptrdiff_t>(begin);
  const std::vector<Step> turn(out_.steps.begin() + first, out_.steps.end());
  if (std::ranges::any_of(turn, [&](const Step& s) { return mentions(s, "%" + counter); }))
    return false;
  // Following the body again doubles the work for every loop around it.
  if (!spend()) return false;
  const Scopes scopes = scopes_;
  const HostProgram out = out_;
  const auto leap = leap_;
  const int branches = open_branches_;
  out_.steps.resize(begin);
  if (body < end) statement(body, end);
  close_branches(branches);
  const bool is_same = std::equal(out_.steps.begin() + first, out_.steps.end(), turn.begin(),
                                  turn.end(), is_same_step);
  scopes_ = scopes;
  out_ = out;
  leap_ = leap;
  return is_same;
}

void HostReader::symbolic_loop(std::size_t keyword, std::size_t open, std::size_t close,
                               std::size_t body, std::size_t end) {
  const auto counted = at(keyword).is("for") ? counted_loop(open, close) : std::nullopt;
  if (counted) scopes_.back()[counted->name] = {integer(Size::name("%" + counted->name)), "int", 0};
  if (!counted) hide_loop_variables(open, close);
  const Scopes before = scopes_;
  const std::size_t begin = out_.steps.size();
  Step head;
  head.kind = Step::Kind::For;
  head.offset = place(keyword);
  out_.steps.push_back(head);
  std::size_t i = body;
  const int branches = open_branches_;
  if (i < end) statement(i, end);
  if (open_branches_ > branches)
    miss(place(keyword), "a return inside of this loop cannot be followed");
  close_branches(branches);
  if (out_.steps.size() == begin + 1) {  // the loop prepares or checks something on the host
    out_.steps.resize(begin);
    forget_changes(before, place(keyword));
    return;
  }
  if (out_.is_main && counted && is_same_each_turn(counted->name, body, end, begin + 1)) {
    out_.steps.erase(out_.steps.begin() + static_cast<std::ptrdiff_t>(begin));
    note(place(keyword),
         "a loop of main() that repeats the same launches only times them: its body is taken once");
    forget_changes(before, place(keyword));
    return;
  }
  using Kind = Value::Kind;
  if (!counted || !counted->low.is(Kind::Int) || !counted->high.is(Kind::Int) ||
      !counted->stride.is(Kind::Int) || !counted->stride.size.number()) {
    miss(place(keyword),
         "how often this loop launches kernels cannot be written as an expression of the sizes");
    forget_changes(before, place(keyword));
    return;
  }
  for (std::size_t s = 0; s < before.size() && s < scopes_.size(); ++s)
    for (const auto& [name, variable] : before[s]) {
      const auto now = scopes_[s].find(name);
      if (now == scopes_[s].end() || name == counted->name) continue;
      const Value& a = variable.value;
      const Value& b = now->second.value;
      const bool is_same = a.kind == b.kind && a.buffer == b.buffer && a.size == b.size;
      if (!is_same && !a.is(Kind::Unknown))
        miss(place(keyword), fmt::format("'{}' changes between iterations of this loop in a way "
                                         "that no loop of a plan can express",
                                         name));
    }
  Step& step = out_.steps[begin];
  step.name = counted->name;
  step.low = counted->low.size;
  step.high = counted->high.size;
  step.stride = counted->stride.size;
  Step tail;
  tail.kind = Step::Kind::End;
  out_.steps.push_back(std::move(tail));
}

HostReader::Flow HostReader::switch_statement(std::size_t keyword, std::size_t open,
                                              std::size_t close, std::size_t body,
                                              std::size_t end) {
  const Value chosen = evaluate(open + 1, close);
  const auto value = decided(chosen);
  const std::size_t stop = std::min(closing(body), end);
  std::optional<std::size_t> start;
  for (std::size_t i = body + 1; i < stop; ++i) {
    if (at(i).is("{") || at(i).is("(")) {
      i = closing(i);
      continue;
    }
    if (at(i).is("default") && !start) start = i;
    if (!at(i).is("case")) continue;
    std::size_t colon = i + 1;
    while (colon < stop && !at(colon).is(":")) ++colon;
    const Value label = evaluate(i + 1, colon);
    if (value && label.is(Value::Kind::Int) && label.size.is(*value)) {
      start = i;
      break;
    }
  }
  if (!value) {
    bool launches = false;
    for (std::size_t i = body; i < stop; ++i)
      launches = launches || after_launch_open(*tokens_, i) != 0;
    if (launches) miss(place(keyword), "which case of this switch is launched is not known");
    return Flow::Next;
  }
  if (!start) return Flow::Next;
  scopes_.emplace_back();
  const auto outer = std::exchange(leap_, std::nullopt);
  const std::size_t steps = out_.steps.size();
  const Scopes before = scopes_;
  const Flow flow = block(*start, stop);
  if (leap_ && out_.steps.size() > steps) miss(leap_->offset, leap_->text);
  if (leap_) forget_changes(before, place(keyword));
  if (!leap_) leap_ = outer;
  scopes_.pop_back();
  return flow == Flow::Break ? Flow::Next : flow;
}

}  // namespace kw::import
