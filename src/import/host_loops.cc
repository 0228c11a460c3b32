// Interprets the loops of a host function.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "import/host_reader.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;
using Token = lex::Token;

/// Most iterations of a loop that are interpreted one by one.
constexpr int kMostTurns = 64;

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

}  // namespace

/// A loop of the form `for (int i = LOW; i < HIGH; i += STRIDE)`.
struct LoopReader::Counted {
  std::string name;
  Value low, high, stride;
  std::size_t rest = 0;  ///< First token of the loop's remaining increments.
};

/// Recognises a counted loop by its header. The first statement of the header must have been
/// interpreted already.
std::optional<LoopReader::Counted> LoopReader::counted_loop(std::size_t open, std::size_t close) {
  std::size_t first = open + 1;
  while (first < close && !all_.text.at(first).is(";")) ++first;
  std::size_t second = first + 1;
  while (second < close && !all_.text.at(second).is(";")) ++second;
  if (second >= close || all_.text.at(first + 1).kind != Token::Kind::Word) return std::nullopt;
  Counted loop;
  loop.name = all_.text.at(first + 1).text;
  const bool is_inclusive = all_.text.at(first + 2).is("<=");
  const bool is_unequal = all_.text.at(first + 2).is("!=");
  if (!is_inclusive && !is_unequal && !all_.text.at(first + 2).is("<")) return std::nullopt;
  for (std::size_t i = first + 3; i < second; ++i) {
    if (is_one_of(all_.text.at(i),
                  {"&&", "||", "?", ",", "==", "!=", "<", ">", "<=", ">=", "&", "|", "^"}) ||
        all_.text.is_write(i))
      return std::nullopt;
    if (is_one_of(all_.text.at(i), {"(", "["})) i = all_.text.closing(i);
  }
  const Variable* counter = all_.variables.find(loop.name);
  if (counter == nullptr || counter->stars > 0 || bytes_of_type(counter->type) < 4 ||
      counter->type == "float" || counter->type == "double")
    return std::nullopt;
  loop.low = counter->value;
  // For a counted loop, neither the end nor the stride may depend on the counter.
  const auto place_of_counter = *all_.variables.locate(loop.name);
  const auto own = [&] -> Value& {
    return all_.variables.scopes()[place_of_counter.first][place_of_counter.second].value;
  };
  own() = unknown(all_.text.place(open), std::string(kToldElsewhere));
  loop.high = all_.expressions.evaluate(first + 3, second);
  if (is_inclusive && loop.high.is(Value::Kind::Int))
    loop.high = integer(Size::binary("+", loop.high.size, 1));
  const auto steps = all_.text.parts_between(second + 1, close, ",");
  if (steps.empty()) return own() = loop.low, std::nullopt;
  const auto [step, end] = steps.front();
  const bool is_before =
      all_.text.at(step).is("++") && all_.text.at(step + 1).is(loop.name) && end == step + 2;
  if (is_before ||
      (all_.text.at(step).is(loop.name) && all_.text.at(step + 1).is("++") && end == step + 2))
    loop.stride = integer(1);
  else if (all_.text.at(step).is(loop.name) && all_.text.at(step + 1).is("+="))
    loop.stride = all_.expressions.evaluate(step + 2, end);
  own() = loop.low;
  if (loop.stride.is(Value::Kind::Unknown) && loop.stride.word.empty()) return std::nullopt;
  if (is_unequal && !(loop.stride.is(Value::Kind::Int) && loop.stride.size.is(1)))
    return std::nullopt;
  loop.rest = std::min(end + 1, close);
  return loop;
}

Flow LoopReader::loop(std::size_t keyword, std::size_t header, std::size_t body,
                      std::size_t body_end) {
  const std::size_t close = all_.text.closing(header);
  all_.variables.open();
  const auto outer = std::exchange(all_.paths.leap, std::nullopt);
  const auto outer_leaps = std::exchange(all_.paths.leaps, {});
  Flow flow = Flow::Next;
  if (!turns_by_number(header, close, body, body_end, flow)) {
    const std::size_t steps = all_.record.steps().size();
    symbolic_loop(keyword, header, close, body, body_end);
    if (all_.paths.leap && (all_.record.steps().size() > steps ||
                            all_.effects.may_work(all_.text.tokens(), header, body_end)))
      all_.record.miss(*all_.paths.leap);
  }
  all_.paths.leap = outer;
  all_.paths.leaps = outer_leaps;
  if (!all_.variables.scopes().empty()) all_.variables.close();
  return flow == Flow::Return || flow == Flow::Fail ? flow : Flow::Next;
}

