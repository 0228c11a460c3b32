// Calls init.cpp in a player of its own, and copies what it left into the buffers of an input set.
// SPDX-License-Identifier: Apache-2.0
#include "referee/coded_inputs.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "record/coded_inputs.h"
#include "referee/fate.h"
#include "referee/values.h"

namespace kw::referee {
namespace {

/// The index of the tensor in the workload.
std::size_t index_of(const Workload& workload, const Tensor& tensor) {
  return static_cast<std::size_t>(&tensor - workload.tensors.data());
}

bool is_constant(const Tensor& tensor) {
  const auto found = tensor.values.numbers.find("constant");
  return found != tensor.values.numbers.end() && found->second != 0;
}

/// Copies the elements between two images of the tensor, without the padding between rows.
void copy_elements(std::vector<std::byte>& to, const std::vector<std::byte>& from,
                   const Tensor& tensor) {
  const auto size = size_of(tensor.dtype);
  for_each_run(tensor, whole(tensor), [&](std::int64_t offset, std::int64_t length) {
    std::memcpy(to.data() + static_cast<std::size_t>(offset) * size,
                from.data() + static_cast<std::size_t>(offset) * size,
                static_cast<std::size_t>(length) * size);
  });
}

/// A digest of the elements, whatever lies between rows.
std::string digest_of(const std::vector<std::byte>& image, const Tensor& tensor) {
  Sha256Stream digest;
  const auto size = size_of(tensor.dtype);
  for_each_run(tensor, whole(tensor), [&](std::int64_t offset, std::int64_t length) {
    digest.update(std::span(image).subspan(static_cast<std::size_t>(offset) * size,
                                           static_cast<std::size_t>(length) * size));
  });
  return digest.finish().hex();
}

Result<std::vector<std::byte>> image_of(const device::Buffer& buffer) {
  std::vector<std::byte> image(static_cast<std::size_t>(buffer.bytes()));
  KW_TRY(buffer.read(0, image));
  return image;
}

}  // namespace

CodedInputs::CodedInputs(const TruthMaker& maker, const Program* program, const Workload& workload)
    : maker_(maker),
      program_(program),
      workload_(workload),
      are_there_(has_coded_inputs(workload)) {}

std::unexpected<Error> CodedInputs::at_fault(std::string about, const std::string& message) const {
  return fail_input(
      ErrorCode::TaskAtFault, About{std::move(about)},
      fmt::format("init.cpp of task '{}' on workload '{}' {}; the task is at fault, not the "
                  "candidate",
                  maker_.task->name, workload_.name, message));
}

Result<> CodedInputs::allocate() {
  task_ = coded_task(*maker_.task);
  called_ = coded_workload(workload_);
  device::PlayerSpec spec{.name = "inputs", .jail = maker_.jail, .buffers = {}, .writable = {}};
  Buffers buffers;
  for (const Tensor& tensor : called_.tensors) {
    buffers.push_back(KW_TRY(maker_.device->allocate({.name = "init." + tensor.name,
                                                      .bytes = tensor.bytes(),
                                                      .alignment = tensor.alignment,
                                                      .shared = true})));
    spec.buffers.push_back(buffers.back().get());
  }
  spec.writable.assign(spec.buffers.size(), true);
  buffers_ = std::move(buffers);
  leg_ = std::make_unique<Leg>(*maker_.device, task_, std::move(spec), *program_,
                               std::vector<Stand>{{&called_, 0, Precision::Native}},
                               Seed::from_number(0));
  return {};
}

// Calls the code once, in a new process, on the other inputs of `to`, or, without it, on others
// that are drawn here.
Result<> CodedInputs::compute(const Buffers* to, std::uint64_t seed) {
  device::BufferOps& ops = maker_.device->ops();
  KW_TRY(buffers_.front()->write(0, std::as_bytes(std::span(&seed, 1))));
  for (std::size_t i = 1; i < called_.tensors.size(); ++i) {
    const std::size_t source = index_of(workload_, *workload_.tensor(called_.tensors[i].name));
    const Tensor& tensor = workload_.tensors[source];
    if (is_coded(tensor) || !is_drawn(tensor))
      KW_TRY(ops.fill(*buffers_[i], called_.tensors[i], seed));
    else if (to == nullptr || !(*to)[source])
      KW_TRY(ops.fill(*buffers_[i], tensor, Seed::from_number(seed).child(tensor.name).low));
    else
      KW_TRY(carry(*buffers_[i], *(*to)[source]));
  }
  if (const auto refused = KW_TRY(leg_->renew()))
    return at_fault(std::string(name_of(refused->seen.kind)), "fails: " + refused->evidence);
  KW_TRY(leg_->make_ready(called_));
  const std::int64_t limit_ns = maker_.limit_of(workload_);
  const auto result = KW_TRY(leg_->call(called_, limit_ns));
  leg_->end();
  if (result.fate != device::Fate::Returned)
    return at_fault(std::string(name_of(ending_of(result.fate, result.signal).kind)),
                    words_of(result.fate, result.signal, limit_ns));
  for (std::size_t i = 0; i < called_.tensors.size(); ++i)
    if (const std::string damage = KW_TRY(ops.check_guards(*buffers_[i])); !damage.empty()) {
      // Canaries cannot be armed again.
      leg_.reset();
      buffers_.clear();
      return at_fault(called_.tensors[i].name,
                      fmt::format("writes outside of '{}': {}", called_.tensors[i].name, damage));
    }
  return {};
}

Result<> CodedInputs::compare(const Tensor& tensor, std::uint64_t seed, std::string sha256) {
  const auto [seen, is_first] = seen_.try_emplace(tensor.name, Seen{seed, sha256});
  if (is_first) return {};
  const bool is_same = seen->second.sha256 == sha256;
  if (seen->second.seed == seed && !is_same)
    return at_fault(tensor.name, fmt::format("computes different values of '{}' from the same seed",
                                             tensor.name));
  if (seen->second.seed != seed && is_same && !is_constant(tensor) &&
      elements_of(whole(tensor)) >= kFewElements)
    return at_fault(
        tensor.name,
        fmt::format("computes the same values of '{0}' from every seed, so a kernel could know "
                    "them: use the seed, or write 'constant: 1' to the values of '{0}' if they are "
                    "data that never changes",
                    tensor.name));
  seen->second = {seed, std::move(sha256)};
  return {};
}

Result<> CodedInputs::fill(Buffers& to, Seed seed) {
  if (!are_there_) return {};
  if (program_ == nullptr)
    return fail(ErrorCode::Missing, About{kCodedRole},
                fmt::format("the request has no compiled init.cpp of task '{}', which computes "
                            "inputs of workload '{}'",
                            maker_.task->name, workload_.name));
  if (buffers_.empty()) KW_TRY(allocate());
  // The first time, the code is also called with another seed and other inputs, and twice with
  // these.
  const std::uint64_t other = seed.child("other").low;
  std::vector<std::uint64_t> seeds = {seed.low};
  if (seen_.empty()) seeds = {other, seed.low, seed.low};
  for (const std::uint64_t one : seeds) {
    KW_TRY(compute(one == other ? nullptr : &to, one));
    for (std::size_t i = 1; i < called_.tensors.size(); ++i) {
      const Tensor& tensor = *workload_.tensor(called_.tensors[i].name);
      const auto& target = to[index_of(workload_, tensor)];
      if (!is_coded(tensor) || !target) continue;
      const auto computed = KW_TRY(image_of(*buffers_[i]));
      KW_TRY(compare(tensor, one, digest_of(computed, tensor)));
      if (!has_padding(tensor)) {
        KW_TRY(target->write(0, computed));
        continue;
      }
      // The padding keeps the poison that filling the target has put there.
      auto padded = KW_TRY(image_of(*target));
      copy_elements(padded, computed, tensor);
      KW_TRY(target->write(0, padded));
    }
  }
  return {};
}

}  // namespace kw::referee
