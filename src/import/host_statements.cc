// Follows the statements of a host function, one after another.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "import/host_reader.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Token = lex::Token;

}  // namespace

Flow StatementReader::block(std::size_t begin, std::size_t end) {
  std::size_t i = begin;
  while (i < end) {
    const std::size_t before = i;
    if (!all_.effort.spend()) return Flow::Return;
    const Flow flow = statement(i, end);
    if (flow != Flow::Next) return flow;
    if (i <= before) i = before + 1;
  }
  return Flow::Next;
}

Flow StatementReader::statement(std::size_t& i, std::size_t end) {
  struct Deeper {
    explicit Deeper(int& counter) : depth(counter) { ++depth; }
    ~Deeper() { --depth; }
    int& depth;
  } deeper(all_.effort.depth);
  if (all_.effort.depth > kDeepestStatements) {
    all_.record.miss(all_.text.place(i), "nesting",
                     "these statements are nested too deeply for the plan drafter");
    i = end;
    return Flow::Return;
  }
  const std::size_t keyword = i;
  if (all_.text.at(i).is(";")) return ++i, Flow::Next;
  if (all_.text.at(i).is("{")) {
    const std::size_t close = std::min(all_.text.closing(i), end);
    all_.variables.open();
    const Flow flow = block(i + 1, close);
    all_.variables.close();
    i = close + 1;
    return flow;
  }
  if (all_.text.at(i).is("if")) return all_.branches.read(i, end);
  if (is_one_of(all_.text.at(i), {"for", "while", "switch"})) {
    std::size_t open = i + 1;
    if (!all_.text.at(open).is("(")) return ++i, Flow::Next;
    const std::size_t close = std::min(all_.text.closing(open), end);
    const std::size_t body = std::min(close + 1, end);
    i = all_.text.statement_end(body, end);
    if (all_.text.at(keyword).is("switch"))
      return all_.switches.read(keyword, open, close, body, i);
    return all_.loops.loop(keyword, open, body, i);
  }
  if (all_.text.at(i).is("do")) return all_.loops.do_statement(i, end);
  if (is_one_of(all_.text.at(i), {"break", "continue"})) {
    const Flow flow = all_.text.at(i).is("break") ? Flow::Break : Flow::Continue;
    i = all_.text.statement_end(i, end);
    return flow;
  }
  if (all_.text.at(i).is("try") && all_.text.at(i + 1).is("{")) return ++i, Flow::Next;
  if (all_.text.at(i).is("catch")) {
    while (i < end && !all_.text.at(i).is("{")) ++i;
    i = std::min(all_.text.closing(i) + 1, end);
    return Flow::Next;
  }
  if (is_one_of(all_.text.at(i), {"case", "default"})) {
    while (i < end && !all_.text.at(i).is(":")) ++i;
    return ++i, Flow::Next;
  }
  // A label only matters to a goto, which is refused.
  if (all_.text.at(i).kind == Token::Kind::Word && all_.text.at(i + 1).is(":"))
    return i += 2, Flow::Next;
  i = all_.text.statement_end(i, end);
  const std::size_t stop = i > keyword && all_.text.at(i - 1).is(";") ? i - 1 : i;
  return plain_statement(keyword, stop);
}

Flow StatementReader::plain_statement(std::size_t begin, std::size_t end) {
  if (all_.text.at(begin).is("return")) {
    all_.paths.result = begin + 1 < end ? all_.expressions.evaluate(begin + 1, end) : Value();
    if (begin + 1 >= end) all_.paths.result.kind = Value::Kind::Null;
    return Flow::Return;
  }
  if (all_.text.at(begin).is("goto")) {
    all_.record.miss(all_.text.place(begin), "goto", "the plan drafter cannot follow a goto");
    return Flow::Return;
  }
  const std::size_t name =
      all_.text.at(begin).is("std") && all_.text.at(begin + 1).is("::") ? begin + 2 : begin;
  const bool exits =
      is_one_of(all_.text.at(name), {"exit", "abort", "_exit", "quick_exit", "terminate"}) &&
      all_.text.at(name + 1).is("(");
  // exit() in main() outside of branches ends the work normally.
  if (all_.text.at(begin).is("throw") || exits)
    return all_.record.is_main() && all_.stack.callers.size() == 1 && all_.paths.inside == 0
               ? Flow::Return
               : Flow::Fail;
  if (is_one_of(all_.text.at(begin), {"using", "typedef"})) {
    // An alias for a type: `using scalar_t = float;` or `typedef float scalar_t;`.
    const bool is_using = all_.text.at(begin).is("using");
    const TypeAt type = all_.text.type_at(is_using ? begin + 3 : begin + 1, end);
    const std::size_t name = is_using ? begin + 1 : type.end;
    if (type.end != 0 && type.stars == 0 && name < end)
      all_.types.aliases[std::string(all_.text.at(name).text)] = type.type;
    return Flow::Next;
  }
  if (all_.text.at(begin).is("static_assert") || all_.text.at(begin).is("delete"))
    return Flow::Next;
  if (all_.text.at(begin).is("auto") &&
      (all_.text.at(begin + 1).is("[") || all_.text.at(begin + 2).is("["))) {
    // The variables of a structured binding `auto [a, b] = …` become unknown.
    for (std::size_t i = begin + 1; i < end && !all_.text.at(i).is("="); ++i)
      if (all_.text.at(i).kind == Token::Kind::Word)
        all_.variables.innermost()[std::string(all_.text.at(i).text)] = {
            unknown(all_.text.place(i),
                    fmt::format("the plan drafter cannot tell what '{}' is here",
                                all_.text.at(i).text)),
            "", 0};
    std::size_t equals = begin;
    while (equals < end && !all_.text.at(equals).is("=")) ++equals;
    if (equals + 1 < end) all_.expressions.evaluate(equals + 1, end);
    return Flow::Next;
  }
  if (all_.declarations.declaration(begin, end)) return Flow::Next;
  for (const auto& [from, to] : all_.text.parts_between(begin, end, ","))
    all_.expressions.evaluate(from, to);
  return Flow::Next;
}

}  // namespace kw::import