/// Interprets `for (T x : list)` where the elements of the list are known; false if they are not.
bool LoopReader::turns_of_list(std::size_t open, std::size_t close, std::size_t body,
                               std::size_t end, Flow& flow) {
  std::size_t colon = open + 1;
  while (colon < close && !all_.text.at(colon).is(":")) ++colon;
  const TypeAt type = all_.text.type_at(open + 1, colon);
  if (colon >= close || type.end + 1 != colon) return false;
  const Value list = all_.expressions.evaluate(colon + 1, close);
  if (type.is_reference && !type.is_const)
    for (std::size_t k = colon + 1; k < close; ++k)
      if (all_.text.at(k).kind == Token::Kind::Word)
        all_.variables.forget(std::string(all_.text.at(k).text), all_.text.place(k),
                              "has elements that this loop may change");
  if (!list.is(Value::Kind::List) || list.parts.size() > kMostTurns) return false;
  for (const Value& part : list.parts) {
    if (!all_.effort.spend()) return false;
    all_.declarations.declare(std::string(all_.text.at(type.end).text), type, part);
    if (type.is_reference && !type.is_const)
      all_.variables.innermost()[std::string(all_.text.at(type.end).text)].value =
          unknown(all_.text.place(open),
                  "the plan drafter cannot follow an element that the loop may change");
    std::size_t i = body;
    flow = i < end ? all_.statements.statement(i, end) : Flow::Next;
    if (all_.paths.leap) return false;
    if (flow == Flow::Break || flow == Flow::Return || flow == Flow::Fail) break;
  }
  return true;
}

/// Interprets the loop iteration by iteration while each test can be decided. If one cannot, undoes
/// everything and returns false.
bool LoopReader::turns_by_number(std::size_t open, std::size_t close, std::size_t body,
                                 std::size_t end, Flow& flow) {
  const bool is_for = all_.text.at(open - 1).is("for");
  const Scopes scopes = all_.variables.scopes();
  const HostProgram out = all_.record.program();
  const int branches = all_.paths.open_branches;
  const Value result = all_.paths.result;
  const auto aliases = all_.types.aliases;
  const auto returned = all_.paths.returned;
  const auto doubt = all_.paths.doubt;
  std::size_t first = open;
  std::size_t second = close;
  bool is_list = false;
  if (is_for) {
    first = open + 1;
    while (first < close && !all_.text.at(first).is(";")) ++first;
    second = std::min(first + 1, close);
    while (second < close && !all_.text.at(second).is(";")) ++second;
    is_list = first >= close;
    if (is_list && turns_of_list(open, close, body, end, flow)) return true;
    if (!is_list && open + 1 < first) all_.statements.plain_statement(open + 1, first);
  }
  for (int turn = 0; turn <= kMostTurns && !is_list; ++turn) {
    const Value test = first + 1 < second ? all_.expressions.evaluate(first + 1, second) : Value();
    const auto known = all_.paths.decided(truth(test));
    if (!known || !all_.effort.spend()) break;
    if (*known == 0) return true;
    if (turn == kMostTurns) break;
    std::size_t i = body;
    flow = i < end ? all_.statements.statement(i, end) : Flow::Next;
    if (all_.paths.leap) break;
    if (flow == Flow::Break || flow == Flow::Return || flow == Flow::Fail) return true;
    if (is_for && second + 1 < close) all_.statements.plain_statement(second + 1, close);
  }
  flow = Flow::Next;
  all_.variables.scopes() = scopes;
  all_.record.restore(out);
  all_.paths.open_branches = branches;
  all_.paths.result = result;
  all_.types.aliases = aliases;
  all_.paths.returned = returned;
  all_.paths.doubt = doubt;
  all_.paths.leap.reset();
  return false;
}

/// Interprets the part of a loop's header that runs before the first iteration.
void LoopReader::start_loop(std::size_t open, std::size_t close) {
  std::size_t first = open + 1;
  while (first < close && !all_.text.at(first).is(";")) ++first;
  if (!all_.text.at(open - 1).is("for")) return;
  if (first < close) {
    if (open + 1 < first) all_.statements.plain_statement(open + 1, first);
    return;
  }
  // The variable of `for (T x : list)` is unknown, since the list's elements are.
  std::size_t colon = open + 1;
  while (colon < close && !all_.text.at(colon).is(":")) ++colon;
  if (colon > open + 1 && all_.text.at(colon - 1).kind == Token::Kind::Word)
    all_.variables.innermost()[std::string(all_.text.at(colon - 1).text)] = {
        unknown(all_.text.place(open), std::string(kToldElsewhere)), "", 0};
}

/// A loop of the plan that is being read off a loop of the text.
struct LoopReader::Symbolic {
  std::size_t keyword, open, close, body, end;  ///< The tokens of its parts.
  std::size_t offset;                           ///< Byte of the text at which the loop begins.
  std::size_t begin;                            ///< The number of steps before it.
  std::size_t returned;                         ///< The number of values returned before it.
  int branches;                                 ///< The number of branches open before it.
  Places changed;                               ///< The variables that an iteration changes.
  std::optional<Counted> counted = std::nullopt;
  std::optional<std::pair<std::size_t, std::string>> counter = std::nullopt;
  std::string symbol{};  ///< The name of the counter in the steps.
  Flow flow = Flow::Next;
};

