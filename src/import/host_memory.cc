// Interprets what a host function does with memory of the device: allocations, memsets, and copies.
// SPDX-License-Identifier: Apache-2.0
#include "import/host_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "import/host_paths.h"
#include "import/host_record.h"
#include "import/host_values.h"
#include "import/host_variables.h"
#include "import/matching.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

}  // namespace

void DeviceMemory::allocate(const Value& target, const Value& bytes, std::size_t offset) {
  Value* place = variables_.referred(target);
  if (place == nullptr)
    return record_.miss(offset, "allocated variable",
                        "the variable that gets this memory's address is not known");
  const Variable& variable = *variables_.variable_of(target);
  Buffer buffer;
  buffer.name = target.begin == 0 ? target.word : fmt::format("{}_{}", target.word, target.begin);
  buffer.origin = Buffer::Origin::Allocated;
  buffer.element = variable.type == "void" ? "" : variable.type;
  buffer.has_bytes = bytes.is(Kind::Int);
  buffer.bytes = bytes.size;
  buffer.offset = offset;
  buffer.depth = paths_.inside;
  Value value;
  value.kind = Kind::Pointer;
  value.word = variable.type;
  value.buffer = record_.add_buffer(std::move(buffer));
  *place = std::move(value);
}

void DeviceMemory::clear(const Value& target, const Value& value, const Value& bytes,
                         std::size_t offset) {
  if (!target.is(Kind::Pointer) && !target.is(Kind::Tensor))
    return record_.miss(
        offset, "cleared memory",
        target.word.empty() ? "the memory that is cleared here is not known" : target.word);
  const auto byte = value.is(Kind::Int) ? value.size.number() : std::nullopt;
  Buffer& buffer = record_.buffer_of(target);
  if (!byte)
    return record_.miss(offset, "memset byte", "the byte that this memset writes is not known");
  // A tensor is always cleared as a whole.
  const bool is_whole =
      target.is(Kind::Tensor) || (target.size.is(0) && bytes.is(Kind::Int) && buffer.has_bytes &&
                                  is_same_amount(bytes.size, buffer.bytes));
  if (*byte == 0 && buffer.origin == Buffer::Origin::Allocated && !buffer.is_touched && is_whole &&
      paths_.inside == 0) {
    buffer.is_zeroed = true;
    buffer.is_touched = true;
    return;
  }
  if (*byte != 0 && (*byte & 0xff) != 0xff)
    return record_.miss(
        offset, "memset value",
        "a plan fills memory with elements, so only the bytes 0 and 255 can be set");
  buffer.is_touched = true;
  if (buffer.is_downloaded && !record_.is_main()) {
    buffer.is_changed = true;
    buffer.changed_at = offset;
  }
  Step step;
  step.kind = Step::Kind::Fill;
  step.offset = offset;
  step.target = target;
  step.bytes = bytes.size;
  step.fill = *byte == 0 ? "0" : "bits(-1)";
  paths_.push(std::move(step));
}

/// Records a copy to the device: the buffer becomes the function argument, or the input of main(),
/// that is copied into it.
void DeviceMemory::upload(const Value& target, const Value& from, const Value& bytes,
                          std::size_t offset) {
  Buffer& buffer = record_.buffer_of(target);
  const std::string name = sanitise(buffer.name, 60);
  const bool is_argument =
      from.is(Kind::Pointer) && record_.buffer_of(from).origin == Buffer::Origin::Argument;
  if (buffer.origin == Buffer::Origin::Argument)
    return record_.miss(
        offset, "filled argument",
        fmt::format(
            "the host fills '{}', an argument of the function, which a launch plan cannot do",
            name));
  const bool is_unclear =
      bytes.is(Kind::Int) && buffer.has_bytes && !is_same_amount(bytes.size, buffer.bytes);
  if (!target.size.is(0) || !bytes.is(Kind::Int) || is_unclear ||
      (from.is(Kind::Pointer) && !from.size.is(0)))
    return record_.miss(offset, "partial upload",
                        fmt::format("it is not known whether this copy fills all of '{}'", name));
  if (paths_.inside > 0 && buffer.depth != paths_.inside)
    return record_.miss(
        offset, "upload in a branch",
        fmt::format("'{}' is filled by the host under a condition or in a loop", name));
  const bool is_repeat = record_.is_main() && buffer.is_uploaded && buffer.host_name == from.word;
  if (buffer.is_used && !is_repeat)
    return record_.miss(offset, "upload after use",
                        fmt::format("'{}' is filled by the host after it was used", name));
  if (!is_argument && !from.is(Kind::Host) && !(record_.is_main() && from.is(Kind::List)))
    return record_.miss(
        offset, "computed data",
        fmt::format(
            "the host computes the data that '{}' is filled with, which a launch plan cannot do",
            name));
  // If the function has device memory as arguments, it must compute any other host memory itself,
  // which a plan cannot express.
  const bool takes_memory = std::ranges::any_of(
      record_.buffers(), [](const Buffer& b) { return b.origin == Buffer::Origin::Argument; });
  if (!is_argument && takes_memory)
    return record_.miss(
        offset, "prepared data",
        fmt::format(
            "the host prepares the data that '{}' is filled with, which a launch plan cannot do",
            name));
  for (const Buffer& other : record_.buffers()) {
    const bool is_same = is_argument ? other.stands_for == from.buffer
                                     : !from.word.empty() && other.host_name == from.word;
    if (&other == &buffer || !is_same) continue;
    return record_.miss(
        offset, "uploaded twice",
        fmt::format("the host copies '{}' into both '{}' and '{}', which a launch "
                    "plan would take for the same buffer",
                    sanitise(is_argument ? record_.buffer_of(from).name : from.word, 60),
                    sanitise(other.name, 60), name));
  }
  // The copy overwrites the buffer, so an earlier memset of it is dropped.
  std::erase_if(record_.steps(), [&](const Step& step) {
    return step.kind == Step::Kind::Fill && step.target.buffer == target.buffer;
  });
  buffer.is_zeroed = false;
  buffer.is_uploaded = buffer.is_touched = true;
  if (is_argument) buffer.stands_for = from.buffer;
  buffer.host_name = from.word;
}

