// Interprets the switches of a host function.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "import/host_reader.h"
#include "import/host_values.h"

namespace kw::import {

Flow SwitchReader::read(std::size_t keyword, std::size_t open, std::size_t close, std::size_t body,
                        std::size_t end) {
  const Value chosen = all_.expressions.evaluate(open + 1, close);
  const auto value = all_.paths.decided(chosen);
  const std::size_t stop = std::min(all_.text.closing(body), end);
  std::optional<std::size_t> start;
  for (std::size_t i = body + 1; i < stop; ++i) {
    if (all_.text.at(i).is("{") || all_.text.at(i).is("(")) {
      i = all_.text.closing(i);
      continue;
    }
    if (all_.text.at(i).is("default") && !start) start = i;
    if (!all_.text.at(i).is("case")) continue;
    std::size_t colon = i + 1;
    while (colon < stop && !all_.text.at(colon).is(":")) ++colon;
    const Value label = all_.expressions.evaluate(i + 1, colon);
    if (value && label.is(Value::Kind::Int) && label.size.is(*value)) {
      start = i;
      break;
    }
  }
  if (!value) {
    if (all_.effects.may_work(all_.text.tokens(), body, stop))
      all_.record.miss(all_.text.place(keyword), "open switch",
                       "the case of this switch that launches its kernels is not known");
    all_.effects.forget_written(body, stop, all_.text.place(keyword),
                                "is set in a switch whose case is not known");
    for (std::size_t i = body; i < stop; ++i)
      if (all_.text.at(i).is("return") && !all_.paths.doubt) {
        all_.paths.doubt = Remark{all_.text.place(i), "return in a switch",
                                  "the case of this switch that returns is not known"};
        all_.paths.returned.emplace_back(unknown(all_.text.place(i), all_.paths.doubt->text),
                                         Value());
      }
    return Flow::Next;
  }
  if (!start) return Flow::Next;
  all_.variables.open();
  const auto outer = std::exchange(all_.paths.leap, std::nullopt);
  const Flow flow = all_.statements.block(*start, stop);
  if (all_.paths.leap) {
    if (all_.effects.may_work(all_.text.tokens(), body, stop)) all_.record.miss(*all_.paths.leap);
    all_.effects.forget_written(body, stop, all_.paths.leap->offset,
                                "is set in a switch that may be left here");
  }
  if (!all_.paths.leap) all_.paths.leap = outer;
  all_.variables.close();
  return flow == Flow::Break ? Flow::Next : flow;
}

}  // namespace kw::import