/// Interprets the body once, standing for all iterations: variables that an iteration changes are
/// unknown at its beginning.
void LoopReader::symbolic_loop(std::size_t keyword, std::size_t open, std::size_t close,
                               std::size_t body, std::size_t end) {
  constexpr int kMostRounds = 3;
  start_loop(open, close);
  const Scopes before = all_.variables.scopes();
  const HostProgram out = all_.record.program();
  const auto leap = all_.paths.leap;
  Symbolic loop{.keyword = keyword,
                .open = open,
                .close = close,
                .body = body,
                .end = end,
                .offset = all_.text.place(keyword),
                .begin = all_.record.steps().size(),
                .returned = all_.paths.returned.size(),
                .branches = all_.paths.open_branches,
                .changed = {}};
  for (int round = 0;; ++round) {
    start_round(loop);
    const Places fresh = run_round(loop);
    const bool is_stable = std::ranges::includes(loop.changed, fresh) ||
                           (loop.counter && fresh.size() == 1 && loop.changed.empty());
    loop.changed.insert(fresh.begin(), fresh.end());
    if (is_stable || all_.effort.is_spent()) break;
    if (round >= kMostRounds)
      for (const std::string& name : all_.text.names_written(open, end))
        if (const auto at = all_.variables.locate(name)) loop.changed.insert(*at);
    all_.variables.scopes() = before;
    all_.record.restore(out);
    all_.paths.leap = leap;
    all_.paths.returned.resize(loop.returned);
    if (round > kMostRounds + 1) break;
  }
  note_returns(loop);
  all_.variables.scopes() = before;
  for (const auto& [scope, name] : loop.changed)
    if (scope < all_.variables.scopes().size())
      all_.variables.scopes()[scope][name].value =
          unknown(loop.offset, fmt::format("what '{}' is set to here depends on data", name));
  write_loop(loop);
}

/// Sets the variables to what they are at the beginning of any iteration.
void LoopReader::start_round(Symbolic& loop) {
  loop.counted = all_.text.at(loop.keyword).is("for") ? counted_loop(loop.open, loop.close)
                                                      : std::optional<Counted>();
  loop.counter = loop.counted ? all_.variables.locate(loop.counted->name) : std::nullopt;
  for (const auto& [scope, name] : loop.changed) {
    if (loop.counter && loop.counter->first == scope && loop.counter->second == name) continue;
    all_.variables.scopes()[scope][name].value = unknown(
        loop.offset, loop.counted
                         ? fmt::format("'{}' changes between iterations of this loop in a way that "
                                       "a loop of a launch plan cannot express",
                                       name)
                         : std::string(kToldElsewhere));
  }
  if (!loop.counted) return;
  loop.counted = counted_loop(loop.open, loop.close);  // bounds may have become unknown
  const std::string& name = loop.counted->name;
  loop.symbol = fmt::format("%{}", name);
  for (int i = 2; is_counter_of(all_.record.steps(), loop.symbol.substr(1)); ++i)
    loop.symbol = fmt::format("%{}_{}", name, i);
  all_.variables.scopes()[loop.counter->first][loop.counter->second].value =
      integer(Size::name(loop.symbol));
}

/// Interprets one iteration and returns the variables that it changes.
Places LoopReader::run_round(Symbolic& loop) {
  const Scopes entry = all_.variables.scopes();
  const bool is_for = all_.text.at(loop.keyword).is("for");
  Step head;
  head.kind = Step::Kind::For;
  head.name = loop.symbol.empty() ? "" : loop.symbol.substr(1);
  head.offset = loop.offset;
  all_.record.steps().push_back(head);
  ++all_.paths.inside;
  if (all_.text.at(loop.keyword).is("while") && loop.open + 1 < loop.close)
    all_.expressions.evaluate(loop.open + 1, loop.close);
  std::size_t i = loop.body;
  loop.flow = i < loop.end ? all_.statements.statement(i, loop.end) : Flow::Next;
  const bool keeps_counter =
      !loop.counted ||
      is_same_value(all_.variables.scopes()[loop.counter->first][loop.counter->second].value,
                    entry[loop.counter->first].at(loop.counter->second).value);
  std::size_t second = loop.open;
  if (is_for)
    for (int signs = 0; second < loop.close && signs < 2; ++second)
      signs += all_.text.at(second).is(";");
  const std::size_t rest = loop.counted ? loop.counted->rest : second;
  if (is_for && rest > loop.open && rest < loop.close)
    all_.statements.plain_statement(rest, loop.close);
  all_.paths.close_branches(loop.branches);
  --all_.paths.inside;
  if (!keeps_counter && all_.record.steps().size() > loop.begin + 1)
    all_.record.miss(
        loop.offset, "loop counter",
        fmt::format("'{}', the counter of this loop, changes inside the loop", loop.counted->name));
  // An iteration ends after the body, or at a `break` or `continue` under an undecided condition.
  Places fresh;
  all_.paths.leaps.push_back(all_.variables.scopes());
  for (const Scopes& ended : all_.paths.leaps)
    for (std::size_t s = 0; s < entry.size() && s < ended.size(); ++s)
      for (const auto& [name, variable] : entry[s]) {
        const auto now = ended[s].find(name);
        if (now != ended[s].end() && !is_same_value(now->second.value, variable.value))
          fresh.emplace(s, name);
      }
  all_.paths.leaps.clear();
  if (loop.counter) fresh.insert(*loop.counter);
  return fresh;
}

