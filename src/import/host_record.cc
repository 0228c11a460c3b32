// Records buffers, steps and remarks of a host function.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "import/host_record.h"
#include "import/host_values.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

constexpr std::size_t kMostRemarks = 32;
constexpr std::size_t kMostBuffers = 64;

}  // namespace

void HostRecord::miss(Remark remark) {
  for (const Remark& told : program_.missing)
    if (told.offset == remark.offset && told.text == remark.text) return;
  if (program_.missing.size() < kMostRemarks) program_.missing.push_back(std::move(remark));
}

void HostRecord::note(std::size_t offset, std::string text) {
  for (const Remark& remark : program_.notes)
    if (remark.text == text) return;
  if (program_.notes.size() < kMostRemarks) program_.notes.push_back({offset, {}, std::move(text)});
}

void HostRecord::drop_repeats() {
  constexpr std::size_t kLongest = 6;
  auto& steps = program_.steps;
  for (std::size_t period = 1; period <= kLongest; ++period)
    for (std::size_t i = period; i + period <= steps.size();) {
      bool is_repeat = true;
      for (std::size_t k = 0; k < period; ++k)
        is_repeat = is_repeat && steps[i + k].kind <= Step::Kind::Copy &&
                    is_same_step(steps[i + k], steps[i + k - period]);
      if (!is_repeat) {
        ++i;
        continue;
      }
      note(steps[i].offset,
           "the plan takes the steps that main() repeats to warm up or to measure time once");
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i),
                  steps.begin() + static_cast<std::ptrdiff_t>(i + period));
    }
}

void HostRecord::note_result(const Value& value) {
  if (value.is(Value::Kind::Tensor))
    program_.buffers[static_cast<std::size_t>(value.buffer)].is_returned = true;
  for (const Value& part : value.parts)
    if (part.is(Value::Kind::Tensor)) note_result(part);
  if (value.is(Value::Kind::Unknown) && value.word.find("PyTorch") != std::string::npos)
    miss(value.offset, "PyTorch result", value.word);
}

bool HostRecord::is_nameable(const std::string& name, const Size& size) const {
  return program_.is_main && size.op() == Size::Op::Number &&
         std::ranges::find(program_.integers, name) == program_.integers.end();
}

int HostRecord::add_buffer(Buffer buffer) {
  if (program_.buffers.size() >= kMostBuffers) {
    miss(buffer.offset, "buffer count",
         fmt::format("the host code uses more than {} buffers, the most that a plan is drafted for",
                     kMostBuffers));
    return static_cast<int>(program_.buffers.size()) - 1;
  }
  program_.buffers.push_back(std::move(buffer));
  return static_cast<int>(program_.buffers.size()) - 1;
}

Value HostRecord::tensor(int buffer) const {
  Value value;
  value.kind = Kind::Tensor;
  value.buffer = buffer;
  if (buffer >= 0) value.parts = program_.buffers[static_cast<std::size_t>(buffer)].sizes;
  return value;
}

Value HostRecord::tensor_size(const Value& object, std::int64_t index, std::size_t offset) const {
  const auto rank = static_cast<std::int64_t>(object.parts.size());
  if (rank > 0) {
    const std::int64_t i = index < 0 ? index + rank : index;
    if (i >= 0 && i < rank) return object.parts[static_cast<std::size_t>(i)];
    return unknown(offset, "the tensor has no dimension of this number");
  }
  const Buffer& buffer = program_.buffers[static_cast<std::size_t>(object.buffer)];
  if (buffer.like >= 0) return tensor_size(tensor(buffer.like), index, offset);
  return integer(Size::name(fmt::format("{}#{}", buffer.name, index)));
}

Value HostRecord::tensor_numel(const Value& object) const {
  if (!object.parts.empty()) {
    Size product(1);
    for (const Value& part : object.parts) {
      if (!part.is(Kind::Int)) return part;
      product = Size::binary("*", product, part.size);
    }
    return integer(product);
  }
  const Buffer& buffer = program_.buffers[static_cast<std::size_t>(object.buffer)];
  if (buffer.like >= 0) return tensor_numel(tensor(buffer.like));
  return integer(Size::name(buffer.name + "#n"));
}

void HostRecord::use_stream(const Value& stream, std::size_t offset) {
  const bool is_default = stream.is(Kind::Null) || (stream.is(Kind::Int) && stream.size.is(0)) ||
                          (stream.is(Kind::Unknown) && stream.word.empty()) ||
                          stream.is(Kind::Text);
  if (is_default) return;
  if (!stream.is(Kind::Stream)) {
    if (!stream.is(Kind::Host))
      miss(offset, "unknown stream", "the stream that is used here is not known: " + stream.word);
    return;
  }
  if (stream.word.empty()) return;
  if (!stream_.empty() && stream_ != stream.word)
    miss(offset, "several streams",
         "launches on several streams may run at once: use one stream, or write fork and join");
  stream_ = stream.word;
}

void HostRecord::check_memory() {
  for (const Buffer& buffer : program_.buffers)
    if (buffer.is_changed)
      miss(buffer.changed_at, "write after download",
           fmt::format("'{}' is written again after the host has copied it",
                       sanitise(buffer.name, 60)));
}

}  // namespace kw::import
