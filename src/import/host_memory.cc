// Interprets what a host function does with memory of the device: allocations, memsets, and copies.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/matching.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

}  // namespace

void HostReader::push(Step step) {
  if (doubt_ && step.kind != Step::Kind::Require) {
    if (out_.is_main)
      note(doubt_->offset, "the plan assumes that main() goes on here: " + doubt_->text);
    else
      miss(doubt_->offset, doubt_->text);
  }
  const auto use = [&](const Value& value, bool writes) {
    if (value.buffer < 0 || (!value.is(Kind::Pointer) && !value.is(Kind::Tensor))) return;
    Buffer& buffer = buffer_of(value);
    buffer.is_touched = buffer.is_used = true;
    // A main() that times its kernels may launch them again after it has copied their results; such
    // a repeated launch does not count as a change.
    const bool is_repeat = out_.is_main && std::ranges::any_of(out_.steps, [&](const Step& other) {
                             return is_same_step(other, step);
                           });
    if (!writes || !buffer.is_downloaded || is_repeat) return;
    buffer.is_changed = true;
    buffer.changed_at = step.offset;
  };
  if (step.kind == Step::Kind::Copy) use(step.source, false), use(step.target, true);
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    const bool writes = step.kernel == nullptr || may_write(source_.tokens, *step.kernel, i);
    use(step.arguments[i], writes);
    for (const Value& part : step.arguments[i].parts) use(part, true);
  }
  out_.steps.push_back(std::move(step));
}

void HostReader::allocate(const Value& target, const Value& bytes, std::size_t offset) {
  Value* place = referred(target);
  if (place == nullptr)
    return miss(offset, "the variable that gets this memory's address is not known");
  const Variable& variable = *variable_of(target);
  Buffer buffer;
  buffer.name = target.begin == 0 ? target.word : fmt::format("{}_{}", target.word, target.begin);
  buffer.origin = Buffer::Origin::Allocated;
  buffer.element = variable.type == "void" ? "" : variable.type;
  buffer.has_bytes = bytes.is(Kind::Int);
  buffer.bytes = bytes.size;
  buffer.offset = offset;
  buffer.depth = inside_;
  Value value;
  value.kind = Kind::Pointer;
  value.word = variable.type;
  value.buffer = add_buffer(std::move(buffer));
  *place = std::move(value);
}

void HostReader::clear(const Value& target, const Value& value, const Value& bytes,
                       std::size_t offset) {
  if (!target.is(Kind::Pointer) && !target.is(Kind::Tensor))
    return miss(offset,
                target.word.empty() ? "the memory that is cleared here is not known" : target.word);
  const auto byte = value.is(Kind::Int) ? value.size.number() : std::nullopt;
  Buffer& buffer = buffer_of(target);
  if (!byte) return miss(offset, "the byte that this memset writes is not known");
  // A tensor is always cleared as a whole.
  const bool is_whole =
      target.is(Kind::Tensor) || (target.size.is(0) && bytes.is(Kind::Int) && buffer.has_bytes &&
                                  is_same_amount(bytes.size, buffer.bytes));
  if (*byte == 0 && buffer.origin == Buffer::Origin::Allocated && !buffer.is_touched && is_whole &&
      inside_ == 0) {
    buffer.is_zeroed = true;
    buffer.is_touched = true;
    return;
  }
  if (*byte != 0 && (*byte & 0xff) != 0xff)
    return miss(offset,
                "a plan fills memory with elements, so only the bytes 0 and 255 can be set");
  buffer.is_touched = true;
  if (buffer.is_downloaded && !out_.is_main) {
    buffer.is_changed = true;
    buffer.changed_at = offset;
  }
  Step step;
  step.kind = Step::Kind::Fill;
  step.offset = offset;
  step.target = target;
  step.bytes = bytes.size;
  step.fill = *byte == 0 ? "0" : "bits(-1)";
  push(std::move(step));
}

/// Records a copy to the device: the buffer becomes the function argument, or the input of main(),
/// that is copied into it.
void HostReader::upload(const Value& target, const Value& from, const Value& bytes,
                        std::size_t offset) {
  Buffer& buffer = buffer_of(target);
  const std::string name = sanitise(buffer.name, 60);
  const bool is_argument =
      from.is(Kind::Pointer) && buffer_of(from).origin == Buffer::Origin::Argument;
  if (buffer.origin == Buffer::Origin::Argument)
    return miss(
        offset,
        fmt::format(
            "the host fills '{}', an argument of the function, which a launch plan cannot do",
            name));
  const bool is_unclear =
      bytes.is(Kind::Int) && buffer.has_bytes && !is_same_amount(bytes.size, buffer.bytes);
  if (!target.size.is(0) || !bytes.is(Kind::Int) || is_unclear ||
      (from.is(Kind::Pointer) && !from.size.is(0)))
    return miss(offset, fmt::format("it is not known whether this copy fills all of '{}'", name));
  if (inside_ > 0 && buffer.depth != inside_)
    return miss(offset,
                fmt::format("'{}' is filled by the host under a condition or in a loop", name));
  const bool is_repeat = out_.is_main && buffer.is_uploaded && buffer.host_name == from.word;
  if (buffer.is_used && !is_repeat)
    return miss(offset, fmt::format("'{}' is filled by the host after it was used", name));
  if (!is_argument && !from.is(Kind::Host) && !(out_.is_main && from.is(Kind::List)))
    return miss(
        offset,
        fmt::format(
            "the host computes the data that '{}' is filled with, which a launch plan cannot do",
            name));
  // If the function has device memory as arguments, it must compute any other host memory itself,
  // which a plan cannot express.
  const bool takes_memory = std::ranges::any_of(
      out_.buffers, [](const Buffer& b) { return b.origin == Buffer::Origin::Argument; });
  if (!is_argument && takes_memory)
    return miss(
        offset,
        fmt::format(
            "the host prepares the data that '{}' is filled with, which a launch plan cannot do",
            name));
  for (const Buffer& other : out_.buffers) {
    const bool is_same = is_argument ? other.stands_for == from.buffer
                                     : !from.word.empty() && other.host_name == from.word;
    if (&other == &buffer || !is_same) continue;
    return miss(offset, fmt::format("the host copies '{}' into both '{}' and '{}', which a launch "
                                    "plan would take for the same buffer",
                                    sanitise(is_argument ? buffer_of(from).name : from.word, 60),
                                    sanitise(other.name, 60), name));
  }
  // The copy overwrites the buffer, so an earlier memset of it is dropped.
  std::erase_if(out_.steps, [&](const Step& step) {
    return step.kind == Step::Kind::Fill && step.target.buffer == target.buffer;
  });
  buffer.is_zeroed = false;
  buffer.is_uploaded = buffer.is_touched = true;
  if (is_argument) buffer.stands_for = from.buffer;
  buffer.host_name = from.word;
}