void DeviceMemory::download(const Value& target, const Value& from, const Value& bytes,
                            std::size_t offset) {
  Buffer& buffer = record_.buffer_of(from);
  if (Variable* variable = variables_.variable_of(target)) {
    variable->value = unknown(offset, fmt::format("'{}' is copied from the device, and a launch "
                                                  "plan cannot use values that the host waits for",
                                                  target.word));
  }
  if (target.is(Kind::Unknown) && target.word.starts_with("what this address"))
    variables_.forget_exposed(offset);
  const bool is_argument =
      target.is(Kind::Pointer) && record_.buffer_of(target).origin == Buffer::Origin::Argument;
  const std::string name = sanitise(buffer.name, 60);
  const std::string host = is_argument ? sanitise(record_.buffer_of(target).name, 60) : target.word;
  if (is_argument) {
    const bool is_whole = target.size.is(0) && from.size.is(0) && bytes.is(Kind::Int) &&
                          (!buffer.has_bytes || is_same_amount(bytes.size, buffer.bytes));
    if (!is_whole)
      return record_.miss(offset, "partial download",
                          fmt::format("it is not known whether this copy takes all of '{}'", name));
    if (paths_.inside > 0 && buffer.depth != paths_.inside)
      return record_.miss(
          offset, "download in a branch",
          fmt::format("'{}' is copied to the host under a condition or in a loop", name));
    for (const Buffer& other : record_.buffers())
      if (&other != &buffer && other.stands_for == target.buffer)
        return record_.miss(
            offset, "download of another",
            fmt::format("the host copies '{}' to the device into '{}' and back from '{}', "
                        "which a launch plan would take for the same buffer",
                        host, sanitise(other.name, 60), name));
    if (buffer.stands_for >= 0 && buffer.stands_for != target.buffer)
      return record_.miss(offset, "argument to argument",
                          fmt::format("'{}' is filled from one argument of the function and copied "
                                      "to another, which a launch plan cannot express",
                                      name));
    if (buffer.origin == Buffer::Origin::Argument)
      return record_.miss(offset, "downloaded argument",
                          fmt::format("the host copies '{}', an argument of the function, to '{}', "
                                      "which a launch plan cannot do",
                                      name, host));
    buffer.stands_for = target.buffer;
  }
  buffer.is_downloaded = true;
  buffer.is_changed = false;
  if (buffer.host_name.empty()) buffer.host_name = target.word;
}

void DeviceMemory::copy(const Value& target, const Value& from, const Value& bytes,
                        const Value& kind, std::size_t offset) {
  const bool has_target = target.is(Kind::Pointer);
  const bool has_source = from.is(Kind::Pointer);
  const bool is_up = kind.word == "cudaMemcpyHostToDevice";
  const bool is_down = kind.word == "cudaMemcpyDeviceToHost";
  for (const Value* side : {&target, &from})
    if (side->is(Kind::Unknown) && side->word.empty())
      return record_.miss(offset, "copy ends",
                          "the source or the target of this copy is not known");
  if (has_target && (is_up || !has_source)) return upload(target, from, bytes, offset);
  if (has_source && (is_down || !has_target)) return download(target, from, bytes, offset);
  if (!has_target || !has_source) {
    if (Variable* variable = variables_.variable_of(target))
      variable->value =
          unknown(offset, fmt::format("'{}' gets its value by a copy of memory", target.word));
    if (kind.word != "cudaMemcpyHostToHost")
      record_.miss(offset, "copy ends", "the source or the target of this copy is not known");
    return;
  }
  if (!bytes.is(Kind::Int))
    record_.miss(offset, "copied bytes", "the number of bytes that are copied here is not known");
  Step step;
  step.kind = Step::Kind::Copy;
  step.offset = offset;
  step.target = target;
  step.source = from;
  step.bytes = bytes.size;
  paths_.push(std::move(step));
}

}  // namespace kw::import
