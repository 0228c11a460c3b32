// Interprets the branches of a host function, and merges the values that variables have after them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "import/host_reader.h"
#include "import/host_values.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;
using Token = lex::Token;

bool leaps(Flow flow) { return flow == Flow::Break || flow == Flow::Continue; }

}  // namespace

Flow BranchReader::read(std::size_t& i, std::size_t end) {
  const std::size_t keyword = i;
  std::size_t open = i + 1;
  while (open < end && !all_.text.at(open).is("(")) ++open;
  const std::size_t close = std::min(all_.text.closing(open), end);
  const std::size_t yes = std::min(close + 1, end);
  const std::size_t yes_end = all_.text.statement_end(yes, end);
  const bool has_else = yes_end < end && all_.text.at(yes_end).is("else");
  const std::size_t no = has_else ? yes_end + 1 : yes_end;
  const std::size_t no_end = has_else ? all_.text.statement_end(no, end) : yes_end;
  i = no_end;
  all_.variables.open();
  // The header of an if may have a statement before the condition: in `if (int x = f(); x)` only x
  // decides. `if (int x = f())` tests the declared x.
  const auto parts = all_.text.parts_between(open + 1, close, ";");
  for (std::size_t k = 0; k + 1 < parts.size(); ++k)
    all_.statements.plain_statement(parts[k].first, parts[k].second);
  Value condition = unknown(all_.text.place(open), "the condition of this statement is empty");
  if (!parts.empty()) {
    const auto [from, to] = parts.back();
    const TypeAt type = all_.text.type_at(from, to);
    const bool declares = type.end != 0 && all_.text.at(type.end).kind == Token::Kind::Word &&
                          all_.text.at(type.end + 1).is("=") && type.end + 1 < to;
    if (declares && all_.declarations.declaration(from, to))
      condition = all_.names.lookup(std::string(all_.text.at(type.end).text));
    else
      condition = all_.expressions.evaluate(from, to);
  }
  const Flow flow =
      branch_on({truth(condition), all_.text.place(keyword), {yes, yes_end}, {no, no_end}});
  if (!all_.variables.scopes().empty()) all_.variables.close();
  return flow;
}

Flow BranchReader::run(Part part) {
  return part.begin < part.end ? all_.statements.statement(part.begin, part.end) : Flow::Next;
}

/// Interprets a part under a condition that is not decided.
Flow BranchReader::run_under(const Value& condition, Part part) {
  const int branches = all_.paths.open_branches;
  all_.paths.conditions.push_back(condition);
  ++all_.paths.inside;
  const Flow flow = run(part);
  all_.paths.close_branches(branches);
  --all_.paths.inside;
  all_.paths.conditions.pop_back();
  return flow;
}

/// Adds the step that begins or ends a part of the branch.
void BranchReader::mark(Step::Kind kind, const Branch& branch) {
  Step step;
  step.kind = kind;
  step.low = branch.condition.size;
  step.offset = branch.offset;
  all_.record.steps().push_back(std::move(step));
}

Flow BranchReader::branch_on(const Branch& branch) {
  if (const auto value = all_.paths.decided(branch.condition))
    return *value != 0 ? run(branch.yes) : run(branch.no);
  if (!branch.condition.is(Kind::Int)) return branch_on_unknown(branch);
  const Scopes before = all_.variables.scopes();
  const std::size_t begin = all_.record.steps().size();
  const std::size_t returned = all_.paths.returned.size();
  mark(Step::Kind::When, branch);
  const Flow first = run_under(branch.condition, branch.yes);
  const bool works = all_.record.steps().size() > begin + 1;
  if (leaps(first)) return leave_loop(branch, first, before, begin);
  const Scopes after_yes = all_.variables.scopes();
  all_.variables.scopes() = before;
  if (first != Flow::Next) {
    if (!works) all_.record.steps().resize(begin);
    return first == Flow::Fail && !works ? demand_opposite(branch) : go_on_as_else(branch, works);
  }
  read_else(branch, after_yes, begin, returned);
  return Flow::Next;
}

/// Goes on after a first part that ends in `break` or `continue`: the loop around is either refused
/// or launches nothing.
Flow BranchReader::leave_loop(const Branch& branch, Flow leap, const Scopes& before,
                              std::size_t begin) {
  all_.paths.leap_from(leap, branch.offset);
  if (all_.record.steps().size() > begin + 1)
    mark(Step::Kind::End, branch);
  else
    all_.record.steps().resize(begin);
  all_.variables.forget_changes(before, all_.variables.scopes(), branch.offset, "depends on data");
  const Flow second = run(branch.no);
  return second == Flow::Return || second == Flow::Fail ? second : Flow::Next;
}

/// Goes on after a first part that only fails: the function demands the opposite.
Flow BranchReader::demand_opposite(const Branch& branch) {
  all_.paths.require(integer(Size::opposite(branch.condition.size)), branch.offset);
  return run(branch.no);
}

