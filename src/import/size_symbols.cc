// Walks over the steps of a host program and sorts the names of its sizes by what they can be.
// SPDX-License-Identifier: Apache-2.0
#include "import/size_symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/contains.h"
#include "import/roles.h"

namespace kw::import {
namespace {

class SymbolFinder {
 public:
  SymbolFinder(const HostProgram& program, const ForeignSource& source,
               const task::Definition* task, const Matching& matched)
      : program_(program),
        place_(source.tokens[program.function->parameters_open].offset),
        task_(task),
        matched_(matched) {}

  SizeSymbols run() {
    if (program_.is_main)
      for (std::size_t i = 0; i < program_.buffers.size(); ++i)
        if (matched_.buffers[i].tensor != nullptr ||
            (task_ == nullptr && !matched_.buffers[i].name.empty()))
          program_.buffers[i].bytes.visit_leaves([&](const Size& leaf) {
            if (leaf.op() == Size::Op::Named) out_.constants.insert(leaf.word());
          });
    const auto look = [&](const Size& size) {
      size.visit_leaves([&](const Size& leaf) { add_symbol(leaf); });
    };
    for (const Step& step : program_.steps) {
      for (const Size& size : step.grid) look(size);
      for (const Size& size : step.block) look(size);
      for (const Size* size : {&step.shared, &step.low, &step.high, &step.bytes, &step.target.size})
        look(*size);
      for (const Value& value : step.arguments) look_into(value, look);
      if (step.kind == Step::Kind::Launch)
        for (const Size& size : step.grid)
          size.visit_leaves([&](const Size& leaf) { out_.in_grid.insert(leaf.word()); });
    }
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      if (!matched_.buffers[i].is_workspace) continue;
      look(program_.buffers[i].bytes);
      for (const Value& value : program_.buffers[i].sizes) look(value.size);
    }
    return std::move(out_);
  }

 private:
  static void look_into(const Value& value, const std::function<void(const Size&)>& look) {
    look(value.size);
    for (const Value& part : value.parts) look_into(part, look);
  }

  void add_symbol(const Size& leaf) {
    const std::string& name = leaf.word();
    if (name.find('#') != std::string::npos) {
      add_once(out_.tensor_sizes, name);
    } else if (leaf.op() == Size::Op::Named && leaf.parts()[0].op() == Size::Op::Text) {
      if (is_real_of_task(name)) add_once(out_.reals, name);
    } else if (leaf.op() == Size::Op::Named) {
      if (out_.constants.contains(name)) {
        const auto [known, is_new] = values_.try_emplace(name, leaf);
        if (!is_new && !(known->second == leaf))
          out_.missing.push_back(
              {place_, "two values",
               fmt::format(
                   "'{}' is a size of the task, and the host code gives it two different values",
                   name)});
        add_once(out_.integers, name);
      }
      if (!out_.constants.contains(name))
        leaf.parts()[0].visit_leaves([&](const Size& inner) { add_symbol(inner); });
    } else if (contains(program_.integers, name)) {
      add_once(out_.integers, name);
    } else if (contains(program_.reals, name)) {
      add_once(out_.reals, name);
    }
  }

  /// Whether a constant of main() has the name of a real-valued scalar of the task.
  bool is_real_of_task(const std::string& name) const {
    return task_ != nullptr &&
           std::ranges::any_of(task_->scalars, [&](const task::ScalarSpec& scalar) {
             return is_real(scalar.dtype) && name_likeness(name, scalar.name) > 0;
           });
  }

  const HostProgram& program_;
  std::size_t place_;  ///< Byte of the text for remarks about a name.
  const task::Definition* task_;
  const Matching& matched_;
  std::map<std::string, Size> values_;  ///< Constants that may be sizes, by name.
  SizeSymbols out_;
};

}  // namespace

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!contains(names, name)) names.push_back(name);
}

SizeSymbols find_size_symbols(const HostProgram& program, const ForeignSource& source,
                              const task::Definition* task, const Matching& matched) {
  return SymbolFinder(program, source, task, matched).run();
}

}  // namespace kw::import
