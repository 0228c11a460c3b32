// The record of what a host function does with the device: buffers, steps, and remarks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "import/host_program.h"

namespace kw::import {

/// Holds the program that is being read off the text. It knows neither the text nor variables.
class HostRecord {
 public:
  HostProgram& program() { return program_; }
  const HostProgram& program() const { return program_; }
  std::vector<Step>& steps() { return program_.steps; }
  std::vector<Buffer>& buffers() { return program_.buffers; }
  bool is_main() const { return program_.is_main; }
  /// Goes back to an earlier state of the program.
  void restore(const HostProgram& program) { program_ = program; }

  /// Reports what a plan cannot express, or what the plan assumes; each once.
  void miss(Remark remark);
  void miss(std::size_t offset, std::string about, std::string text) {
    miss({offset, std::move(about), std::move(text)});
  }
  void note(std::size_t offset, std::string text);

  /// Adds a buffer and returns its index. Beyond the most that a plan is drafted for, it reports
  /// that and returns the last one.
  int add_buffer(Buffer buffer);
  Buffer& buffer_of(const Value& value) {
    return program_.buffers[static_cast<std::size_t>(value.buffer)];
  }
  /// The buffer as a tensor, its size in one dimension, and the number of its elements.
  Value tensor(int buffer) const;
  Value tensor_size(const Value& object, std::int64_t index, std::size_t offset) const;
  Value tensor_numel(const Value& object) const;

  /// Refuses work on a second stream, since it may run concurrently with work on the first.
  void use_stream(const Value& stream, std::size_t offset);
  const std::string& stream() const { return stream_; }
  void set_stream(std::string stream) { stream_ = std::move(stream); }

  /// Whether a number in main() keeps its variable's name, because it may be a size of the task.
  bool is_nameable(const std::string& name, const Size& size) const;
  /// Marks the tensors of the value that the function returns.
  void note_result(const Value& value);
  /// Refuses the program if the host copies a result that a later launch still changes.
  void check_memory();
  /// Drops steps that repeat earlier steps, as programs that warm up or time their kernels have
  /// them.
  void drop_repeats();

 private:
  HostProgram program_;
  std::string stream_;  ///< The stream on which the last work was queued.
};

}  // namespace kw::import
