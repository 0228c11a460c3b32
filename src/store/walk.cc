// Walks over attempts in batches: one batch is unpacked while the batch before it is visited.
// SPDX-License-Identifier: Apache-2.0
#include "store/walk.h"

#include <utility>

#include "base/json.h"
#include "record/codec.h"

namespace kw::store {
namespace {

/// Attempts in a batch. Unpacking this many takes longer than starting a thread and needs little
/// memory.
constexpr std::size_t kBatch = 32;
/// Most bytes of source texts that SourceTexts keeps.
constexpr std::size_t kTextBytes = 1 << 20;

std::vector<std::string> source_names(const std::vector<PackedAttempt>& batch) {
  std::vector<std::string> names;
  for (const PackedAttempt& packed : batch) names.push_back(packed.source);
  return names;
}

}  // namespace

Result<Attempt> unpack(const PackedAttempt& packed, Samples samples) {
  std::string body = KW_TRY(decompress(packed.body));
  if (samples == Samples::LeaveOut) body = without_arrays(body, "samples");
  return decode<Attempt>(body);
}

Result<std::string> SourceTexts::get(const std::string& hex) {
  if (const auto known = texts_.find(hex); known != texts_.end()) return known->second;
  std::string text = KW_TRY(artifacts_.get(KW_TRY(Sha256::from_hex(hex))));
  bytes_ += text.size();
  if (bytes_ > kTextBytes) texts_.clear(), bytes_ = text.size();
  return texts_.emplace(hex, std::move(text)).first->second;
}

AttemptWalk::Unpacked AttemptWalk::unpack_all(const Batch& batch, Samples samples) {
  Unpacked attempts;
  for (const PackedAttempt& packed : batch) attempts.push_back(unpack(packed, samples));
  return attempts;
}

Result<> AttemptWalk::visit_all(Unpacked attempts, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    Attempt attempt = KW_TRY(std::move(attempts[i]));
    if (sources_ == Sources::Load) attempt.candidate.source = KW_TRY(texts_.get(names[i]));
    KW_TRY(visit_(attempt));
  }
  return {};
}

Result<> AttemptWalk::visit_ahead() {
  if (!ahead_.valid()) return {};
  const auto names = std::exchange(ahead_names_, {});
  return visit_all(ahead_.get(), names);
}

Result<> AttemptWalk::add(PackedAttempt packed) {
  batch_.push_back(std::move(packed));
  if (batch_.size() < kBatch) return {};
  auto names = source_names(batch_);
  auto next = std::async(std::launch::async, unpack_all, std::exchange(batch_, {}), samples_);
  const Result<> visited = visit_ahead();
  ahead_ = std::move(next);
  ahead_names_ = std::move(names);
  return visited;
}

Result<> AttemptWalk::finish() {
  KW_TRY(visit_ahead());
  const Batch last = std::exchange(batch_, {});
  return visit_all(unpack_all(last, samples_), source_names(last));
}

}  // namespace kw::store
