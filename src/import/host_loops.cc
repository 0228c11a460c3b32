// Interprets the loops and switches of a host function.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "import/host_reader.h"
#include "import/words.h"

namespace kw::import {

namespace {

/// Most iterations of a loop that are interpreted one by one.
constexpr int kMostTurns = 64;

}  // namespace

/// A loop of the form `for (int i = LOW; i < HIGH; i += STRIDE)`.
struct HostReader::Counted {
  std::string name;
  Value low, high, stride;
  std::size_t rest = 0;  ///< First token of the loop's remaining increments.
};

/// Recognises a counted loop by its header. The first statement of the header must have been
/// interpreted already.
std::optional<HostReader::Counted> HostReader::counted_loop(std::size_t open, std::size_t close) {
  std::size_t first = open + 1;
  while (first < close && !at(first).is(";")) ++first;
  std::size_t second = first + 1;
  while (second < close && !at(second).is(";")) ++second;
  if (second >= close || at(first + 1).kind != Token::Kind::Word) return std::nullopt;
  Counted loop;
  loop.name = at(first + 1).text;
  const bool is_inclusive = at(first + 2).is("<=");
  const bool is_unequal = at(first + 2).is("!=");
  if (!is_inclusive && !is_unequal && !at(first + 2).is("<")) return std::nullopt;
  for (std::size_t i = first + 3; i < second; ++i) {
    if (is_one_of(at(i), {"&&", "||", "?", ",", "==", "!=", "<", ">", "<=", ">=", "&", "|", "^"}) ||
        is_write(i))
      return std::nullopt;
    if (is_one_of(at(i), {"(", "["})) i = closing(i);
  }
  const Variable* counter = find(loop.name);
  if (counter == nullptr || counter->stars > 0 || bytes_of_type(counter->type) < 4 ||
      counter->type == "float" || counter->type == "double")
    return std::nullopt;
  loop.low = counter->value;
  // For a counted loop, neither the end nor the stride may depend on the counter.
  const auto place_of_counter = *locate(loop.name);
  const auto own = [&] -> Value& {
    return scopes_[place_of_counter.first][place_of_counter.second].value;
  };
  own() = unknown(place(open), std::string(kToldElsewhere));
  loop.high = evaluate(first + 3, second);
  if (is_inclusive && loop.high.is(Value::Kind::Int))
    loop.high = integer(Size::binary("+", loop.high.size, 1));
  const auto steps = parts_between(second + 1, close, ",");
  if (steps.empty()) return own() = loop.low, std::nullopt;
  const auto [step, end] = steps.front();
  const bool is_before = at(step).is("++") && at(step + 1).is(loop.name) && end == step + 2;
  if (is_before || (at(step).is(loop.name) && at(step + 1).is("++") && end == step + 2))
    loop.stride = integer(1);
  else if (at(step).is(loop.name) && at(step + 1).is("+="))
    loop.stride = evaluate(step + 2, end);
  own() = loop.low;
  if (loop.stride.is(Value::Kind::Unknown) && loop.stride.word.empty()) return std::nullopt;
  if (is_unequal && !(loop.stride.is(Value::Kind::Int) && loop.stride.size.is(1)))
    return std::nullopt;
  loop.rest = std::min(end + 1, close);
  return loop;
}

HostReader::Flow HostReader::loop(std::size_t keyword, std::size_t header, std::size_t body,
                                  std::size_t body_end) {
  const std::size_t close = closing(header);
  scopes_.emplace_back();
  const auto outer = std::exchange(leap_, std::nullopt);
  const auto outer_leaps = std::exchange(leaps_, {});
  Flow flow = Flow::Next;
  if (!turns_by_number(header, close, body, body_end, flow)) {
    const std::size_t steps = out_.steps.size();
    symbolic_loop(keyword, header, close, body, body_end);
    if (leap_ && (out_.steps.size() > steps || may_work(*tokens_, header, body_end)))
      miss(leap_->offset, leap_->text);
  }
  leap_ = outer;
  leaps_ = outer_leaps;
  if (!scopes_.empty()) scopes_.pop_back();
  return flow == Flow::Return || flow == Flow::Fail ? flow : Flow::Next;
}

/// Interprets `for (T x : list)` where the elements of the list are known; false if they are not.
bool HostReader::turns_of_list(std::size_t open, std::size_t close, std::size_t body,
                               std::size_t end, Flow& flow) {
  std::size_t colon = open + 1;
  while (colon < close && !at(colon).is(":")) ++colon;
  const TypeAt type = type_at(open + 1, colon);
  if (colon >= close || type.end + 1 != colon) return false;
  const Value list = evaluate(colon + 1, close);
  if (type.is_reference && !type.is_const)
    for (std::size_t k = colon + 1; k < close; ++k)
      if (at(k).kind == Token::Kind::Word)
        forget(std::string(at(k).text), place(k), "has elements that this loop may change");
  if (!list.is(Value::Kind::List) || list.parts.size() > kMostTurns) return false;
  for (const Value& part : list.parts) {
    if (!spend()) return false;
    declare(std::string(at(type.end).text), type, part);
    if (type.is_reference && !type.is_const)
      scopes_.back()[std::string(at(type.end).text)].value = unknown(
          place(open), "the plan drafter cannot follow an element that the loop may change");
    std::size_t i = body;
    flow = i < end ? statement(i, end) : Flow::Next;
    if (leap_) return false;
    if (flow == Flow::Break || flow == Flow::Return || flow == Flow::Fail) break;
  }
  return true;
}

/// Interprets the loop iteration by iteration while each test can be decided. If one cannot, undoes
/// everything and returns false.
bool HostReader::turns_by_number(std::size_t open, std::size_t close, std::size_t body,
                                 std::size_t end, Flow& flow) {
  const bool is_for = at(open - 1).is("for");
  const Scopes scopes = scopes_;
  const HostProgram out = out_;
  const int branches = open_branches_;
  const Value result = result_;
  const auto aliases = types_.aliases;
  const auto returned = returned_;
  const auto doubt = doubt_;
  std::size_t first = open;
  std::size_t second = close;
  bool is_list = false;
  if (is_for) {
    first = open + 1;
    while (first < close && !at(first).is(";")) ++first;
    second = std::min(first + 1, close);
    while (second < close && !at(second).is(";")) ++second;
    is_list = first >= close;
    if (is_list && turns_of_list(open, close, body, end, flow)) return true;
    if (!is_list && open + 1 < first) plain_statement(open + 1, first);
  }
  for (int turn = 0; turn <= kMostTurns && !is_list; ++turn) {
    const Value test = first + 1 < second ? evaluate(first + 1, second) : Value();
    const auto known = decided(truth(test));
    if (!known || !spend()) break;
    if (*known == 0) return true;
    if (turn == kMostTurns) break;
    std::size_t i = body;
    flow = i < end ? statement(i, end) : Flow::Next;
    if (leap_) break;
    if (flow == Flow::Break || flow == Flow::Return || flow == Flow::Fail) return true;
    if (is_for && second + 1 < close) plain_statement(second + 1, close);
  }
  flow = Flow::Next;
  scopes_ = scopes;
  out_ = out;
  open_branches_ = branches;
  result_ = result;
  types_.aliases = aliases;
  returned_ = returned;
  doubt_ = doubt;
  leap_.reset();
  return false;
}

/// Interprets the part of a loop's header that runs before the first iteration.
void HostReader::start_loop(std::size_t open, std::size_t close) {
  std::size_t first = open + 1;
  while (first < close && !at(first).is(";")) ++first;
  if (!at(open - 1).is("for")) return;
  if (first < close) {
    if (open + 1 < first) plain_statement(open + 1, first);
    return;
  }
  // The variable of `for (T x : list)` is unknown, since the list's elements are.
  std::size_t colon = open + 1;
  while (colon < close && !at(colon).is(":")) ++colon;
  if (colon > open + 1 && at(colon - 1).kind == Token::Kind::Word)
    scopes_.back()[std::string(at(colon - 1).text)] = {
        unknown(place(open), std::string(kToldElsewhere)), "", 0};
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

/// Whether `name` is the counter of a loop that is still open.
bool is_counter_of(const std::vector<Step>& steps, const std::string& name) {
  std::vector<std::string> open;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::For) open.push_back(step.name);
    if (step.kind == Step::Kind::When) open.emplace_back();
    if (step.kind == Step::Kind::End && !open.empty()) open.pop_back();
  }
  return std::ranges::find(open, name) != open.end();
}

