// Says for each name of a size in the program what it is in the task.
// SPDX-License-Identifier: Apache-2.0
#include "import/match_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/contains.h"
#include "base/text.h"
#include "import/match_integers.h"
#include "import/roles.h"
#include "import/size_symbols.h"
#include "import/tensor_sizes.h"

namespace kw::import {
namespace {

class SizeMatcher {
 public:
  SizeMatcher(const HostProgram& program, const ForeignSource& source,
              const std::vector<Item>& items, const task::Definition* task, const Matching& matched)
      : program_(program), source_(source), items_(items), task_(task), matched_(matched) {}

  MatchedSizes run() {
    symbols_ = find_size_symbols(program_, source_, task_, matched_);
    out_.missing = symbols_.missing;
    if (task_ != nullptr) find_ranks();
    for (const std::string& name : symbols_.tensor_sizes) resolve_tensor_size(name);
    match_reals();
    if (task_ == nullptr) {
      keep_names();
    } else {
      match_integers();
      say_what_rows_need();
    }
    check_constants();
    return std::move(out_);
  }

 private:
  std::size_t place() const { return source_.tokens[program_.function->parameters_open].offset; }

  /// Resolves a tensor's size that has an internal name, such as `x#0` for the first dimension of
  /// x.
  void resolve_tensor_size(const std::string& name) {
    const auto hash = name.find('#');
    const std::string tensor = name.substr(0, hash);
    const std::string what = name.substr(hash + 1);
    if (task_ == nullptr) {
      const auto nickname = program_.nicknames.find(name);
      std::string word = nickname != program_.nicknames.end() ? nickname->second
                         : what == "n"                        ? tensor + "_numel"
                                                              : tensor + "_size" + what;
      std::ranges::replace(word, '-', '_');
      out_.sizes[name] = Size::name(word);
      add_once(wanted_, word);
      return;
    }
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const task::TensorSpec* spec = matched_.buffers[i].tensor;
      if (program_.buffers[i].name != tensor || spec == nullptr) continue;
      if (auto size = size_of_tensor(*task_, *spec, what, asks_for_all_)) {
        out_.sizes[name] = *size;
        return;
      }
      out_.missing.push_back(
          {program_.buffers[i].offset, "rank",
           fmt::format(
               "'{}' of task {} has {} dimensions, and this function uses the size of one more",
               spec->name, task_->task.name, spec->shape.size())});
      return;
    }
    out_.missing.push_back(
        {place(), "tensor size",
         fmt::format("the sizes of the tensor '{}' in task {} cannot be told from the host code",
                     tensor, task_->task.name)});
  }

