// Matches a host program's buffers to a task's tensors, then its integers to the task's sizes.
// SPDX-License-Identifier: Apache-2.0
#include "import/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/expr.h"
#include "base/text.h"
#include "import/match_sizes.h"
#include "import/roles.h"

namespace kw::import {
namespace {

using lex::Token;
using Kind = Value::Kind;

/// Buffers of host and device with the same contents, which are one tensor of the task.
struct Known {
  int buffer = -1;  ///< Index of the buffer that represents them all.
  bool is_read = false;
  bool is_written = false;
};

/// The kind of number of a type, as f (float), b (bfloat16), i (integer) or ? (unknown), and its
/// size in bytes.
std::pair<char, int> kind_of(std::string_view type) {
  const bool is_real = type.starts_with("float") || type.starts_with("double") ||
                       type.starts_with("__half") || type.starts_with("__nv_bfloat16");
  if (type.starts_with("float")) return {'f', 4};
  if (type.starts_with("double")) return {'f', 8};
  if (type.starts_with("__nv_bfloat16")) return {'b', 2};
  const int bytes = bytes_of_type(type);
  return {bytes == 0 ? '?' : is_real ? 'f' : 'i', bytes};
}

std::pair<char, int> kind_of(Dtype dtype) {
  const char letter = dtype == Dtype::BF16 ? 'b' : is_real(dtype) ? 'f' : 'i';
  return {letter, static_cast<int>(size_of(dtype))};
}

class Matcher {
 public:
  Matcher(const HostProgram& program, const ForeignSource& source, const std::vector<Item>& items,
          const task::Definition* task)
      : program_(program), source_(source), items_(items), task_(task) {
    out_.buffers.resize(program.buffers.size());
  }

  Matching run() {
    gather();
    if (task_ != nullptr)
      match_tensors();
    else
      keep_names();
    name_workspaces();
    MatchedSizes sizes = match_sizes(program_, source_, items_, task_, out_);
    out_.sizes = std::move(sizes.sizes);
    for (Remark& remark : sizes.missing) out_.missing.push_back(std::move(remark));
    for (Remark& remark : sizes.assumptions) out_.assumptions.push_back(std::move(remark));
    out_.wanted += sizes.wanted;
    return std::move(out_);
  }

 private:
  const Buffer& buffer(int index) const {
    return program_.buffers[static_cast<std::size_t>(index)];
  }

  int root_of(int index) const {
    const int other = buffer(index).stands_for;
    return other >= 0 ? other : index;
  }

  void touch(const Value& value, bool reads, bool writes) {
    if (value.buffer < 0) return;
    const int root = root_of(value.buffer);
    auto at = std::ranges::find(known_, root, &Known::buffer);
    if (at == known_.end()) at = known_.insert(known_.end(), Known{root, false, false});
    at->is_read |= reads;
    at->is_written |= writes;
  }

  void gather() {
    for (const Step& step : program_.steps) {
      if (step.kind == Step::Kind::Fill) touch(step.target, false, true);
      if (step.kind == Step::Kind::Copy)
        touch(step.target, false, true), touch(step.source, true, false);
      for (std::size_t i = 0; i < step.arguments.size(); ++i) {
        const auto look = [&](const Value& value) {
          if (value.is(Kind::Pointer) || value.is(Kind::Tensor))
            touch(value, true, may_write(source_.tokens, *step.kernel, i));
        };
        look(step.arguments[i]);
        for (const Value& part : step.arguments[i].parts) look(part);
      }
    }
    // Sorts the buffers into the order in which the program names them.
    std::ranges::sort(known_, {}, &Known::buffer);
    const bool has_transfers = std::ranges::any_of(
        program_.buffers, [](const Buffer& b) { return b.is_uploaded || b.is_downloaded; });
    for (const Known& one : known_) {
      const Buffer& b = buffer(one.buffer);
      const bool is_shared = program_.is_main && !has_transfers;
      bool is_tensor = b.origin == Buffer::Origin::Argument || b.is_returned || is_shared;
      for (std::size_t i = 0; i < program_.buffers.size(); ++i)
        if (root_of(static_cast<int>(i)) == one.buffer)
          is_tensor =
              is_tensor || program_.buffers[i].is_uploaded || program_.buffers[i].is_downloaded;
      if (!is_tensor)
        temporaries_.push_back(one);
      else if (one.is_written && !b.is_const &&
               !(b.is_uploaded && !b.is_downloaded && has_transfers))
        outputs_.push_back(one);
      else
        inputs_.push_back(one);
    }
  }