void HostReader::download(const Value& target, const Value& from, const Value& bytes,
                          std::size_t offset) {
  Buffer& buffer = buffer_of(from);
  if (Variable* variable = variable_of(target)) {
    variable->value = unknown(offset, fmt::format("'{}' is copied from the device, and a launch "
                                                  "plan cannot use values that the host waits for",
                                                  target.word));
  }
  if (target.is(Kind::Unknown) && target.word.starts_with("what this address"))
    forget_exposed(offset);
  const bool is_argument =
      target.is(Kind::Pointer) && buffer_of(target).origin == Buffer::Origin::Argument;
  const std::string name = sanitise(buffer.name, 60);
  const std::string host = is_argument ? sanitise(buffer_of(target).name, 60) : target.word;
  if (is_argument) {
    const bool is_whole = target.size.is(0) && from.size.is(0) && bytes.is(Kind::Int) &&
                          (!buffer.has_bytes || is_same_amount(bytes.size, buffer.bytes));
    if (!is_whole)
      return miss(offset, fmt::format("it is not known whether this copy takes all of '{}'", name));
    if (inside_ > 0 && buffer.depth != inside_)
      return miss(offset,
                  fmt::format("'{}' is copied to the host under a condition or in a loop", name));
    for (const Buffer& other : out_.buffers)
      if (&other != &buffer && other.stands_for == target.buffer)
        return miss(offset,
                    fmt::format("the host copies '{}' to the device into '{}' and back from '{}', "
                                "which a launch plan would take for the same buffer",
                                host, sanitise(other.name, 60), name));
    if (buffer.stands_for >= 0 && buffer.stands_for != target.buffer)
      return miss(offset, fmt::format("'{}' is filled from one argument of the function and copied "
                                      "to another, which a launch plan cannot express",
                                      name));
    if (buffer.origin == Buffer::Origin::Argument)
      return miss(offset, fmt::format("the host copies '{}', an argument of the function, to '{}', "
                                      "which a launch plan cannot do",
                                      name, host));
    buffer.stands_for = target.buffer;
  }
  buffer.is_downloaded = true;
  buffer.is_changed = false;
  if (buffer.host_name.empty()) buffer.host_name = target.word;
}

void HostReader::copy(const Value& target, const Value& from, const Value& bytes, const Value& kind,
                      std::size_t offset) {
  const bool has_target = target.is(Kind::Pointer);
  const bool has_source = from.is(Kind::Pointer);
  const bool is_up = kind.word == "cudaMemcpyHostToDevice";
  const bool is_down = kind.word == "cudaMemcpyDeviceToHost";
  for (const Value* side : {&target, &from})
    if (side->is(Kind::Unknown) && side->word.empty())
      return miss(offset, "the source or the target of this copy is not known");
  if (has_target && (is_up || !has_source)) return upload(target, from, bytes, offset);
  if (has_source && (is_down || !has_target)) return download(target, from, bytes, offset);
  if (!has_target || !has_source) {
    if (Variable* variable = variable_of(target))
      variable->value =
          unknown(offset, fmt::format("'{}' gets its value by a copy of memory", target.word));
    if (kind.word != "cudaMemcpyHostToHost")
      miss(offset, "the source or the target of this copy is not known");
    return;
  }
  if (!bytes.is(Kind::Int)) miss(offset, "the number of bytes that are copied here is not known");
  Step step;
  step.kind = Step::Kind::Copy;
  step.offset = offset;
  step.target = target;
  step.source = from;
  step.bytes = bytes.size;
  push(std::move(step));
}

/// Refuses work on a second stream, since it may run concurrently with work on the first.
void HostReader::use_stream(const Value& stream, std::size_t offset) {
  const bool is_default = stream.is(Kind::Null) || (stream.is(Kind::Int) && stream.size.is(0)) ||
                          (stream.is(Kind::Unknown) && stream.word.empty()) ||
                          stream.is(Kind::Text);
  if (is_default) return;
  if (!stream.is(Kind::Stream)) {
    if (!stream.is(Kind::Host))
      miss(offset, "the stream that is used here is not known: " + stream.word);
    return;
  }
  if (stream.word.empty()) return;
  if (!stream_.empty() && stream_ != stream.word)
    miss(offset,
         "launches on several streams may run at once: use one stream, or write fork and join");
  stream_ = stream.word;
}

/// Refuses the program if the host copies a result that a later launch still changes.
void HostReader::check_memory() {
  for (const Buffer& buffer : out_.buffers)
    if (buffer.is_changed)
      miss(buffer.changed_at, fmt::format("'{}' is written again after the host has copied it",
                                          sanitise(buffer.name, 60)));
}

}  // namespace kw::import