  /// Finds out whether the function counts dimensions that are always 1 too: it does if it asks for
  /// an index that exists only when they are counted.
  void find_ranks() {
    for (const std::string& name : symbols_.tensor_sizes) {
      const auto hash = name.find('#');
      std::string digits = name.substr(hash + 1);
      if (digits.starts_with('s')) digits.erase(0, 1);
      std::int64_t index = 0;
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), index);
      if (read.ec != std::errc() || index < 0) continue;
      for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
        const task::TensorSpec* spec = matched_.buffers[i].tensor;
        if (program_.buffers[i].name != name.substr(0, hash) || spec == nullptr) continue;
        const auto rank = static_cast<std::int64_t>(spec->shape.size());
        asks_for_all_ = asks_for_all_ || index >= rank - silent_dims(*task_, *spec);
      }
    }
  }

  void match_reals() {
    std::vector<std::string> theirs;
    if (task_ != nullptr)
      for (const task::ScalarSpec& scalar : task_->scalars)
        if (is_real(scalar.dtype)) theirs.push_back(scalar.name);
    for (const std::string& name : symbols_.reals) {
      if (task_ == nullptr) {
        out_.sizes[name] = Size::name(name);
        add_once(wanted_, name);
        continue;
      }
      auto best = theirs.end();
      for (int wanted : {10, 6, 0})
        for (auto t = theirs.begin(); t != theirs.end() && best == theirs.end(); ++t)
          if (name_likeness(name, *t) >= wanted) best = t;
      if (best == theirs.end()) {
        out_.missing.push_back(
            {place(), "real",
             fmt::format(
                 "task {} has no floating-point scalar that '{}' of the host code could stand for",
                 task_->task.name, name)});
        continue;
      }
      out_.sizes[name] = Size::name(*best);
      if (bare_name(name) != *best)
        assume(fmt::format("the plan assumes that '{}' of the host code is '{}' of the task", name,
                           *best));
      theirs.erase(best);
    }
    for (const std::string& name : theirs)
      assume(fmt::format(
          "the scalar '{}' of the task is not used: the host code has a fixed number in its place",
          name));
  }

  void keep_names() {
    for (const std::string& name : symbols_.integers) {
      const bool is_usable = is_usable_identifier(name) && !is_expression_function(name);
      out_.sizes[name] = Size::name(is_usable ? name : name + "_");
      add_once(wanted_, name);
    }
    out_.wanted = wanted_.empty() ? "" : fmt::format(", and numbers {}", join(wanted_, ", "));
  }

  void match_integers() {
    IntegerMatch match = match_names_of_sizes(symbols_, *task_, asks_for_all_);
    for (std::string& text : match.assumptions) assume(std::move(text));
    for (const std::string& name : symbols_.integers) {
      const auto found = match.sizes.find(name);
      if (found == match.sizes.end()) {
        out_.missing.push_back(
            {place(), "size",
             fmt::format(
                 "task {} has no size that '{}' of the host code could stand for; its names are {}",
                 task_->task.name, name, join(names_of_sizes(*task_), ", "))});
        continue;
      }
      out_.sizes[name] = found->second.size;
      if (bare_name(name) != found->second.words)
        assume(fmt::format(
            "the plan assumes that '{}' of the host code is {} of the task{}", name,
            found->second.words,
            found->second.score == 0 ? ", because of its place among the arguments" : ""));
    }
  }

  /// Warns if the task has padded rows but the kernel has no parameter for their distance.
  void say_what_rows_need() {
    for (const task::TensorSpec& tensor : task_->tensors) {
      if (!is_padded(*task_, tensor)) continue;
      bool is_known = false;
      for (const auto& [name, size] : out_.sizes)
        is_known = is_known || size_role(size.to_text()) == "pitch" ||
                   name.find("#s") != std::string::npos;
      if (!is_known)
        assume(
            fmt::format("rows of '{}' lie {} elements apart in task {}, which this code does not "
                        "take into account: results are wrong where rows have padding",
                        tensor.name, tensor.pitch->expr.text(), task_->task.name));
      return;
    }
  }

  /// Reports a size of main() that device code uses as a constant: sizes change with the workload,
  /// so a kernel must get them as parameters.
  void check_constants() {
    for (const std::string& name : symbols_.constants) {
      if (!contains(symbols_.integers, name)) continue;
      for (const Item& item : items_) {
        if (item.kind != Item::Kind::Kernel && item.kind != Item::Kind::DeviceFunction) continue;
        bool is_own = false;
        for (const FunctionParameter& p : item.parameters) is_own = is_own || p.name == name;
        for (std::size_t i = item.body_open; i < item.body_close && !is_own; ++i)
          if (source_.tokens[i].is(name)) {
            out_.missing.push_back(
                {source_.tokens[i].offset, "constant in device code",
                 fmt::format("the device code has the size '{}' as a constant, and the task varies "
                             "it: make the size a parameter of the kernel",
                             name)});
            return;
          }
      }
    }
  }

  void assume(std::string text) { out_.assumptions.push_back({place(), {}, std::move(text)}); }

  const HostProgram& program_;
  const ForeignSource& source_;
  const std::vector<Item>& items_;
  const task::Definition* task_;
  const Matching& matched_;
  SizeSymbols symbols_;
  std::vector<std::string> wanted_;
  bool asks_for_all_ = false;  ///< Whether indices count dimensions that are always 1.
  MatchedSizes out_;
};

}  // namespace

MatchedSizes match_sizes(const HostProgram& program, const ForeignSource& source,
                         const std::vector<Item>& items, const task::Definition* task,
                         const Matching& matched) {
  return SizeMatcher(program, source, items, task, matched).run();
}

}  // namespace kw::import