  void match_tensors() {
    std::vector<const task::TensorSpec*> ins;
    std::vector<const task::TensorSpec*> outs;
    for (const Parameter& parameter : task_->task.signature)
      for (const task::TensorSpec& tensor : task_->tensors)
        if (parameter.is_tensor && tensor.name == parameter.name)
          (tensor.role == TensorRole::In ? ins : outs).push_back(&tensor);
    move_surplus(outs.size(), ins.size());
    pair(outputs_, outs);
    pair(inputs_, ins);
    for (const task::TensorSpec* tensor : outs)
      missing(
          place(), "output",
          fmt::format("the host function writes no buffer that could be the output '{}' of task {}",
                      tensor->name, task_->task.name));
    for (const task::TensorSpec* tensor : ins)
      assume(place(), fmt::format("the host function does not read the input '{}' of task {}",
                                  tensor->name, task_->task.name));
    for (const Known& one : outputs_) surplus(one, "writes");
    for (const Known& one : inputs_) surplus(one, "reads");
  }

  /// Turns outputs that the task does not have into temporaries if the function allocates them
  /// itself, and into inputs if it is not certain that they are written.
  void move_surplus(std::size_t outs, std::size_t ins) {
    for (std::size_t i = outputs_.size(); i-- > 0 && outputs_.size() > outs;) {
      const Buffer& b = buffer(outputs_[i].buffer);
      bool is_like_output = false;
      for (const task::TensorSpec& tensor : task_->tensors)
        is_like_output = is_like_output ||
                         (tensor.role != TensorRole::In && name_likeness(b.name, tensor.name) > 0);
      if (is_like_output) continue;
      if (b.origin == Buffer::Origin::Allocated) {
        if (b.is_returned)
          assume(b.offset, fmt::format("the plan makes '{}', which the function returns but task "
                                       "{} does not ask for, a workspace",
                                       b.name, task_->task.name));
        temporaries_.push_back(outputs_[i]);
      } else if (inputs_.size() < ins) {
        inputs_.insert(inputs_.begin(), outputs_[i]);
      } else {
        continue;
      }
      outputs_.erase(outputs_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void pair(std::vector<Known>& mine, std::vector<const task::TensorSpec*>& theirs) {
    for (int wanted : {10, 6, 0})
      for (std::size_t i = 0; i < mine.size();) {
        const Buffer& b = buffer(mine[i].buffer);
        auto best = theirs.end();
        for (auto t = theirs.begin(); t != theirs.end() && best == theirs.end(); ++t)
          if (std::max(name_likeness(b.name, (*t)->name), name_likeness(b.host_name, (*t)->name)) >=
              wanted)
            best = t;
        if (best == theirs.end()) {
          ++i;
          continue;
        }
        bind(mine[i], **best, wanted);
        theirs.erase(best);
        mine.erase(mine.begin() + static_cast<std::ptrdiff_t>(i));
      }
  }

  void bind(const Known& one, const task::TensorSpec& tensor, int likeness) {
    const Buffer& b = buffer(one.buffer);
    for (std::size_t i = 0; i < program_.buffers.size(); ++i)
      if (root_of(static_cast<int>(i)) == one.buffer)
        out_.buffers[i] = {tensor.name, false, &tensor, is_padded(*task_, tensor),
                           tensor.role != TensorRole::In};
    if (likeness < 10)
      assume(b.offset,
             fmt::format("the plan assumes that the buffer '{}' is '{}' of task {}{}", b.name,
                         tensor.name, task_->task.name,
                         likeness == 0 ? ", because of its place among the arguments" : ""));
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const std::string& element = program_.buffers[i].element;
      if (root_of(static_cast<int>(i)) != one.buffer || element.empty()) continue;
      const auto have = kind_of(element);
      const auto want = kind_of(tensor.dtype);
      if (have.first == '?' || have == want) continue;
      missing(
          b.offset, "element type",
          fmt::format("the buffer '{}' has elements of type {}, and '{}' of task {} has {}", b.name,
                      element, tensor.name, task_->task.name, kw::name_of(tensor.dtype)));
      break;
    }
  }

  void surplus(const Known& one, std::string_view does) {
    const Buffer& b = buffer(one.buffer);
    missing(b.offset, "unmatched buffer",
            fmt::format("the host function {} '{}', and task {} has no tensor that it could be",
                        does, b.name, task_->task.name));
  }

  void keep_names() {
    std::vector<std::string> words;
    for (const bool is_output : {false, true})
      for (const Known& one : is_output ? outputs_ : inputs_) {
        const std::string name = fresh_name(buffer(one.buffer).name);
        for (std::size_t i = 0; i < program_.buffers.size(); ++i)
          if (root_of(static_cast<int>(i)) == one.buffer)
            out_.buffers[i] = {name, false, nullptr, false, is_output};
        words.push_back(fmt::format("{} ({})", name, is_output ? "out" : "in"));
      }
    out_.wanted = fmt::format("tensors {}", join(words, ", "));
  }

  std::string fresh_name(const std::string& name) {
    std::string word = name;
    for (const std::string_view prefix : {"d_", "dev_"})
      if (word.starts_with(prefix) && word.size() > prefix.size()) word.erase(0, prefix.size());
    if (!is_usable_identifier(word) || is_expression_function(word)) word = "buffer";
    const std::string stem = word;
    for (int i = 2; is_taken(word); ++i) word = fmt::format("{}_{}", stem, i);
    taken_.insert(word);
    return word;
  }

  bool is_taken(const std::string& word) const {
    if (taken_.contains(word)) return true;
    if (task_ == nullptr)
      return std::ranges::find(program_.integers, word) != program_.integers.end() ||
             std::ranges::find(program_.reals, word) != program_.reals.end();
    const auto& t = *task_;
    return std::ranges::find(t.dims, word) != t.dims.end() ||
           std::ranges::find(t.lets, word, &task::Let::name) != t.lets.end() ||
           std::ranges::find(t.scalars, word, &task::ScalarSpec::name) != t.scalars.end() ||
           std::ranges::find(t.tensors, word, &task::TensorSpec::name) != t.tensors.end();
  }

  void name_workspaces() {
    for (const Known& one : temporaries_) {
      const std::string name = fresh_name(buffer(one.buffer).name);
      out_.buffers[static_cast<std::size_t>(one.buffer)] = {name, true, nullptr, false};
    }
  }

  std::size_t place() const { return source_.tokens[program_.function->begin].offset; }
  void missing(std::size_t offset, std::string about, std::string text) {
    out_.missing.push_back({offset, std::move(about), std::move(text)});
  }
  void assume(std::size_t offset, std::string text) {
    out_.assumptions.push_back({offset, {}, std::move(text)});
  }

  const HostProgram& program_;
  const ForeignSource& source_;
  const std::vector<Item>& items_;
  const task::Definition* task_;
  std::vector<Known> known_;
  std::vector<Known> inputs_, outputs_, temporaries_;
  std::set<std::string> taken_;
  Matching out_;
};

}  // namespace

bool is_padded(const task::Definition& task, const task::TensorSpec& tensor) {
  if (!tensor.pitch || tensor.shape.empty()) return false;
  return std::ranges::any_of(task.workloads, [&](const task::WorkloadSpec& workload) {
    Names names = workload.dims;
    for (const task::Let& let : task.lets)
      if (const auto value = let.value.expr.evaluate(names)) names[let.name] = *value;
    const auto pitch = tensor.pitch->expr.evaluate(names);
    const auto row = tensor.shape.back().expr.evaluate(names);
    return !pitch || !row || *pitch != *row;
  });
}

bool may_write(const std::vector<Token>& tokens, const Item& kernel, std::size_t index) {
  if (index >= kernel.parameters.size()) return true;
  const FunctionParameter& parameter = kernel.parameters[index];
  if (parameter.stars == 0) return parameter.type.empty() || bytes_of_type(parameter.type) == 0;
  if (parameter.is_const) return false;
  if (parameter.name.empty()) return true;
  static constexpr auto kAssigns = {"=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "++", "--"};
  for (std::size_t i = kernel.body_open; i < kernel.body_close; ++i) {
    if (!tokens[i].is(parameter.name) || tokens[i - 1].is(".") || tokens[i - 1].is("->")) continue;
    if (!tokens[i + 1].is("[")) return true;  // the pointer is copied, or used as *p
    const std::size_t close = lex::find_closing(tokens, i + 1);
    if (close + 1 >= tokens.size() || tokens[i - 1].is("&") || tokens[i - 1].is("++")) return true;
    if (std::ranges::find(kAssigns, tokens[close + 1].text) != std::end(kAssigns)) return true;
    if (tokens[close + 1].is(".")) return true;  // a field is written, as in y[i].x = …
  }
  return false;
}

Matching match_task(const HostProgram& program, const ForeignSource& source,
                    const std::vector<Item>& items, const task::Definition* task) {
  return Matcher(program, source, items, task).run();
}

}  // namespace kw::import