/// Notes that the function may return, or the loop around be left, inside the loop.
void LoopReader::note_returns(const Symbolic& loop) {
  if (loop.flow == Flow::Break) return all_.paths.leap_from(loop.flow, loop.offset);
  if (loop.flow == Flow::Continue) return;
  if (loop.flow == Flow::Next && all_.paths.returned.size() <= loop.returned) return;
  const auto returns = [&] {
    return std::pair(unknown(loop.offset, "the function returns inside a loop"), Value());
  };
  for (std::size_t k = loop.returned; k < all_.paths.returned.size(); ++k)
    all_.paths.returned[k] = returns();
  if (loop.flow == Flow::Return) all_.paths.returned.push_back(returns());
  const Remark remark{loop.offset, "return in a loop",
                      "the plan drafter cannot follow a return inside this loop"};
  if (all_.record.steps().size() > loop.begin + 1)
    all_.record.miss(remark);
  else if (!all_.paths.doubt)
    all_.paths.doubt = remark;
}

/// Completes the steps of the loop, or leaves its body alone where main() only repeats the same.
void LoopReader::write_loop(const Symbolic& loop) {
  using Kind = Value::Kind;
  std::vector<Step>& steps = all_.record.steps();
  const auto first = steps.begin() + static_cast<std::ptrdiff_t>(loop.begin);
  if (steps.size() == loop.begin + 1) {  // the loop only prepares or checks something
    steps.resize(loop.begin);
    return;
  }
  const bool has_body = steps.size() > loop.begin;
  const bool is_same = has_body && loop.counted &&
                       std::none_of(first + 1, steps.end(),
                                    [&](const Step& step) { return mentions(step, loop.symbol); });
  if (all_.record.is_main() && is_same) {
    steps.erase(first);
    return all_.record.note(
        loop.offset,
        "the plan takes the body of this loop of main() once, since the loop only "
        "repeats the same launches");
  }
  const auto& counted = loop.counted;
  if (!has_body || !counted || !counted->low.is(Kind::Int) || !counted->high.is(Kind::Int) ||
      !counted->stride.is(Kind::Int) || !counted->stride.size.number() ||
      *counted->stride.size.number() <= 0 || least(counted->low.size).value_or(-1) < 0)
    return all_.record.miss(
        loop.offset, "loop range",
        "the number of times that this loop launches kernels cannot be written as "
        "an expression of the sizes");
  first->low = counted->low.size;
  first->high = counted->high.size;
  first->stride = counted->stride.size;
  Step tail;
  tail.kind = Step::Kind::End;
  steps.push_back(std::move(tail));
}

Flow LoopReader::do_statement(std::size_t& i, std::size_t end) {
  const std::size_t keyword = i;
  const std::size_t body = i + 1;
  const std::size_t body_end = all_.text.statement_end(body, end);
  i = all_.text.statement_end(keyword, end);
  const std::size_t header = std::min(body_end + 1, end);
  const auto outer = std::exchange(all_.paths.leap, std::nullopt);
  std::size_t inner = body;
  const std::size_t steps = all_.record.steps().size();
  const Flow flow = inner < body_end ? all_.statements.statement(inner, body_end) : Flow::Next;
  const bool leaps = all_.paths.leap.has_value();
  if (leaps && (all_.record.steps().size() > steps ||
                all_.effects.may_work(all_.text.tokens(), body, body_end)))
    all_.record.miss(*all_.paths.leap);
  if (leaps)
    all_.effects.forget_written(body, body_end, all_.paths.leap->offset,
                                "is set in a loop that may be left here");
  all_.paths.leap = outer;
  if (flow == Flow::Return || flow == Flow::Fail) return flow;
  if (flow == Flow::Break || !all_.text.at(body_end).is("while") || !all_.text.at(header).is("("))
    return Flow::Next;
  return loop(body_end, header, body, body_end);
}

}  // namespace kw::import