using Places = std::set<std::pair<std::size_t, std::string>>;

}  // namespace

/// Interprets the body once, standing for all iterations: variables that an iteration changes are
/// unknown at its beginning.
void HostReader::symbolic_loop(std::size_t keyword, std::size_t open, std::size_t close,
                               std::size_t body, std::size_t end) {
  using Kind = Value::Kind;
  constexpr int kMostRounds = 3;
  const std::size_t offset = place(keyword);
  start_loop(open, close);
  const Scopes before = scopes_;
  const HostProgram out = out_;
  const std::size_t begin = out_.steps.size();
  const std::size_t returned = returned_.size();
  const auto leap = leap_;
  const int branches = open_branches_;
  Places changed;
  std::optional<Counted> counted;
  std::string symbol;
  Flow flow = Flow::Next;
  for (int round = 0;; ++round) {
    counted = at(keyword).is("for") ? counted_loop(open, close) : std::nullopt;
    const auto counter = counted ? locate(counted->name) : std::nullopt;
    for (const auto& [scope, name] : changed) {
      if (counter && counter->first == scope && counter->second == name) continue;
      scopes_[scope][name].value =
          unknown(offset, counted ? fmt::format("'{}' changes between iterations of this loop in a "
                                                "way that a loop of a launch plan cannot express",
                                                name)
                                  : std::string(kToldElsewhere));
    }
    if (counted) {
      counted = counted_loop(open, close);  // bounds may have become unknown
      symbol = fmt::format("%{}", counted->name);
      for (int i = 2; is_counter_of(out_.steps, symbol.substr(1)); ++i)
        symbol = fmt::format("%{}_{}", counted->name, i);
      scopes_[counter->first][counter->second].value = integer(Size::name(symbol));
    }
    const Scopes entry = scopes_;
    Step head;
    head.kind = Step::Kind::For;
    head.name = symbol.empty() ? "" : symbol.substr(1);
    head.offset = offset;
    out_.steps.push_back(head);
    ++inside_;
    if (at(keyword).is("while") && open + 1 < close) evaluate(open + 1, close);
    std::size_t i = body;
    flow = i < end ? statement(i, end) : Flow::Next;
    const bool keeps_counter =
        !counted || is_same_value(scopes_[counter->first][counter->second].value,
                                  entry[counter->first].at(counter->second).value);
    std::size_t second = open;
    if (at(keyword).is("for"))
      for (int signs = 0; second < close && signs < 2; ++second) signs += at(second).is(";");
    const std::size_t rest = counted ? counted->rest : second;
    if (at(keyword).is("for") && rest > open && rest < close) plain_statement(rest, close);
    close_branches(branches);
    --inside_;
    if (!keeps_counter && out_.steps.size() > begin + 1)
      miss(offset,
           fmt::format("'{}', the counter of this loop, changes inside the loop", counted->name));
    // An iteration ends after the body, or at a `break` or `continue` under an undecided condition.
    Places fresh;
    leaps_.push_back(scopes_);
    for (const Scopes& ended : leaps_)
      for (std::size_t s = 0; s < entry.size() && s < ended.size(); ++s)
        for (const auto& [name, variable] : entry[s]) {
          const auto now = ended[s].find(name);
          if (now != ended[s].end() && !is_same_value(now->second.value, variable.value))
            fresh.emplace(s, name);
        }
    leaps_.clear();
    if (counter) fresh.insert(*counter);
    const bool is_stable =
        std::ranges::includes(changed, fresh) || (counter && fresh.size() == 1 && changed.empty());
    changed.insert(fresh.begin(), fresh.end());
    if (is_stable || budget_ <= 0) break;
    if (round >= kMostRounds)
      for (const std::string& name : names_written(open, end))
        if (const auto at = locate(name)) changed.insert(*at);
    scopes_ = before;
    out_ = out;
    leap_ = leap;
    returned_.resize(returned);
    if (round > kMostRounds + 1) break;
  }
  if (flow == Flow::Break || flow == Flow::Continue) {
    if (flow == Flow::Break) leap_from(flow, offset);
  } else if (flow != Flow::Next || returned_.size() > returned) {
    for (std::size_t k = returned; k < returned_.size(); ++k)
      returned_[k] = {unknown(offset, "the function returns inside a loop"), Value()};
    if (flow == Flow::Return)
      returned_.emplace_back(unknown(offset, "the function returns inside a loop"), Value());
    if (out_.steps.size() > begin + 1)
      miss(offset, "the plan drafter cannot follow a return inside this loop");
    else if (!doubt_)
      doubt_ = Remark{offset, "the plan drafter cannot follow a return inside this loop"};
  }
  scopes_ = before;
  for (const auto& [scope, name] : changed)
    if (scope < scopes_.size())
      scopes_[scope][name].value =
          unknown(offset, fmt::format("what '{}' is set to here depends on data", name));
  if (out_.steps.size() == begin + 1) {  // the loop only prepares or checks something
    out_.steps.resize(begin);
    return;
  }
  const bool is_same =
      counted &&
      std::none_of(out_.steps.begin() + 1 + static_cast<std::ptrdiff_t>(begin), out_.steps.end(),
                   [&](const Step& step) { return mentions(step, symbol); });
  if (out_.is_main && is_same) {
    out_.steps.erase(out_.steps.begin() + static_cast<std::ptrdiff_t>(begin));
    return note(offset,
                "the plan takes the body of this loop of main() once, since the loop only repeats "
                "the same launches");
  }
  if (!counted || !counted->low.is(Kind::Int) || !counted->high.is(Kind::Int) ||
      !counted->stride.is(Kind::Int) || !counted->stride.size.number() ||
      *counted->stride.size.number() <= 0 || least(counted->low.size).value_or(-1) < 0)
    return miss(offset,
                "the number of times that this loop launches kernels cannot be written as an "
                "expression of the sizes");
  Step& step = out_.steps[begin];
  step.low = counted->low.size;
  step.high = counted->high.size;
  step.stride = counted->stride.size;
  Step tail;
  tail.kind = Step::Kind::End;
  out_.steps.push_back(std::move(tail));
}