/// Goes on after an early return: the rest of the function becomes the other part. `works`: the
/// first part has steps.
Flow BranchReader::go_on_as_else(const Branch& branch, bool works) {
  all_.paths.returned.emplace_back(all_.paths.path_with(branch.condition),
                                   std::exchange(all_.paths.result, Value()));
  if (works) {
    mark(Step::Kind::Else, branch);
    ++all_.paths.open_branches;
  } else {
    all_.paths.guard_against(branch.condition.size, branch.offset);
  }
  return run(branch.no);
}

/// Interprets the second part, where control goes on after the first, and merges both. Before the
/// branch there were `begin` steps and `returned` values.
void BranchReader::read_else(const Branch& branch, const Scopes& after_yes, std::size_t begin,
                             std::size_t returned) {
  const Value& condition = branch.condition;
  const Value opposite = integer(Size::opposite(condition.size));
  const std::size_t inner = all_.paths.returned.size();
  const std::size_t middle = all_.record.steps().size();
  mark(Step::Kind::Else, branch);
  const Flow second = run_under(opposite, branch.no);
  const bool works_else = all_.record.steps().size() > middle + 1;
  if (!works_else) all_.record.steps().resize(middle);
  if (all_.record.steps().size() == begin + 1)
    all_.record.steps().resize(begin);
  else
    mark(Step::Kind::End, branch);
  // If a nested branch returned, all later steps run only where its condition does not hold.
  const std::size_t last = all_.paths.returned.size();
  for (std::size_t k = returned; k < (second == Flow::Return ? inner : last); ++k)
    if (all_.paths.returned[k].first.is(Kind::Int))
      all_.paths.guard_against(all_.paths.returned[k].first.size, branch.offset);
  if (second == Flow::Fail && !works_else) {
    all_.variables.scopes() = after_yes;
    all_.paths.require(condition, branch.offset);
  } else if (second == Flow::Return || second == Flow::Fail) {
    all_.paths.returned.emplace_back(all_.paths.path_with(opposite),
                                     std::exchange(all_.paths.result, Value()));
    all_.variables.scopes() = after_yes;
    all_.paths.guard_against(opposite.size, branch.offset);
  } else if (leaps(second)) {
    all_.paths.leap_from(second, branch.offset);
    all_.variables.forget_changes(after_yes, Scopes(all_.variables.scopes()), branch.offset,
                                  "depends on data");
  } else {
    all_.variables.merge(condition, after_yes, Scopes(all_.variables.scopes()));
  }
}

/// Interprets both branches of a condition whose value is unknown. Neither branch may launch work,
/// and variables that differ afterwards are refused.
Flow BranchReader::branch_on_unknown(const Branch& branch) {
  const Value& condition = branch.condition;
  const std::size_t offset = branch.offset;
  const Scopes before = all_.variables.scopes();
  const std::string why = condition.word.empty() || condition.word == kToldElsewhere
                              ? "whether this condition holds is not known before the plan runs"
                              : "this condition cannot be decided: " + condition.word;
  std::vector<Scopes> ends;
  std::vector<Flow> flows;
  const int branches = all_.paths.open_branches;
  for (const Part part : {branch.yes, branch.no}) {
    all_.variables.scopes() = before;
    const std::size_t begin = all_.record.steps().size();
    const std::size_t returned = all_.paths.returned.size();
    all_.paths.conditions.push_back(condition);
    ++all_.paths.inside;
    const Flow flow = run(part);
    --all_.paths.inside;
    all_.paths.conditions.pop_back();
    all_.paths.open_branches = branches;
    if (all_.record.steps().size() > begin) all_.record.miss(offset, "open condition", why);
    all_.record.steps().resize(begin);
    const bool returns = flow == Flow::Return || all_.paths.returned.size() > returned;
    if (flow == Flow::Return)
      all_.paths.returned.emplace_back(condition, std::exchange(all_.paths.result, Value()));
    if (leaps(flow)) all_.paths.leap_from(flow, offset);
    if (flow == Flow::Fail)
      all_.record.note(
          offset, "the plan assumes that the error that ends the program here does not happen");
    if (returns && !all_.paths.doubt) all_.paths.doubt = Remark{offset, "open condition", why};
    flows.push_back(flow);
    ends.push_back(std::move(all_.variables.scopes()));
  }
  const auto goes_on = [&](std::size_t side) {
    return flows[side] != Flow::Return && flows[side] != Flow::Fail;
  };
  all_.variables.scopes() = goes_on(0) ? ends[0] : ends[1];
  if (goes_on(0) && goes_on(1))
    all_.variables.forget_changes(ends[0], ends[1], offset, "depends on data");
  return goes_on(0) || goes_on(1) ? Flow::Next : flows[0];
}

}  // namespace kw::import
