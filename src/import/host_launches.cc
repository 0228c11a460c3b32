// Interprets the launches of a host function.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/host_values.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

constexpr std::size_t kMostSteps = 256;

}  // namespace

Value LaunchReader::launch(const std::string& name, const std::vector<std::string>& templates,
                           std::size_t offset) {
  const std::size_t open = after_launch_open(all_.text.tokens(), all_.cursor.at);
  std::size_t close = open;
  while (close < all_.cursor.end &&
         !(all_.text.at(close).is(">>") && all_.text.at(close + 1).is(">"))) {
    if (all_.text.at(close).is("(") || all_.text.at(close).is("{") || all_.text.at(close).is("["))
      close = all_.text.closing(close);
    ++close;
  }
  Step step;
  step.offset = offset;
  step.templates = templates;
  // A local variable hides a kernel of the same name.
  if (const Variable* variable = all_.variables.find(name)) {
    if (variable->value.is(Kind::Kernel)) {
      step.kernel = all_.file.kernel_named(variable->value.word);
      step.templates = variable->value.names;
    }
  } else {
    step.kernel = all_.file.kernel_named(name);
  }
  if (close >= all_.cursor.end || !all_.text.at(close + 2).is("(")) {
    all_.cursor.at = all_.cursor.end;
    all_.record.miss(
        offset, "incomplete launch",
        "this launch is incomplete; a launch has the form kernel<<<grid, block>>>(arguments)");
    return Value();
  }
  std::vector<Value> shape;
  std::vector<std::size_t> places;
  for (const auto& [from, to] : all_.text.parts_between(open, close, ",")) {
    places.push_back(all_.text.place(from));
    shape.push_back(all_.expressions.evaluate(from, to));
  }
  all_.cursor.at = close + 2;
  step.arguments = all_.expressions.arguments(&step.places);
  if (step.kernel == nullptr || !step.kernel->is_defined()) {
    all_.record.miss(
        offset, "unknown kernel",
        fmt::format("'{}' is launched here, but this file does not define a kernel of that name",
                    sanitise(name, 60)));
    return Value();
  }
  if (shape.size() < 2) {
    all_.record.miss(offset, "no grid", "this launch gives no grid and no block");
    return Value();
  }
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i].is(Kind::Unknown)) shape[i].offset = places[i];
  if (shape.size() > 3) all_.record.use_stream(shape[3], offset);
  add_launch(std::move(step), shape[0], shape[1], shape.size() > 2 ? shape[2] : integer(0));
  return Value();
}

void LaunchReader::add_launch(Step step, const Value& grid, const Value& block,
                              const Value& shared) {
  if (all_.record.steps().size() >= kMostSteps)
    return all_.record.miss(
        step.offset, "launch count",
        fmt::format(
            "the host code makes more than {} launches, the most that a plan is drafted for",
            kMostSteps));
  step.grid = shape(grid, "grid", step.offset);
  step.block = shape(block, "block", step.offset);
  if (shared.is(Kind::Int))
    step.shared = shared.size;
  else if (shared.is(Kind::Unknown) && shared.word != kToldElsewhere)
    all_.record.miss(shared.offset != 0 ? shared.offset : step.offset, "shared bytes",
                     "the bytes of shared memory of this launch are not known: " + shared.word);
  else if (!shared.is(Kind::Unknown) && !shared.is(Kind::Null))
    all_.record.miss(
        step.offset, "shared bytes type",
        "the bytes of shared memory of this launch are given by something that is no integer");
  const auto& parameters = step.kernel->parameters;
  for (std::size_t i = step.arguments.size(); i < parameters.size(); ++i) {
    step.arguments.push_back(all_.functions.default_of(parameters[i]));
    step.places.push_back(step.offset);
    if (step.arguments.back().is(Kind::Unknown)) step.arguments.back().offset = step.offset;
  }
  for (std::size_t i = 0; i < std::min(step.arguments.size(), parameters.size()); ++i) {
    Value& value = step.arguments[i];
    if (parameters[i].stars > 0 || !(value.is(Kind::Int) || value.is(Kind::Real))) continue;
    value = all_.casts.cast({device_type(parameters[i].type, all_.types), 0, false, 1},
                            std::move(value), step.places[i]);
  }
  all_.paths.push(std::move(step));
}

std::vector<Size> LaunchReader::shape(const Value& value, std::string_view about,
                                      std::size_t offset) {
  std::vector<Size> sizes;
  if (value.is(Kind::Int)) return {value.size};
  for (const Value& part : value.parts) {
    if (!part.is(Kind::Int)) {
      if (part.word != kToldElsewhere)
        all_.record.miss(
            part.offset != 0 ? part.offset : offset, std::string(about),
            fmt::format("the {} is not known{}", about, part.word.empty() ? "" : ": " + part.word));
      return {1};
    }
    sizes.push_back(part.size);
  }
  if ((!value.is(Kind::Dim3) && !value.is(Kind::List)) || sizes.empty() || sizes.size() > 3) {
    if (value.word != kToldElsewhere)
      all_.record.miss(
          value.offset != 0 ? value.offset : offset, std::string(about),
          fmt::format("the {} is not known{}", about, value.word.empty() ? "" : ": " + value.word));
    return {1};
  }
  while (sizes.size() > 1 && sizes.back().op() == Size::Op::Number && sizes.back().is(1))
    sizes.pop_back();
  return sizes;
}

}  // namespace kw::import