/// Interprets `do BODY while (TEST)` as BODY, then `while (TEST) BODY`.
HostReader::Flow HostReader::do_statement(std::size_t& i, std::size_t end) {
  const std::size_t keyword = i;
  const std::size_t body = i + 1;
  const std::size_t body_end = statement_end(body, end);
  i = statement_end(keyword, end);
  const std::size_t header = std::min(body_end + 1, end);
  const auto outer = std::exchange(leap_, std::nullopt);
  std::size_t inner = body;
  const std::size_t steps = out_.steps.size();
  const Flow flow = inner < body_end ? statement(inner, body_end) : Flow::Next;
  const bool leaps = leap_.has_value();
  if (leaps && (out_.steps.size() > steps || may_work(*tokens_, body, body_end)))
    miss(leap_->offset, leap_->text);
  if (leaps)
    forget_written(body, body_end, leap_->offset, "is set in a loop that may be left here");
  leap_ = outer;
  if (flow == Flow::Return || flow == Flow::Fail) return flow;
  if (flow == Flow::Break || !at(body_end).is("while") || !at(header).is("(")) return Flow::Next;
  return loop(body_end, header, body, body_end);
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
    if (may_work(*tokens_, body, stop))
      miss(place(keyword), "the case of this switch that launches its kernels is not known");
    forget_written(body, stop, place(keyword), "is set in a switch whose case is not known");
    for (std::size_t i = body; i < stop; ++i)
      if (at(i).is("return") && !doubt_) {
        doubt_ = Remark{place(i), "the case of this switch that returns is not known"};
        returned_.emplace_back(unknown(place(i), doubt_->text), Value());
      }
    return Flow::Next;
  }
  if (!start) return Flow::Next;
  scopes_.emplace_back();
  const auto outer = std::exchange(leap_, std::nullopt);
  const Flow flow = block(*start, stop);
  if (leap_) {
    if (may_work(*tokens_, body, stop)) miss(leap_->offset, leap_->text);
    forget_written(body, stop, leap_->offset, "is set in a switch that may be left here");
  }
  if (!leap_) leap_ = outer;
  scopes_.pop_back();
  return flow == Flow::Break ? Flow::Next : flow;
}

}  // namespace kw::import
