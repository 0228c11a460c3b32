// Parses the blocks of launch plans: loops, guards and forks, and assigns directives to blocks.
// SPDX-License-Identifier: Apache-2.0
#include "task/plan_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "base/text.h"
#include "task/plan_directives.h"

namespace kw::task {
namespace {

constexpr auto kWords =
    std::to_array<std::string_view>({"workspace", "table", "map", "launch", "fill", "copy", "for",
                                     "tail", "when", "else", "fork", "join", "end"});

}  // namespace

std::vector<std::string> PlanParser::words() { return {kWords.begin(), kWords.end()}; }

bool PlanParser::knows(std::string_view word) { return contains(kWords, word); }

void PlanParser::read(PlanPiece directive) {
  using Read = void (PlanParser::*)(PlanPiece, std::size_t);
  static constexpr std::array<Read, kWords.size()> kReaders = {
      &PlanParser::read_step<parse_workspace>,
      &PlanParser::read_step<parse_table>,
      &PlanParser::read_step<parse_map>,
      &PlanParser::read_step<parse_launch>,
      &PlanParser::read_step<parse_fill>,
      &PlanParser::read_step<parse_copy>,
      &PlanParser::read_for,
      &PlanParser::read_tail,
      &PlanParser::read_when,
      &PlanParser::read_else,
      &PlanParser::read_fork,
      &PlanParser::read_join,
      &PlanParser::read_end};
  const auto word = leading_word(directive.text);
  const auto found = std::ranges::find(kWords, word);
  const auto index = static_cast<std::size_t>(found - kWords.begin());
  (this->*kReaders[index])(directive.part(word.size()), directive.at);
}

PlanBlock PlanParser::finish() {
  for (const Open& block : open_)
    operands_.complain(trouble(block.at, PlanFlaw::Missing, About{"end"},
                               "this block of the plan has no `// kw: end`"));
  return std::move(plan_);
}

bool PlanParser::open_block(Open block) {
  if (open_.size() == kMaxPlanDepth) {
    operands_.complain(
        trouble(block.at, PlanFlaw::TooMany, About{"blocks inside each other"},
                worded("the plan has more than {} blocks inside each other", kMaxPlanDepth)));
    return false;
  }
  open_.push_back(std::move(block));
  return true;
}

// The block is opened even if its first line is wrong, so that its `end` is not reported as an
// error, too.

void PlanParser::read_for(PlanPiece rest, std::size_t at) {
  Open block{.kind = Open::Kind::For, .at = at};
  const auto equals = rest.text.find('=');
  const auto dots = find_outside(rest.text, "..");
  if (equals == std::string_view::npos || dots == std::string_view::npos || dots < equals) {
    operands_.complain(trouble(rest.at, PlanFlaw::BadForm, About{"for"},
                               "a `// kw: for` line has the form: for NAME = LOW .. HIGH"));
  } else {
    const auto step = find_word(rest.text, "step");
    const auto name = operands_.read_name(rest.part(0, equals), "loop");
    auto low = operands_.read_expression(rest.part(equals + 1, dots - equals - 1));
    auto high = operands_.read_expression(
        rest.part(dots + 2, step == std::string_view::npos ? step : step - dots - 2));
    if (step != std::string_view::npos)
      block.loop.stride = operands_.read_expression(rest.part(step + 4));
    if (name) block.loop.name = *name;
    if (low) block.loop.low = std::move(*low);
    if (high) block.loop.high = std::move(*high);
  }
  open_block(std::move(block));
}

void PlanParser::read_tail(PlanPiece rest, std::size_t at) {
  if (!operands_.expect_nothing(rest)) return;
  if (open_.empty() || open_.back().kind != Open::Kind::For)
    return operands_.complain(trouble(at, PlanFlaw::Misplaced, About{"tail"},
                                      "`tail` may stand only inside a `for`, and only once"));
  Open& block = open_.back();
  block.loop.body = std::move(block.body);
  block.body.clear();
  block.kind = Open::Kind::Tail;
}

void PlanParser::read_when(PlanPiece rest, std::size_t at) {
  Open block{.kind = Open::Kind::When, .at = at};
  auto condition = operands_.read_expression(rest);
  block.guard.branches.push_back({condition ? std::move(*condition) : PlanExpr(), {}});
  open_block(std::move(block));
}

void PlanParser::read_else(PlanPiece rest, std::size_t at) {
  if (open_.empty() || open_.back().kind != Open::Kind::When)
    return operands_.complain(
        trouble(at, PlanFlaw::Misplaced, About{"else"},
                "`else` may stand only inside a `when`, after its last condition"));
  Open& block = open_.back();
  block.guard.branches.back().body = std::move(block.body);
  block.body.clear();
  if (rest.empty()) {
    block.kind = Open::Kind::Else;
    block.guard.branches.push_back({});
    return;
  }
  if (leading_word(rest.text) != "when")
    return operands_.complain(trouble(rest.at, PlanFlaw::Unexpected,
                                      About{sanitise(leading_word(rest.text), 40)},
                                      "only `when` may follow `else` in this line"));
  auto condition = operands_.read_expression(rest.part(4));
  block.guard.branches.push_back({condition ? std::move(*condition) : PlanExpr(), {}});
}

void PlanParser::read_fork(PlanPiece rest, std::size_t at) {
  Open block{.kind = Open::Kind::Fork, .at = at};
  if (const auto name = operands_.read_name(rest, "branch")) block.fork.name = *name;
  open_block(std::move(block));
}

void PlanParser::read_join(PlanPiece rest, std::size_t at) {
  if (auto name = operands_.read_name(rest, "branch")) push(at, JoinNode{std::move(*name)});
}

void PlanParser::read_end(PlanPiece rest, std::size_t at) {
  if (!operands_.expect_nothing(rest)) return;
  if (open_.empty())
    return operands_.complain(trouble(at, PlanFlaw::Misplaced, About{"end"},
                                      "this `end` closes nothing: no block of the plan is open"));
  Open block = std::move(open_.back());
  open_.pop_back();
  switch (block.kind) {
    case Open::Kind::For:
      block.loop.body = std::move(block.body);
      return push(block.at, std::move(block.loop));
    case Open::Kind::Tail:
      block.loop.tail = std::move(block.body);
      return push(block.at, std::move(block.loop));
    case Open::Kind::When:
    case Open::Kind::Else:
      block.guard.branches.back().body = std::move(block.body);
      return push(block.at, std::move(block.guard));
    case Open::Kind::Fork:
      block.fork.body = std::move(block.body);
      return push(block.at, std::move(block.fork));
  }
}

}  // namespace kw::task
